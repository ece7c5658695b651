package faults

import (
	"slices"

	"doctor/checks/evidence"
	"doctor/checks/node"
)

// podProbeSources are what reachProbes and dnsProbes read beside the probes.
var podProbeSources = []evidence.Need{evidence.Pods, evidence.HNSEndpoints, evidence.Node, evidence.CRI}

// reachProbes are those of the node, and of the pods that HNS has an endpoint for: to the others nothing
// answers, whatever the network does, and pod-address-mismatch names them.
func reachProbes(s evidence.Snapshot) []evidence.ReachProbe {
	lone := withoutEndpoint(s)
	return slices.DeleteFunc(slices.Clone(evidence.ReachProbes.In(s)),
		func(p evidence.ReachProbe) bool { return lone[p.From] })
}

// dnsProbes are the same of DNS.
func dnsProbes(s evidence.Snapshot) []evidence.DNSProbe {
	lone := withoutEndpoint(s)
	return slices.DeleteFunc(slices.Clone(evidence.DNSProbes.In(s)),
		func(p evidence.DNSProbe) bool { return lone[p.From] })
}

// withoutEndpoint are the running pods that HNS has no endpoint for, by namespace and name.
func withoutEndpoint(s evidence.Snapshot) map[string]bool {
	list := map[string]bool{}
	if evidence.HNSEndpoints.Gap(s).Kind != "" {
		return list
	}
	local := localEndpoints(s)
	for _, p := range sandboxedPods(s) {
		ip, ok := node.ParseAddress(p.Status.PodIP)
		if _, there := local[ip]; ok && !there && !hostPod(p) {
			list[p.FullName()] = true
		}
	}
	return list
}
