package foreign

import (
	"regexp"
	"strings"

	"doctor/checks/evidence"
)

// Get-Process ends its rows with Id, SI and ProcessName. Before them stand three
// sizes and the processor time, which is blank for processes that it may not ask.
var (
	getProcessHead = regexp.MustCompile(
		`(?m)^\s*(?:Handles\s+)?NPM\(K\)\s+PM\([KM]\)\s+WS\(([KM])\)\s+CPU\(s\)\s+Id\s+SI\s+ProcessName\s*$`)
	getProcessRow = regexp.MustCompile(
		`(?m)^\s*(\d[\d.,]*)\s+(\d[\d.,]*)\s+(\d[\d.,]*)\s+(?:(\d[\d.,]*)\s+)?(?:(\d[\d.,]*)\s+)?(\d+)\s+(\d+)\s(\S.*?)\s*$`)
)

// fewestProcesses is how many a machine has at the very least: a list of fewer was cut.
const fewestProcesses = 10

// readProcesses reads the table of Get-Process, which shows all processes but
// neither their parents nor their command lines.
func readProcesses(t textFile) ([]evidence.Process, evidence.Gap) {
	if t.gap.Kind != "" {
		return nil, t.gap
	}
	head := getProcessHead.FindStringSubmatchIndex(t.content)
	if head == nil {
		return nil, gapf(evidence.Error, "%s holds no table of Get-Process; it begins with: %s",
			t.name, clip(firstLine(t.content)))
	}
	inKilobytes := t.content[head[2]:head[3]] == "K"
	list := []evidence.Process{}
	for _, m := range getProcessRow.FindAllStringSubmatch(t.content[head[1]:], maxObjects) {
		p := evidence.Process{PID: number(m[6]), Name: m[8]}
		if inKilobytes { // Handles, NPM, PM, WS
			p.WorkingSetBytes = int64(number(m[4])) << 10
			p.PrivateBytes = int64(number(m[3])) << 10
			p.Handles = number(m[1])
		}
		list = append(list, p)
	}
	if len(list) < fewestProcesses {
		return nil, gapf(evidence.Error,
			"%s lists %d processes, too few for a machine, so one that is not in it may run",
			t.name, len(list))
	}
	return list, evidence.Gap{}
}

// addArgs gives the only process of that name its command line.
func addArgs(list []evidence.Process, name, line string) {
	at, count := -1, 0
	for i, p := range list {
		if strings.EqualFold(strings.TrimSuffix(strings.ToLower(p.Name), ".exe"), name) {
			at, count = i, count+1
		}
	}
	if count == 1 && line != "" {
		list[at].Args = evidence.SplitArgs(line)
	}
}
