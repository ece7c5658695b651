package faults

import (
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "network-agent-not-running",
	Title:    "Network agent is not running",
	Healthy:  "Network agent is running",
	Category: checks.CategoryComponents,
	FAQ:      []int{1, 2},
	Doc: `Felix of Calico, antrea-agent and hybrid-overlay-node set up the traffic of pods to other nodes and apply
NetworkPolicies. Without them the pods that run keep what was set up, and nothing follows the changes of the cluster:
pods on other nodes become unreachable, and NetworkPolicies do not change. New pods of Antrea get no network, because
its CNI plugin asks the agent. RKE2 starts Felix once and, before December 2025, does not restart it.

The check looks for the services CalicoNode, CalicoFelix, antrea-agent and hybrid-overlay-node, the process, and the
HostProcess pod. Services that are left over where HostProcess pods run are no fault, and neither are services of Calico
that are disabled on a node with another pod network. After a boot the check waits for ten minutes.`,
	Fix: startAgent("{start network agent}"),
	Links: []string{"https://github.com/rancher/rke2/issues/7440", "https://github.com/rancher/rke2/issues/9324",
		"https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/troubleshoot",
		"https://github.com/antrea-io/antrea/blob/main/docs/windows.md",
		"https://github.com/antrea-io/antrea/issues/832"},
	Judges: effectNetworkAgent,
	Needs:  []evidence.Need{evidence.Any(evidence.Services, evidence.Processes, evidence.Pods)},
	Uses:   append(slices.Clone(joinSources), evidence.OSInfo),
	Signs: []checks.Sign{
		{Text: `\cnisock: `, Also: []string{"while dialing", "cannot find the file specified"},
			Level: checks.Warn, Until: []string{"CNI server is listening", "Received CmdAdd request", "Started container"},
			Says: "the agent of Antrea does not serve its pipe: it is not running, or is starting"},
		// what made it exit is in its own log
		{Text: "Felix exited", Not: []string{"restarting"}, In: []string{evidence.InEvents, "rke2"}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		of, policyOnly := n.CNI.Value, false
		if c := node.Agent(s, of); c == nil && len(node.Agent(s, node.Calico).Services) > 0 {
			of, policyOnly = node.Calico, true
		}
		c := node.Agent(s, of)
		if c == nil {
			return nil, checks.RequireCNI(n, node.Calico, node.Antrea, node.OVN)
		}
		findings, err := agentStopped(s, c, policyOnly)
		booted := evidence.OSInfo.In(s).BootedAt.Time
		if len(findings) > 0 && !booted.IsZero() && s.Now().Sub(booted) < 10*time.Minute {
			return nil, checks.Unknown(evidence.NotShown.Gap("whether Windows has started its automatic services"))
		}
		if err == nil && !policyOnly {
			for i := range findings {
				findings[i] = findings[i].Explaining(lacksPlugin...).Explaining("calico-node-not-started")
				if of == node.Antrea {
					findings[i] = findings[i].Explaining("pods-stuck-creating")
				}
			}
		}
		return findings, err
	},
})

func startAgent(command string) checks.Fix {
	return checks.Steps(
		checks.Run(command, "Start the network agent.").
			Costs("If the agent creates the HNS network, the node's connections drop for a few seconds."),
		checks.Inspect("Get-ChildItem C:\\CalicoWindows\\logs, C:\\k\\antrea\\logs, C:\\var\\log, C:\\var\\lib\\rancher\\rke2\\agent\\logs -Recurse -Include felix*.log, calico*.log, antrea-agent*.log, hybrid-overlay*.log -ErrorAction SilentlyContinue | Sort-Object LastWriteTime | Select-Object -Last 1 | Get-Content -Tail 30",
			"If it stops again, read the last lines of the agent's log and fix the error."),
		checks.Verify("Get-Process calico-node, antrea-agent, hybrid-overlay-node -ErrorAction SilentlyContinue",
			"a process of the agent"))
}

