package faults

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "runtime-pipe-missing",
	Title:    "kubelet uses the wrong container runtime pipe",
	Healthy:  "kubelet uses the pipe of the container runtime",
	Category: checks.CategoryComponents,
	FAQ:      []int{2},
	Doc: `The kubelet connects to its runtime through a named pipe, by default containerd-containerd.
docker needs cri-dockerd, which has its own pipe; up to 1.23 the kubelet itself contained
dockershim. Where the kubelet's endpoint and the runtime's pipe differ, the kubelet does not start,
or the node becomes NotReady with "container runtime is down", although the runtime is running.

The check compares the kubelet's endpoint (from its flag or its configuration) with the running
runtime and the address in containerd's configuration. Another check covers a node without a running
runtime.`,
	Fix: checks.Steps(
		checks.Do("Start the runtime if it does not run, and set the kubelet's runtime endpoint to its pipe: npipe:////./pipe/containerd-containerd for containerd, npipe:////./pipe/cri-dockerd for docker."),
		checks.Run("{restart kubelet}", "Restart the kubelet."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{"https://kubernetes.io/docs/setup/production-environment/container-runtimes/",
		"https://github.com/microsoft/Windows-Containers/issues/210",
		"https://github.com/kubernetes-sigs/sig-windows-tools/blob/master/hostprocess/PrepareNode.ps1"},
	Judges:   effectRuntimePipe,
	Explains: []string{"kubeadm-join-preflight"},
	Needs:    []evidence.Need{evidence.Any(node.KubeletSources...), node.ComponentSources},
	Uses: slices.Concat(node.KubeletSources, node.RuntimeConfigs,
		[]evidence.Need{evidence.CRI, evidence.Node, evidence.Pods}),
	Signs: append(missingPipes(), []checks.Sign{
		// Kubernetes 1.26, and from 1.27 on
		{Text: "container runtime endpoint address was not specified or empty",
			Or:   []string{"the containerRuntimeEndpoint was not specified or empty"},
			Says: "the kubelet has no container runtime endpoint"},
		// util_windows.go of the kubelet and of cri-client, where the endpoint has no npipe://
		{Text: "as endpoint is deprecated, please consider using full url format",
			Also:  []string{"failed to run Kubelet: ", "/pipe/"},
			Until: runtimeReached,
			Says:  "the kubelet exits: its runtime endpoint does not begin with npipe://"},
		{Text: "ContainerD service was not detected - please install and start containerD",
			Until: joined, Says: "PrepareNode.ps1 ran before containerd was installed"},
		{Text: "Docker service was not detected - please install start Docker",
			Until: joined, Says: "PrepareNode.ps1 ran before Docker was installed"},
		{Text: "container runtime is down", In: append(slices.Clone(kubeletSays), evidence.InNode),
			ConfirmOnly: true},
	}...),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		runtime := n.Components["runtime"]
		if down, err := notRunning(runtime, s, evidence.Phrase{}); err != nil || len(down) > 0 {
			return nil, cmp.Or(err,
				checks.Skip(
					"no container runtime is running on this node"))
		}
		if ready, ok := evidence.Node.In(s).Condition("Ready"); ok && ready.Status == "True" {
			return nil, nil // a kubelet that reports Ready has its runtime
		}
		endpoint := n.RuntimeEndpoint(s)
		if !endpoint.Known() {
			return nil, checks.Unknown(endpoint.Gap)
		}
		return servedElsewhere(n, s, endpoint)
	},
})

