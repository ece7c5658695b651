package faults

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "runtime-pipe-missing",
	Title:    "the kubelet looks for its container runtime at a pipe that nobody serves",
	Category: checks.CategoryComponents,
	FAQ:      []int{2},
	Doc: `The kubelet reaches its runtime through a named pipe, containerd-containerd unless
told otherwise; docker needs cri-dockerd with a pipe of its own, and up to kubelet 1.23 had
dockershim inside the kubelet. Where the kubelet is told of one pipe and the runtime serves another,
it does not start, or the node turns NotReady because the container runtime is down, although the
runtime itself runs and works by hand.

The check compares the kubelet's endpoint, from its flag or its configuration, with the runtime that
runs and the address in containerd's configuration. Where no runtime runs at all, that is a fault of
its own.`,
	Fix: checks.Steps(
		checks.Run(`[IO.Directory]::GetFiles('\\.\pipe\') | Select-String 'containerd|docker'`,
			"let the kubelet's endpoint name the pipe that the runtime serves: npipe:////./pipe/containerd-containerd for containerd, npipe:////./pipe/cri-dockerd for docker with cri-dockerd; or set the runtime's own address back, and restart both").
			Costs("running containers are not touched"),
		checks.Run("crictl --runtime-endpoint npipe:////./pipe/containerd-containerd info", ""),
		checks.Run("{restart kubelet}", "")),
	Links: []string{"https://kubernetes.io/docs/setup/production-environment/container-runtimes/",
		"https://github.com/microsoft/Windows-Containers/issues/210",
		"https://github.com/kubernetes-sigs/sig-windows-tools/blob/master/hostprocess/PrepareNode.ps1"},
	Judges: effectRuntimePipe,
	Needs:  []evidence.Need{evidence.Any(node.KubeletSources...), node.ComponentSources},
	Uses: slices.Concat(node.KubeletSources, node.RuntimeConfigs,
		[]evidence.Need{evidence.CRI, evidence.Node, evidence.Pods}),
	Signs: []checks.Sign{
		{Text: "open //./pipe/containerd", Or: []string{`open \\.\pipe\containerd`,
			`open \\\\.\\pipe\\containerd`}, Not: pipeThere, In: kubeletSays,
			Says: "the kubelet finds no pipe of containerd"},
		{Text: "open //./pipe/cri-dockerd", Or: []string{`open \\.\pipe\cri-dockerd`,
			`open \\\\.\\pipe\\cri-dockerd`}, Not: pipeThere, In: kubeletSays,
			Says: "the kubelet finds no pipe of cri-dockerd"},
		{Text: "open //./pipe/docker", Or: []string{`open \\.\pipe\docker`,
			`open \\\\.\\pipe\\docker`}, Not: pipeThere, In: kubeletSays,
			Says: "the kubelet finds no pipe of docker"},
		{Text: "container runtime endpoint address was not specified or empty",
			Says: "the kubelet is not told where its container runtime is"},
		{Text: "ContainerD service was not detected - please install and start containerD",
			Says: "the node was to be prepared for containerd before containerd was installed"},
		{Text: "container runtime is down", In: append(slices.Clone(kubeletSays), evidence.InNode),
			ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		runtime := n.Components["runtime"]
		if down, err := notRunning(runtime, s, evidence.Phrase{}); err != nil || len(down) > 0 {
			return nil, cmp.Or(err,
				checks.Skip(
					"no container runtime runs on this node, so there is no pipe to speak of"))
		}
		if ready, ok := evidence.Node.In(s).Condition("Ready"); ok && ready.Status == "True" {
			return nil, nil // a kubelet that reports Ready has its runtime
		}
		endpoint := runtimeEndpoint(n, s)
		if !endpoint.Known() {
			return nil, checks.Unknown(endpoint.Gap)
		}
		return servedElsewhere(n, s, endpoint)
	},
})

// The logs in which a kubelet speaks; a missing pipe is other programs' daily bread.
var kubeletSays = []string{"kubelet", evidence.InEvents}

// pipeThere are the marks of a pipe that exists.
var pipeThere = []string{"Access is denied", "All pipe instances are busy"}

