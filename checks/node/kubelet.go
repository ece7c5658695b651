package node

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
)

// A Flag is one command line flag of the kubelet, with where it is written.
type Flag struct {
	Name, Value string
	From        evidence.Because
	// of the service or process as it runs, not only of a file that a start script reads
	Live        bool
	Conditional bool // in a branch of a start script: the kubelet may never see it
}

const kubeadmFlags = `C:\var\lib\kubelet\kubeadm-flags.env`

// The scripts that start a kubelet, by recipe: sig-windows-tools, AKS, SDN.
var kubeletScripts = []string{`C:\k\StartKubelet.ps1`, `C:\k\kubeletstart.ps1`,
	`C:\k\start-kubelet.ps1`}

// KubeletConfigs are the files that a kubelet's --config may name, by distribution.
var KubeletConfigs = []string{
	`C:\var\lib\kubelet\config.yaml`, `C:\ProgramData\kubernetes\kubelet-config.json`,
	`C:\etc\kubernetes\kubelet-config.yaml`, `C:\k\kubelet.conf`, `C:\var\lib\k0s\run\kubelet\config.yaml`,
}

// kubeletDropInFolders are the folders that a kubelet's --config-dir may name: the documentation's, RKE2's
// and k3s' (kubernetes.io/docs/tasks/administer-cluster/kubelet-config-file/, docs.rke2.io/advanced).
var kubeletDropInFolders = []string{`C:\etc\kubernetes\kubelet.conf.d`,
	`C:\var\lib\rancher\rke2\agent\etc\kubelet.conf.d`,
	`C:\var\lib\rancher\k3s\agent\etc\kubelet.conf.d`}

// KubeletSources is the evidence from which the kubelet's flags and configuration are learned.
var KubeletSources = slices.Concat(
	[]evidence.Need{evidence.Services, evidence.Processes, evidence.File(kubeadmFlags)},
	AsFiles(kubeletScripts), AsFiles(KubeletConfigs), asFolders(kubeletDropInFolders))

// AsFiles makes a need of each Windows path.
func AsFiles(paths []string) []evidence.Need { return asNeeds[evidence.File](paths) }

// learnKubelet collects the kubelet's flags from wherever they are written. A
// script or file that nothing starts any more would convict an innocent node,
// so scripts count only where the service or process shows no flags of its own.
func (n *Node) learnKubelet(s evidence.Snapshot) {
	add := func(live bool, args []string, at func(name string) evidence.Place) {
		n.KubeletFlags = append(n.KubeletFlags, flagsOf(evidence.ParseFlags(args), live, at)...)
	}
	if g := evidence.FileIndex.Gap(s); g.Kind == evidence.NotCollected {
		n.noFiles = s.File(kubeadmFlags).Gap
	}
	k := n.Components["kubelet"]
	for _, svc := range k.Services {
		add(true, k.OwnArgs(svc.Args), argsOf(svc.Args, svc.Field("args")))
	}
	for _, p := range k.Processes {
		add(true, k.OwnArgs(p.Args), argsOf(p.Args, p.Field("args")))
	}
	if f := s.File(kubeadmFlags); f.Gap.Kind == "" {
		add(false, evidence.KubeadmFlags(f.Text), func(string) evidence.Place {
			return evidence.InLine(f.Path, 1)
		})
	}
	for _, script := range n.kubeletStartScripts() {
		f := s.File(script)
		if f.Gap.Kind != "" {
			continue
		}
		for _, fl := range evidence.ScriptFlags(f.Text) {
			n.KubeletFlags = append(n.KubeletFlags, Flag{Name: fl.Name, Value: fl.Value,
				From:        evidence.InLine(f.Path, fl.Line).Because("--%s=%s", fl.Name, fl.Value),
				Conditional: fl.Conditional})
		}
	}
}

// flagsOf are the flags of a command line; at is where each of them is.
func flagsOf(flags evidence.Flags, live bool, at func(name string) evidence.Place) (list []Flag) {
	for _, name := range flags.Names() {
		value, _ := flags.Get(name)
		list = append(list, Flag{Name: name, Value: value,
			From: at(name).Because("--%s=%s", name, value), Live: live})
	}
	return list
}

// flagNamed returns the flag, the one of a running program first.
func flagNamed(flags []Flag, name string) (found Flag, ok bool) {
	for _, f := range flags {
		if f.Name == name && (!ok || f.Live && !found.Live) {
			found, ok = f, true
		}
	}
	return found, ok
}

// argsOf finds flags among arguments.
func argsOf(args []string, in evidence.Place) func(name string) evidence.Place {
	return func(name string) evidence.Place { return evidence.FlagIn(args, in, name) }
}

// kubeletStartScripts lists the scripts to read: those that the service's
// command line names, or the usual ones where it shows no kubelet.
func (n *Node) kubeletStartScripts() []string {
	var named []string
	for _, svc := range n.Components["kubelet"].Services {
		if script := evidence.StartScript(svc.Args); script != "" {
			named = append(named, script)
		}
	}
	if len(named) == 0 && len(n.KubeletFlags) == 0 {
		return kubeletScripts
	}
	return named
}

// KubeletGap is why no flag of the kubelet is known, or "" where one is.
func (n *Node) KubeletGap() evidence.Gap {
	if len(n.KubeletFlags) > 0 {
		return evidence.Gap{}
	}
	if n.noFiles.Kind != "" {
		return n.noFiles
	}
	return evidence.NotShown.Gap("a command line, flags file or start script of the kubelet")
}

