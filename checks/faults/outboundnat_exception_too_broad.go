package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(&checks.Check{
	ID:       "outboundnat-exception-too-broad",
	Title:    "OutBoundNAT exceptions include hosts outside the cluster",
	Healthy:  "OutBoundNAT exceptions cover only the cluster",
	Category: checks.CategoryNetwork,
	FAQ:      []int{4},
	Doc: `To a destination on the OutBoundNAT exception list, pods send with their own address. A
host outside the cluster has no route back to it, so connections to it time out, while the node
itself and the internet work. Usual reasons: a whole private range (10.0.0.0/8) on the list, the
management subnet with other hosts on it, or a service CIDR that overlaps the company network.

A failed probe from a pod to a host on the list is a fault. Without a probe, an entry that contains
the cluster CIDR and much more is a warning. GKE lists the private ranges on purpose, Azure and EKS
their virtual networks.`,
	Fix: checks.Steps(
		checks.Edit("{cniFile}",
			"Keep only the cluster CIDR {clusterCIDR}, the service CIDR {serviceCIDR} and the nodes in the OutBoundNAT exceptions."),
		checks.Do("If a start script writes this file, correct the script, too."),
		recreatePods(),
		checks.Verify("Get-HnsEndpoint | ConvertTo-Json -Depth 10",
			"OutBoundNAT policies without the removed network on each new endpoint")),
	Links: []string{"https://github.com/microsoft/SDN/issues/313",
		"https://github.com/Azure/AKS/issues/1367"},
	Breaks: []*checks.Effect{effectOutbound},
	Applies: func(n *node.Node) error {
		return checks.RequireCNI(n, node.Flannel, node.Bridge, node.Overlay, node.WinCNI, node.GKE,
			node.Azure, node.VPC, node.Calico)
	},
	Needs: []evidence.Need{evidence.Any(node.NeedCNIFiles, evidence.HNSEndpoints)},
	Uses: append(slices.Clone(node.ClusterSources), evidence.HNSEndpoints, evidence.ReachProbes,
		evidence.HNSLoadBalancers, evidence.Node, evidence.Nodes, evidence.HNSNetworks, evidence.Adapters),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		lists := exceptionLists(n, s)
		if len(lists) == 0 {
			if f := n.Intended(); len(evidence.HNSEndpoints.In(s)) == 0 &&
				(f == nil || f.Config == nil) {
				return nil, checks.Unknown(noConfig(f))
			}
			return nil, nil
		}
		findings := unreachableExceptions(n, s, lists)
		if n.CNI.Value == node.GKE || n.CNI.Value == node.Azure || n.CNI.Value == node.VPC ||
			n.CNI.Value == node.Calico {
			// AKS gives a VNet /12, and GKE lists 10.0.0.0/8 itself. Of what is larger, only a connection tells
			if p, _ := largeException(lists); p.IsValid() && p.Bits() < 12 && n.CNI.Value != node.GKE && len(findings) == 0 && evidence.ReachProbes.Gap(s).Kind != "" {
				return nil, checks.Unknown(evidence.ReachProbes.Gap(s))
			}
			return findings, nil
		}
		blamed := map[node.Prefix]bool{}
		for _, list := range lists {
			for _, p := range list.prefixes {
				if !blamed[p] && broad(n, p) && len(findings) == 0 {
					blamed[p] = true
					f := checks.Findingf(checks.Warn, p.String(),
						"OutBoundNAT exception %s of %s is much larger than the cluster: pods cannot reach its other hosts", p, list.of).
						With(list.from)
					if n.ClusterCIDRs.Known() {
						f = f.With(n.ClusterCIDRs.From)
					}
					if !list.live {
						f = f.Cure(withFirst(fixOf("outboundnat-exception-too-broad"),
							narrowException(s, n, p)))
					}
					findings = append(findings, f)
				}
			}
		}
		if p, large := largeException(lists); len(findings) == 0 && large &&
			len(n.ClusterCIDRs.Value) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap(
				"the cluster CIDR, so whether the exception %s is larger", p))
		}
		return findings, nil
	},
})

// largeException finds an entry that is as large as the network of a cluster, or larger.
func largeException(lists []exceptionList) (large node.Prefix, ok bool) {
	for _, list := range lists {
		for _, p := range list.prefixes {
			if p.Addr().Is4() && p.Bits() <= 16 && (!ok || p.Bits() < large.Bits()) {
				large, ok = p, true
			}
		}
	}
	return large, ok
}

// narrowException is the edit that leaves the networks of the cluster of a broad entry.
func narrowException(s evidence.Snapshot, n *node.Node, p node.Prefix) *checks.Step {
	var own []string
	for _, known := range slices.Concat(n.ClusterCIDRs.Value, n.ServiceCIDRs.Value) {
		if node.Covers(p, known) {
			own = append(own, `"`+known.String()+`"`)
		}
	}
	return editException(s, n.Intended(), p.String(), strings.Join(own, ", "),
		"Replace %s with the networks of the cluster.", p)
}

