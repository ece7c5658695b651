package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// inK3s tells whether the component runs inside the process k3s, whose Windows agent has the kubelet,
// kube-proxy and flannel in it and only containerd as a child: k3s-io/k3s, pull request 7259.
func inK3s(c *node.Component, s evidence.Snapshot) bool {
	if c.Name == "runtime" {
		return false
	}
	return slices.ContainsFunc(evidence.Processes.In(s), func(p evidence.Process) bool {
		return strings.EqualFold(node.Program(p.Name), "k3s")
	})
}

// notRunning judges a component by everything that could show it running. That
// nothing shows it is only a fault where everything was looked at.
func notRunning(c *node.Component, s evidence.Snapshot,
	consequence evidence.Phrase) ([]*checks.Finding, error) {
	findings, err := foundStopped(c, s, consequence)
	if c.Name == "runtime" || len(findings) == 0 || !beforeJoin(s) {
		return findings, err
	}
	f := findings[0]
	f.Level, f.Format, f.Args = checks.Info, "%s is not running: expected before kubeadm join", []any{label(c)}
	return findings, nil
}

// neverStarted tells a service that Windows does not start at the boot, and that nobody has started since:
// ERROR_SERVICE_NEVER_STARTED is its exit code until then.
func neverStarted(svc evidence.Service) bool {
	return !svc.Running() && startedByHand(svc) && svc.Exit() == 1077
}

// startedByHand tells a service that Windows does not start at the boot.
func startedByHand(svc evidence.Service) bool {
	start := strings.ToLower(svc.StartType)
	return strings.HasPrefix(start, "manual") || strings.HasPrefix(start, "demand") || strings.HasPrefix(start, "disabled")
}

// onlyWrapped tells a service whose script or nssm runs without the program: that ends at its start.
func onlyWrapped(c *node.Component, s evidence.Snapshot) bool {
	return len(evidence.Processes.In(s)) >= fewProcesses && len(c.Processes) == 0 && len(c.Services) > 0 &&
		c.Services[0].Running() && !node.EqualsAny(node.Program(c.Services[0].BinPath), c.Program) && !inK3s(c, s)
}

func foundStopped(c *node.Component, s evidence.Snapshot,
	consequence evidence.Phrase) ([]*checks.Finding, error) {
	if running, _ := c.Running(); running {
		if onlyWrapped(c, s) {
			return nil, checks.Unknown(evidence.NotShown.Gap("whether %s runs: of its service only the wrapper does", c.Name))
		}
		return nil, nil
	}
	if len(c.Services) > 0 {
		if len(c.Pod) > 0 && !evidence.Processes.Known(s) && !evidence.Pods.Known(s) &&
			!strings.HasPrefix(strings.ToLower(c.Services[0].StartType), "auto") {
			// a leftover service may stand beside the pod that took over
			return nil, checks.Unknown(evidence.Pods.Gap(s))
		}
		svc := c.Services[0]
		f := checks.Findingf(checks.Fail, svc.Name, "service %s is %s; %s", svc.Name, svc.State,
			consequence).
			At(svc.Field("state"), "%s: state %s, start type %s, exit code %d", svc.Name, svc.State,
				orUnknown(svc.StartType), svc.Exit())
		if strings.EqualFold(svc.StartType, "disabled") ||
			neverStarted(svc) && !beforeJoin(s) && !startedByPlatform(node.About(s), svc) {
			f = f.Cure(checks.Steps(
				checks.Run("Set-Service "+svc.Name+" -StartupType Automatic; Start-Service "+svc.Name,
					"Enable and start service %s.", svc.Name).
					Costs("New connections of this node's pods may fail for a few seconds."),
				checks.Verify("Get-Service "+svc.Name, "Status is Running")))
		}
		return []*checks.Finding{f}, nil
	}
	if len(c.Pods) > 0 && !c.BeforeBoot(c.Pods[0]) {
		p := c.Pods[0]
		return []*checks.Finding{checks.Findingf(checks.Fail, p.FullName(),
			"HostProcess pod of %s is not running: %s; %s", c.Name, podState(p), consequence).
			At(p.Field("status"), "%s: %s", p.FullName(), podState(p))}, nil
	}
	var agent evidence.Service
	for _, svc := range evidence.Services.In(s) {
		if !node.EqualsAny(svc.Name, c.ParentServices) {
			continue
		}
		agent = svc
		if !svc.Running() && len(c.Processes) == 0 {
			return []*checks.Finding{checks.Findingf(checks.Fail, svc.Name,
				"service %s, which runs %s, is %s; %s", svc.Name, c.Name, svc.State, consequence).
				At(svc.Field("state"), "%s: state %s, exit code %d", svc.Name, svc.State,
					svc.Exit())}, nil
		}
	}
	if inK3s(c, s) {
		return nil, nil
	}
	if err := couldHide(c, s); err != nil {
		return nil, err
	}
	if c.Name != "runtime" && noKubernetes(s) {
		return nil, errNoKubernetes
	}
	f := checks.Findingf(checks.Fail, c.Name, "%s is not running; %s", label(c), consequence)
	if agent.Running() {
		f = f.At(agent.Field("state"), "%s: state %s", agent.Name, agent.State).Cure(agentFix(agent.Name))
	}
	if evidence.Services.Known(s) {
		f = f.At(evidence.Services.Field(s), "none of its %d services is %s",
			len(evidence.Services.In(s)), strings.Join(c.Service, " or "))
	}
	if evidence.Processes.Known(s) {
		f = f.At(evidence.Processes.Field(s), "none of its %d processes is %s.exe",
			len(evidence.Processes.In(s)), strings.Join(c.Program, ".exe or "))
	}
	return []*checks.Finding{f}, nil
}

