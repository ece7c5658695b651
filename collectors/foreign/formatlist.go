package foreign

import (
	"regexp"
	"slices"
	"strings"
)

// Bounds on a hostile list; a node has some 300 services of a dozen properties.
const (
	maxListLines = 500_000
	maxListValue = 32 << 10
)

var listProperty = regexp.MustCompile(`^(\w+(?: \(\w+\))?)\s*:(?: (.*))?$`)

// parseFormatList reads what Format-List prints: a block of "Name : value" for
// each object, and an empty line after it. A value that is wider than the
// console goes on in the next lines, which begin with blanks.
func parseFormatList(s string) []map[string]string {
	var blocks []map[string]string
	var block map[string]string
	last, count := "", 0
	for line := range strings.Lines(s) {
		if count++; count > maxListLines || len(blocks) > maxObjects {
			break
		}
		line = strings.TrimRight(line, " \t\n")
		m := listProperty.FindStringSubmatch(line)
		switch {
		case line == "":
			block, last = nil, ""
		case m != nil:
			if _, again := block[m[1]]; block == nil || again {
				block = map[string]string{}
				blocks = append(blocks, block)
			}
			last = m[1]
			block[last] = strings.TrimSpace(m[2])
		case last != "" && (line[0] == ' ' || line[0] == '\t') && len(block[last]) < maxListValue:
			block[last] = strings.TrimSpace(block[last] + " " + strings.TrimSpace(line))
		default:
			block, last = nil, "" // an error between the objects
		}
	}
	return blocks
}

// listValues takes a list of a property apart, {RpcSs, nsi}. It is not whole
// where PowerShell cut it, after four of its values.
func listValues(s string) (values []string, whole bool) {
	inner, opened := strings.CutPrefix(s, "{")
	inner, closed := strings.CutSuffix(inner, "}")
	if !opened || !closed {
		return nil, false
	}
	for v := range strings.SplitSeq(inner, ",") {
		if v = strings.TrimSpace(v); v != "" {
			values = append(values, v)
		}
	}
	return values, !slices.ContainsFunc(values, cutShort)
}