// broad tells an entry that swallows the cluster CIDR and at least fifteen times as much besides.
func broad(n *node.Node, p node.Prefix) bool {
	for _, known := range slices.Concat(n.ClusterCIDRs.Value, n.ServiceCIDRs.Value) {
		if known == p {
			return false
		}
	}
	for _, cluster := range n.ClusterCIDRs.Value {
		if p.Addr().Is4() && node.Covers(p, cluster) && cluster.Bits()-p.Bits() >= 4 {
			return true
		}
	}
	// no cluster has networks this large
	return len(n.ClusterCIDRs.Value) == 0 && p.Addr().Is4() && p.Bits() < 8
}

// unreachableExceptions finds hosts that pods fail to reach because they are on the list.
func unreachableExceptions(n *node.Node, s evidence.Snapshot,
	lists []exceptionList) []*checks.Finding {
	var findings []*checks.Finding
	probes := evidence.ReachProbes.In(s)
	if podsReachNothing(n, probes, lists) {
		return nil // the exceptions are not to blame for what fails outside of them too
	}
	for _, p := range probes {
		dest, ok := probed.AddressOf(p)
		if !ok || p.From == "node" || p.From == "" || p.Protocol == "icmp" ||
			p.Outcome != "timeout" && p.Outcome != "unreachable" {
			continue
		}
		if slices.Contains(n.ServiceIPs.Value, dest) || slices.Contains(n.ClusterDNS.Value, dest) ||
			node.AnyContains(n.ClusterCIDRs.Value, dest) || slices.Contains(n.ManagementIPs.Value,
			dest) {
			continue // another fault: this traffic is meant to stay inside
		}
		if balanced(s, dest) {
			continue // a load balancer takes this traffic before OutBoundNAT does
		}
		if slices.ContainsFunc(evidence.Nodes.In(s), func(o evidence.NodeObject) bool {
			return slices.Contains(node.ParseAddresses(o.InternalIPs()...), dest)
		}) {
			continue // a node of the cluster has routes to pods, or is meant to
		}
		if slices.ContainsFunc(probes, func(q evidence.ReachProbe) bool {
			return q.From == "node" && q.Target == p.Target && q.Protocol == p.Protocol &&
				q.Outcome != "ok"
		}) {
			continue // the node does not reach it either
		}
		for _, list := range lists {
			at := slices.IndexFunc(list.prefixes, func(e node.Prefix) bool {
				return e.Contains(dest)
			})
			if at < 0 || len(evidence.HNSLoadBalancers.In(s)) == 0 &&
				(strings.HasSuffix(p.Target, ":53") || dest == list.prefixes[at].Masked().Addr().Next()) {
				continue // most likely the Service of the cluster DNS, or kubernetes, the first of the service CIDR
			}
			level := checks.Fail
			if slices.ContainsFunc(n.ManagementIPs.Value, list.prefixes[at].Contains) &&
				!broad(n, list.prefixes[at]) {
				// the documentation asks for the node's own subnet, and cannot know who else lives there
				level = checks.Warn
			}
			f := checks.Findingf(level, dest.String(),
				"%s is inside the OutBoundNAT exception %s of %s: its replies cannot return to pods", dest, list.prefixes[at], list.of).
				At(p.Field("outcome"), "%s to %s from %s: %s", p.Protocol, p.Target, p.From,
					p.Outcome).With(list.from)
			if !list.live && broad(n, list.prefixes[at]) {
				f = f.Cure(withFirst(fixOf("outboundnat-exception-too-broad"),
					narrowException(s, n, list.prefixes[at])))
			}
			findings = append(findings, f)
			break
		}
	}
	return findings
}

// balanced tells whether the address is that of a Service outside of the cluster: kube-proxy gives
// HNS load balancers for the addresses of Services of type LoadBalancer.
func balanced(s evidence.Snapshot, ip node.Address) bool {
	return slices.ContainsFunc(evidence.HNSLoadBalancers.In(s), func(lb evidence.HNSLoadBalancer) bool {
		return slices.Contains(node.ParseAddresses(lb.VIPs...), ip)
	}) || slices.ContainsFunc(evidence.KubeServices.In(s), func(svc evidence.KubeService) bool {
		for _, ingress := range svc.Status.LoadBalancer.Ingress {
			if a, ok := node.ParseAddress(ingress.IP); ok && a == ip {
				return true
			}
		}
		return false
	})
}

// podsReachNothing tells whether pods tried hosts that are on no list, and reached none.
func podsReachNothing(n *node.Node, probes []evidence.ReachProbe, lists []exceptionList) bool {
	tried := false
	for _, p := range probes {
		dest, ok := probed.AddressOf(p)
		listed := ok && slices.ContainsFunc(lists, func(l exceptionList) bool {
			return node.AnyContains(l.prefixes, dest)
		})
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
