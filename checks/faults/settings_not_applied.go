package faults

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// clusterConfig is from where AKS' start scripts read the arguments of kubelet and kube-proxy.
const clusterConfig = `C:\k\kubeclusterconfig.json`

const flagsOfKubeadm = `C:\var\lib\kubelet\kubeadm-flags.env`

var _ = register(&checks.Check{
	ID:       "settings-not-applied",
	Title:    "Component was not restarted after a settings change",
	Healthy:  "Components run with the settings of their configuration",
	Category: checks.CategoryComponents,
	Doc: `A service, a start script or a configuration file was changed, and the component was not
restarted since: it still runs with the old settings. The change takes effect at an unexpected
moment, such as the next reboot, and with it any error in the change.

The check compares the arguments of running components with those of their services, with the
literal flags of the kubelet's start script, with kubeadm-flags.env, and on AKS with
kubeclusterconfig.json. It compares the pods that the Node object has room for with maxPods of the
kubelet's configuration file, if the file was written after the kubelet started. It compares what containerd reports as its configuration with the file that
it was started with. Flags that a script computes, and files with imports, are left out. The policies of pods that have
been running for five minutes are compared with the CNI configuration.`,
	Fix: checks.Steps(
		checks.Do("Restart the component if its configuration is right. Otherwise correct the configuration first.").
			Costs("Restarting kube-proxy interrupts new connections to Services for a short time."),
		checks.Verify("Get-CimInstance Win32_Process | Where-Object Name -match 'kube|containerd|flanneld' | Format-List CommandLine",
			"the command lines have the configured settings")),
	Links: []string{
		"https://learn.microsoft.com/en-us/windows-server/administration/windows-commands/sc-config"},
	Symptom: true,
	Needs:   []evidence.Need{evidence.Processes},
	Uses: slices.Concat([]evidence.Need{evidence.Services, evidence.CRI, evidence.FileIndex, evidence.Node,
		evidence.File(clusterConfig)}, node.RuntimeConfigs, node.KubeletSources,
		node.CNISources, []evidence.Need{evidence.File(`C:\k\kubeproxystart.ps1`),
			evidence.File(node.SourceVIPFiles[0]), evidence.File(node.SourceVIPFiles[1]),
			evidence.HNSEndpoints}),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		compared := 0
		var findings []*checks.Finding
		for _, run := range append(servedProcesses(s), scriptedProcesses(n, s)...) {
			compared++
			findings = append(findings, run.compare()...)
		}
		file, ok := containerdDiffers(n, s)
		if compared == 0 && !ok {
			return nil, checks.Unknown(evidence.NotShown.Gap(
				"which configuration the running components were started with"))
		}
		return slices.Concat(findings, unexplainedFlags(n, s), kubeletKeepsSettings(n, s), flannelDiffers(n, s), file, podsKeepSettings(n, s)), nil
	},
})

// A startedProcess is a process, and what it ought to have been started with.
type startedProcess struct {
	process evidence.Process
	name    string // of what it was started by
	want    []string
	from    evidence.Place
	whole   bool // the process has all of these arguments
	exact   bool // and no others
}

// servedProcesses finds the processes that services started: the one of the service's id, or the
// child of nssm or of another host, such as that of EKS, whose arguments name the program.
func servedProcesses(s evidence.Snapshot) []startedProcess {
	var list []startedProcess
	for _, svc := range evidence.Services.In(s) {
		if !svc.Running() || svc.PID == 0 || len(svc.Args) == 0 ||
			strings.EqualFold(node.Program(svc.BinPath), "svchost") ||
			strings.ContainsRune(strings.Join(svc.Args, " "), '%') {
			continue // Windows fills in what is between percent signs
		}
		for _, p := range evidence.Processes.In(s) {
			if p.PID != svc.PID && p.PPID != svc.PID || len(p.Args) == 0 {
				continue
			}
			want := svc.Args
			if !strings.EqualFold(node.Program(p.Name), node.Program(svc.BinPath)) {
				at := slices.IndexFunc(svc.Args, func(a string) bool {
					return strings.HasSuffix(strings.ToLower(strings.Trim(a, `"`)), ".exe") &&
						strings.EqualFold(node.Program(a), node.Program(p.Name))
				})
				if at < 0 {
					continue
				}
				want = svc.Args[at+1:]
			}
			list = append(list, startedProcess{p, svc.Name, want, svc.Field("args"), true, true})
		}
	}
	return list
}

