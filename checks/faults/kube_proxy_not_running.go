package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "kube-proxy-not-running",
	Title:    "kube-proxy is not running",
	Healthy:  "kube-proxy is running",
	Category: checks.CategoryComponents,
	FAQ:      []int{1, 2},
	Doc: `kube-proxy programs a load balancer in HNS for each Service. Without it, new Services are
not reachable from this node, and existing load balancers keep sending traffic to pods that no
longer exist.

The check looks for a running service, a process kube-proxy.exe, and the HostProcess pod of a
DaemonSet. A node set up with kubeadm has no such service, and that is not a fault; before kubeadm
join it has no such pod either. Antrea replaces kube-proxy.`,
	Fix: checks.Steps(
		checks.Run("{start kube-proxy}", "Start kube-proxy.").
			Costs("Connections to Services may break for a few seconds."),
		checks.Inspect("Get-ChildItem C:\\k, C:\\var\\log -Recurse -Filter kube-proxy*.log -ErrorAction SilentlyContinue | Sort-Object LastWriteTime | Select-Object -Last 1 | Get-Content -Tail 30",
			"If it stops again, read the last lines of kube-proxy's log and fix the error."),
		checks.Verify("Get-Process kube-proxy", "one process kube-proxy")),
	Links:  []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/"},
	Judges: effectKubeProxy,
	Applies: func(n *node.Node) error {
		if n.CNI.Value == node.Antrea {
			return checks.Skip("Antrea's own proxy may replace kube-proxy")
		}
		return nil
	},
	Needs: []evidence.Need{node.ComponentSources},
	Uses:  joinSources,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		return notRunning(node.About(s).Components["kube-proxy"], s,
			evidence.Phrasef("Services are not programmed on this node"))
	},
})
