package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "flanneld-not-running",
	Title:    "flanneld is not running",
	Healthy:  "flanneld is running",
	Category: checks.CategoryComponents,
	FAQ:      []int{1, 2},
	Doc: `flanneld acquires the node's subnet, creates the HNS network and writes subnet.env. Without
it, the network of running pods works until the next restart, and routes to other nodes are not
updated.

The check looks for a running service, a process flanneld.exe, and the HostProcess pod of a
DaemonSet.`,
	Fix: checks.Steps(
		checks.Run("{start flanneld}", "Start flanneld.").
			Costs("If flanneld creates the HNS network, the node's connections drop for a few seconds."),
		checks.Inspect("Get-ChildItem C:\\k, C:\\var\\log -Recurse -Filter flanneld*.log -ErrorAction SilentlyContinue | Sort-Object LastWriteTime | Select-Object -Last 1 | Get-Content -Tail 30",
			"If it stops again, read the last lines of flanneld's log and fix the error."),
		checks.Verify("Get-Process flanneld", "one process flanneld")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/flannel-io/flannel/blob/master/Documentation/running.md"},
	Judges:   effectFlanneld,
	Applies:  usesFlannel,
	Needs:    []evidence.Need{node.ComponentSources},
	Uses:     joinSources,
	FromPart: []evidence.Need{evidence.Services},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		return notRunning(node.About(s).Components["flanneld"], s,
			evidence.Phrasef("the pod network is not created or updated"))
	},
})

// usesFlannel is nil where more than the name cbr0 of an HNS network speaks for flannel: the plugins of
// containernetworking have networks of that name too, and what only flannel needs is then not missing.
func usesFlannel(n *node.Node) error {
	if n.CNI.Value == node.Flannel && n.CNI.From.Path == evidence.HNSNetworks.Path() && n.Backend.Value != node.OverlayNet {
		return checks.Unknown(evidence.NotShown.Gap("who made the HNS network of pods"))
	}
	return checks.OnFlannel(n)
}
