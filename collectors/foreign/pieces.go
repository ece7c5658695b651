package foreign

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/unexplained"
)

// The layouts that are told by what the files hold, and asked last: where no folder is another
// tool's recording.
const (
	formatPieces     = "pieces"
	formatObjects    = "kubernetes-objects"
	formatMustGather = "must-gather"
)

var looseFormats = []Format{
	{formatMustGather, "the output of oc adm must-gather of a cluster with Windows nodes (host_service_logs/windows, cluster-scoped-resources and namespaces)"},
	{formatObjects, "Kubernetes objects as JSON or YAML: troubleshoot's cluster-resources, kubectl cluster-info dump, sonobuoy's resources, calicoctl cluster diags, or files of kubectl get -o yaml"},
	{formatPieces, "single files without any tool: a log, HNS objects, kubectl describe, tables of kubectl, crictl and PowerShell, ipconfig, an event log (.evtx), exports of log platforms as JSON or CSV, or a mix of them, as in k2s system dump; - reads standard input"},
	{formatManifests, "manifests of workloads and nothing else, judged as doctor lint judges them"},
}

// Bounds on a folder of loose files.
const (
	maxPieceFiles = 20_000
	maxPieceHead  = 8 << 10
	maxPieceBytes = 64 << 20 // of the texts that are read whole, together
)

// A pieceRole is what a loose file is good for.
type pieceRole int

const (
	noPiece         pieceRole = iota
	pieceObject               // Kubernetes objects
	pieceText                 // outputs of commands, a mix
	pieceLog                  // a log of one component of the node
	pieceNodes                // a log of all nodes, each line with the name of its node in front
	piecePod                  // the log of a container
	pieceEvents               // an event log of Windows (.evtx)
	pieceConfigFile           // a configuration file of the node
)

// A looseFile is one file that no other tool put there.
type looseFile struct {
	path      string
	role      pieceRole
	component string // of a log
	pod       string // of a container's log: its name
	kind      string // of objects: what the file's name or beginning says
	size      int64
}

var (
	// openshift/must-gather, gather_windows_node_logs: one file of `oc adm node-logs` for all nodes.
	nodesLog = regexp.MustCompile(
		`(?i)(?:^|/)host_service_logs/(?:windows/)?(?:log_files/)?(kubelet|kube-proxy|containerd|hybrid-overlay|csi-proxy|wicd)/[^/]+$`)
	// The logs of containers: troubleshoot's collectors, must-gather, sonobuoy, cluster-info dump.
	podLogs = []*regexp.Regexp{
		regexp.MustCompile(`(?:^|/)pods/logs/[^/]+/([^/]+)/([^/]+?)(?:-previous)?\.log$`),
		regexp.MustCompile(
			`(?:^|/)namespaces/[^/]+/pods/([^/]+)/([^/]+)/[^/]+/logs/(?:current|previous)(?:\.insecure)?\.log$`),
		regexp.MustCompile(`(?:^|/)podlogs/[^/]+/([^/]+)/logs/([^/]+)\.txt$`),
		regexp.MustCompile(`(?:^|/)[^/]+/([^/]+)/(logs)(?:-previous)?\.txt$`),
	}
	leadingComments = regexp.MustCompile(`^(?:#.*\n+)+`)
	objectHead      = regexp.MustCompile(`(?m)"?\bkind"?\s*:\s*"?(\w+)`)
	objectMark      = regexp.MustCompile(
		`(?m)^[\s{\[]*"(?:apiVersion|kind|items|metadata|gitVersion|info)"\s*:|^(?:- )?(?:apiVersion|kind|items|metadata):`)
)

// looseFileOf tells what a file is good for by its path and its beginning.
func looseFileOf(name, head string, size int64) looseFile {
	p := looseFile{path: name, size: size}
	if m := nodesLog.FindStringSubmatch(name); m != nil {
		p.role, p.component = pieceNodes, strings.ToLower(m[1])
		return p
	}
	trimmed := strings.TrimSpace(head)
	if !binaryName(name) && configPath(name, trimmed) != "" && !mixed(head) {
		p.role = pieceConfigFile
		return p
	}
	if objectsIn(name, trimmed) {
		p.role, p.kind = pieceObject, kindOfName(name)
		for _, m := range objectHead.FindAllStringSubmatch(trimmed, maxFields) {
			if kind := strings.TrimSuffix(m[1], "List"); p.kind == "" && kind != "" {
				p.kind = kind
			}
		}
		return p
	}
	for _, r := range podLogs {
		if m := r.FindStringSubmatch(name); m != nil && !startsDocument(trimmed) {
			if asked := kubectlLogs.FindStringSubmatch(firstLine(trimmed)); asked != nil {
				m[1] = asked[1]
			} else if m[2] == "logs" && !containerLog.MatchString(firstLine(trimmed)) {
				continue
			}
			p.role, p.pod, p.component = piecePod, m[1], containerComponent(m[1])
			return p
		}
	}
	if isEventLog(name) {
		p.role = pieceEvents
		return p
	}
	if binaryName(name) {
		return p
	}
	parts := takeApart(head)
	logs, writers := 0, map[string]bool{}
	for _, found := range parts {
		if found.kind == partLog {
			logs++
			writers[cmp.Or(programOf(found.text), found.about)] = true
		} else if found.shows() {
			p.role = pieceText
		}
	}
	if p.role == noPiece && logs > 0 && len(writers) > 1 && mixed(head) {
		p.role = pieceText // logs of several components
	}
	if p.role == noPiece && logs > 0 {
		p.role = pieceLog
		if p.component = componentOfFile(name); p.component == "" {
			p.component = cmp.Or(componentOfText(peel(trimmed)), "other")
		}
	}
	return p
}

