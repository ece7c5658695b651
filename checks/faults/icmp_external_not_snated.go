package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(checks.Check{
	ID:       "icmp-external-not-snated",
	Title:    "pings to the outside fail where TCP works",
	Category: checks.CategoryNetwork,
	FAQ:      []int{4},
	Doc: `Windows translates TCP and UDP of pods to the node's address, not ICMP: on overlay,
l2bridge and Azure networks a ping from a pod to a host outside the cluster gets no answer while
curl to the same host works. That is Windows as documented, and so is a Service address that does
not answer pings. No network is down on ICMP alone.

It is a fault where TCP fails as well, and one of a firewall where the ping works and TCP does not.
Where no pod was asked, the node's own pings are judged in the same way: they are not translated, so
a lost one only tells that something on the way drops pings, and that the node reaches a host does
not mean that pods do. A registry and a host of the internet may be out of reach on purpose, which
is told and no fault.`,
	Fix: checks.Steps(
		checks.Inspect("Test-NetConnection HOST -Port 443", ""),
		checks.Run("curl.exe -sv https://HOST",
			"test with TCP instead of ping; where that fails too, look at the OutBoundNAT exceptions, the node's own way out, and the firewalls between")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/services-networking/windows-networking/#limitations",
		"https://github.com/microsoft/SDN/issues/170"},
	Shows: []*checks.Effect{effectOutbound},
	Needs: []evidence.Need{evidence.ReachProbes},
	Uses: append(slices.Clone(node.ClusterSources), evidence.Node, evidence.HNSNetworks,
		evidence.Adapters),
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		probes := evidence.ReachProbes.In(s)
		var findings []checks.Finding
		pinged := false
		for _, ping := range probes {
			if ping.Protocol != "icmp" || ping.Bytes > 0 || inside(n, ping) {
				continue
			}
			f := checks.Finding{}
			if ping.From == evidence.FromNode {
				f = aboutNodePing(ping, probes)
			} else {
				pinged = true
				f = aboutPing(n, ping, probes)
			}
			if f.Level > 0 {
				findings = append(findings, f)
			}
		}
		if !pinged && len(findings) == 0 {
			return nil, checks.Unknown(
				evidence.NotProbed.Gap("a host outside the cluster, by ping from a pod"))
		}
		return findings, nil
	},
})

// aboutPing sets a ping beside the pod's connections: those to the pinged host,
// or where there are none, those to any other host outside. The zero Finding
// stands for nothing to tell.
func aboutPing(n *node.Node, ping evidence.ReachProbe,
	probes []evidence.ReachProbe) checks.Finding {
	var same, other []evidence.ReachProbe
	for _, p := range probes {
		switch {
		case p.Protocol == "icmp" || p.From != ping.From:
		case probed.HostOf(p.Target) == probed.HostOf(ping.Target):
			same = append(same, p)
		case !inside(n, p):
			other = append(other, p)
		}
	}
	if f := contact(ping, same, checks.Fail, checks.Warn); f.Level > 0 ||
		!probed.GotNoAnswer(ping) || probed.ContactOf(same) != probed.ContactNotAsked {
		return f
	}
	var seen probed.Outcomes
	for _, p := range other {
		seen.Add(p)
	}
	f := checks.Findingf(checks.Info, ping.Target,
		"a ping from %s to %s fails, which says nothing on Windows; no TCP connection was tried",
		ping.From, ping.Target)
	switch {
	case len(seen.Answered) > 0:
		f = checks.Findingf(checks.Info, ping.Target,
			"a ping from %s to %s fails and TCP to %s works: Windows as documented", ping.From,
			ping.Target, probed.HostOf(seen.Answered[0].Target))
	case len(seen.Lost) > 0:
		f = checks.Findingf(checks.Fail, ping.Target,
			"a ping from %s to %s fails, and so does TCP to %s: this is not about ICMP", ping.From,
			ping.Target, probed.HostOf(seen.Lost[0].Target))
	}
	return f.With(probed.ReachBecause(ping)).With(seen.Quotes()...)
}

// aboutNodePing does the same for the node itself, whose targets were chosen
// for it: not all of them it has to reach.
func aboutNodePing(ping evidence.ReachProbe, probes []evidence.ReachProbe) checks.Finding {
	var same []evidence.ReachProbe
	for _, p := range probes {
		if p.Protocol != "icmp" && p.From == ping.From &&
			probed.HostOf(p.Target) == probed.HostOf(ping.Target) {
			same = append(same, p)
		}
	}
	switch ping.Purpose {
	case evidence.ForRegistry, evidence.ForOutside:
		return contact(ping, same, checks.Info, checks.Info)
	case evidence.ForOtherNode: // it may be down, or guard its port
		return contact(ping, same, checks.Warn, checks.Info)
	}
	return contact(ping, same, checks.Fail, checks.Warn)
}

// contact tells what a ping and the connections to the same host come to. The
// levels are for a host that answers neither, and for one that answers pings only.
func contact(ping evidence.ReachProbe, same []evidence.ReachProbe, none,
	pingOnly checks.Level) checks.Finding {
	var seen probed.Outcomes
	for _, p := range same {
		seen.Add(p)
	}
	to, f := ping.Target, checks.Finding{}
	switch probed.ContactOf(append([]evidence.ReachProbe{ping}, same...)) {
	case probed.ContactPingOnly:
		f = checks.Findingf(pingOnly, to,
			"%s answers a ping from %s and no TCP connection: a firewall stands between", to,
			ping.From)
	case probed.ContactTCPOnly:
		f = checks.Findingf(checks.Info, to,
			"a ping from %s to %s fails and TCP to it works: Windows as documented", ping.From, to)
	case probed.ContactNone:
		if !probed.GotNoAnswer(ping) {
			return f
		}
		if f = checks.Findingf(none, to,
			"%s answers %s neither over ICMP nor over TCP: this is not about ICMP", to,
			ping.From); none == checks.Info {
			f = checks.Findingf(none, to,
				"%s answers %s neither over ICMP nor over TCP, which is a fault only where the node should get there without a proxy", to, ping.From)
		}
	default:
		return f
	}
	return f.With(probed.ReachBecause(ping)).With(seen.Quotes()...)
}

// inside tells whether a probe's target is of the cluster: a pod, a Service or the node.
func inside(n *node.Node, p evidence.ReachProbe) bool {
	a, ok := probed.AddressOf(p)
	return ok &&
		(node.AnyContains(slices.Concat(n.ClusterCIDRs.Value, n.ServiceCIDRs.Value,
			n.PodCIDRs.Value), a) ||
			slices.Contains(slices.Concat(n.ServiceIPs.Value, n.ClusterDNS.Value,
				n.ManagementIPs.Value), a))
}
