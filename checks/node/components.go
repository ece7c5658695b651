package node

import (
	"path"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
)

// A Component is one of the programs that make a Windows machine a node, as
// far as the evidence shows it: a service, a process, a HostProcess pod, or
// several of them.
type Component struct {
	Name      string // kubelet, kube-proxy, flanneld, runtime
	Services  []evidence.Service
	Processes []evidence.Process
	Pods      []evidence.Pod

	Program        []string // names of its program
	Service        []string // names of its service
	Pod            []string // beginnings of its pods' names
	ParentServices []string // services that run it as a child or in their own process: rke2, k3s

	booted time.Time // zero where that is not recorded
}

// k3s runs all but containerd in its own process, on Windows too since v1.25.15: k3s-io/k3s, pull
// request 7259.
var rancherServices = []string{"rke2", "k3s"}

func (n *Node) learnComponents(s evidence.Snapshot) {
	n.Components = map[string]*Component{}
	for _, c := range []*Component{
		{Name: "kubelet", Program: []string{"kubelet"}, Service: []string{"kubelet"},
			ParentServices: rancherServices},
		{Name: "kube-proxy", Program: []string{"kube-proxy", "kubeproxy"},
			Service: []string{"kube-proxy", "kubeproxy"}, Pod: []string{"kube-proxy"},
			ParentServices: rancherServices},
		{Name: "flanneld", Program: []string{"flanneld"}, Service: []string{"flanneld", "flannel"},
			Pod: []string{"kube-flannel", "flannel"}, ParentServices: rancherServices},
		{Name: "runtime", Program: []string{"containerd", "dockerd"},
			Service: []string{"containerd", "docker", "dockerd"}, ParentServices: rancherServices},
	} {
		c.find(s)
		n.Components[c.Name] = c
	}
}

// find looks for what runs the component.
func (c *Component) find(s evidence.Snapshot) {
	c.booted = evidence.OSInfo.In(s).BootedAt.Time
	for _, svc := range evidence.Services.In(s) {
		if EqualsAny(svc.Name, c.Service) || EqualsAny(Program(svc.BinPath), c.Program) {
			c.Services = append(c.Services, svc)
		}
	}
	for _, p := range evidence.Processes.In(s) {
		if EqualsAny(Program(p.Name), c.Program) {
			c.Processes = append(c.Processes, p)
		}
	}
	for _, p := range evidence.Pods.In(s) {
		if len(c.Pod) > 0 && p.HostProcess() &&
			slices.ContainsFunc(c.Pod, func(start string) bool {
				return strings.HasPrefix(p.Metadata.Name, start)
			}) {
			c.Pods = append(c.Pods, p)
		}
	}
}

// Program is the name of an executable without folder and extension.
func Program(file string) string {
	file = path.Base(strings.ReplaceAll(strings.Trim(file, `"`), `\`, "/"))
	if strings.HasSuffix(strings.ToLower(file), ".exe") {
		file = file[:len(file)-4]
	}
	return file
}

// EqualsAny reports whether s is in the list, in any case, as Windows compares names.
//
//go:noinline
func EqualsAny(s string, list []string) bool {
	return slices.ContainsFunc(list, func(v string) bool { return strings.EqualFold(s, v) })
}

// OwnArgs are the arguments of the component itself, where a wrapper has its own in front.
func (c *Component) OwnArgs(args []string) []string { return OwnArgs(args, c.Program) }

// OwnArgs are the arguments of the first of the programs among them: a wrapper, such as
// kube-log-runner or EKS' service host, has its own in front.
func OwnArgs(args, programs []string) []string {
	at := slices.IndexFunc(args, func(a string) bool { return IsProgramPath(a, programs) })
	return args[at+1:]
}

// IsProgramPath tells whether an argument is the path of one of the programs.
func IsProgramPath(arg string, programs []string) bool {
	return EqualsAny(Program(arg), programs) && !strings.HasPrefix(arg, "-") &&
		strings.HasSuffix(strings.ToLower(strings.Trim(arg, `"`)), ".exe")
}

// ComponentSources is the evidence that shows whether a component runs.
var ComponentSources = evidence.Any(evidence.Services, evidence.Processes)

// FewProcesses tells a list that somebody began by hand from one of a machine; an empty one says that there is none.
const FewProcesses = 4

// Running tells whether the component runs, and what shows it.
func (c *Component) Running() (bool, evidence.Because) {
	for i, svc := range c.Services {
		if svc.Running() {
			return true, svc.Field("state").Because("service %s is %s", c.Services[i].Name,
				svc.State)
		}
	}
	for _, p := range c.Processes {
		return true, p.Field("pid").Because("process %s has pid %d", p.Name, p.PID)
	}
	for _, p := range c.Pods {
		statuses := p.Status.ContainerStatuses
		if len(statuses) == 0 && p.Ready() || len(statuses) > 0 && p.Status.Phase == "Running" && !c.BeforeBoot(p) &&
			!slices.ContainsFunc(statuses, func(st evidence.ContainerStatus) bool { return st.State.Running == nil }) {
			return true, p.Field("status", "phase").Because("HostProcess pod %s runs", p.FullName())
		}
	}
	return false, evidence.Because{}
}

// BeforeBoot tells a pod whose containers the kubelet has last reported before Windows booted: none lives
// through that.
func (c *Component) BeforeBoot(p evidence.Pod) bool { return StartedBefore(p, c.booted) }

// StartedBefore reports whether a container of the pod runs since before t.
func StartedBefore(p evidence.Pod, t time.Time) bool {
	return slices.ContainsFunc(p.Status.ContainerStatuses, func(st evidence.ContainerStatus) bool {
		run := st.State.Running
		return run != nil && !run.StartedAt.IsZero() && run.StartedAt.Before(t)
	})
}
