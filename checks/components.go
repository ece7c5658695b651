package checks

import (
	"fmt"
	"path"
	"slices"
	"strings"

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

	program []string // names of its program
	service []string // names of its service
	pod     []string // beginnings of its pods' names
	parents []string // services that run it as a child: rke2
}

func components() map[string]*Component {
	list := []*Component{
		{Name: "kubelet", program: []string{"kubelet"}, service: []string{"kubelet"}, parents: []string{"rke2"}},
		{Name: "kube-proxy", program: []string{"kube-proxy", "kubeproxy"}, service: []string{"kube-proxy", "kubeproxy"}, pod: []string{"kube-proxy"}, parents: []string{"rke2"}},
		{Name: "flanneld", program: []string{"flanneld"}, service: []string{"flanneld", "flannel"}, pod: []string{"kube-flannel", "flannel"}, parents: []string{"rke2"}},
		{Name: "runtime", program: []string{"containerd", "dockerd"}, service: []string{"containerd", "docker", "dockerd"}, parents: []string{"rke2"}},
	}
	byName := map[string]*Component{}
	for _, c := range list {
		byName[c.Name] = c
	}
	return byName
}

func (n *Node) learnComponents(s evidence.Snapshot) {
	n.Components = components()
	services, processes, pods := evidence.Services.In(s), evidence.Processes.In(s), evidence.Pods.In(s)
	for _, c := range n.Components {
		for _, svc := range services {
			if oneOf(svc.Name, c.service) || oneOf(program(svc.BinPath), c.program) {
				c.Services = append(c.Services, svc)
			}
		}
		for _, p := range processes {
			if oneOf(program(p.Name), c.program) {
				c.Processes = append(c.Processes, p)
			}
		}
		for _, p := range pods {
			if len(c.pod) > 0 && p.HostProcess() && slices.ContainsFunc(c.pod, func(start string) bool { return strings.HasPrefix(p.Metadata.Name, start) }) {
				c.Pods = append(c.Pods, p)
			}
		}
	}
}

// program is the name of an executable without folder and extension.
func program(file string) string {
	file = path.Base(strings.ReplaceAll(strings.Trim(file, `"`), `\`, "/"))
	if strings.HasSuffix(strings.ToLower(file), ".exe") {
		file = file[:len(file)-4]
	}
	return file
}

func oneOf(s string, list []string) bool {
	return slices.ContainsFunc(list, func(v string) bool { return strings.EqualFold(s, v) })
}

// ownArgs are the arguments of the component itself, where a wrapper such as
// kube-log-runner has its own in front.
func (c *Component) ownArgs(args []string) []string {
	for i, a := range args {
		if oneOf(program(a), c.program) && strings.HasSuffix(strings.ToLower(strings.Trim(a, `"`)), ".exe") {
			return args[i+1:]
		}
	}
	return args
}

// componentSources is the evidence that shows whether a component runs.
var componentSources = evidence.Any(evidence.Services, evidence.Processes)

// Running tells whether the component runs, and what shows it.
func (c *Component) Running() (bool, Because) {
	for i, svc := range c.Services {
		if svc.Running() {
			return true, Because{Path: evidence.Services.Path(), Text: fmt.Sprintf("service %s is %s", c.Services[i].Name, svc.State)}
		}
	}
	for _, p := range c.Processes {
		return true, Because{Path: evidence.Processes.Path(), Text: fmt.Sprintf("process %s has pid %d", p.Name, p.PID)}
	}
	for _, p := range c.Pods {
		if len(p.Status.ContainerStatuses) == 0 && p.Ready() || p.Status.Phase == "Running" && allRunning(p) {
			return true, Because{Path: evidence.Pods.Path(), Text: fmt.Sprintf("HostProcess pod %s runs", p.FullName())}
		}
	}
	return false, Because{}
}

func allRunning(p evidence.Pod) bool {
	if len(p.Status.ContainerStatuses) == 0 {
		return false
	}
	for _, st := range p.Status.ContainerStatuses {
		if st.State.Running == nil {
			return false
		}
	}
	return true
}

