package faults

import (
	"slices"
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/node"
)

// podProbeSources are what reachProbes and dnsProbes read beside the probes.
var podProbeSources = []evidence.Need{evidence.Pods, evidence.HNSEndpoints, evidence.HNSNamespaces, evidence.Node,
	evidence.CRI}

// reachProbes are those of the node, and of the pods that HNS has one attached endpoint for: to the others
// nothing answers, whatever the network does. pod-address-mismatch and hns-object-inconsistent name them.
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
		e, there := local[ip]
		if _, twice := doubled(s, e, ip); ok && (!there || unattached(s, e) || twice) && !hostPod(p) {
			list[p.FullName()] = true
		}
	}
	return list
}

// unattached tells whether HNS has an endpoint in no namespace, though it has that of its sandbox: the pod
// has no adapter. Endpoints of Docker, and those of the older interface, show no namespace themselves.
func unattached(s evidence.Snapshot, e evidence.HNSEndpoint) bool {
	sandbox := strings.TrimSuffix(namedAfterSandbox.FindString(e.Name), "_")
	if sandbox == "" || e.NamespaceID != "" {
		return false
	}
	own := false
	for _, ns := range evidence.HNSNamespaces.In(s) {
		if ns.Truncated || slices.ContainsFunc(ns.Endpoints, func(id string) bool { return strings.EqualFold(id, e.ID) }) {
			return false
		}
		own = own || slices.Contains(ns.Containers, sandbox)
	}
	return own
}

// doubled is another endpoint of this node with the same address on the same network.
func doubled(s evidence.Snapshot, e evidence.HNSEndpoint, ip node.Address) (evidence.HNSEndpoint, bool) {
	for _, other := range evidence.HNSEndpoints.In(s) {
		if !other.Remote && e.ID != "" && !strings.EqualFold(other.ID, e.ID) && strings.EqualFold(other.NetworkID, e.NetworkID) &&
			slices.Contains(node.ParseAddresses(other.Addresses...), ip) {
			return other, true
		}
	}
	return evidence.HNSEndpoint{}, false
}
