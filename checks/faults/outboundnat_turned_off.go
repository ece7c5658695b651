package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(&checks.Check{
	ID:       "outboundnat-turned-off",
	Title:    "Outbound NAT is off and pods do not reach external hosts",
	Healthy:  "Pods without outbound NAT reach external hosts",
	Category: checks.CategoryNetwork,
	FAQ:      []int{4},
	Doc: `A pool of Calico with natOutgoing: false, and an AKS node pool with outbound NAT of Windows
disabled, leave the address of the pod in its packets. This is meant for networks in which something
else translates the address or has a route back to it: a NAT gateway, a router with BGP. Without such a
device, hosts outside of the cluster have no route to the pod, and their answers are lost.

The check judges only where the HNS endpoints of all pods of this node have no OutBoundNAT policy, the
configuration does not set one, and probes show that the node reaches a host that a pod does not reach.`,
	Fix: checks.Steps(
		checks.Do("Give the cluster a NAT gateway, or create the node pool again without --disable-windows-outbound-nat.").Only(node.AKS),
		checks.Do("If pods are to keep their addresses, set up NAT or the route back to the pods on the gateway of the node network. If not, turn outbound NAT on in {cniFile}."),
		recreatePods(),
		checks.Verify("kubectl exec POD -n NAMESPACE -- curl.exe -sS -m 5 https://HOST",
			"an answer of the host")),
	Links: []string{"https://github.com/projectcalico/calico/issues/4277",
		"https://learn.microsoft.com/en-us/azure/aks/nat-gateway",
		"https://docs.tigera.io/calico/latest/networking/configuring/workloads-outside-cluster"},
	Breaks: []*checks.Effect{effectOutbound},
	Applies: func(n *node.Node) error {
		return checks.RequireCNI(n, node.Flannel, node.Bridge, node.Overlay, node.WinCNI, node.GKE,
			node.Azure, node.Calico)
	},
	Needs: []evidence.Need{evidence.HNSEndpoints, evidence.Pods, evidence.ReachProbes},
	Uses: slices.Concat(node.ClusterSources, podProbeSources, []evidence.Need{evidence.HNSNetworks,
		evidence.IPPools, evidence.Adapters}),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		var bare []evidence.HNSEndpoint
		var off []evidence.IPPool
		for _, e := range evidence.HNSEndpoints.In(s) {
			if e.Remote || e.Truncated || !onPodNetwork(n, s, e) {
				continue
			}
			a, ok := podAddress(s, e)
			switch {
			case !ok:
				continue
			case translates(e) || ofNATedPod(s, n, e) && n.CNI.Value == node.Calico:
				return nil, nil
			}
			bare, off = append(bare, e), poolsOf(s, a)
		}
		config := n.Intended()
		gap := evidence.IPPools.Gap(s)
		switch {
		case n.CNI.Value == node.Calico && gap.Kind != "":
			return nil, checks.Unknown(gap)
		case len(bare) == 0:
			return nil, checks.Unknown(evidence.NotShown.Gap("the HNS policies of any pod of this node"))
		case n.CNI.Value != node.Calico && config != nil && config.Config != nil && natOf(config.Config) >= 0:
			return nil, nil // outboundnat-policy-missing
		}
		probes := reachProbes(s)
		var fromPods probed.Outcomes
		for _, p := range probes {
			if p.Protocol != "icmp" && p.From != evidence.FromNode && !inside(n, p) {
				fromPods.Add(p)
			}
		}
		switch {
		case len(fromPods.Answered) > 0:
			return nil, nil
		case len(fromPods.Lost) == 0:
			return nil, checks.Unknown(evidence.NotProbed.Gap("a host outside the cluster, from a pod"))
		}
		for _, lost := range fromPods.Lost {
			for _, p := range probes {
				if p.From != evidence.FromNode || p.Protocol != lost.Protocol || p.Target != lost.Target || !probed.GotAnswer(p) {
					continue
				}
				f := checks.Findingf(checks.Fail, "OutBoundNAT",
					"pods have no outbound NAT, and %s answers the node but not %s", lost.Target, lost.From).
					At(bare[0].Field("Policies"), "%s: no OutBoundNAT policy", node.EndpointName(bare[0]))
				if len(off) > 0 {
					f = f.At(off[0].Field("spec", "natOutgoing"), "pool %s: natOutgoing is false", off[0].Metadata.Name).
						Cure(poolNAT(off[0].Metadata.Name))
				}
				return []*checks.Finding{f.With(probed.ReachBecause(lost), probed.ReachBecause(p))}, nil
			}
		}
		return nil, checks.Unknown(evidence.NotProbed.Gap("the same host from the node"))
	},
})

// poolNAT turns NAT on for a pool of Calico.
func poolNAT(pool string) checks.Fix {
	return checks.Steps(
		checks.Run("kubectl patch ippool "+pool+" --type merge -p 'spec: {natOutgoing: true}'",
			"Turn NAT on for the pool. With the operator: kubectl edit installation default, natOutgoing: Enabled. If the routers of your network have a route back to the pods, repair that instead."),
		recreatePods(),
		fixOf("outboundnat-turned-off").Steps[3])
}
