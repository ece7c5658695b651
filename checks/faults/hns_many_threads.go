package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// hnsThreadsMany leaves room for the services that share the process of HNS. Nobody documents how
// many threads it may have.
const hnsThreadsMany = 500

var _ = register(&checks.Check{
	ID:       "hns-many-threads",
	Title:    "HNS process has too many threads",
	Healthy:  "HNS process has a normal number of threads",
	Category: checks.CategoryNetwork,
	Doc: `HNS answers each call of the CNI plugin, kube-proxy and the network agent in a thread. If a
call does not return, because HNS waits for a lock or for the virtual switch, the callers time out
and call again, and the threads pile up. From then on no endpoint and no load balancer is created or
deleted, although the service runs.

The check counts the threads of the process that hosts HNS; Microsoft's networkhealth.ps1 reports
the same number. No limit is documented, and other services may share the process: 500 or more are a
warning.`,
	Fix: checks.Steps(
		checks.Inspect("(Get-Process -Id (Get-CimInstance Win32_Service -Filter \"Name='hns'\").ProcessId).Threads.Count",
			"Count the threads again: a number that rises confirms it."),
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"Move the pods to other nodes.").
			Costs("Draining evicts every pod of this node and deletes its emptyDir volumes."),
		checks.Run("Restart-Computer", "Reboot the node."),
		checks.Do("Install the current cumulative update of Windows."),
		checks.Run("kubectl uncordon {node}", "Allow pods on the node again."),
		checks.Verify("(Get-Process -Id (Get-CimInstance Win32_Service -Filter \"Name='hns'\").ProcessId).Threads.Count",
			"less than 500, and not rising")),
	Links: []string{
		"https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/debug/networkmonitor/networkhealth.ps1",
		"https://github.com/kubernetes-sigs/image-builder/pull/566"},
	Explains: []string{"pods-stuck-creating"},
	Needs:    []evidence.Need{evidence.Services, evidence.Processes},
	FromPart: []evidence.Need{evidence.Services, evidence.Processes},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		pid := 0
		for _, svc := range evidence.Services.In(s) {
			if strings.EqualFold(svc.Name, "hns") {
				pid = svc.PID
			}
		}
		for _, p := range evidence.Processes.In(s) {
			if pid == 0 || p.PID != pid || p.Threads == 0 {
				continue
			}
			if p.Threads < hnsThreadsMany {
				return nil, nil
			}
			return []*checks.Finding{checks.Findingf(checks.Warn, "hns",
				"the process %d of HNS has %d threads; expected: less than 500", p.PID,
				p.Threads).
				At(p.Field("threads"), "%s, process %d: %d threads", p.Name, p.PID,
					p.Threads)}, nil
		}
		return nil, checks.Unknown(evidence.NotShown.Gap("the threads of the process of HNS"))
	},
})