// agentFix is for an agent that runs and has not started its components: to start it changes nothing.
func agentFix(service string) checks.Fix {
	read := checks.Do("Read the log of %s: it starts its components after it has joined the cluster.", service)
	if strings.EqualFold(service, "rke2") {
		read = checks.Inspect("Get-WinEvent -FilterHashtable @{LogName='Application'; ProviderName='rke2'} -MaxEvents 50 | Format-List TimeCreated, Message",
			"Read what the agent reports: it starts its components after it has joined the cluster.")
	}
	return checks.Steps(read,
		checks.Run("Restart-Service "+service, "Fix the error, then restart the agent.").
			Costs("The kubelet and the network agents of the node restart."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready"))
}

// couldHide tells whether the component could run where nobody looked: from a
// console, as a child of another service, or in a HostProcess pod. Every form
// of running is a process in the end.
func couldHide(c *node.Component, s evidence.Snapshot) error {
	if gap := evidence.Processes.Gap(s); gap.Kind != "" {
		return checks.Unknown(gap)
	}
	if n := len(evidence.Processes.In(s)); n > 0 && n < fewProcesses {
		return checks.Unknown(evidence.ListIncomplete.Gap("processes"))
	}
	return nil
}

var errNoKubernetes = checks.Skip("this machine runs containers without Kubernetes")

// noKubernetes tells a machine of docker or containerd that nobody has made a node: the files of
// Kubernetes were looked for, and none is there. A node that lost a service has some of them.
func noKubernetes(s evidence.Snapshot) bool {
	n, looked := node.About(s), false
	for _, f := range evidence.FileIndex.In(s) {
		path := strings.ToLower(f.Path)
		switch {
		case f.Outcome == evidence.Absent:
			looked = true
		case !strings.Contains(path, `\docker\`) && !strings.Contains(path, `\containerd\`) &&
			!strings.Contains(path, `\windows\`):
			return false
		}
	}
	for _, c := range n.Components {
		if c.Name != "runtime" && len(c.Services)+len(c.Processes)+len(c.Pods) > 0 {
			return false
		}
	}
	return looked && !n.Kubelet.Known() && !n.CNI.Known() && !n.Platform.Known() &&
		!evidence.Node.Known(s)
}

const fewProcesses = node.FewProcesses

func label(c *node.Component) evidence.Phrase {
	if c.Name == "runtime" {
		return evidence.Phrasef("the container runtime")
	}
	return verbatim(c.Name)
}

func orUnknown(s string) evidence.Phrase { return orPhrase(s, evidence.Phrasef("not recorded")) }

// podState is why a pod is not running, in a few words.
func podState(p evidence.Pod) evidence.Phrase {
	for _, st := range p.Statuses() {
		if w := st.State.Waiting; w != nil {
			return evidence.Phrasef("container %s is waiting: %s", st.Name, w.Reason)
		}
		if t := st.State.Terminated; t != nil && t.ExitCode != 0 {
			return evidence.Phrasef("container %s ended with exit code %d", st.Name, t.ExitCode)
		}
	}
	return evidence.Phrasef("phase %s", orUnknown(p.Status.Phase))
}
