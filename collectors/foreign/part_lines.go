package foreign

import (
	"regexp"
	"strings"
)

// What belongs to a part that is open, and what ends it.

// goesOn tells that a line which could begin a part belongs to the one that it stands in.
func (t *taking) goesOn(kind partKind, line string) bool {
	if kind == partRows {
		return t.kind != partOther && !t.gap
	}
	switch t.kind {
	case partYAML, partConfig:
		return (kind == partLog || kind == partEventRows || kind == partTable) && line[0] == ' ' ||
			kind == partConfig
	case partDescribe:
		return kind == partEventRows || kind == partHNSDiag || kind == partTable && line[0] == ' '
	case partEvents:
		return kind == partEventRows
	case partSystem, partHNSDiag, partHCSDiag:
		return kind == partList || kind == partDescribe || kind == partSystem
	case partDocker, partLookup:
		return kind == partDescribe
	case partTable:
		return kind == partTable && !t.gap && !providerLine.MatchString(line)
	case partRoutes, partIPConfig:
		return kind == t.kind || kind == partTable
	}
	return kind == partTable && t.kind.is(hasTables)
}

// leastTable is what a table has without any row: heads and their rules.
const leastTable = 2

// belongs tells whether a line that begins nothing can be a further line of the part.
func (t *taking) belongs(line string) bool {
	switch {
	case line == "":
		return true
	case !t.kind.is(quotesErrors) && machineWords.MatchString(line):
		return false // an error below an output, without the command that it answers
	case formOf[t.kind].line != nil:
		return formOf[t.kind].line.MatchString(line)
	case t.kind == partTable, t.kind == partFolder:
		return (!t.gap || t.lines <= leastTable) && !isSentence(line)
	case t.kind.is(endsAtGap):
		return !t.gap && !isSentence(line)
	case t.kind == partList:
		return line[0] == ' ' || psListLine.MatchString(line)
	}
	return true
}

// isSentence tells of a line below a table that is no row of it: many words, no number in front and no columns.
func isSentence(line string) bool {
	const leastWords = 7
	line = strings.TrimSpace(line)
	return line != "" && (line[0] < '0' || line[0] > '9') && !strings.Contains(line, "  ") && !strings.Contains(line, "\t") && strings.Count(line, " ") >= leastWords-1
}

// tomlLine is a line of a file of settings: a setting, a table, a comment, or a value that goes on.
var tomlLine = regexp.MustCompile(`^(?:\s|[\]}"'#\[]|[\w".-]+ *=)`)