// objectsIn tells a dump of objects by its beginning, and by its name where it begins with a
// list of objects that do not say what they are.
func objectsIn(name, head string) bool {
	switch {
	case head == "", strings.Contains(head, `"audit.k8s.io/`): // whose Events are lines of a log
		return false
	case head[0] == '{' || head[0] == '[':
		m := objectHead.FindStringSubmatch(head)
		start, items, isList, _ := jsonItems(cmp.Or(closedJSON(head), head))
		others := isList && listsOthers(head, start, items)
		return kindOfName(name) != "" && !others || versionHead.MatchString(head) || objectMark.MatchString(head) &&
			(m != nil && strings.Contains(head, "apiVersion") ||
				strings.Contains(head, `"gitVersion"`))
	}
	head = leadingComments.ReplaceAllString(head, "")
	first := firstLine(head)
	return strings.Contains(head, "kind:") && (first == "---" || yamlLine.MatchString(first)) &&
		objectMark.MatchString(first+"\n"+firstLine(strings.TrimPrefix(head, first))) && onlyYAML(head)
}

// versionHead begins what the API server answers at /version.
var versionHead = regexp.MustCompile(`^\{\s*"(?:buildDate|compiler|major|minor|platform|git\w+|goVersion)"\s*:[^{}]*"gitVersion"\s*:\s*"v\d`)

// listsOthers tells that a JSON document lists what are no Kubernetes objects, as crictl does and jq.
// An object without anything but an empty list could be anybody's.
func listsOthers(document string, head kubeObject, items []json.RawMessage) bool {
	if len(items) == 0 {
		return document[0] == '{' && len(head) == 0
	}
	var first kubeObject
	json.Unmarshal(items[0], &first)
	return !first.isKubernetes()
}

// isKubernetes tells an object of Kubernetes from others that are listed: those of a container runtime
// have metadata too.
func (o kubeObject) isKubernetes() bool {
	return o["id"] == nil && (o["metadata"] != nil || o["spec"] != nil || o["status"] != nil)
}

// onlyYAML tells that nothing follows an object in YAML, as in a thread that begins with a manifest
// and goes on with what the pod logs. The last line may be cut.
func onlyYAML(text string) bool {
	for line := range strings.Lines(text) {
		if strings.HasSuffix(line, "\n") && strings.TrimSpace(line) != "" && !yamlLine.MatchString(line) && line != "...\n" {
			return false
		}
	}
	return true
}

// mixed tells that a text has prompts or fences, so that it is more than one file.
func mixed(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \t\n"); fence.MatchString(line) || prompt.MatchString(line) &&
			!strings.HasPrefix(line, "# ") {
			return true
		}
	}
	return false
}

// shows tells that something reads a part.
func (p part) shows() bool {
	switch p.kind {
	case partOther, partLog, partGrid:
		return false
	case partYAML:
		return !partOfYAML.MatchString(p.text) || showsPart(p.text)
	case partJSON:
		return telling(cmp.Or(p.closed, p.text))
	case partList, partTable:
		return slices.ContainsFunc(psObjects(p), func(o psObject) bool {
			return classOf(o.fields) != "" || classOfCommand(o.command) != ""
		})
	}
	return true
}

// telling is a JSON document that a reader of HNS or of the container runtime knows.
func telling(document string) bool {
	_, hns := hnsDocument(document)
	_, cri := criDocument(document)
	return hns || cri || len(inspected(document)) > 0 || inspectedNetworks(document) != "" || configPath("", document) != "" || objectsIn("", strings.TrimSpace(document)) ||
		exportHead.MatchString(document)
}

