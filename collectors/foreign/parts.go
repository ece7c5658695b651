package foreign

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
)

// A part is a piece of a text that shows one thing: the output of a command, an object, some
// lines of a log.
type part struct {
	kind partKind
	text string
	// of a log: whose it is; of an output: the command in front of it, where there was one
	about string
}

// A partKind is what a part shows. Most are the output of one command.
type partKind string

const (
	partLog        partKind = "log"
	partJSON       partKind = "json"
	partYAML       partKind = "yaml"
	partDescribe   partKind = "kubectl describe"
	partEvents     partKind = "kubectl get events"
	partNodes      partKind = "kubectl get nodes"
	partPods       partKind = "kubectl get pods"
	partHNSDiag    partKind = "hnsdiag list"
	partIPConfig   partKind = "ipconfig"
	partAddresses  partKind = "Get-NetIPAddress"
	partRoutes     partKind = "route print"
	partGetService partKind = "Get-Service"
	partSC         partKind = "sc query"
	partList       partKind = "Format-List"
	partSystem     partKind = "systeminfo"
	partOSVersion  partKind = "OSVersion"
	partHotfixes   partKind = "Get-HotFix"
	partAdapters   partKind = "Get-NetAdapter"
	partProcesses  partKind = "Get-Process"
	partCrictlPods partKind = "crictl pods"
	partCrictlPS   partKind = "crictl ps"
	partImages     partKind = "crictl images"
	partCtrImages  partKind = "ctr images"
	partExcluded   partKind = "netsh excludedportrange"
	partDynamic    partKind = "netsh dynamicport"
	partOther      partKind = ""
)

// starters tell by its first line where a part of each kind begins, in the order in which they
// are asked. All of them begin at the start of a line.
var starters = []struct {
	kind  partKind
	start *regexp.Regexp
}{
	{partEvents, regexp.MustCompile(`^(NAMESPACE +)?LAST SEEN +.*\bREASON\b.*\bMESSAGE`)},
	{partNodes, regexp.MustCompile(`^NAME +STATUS +ROLES +AGE +VERSION`)},
	{partPods, regexp.MustCompile(`^(NAMESPACE +)?NAME +READY +STATUS +RESTARTS +AGE`)},
	{partCrictlPods, regexp.MustCompile(`^POD ID +CREATED +STATE +NAME`)},
	{partCrictlPS, regexp.MustCompile(`^CONTAINER +IMAGE +CREATED +STATE`)},
	{partImages, regexp.MustCompile(`^IMAGE +TAG +IMAGE ID`)},
	{partCtrImages, regexp.MustCompile(`^REF +TYPE +DIGEST`)},
	{partHNSDiag, regexp.MustCompile(
		`(?i)^(Networks|Endpoints|Namespaces|Load ?Balancers) *:\s*$|^(Network|Endpoint|Load ?Balancer) *: *[0-9a-f]{8}-[0-9a-f]{4}-`)},
	{partRoutes, regexp.MustCompile(
		`^IPv4 Route Table|^Active Routes:|^Network Destination +Netmask|^ifIndex +DestinationPrefix`)},
	{partAdapters, regexp.MustCompile(`^Name +InterfaceDescription +ifIndex +Status`)},
	{partGetService, regexp.MustCompile(`^Status +Name +DisplayName`)},
	{partSC, regexp.MustCompile(`^SERVICE_NAME *: *\S`)},
	{partOSVersion, regexp.MustCompile(`^Platform +ServicePack +Version`)},
	{partHotfixes, regexp.MustCompile(`^Source +Description +HotFixID`)},
	{partProcesses, regexp.MustCompile(`^ *Handles +NPM\(K\)|^ *NPM\(K\) +PM\([KM]\)`)},
	{partExcluded, regexp.MustCompile(`^Protocol (tcp|udp) Port Exclusion Ranges`)},
	{partDynamic, regexp.MustCompile(`^Protocol (tcp|udp) Dynamic Port Range`)},
	{partSystem, regexp.MustCompile(`^Host Name: +\S`)},
	{partIPConfig, regexp.MustCompile(
		`^Windows IP Configuration|^Windows-IP-Konfiguration|^Windows IP 配置|^(\S.*(?: adapter |-Adapter |适配器 |アダプター )|Carte ).*[:：]\s*$`)},
	{partAddresses, netIPAddressStart},
	{partDescribe, regexp.MustCompile(`^Name: {2,}\S`)},
	{partList, regexp.MustCompile(`^(Name|ActivityId|ID|Id) +: \S`)},
	{partYAML, regexp.MustCompile(`^(- )?apiVersion: *\S|^kind: *[A-Z]\w+\s*$|^items:\s*$`)},
}

