package evidence

import (
	"slices"
	"strings"
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
	has := func(names []string, name string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
	}
	return slices.ContainsFunc(logFolders, func(names []string) bool {
		return has(names, a) && has(names, b)
	})
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
	folders := []string{"logs/"}
	if component != "" {
		folders = Logs(component).Paths()
		for _, f := range folders {
			s.note(f)
		}
	}
	var list []string
	t := s.known()
	for key, stored := range t.paths {
		inside := slices.ContainsFunc(folders, func(f string) bool {
			return strings.HasPrefix(key, f)
		})
		if inside && !strings.HasSuffix(key, ".gap") && !t.hides(stored) {
			list = append(list, stored)
		}
	}
	slices.Sort(list)
	return list
}
