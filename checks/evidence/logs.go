package evidence

import (
	"slices"
	"strings"
	"time"
)

// Logs is a Need for the logs of a component: the name of its folder below logs/.
type Logs string

// logFolders are other names that people and tools give to a component's folder.
var logFolders = [][]string{
	{"kube-proxy", "kubeproxy"},
	{"flanneld", "flannel", "kube-flannel"},
	{"docker", "dockerd"},
	{"calico", "calico-node", "calico-felix", "felix"},
	{"cni", "azure-vnet", "azure-cni"},
	{"antrea", "antrea-agent"},
	{"csi-proxy", "csiproxy"},
}

// folders are the names of the component's folder, its own first.
func (l Logs) folders() []string {
	own := strings.ToLower(string(l))
	for _, names := range logFolders {
		if slices.Contains(names, own) {
			return Unique(append([]string{own}, names...))
		}
	}
	return []string{own}
}

// SameLog tells whether two names stand for the logs of one component.
func SameLog(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	a, b = componentOf(a), componentOf(b)
	return a == b || slices.ContainsFunc(logFolders, func(names []string) bool {
		return slices.Contains(names, a) && slices.Contains(names, b)
	})
}

// componentOf is the component in the name of a folder, which may be that of a DaemonSet or a container:
// calico-node-windows, kube-flannel-ds-windows-amd64, csi-azuredisk-node-win.
func componentOf(folder string) string {
	name := strings.ToLower(folder)
	if slices.Contains(strings.Split(name, "-"), "csi") && !strings.HasPrefix(name, "csi-proxy") {
		return "csi-driver"
	}
	name, _, _ = strings.Cut(name, "-windows")
	return strings.TrimSuffix(strings.TrimSuffix(name, "-win"), "-ds")
}

// Name is what explain calls the need: the folder's first name.
func (l Logs) Name() string { return l.folder() }

// Gap is "" where at least one log of the component is recorded under any of its names.
func (l Logs) Gap(s Snapshot) Gap {
	if len(s.LogFiles(string(l))) > 0 {
		return Gap{}
	}
	if s.tree != nil && !s.hides(l.folder()) {
		if _, gap := s.tree.readFile("logs/" + string(l)); gap.Code != NotInRecording {
			return gap
		}
	}
	return NotInRecording.Gap(l.folder())
}

// Paths are the folders of all names that the component's logs go by.
func (l Logs) Paths() []string {
	var paths []string
	for _, name := range l.folders() {
		paths = append(paths, Logs(name).folder())
	}
	return paths
}

func (l Logs) folder() string { return "logs/" + string(l) + "/" }

// LogFiles lists the log files of a component, or of all of them for "".
func (s Snapshot) LogFiles(component string) []string {
	if component != "" {
		for _, f := range Logs(component).Paths() {
			s.note(f)
		}
	}
	var list []string
	t := s.known()
	for key, stored := range t.paths {
		folder, _, inside := strings.Cut(strings.TrimPrefix(key, "logs/"), "/")
		if strings.HasPrefix(key, "logs/") && (component == "" || inside && SameLog(component, folder)) && !strings.HasSuffix(key, ".gap") && !t.hides(stored) {
			list = append(list, stored)
		}
	}
	slices.Sort(list)
	return list
}

// LogRecords is logs.json: what is known of the logs beside what they hold. A
// bundle writes it, whose logs may be parts of what the node has.
var LogRecords = jsonKind[LogIndex]("logs.json")

// A LogIndex tells how far each log was searched where it was whole, and for what.
type LogIndex struct {
	// SearchedFor is a digest of the texts that were searched for, by check. What
	// was not found is not there only as far as the texts are the same.
	SearchedFor map[string]string `json:"searchedFor,omitempty"`
	Logs        []LogRecord       `json:"logs"`
}

// A LogRecord is one log that is not here in full, or was not searched in full.
type LogRecord struct {
	Path         string `json:"path"` // such as logs/kubelet/kubelet.log
	LeftOutLines int    `json:"leftOutLines,omitempty"`
	LeftOutBytes int64  `json:"leftOutBytes,omitempty"`
	Unsearched   string `json:"unsearched,omitempty"` // why the search did not come to its end
	Excerpt      bool   `json:"excerpt,omitempty"`    // lines that somebody copied from where they stood
}

// LeftOut begins the line that stands in a log where a bundle leaves lines out.
const LeftOut = "[doctor left out "

// An ErrorLine is a line of a log that says that something is wrong, and how often the log has such
// a line: one that differs in numbers, names and addresses only counts as the same.
type ErrorLine struct {
	Path     string    `json:"path"`
	Line     int       `json:"line"`     // of the first, from 1
	LastLine int       `json:"lastLine"` // of the last
	Count    int       `json:"count"`
	First    time.Time `json:"first,omitzero"` // its time, where the line has one
	Last     time.Time `json:"last,omitzero"`
	Level    string    `json:"level"` // fatal, error, warning, or word: it sounds like an error
	Text     string    `json:"text"`  // of the last, bounded
	// Whether the log ends with it, or within a few lines: it may be the last words of a process.
	AtEnd bool `json:"atEnd,omitempty"`
}

// ErrorLines is errorlines.json: the lines with errors that the logs had while they were whole.
var ErrorLines = listKind[ErrorLine]("errorlines.json")

// ErrorLines returns the lines with errors of all logs.
func (s Snapshot) ErrorLines() []ErrorLine { return s.known().errorLines }
