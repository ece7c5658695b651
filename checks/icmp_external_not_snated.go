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

It is a fault where TCP fails as well, and one of a firewall where the ping works and TCP does not.`,
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
		var findings []Finding
		pinged := false
		probes := evidence.ReachProbes.In(s)
		for _, ping := range probes {
			if ping.Protocol != "icmp" || n.inside(ping.Target) {
				continue
			}
			pinged = true
			because := []Because{reachBecause(ping)}
			tcp := 0
			ok := false
			for _, p := range probes {
				if p.Protocol != "icmp" && p.From == ping.From && (sameHost(p.Target, ping.Target) || !n.inside(p.Target) && !hasTCP(probes, ping)) {
					tcp++
					ok = ok || p.Outcome == "ok"
					if len(because) < maxQuotes {
						because = append(because, reachBecause(p))
					}
				}
			}
			switch {
			case ping.Outcome == "ok" && tcp > 0 && !ok && hasTCP(probes, ping):
				findings = append(findings, Findingf(Warn, ping.Target, "%s answers a ping from %s and no TCP connection: a firewall stands between", ping.Target, ping.From).With(because...))
			case ping.Outcome == "ok" || ping.Outcome == "denied" || ping.Outcome == "error":
			case ok:
				findings = append(findings, Findingf(Info, ping.Target, "a ping from %s to %s fails and TCP works: Windows as documented", ping.From, ping.Target).With(because...))
			case tcp > 0:
				findings = append(findings, Findingf(cond(ping.From == "node", Warn, Fail), ping.Target, "%s answers %s neither over ICMP nor over TCP: this is not about ICMP", ping.Target, ping.From).With(because...))
			default:
				findings = append(findings, Findingf(Info, ping.Target, "a ping from %s to %s fails, which says nothing on Windows; no TCP connection was tried", ping.From, ping.Target).With(because...))
			}
		}
		if !pinged {
			return nil, Unknown(evidence.NotCollected + ": no ping to a host outside the cluster is recorded")
		}
		return findings, nil
	},
})

// inside tells whether a probe's target is of the cluster: a pod, a Service or a node.
func (n *Node) inside(target string) bool {
	a, ok := parseAddress(hostOf(target))
	return ok && (anyContains(slices.Concat(n.ClusterCIDRs.Value, n.ServiceCIDRs.Value, n.PodCIDRs.Value), a) ||
		slices.Contains(slices.Concat(n.ServiceIPs.Value, n.ClusterDNS.Value, n.ManagementIPs.Value), a))
}

func sameHost(a, b string) bool { return hostOf(a) == hostOf(b) }

// hasTCP tells whether the pinged host itself was also tried over TCP.
func hasTCP(probes []evidence.ReachProbe, ping evidence.ReachProbe) bool {
	return slices.ContainsFunc(probes, func(p evidence.ReachProbe) bool {
		return p.Protocol != "icmp" && p.From == ping.From && sameHost(p.Target, ping.Target)
	})
}

func reachBecause(p evidence.ReachProbe) Because {
	return Because{Path: evidence.ReachProbes.Path(), Text: p.Protocol + " to " + p.Target + " from " + p.From + ": " + p.Outcome}
}
