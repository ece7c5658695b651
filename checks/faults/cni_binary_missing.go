package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "cni-binary-missing",
	Title:    "CNI plugin binary is missing",
	Healthy:  "CNI plugin binaries are present",
	Category: checks.CategoryNetwork,
	Doc: `Each type in a CNI configuration is a program in the runtime's plugin folder: the
plugin itself, the delegate of flannel, the IPAM plugin. Since version 1.0 of the CNI plugins,
flannel.exe comes from a repository of its own and is easily forgotten.

Programs are not copied into a recording; files.json says whether they were found.`,
	Fix: checks.Steps(
		checks.Run(`curl.exe -sSL -o $env:TEMP\cni.tgz https://github.com/containernetworking/plugins/releases/download/v1.5.1/cni-plugins-windows-amd64-v1.5.1.tgz; tar.exe -xzf $env:TEMP\cni.tgz -C '{binDir}'`,
			"Install host-local, win-bridge and win-overlay in {binDir}. Another plugin has a download of its own."),
		checks.Edit("{runtimeConfig}", "If the program is in another folder, correct bin_dir."),
		checks.Run("{restart runtime}",
			"Restart the container runtime if you changed its configuration.").
			Costs("Running containers are not affected."),
		checks.Verify("Get-ChildItem '{binDir}'", "the missing program")),
	Links: []string{"https://github.com/containernetworking/plugins/releases",
		"https://github.com/flannel-io/cni-plugin"},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  []evidence.Need{node.NeedCNIFiles},
	Uses:   slices.Concat(node.RuntimeConfigs, []evidence.Need{evidence.FileIndex}, binFolders()),
	Signs: []checks.Sign{
		// A network agent that is being installed may write its configuration before its binaries.
		{Text: "failed to find plugin", Also: []string{"in path"}, Until: nodeBecameReady,
			Says: "the runtime cannot find a CNI plugin binary"},
		{Text: "needs CNI plugin ", Also: []string{"to be installed in CNI_PATH"}, In: []string{"other", "containerd"}, // nerdctl
			Says: "nerdctl cannot find a CNI plugin binary"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		f := n.Intended()
		if f == nil || f.Config == nil {
			return nil, checks.Unknown(noConfig(f))
		}
		if !n.BinDirs.Known() {
			return nil, checks.Unknown(n.BinDirs.Gap)
		}
		var findings []*checks.Finding
		unseen := ""
		for _, program := range pluginPrograms(f) {
			name := program.name
			path, exists, known := find(s, n.BinDirs.Value, name)
			switch {
			case known && !exists:
				findings = append(findings, checks.Findingf(checks.Fail, name,
					"%s is not in %s, and %s calls it", name, strings.Join(n.BinDirs.Value, ", "),
					f.Name).Cure(installPlugin(n, name)).
					At(evidence.FileRecordField(s, path, "outcome"), "%s is absent",
						path).At(program.at, "calls %s", strings.TrimSuffix(name, ".exe")))
			case !known:
				unseen = name
			}
		}
		if len(findings) == 0 && unseen != "" {
			return nil, checks.Unknown(evidence.NotShown.Gap("whether %s is in the plugin folder",
				unseen))
		}
		return findings, nil
	},
})

// installPlugin lets the network agent's pod copy its programs to the node again, where it is one.
func installPlugin(n *node.Node, name string) checks.Fix {
	fix := fixOf("cni-binary-missing")
	first := fix.Steps[0]
	switch {
	case len(n.Components["flanneld"].Pods) > 0 || n.CNI.Value == node.Calico ||
		n.CNI.Value == node.Antrea:
		first = checks.Run("{restart network agent}",
			"Restart the network agent: its start copies the CNI plugins to the node.").
			Costs("The node loses its network for a few seconds if the agent creates the HNS network.")
	case name == "flannel.exe":
		first = checks.Run(`curl.exe -sSL -o '{binDir}\flannel.exe' https://github.com/flannel-io/cni-plugin/releases/download/v1.6.2-flannel1/flannel-amd64.exe`,
			"Install flannel.exe in {binDir}.")
	case !slices.Contains([]string{"host-local.exe", "win-bridge.exe", "win-overlay.exe"}, name):
		first = checks.Do("Install %s in {binDir} from the release of its CNI plugin.", name)
	}
	return withFirst(fix, first)
}

func binFolders() []evidence.Need {
	var needs []evidence.Need
	for _, dir := range []string{`C:\k\cni`, `C:\opt\cni\bin`, `C:\k\azurecni\bin`,
		`C:\Program Files\Amazon\EKS\cni`, `C:\etc\kubernetes\cni`,
		`C:\var\lib\rancher\rke2\bin`, `C:\Program Files\containerd\cni\bin`} {
		needs = append(needs, evidence.Folder(dir))
	}
	return needs
}

// A pluginProgram is a program that a configuration calls, and where it says so.
type pluginProgram struct {
	name string
	at   evidence.Place
}

// pluginPrograms lists the programs that a configuration calls, chained plugins included.
func pluginPrograms(f *node.CNIFile) []pluginProgram {
	c := f.Config
	var programs []pluginProgram
	add := func(kind string, at evidence.Place) {
		if kind == "" || evidence.Placeholder(kind) || strings.EqualFold(kind, "azure-cns") {
			return // azure-cns is a service that azure-vnet asks, not a program
		}
		name := strings.TrimSuffix(kind, ".exe") + ".exe"
		if !slices.ContainsFunc(programs, func(p pluginProgram) bool { return p.name == name }) {
			programs = append(programs, pluginProgram{name, at})
		}
	}
	for i, p := range c.Plugins {
		var of []any
		if c.List {
			of = []any{"plugins", i}
		}
		at := func(steps ...any) evidence.Place { return f.File.Field(slices.Concat(of, steps)...) }
		add(p.Type, at("type"))
		if p.Delegate != nil || strings.EqualFold(p.Type, "flannel") {
			add(c.EffectiveType(), at("delegate", "type"))
			// flannel hands its delegate this one, whatever is written
			add("host-local", at("delegate"))
		} else {
			add(p.IPAM.Type, at("ipam", "type"))
		}
	}
	return programs
}

// find looks for a program in the folders; known is false while one folder was not looked into.
func find(s evidence.Snapshot, dirs []string, name string) (path string, exists, known bool) {
	known = true
	for _, dir := range dirs {
		path = evidence.CleanWinPath(dir) + `\` + name
		there, looked := s.File(path).Exists()
		if there {
			return path, true, true
		}
		known = known && looked
	}
	return path, false, known
}
