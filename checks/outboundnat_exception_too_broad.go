package checks

import (
	"slices"
	"strings"

	"doctor/checks/evidence"
)

var _ = Register(Check{
	ID:       "outboundnat-exception-too-broad",
	Title:    "hosts outside the cluster are among the OutBoundNAT exceptions",
	Category: CategoryNetwork,
	FAQ:      []int{4},
	Doc: `To a destination on the OutBoundNAT exception list, pods send with their own address. A host outside the cluster has no route back to it, so connections to it time out, while the node itself and the internet work. Usual reasons: a whole private range (10.0.0.0/8) on the list, the management subnet with other hosts on it, or a service CIDR that overlaps the company network.

A failing probe from a pod to a host on the list convicts. Without one, an entry that holds the cluster CIDR and much more is a warning. GKE lists the private ranges on purpose, Azure and EKS their virtual networks.`,
	Fix: Fix{
		Text:     "keep on the list only the cluster CIDR {clusterCIDR}, the service CIDR {serviceCIDR} and the nodes themselves; change the start script too if one rewrites the file, and recreate the pods",
		Commands: []string{`notepad "{cniFile}"`},
		Impact:   "running pods keep the old list until they are recreated",
	},
	Links:    []string{"https://github.com/microsoft/SDN/issues/313", "https://github.com/Azure/AKS/issues/1367"},
	Explains: []string{"icmp-external-not-snated"},
	Applies:  func(n *Node) error { return n.on(Flannel, Bridge, Overlay, WinCNI, GKE, Azure, VPC, Calico) },
	Needs:    []evidence.Need{evidence.Any(NeedCNIFiles, evidence.HNSEndpoints)},
	Uses:     append(slices.Clone(clusterSources), evidence.HNSEndpoints, evidence.ReachProbes, evidence.Node, evidence.Nodes, evidence.HNSNetworks, evidence.Adapters),
	Run: func(s evidence.Snapshot) ([]Finding, error) {
		n := About(s)
		lists := n.exceptionLists(s)
		if len(lists) == 0 {
			if f := n.Intended(); len(evidence.HNSEndpoints.In(s)) == 0 && (f == nil || f.Config == nil) {
				return nil, Unknown(noConfig(f))
			}
			return nil, nil
		}
		findings := n.unreachableExceptions(s, lists)
		if n.CNI.Value == GKE || n.CNI.Value == Azure || n.CNI.Value == VPC || n.CNI.Value == Calico {
			return findings, nil
		}
		blamed := map[Prefix]bool{}
		for _, list := range lists {
			for _, p := range list.Prefixes {
				if !blamed[p] && n.broad(p) && len(findings) == 0 {
					blamed[p] = true
					findings = append(findings, Findingf(Warn, p.String(), "the exception %s of %s holds far more than the cluster: pods cannot reach the other hosts in it", p, list.Of).
						With(list.From, n.ClusterCIDRs.From))
				}
			}
		}
		return findings, nil
	},
})

// broad tells an entry that swallows the cluster CIDR and at least fifteen times as much besides.
func (n *Node) broad(p Prefix) bool {
	for _, known := range slices.Concat(n.ClusterCIDRs.Value, n.ServiceCIDRs.Value) {
		if known == p {
			return false
		}
	}
	for _, cluster := range n.ClusterCIDRs.Value {
		if p.Addr().Is4() && holds(p, cluster) && cluster.Bits()-p.Bits() >= 4 {
			return true
		}
	}
	return false
}

// unreachableExceptions finds hosts that pods fail to reach because they are on the list.
func (n *Node) unreachableExceptions(s evidence.Snapshot, lists []ExceptionList) []Finding {
	var findings []Finding
	probes := evidence.ReachProbes.In(s)
	if n.podsReachNothing(probes, lists) {
		return nil // the exceptions are not to blame for what fails outside of them too
	}
	for _, p := range probes {
		dest, ok := addressOf(p)
		if !ok || p.From == "node" || p.From == "" || p.Protocol == "icmp" || p.Outcome != "timeout" && p.Outcome != "unreachable" {
			continue
		}
		if slices.Contains(n.ServiceIPs.Value, dest) || slices.Contains(n.ClusterDNS.Value, dest) || anyContains(n.ClusterCIDRs.Value, dest) || slices.Contains(n.ManagementIPs.Value, dest) {
			continue // another fault: this traffic is meant to stay inside
		}
		if slices.ContainsFunc(evidence.Nodes.In(s), func(o evidence.NodeObject) bool { return slices.Contains(parseAddresses(o.InternalIPs()...), dest) }) {
			continue // a node of the cluster has routes to pods, or is meant to
		}
		if slices.ContainsFunc(probes, func(q evidence.ReachProbe) bool {
			return q.From == "node" && q.Target == p.Target && q.Protocol == p.Protocol && q.Outcome != "ok"
		}) {
			continue // the node does not reach it either
		}
		for _, list := range lists {
			at := slices.IndexFunc(list.Prefixes, func(e Prefix) bool { return e.Contains(dest) })
			if at < 0 {
				continue
			}
			level := Fail
			if slices.ContainsFunc(n.ManagementIPs.Value, list.Prefixes[at].Contains) && !n.broad(list.Prefixes[at]) {
				level = Warn // the documentation asks for the node's own subnet, and cannot know who else lives there
			}
			findings = append(findings, Findingf(level, dest.String(), "%s is inside the exception %s of %s: pods send to it untranslated, and its replies do not come back", dest, list.Prefixes[at], list.Of).
				At(evidence.ReachProbes.Path(), "%s to %s from %s: %s", p.Protocol, p.Target, p.From, p.Outcome).With(list.From))
			break
		}
	}
	return findings
}

// podsReachNothing tells whether pods tried hosts that are on no list, and reached none.
func (n *Node) podsReachNothing(probes []evidence.ReachProbe, lists []ExceptionList) bool {
	tried := false
	for _, p := range probes {
		dest, ok := addressOf(p)
		listed := ok && slices.ContainsFunc(lists, func(l ExceptionList) bool { return anyContains(l.Prefixes, dest) })
		if p.From == "node" || p.From == "" || p.Protocol == "icmp" || listed {
			continue
		}
		if p.Outcome == "ok" {
			return false
		}
		tried = true
	}
	return tried
}

// hostOf takes the port, and the brackets of an IPv6 address, off a probe's target.
func hostOf(target string) string {
	if _, after, ok := strings.Cut(target, "://"); ok {
		target, _, _ = strings.Cut(after, "/")
	}
	if strings.HasPrefix(target, "[") {
		host, _, _ := strings.Cut(target[1:], "]")
		return host
	}
	if strings.Count(target, ":") == 1 {
		target, _, _ = strings.Cut(target, ":")
	}
	return target
}