// scriptedProcesses are the kubelet and kube-proxy as scripts and their files start them.
func scriptedProcesses(n *node.Node, s evidence.Snapshot) []startedProcess {
	var list []startedProcess
	add := func(component, name string, want []string, from evidence.Place, whole bool) {
		for _, p := range n.Components[component].Processes {
			if len(p.Args) > 0 && len(want) > 0 {
				list = append(list, startedProcess{p, name, want, from, whole, false})
			}
		}
	}
	for _, component := range []string{"kubelet", "kube-proxy"} {
		for _, svc := range n.Components[component].Services {
			script := evidence.StartScript(svc.Args)
			if script == "" {
				continue
			}
			f := s.File(script)
			if component == "kubelet" && strings.Contains(f.Text, "kubeadm-flags.env") {
				flags := s.File(flagsOfKubeadm)
				if flags.Gap.Kind == "" {
					add(component, flagsOfKubeadm, evidence.KubeadmFlags(flags.Text),
						evidence.InLine(flags.Path, 1), true)
				}
			}
			for _, flag := range literalFlags(f.Text) {
				add(component, script, []string{flag.text}, evidence.InLine(f.Path, flag.line),
					component == "kubelet" && flag.always)
			}
		}
	}
	if f := s.File(clusterConfig); f.Gap.Kind == "" {
		var c struct {
			Kubernetes struct {
				Kubelet, Kubeproxy struct{ ConfigArgs []string }
			}
		}
		if json.Unmarshal([]byte(f.Text), &c) == nil {
			add("kubelet", clusterConfig, c.Kubernetes.Kubelet.ConfigArgs,
				f.Field("Kubernetes", "Kubelet", "ConfigArgs"),
				// newer releases leave out what is in the kubelet's configuration file
				!strings.Contains(f.Text, "FlagsToOmit"))
			add("kube-proxy", clusterConfig, c.Kubernetes.Kubeproxy.ConfigArgs,
				f.Field("Kubernetes", "Kubeproxy", "ConfigArgs"), false)
		}
	}
	return list
}

// includes is how a script runs another one, or a text, as a part of itself.
var includes = regexp.MustCompile(
	`(?im)^\s*\.\s|\b(import-module|ipmo|invoke-expression|iex)\b`)

