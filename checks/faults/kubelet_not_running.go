package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "kubelet-not-running",
	Title:    "the kubelet does not run",
	Category: checks.CategoryComponents,
	FAQ:      []int{1, 2},
	Doc: `Without the kubelet no pod is started, stopped or reported, and the node turns
NotReady within a minute.

The check looks for a running service, a process kubelet.exe, or a service such as rke2 that runs it
as a child. A stopped service is a fault; a missing one only where the processes were recorded too.`,
	Fix: checks.Steps(
		checks.Inspect("Get-Service kubelet", ""),
		checks.Run("{start kubelet}",
			"read the end of the kubelet's log for the reason of its last exit, mend that, and start it again").
			Costs("running containers are not touched")),
	Links:  []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/"},
	Judges: effectKubelet,
	Needs:  []evidence.Need{node.ComponentSources},
	Uses:   []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		return notRunning(node.About(s).Components["kubelet"], s,
			evidence.Phrasef("no pod on this node is started or reported"))
	},
})
