package unexplained

import (
	"bytes"
	"regexp"
	"strings"

	"doctor/checks/evidence"
)

// A record is an error of PowerShell as it is printed: of it the message is what says something.
type record struct {
	message string
	level   string
	line    int // of the message, from the line that tells of the record
	rows    int // lines below that one that belong to the record
	size    int // bytes of those
}

var (
	// Lines of an error below its message: where it happened, and what kind it is.
	detail   = regexp.MustCompile(`(?:^|[\s"])\+ (CategoryInfo|FullyQualifiedErrorId) +:`)
	position = regexp.MustCompile(`:\d+ \S+ ?[:：] ?\d+"?$|:\d+ \S+:\d+"?$`)
	// An error in one line, its lines apart by \n in two characters; and what is unknown, where nothing else is left.
	inOne     = regexp.MustCompile(`:\d+ \S+ ?[:：] ?\d+\s*(?:\\+r)?\\+n.*\bCategoryInfo +:|\\n\s*\+\s*CategoryInfo +:`)
	unknown   = regexp.MustCompile(`is not recognized as (?:the|a) name of a cmdlet`)
	errorHead = regexp.MustCompile(`^(?:time=.*msg=")?(?:[\w.:\\/-]+ : \S|Program '[^']+' failed to run: )`)
	// What the runtime writes before each line of a container.
	ofContainer = regexp.MustCompile(`^\d{4}-\S+ std(?:out|err) [FP] +`)
	// The rows of an error of PowerShell 7 below "Line |": the line of the script, a mark, the message.
	row  = regexp.MustCompile(`^ *[0-9]* +\| ?(.*)$`)
	mark = regexp.MustCompile(`^[\s~]*~[\s~]*$`)
)

// recordAt is the error of PowerShell that a line tells of, or false for none. above and below are the
// text around the line.
func recordAt(line string, above, below []byte) (record, bool) {
	if at := inOne.FindStringIndex(line); at != nil {
		end := at[0]
		if head := strings.Index(line[:end], " : "); head >= 0 { // a long message is broken into lines
			if first := strings.Index(line[head:end], `\n`); first >= 0 {
				end = head + first
			}
		} else if last := strings.LastIndex(line[:end], `\n`); last >= 0 {
			end = last
		}
		return record{message: strings.TrimSpace(strings.TrimSuffix(strings.TrimRight(line[:end], " "), `\r`)), level: levelError}, true
	}
	if m := detail.FindStringSubmatch(line); m != nil {
		message, lines := messageAbove(above)
		if m[1] == "FullyQualifiedErrorId" || message == "" {
			return record{}, true
		}
		return record{message: message, level: levelError, line: -lines}, true
	}
	if line == "Line |" {
		return recordOfSeven(above, below), true
	}
	return record{message: line, level: levelError}, unknown.MatchString(line)
}

// messageAbove is the message of an error whose details stand below text, and how many lines above
// them it begins.
func messageAbove(text []byte) (message string, above int) {
	const reach = 8                               // lines between the message and its details
	text = text[max(0, len(text)-reach*maxText):] // a log may have nothing but such details
	lines := bytes.Split(bytes.TrimRight(text, "\n"), []byte("\n"))
	for i := len(lines) - 1; i > max(0, len(lines)-reach); i-- {
		// An error that quotes another has two positions, the inner one first.
		if !position.MatchString(said(lines[i])) || strings.HasPrefix(said(lines[i-1]), "+ ") {
			continue
		}
		head := i - 1
		for j := head; j >= max(0, i-4); j-- { // a long message is broken into lines
			if errorHead.MatchString(said(lines[j])) {
				head = j
				break
			}
		}
		return shown(lines[head]), len(lines) - head
	}
	return "", 0
}

// said is what a program writes in a line.
func said(line []byte) string { return ofContainer.ReplaceAllString(shown(line), "") }

// recordOfSeven is the error around "Line |". Where it is cut before its message, the line above tells
// who failed.
func recordOfSeven(above, below []byte) record {
	above = bytes.TrimRight(above, "\r\n")
	head := above[bytes.LastIndexByte(above, '\n')+1:]
	r := record{message: shown(head), level: levelError, line: -1}
	marked := false
	for rest := below; len(rest) > 0 && rest[0] == '\n'; {
		line, _, _ := bytes.Cut(rest[1:], []byte("\n"))
		m := row.FindStringSubmatch(evidence.Clean(string(line)))
		if m == nil {
			break
		}
		r.rows++
		r.size += 1 + len(line)
		rest = rest[1+len(line):]
		if text := strings.TrimSpace(m[1]); marked && text != "" {
			r.message, r.line, marked = text, r.rows, false
		} else if mark.MatchString(m[1]) {
			marked = true
		}
	}
	return r
}