// missingPipes are the pipes that a kubelet may miss, each with three signs: of one that exits over it,
// and of one that goes on, which misses the pipe for a moment whenever its runtime restarts. kubeadm
// looks for the pipe of the kubelet before it joins the machine.
func missingPipes() []checks.Sign {
	var list []checks.Sign
	for _, pipe := range []struct{ name, says string }{
		{"containerd", "the containerd pipe that the kubelet uses does not exist"},
		{"cri-dockerd", "the cri-dockerd pipe that the kubelet uses does not exist"},
		{"docker", "the docker pipe that the kubelet uses does not exist"},
	} {
		exits := checks.Sign{Text: "open //./pipe/" + pipe.name, Or: []string{
			`open \\.\pipe\` + pipe.name, `open \\\\.\\pipe\\` + pipe.name},
			Also: []string{"failed to run Kubelet"}, Not: pipeThere, In: kubeletSays,
			Until: runtimeReached, Says: pipe.says}
		goesOn := exits
		goesOn.Also, goesOn.Not = nil, append([]string{"failed to run Kubelet"}, pipeThere...)
		goesOn.Lasts = time.Minute
		kubeadm := exits
		kubeadm.Also, kubeadm.In, kubeadm.Until = []string{"[ERROR CRI]"}, []string{"kubeadm", "other"}, joined
		list = append(list, exits, goesOn, kubeadm)
	}
	return list
}

// runtimeReached is what a kubelet says whose runtime has answered at its start:
// pkg/kubelet/kuberuntime of Kubernetes, since 1.22 and before.
var runtimeReached = append([]string{`"Container runtime initialized"`, "initialized, version:"},
	nodeRegistered...)

// The logs in which a kubelet speaks; a missing pipe is other programs' daily bread.
var kubeletSays = []string{"kubelet", evidence.InEvents}

// pipeThere are the marks of a pipe that exists.
var pipeThere = []string{"Access is denied", "All pipe instances are busy"}

// servedElsewhere compares the kubelet's pipe with those of the programs that run.
func servedElsewhere(n *node.Node, s evidence.Snapshot,
	endpoint node.Fact[string]) ([]*checks.Finding, error) {
	pipe := pipeName(endpoint.Value)
	if !strings.HasPrefix(strings.ToLower(endpoint.Value), "npipe:") || pipe == "" {
		return nil, checks.Unknown(evidence.NotShown.Gap("who serves %s", endpoint.Value))
	}
	f := func(format string, args ...any) []*checks.Finding {
		return []*checks.Finding{checks.Findingf(checks.Fail, "kubelet", format,
			args...).With(endpoint.From)}
	}
	containerd, docker := programRuns(n, s, "containerd"), programRuns(n, s, "dockerd")
	switch {
	case strings.Contains(pipe, "cri-dockerd"):
		if withoutCRIDockerd(s) {
			return f("kubelet uses pipe %s, but cri-dockerd is not on this node", pipe), nil
		}
	case strings.HasPrefix(pipe, "docker"):
		if n.Kubelet.Known() && n.Kubelet.Value.AtLeast(noDockershim) {
			found := f("kubelet %s uses pipe %s, which is supported only up to v1.23",
				n.Kubelet.Value, pipe)
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
			found := f("kubelet uses pipe %s, but containerd listens on %s", pipe, served)
			found[0] = found[0].With(from)
			if file, ok := evidence.WindowsPath(from.Path); ok {
				found[0] = found[0].Cure(containerdPipeFix(s, file, served, pipe))
			}
			return found, nil
		}
		if _, _, gap := node.About(s).ContainerdConfig(s); from.Path == "" && gap.Kind != evidence.Absent {
			return nil, checks.Unknown(gap)
		}
	case docker.Path != "" && pipe == defaultPipe:
		if err := couldHide(n.Components["runtime"], s); err != nil {
			return nil, err
		}
		found := f("kubelet uses containerd pipe %s, but the running runtime is docker", pipe)
		found[0] = found[0].With(docker)
		return found, nil
	}
	return nil, nil
}

// containerdPipeFix puts containerd's address back to the pipe that the kubelet uses.
func containerdPipeFix(s evidence.Snapshot, file, served, pipe string) checks.Fix {
	at := lineWith(s.File(file).Text, served)
	return checks.Steps(
		checks.EditAt(s, evidence.InLine(evidence.EvidencePath(file), at),
			func(line string) string {
				from := strings.LastIndex(strings.ToLower(line), served)
				return line[:from] + pipe + line[from+len(served):]
			}, "Set the address to the pipe that the kubelet uses."),
		checks.Run("{restart runtime}", "Restart containerd: it reads the file at its start."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready"))
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
	if c, file, gap := node.About(s).ContainerdConfig(s); gap.Kind == "" {
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
