package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "kube-proxy-not-running",
	Title:    "kube-proxy does not run",
	Category: checks.CategoryComponents,
	FAQ:      []int{1, 2},
	Doc: `kube-proxy programs HNS with a load balancer for each Service. Without it new Services
are not reachable from this node and old ones keep pointing at pods that are gone.

The check looks for a running service, a process kube-proxy.exe, and the HostProcess pod of a
DaemonSet: on a node set up with kubeadm there is no service, and that is no fault. Antrea replaces
kube-proxy altogether.`,
	Fix: checks.Steps(
		checks.Inspect("Get-Service kube-proxy", ""),
		checks.Run("{start kube-proxy}",
			"read the end of kube-proxy's log for the reason of its last exit, mend that, and start it again; where it runs as a DaemonSet, delete its pod on {node} instead").
			Costs("kube-proxy rebuilds its HNS load balancers as it starts: connections to Services may break for some seconds")),
	Links:  []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/"},
	Judges: effectKubeProxy,
	Applies: func(n *node.Node) error {
		if n.CNI.Value == node.Antrea {
			return checks.Skip("Antrea's own proxy may stand in for kube-proxy")
		}
		return nil
	},
	Needs: []evidence.Need{node.ComponentSources},
	Uses:  []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		return notRunning(node.About(s).Components["kube-proxy"], s,
			evidence.Phrasef("Services are not programmed on this node"))
	},
})