var (
	fence = regexp.MustCompile("^\\s*(```|~~~)[\\w-]*\\s*$")
	// A shell's prompt with the command behind it.
	prompt = regexp.MustCompile(
		`^(?:PS [A-Za-z]:\\[^>]*> ?|[A-Za-z]:\\[^>|]*>|(?:\[?[\w.-]+@[\w.-]+[^#$>]*)[#$] |[$#] )(.*)$`)
	htmlLine = regexp.MustCompile(`(?i)^\s*</?(details|summary|pre|code|p|br)\b[^>]*>`)
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
	text = unquote(text)
	t := &taking{fenced: fenceIn(text)}
	attempts := 0
	for at := 0; at < len(text) && len(t.parts) < maxParts; {
		line := text[at:nextLine(text, at)]
		if t.kind != partYAML && attempts < maxAttempts && startsDocument(text[at:]) &&
			!zapLine.MatchString(line) {
			end, ok := documentEnd(text[at:])
			if !ok {
				attempts++
			} else {
				t.close()
				t.parts = append(t.parts, part{kind: partJSON, text: text[at : at+end],
					about: t.command})
				at += end
				continue
			}
		}
		t.take(line)
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
	command string // of the last prompt
	fenced  bool   // the text has fences, so what stands outside of them is prose
	inside  bool   // of a fence
	pod     string // of the container whose log goes on until an END
}

func (t *taking) close() {
	if strings.TrimSpace(t.text.String()) != "" &&
		(t.kind != partOther || t.inside || !t.fenced) {
		t.parts = append(t.parts, part{kind: t.kind, text: t.text.String(), about: t.about})
	}
	t.text.Reset()
	t.kind, t.about = partOther, ""
}

func (t *taking) open(kind partKind, about string) {
	t.close()
	t.kind, t.about = kind, about
}

func (t *taking) take(line string) {
	bare := strings.TrimRight(line, " \t\n")
	if m := containerLog.FindStringSubmatch(bare); m != nil {
		t.close()
		if t.pod = ""; m[1] == "START" {
			t.pod = m[3] + "/" + m[4] + "/" + m[2]
			t.open(partLog, containerComponent(m[4]))
		}
		return
	}
	switch {
	case t.pod != "":
		t.text.WriteString(line)
		return
	case fence.MatchString(bare):
		t.close()
		t.inside, t.command = !t.inside, ""
		return
	case htmlLine.MatchString(bare):
		t.close()
		return
	}
	if m := prompt.FindStringSubmatch(bare); m != nil && !isLogLine(bare) {
		t.close()
		t.command = m[1]
		return
	}
	kind, about := t.startOf(bare)
	switch {
	case kind == partLog && t.kind == partLog && t.about == "":
		t.about = about // the first line that shows whose log it is
	case kind != partOther && (kind != t.kind || about != t.about) && !t.goesOn(kind, bare):
		t.open(kind, about)
	case !t.belongs(bare):
		t.close()
	}
	t.text.WriteString(line)
}

// startOf is the kind of the part that a line begins.
func (t *taking) startOf(line string) (partKind, string) {
	if isLogLine(line) {
		about := componentOfLine(line)
		if about == "" && t.kind == partLog {
			about = t.about // a line that any component could have written
		}
		return partLog, about
	}
	for _, s := range starters {
		if s.start.MatchString(line) {
			return s.kind, ""
		}
	}
	return partOther, ""
}

// goesOn tells that a line which could begin a part belongs to the one that it stands in.
func (t *taking) goesOn(kind partKind, line string) bool {
	switch t.kind {
	case partYAML:
		return kind == partLog && line[0] == ' '
	case partList:
		return kind == partAddresses
	case partSystem, partHNSDiag:
		return kind == partList || kind == partDescribe
	case partRoutes, partIPConfig:
		return kind == t.kind
	}
	return false
}

// belongs tells whether a line that begins nothing can be a further line of the part.
func (t *taking) belongs(line string) bool {
	switch {
	case line == "":
		return true
	case t.kind == partYAML:
		return yamlLine.MatchString(line)
	case t.kind == partDescribe:
		return describeLine.MatchString(line)
	}
	return true
}

func fenceIn(text string) bool {
	for line := range strings.Lines(text) {
		if fence.MatchString(strings.TrimRight(line, "\n")) {
			return true
		}
	}
	return false
}

var quoted = regexp.MustCompile(`(?m)^> ?`)

// unquote takes away the marks of a quote where all of a text is one.
func unquote(text string) string {
	lines, marked := 0, 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		lines++
		if strings.HasPrefix(line, ">") {
			marked++
		}
	}
	if lines > 0 && marked*10 >= lines*8 {
		return quoted.ReplaceAllString(text, "")
	}
	return text
}

// documentEnd is where the JSON document that s begins with ends. One that breaks off goes on to
// the end of the text, or to the fence that closes it.
func documentEnd(s string) (int, bool) {
	var document json.RawMessage
	d := json.NewDecoder(strings.NewReader(s))
	switch err := d.Decode(&document); {
	case err == nil:
		return int(d.InputOffset()), true
	case errors.Is(err, io.ErrUnexpectedEOF):
		return len(s), true
	}
	end, lines := 0, 0
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