// agentStopped judges each service of the agent, since Calico has two, and what else runs it by notRunning.
func agentStopped(s evidence.Snapshot, c *node.Component, policyOnly bool) ([]*checks.Finding, error) {
	consequence := evidence.Phrasef("the network and the NetworkPolicies of pods do not follow changes")
	var stopped []evidence.Service
	for _, svc := range c.Services {
		if !svc.Running() {
			stopped = append(stopped, svc)
		}
	}
	elsewhere := slices.ContainsFunc(c.Processes, func(p evidence.Process) bool { return len(p.Args) > 0 }) ||
		len(stopped) == len(c.Services) && len(c.Pods)+len(c.Processes) > 0
	if len(stopped) == 0 || elsewhere {
		c.Services = slices.DeleteFunc(c.Services, func(svc evidence.Service) bool { return !svc.Running() }) // left over
		return agentWithoutService(s, c, consequence)
	}
	var findings []*checks.Finding
	// services of Calico may be left over from before another plugin
	unsure := policyOnly || c.Name == "calico-node" && node.About(s).CNI.From.Path == evidence.Services.Path()
	for _, svc := range stopped {
		automatic := strings.HasPrefix(strings.ToLower(svc.StartType), "auto") || strings.HasPrefix(strings.ToLower(svc.StartType), "delayed")
		switch {
		case policyOnly && svc.StartType != "" && !automatic:
			return nil, checks.Skip("the services of Calico do not start automatically, and the pod network is of another plugin")
		case unsure && (!automatic || len(stopped) == len(c.Services)), svc.State != "stopped",
			svc.Exit() == exitNeverStarted && evidence.OSInfo.In(s).BootedAt.IsZero():
			return nil, checks.Unknown(evidence.NotShown.Gap("whether %s runs: its service is %s", svc.Name, svc.State))
		case len(stopped) == len(c.Services) && !evidence.Pods.Known(s):
			if err := couldHide(c, s); err != nil { // HostProcess containers may have replaced the services
				return nil, err
			}
		}
		one := *c
		one.Services, one.Processes, one.Pods = []evidence.Service{svc}, nil, nil
		found, err := notRunning(&one, s, consequence)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if len(f.Fix.Steps) == 0 { // the agent's command is that of CalicoNode
				f = f.Cure(startAgent("Start-Service " + svc.Name))
			}
			findings = append(findings, f)
		}
	}
	return findings, nil
}

// agentWithoutService judges an agent of which no service is stopped.
func agentWithoutService(s evidence.Snapshot, c *node.Component, consequence evidence.Phrase) ([]*checks.Finding, error) {
	n := node.About(s)
	if slices.ContainsFunc(c.Pods, func(p evidence.Pod) bool {
		return !c.BeforeBoot(p) && slices.ContainsFunc(p.Status.ContainerStatuses, func(st evidence.ContainerStatus) bool {
			return st.State.Running != nil && (strings.HasSuffix(st.Name, "felix") || st.Name == c.Name)
		})
	}) {
		return nil, nil
	}
	if len(c.Services)+len(c.Processes) == 0 && slices.ContainsFunc(c.Pods, func(p evidence.Pod) bool {
		return p.Status.Phase == "Running" && len(p.Status.ContainerStatuses) == 0
	}) {
		return nil, checks.Unknown(evidence.NotShown.Gap("the containers of %s", c.Pods[0].FullName()))
	}
	if len(c.Services)+len(c.Pods)+len(c.Processes) == 0 {
		if n.CNI.Value == node.OVN {
			return nil, checks.Unknown(evidence.NotShown.Gap("the service %s", c.Service[0]))
		}
		if n.CNI.From.Path == evidence.HNSNetworks.Path() {
			return nil, checks.Unknown(evidence.NotShown.Gap("who made the HNS network of pods"))
		}
		if svc, there := node.ServiceNamed(s, "rke2"); there && svc.Running() {
			if _, settled, err := settledRKE2(s); err != nil || !settled {
				return nil, checks.Unknown(evidence.NotShown.Gap("whether %s has started %s", svc.Name, c.Name))
			}
		}
	}
	return notRunning(c, s, consequence)
}
