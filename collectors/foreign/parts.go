package foreign

import (
	"encoding/json"
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
	fence          = regexp.MustCompile("(?m)^\\s*(```|~~~)[\\w-]*\\s*$")
	changesService = regexp.MustCompile(`(?i)^(?:\S*\\)?sc(?:\.exe)? +(?:\\\\\S+ +)?(?:start|stop|pause|continue) `)
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

// setApart is what prose sets apart: in bold, or between quotation marks.
var setApart = regexp.MustCompile(`\*\*[^*\n]+\*\*|"[^"\n]+"|“[^”\n]+”`)

// longestName is how long what is set apart is at most if it is a name.
const longestName = 20

// quotedError tells that prose quotes an error: between the backticks of Markdown, in bold or between quotation marks,
// or in words that only programs write.
func quotedError(prose string) bool {
	return machineWords.MatchString(prose) ||
		strings.Contains(prose, "`") && errorWords.MatchString(prose) ||
		slices.ContainsFunc(setApart.FindAllString(prose, -1), func(text string) bool {
			return len(text) > longestName && errorWords.MatchString(text)
		})
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
	// a block of Markdown, whose tables look like those of any program before
	if (kind == partOther || kind == partGrid) && t.kind == partOther && indent != "" && !container {
		switch k, command := t.startOf(bare[len(indent):], dedented(rest, indent)); k {
		case partYAML, partDescribe, partLog, partEventRows: // within something else
		default:
			kind, about = k, command
		}
	}
	switch {
	case kind == partLog && t.kind == partLog && t.about == "":
		t.about = about // the first line that shows whose log it is
	case kind != partOther && (kind != t.kind || about != t.about || kind == partGrid) && !t.goesOn(kind, bare):
		if kind == partKeyed || (kind == partList || kind == partTable) && createsService.MatchString(t.above) {
			about = t.above
		}
		t.open(kind, about)
		if kind == partDescribe && !describedName.MatchString(bare) {
			t.text.WriteString(unnamedHead(bare))
		}
		if kind == partIPConfig && ipconfigField.MatchString(bare) {
			t.text.WriteString(notShown + " adapter " + notShown + ":\n")
			return " " + line
		}
		if kind != partLog && !strings.HasPrefix(bare, indent+" ") && indent != "" &&
			!kind.is(ownIndent) {
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
	if isEventRow(line) {
		return partEventRows, ""
	}
	if isLogLine(line) && !(t.kind == partTable && stringsLine.MatchString(line)) { // which is a row of it
		about := componentOfLine(line)
		if about == "" && t.kind == partLog {
			about = t.about // a line that any component could have written
		}
		return partLog, about
	}
	for _, f := range partForms {
		if f.start != nil && f.start.MatchString(line) {
			return f.kind, t.aboutIn(f.kind)
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
