package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "flanneld-not-running",
	Title:    "flanneld does not run",
	Category: checks.CategoryComponents,
	FAQ:      []int{1, 2},
	Doc: `flanneld asks for the node's subnet, creates the HNS network and writes subnet.env.
Without it the network of running pods goes on for a while, but nothing survives a restart, and
routes to other nodes are no longer kept.

The check looks for a running service, a process flanneld.exe, and the HostProcess pod of a
DaemonSet.`,
	Fix: checks.Steps(
		checks.Inspect("Get-Service flanneld", ""),
		checks.Run("{start flanneld}",
			"read the end of flanneld's log for the reason of its last exit, mend that, and start it again; where it runs as a DaemonSet, delete its pod on {node} instead").
			Costs("if flanneld has to create the HNS network anew, this node's connections drop for some seconds")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/flannel-io/flannel/blob/master/Documentation/running.md"},
	Judges:  effectFlanneld,
	Applies: checks.OnFlannel,
	Needs:   []evidence.Need{node.ComponentSources},
	Uses:    []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		return notRunning(node.About(s).Components["flanneld"], s,
			evidence.Phrasef("the pod network is neither created nor kept"))
	},
})
