package checks

import (
	"slices"

	"doctor/checks/evidence"
)

var _ = Register(Check{
	ID:       "icmp-external-not-snated",
	Title:    "pings to the outside fail where TCP works",
	Category: CategoryNetwork,
	FAQ:      []int{4},
	Doc: `Windows translates TCP and UDP of pods to the node's address, not ICMP: on overlay, l2bridge and Azure networks a ping from a pod to a host outside the cluster gets no answer while curl to the same host works. That is Windows as documented, and so is a Service address that does not answer pings. No network is down on ICMP alone.

It is a fault where TCP fails as well, and one of a firewall where the ping works and TCP does not. Where no pod was asked, the node's own pings are judged in the same way: they are not translated, so a lost one only tells that something on the way drops pings, and that the node reaches a host does not mean that pods do. A registry and a host of the internet may be out of reach on purpose, which is told and no fault.`,
	Fix: Fix{
		Text:     "test with TCP instead of ping; where that fails too, look at the OutBoundNAT exceptions, the node's own way out, and the firewalls between",
		Commands: []string{"Test-NetConnection HOST -Port 443", "curl.exe -sv https://HOST"},
		Impact:   "none: looking changes nothing",
	},
	Links:    []string{"https://kubernetes.io/docs/concepts/services-networking/windows-networking/#limitations", "https://github.com/microsoft/SDN/issues/170"},
	Explains: []string{},
	Needs:    []evidence.Need{evidence.ReachProbes},
	Uses:     append(slices.Clone(clusterSources), evidence.Node, evidence.HNSNetworks, evidence.Adapters),
	Run: func(s evidence.Snapshot) ([]Finding, error) {
		n := About(s)
		probes := evidence.ReachProbes.In(s)
		var findings []Finding
		pinged := false
		for _, ping := range probes {
			if ping.Protocol != "icmp" || ping.Bytes > 0 || n.inside(ping) {
				continue
			}
			f := Finding{}
			if ping.From == evidence.FromNode {
				f = aboutNodePing(ping, probes)
			} else {
				pinged = true
				f = n.aboutPing(ping, probes)
			}
			if f.Level > 0 {
				findings = append(findings, f)
			}
		}
		if !pinged && len(findings) == 0 {
			return nil, Unknown(evidence.NotCollected + ": no ping from a pod to a host outside the cluster is recorded, and the node's view is not the pod's; doctor --from-pod NAMESPACE/NAME measures there")
		}
		return findings, nil
	},
})

// aboutPing sets a ping beside the pod's connections: those to the pinged host,
// or where there are none, those to any other host outside. The zero Finding
// stands for nothing to tell.
func (n *Node) aboutPing(ping evidence.ReachProbe, probes []evidence.ReachProbe) Finding {
	var same, other []evidence.ReachProbe
	for _, p := range probes {
		switch {
		case p.Protocol == "icmp" || p.From != ping.From:
		case hostOf(p.Target) == hostOf(ping.Target):
			same = append(same, p)
		case !n.inside(p):
			other = append(other, p)
		}
	}
	if f := contact(ping, same, Fail, Warn); f.Level > 0 || !gotNone(ping) || ContactOf(same) != ContactUntold {
		return f
	}
	var seen outcomes
	for _, p := range other {
		seen.add(p)
	}
	f := Findingf(Info, ping.Target, "a ping from %s to %s fails, which says nothing on Windows; no TCP connection was tried", ping.From, ping.Target)
	switch {
	case len(seen.answered) > 0:
		f = Findingf(Info, ping.Target, "a ping from %s to %s fails and TCP to %s works: Windows as documented", ping.From, ping.Target, hostOf(seen.answered[0].Target))
	case len(seen.lost) > 0:
		f = Findingf(Fail, ping.Target, "a ping from %s to %s fails, and so does TCP to %s: this is not about ICMP", ping.From, ping.Target, hostOf(seen.lost[0].Target))
	}
	return f.With(reachBecause(ping)).With(seen.quotes()...)
}

// aboutNodePing does the same for the node itself, whose targets were chosen
// for it: not all of them it has to reach.
func aboutNodePing(ping evidence.ReachProbe, probes []evidence.ReachProbe) Finding {
	var same []evidence.ReachProbe
	for _, p := range probes {
		if p.Protocol != "icmp" && p.From == ping.From && hostOf(p.Target) == hostOf(ping.Target) {
			same = append(same, p)
		}
	}
	switch ping.Purpose {
	case evidence.ForRegistry, evidence.ForOutside:
		return contact(ping, same, Info, Info)
	case evidence.ForOtherNode: // it may be down, or guard its port
		return contact(ping, same, Warn, Info)
	}
	return contact(ping, same, Fail, Warn)
}

// contact tells what a ping and the connections to the same host come to. The
// levels are for a host that answers neither, and for one that answers pings only.
func contact(ping evidence.ReachProbe, same []evidence.ReachProbe, none, pingOnly Level) Finding {
	var seen outcomes
	for _, p := range same {
		seen.add(p)
	}
	to, f := ping.Target, Finding{}
	switch ContactOf(append([]evidence.ReachProbe{ping}, same...)) {
	case ContactPingOnly:
		f = Findingf(pingOnly, to, "%s answers a ping from %s and no TCP connection: a firewall stands between", to, ping.From)
	case ContactTCPOnly:
		f = Findingf(Info, to, "a ping from %s to %s fails and TCP to it works: Windows as documented", ping.From, to)
	case ContactNone:
		if !gotNone(ping) {
			return f
		}
		if f = Findingf(none, to, "%s answers %s neither over ICMP nor over TCP: this is not about ICMP", to, ping.From); none == Info {
			f = Findingf(none, to, "%s answers %s neither over ICMP nor over TCP, which is a fault only where the node should get there without a proxy", to, ping.From)
		}
	default:
		return f
	}
	return f.With(reachBecause(ping)).With(seen.quotes()...)
}

// inside tells whether a probe's target is of the cluster: a pod, a Service or the node.
func (n *Node) inside(p evidence.ReachProbe) bool {
	a, ok := addressOf(p)
	return ok && (anyContains(slices.Concat(n.ClusterCIDRs.Value, n.ServiceCIDRs.Value, n.PodCIDRs.Value), a) ||
		slices.Contains(slices.Concat(n.ServiceIPs.Value, n.ClusterDNS.Value, n.ManagementIPs.Value), a))
}
