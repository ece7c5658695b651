package foreign

import (
	"cmp"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"doctor/checks/evidence"
)

// A pieces is what loose files hold, sorted by what reads it.
type pieces struct {
	fsys      fs.FS
	files     []looseFile
	objects   *objects
	texts     map[partKind]string // outputs of one kind, one after the other
	hns       [4]string           // documents of each of hnsKinds
	hnsCut    [4]bool             // which of them break off
	cri       evidence.CRIState
	criFacts  []string
	created   []string              // services as they were before their first start
	shown     map[string][]psObject // that PowerShell printed, by what they are
	configs   []pieceConfig
	inspected []string // by crictl, each with its state
	outputs   int      // of PowerShell
	excerpts  []evidence.LogRecord
	logs      []pieceLines
	nodes     []string            // that commands name
	lookups   []evidence.DNSProbe // of nslookup in pods
	logged    []string            // whose lines logs of all nodes hold
	newest    time.Time
	until     time.Time       // a year after a log of klog begins, whose lines have no year
	left      int64           // bytes that may still be read
	eventRows strings.Builder // events of an export, as rows of kubectl
	inner     int             // texts within values that were taken apart
	plain     []string        // rows that no list of the layout has a place for
	plainOf   []string        // what shows them
	stated    []evidence.Statement
}

// mostOfExcerpt is below what a log has that nobody cut.
const mostOfExcerpt = 16 << 10

// pieceLines are lines of a log that stand in a file beside something else.
type pieceLines struct {
	component, file string
	text            *numbered
	all             bool // nothing else is in the file
}

// numbered are lines that keep the numbers that they have in a file: empty ones stand in place of those
// between them.
type numbered struct {
	strings.Builder
	ends int // of lines
}

// add adds lines whose first has a number.
func (n *numbered) add(line int, text string) {
	if missing := line - 1 - n.ends; missing > 0 {
		n.WriteString(strings.Repeat("\n", missing))
		n.ends += missing
	}
	n.WriteString(text)
	n.ends += strings.Count(text, "\n")
}

type reading bool

const (
	readNames reading = false // only as much as tells the nodes
	readAll   reading = true
)

func readPieces(fsys fs.FS, files []looseFile, how reading, node ...string) *pieces {
	files, host, dumped := ofK2sHost(fsys, files)
	p := &pieces{fsys: fsys, files: files, objects: newObjects(), texts: map[partKind]string{},
		shown: map[string][]psObject{}, left: maxPieceBytes, newest: dumped}
	if host != "" {
		p.nodes = []string{host}
	}
	if how == readNames {
		p.objects.only = "Node"
	} else if len(node) > 0 && node[0] != evidence.UnknownNode {
		p.objects.podsOf(node[0])
	}
	for _, f := range files {
		named := f.kind == "Node" || f.kind == "" || f.kind == "List"
		switch {
		case f.role == pieceObject && (how == readAll || named):
			p.objects.add(f.path, p.read(f.path, maxObjectFile, false))
		case f.role == pieceNodes && how == readNames:
			p.logged = append(p.logged, loggedNodes(headOf(fsys, f.path))...)
		case f.role == pieceConfigFile && how == readAll:
			p.takeConfig(f.path, p.read(f.path, maxKubeObject, true))
		case f.role == pieceLog && how == readNames:
			if m := klogHead.FindStringSubmatch(headOf(fsys, f.path)); m != nil {
				p.nodes = append(p.nodes, m[2])
			}
		case f.role == pieceEvents:
			p.nodes = append(p.nodes, eventLogHost(fsys, f.path))
		case f.role == pieceText || f.role == pieceLog && how == readAll && f.size <= maxText:
			p.readText(f, how)
		}
	}
	if how == readNames && len(p.objects.lists["Node"]) == 0 {
		p.objects.only = "" // pods name their nodes
		for _, f := range files {
			if f.role == pieceObject { // the kind that was seen first may be that of what an event is about
				p.objects.add(f.path, p.read(f.path, maxObjectFile, false))
			}
		}
	}
	return p
}

func (p *pieces) read(name string, limit int64, counted bool) string {
	content, err := readBounded(p.fsys, name, limit)
	if err != nil {
		return ""
	}
	if counted {
		if p.left -= int64(len(content)); p.left < 0 {
			return ""
		}
	}
	return unwrapped(plainLines(string(evidence.DecodeText(content))))
}

