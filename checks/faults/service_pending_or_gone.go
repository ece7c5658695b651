package faults

import (
	"fmt"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// nodeServices are the services without which no pod runs. "kubelet" and the like are found as
// components.
var nodeServices = []string{"hns", "vmcompute", "vfpext", "csi-proxy", "csiproxy", "rke2", "k3s"}

var _ = register(&checks.Check{
	ID:       "service-pending-or-gone",
	Title:    "Node service is stuck in a pending state or has no process",
	Healthy:  "Node services are in a stable state with a process",
	Category: checks.CategoryComponents,
	Doc: `A service that starts or stops reports a pending state for some seconds. If it never leaves
it, the service manager holds its lock for it: the service can neither be started nor stopped, and
services that depend on it wait. HNS and vmcompute get there when a call into the kernel does not
return; only a reboot ends that. A service that is reported as running, but whose process does not
exist, was killed in a way that the service manager did not notice.

The check looks at the kubelet, the container runtime, kube-proxy, flanneld, HNS, vmcompute, VFP and
csi-proxy. Both are warnings: a service may just be starting, and lists that are read one after the
other may differ. That a process is gone is only reported half an hour after the boot, and from a
complete list of processes.`,
	Fix: checks.Steps(
		checks.Inspect("Get-CimInstance Win32_Service | Where-Object State -like '*Pending' | Format-Table Name, State, ProcessId",
			"Run this twice, a minute apart: a service that starts is no longer in the list."),
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"If it stays, move the pods to other nodes.").
			Costs("Draining evicts every pod of this node and deletes its emptyDir volumes."),
		checks.Run("Restart-Computer -Force", "Reboot the node."),
		checks.Run("kubectl uncordon {node}", "Allow pods on the node again."),
		checks.Verify("Get-Service hns, vmcompute, kubelet", "Status is Running")),
	Links: []string{
		"https://learn.microsoft.com/en-us/windows/win32/services/service-status-transitions",
		"https://github.com/kubernetes/kubernetes/issues/75299"},
	Breaks:   []*checks.Effect{effectRuntime, effectNodeReports},
	Needs:    []evidence.Need{evidence.Services},
	Uses:     []evidence.Need{evidence.Processes, evidence.OSInfo},
	FromPart: []evidence.Need{evidence.Services},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		running := map[int]bool{}
		for _, p := range evidence.Processes.In(s) {
			running[p.PID] = true
		}
		booted := evidence.OSInfo.In(s).BootedAt.Time
		settled := !booted.IsZero() && s.Now().Sub(booted) > checks.Recently
		var findings []*checks.Finding
		for _, svc := range evidence.Services.In(s) {
			if !isNodeService(s, svc) {
				continue
			}
			switch {
			case strings.HasSuffix(strings.ToLower(svc.State), "-pending"):
				findings = append(findings, checks.Findingf(checks.Warn, svc.Name,
					"service %s is in state %s", svc.Name, svc.State).
					At(svc.Field("state"), "%s: state %s, process %d", svc.Name, svc.State,
						svc.PID).Cure(rebootFor(svc)))
			case svc.Running() && svc.PID > 0 && settled && len(running) >= fewestOfMachine &&
				!running[svc.PID]:
				findings = append(findings, checks.Findingf(checks.Warn, svc.Name,
					"service %s is reported as running, but its process %d does not exist",
					svc.Name, svc.PID).
					At(svc.Field("pid"), "%s: process %d", svc.Name, svc.PID).
					At(evidence.Processes.Field(s), "none of its %d processes is %d",
						len(running), svc.PID).Cure(rebootFor(svc)))
			}
		}
		return findings, nil
	},
})

// rebootFor is the fix with the name of the service.
func rebootFor(svc evidence.Service) checks.Fix {
	fix := fixOf("service-pending-or-gone")
	if svc.Running() {
		fix.Steps[0] = checks.Inspect(fmt.Sprintf("Get-Service %s; Get-Process -Id %d", svc.Name, svc.PID),
			"Run this twice, a minute apart: it may have got a new process.")
	}
	fix.Steps[len(fix.Steps)-1].Command = "Get-Service " + svc.Name
	return fix
}

// fewestOfMachine is how many processes a Windows that has booted has at the very least.
const fewestOfMachine = 10

func isNodeService(s evidence.Snapshot, svc evidence.Service) bool {
	if node.EqualsAny(svc.Name, nodeServices) {
		return true
	}
	for _, c := range node.About(s).Components {
		if slices.ContainsFunc(c.Services, func(of evidence.Service) bool {
			return strings.EqualFold(of.Name, svc.Name)
		}) {
			return true
		}
	}
	return false
}
