package foreign

import (
	"regexp"
	"strings"

	"doctor/checks/evidence"
)

type portRange struct {
	Start int `json:"start"`
	Count int `json:"count"`
}

type excludedPorts struct {
	Protocol string `json:"protocol"`
	Start    int    `json:"start"`
	End      int    `json:"end"`
}

type portTable struct {
	Dynamic  map[string]portRange `json:"dynamic"`
	Excluded []excludedPorts      `json:"excluded"`
}

var (
	protocolWord = regexp.MustCompile(`(?i)\b(tcp|udp)\b`)
	excludedRow  = regexp.MustCompile(`^\s*(\d{1,5})\s+(\d{1,5})\s*\*?\s*$`)
	dynamicRow   = regexp.MustCompile(`^\s*\S.*:\s*(\d{1,5})\s*$`)
	dashes       = regexp.MustCompile(`^\s*-{4,}`)
)

const maxRanges = 70_000 // there are no more ports

// readPorts needs both files: half a table would read as no exclusions, or as no
// dynamic range.
func readPorts(excluded, dynamic text) (any, evidence.Gap) {
	for _, t := range []text{excluded, dynamic} {
		if t.gap != "" {
			return nil, t.gap
		}
	}
	table := portTable{Dynamic: parseDynamic(dynamic.content)}
	var ok bool
	if table.Excluded, ok = parseExcluded(excluded.content); !ok {
		return nil, gapf(evidence.Error, "%s shows no table of TCP ports; it begins with: %s", excluded.name, clip(firstLine(excluded.content)))
	}
	if table.Dynamic["tcp"].Count == 0 {
		return nil, gapf(evidence.Error, "%s shows no range of TCP ports; it begins with: %s", dynamic.name, clip(firstLine(dynamic.content)))
	}
	return table, ""
}

// parseExcluded reads netsh's tables, TCP and UDP. Only the digits, the protocol's
// name and the ruler of the table are the same in all languages; ok tells that a
// table for TCP was there, if only an empty one.
func parseExcluded(s string) (list []excludedPorts, ok bool) {
	list = []excludedPorts{}
	protocol := ""
	for line := range strings.Lines(s) {
		switch m := excludedRow.FindStringSubmatch(line); {
		case m != nil && protocol != "":
			if e := (excludedPorts{protocol, number(m[1]), number(m[2])}); e.Start <= e.End && e.End <= 65535 && len(list) < maxRanges {
				list = append(list, e)
			}
		case dashes.MatchString(line):
			ok = ok || protocol == "tcp"
		default:
			if word := protocolWord.FindString(line); word != "" {
				protocol = strings.ToLower(word)
			}
		}
	}
	return list, ok
}

// parseDynamic reads start and number of ports, in this order.
func parseDynamic(s string) map[string]portRange {
	ranges := map[string]portRange{}
	protocol, start := "", -1
	for line := range strings.Lines(s) {
		m := dynamicRow.FindStringSubmatch(strings.TrimRight(line, "\n"))
		switch word := protocolWord.FindString(line); {
		case m == nil && word != "":
			protocol, start = strings.ToLower(word), -1
		case m == nil || protocol == "":
		case start < 0:
			start = number(m[1])
		default:
			if n := number(m[1]); start <= 65535 && n > 0 && n <= 65536 {
				ranges[protocol] = portRange{start, n}
			}
			protocol = ""
		}
	}
	return ranges
}
