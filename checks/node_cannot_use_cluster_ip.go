package checks

import (
	"slices"

	"doctor/checks/evidence"
)

var _ = Register(Check{
	ID:       "node-cannot-use-cluster-ip",
	Title:    "the node itself cannot reach Service addresses",
	Category: CategoryNetwork,
	FAQ:      []int{10},
	Doc: `Service addresses are load balancers on the switch ports of pods. From the Windows host itself they need not answer: that is a documented limit, and it also hits what the host does for pods, such as mounting an SMB share or pulling an image from inside the cluster. Pods must reach them.

The check only tells where the node fails, and finds a fault where pods fail too.`,
	Fix: Fix{
		Text:     "probe Services from a pod before drawing conclusions; let host programs use an address that is reachable from outside the cluster; where pods fail as well, restart kube-proxy and compare its load balancers with the Services",
		Commands: []string{"Get-HnsPolicyList | ConvertTo-Json -Depth 10", "Restart-Service kube-proxy"},
		Impact:   "restarting kube-proxy breaks connections to Services for some seconds",
	},
	Links:    []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/", "https://kubernetes.io/docs/concepts/services-networking/windows-networking/"},
	Explains: []string{"dns-pqdn-with-dots"}, // the cluster's DNS is a Service
	Needs:    []evidence.Need{evidence.ReachProbes, evidence.Any(NeedServiceCIDRs, evidence.KubeServices, NeedClusterDNS)},
	Uses:     append(slices.Clone(clusterSources), evidence.Node, evidence.HNSNetworks, evidence.Adapters),
	Run: func(s evidence.Snapshot) ([]Finding, error) {
		n := About(s)
		var findings []Finding
		asked := false
		probes := evidence.ReachProbes.In(s)
		for _, p := range probes {
			dest, ok := parseAddress(hostOf(p.Target))
			if !ok || p.From != "node" || p.Protocol == "icmp" || !n.isService(dest) {
				continue
			}
			asked = true
			if p.Outcome == "ok" || p.Outcome == "denied" || p.Outcome == "error" {
				continue
			}
			inPod := slices.IndexFunc(probes, func(q evidence.ReachProbe) bool {
				return q.From != "node" && q.Target == p.Target && q.Protocol == p.Protocol
			})
			switch {
			case inPod < 0:
				findings = append(findings, Findingf(Info, p.Target, "the node does not reach the Service address %s: a documented limit; probe from a pod to know whether Services work", p.Target).With(reachBecause(p)))
			case probes[inPod].Outcome == "ok":
				findings = append(findings, Findingf(Info, p.Target, "the node does not reach the Service address %s and pods do: Windows as documented", p.Target).With(reachBecause(p), reachBecause(probes[inPod])))
			default:
				findings = append(findings, Findingf(Fail, p.Target, "neither the node nor %s reaches the Service address %s: this is not the documented limit", probes[inPod].From, p.Target).With(reachBecause(p), reachBecause(probes[inPod])))
			}
		}
		if !asked {
			return nil, Unknown(evidence.NotCollected + ": no Service address was probed from the node")
		}
		return findings, nil
	},
})

// isService tells whether an address is that of a Service.
func (n *Node) isService(a Address) bool {
	return slices.Contains(n.ServiceIPs.Value, a) || slices.Contains(n.ClusterDNS.Value, a) || anyContains(n.ServiceCIDRs.Value, a)
}
