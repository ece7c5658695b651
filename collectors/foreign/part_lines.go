package foreign

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

var (
	// A shell's prompt with the command behind it.
	prompt = regexp.MustCompile(
		`^(?:(?:\[[\w.-]+\]: )?(?:PS ?(?:[A-Za-z]:[^>]*)?|\wPS [A-Za-z]:\\[^>]*)> ?|[A-Za-z]:\\[^>|]*>|(?:\[?[\w.-]+@[\w.-]+[^#$>]*)[#$](?: |$)|\$(?: |$)|# |> ?(?:[a-z][\w-]*(?: |$)))(.*)$`)
	// The first word behind `kubectl logs` that can be the name of a pod.
	kubectlLogs = regexp.MustCompile(
		`^(?:kubectl|oc|k)(?:\.exe)? (?:.* )?logs (?:-{1,2}\S+(?: [a-z0-9-]*system| kube-flannel)? )*(?:\w+/)?([a-z0-9][a-z0-9.-]{4,})`)
	// A command in a line of its own, which somebody put above its output without the prompt.
	bareCommand = regexp.MustCompile("^ ?`?(?:> ?)?((?:kubectl|oc|crictl|ctr|nerdctl|docker|hcsdiag|" +
		"hnsdiag|shimdiag|vfpctrl|netsh|wmic|tasklist|sc|route|ipconfig|systeminfo|Get-[A-Z]\\w+)" +
		"(?:\\.exe)?(?: (?:[^\\s|<>:]\\S*|\\| \\S+))*)`?:?$")
	// Commands whose outputs are of a container and not of the node.
	inContainer = regexp.MustCompile(
		`^(?:kubectl|oc|k|docker|nerdctl|crictl|ctr)(?:\.exe)? (?:.* )?(?:exec|run) `)
	// Commands that open a shell in a container: what is typed at its prompts runs there.
	opensShell = regexp.MustCompile(`^(?:kubectl|oc|k|docker|nerdctl|crictl|ctr)(?:\.exe)? (?:.* )?` +
		`(?:exec (?:.* )?|run (?:.* )?(?:-(?:it|ti)|--interactive|-[it]) (?:.* )?)` +
		`(?:powershell|pwsh|cmd|bash|sh)(?:\.exe)?$`)
	// A command behind which nothing waits for a restart any more.
	restarts = regexp.MustCompile(`(?i)^(?:Restart-Computer\b|shutdown(?:\.exe)? .*[/-]r\b)`)
)

// takePrompt keeps the command of a prompt, whose output follows.
func (t *taking) takePrompt(bare, rest string) bool {
	m := prompt.FindStringSubmatch(bare)
	if m == nil && t.kind != partYAML && t.kind != partConfig {
		if m = bareCommand.FindStringSubmatch(bare); m != nil && !t.answered(rest) {
			m = nil
		}
		if opensShell.MatchString(bare) {
			m = []string{bare, bare}
		}
	}
	if m == nil || isLogLine(bare) {
		return false
	}
	t.close()
	t.command, t.wanted, t.above = strings.TrimSpace(m[1]), "", ""
	t.enter(strings.TrimSuffix(bare, m[1]))
	if restarts.MatchString(t.command) { // what needed it has it
		t.parts = slices.DeleteFunc(t.parts, func(p part) bool { return p.kind == partRestart })
	}
	if m := nssmGet.FindStringSubmatch(t.command); m != nil { // it answers with the value alone
		t.open(partNSSM, t.command)
		t.text.WriteString("nssm set " + m[1] + " ")
	}
	if hostname.MatchString(t.command) || inContainer.MatchString(t.command) {
		t.open(partOther, t.command)
	}
	if m := kubectlLogs.FindStringSubmatch(t.command); m != nil {
		if t.wanted = containerComponent(m[1]); t.wanted == "pods" {
			t.wanted = cmp.Or(logComponent(m[1], ""), "other")
		}
	}
	return true
}

// takeWanted takes what `kubectl logs` prints.
func (t *taking) takeWanted(line string) bool {
	if t.wanted == "" {
		return false
	}
	if t.kind != partLog || t.about != t.wanted {
		t.open(partLog, t.wanted)
	}
	t.text.WriteString(line)
	return true
}

// enter keeps in which container the commands of the next prompts run. "exit" ends its shell, and so
// does the prompt at which it was opened, where that looks different from those of the container. Where
// it does not, nobody knows where a command runs: not in a pod, and not on the node.
func (t *taking) enter(prompt string) {
	switch {
	case opensShell.MatchString(t.command):
		t.shell, t.outside, t.differs = t.command, prompt, false
	case t.shell == "":
	case t.command == "exit", t.differs && prompt == t.outside:
		t.shell = ""
	case prompt == t.outside && t.command != "":
		t.command = "docker exec " + t.command
	case prompt != t.outside:
		t.differs = true
		if t.command != "" {
			t.command = t.shell + " " + t.command
		}
	}
}

// answered tells that the output of a command begins in the next line that is not empty.
func (t *taking) answered(rest string) bool {
	rest = strings.TrimLeft(rest, "\n")
	at := nextLine(rest, 0)
	line := strings.TrimRight(rest[:at], " \t\n")
	kind, _ := (&taking{}).startOf(line, rest[at:])
	return kind != partOther && kind != partLog || startsDocument(rest) || fence.MatchString(line)
}

// What belongs to a part that is open, and what ends it.

// goesOn tells that a line which could begin a part belongs to the one that it stands in.
func (t *taking) goesOn(kind partKind, line string) bool {
	if kind == partRows || kind == partGrid {
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