// runtimeEndpoint is where the kubelet looks for its runtime.
func runtimeEndpoint(n *node.Node, s evidence.Snapshot) node.Fact[string] {
	var f node.Fact[string]
	if flag, ok := n.KubeletFlag("container-runtime-endpoint"); ok && flag.Value != "" {
		f.Learn(flag.Value, flag.From.Place(), "%s", flag.From.Text)
		return f
	}
	config, file, gap := n.KubeletConfig(s)
	if gap.Kind == "" && config.ContainerRuntimeEndpoint != "" {
		f.Learn(config.ContainerRuntimeEndpoint, file.Field("containerRuntimeEndpoint"),
			"containerRuntimeEndpoint is %s", config.ContainerRuntimeEndpoint)
	}
	f.Gap = cmp.Or(gap,
		evidence.NotShown.Gap("the runtime's endpoint in the kubelet's flags or configuration"))
	if f.From.Path != "" {
		f.Gap = evidence.Gap{}
	}
	return f
}

// servedElsewhere compares the kubelet's pipe with those of the programs that run.
func servedElsewhere(n *node.Node, s evidence.Snapshot,
	endpoint node.Fact[string]) ([]checks.Finding, error) {
	pipe := pipeName(endpoint.Value)
	if !strings.HasPrefix(strings.ToLower(endpoint.Value), "npipe:") || pipe == "" {
		return nil, checks.Unknown(evidence.NotShown.Gap("who serves %s", endpoint.Value))
	}
	f := func(format string, args ...any) []checks.Finding {
		return []checks.Finding{checks.Findingf(checks.Fail, "kubelet", format,
			args...).With(endpoint.From)}
	}
	containerd, docker := programRuns(n, s, "containerd"), programRuns(n, s, "dockerd")
	switch {
	case strings.Contains(pipe, "cri-dockerd"):
		if withoutCRIDockerd(s) {
			return f("the kubelet looks for its runtime at the pipe %s, and no cri-dockerd is on this node", pipe), nil
		}
	case strings.HasPrefix(pipe, "docker"):
		if n.Kubelet.Known() && n.Kubelet.Value.AtLeast(noDockershim) {
			found := f("the kubelet is %s and looks for its runtime at the pipe %s, which it last could use in v1.23", n.Kubelet.Value, pipe)
			found[0] = found[0].With(n.Kubelet.From)
			return found, nil
		}
	case containerd.Path != "":
		address, from := containerdAddress(s)
		if served := pipeName(address); served != pipe {
			if from.Path == "" && pipe != defaultPipe {
				return nil, checks.Unknown(
					evidence.NotShown.Gap("at which pipe containerd listens"))
			}
			found := f("the kubelet looks for its runtime at the pipe %s, and containerd listens at %s", pipe, served)
			found[0] = found[0].With(from)
			return found, nil
		}
	case docker.Path != "" && pipe == defaultPipe:
		if err := couldHide(n.Components["runtime"], s); err != nil {
			return nil, err
		}
		found := f("the kubelet looks for its runtime at the pipe %s of containerd, and the runtime that runs is docker", pipe)
		found[0] = found[0].With(docker)
		return found, nil
	}
	return nil, nil
}

const defaultPipe = "containerd-containerd"

// pipeName is the last part of npipe:////./pipe/NAME or \\.\pipe\NAME.
func pipeName(endpoint string) string {
	_, name, ok := strings.Cut(strings.ToLower(strings.ReplaceAll(endpoint, `\`, "/")), "/pipe/")
	if !ok {
		return ""
	}
	return strings.Trim(path.Clean(strings.TrimSpace(name)), "/.")
}

// containerdAddress is where containerd serves: its own word, then its configuration, then its default.
func containerdAddress(s evidence.Snapshot) (string, evidence.Because) {
	if v, at := evidence.CRIConfigValue(s, "containerdEndpoint"); v != "" {
		return v, at.Because("containerdEndpoint is %s", v)
	}
	if c, file, gap := node.ContainerdConfig(s); gap.Kind == "" {
		address := cmp.Or(c.PipeAddress, `\\.\pipe\`+defaultPipe)
		return address, evidence.InFile(file.Path).Because("grpc.address is %s", address)
	}
	return `\\.\pipe\` + defaultPipe, evidence.Because{}
}

// programRuns shows a program running as a service or a process; its path is empty where nothing does.
func programRuns(n *node.Node, s evidence.Snapshot, name string) evidence.Because {
	for _, svc := range n.Components["runtime"].Services {
		if svc.Running() && (node.EqualsAny(node.Program(svc.BinPath), []string{name}) ||
			node.EqualsAny(svc.Name, []string{name, strings.TrimSuffix(name, "d")})) {
			return svc.Field("state").Because("service %s is %s", svc.Name, svc.State)
		}
	}
	for _, p := range n.Components["runtime"].Processes {
		if node.EqualsAny(node.Program(p.Name), []string{name}) {
			return p.Field("name").Because("process %s runs", p.Name)
		}
	}
	return evidence.Because{}
}