// unexplainedFlags finds flags of the kubelet and kube-proxy that neither their start script nor the
// files that it reads know by name.
func unexplainedFlags(n *node.Node, s evidence.Snapshot) []*checks.Finding {
	var findings []*checks.Finding
	for _, component := range []string{"kubelet", "kube-proxy"} {
		for _, svc := range n.Components[component].Services {
			script := evidence.StartScript(svc.Args)
			if script == "" {
				continue
			}
			f := s.File(script)
			if f.Gap.Kind != "" || includes.MatchString(f.Text) {
				continue
			}
			text, read := f.Text, []evidence.Because{evidence.InFile(f.Path).Because("%s", script)}
			for _, file := range []string{flagsOfKubeadm, clusterConfig} {
				other := s.File(file)
				if !strings.Contains(strings.ToLower(f.Text), file[strings.LastIndex(file,
					`\`)+1:]) {
					continue
				}
				if there, known := other.Exists(); known && !there {
					return append(findings, checks.Findingf(checks.Warn, component,
						"%s reads %s, which does not exist: %s does not start again with it",
						script, file, component).
						At(evidence.InFile(f.Path), "%s", script).
						At(evidence.FileRecordField(s, file), "%s is absent", file))
				}
				if other.Gap.Kind != "" {
					return findings
				}
				text += other.Text
				read = append(read, evidence.InFile(other.Path).Because("%s", file))
			}
			for _, p := range n.Components[component].Processes {
				for _, name := range evidence.ParseFlags(p.Args).Names() {
					if !strings.Contains(text, "-"+name) {
						findings = append(findings, checks.Findingf(checks.Warn, component,
							"%s runs with --%s, which its configuration (%s) does not have: it was not restarted since",
							component, name, script).
							At(p.Field("args"), "%s: --%s", p.Name, name).
							With(read...))
						break
					}
				}
			}
		}
	}
	return findings
}

var literal = regexp.MustCompile(
	`(--[a-z][\w-]*)=(""|''|[^\s"'\x60,$()]+(?:,[^\s"'\x60,$()]+)*)(?:["'\s)]|,|$)`)

// A scriptFlag is a flag of a script that is there once, with a value that no variable makes.
type scriptFlag struct {
	text   string
	line   int
	always bool // in no branch of the script
}

func literalFlags(text string) []scriptFlag {
	always := map[string]bool{}
	for _, f := range evidence.ScriptFlags(text) {
		always["--"+f.Name] = !f.Conditional
	}
	var list []scriptFlag
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for _, m := range literal.FindAllStringSubmatch(line, -1) {
			if strings.Count(text, m[1]+"=") == 1 {
				list = append(list, scriptFlag{m[1] + "=" + strings.Trim(m[2], `"'`), i + 1,
					always[m[1]]})
			}
		}
	}
	return list
}

// compare tells the first difference; a component with one has often many, from one change.
func (p startedProcess) compare() []*checks.Finding {
	have, want := evidence.ParseFlags(p.process.Args), evidence.ParseFlags(p.want)
	program := node.Program(p.process.Name)
	at := func(f *checks.Finding, name string) []*checks.Finding {
		if slices.Contains(node.Managed, program) {
			fix := fixOf("settings-not-applied")
			fix.Steps[0].Command = "{restart " + program + "}"
			f = f.Cure(fix)
		}
		return []*checks.Finding{f.At(p.from, "%s", flagText(want, name)).
			At(p.process.Field("args"), "%s: %s", p.process.Name, flagText(have, name))}
	}
	for _, name := range want.Names() {
		value, _ := want.Get(name)
		all := have.All(name)
		switch {
		case len(all) > 0 && !slices.ContainsFunc(all, func(v string) bool {
			return sameSetting(v, value)
		}):
			return at(checks.Findingf(checks.Warn, program,
				"%s runs with --%s=%s, but its configuration (%s) has %s: it was not restarted since", program, name,
				all[len(all)-1], p.name, orPhrase(value, evidence.Phrasef("no value"))), name)
		case len(all) == 0 && p.whole:
			return at(checks.Findingf(checks.Warn, program,
				"%s runs without --%s, which its configuration (%s) has: it was not restarted since", program, name,
				p.name), name)
		}
	}
	if !p.exact {
		return nil
	}
	for _, name := range have.Names() {
		if !want.Has(name) {
			return at(checks.Findingf(checks.Warn, program,
				"%s runs with --%s, which its configuration (%s) does not have: it was not restarted since", program,
				name, p.name), name)
		}
	}
	if a, b := words(p.process.Args), words(p.want); !slices.EqualFunc(a, b, sameSetting) {
		return at(checks.Findingf(checks.Warn, program,
			"%s runs with the arguments %q, but its configuration (%s) has %q: it was not restarted since", program,
			strings.Join(a, " "), p.name, strings.Join(b, " ")), "")
	}
	return nil
}