// readText takes one file apart. A log without anything else in it stays a file.
func (p *pieces) readText(f looseFile, how reading) {
	text := p.read(f.path, maxDump, true)
	parts := takeApart(text)
	p.until = time.Time{}
	if m := klogHead.FindStringSubmatch(text); m != nil {
		begun, _ := time.Parse("2006/01/02", m[1])
		p.until = begun.AddDate(1, 0, -1)
	}
	if f.role == pieceLog && slices.ContainsFunc(parts, func(found part) bool {
		return !slices.Contains([]partKind{partLog, partOther, partJSON, partGrid}, found.kind)
	}) {
		f.role = pieceText
		p.files[slices.IndexFunc(p.files, func(x looseFile) bool { return x.path == f.path })].role =
			pieceText
	}
	own, lines, unread := componentOfFile(f.path), len(p.logs), numbered{}
	before := len(p.nodes) + len(p.shown) + p.eventRows.Len()
	for _, found := range parts {
		if !found.shows() {
			unread.add(found.line, found.text)
		}
		if found.kind != partLog {
			p.take(f, found)
			continue
		}
		p.sawTime(found.text)
		p.takeLineEvents(f.path, found.text)
		if f.role == pieceText {
			component := found.about
			if component == "" || component == "pods" && own != "" {
				component = own
			}
			p.logLines(cmp.Or(programOf(found.text), component), f.path, found.line, found.text)
		}
	}
	if f.role == pieceText && how == readAll {
		p.takeStated(f.path, peel(text), parts)
	}
	plain := !slices.ContainsFunc(parts, func(found part) bool { return found.kind == partLog || found.shows() }) &&
		!slices.ContainsFunc(p.logs[lines:], func(l pieceLines) bool { return l.component != "other" })
	if f.role == pieceText && plain && before == len(p.nodes)+len(p.shown)+p.eventRows.Len() { // nothing reads it: all of it can be searched
		p.logs = p.logs[:lines]
		p.logLines(programOf(text), f.path, 1, peel(text))
		p.logs[lines].all = true
		return
	}
	if f.role == pieceText && len(p.logs) == lines && strings.ContainsFunc(unread.String(), unicode.IsLetter) {
		p.logLines(programOf(unread.String()), f.path, 1, unread.String()) // what no reader takes can be searched
	}
}

// logLines adds lines to the log of a component. They keep the numbers that they have in the file.
func (p *pieces) logLines(component, file string, line int, text string) {
	if component = cmp.Or(component, "other"); component == "other" && kubeadmOutput.MatchString(text) {
		component = "kubeadm"
	}
	at := slices.IndexFunc(p.logs, func(l pieceLines) bool {
		return l.component == component && l.file == file
	})
	if at < 0 {
		at, p.logs = len(p.logs), append(p.logs, pieceLines{component, file, &numbered{}, false})
	}
	p.logs[at].text.add(line, text)
}

var (
	klogHead  = regexp.MustCompile(`^Log file created at: (\d{4}/\d\d/\d\d) .*\nRunning on machine: ([\w-]+)\n`)
	hostname  = regexp.MustCompile(`(?i)^hostname(?:\.exe)?$`)
	hostOfRow = regexp.MustCompile(`(?m)^([\w-]+) {2,}(?:(?:Security )?Update|Hotfix) {2,}KB\d|<Computer>([\w.-]+)|^ *Computer: +([\w.-]+)`)
	brokenRow = regexp.MustCompile(`(?m)^.* (?:\S*BackOff|\S*Err(?:or|ImagePull|ImageNeverPull)|Evicted|OOMKilled|ContainerCannotRun) .*$`)
	exitedRow = regexp.MustCompile(`(?m)^.* Exited \([1-9]\d*\) .*$`)
)

// podInterface is the name of the adapter of a container, which has the container's ID in it.
var podInterface = regexp.MustCompile(`vEthernet \([0-9a-f]{64}`)

// ofPod tells the output of ipconfig in a pod: all of its adapters are those of a container. OVN names
// them by the namespace and the pod, which is the host there.
func ofPod(s string) bool {
	n := len(podInterface.FindAllString(s, maxObjects))
	if host := hostName(s); host != "" {
		n += strings.Count(s, "_"+host+")")
	}
	return n > 0 && n == strings.Count(s, "vEthernet (")
}

// podIPConfig is ipconfig in a pod, whose output is searched for the DNS servers that the pod got.
const podIPConfig = "pod-ipconfig"

var ipconfigInPod = regexp.MustCompile(`(?i)^(?:kubectl|oc|k)(?:\.exe)? (?:.* )?exec .*\bipconfig\b`)

// containerName is what a container is called that nobody gave a name: a node it is not.
var containerName = regexp.MustCompile(`^(?i:minwinpc|[0-9a-f]{12})$`)

// rowLines makes lines of a log of rows of a table. Pods whose names say Windows are read as pods.
func (p *pieces) rowLines(file string, table part, rows *regexp.Regexp) {
	for _, at := range rows.FindAllStringIndex(table.text, maxShown) {
		if row := table.text[at[0]:at[1]]; rows == exitedRow || !windowsPodName.MatchString(row) {
			p.logLines("other", file, table.line+strings.Count(table.text[:at[0]], "\n"), row+"\n")
			p.plain = append(p.plain, clip(strings.Join(strings.Fields(row), " ")))
		}
	}
}

