package foreign

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
)

// A part is a piece of a text that shows one thing: the output of a command, an object, some
// lines of a log.
type part struct {
	kind partKind
	text string
	line int // of the whole text, at which it begins
	// of JSON that breaks off: what is whole of it
	closed string
	// of a log: whose it is; of an output: the command in front of it, where there was one
	about string
}

var (
	fence     = regexp.MustCompile("(?m)^\\s*(```|~~~)[\\w-]*\\s*$")
	jsonToken = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"?|[{}\[\],]`)
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
	changesService = regexp.MustCompile(`(?i)^(?:\S*\\)?sc(?:\.exe)? +(?:\\\\\S+ +)?(?:start|stop|pause|continue) `)
	restarts       = regexp.MustCompile(`(?i)^(?:Restart-Computer\b|shutdown(?:\.exe)? .*[/-]r\b)`)
	// Headings between outputs, as in reports and answers.
	markdownHead = regexp.MustCompile(`^#{2,6} \S|^\*\*[^*]+\*\*:?$|^={3,} \S.*\S ={3,}$`)
	htmlLine     = regexp.MustCompile(`(?i)^\s*</?(details|summary|pre|code|p|br)\b[^>]*>`)
	// What `kubectl cluster-info dump` writes around the log of a container.
	containerLog = regexp.MustCompile(
		`^==== (START|END) logs for container (\S+) of pod ([^/\s]+)/(\S+) ====\s*$`)
	// What stands at column 0 of YAML and of `kubectl describe`; anything else ends them.
	yamlLine     = regexp.MustCompile(`^(\s|#|- |---|[\w./-]+:(\s|$))`)
	describeLine = regexp.MustCompile(`^(\s|[A-Z][\w ./()-]*:)`)
)

// maxParts bounds what one text is taken apart into.
const maxParts = 5_000

// takeApart finds in a text what people put into one: outputs and logs one after the other, with
// the fences of Markdown, quotes and shell prompts around them.
func takeApart(text string) []part {
	text = peel(text)
	t := &taking{fenced: fence.MatchString(text)}
	attempts := 0
	for at := 0; at < len(text) && len(t.parts) < maxParts; {
		line := text[at:nextLine(text, at)]
		if _, rows, end := csvRows(text[at:]); len(rows) > 0 {
			t.close()
			t.parts = append(t.parts, part{kind: partCSV, text: text[at : at+end], line: t.line + 1, about: t.command})
			t.line += strings.Count(text[at:at+end], "\n")
			at += end
			continue
		}
		if t.kind != partYAML && attempts < maxAttempts && startsDocument(text[at:]) &&
			!zapLine.MatchString(line) {
			end, ok := documentEnd(text[at:])
			if !ok {
				attempts++
			} else {
				t.close()
				found := part{kind: partJSON, text: text[at : at+end], line: t.line + 1, about: t.command}
				if !json.Valid([]byte(found.text)) {
					found.closed = closedJSON(found.text)
				}
				t.parts = append(t.parts, found)
				t.line += strings.Count(text[at:at+end], "\n")
				at += end
				continue
			}
		}
		t.line++
		t.take(line, text[at+len(line):])
		if t.text.Len() > 0 && t.first == 0 {
			t.first = t.line
		}
		at += len(line)
	}
	t.close()
	return t.parts
}

type taking struct {
	parts   []part
	kind    partKind
	about   string
	text    strings.Builder
	line    int    // that is looked at, from 1
	first   int    // line of the part
	command string // of the last prompt
	shell   string // the command that opened the shell of a container
	outside string // the prompt at which it was typed
	differs bool   // the prompts of the container do not look like that
	fenced  bool   // the text has fences, so what stands outside of them is prose
	inside  bool   // of a fence
	pod     string // of the container whose log goes on until an END
	indent  string // of the first line of the part
	lines   int    // of the part
	gap     bool   // the last line was empty
	above   string // the last line that was not empty
	tried   int    // lines that were looked at as the first of a file of settings
	wanted  string // the component of `kubectl logs`, whose log goes on until the next prompt
}

func (t *taking) close() {
	if strings.TrimSpace(t.text.String()) != "" &&
		(t.kind != partOther || t.inside || !t.fenced || quotedError(t.text.String())) {
		t.parts = append(t.parts, part{kind: t.kind, text: t.text.String(), line: t.first, about: t.about})
	}
	t.text.Reset()
	t.first = 0
	t.kind, t.about, t.indent, t.lines = partOther, "", "", 0
}

// machineWords are what only programs write, so that prose with them quotes one.
var machineWords = regexp.MustCompile(`rpc error: code = |NetworkReady=false reason:|` +
	`\bhnsCall failed|\bhcn\w+ failed|\bhcsshim::|\bhcs::\w+::`)

