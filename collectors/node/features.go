package node

import (
	"cmp"
	"strings"

	"doctor/checks/evidence"
)

// A feature is judged without asking Windows' servicing, which takes seconds
// and an administrator, by what only it brings.
type feature struct {
	name     string
	services []string
	files    []string // in System32
	shared   string   // a service of another feature that brings all of the above as well
}

var features = []feature{
	{name: "Containers", services: []string{"vmcompute", "hns"}, files: []string{"vmcompute.dll"},
		shared: "vmms"},
	{name: "Hyper-V", services: []string{"vmms"}, files: []string{"vmms.exe"}},
}

// readFeatures says of a feature what its traces prove, and leaves it out
// where they contradict each other.
func readFeatures(open hive, services []evidence.Service, exists func(path string) (exists,
	looked bool)) map[string]string {
	found := map[string]string{}
	there := map[string]bool{}
	for _, s := range services {
		there[strings.ToLower(s.Name)] = true
	}
	system32 := systemRoot(open) + `\System32\`
	for _, f := range features {
		all, none := true, true
		for _, s := range f.services {
			all, none = all && there[s], none && !there[s]
		}
		for _, file := range f.files {
			is, looked := exists(system32 + file)
			all, none = all && is, none && !is && looked
		}
		if state := f.judge(open, all, none, there[f.shared]); state != "" {
			found[f.name] = state
		}
	}
	return found
}

func (f feature) judge(open hive, all, none, shared bool) string {
	listed, cached := f.serverManager(open)
	switch {
	case none && servicingPending(open):
		return "" // it may be this one that the reboot completes
	case none && cached && listed == 0:
		return "available"
	case none:
		return "absent"
	case all && cached && listed == 1:
		return "installed"
	case all && f.shared == "":
		return "installed"
	case all && !cached && !shared && isServer(open):
		return "installed"
	}
	return ""
}

// serverManager is what Server Manager noted when somebody last used it: 1 for
// installed, 0 for not. It may be older than the last change.
func (f feature) serverManager(open hive) (state uint64, ok bool) {
	k, _ := open(`SOFTWARE\Microsoft\ServerManager\ServicingStorage\ServerComponentCache\` +
		f.name)
	return k.number("InstallState")
}

// isServer tells a server, where no other feature brings the services of
// containers, from Windows 10 and 11, where Linux' subsystem does.
func isServer(open hive) bool {
	k, _ := open(currentVersion)
	return strings.HasPrefix(k.text("InstallationType"), "Server")
}

func systemRoot(open hive) string {
	k, _ := open(currentVersion)
	return cmp.Or(k.text("SystemRoot"), `C:\Windows`)
}