// take files one part under what reads it.
func (p *pieces) take(f looseFile, found part) {
	switch found.kind {
	case partOther:
		if hostname.MatchString(found.about) {
			p.nodes = append(p.nodes, strings.TrimSpace(found.text))
			return
		}
		if found.about != "" { // in a container
			p.showPlain(evidence.Clip(found.about, maxQuote/2), plainRows(found.text))
		}
		if f.role == pieceText && ipconfigInPod.MatchString(found.about) {
			p.logLines(podIPConfig, f.path, found.line, found.text)
		} else if f.role == pieceText && errorWords.MatchString(found.text) {
			p.logLines(cmp.Or(programOf(found.text), "other"), f.path, found.line, found.text)
		}
		return
	case partList, partTable:
		p.takeObjects(found)
		if f.role == pieceText && !found.shows() && errorWords.MatchString(found.text) {
			p.logLines("other", f.path, found.line, found.text)
		}
		return
	case partCSV:
		p.takeCSV(f.path, found)
		return
	case partClixml:
		p.takeClixml(found)
		return
	case partKeyed:
		p.takeRecord(f.path, found.line, keyed(found.about+"\n"+found.text))
		return
	case partRows:
		p.takeRows(found.text)
		return
	case partSet:
		for line := range strings.Lines(found.text) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			p.shown[psVariables] = append(p.shown[psVariables], psObject{fields: map[string]string{"Name": name, "Value": value}})
		}
		return
	case partConfig:
		p.takeConfig(f.path, found.text)
		return
	case partYAML:
		if p.takeConfig(f.path, found.text) {
			return
		}
		p.takeYAML(f, found)
		return
	case partGrid:
		p.showPlain(cmp.Or(toolOf(found.about), string(found.kind)), plainRows(found.text))
		return
	case partJSON:
		if p.takeConfig(f.path, found.text) {
			return
		}
		if p.objects.only == "" || objectsIn("", strings.TrimSpace(found.text[:min(len(found.text),
			maxPieceHead)])) {
			p.takeJSON(f.path, found)
		}
		return
	case partDescribe:
		for _, object := range splitDescribed(found.text) {
			if sections := describeSections(object); sections["Labels"].pairs("=")["kubernetes.io/os"] == "linux" {
				continue
			} else if isDescribedNode(sections) {
				p.nodes = append(p.nodes, sections["Name"].value)
			} else if name, _, ok := strings.Cut(sections["Node"].value, "/"); ok {
				p.nodes = append(p.nodes, name)
			}
		}
	case partEventRows:
		if testedRow.MatchString(found.text) {
			p.sawTime(found.text)
		}
	case partNodes:
		if name := windowsRow(found.text, p.read(f.path, maxText, false)); name != "" {
			p.nodes = append(p.nodes, name)
		}
	case partPods:
		p.nodes = append(p.nodes, nodesOfRows(found.text)...)
		if !strings.Contains(firstLine(found.text), " NODE ") { // whose pods they are does not show
			p.rowLines(f.path, found, brokenRow)
		}
	case partIPConfig:
		if ofPod(found.text) {
			p.logLines(podIPConfig, f.path, found.line, found.text)
			return
		}
		if containerName.MatchString(hostName(found.text)) {
			p.logLines("other", f.path, found.line, found.text)
			return
		}
		p.nodes = append(p.nodes, hostName(found.text))
	case partSystem:
		p.nodes = append(p.nodes, systeminfoName(found.text))
	case partHotfixes, partWevtutil:
		for _, m := range hostOfRow.FindAllStringSubmatch(found.text, 1) {
			p.nodes = append(p.nodes, strings.SplitN(m[1]+m[2]+m[3], ".", 2)[0])
		}
	case partContainers:
		found.text = unfoldedTable(found.text)
		p.rowLines(f.path, found, exitedRow) // the code may be known
	case partLookup:
		if probe, ok := readLookup(found.about, found.text); ok {
			p.lookups = append(p.lookups, probe)
		} else {
			p.logLines("other", f.path, found.line, found.text)
		}
	case partPing:
		p.logLines("other", f.path, found.line, found.text) // its failures are searched as they are
	case partDiskFree:
		p.texts[found.kind] += found.about + "\n" // which names the drive
	case partDISM:
		p.shown[psFeatures] = append(p.shown[psFeatures], dismFeatures(found.text)...)
	case partDocker:
		p.nodes = append(p.nodes, dockerFields(found.text)["Name"])
		for i, line := range strings.Split(found.text, "\n") {
			if dockerComplaint.MatchString(line) { // of the command itself, or of its daemon
				p.logLines("other", f.path, found.line+i, line+"\n")
			}
		}
	}
	p.texts[found.kind] += found.text + "\n"
}

// sawTime remembers the latest time of a log whose stamps have a year.
func (p *pieces) sawTime(text string) {
	p.newest = later(p.newest, lastLine(text, p.until))
}

// nodeNames are the nodes that the pieces are of, and how many Nodes are of other systems.
func (p *pieces) nodeNames() (names []string, others int) {
	if names, others = p.objects.windowsNodes(); len(names) > 0 {
		return names, others
	}
	for _, name := range p.nodes {
		if hostNamePattern.MatchString(name) {
			return []string{name}, others
		}
	}
	slices.Sort(p.logged)
	windows, all := p.objects.podNodes()
	switch {
	case len(p.logged) > 0:
		return slices.Compact(p.logged), others
	case len(windows) > 0:
		return windows, others
	case len(all) == 1:
		return all, others
	}
	return nil, others
}