// quotedError tells that prose quotes an error: between the backticks of Markdown, or in words
// that only programs write.
func quotedError(prose string) bool {
	return machineWords.MatchString(prose) ||
		strings.Contains(prose, "`") && errorWords.MatchString(prose)
}

func (t *taking) open(kind partKind, about string) {
	t.close()
	t.kind, t.about = kind, about
}

func (t *taking) take(line, rest string) {
	bare := strings.TrimRight(line, " \t\n")
	if t.takeContainerLog(line, bare) || t.takeFrame(bare) || t.takePrompt(bare, rest) ||
		t.takeWanted(line) {
		return
	}
	if t.indent != "" && strings.HasPrefix(line, t.indent) {
		line, bare = line[len(t.indent):], strings.TrimPrefix(bare, t.indent)
	}
	t.text.WriteString(t.begin(line, bare, rest))
	if t.gap = bare == ""; !t.gap {
		t.lines, t.above = t.lines+1, bare
	}
}

// takeContainerLog takes the logs of `kubectl cluster-info dump`, each between its START and its END.
func (t *taking) takeContainerLog(line, bare string) bool {
	if m := containerLog.FindStringSubmatch(bare); m != nil {
		t.close()
		if t.pod = ""; m[1] == "START" {
			t.pod = m[3] + "/" + m[4] + "/" + m[2]
			t.open(partLog, containerComponent(m[4]))
		}
		return true
	}
	if t.pod != "" {
		t.text.WriteString(line)
	}
	return t.pod != ""
}

// takeFrame passes what Markdown and HTML put around outputs.
func (t *taking) takeFrame(bare string) bool {
	fenced := fence.MatchString(bare)
	if !fenced && !htmlLine.MatchString(bare) && (!markdownHead.MatchString(bare) || t.kind == partYAML ||
		errorWords.MatchString(bare) || psRuler.MatchString(bare)) {
		return false
	}
	t.close()
	t.command, t.shell = "", ""
	if fenced {
		t.inside, t.wanted = !t.inside, ""
	}
	return true
}

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
	if hostname.MatchString(t.command) {
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

// begin opens the part that a line begins, if it begins one, and returns the line as that part has it.
func (t *taking) begin(line, bare, rest string) string {
	kind, about := t.startOf(bare, rest)
	switch {
	case kind == partSC && changesService.MatchString(t.command):
		kind = partOther // the state of the moment in which it was asked to change
	case kind == partRestart && t.command == "":
		kind = partOther // a script that restarts the machine itself
	}
	container := inContainer.MatchString(t.command)
	if kind != partLog && kind != partLookup && container {
		kind = partOther
	}
	indent := indented.FindString(bare)
	if kind == partOther && t.kind == partOther && indent != "" && !container {
		if kind, about = t.startOf(bare[len(indent):], dedented(rest, indent)); kind == partYAML ||
			kind == partDescribe || kind == partLog || kind == partEventRows {
			kind = partOther // within something else
		}
	}
	switch {
	case kind == partLog && t.kind == partLog && t.about == "":
		t.about = about // the first line that shows whose log it is
	case kind != partOther && (kind != t.kind || about != t.about) && !t.goesOn(kind, bare):
		if kind == partKeyed || (kind == partList || kind == partTable) && createsService.MatchString(t.above) {
			about = t.above
		}
		t.open(kind, about)
		if kind == partDescribe && !describedName.MatchString(bare) {
			t.text.WriteString(unnamedHead(bare))
		}
		if kind != partLog && !strings.HasPrefix(bare, indent+" ") && indent != "" &&
			!ownIndent[kind] {
			t.indent = indent
			return strings.TrimPrefix(line, indent)
		}
	case !t.belongs(bare), kind == partOther && t.kind != partLog && psErrorBegins(bare, rest):
		t.close()
	}
	return line
}

// psErrorBegins tells that PowerShell prints an error of its own between the outputs of a script.
func psErrorBegins(line, rest string) bool {
	return strings.Contains(line, " : ") && indented.FindString(line) == "" &&
		slices.ContainsFunc(aboveAll(rest, nearLines), func(below string) bool {
			return strings.HasPrefix(strings.TrimSpace(below), "+ CategoryInfo")
		})
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

// ownIndent are the outputs whose first line is indented by the program itself.
var ownIndent = map[partKind]bool{partNetstat: true, partRoutes: true,
	partNetsh: true, partVFP: true, partTable: true, partDocker: true, partDescribe: true,
	partPktmon: true, partFolder: true, partServers: true}

// nearLines are the lines below one that may show what it begins.
const nearLines = 8

// dedented is the next lines of a text without an indent that they all have.
func dedented(rest, indent string) string {
	lines := aboveAll(rest, nearLines)
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], indent)
	}
	return strings.Join(lines, "\n")
}