// flagText is a flag as it is written.
func flagText(f evidence.Flags, name string) string {
	v, ok := f.Get(name)
	if !ok {
		return evidence.Phrasef("no --%s", name).String()
	}
	return "--" + name + "=" + v
}

// words are the arguments that are no flags.
func words(args []string) []string {
	var list []string
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			list = append(list, a)
		}
	}
	return list
}

// sameSetting compares two values as Windows reads paths and pipes.
func sameSetting(a, b string) bool {
	plain := func(s string) string {
		s = strings.ToLower(strings.Trim(strings.TrimSpace(s), `"'`))
		s = strings.ReplaceAll(s, `\`, "/")
		for strings.Contains(s, "//") {
			s = strings.ReplaceAll(s, "//", "/")
		}
		return strings.TrimSuffix(s, "/")
	}
	return plain(a) == plain(b)
}

// newestContainerdConfig is the newest version of the format, of containerd 2.3.
const newestContainerdConfig = 4

// containerdDiffers compares what containerd says of itself with its file; ok tells whether both
// are recorded.
func containerdDiffers(n *node.Node, s evidence.Snapshot) (findings []*checks.Finding, ok bool) {
	c, file, gap := n.ContainerdConfig(s)
	if gap.Code == evidence.Unreadable {
		return []*checks.Finding{checks.Findingf(checks.Warn, "containerd",
			"the configuration of containerd cannot be read: it will not start again (%s)",
			gap.Phrase()).At(evidence.InFile(file.Path), "%s", gap)}, true
	}
	if gap.Kind == "" && c.Version > newestContainerdConfig {
		return []*checks.Finding{checks.Findingf(checks.Warn, "containerd",
			"the configuration of containerd has the version %d: it will not start again",
			c.Version).At(evidence.InFile(file.Path), "version = %d", c.Version)}, true
	}
	if gap.Kind != "" || !evidence.CRI.Known(s) || len(c.Imports) > 0 || len(c.Ignored) > 0 {
		return nil, false
	}
	object := evidence.Node.In(s)
	if v := evidence.CRI.In(s).Version; v.RuntimeVersion != "" &&
		object.Status.NodeInfo.ContainerRuntimeVersion != "" && v.RuntimeName+"://"+
		strings.TrimPrefix(v.RuntimeVersion, "v") != strings.Replace(
		object.Status.NodeInfo.ContainerRuntimeVersion, "://v", "://", 1) {
		findings = append(findings, checks.Findingf(checks.Warn, "containerd",
			"the runtime is %s %s, but the Node object says %s", v.RuntimeName, v.RuntimeVersion,
			object.Status.NodeInfo.ContainerRuntimeVersion).
			At(evidence.CRI.Field(s, "version"), "%s %s", v.RuntimeName, v.RuntimeVersion).
			At(object.Field("status", "nodeInfo", "containerRuntimeVersion"), "%s",
				object.Status.NodeInfo.ContainerRuntimeVersion))
	}
	binDir := ""
	if len(c.CNIBinDirs) == 1 {
		binDir = c.CNIBinDirs[0]
	}
	for _, row := range []struct{ key, want string }{
		{"sandboxImage", c.SandboxImage}, {"confDir", c.CNIConfDir}, {"binDir", binDir},
		{"defaultRuntimeName", c.DefaultRuntime}, {"containerdRootDir", c.Root},
		{"containerdEndpoint", c.PipeAddress},
	} {
		have, at := evidence.CRIConfigValue(s, row.key)
		if have == "" || row.want == "" {
			continue
		}
		ok = true
		if !sameSetting(have, row.want) && (row.key != "sandboxImage" || fullTag(have) != fullTag(row.want)) {
			findings = append(findings, checks.Findingf(checks.Warn, "containerd",
				"containerd runs with %s %s, but its file has %s: it was not restarted since",
				row.key, have, row.want).
				At(at, "%s is %s", row.key, have).
				At(evidence.InFile(file.Path), "%s", row.want))
		}
	}
	return findings, ok
}
