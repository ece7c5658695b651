package faults

import (
	"slices"
	"strings"

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
join it has no such pod either. Antrea replaces kube-proxy, and so does OVN in its recipe for
Kubernetes 1.9. While nssm delays the start of a service whose program ends at once, the service is
paused: component-crash-loop examines that.`,
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
		if n.CNI.Value == node.OVN && n.Generation.Value == node.Gen19 &&
			len(n.Components["kube-proxy"].Services) == 0 {
			return checks.Skip("OVN handles Services itself, in Open vSwitch")
		}
		return nil
	},
	Needs: []evidence.Need{node.ComponentSources},
	Uses:  slices.Concat(joinSources, []evidence.Need{evidence.WindowsEvents}),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if _, antrea := node.AgentOf(s, node.Antrea); antrea { // beside the configuration of another plugin
			return nil, checks.Skip("Antrea's own proxy may replace kube-proxy")
		}
		c := node.About(s).Components["kube-proxy"]
		if _, waits := throttled(s, c); waits && len(c.Services) > 0 &&
			strings.HasPrefix(strings.ToLower(c.Services[0].State), "paus") {
			return nil, checks.Unknown(evidence.NotShown.Gap(
				"whether kube-proxy starts: nssm delays its next start"))
		}
		return notRunning(c, s,
			evidence.Phrasef("Services are not programmed on this node"))
	},
})