// notRunning judges a component by everything that could show it running. That
// nothing shows it is only a fault where everything was looked at.
func (c *Component) notRunning(s evidence.Snapshot, consequence string) ([]Finding, error) {
	if running, _ := c.Running(); running {
		return nil, nil
	}
	if len(c.Services) > 0 {
		if len(c.pod) > 0 && !evidence.Processes.Known(s) && !evidence.Pods.Known(s) && !strings.HasPrefix(strings.ToLower(c.Services[0].StartType), "auto") {
			return nil, Unknown(evidence.Pods.Gap(s)) // a leftover service may stand beside the pod that took over
		}
		svc := c.Services[0]
		f := Findingf(Fail, svc.Name, "service %s is %s; %s", svc.Name, svc.State, consequence).
			At(evidence.Services.Path(), "%s: state %s, start type %s, exit code %d", svc.Name, svc.State, orUnknown(svc.StartType), svc.Exit())
		if strings.EqualFold(svc.StartType, "disabled") {
			f = f.Cure(Fix{
				Text:     "find out who disabled service " + svc.Name + ", then let it start with the machine again",
				Commands: []string{"Set-Service " + svc.Name + " -StartupType Automatic", "Start-Service " + svc.Name},
				Impact:   "as the component starts: new connections of this node's pods may fail for some seconds",
			})
		}
		return []Finding{f}, nil
	}
	if len(c.Pods) > 0 {
		p := c.Pods[0]
		return []Finding{Findingf(Fail, p.FullName(), "the HostProcess pod of %s does not run: %s; %s", c.Name, podState(p), consequence).
			At(evidence.Pods.Path(), "%s: %s", p.FullName(), podState(p))}, nil
	}
	for _, svc := range evidence.Services.In(s) {
		if oneOf(svc.Name, c.parents) && !svc.Running() && len(c.Processes) == 0 {
			return []Finding{Findingf(Fail, svc.Name, "service %s, which runs %s, is %s; %s", svc.Name, c.Name, svc.State, consequence).
				At(evidence.Services.Path(), "%s: state %s, exit code %d", svc.Name, svc.State, svc.Exit())}, nil
		}
	}
	if err := c.couldHide(s); err != nil {
		return nil, err
	}
	f := Findingf(Fail, c.Name, "nothing shows %s running; %s", c.label(), consequence)
	if evidence.Services.Known(s) {
		f = f.At(evidence.Services.Path(), "none of its %d services is %s", len(evidence.Services.In(s)), strings.Join(c.service, " or "))
	}
	if evidence.Processes.Known(s) {
		f = f.At(evidence.Processes.Path(), "none of its %d processes is %s.exe", len(evidence.Processes.In(s)), strings.Join(c.program, ".exe or "))
	}
	return []Finding{f}, nil
}

// couldHide tells whether the component could run where nobody looked: from a
// console, as a child of another service, or in a HostProcess pod. Every form
// of running is a process in the end.
func (c *Component) couldHide(s evidence.Snapshot) error {
	if gap := evidence.Processes.Gap(s); gap != "" {
		return Unknown(gap)
	}
	if n := len(evidence.Processes.In(s)); n > 0 && n < fewProcesses {
		return Unknown(evidence.Gap(fmt.Sprintf("%s: this recording lists only %d of the processes", evidence.NotCollected, n)))
	}
	return nil
}

// fewProcesses tells a list that somebody began by hand from one of a machine; an empty one says that there is none.
const fewProcesses = 4

func (c *Component) label() string {
	if c.Name == "runtime" {
		return "a container runtime"
	}
	return c.Name
}

func orUnknown(s string) string {
	if s == "" {
		return "not recorded"
	}
	return s
}

// podState is why a pod is not running, in a few words.
func podState(p evidence.Pod) string {
	for _, st := range p.Statuses() {
		if w := st.State.Waiting; w != nil {
			return fmt.Sprintf("container %s waits: %s", st.Name, w.Reason)
		}
		if t := st.State.Terminated; t != nil && t.ExitCode != 0 {
			return fmt.Sprintf("container %s ended with exit code %d", st.Name, t.ExitCode)
		}
	}
	return "phase " + orUnknown(p.Status.Phase)
}
