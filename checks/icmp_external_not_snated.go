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

It is a fault where TCP fails as well, and one of a firewall where the ping works and TCP does not. Only pings from pods are judged: the node's own are not translated.`,
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
			if ping.Protocol != "icmp" || ping.From == "node" || n.inside(ping.Target) {
				continue
			}
			pinged = true
			if f := n.aboutPing(ping, probes); f.Level > 0 {
				findings = append(findings, f)
			}
		}
		if !pinged {
			return nil, Unknown(evidence.NotCollected + ": no ping from a pod to a host outside the cluster is recorded")
		}
		return findings, nil
	},
})

// aboutPing sets a ping beside the pod's TCP connections: those to the pinged
// host, or where there are none, those to any other host outside. The zero
// Finding stands for nothing to tell.
func (n *Node) aboutPing(ping evidence.ReachProbe, probes []evidence.ReachProbe) Finding {
	same, other := tcpOutcomes{}, tcpOutcomes{}
	for _, p := range probes {
		switch {
		case p.Protocol == "icmp" || p.From != ping.From:
		case hostOf(p.Target) == hostOf(ping.Target):
			same.add(p)
		case !n.inside(p.Target):
			other.add(p)
		}
	}
	to := ping.Target
	switch {
	case ping.Outcome == "ok" && len(same.lost) > 0 && len(same.answered) == 0:
		return Findingf(Warn, to, "%s answers a ping from %s and no TCP connection: a firewall stands between", to, ping.From).With(reachBecause(ping)).With(same.quotes()...)
	case !gotNone(ping):
		return Finding{}
	case len(same.answered) > 0:
		return Findingf(Info, to, "a ping from %s to %s fails and TCP to it works: Windows as documented", ping.From, to).With(reachBecause(ping)).With(same.quotes()...)
	case len(same.lost) > 0:
		return Findingf(Fail, to, "%s answers %s neither over ICMP nor over TCP: this is not about ICMP", to, ping.From).With(reachBecause(ping)).With(same.quotes()...)
	case len(other.answered) > 0:
		return Findingf(Info, to, "a ping from %s to %s fails and TCP to %s works: Windows as documented", ping.From, to, hostOf(other.answered[0].Target)).With(reachBecause(ping)).With(other.quotes()...)
	case len(other.lost) > 0:
		return Findingf(Fail, to, "a ping from %s to %s fails, and so does TCP to %s: this is not about ICMP", ping.From, to, hostOf(other.lost[0].Target)).With(reachBecause(ping)).With(other.quotes()...)
	}
	return Findingf(Info, to, "a ping from %s to %s fails, which says nothing on Windows; no TCP connection was tried", ping.From, to).With(reachBecause(ping))
}

// tcpOutcomes sorts connections by whether anything came back.
type tcpOutcomes struct{ answered, lost []evidence.ReachProbe }

func (t *tcpOutcomes) add(p evidence.ReachProbe) {
	switch {
	case gotAnswer(p):
		t.answered = append(t.answered, p)
	case gotNone(p):
		t.lost = append(t.lost, p)
	}
}

func (t *tcpOutcomes) quotes() []Because {
	var quotes []Because
	for _, p := range slices.Concat(t.answered, t.lost) {
		if len(quotes) < maxQuotes {
			quotes = append(quotes, reachBecause(p))
		}
	}
	return quotes
}

// gotAnswer tells whether a packet came back: a refusal is an answer too. A
// probe for which neither gotAnswer nor gotNone holds was never sent.
func gotAnswer(p evidence.ReachProbe) bool {
	return p.Outcome == "ok" || p.Outcome == "refused" || p.Outcome == "reset"
}

func gotNone(p evidence.ReachProbe) bool {
	return p.Outcome == "timeout" || p.Outcome == "unreachable"
}

// inside tells whether a probe's target is of the cluster: a pod, a Service or the node.
func (n *Node) inside(target string) bool {
	a, ok := parseAddress(hostOf(target))
	return ok && (anyContains(slices.Concat(n.ClusterCIDRs.Value, n.ServiceCIDRs.Value, n.PodCIDRs.Value), a) ||
		slices.Contains(slices.Concat(n.ServiceIPs.Value, n.ClusterDNS.Value, n.ManagementIPs.Value), a))
}

func reachBecause(p evidence.ReachProbe) Because {
	return Because{Path: evidence.ReachProbes.Path(), Text: p.Protocol + " to " + p.Target + " from " + p.From + ": " + p.Outcome}
}