// startOf is the kind of the part that a line begins; rest is the text below it.
func (t *taking) startOf(line, rest string) (partKind, string) {
	if isLogLine(line) {
		about := componentOfLine(line)
		if about == "" && t.kind == partLog {
			about = t.about // a line that any component could have written
		}
		return partLog, about
	}
	if isEventRow(line) {
		return partEventRows, ""
	}
	for _, s := range starters {
		if s.start.MatchString(line) {
			return s.kind, t.aboutIn(s.kind)
		}
	}
	switch {
	case systeminfoBegins(line, rest):
		return partSystem, t.aboutIn(partSystem)
	case hcsBegins(line, rest):
		return partHCSDiag, t.aboutIn(partHCSDiag)
	case describeBegins(line, rest):
		return partDescribe, t.aboutIn(partDescribe)
	case netshPorts.MatchString(line) && netshBegins(rest) != partOther:
		return netshBegins(rest), t.aboutIn(netshBegins(rest))
	case providerLine.MatchString(line), tableBegins(line, rest):
		return partTable, t.aboutIn(partTable)
	case listBegins(line, rest):
		return partList, t.aboutIn(partList)
	case t.kind == partOther && t.mayConfigure(line) && configBegins(line, rest):
		return partConfig, t.aboutIn(partConfig)
	}
	return partOther, ""
}

// mayConfigure tells that a line is worth a look at what is below it.
func (t *taking) mayConfigure(line string) bool {
	if t.lines > 0 && !t.gap || t.tried == maxAttempts || !settingLine.MatchString(line) {
		return false
	}
	t.tried++
	return true
}

// aboutIn is the command of a part: that of the one that is open where it is of the same kind.
func (t *taking) aboutIn(kind partKind) string {
	if kind == t.kind {
		return t.about
	}
	return t.command
}

// The head of netsh's tables of ports, in any language: the protocol, and below it a rule of two
// columns where ranges follow.
var (
	netshPorts = regexp.MustCompile(`(?i)^[\p{L} ]*\b(?:tcp|udp)\b[^:]*$`)
	netshRule  = regexp.MustCompile(`(?m)^-{10,}( +-{6,})?[ \t]*$`)
	nssmGet    = regexp.MustCompile(`(?i)^(?:\S*\\)?nssm(?:\.exe)? get (\S+ \w+)$`)
)

func netshBegins(rest string) partKind {
	near := rest[:min(len(rest), mostWrapped/8)]
	switch m := netshRule.FindStringSubmatchIndex(near); {
	case m == nil || strings.Count(near[:m[0]], "\n") > 3:
		return partOther
	case m[2] >= 0:
		return partExcluded
	}
	return partDynamic
}

// documentEnd is where the JSON document that s begins with ends. One that breaks off goes on to
// the end of the text, or to the fence that closes it.
func documentEnd(s string) (end int, ok bool) {
	var document json.RawMessage
	d := json.NewDecoder(strings.NewReader(s))
	switch err := d.Decode(&document); {
	case err == nil:
		return int(d.InputOffset()), true
	case errors.Is(err, io.ErrUnexpectedEOF):
		return len(s), true
	}
	lines := 0
	for line := range strings.Lines(s) {
		bare := strings.TrimRight(line, " \t\n")
		if fence.MatchString(bare) || prompt.MatchString(bare) {
			break
		}
		end += len(line)
		lines++
	}
	return end, lines >= 3 && end < len(s) && strings.Contains(s[:end], `": `)
}

// closedJSON is what is whole of a document that breaks off, with the brackets that it lacks, and "" where
// that is no JSON. A value that the end cuts is left out; of a sentence its beginning says enough.
func closedJSON(s string) string {
	whole, rest := "", ""
	var open []byte // the brackets that close what is open, the outermost first
	for _, at := range jsonToken.FindAllStringIndex(s, maxCommas) {
		switch token := s[at[0]:at[1]]; {
		case token == "{" || token == "[":
			open = append(open, token[0]+2)
			whole, rest = s[:at[1]], ""
		case token == "}" || token == "]":
			open = open[:max(0, len(open)-1)]
			whole, rest = s[:at[1]], ""
		case token == ",":
			whole, rest = s[:at[0]], ""
		case at[1] >= len(s)-1 && !strings.HasSuffix(token, `"`) && strings.Contains(token, " ") &&
			strings.HasSuffix(strings.TrimRight(s[:at[0]], " \t\n"), ":"):
			whole, rest = strings.TrimRight(s, "\\ \n"), `…"`
		}
	}
	slices.Reverse(open)
	if whole += rest + string(open); !json.Valid([]byte(whole)) {
		return ""
	}
	return whole
}