// scanPieces looks at each file of a tree. One file alone may be no more than an error message, and
// so may a few text files that somebody put into a folder.
func scanPieces(fsys fs.FS) []looseFile {
	var list, messages []looseFile
	count := 0
	fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !fs.ValidPath(name) {
			return nil
		}
		if count++; count > maxPieceFiles || strings.Count(name, "/") > maxDepth {
			return nil
		}
		info, err := d.Info()
		if err != nil || info.Size() <= byteOrderMark {
			return nil
		}
		head := headOf(fsys, name)
		if p := looseFileOf(name, head, info.Size()); p.role != noPiece {
			list = append(list, p)
			return nil
		}
		listed := kindOfName(name) != "" && startsDocument(strings.TrimSpace(head)) // of nothing that is known
		if !listed && !binaryName(name) && (errorWords.MatchString(head) || mixed(head) || unexplained.Has(head) ||
			ofWindows.MatchString(peel(head)) || slices.ContainsFunc(takeApart(head), func(p part) bool { return p.kind == partGrid })) {
			messages = append(messages, looseFile{path: name, role: pieceText, size: info.Size()})
		}
		return nil
	})
	if count > 1 {
		messages = slices.DeleteFunc(messages, func(f looseFile) bool {
			return !slices.Contains([]string{"", ".txt", ".log", ".out"}, strings.ToLower(path.Ext(f.path)))
		})
	}
	if count <= fewFiles && len(messages) > 0 && (len(list) > 0 || len(messages) == count) {
		return append(list, messages...)
	}
	return list
}

// fewFiles is how many files a folder has that somebody filled by hand.
const fewFiles = 10

// errorWords are what an error message has that somebody copied without the line around it.
var errorWords = regexp.MustCompile(
	`(?i)\b(?:error|fail(?:ed|s|ure|ing)?|fatal|exception|panic|crash(?:ed|es)?|exited|exit (?:code|status)|` +
		`cannot|can ?not|can't|won't|could not|unable|denied|refused|rejected|forbidden|unauthorized|unhealthy|` +
		`insufficient|invalid|missing|no match(?:es|ing)?|mismatch|incompatible|imagepullbackoff|errimagepull|unknown|unreachable|unexpected(?:ly)?|blocked|stuck|restarting|` +
		`timed out|timeout|warning|starting|started|stopped|stopping|running|` +
		`not (?:found|accessible|recognized|supported|ready|readable|running|exist|match|respond|start|work|installed)|` +
		`kubelet|kube-proxy|containerd|hcsshim|hns)\b|` +
		`\wn't (?:found|supported|ready|running|exist|match|respond|start|work|installed)\b|\b0x[0-9a-f]{2,8}\b|\.go:\d+`)

// ofWindows is in scripts of Windows, below the heads of tables, and in lists of properties.
var ofWindows = regexp.MustCompile(`(?im)^[a-z]\w* +: |^\s*<powershell>|\.ps1\b|^\s*\$\w+ *= *\S|^-{3,}(?: +-{2,})+ *$|^={3,}(?: +={3,})+ *$`)

func headOf(fsys fs.FS, name string) string {
	f, err := fsys.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, maxPieceHead)
	n := 0
	for n < len(head) {
		m, err := f.Read(head[n:])
		if n += m; err != nil || m == 0 {
			break
		}
	}
	if n == len(head) { // a character that is cut in two would spoil the decoding
		n -= n % 4
	}
	return unwrapped(plainLines(string(evidence.DecodeText(head[:n]))))
}

// findPieces finds the nodes that loose files tell of.
func findPieces(fsys fs.FS) ([]Node, error) {
	files := scanPieces(fsys)
	if len(files) == 0 {
		return nil, nil
	}
	format, rest := formatObjects, 0
	for _, f := range files {
		switch f.role {
		case pieceNodes:
			format = formatMustGather
		case pieceText, pieceLog, pieceEvents, pieceConfigFile:
			rest++
		}
	}
	if rest > 0 && format == formatObjects {
		format = formatPieces
	}
	p := readPieces(fsys, files, readNames)
	names, others := p.nodeNames()
	if format == formatObjects && len(p.objects.have) == 0 && p.objects.version == nil {
		return nil, nil // manifests, and files that are called like lists of objects
	}
	if len(names) == 0 && others > 0 && format != formatPieces {
		return nil, fmt.Errorf("it holds %d Nodes, and none of them runs Windows", others)
	}
	if len(names) == 0 {
		names = []string{evidence.UnknownNode}
	}
	var nodes []Node
	for _, name := range names {
		nodes = append(nodes, Node{format, ".", evidence.Clean(name)})
	}
	return nodes, nil
}

// isLoose tells the layouts of findPieces.
func isLoose(format string) bool {
	return format == formatPieces || format == formatObjects || format == formatMustGather
}

// pieceName is what the log of a loose file is called in its component's folder: its own name,
// or all of its path where another file has that.
func pieceName(out *output, component, file string) string {
	name := "logs/" + component + "/" + path.Base(file)
	if out.Has(name) {
		name = "logs/" + component + "/" + strings.ReplaceAll(file, "/", "_")
	}
	return name
}
