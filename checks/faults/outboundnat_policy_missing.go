package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "outboundnat-policy-missing",
	Title:    "Pods have no OutBoundNAT policy in HNS",
	Healthy:  "Pods have the OutBoundNAT policy of the CNI configuration",
	Category: checks.CategoryNetwork,
	FAQ:      []int{4},
	Doc: `Windows translates outgoing pod traffic to the node's address where the HNS endpoint of the pod
has an OutBoundNAT policy. The CNI plugin sets it as the CNI configuration says; that of Calico only if
the IP pool has natOutgoing. Without the policy packets leave with the address of the pod, to which
hosts outside of the cluster have no route: pods reach each other and Services, and nothing else.

A plugin that writes the policy for another version of HNS than the one it calls loses it: the plugin of
Calico 3.19 did. The check compares the endpoints of the pods of this node with the configuration.`,
	Fix: checks.Steps(
		checks.Inspect("Get-HnsEndpoint | ConvertTo-Json -Depth 10",
			"See which endpoints have a policy of Type OutBoundNAT."),
		checks.Do("Update the CNI plugin to its current release."),
		recreatePods(),
		checks.Verify("Get-HnsEndpoint | ConvertTo-Json -Depth 10",
			"an OutBoundNAT policy on each new endpoint")),
	Links: []string{"https://github.com/projectcalico/cni-plugin/pull/1069",
		"https://github.com/projectcalico/cni-plugin/pull/1067",
		"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/"},
	Breaks: []*checks.Effect{effectOutbound},
	Applies: func(n *node.Node) error {
		return checks.RequireCNI(n, node.Flannel, node.Bridge, node.Overlay, node.WinCNI, node.GKE,
			node.Azure, node.Calico)
	},
	Needs: []evidence.Need{node.NeedCNIFiles, evidence.HNSEndpoints, evidence.Pods},
	Uses:  append(slices.Clone(node.CNISources), evidence.HNSNetworks, evidence.IPPools),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		config := n.Intended()
		if config == nil || config.Config == nil {
			return nil, checks.Unknown(evidence.NotShown.Gap("the CNI configuration"))
		}
		at := natOf(config.Config)
		if at < 0 {
			return nil, checks.Skip("the CNI configuration has no OutBoundNAT policy")
		}
		if gap := evidence.IPPools.Gap(s); n.CNI.Value == node.Calico && gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		var lacking []evidence.HNSEndpoint
		pods := 0
		for _, e := range evidence.HNSEndpoints.In(s) {
			if e.Remote || e.Truncated || !onPodNetwork(n, s, e) || !ofNATedPod(s, n, e) {
				continue
			}
			pods++
			if !translates(e) {
				lacking = append(lacking, e)
			}
		}
		switch {
		case pods == 0:
			return nil, checks.Unknown(evidence.NotShown.Gap("the HNS policies of any pod of this node"))
		case len(lacking) == 0:
			return nil, nil
		}
		// some: they may be older than the configuration
		return []*checks.Finding{checks.Findingf(cond(len(lacking) == pods, checks.Fail, checks.Warn), "OutBoundNAT",
			"%d of %d pods have no OutBoundNAT policy, which %s sets: %s", len(lacking), pods, config.Name,
			endpointNames(lacking)).
			At(lacking[0].Field("Policies"), "%s: no OutBoundNAT policy", node.EndpointName(lacking[0])).
			At(config.File.At(config.Config.Exceptions[at].Spot), "%s: OutBoundNAT", config.Name)}, nil
	},
})

// translates tells whether the endpoint has a policy that is not for a few destinations only, as that for the
// metadata service of Azure is.
func translates(e evidence.HNSEndpoint) bool {
	return slices.ContainsFunc(e.OutBoundNAT(), func(nat evidence.HNSOutBoundNAT) bool {
		return len(nat.Exceptions) > 0 || len(nat.Destinations) == 0
	})
}

// natOf is the place in the CNI configuration that sets such a policy, or -1.
func natOf(config *evidence.CNIConfig) int {
	return slices.IndexFunc(config.Exceptions, func(e evidence.CNIExceptions) bool {
		return len(e.Exceptions) > 0 || len(e.Destinations) == 0
	})
}

// ofNATedPod tells whether the endpoint is that of a pod of this node, and of a pool with NAT where
// Calico has pools.
func ofNATedPod(s evidence.Snapshot, n *node.Node, e evidence.HNSEndpoint) bool {
	a, ok := podAddress(s, e)
	return ok && (n.CNI.Value != node.Calico || slices.ContainsFunc(poolsOf(s, a),
		func(p evidence.IPPool) bool { return p.Spec.NATOutgoing }))
}

// podAddress is the IPv4 address of the endpoint, if it is that of a pod of this node.
func podAddress(s evidence.Snapshot, e evidence.HNSEndpoint) (node.Address, bool) {
	for _, a := range node.ParseAddresses(e.Addresses...) {
		if a.Is4() && slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
			ip, ok := node.ParseAddress(p.Status.PodIP)
			return ok && ip == a && !hostPod(p)
		}) {
			return a, true
		}
	}
	return node.Address{}, false
}

// poolsOf are the pools of Calico that have the address.
func poolsOf(s evidence.Snapshot, a node.Address) (list []evidence.IPPool) {
	for _, p := range evidence.IPPools.In(s) {
		if cidr, ok := node.ParsePrefix(p.Spec.CIDR); ok && cidr.Contains(a) {
			list = append(list, p)
		}
	}
	return list
}
