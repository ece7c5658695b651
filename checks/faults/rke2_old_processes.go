package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// rke2Children are the programs that the agent starts itself. Shims of containers outlive it by design.
var rke2Children = []string{"containerd", "kubelet", "kube-proxy", "calico-node", "flanneld"}

var _ = register(&checks.Check{
	ID:       "rke2-old-processes",
	Title:    "Processes of an earlier RKE2 agent still run",
	Healthy:  "No process of an earlier RKE2 agent runs",
	Category: checks.CategoryComponents,
	Doc: `The RKE2 agent on Windows starts containerd, the kubelet, kube-proxy and Calico as its child processes. When
the service is stopped or upgraded, it may leave some of them, or itself, behind. The new agent cannot
start its own then: the old ones have the pipe and the ports, and the log repeats "Calico exited: context
canceled. Retrying". The node does not become Ready until the old processes end.

The check looks for an agent that is not the process of the service, and for programs of RKE2 that were
started before that process and are not its children. It is a warning while the kubelet runs.`,
	Fix: checks.Steps(
		checks.Run("Stop-Service rke2; Get-Process rke2, kubelet, kube-proxy, containerd, calico-node, flanneld -ErrorAction SilentlyContinue | Stop-Process -Force",
			"Stop the service, and end the processes that remain.").
			Costs("Containers keep running, but nothing manages them until the service is started again."),
		checks.Run("Start-Service rke2", "Start the service. If the node does not become Ready, reboot it."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/rancher/rancher/issues/42137",
		"https://github.com/rancher/rke2/issues/2204",
		"https://github.com/rancher/rke2/issues/1470",
	},
	Breaks:   []*checks.Effect{effectKubelet},
	Explains: []string{"component-crash-loop", "containerd-started-twice", "kubelet-port-in-use"},
	Needs:    []evidence.Need{evidence.Services, evidence.Processes},
	Signs: []checks.Sign{
		{Text: "Calico exited: context canceled", ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		processes := evidence.Processes.In(s)
		at := slices.IndexFunc(evidence.Services.In(s), func(svc evidence.Service) bool {
			return strings.EqualFold(svc.Name, "rke2")
		})
		if at < 0 {
			return nil, checks.Skip("there is no service rke2")
		}
		svc := evidence.Services.In(s)[at]
		own := slices.IndexFunc(processes, func(p evidence.Process) bool { return p.PID == svc.PID })
		if !svc.Running() {
			return nil, checks.Skip("%s is not running", svc.Name)
		}
		if own < 0 || processes[own].StartedAt.IsZero() {
			return nil, checks.Unknown(evidence.NotShown.Gap("who started %s", svc.Name))
		}
		level := checks.Warn
		if running, _ := node.About(s).Components["kubelet"].Running(); !running {
			level = checks.Fail
		}
		var findings []*checks.Finding
		for _, p := range processes {
			program := strings.ToLower(node.Program(p.Name))
			agent := program == "rke2" && slices.Contains(p.Args, "agent")
			if p.PPID == 0 || !agent && !(slices.Contains(rke2Children, program) && inRKE2(p.Exe)) ||
				p.StartedAt.IsZero() || !p.StartedAt.Before(processes[own].StartedAt.Time) || descends(processes, p, svc.PID) {
				continue
			}
			findings = append(findings, checks.Findingf(level, p.Name, "%s (process %d) is of an earlier agent of RKE2: the service's process is %d",
				p.Name, p.PID, svc.PID).
				At(p.Field("ppid"), "%s: process %d of parent %d", p.Name, p.PID, p.PPID).
				At(svc.Field("pid"), "service %s: process %d", svc.Name, svc.PID))
		}
		return findings, nil
	},
})

// inRKE2 tells whether a program is one that RKE2 has unpacked: it runs them from bin, a link to data.
func inRKE2(exe string) bool {
	exe = strings.ToLower(exe)
	return strings.Contains(exe, `\rke2\bin\`) || strings.Contains(exe, `\rke2\data\`)
}

// descends tells whether a process is the one with the number, or was started by it or by a child of it.
func descends(processes []evidence.Process, p evidence.Process, of int) bool {
	for range processes {
		if p.PID == of {
			return true
		}
		at := slices.IndexFunc(processes, func(q evidence.Process) bool { return q.PID == p.PPID })
		if at < 0 {
			return false
		}
		p = processes[at]
	}
	return false
}
