package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// podsKeepSettings compares the policies that running pods got with those of the CNI configuration:
// after a change of the file, only new pods have the new ones. Amazon's plugin makes
// its own policies, Calico adds some, and Azure's leaves routes out.
func podsKeepSettings(n *node.Node, s evidence.Snapshot) []*checks.Finding {
	f := n.Intended()
	net, ok := n.PodNetwork(s)
	if f != nil && f.Config != nil {
		for _, p := range f.Config.Policies {
			if p.Name != "" && !strings.EqualFold(p.Name, "EndpointPolicy") {
				return []*checks.Finding{checks.Findingf(checks.Warn, f.Name,
					"the CNI configuration has a policy named %s, which plugins ignore (expected: EndpointPolicy)", p.Name).
					At(f.File.At(p.Spot), "%s", p.Name)}
			}
		}
	}
	if f == nil || f.Config == nil || !ok || n.CNI.Value == node.VPC {
		return nil
	}
	var excepted, routed []string
	for _, e := range f.Config.Exceptions {
		excepted = append(excepted, e.Exceptions...)
	}
	for _, r := range f.Config.Routes {
		routed = append(routed, r.Prefix)
	}
	local := localEndpoints(s)
	for _, p := range settledPods(s) {
		ip, _ := node.ParseAddress(p.Status.PodIP)
		e, there := local[ip]
		if !there || hostPod(p) || e.Truncated || !strings.EqualFold(e.NetworkID, net.ID) {
			continue
		}
		var has, ways []string
		for _, nat := range e.OutBoundNAT() {
			has = append(has, nat.Exceptions...)
		}
		for _, r := range e.SDNRoutes() {
			ways = append(ways, r.Prefix)
		}
		report := func(what string, have, want []string) []*checks.Finding {
			return []*checks.Finding{checks.Findingf(checks.Warn, p.FullName(),
				"pod %s has the %s %s, but the CNI configuration has %s: it was created before",
				p.FullName(), what, orPhrase(strings.Join(have, ", "), evidence.Phrasef("no value")),
				orPhrase(strings.Join(want, ", "), evidence.Phrasef("no value"))).
				At(f.File.Field(), "%s", what).
				At(e.Field("Policies"), "%s", node.EndpointName(e))}
		}
		given := node.KubeletDNS(n, s)
		if f.Config.Capabilities["dns"] && len(given) > 0 && len(e.DNS.Servers) > 0 &&
			p.Spec.DNSPolicy == "ClusterFirst" && !slices.ContainsFunc(given,
			func(ip node.Address) bool {
				return slices.Contains(node.ParseAddresses(e.DNS.Servers...), ip)
			}) {
			set := n.KubeletConfig(s).Field("clusterDNS")
			return []*checks.Finding{checks.Findingf(checks.Warn, p.FullName(),
				"pod %s has the DNS server %s, but the kubelet gives %s: it was created before",
				p.FullName(), e.DNS.Servers[0], someOf(given)).
				At(cond(set.Path != "", set, f.File.Field()),
					"the kubelet gives %s", someOf(given)).
				At(e.Field("Policies"), "%s", node.EndpointName(e))}
		}
		ipMasq := f.Config.IPMasq       // the plugin adds the exceptions itself
		if n.CNI.Value == node.Calico { // it adds the ranges of its pools
			if len(has) > 0 && !sameList(append(excepted, has...), has) {
				return report("OutBoundNAT exceptions", has, excepted)
			}
			continue
		}
		if !ipMasq && len(has) > 0 && !sameList(has, excepted) {
			return report("OutBoundNAT exceptions", has, excepted)
		}
		if n.CNI.Value != node.Azure && len(ways) > 0 && !sameList(ways, routed) {
			return report("routes", ways, routed)
		}
	}
	return nil
}

// sameList tells whether two lists hold the same prefixes, in any order and however often.
func sameList(a, b []string) bool {
	x, y := node.ParsePrefixes(a...), node.ParsePrefixes(b...)
	return len(x) == len(y) && !slices.ContainsFunc(x, func(p node.Prefix) bool {
		return !slices.Contains(y, p)
	})
}