// KubeletFlag returns the flag, the one of the running kubelet first.
func (n *Node) KubeletFlag(name string) (Flag, bool) { return flagNamed(n.KubeletFlags, name) }

// KubeletSettings is the kubelet's configuration: the file of --config, and over it the files of
// --config-dir. Flags go before both, and are not in it.
type KubeletSettings struct {
	evidence.KubeletConfig
	Gap   evidence.Gap // why it is not known; a file of --config-dir that is not known hides all
	Named bool         // the flags name a file or a folder
	files []evidence.NodeFile
}

// Field is the field in the last file that sets it, or where the first file would have it.
func (k KubeletSettings) Field(steps ...string) evidence.Place {
	var file evidence.NodeFile
	for i, f := range k.files {
		if set, _ := evidence.InYAML(f.Text, steps...); i == 0 || set != nil {
			file = f
		}
	}
	path := make([]any, len(steps))
	for i, s := range steps {
		path[i] = s
	}
	return file.Field(path...)
}

// ModifiedAt is when the last of the files was written; zero where that is not known of each.
func (k KubeletSettings) ModifiedAt() (last time.Time) {
	for _, f := range k.files {
		if f.ModifiedAt.IsZero() {
			return time.Time{}
		}
		if f.ModifiedAt.After(last) {
			last = f.ModifiedAt.Time
		}
	}
	return last
}

// KubeletConfig reads the file that --config names, or the usual ones, and merges into it the files of
// the folder that --config-dir names, in the order of their names, as the kubelet does.
func (n *Node) KubeletConfig(s evidence.Snapshot) KubeletSettings {
	paths := KubeletConfigs
	named, isNamed := n.KubeletFlag("config")
	if isNamed = isNamed && named.Value != ""; isNamed {
		paths = []string{named.Value}
	}
	k := KubeletSettings{}
	config, f, gap := firstFile(s, paths, evidence.DecodeKubeletConfig)
	if k.Gap = gap; config != nil {
		k.KubeletConfig = *config
	}
	if f.Path != "" {
		k.files = []evidence.NodeFile{f}
	}
	folder, _ := n.KubeletFlag("config-dir")
	k.Named = isNamed || folder.Value != ""
	dropIns, gap := kubeletDropIns(s, folder.Value)
	for _, f := range dropIns {
		if err := k.Merge([]byte(f.Text)); err != nil {
			gap = evidence.Unreadable.Gap(f.Path, err)
		}
	}
	k.files = append(k.files, dropIns...)
	switch {
	case gap.Kind != "":
		k.KubeletConfig, k.Gap = evidence.KubeletConfig{}, gap
	case len(dropIns) > 0 && !isNamed:
		k.Gap = evidence.Gap{} // they are the whole configuration
	}
	return k
}

// kubeletDropIns lists the files of the folder that the kubelet merges, if there is one. The gap is
// why one of them is not known.
func kubeletDropIns(s evidence.Snapshot, folder string) ([]evidence.NodeFile, evidence.Gap) {
	if folder == "" {
		return nil, evidence.Gap{}
	}
	folder = evidence.CleanWinPath(folder)
	var list []evidence.NodeFile
	for _, name := range s.FilesIn(folder) {
		if !strings.HasSuffix(name, ".conf") {
			continue // the kubelet reads no other
		}
		f := s.File(folder + `\` + name)
		if f.Gap.Kind != "" {
			return nil, f.Gap
		}
		list = append(list, f)
	}
	if len(list) == 0 {
		if there, known := s.File(folder).Exists(); there || !known {
			return nil, evidence.NotShown.Gap("the files of the folder that --config-dir names")
		}
	}
	return list, evidence.Gap{}
}

// KubeletConfigPath is the kubelet's configuration file as Windows names it; empty where nothing
// shows it.
func (n *Node) KubeletConfigPath(s evidence.Snapshot) string {
	path := ""
	if files := n.KubeletConfig(s).files; len(files) > 0 {
		path, _ = evidence.WindowsPath(files[0].Path)
	}
	return path
}

// RuntimeEndpoint is where the kubelet looks for its runtime. Kubelets of 1.23 and before take a
// pipe's path, which is given the scheme of newer ones.
func (n *Node) RuntimeEndpoint(s evidence.Snapshot) Fact[string] {
	var f Fact[string]
	learn := func(endpoint string, from evidence.Because) Fact[string] {
		if strings.HasPrefix(strings.ReplaceAll(endpoint, `\`, "/"), "//./pipe/") {
			endpoint = "npipe:" + endpoint
		}
		f.Value, f.From = endpoint, from
		return f
	}
	const name = "container-runtime-endpoint"
	// a service may have been set up anew since its process started
	for _, flag := range n.KubeletFlags {
		if flag.Name == name && flag.Value != "" && flag.From.Path == evidence.Processes.Path() {
			return learn(flag.Value, flag.From)
		}
	}
	if flag, ok := n.KubeletFlag(name); ok && flag.Value != "" {
		return learn(flag.Value, flag.From)
	}
	config := n.KubeletConfig(s)
	if config.Gap.Kind == "" && config.ContainerRuntimeEndpoint != "" {
		return learn(config.ContainerRuntimeEndpoint, config.Field("containerRuntimeEndpoint").Because(
			"containerRuntimeEndpoint is %s", config.ContainerRuntimeEndpoint))
	}
	f.Gap = cmp.Or(config.Gap,
		evidence.NotShown.Gap("the runtime's endpoint in the kubelet's flags or configuration"))
	return f
}
