package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(&checks.Check{
	ID:       "icmp-external-not-snated",
	Title:    "Pods cannot reach external hosts",
	Healthy:  "Pods reach external hosts with ICMP and TCP",
	Category: checks.CategoryNetwork,
	FAQ:      []int{4},
	Doc: `Windows translates TCP and UDP of pods to the node's address, not ICMP: on overlay,
l2bridge and Azure networks a ping from a pod to a host outside the cluster gets no answer while
curl to the same host works. This is documented for Windows, as are Service addresses that do not
answer pings. A failed ping alone does not show a fault.

It is a fault if TCP fails too. If ping works and TCP does not, a firewall is the cause. A pod that was
not pinged from, reaches the cluster, and gets no answer over TCP from a host that answers the node, is a
warning: HNS can have the policy OutBoundNAT without its rules. Without probes from pods, the pings of
the node are judged in the same way. They are not translated, so a lost ping only shows that a device on
the path drops pings, and pods may fail where the node succeeds. Registries and internet hosts may be blocked on purpose: this is reported as info.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl exec POD -n NAMESPACE -- curl.exe -sSv -m 5 https://HOST",
			"Test with TCP instead of ping. If TCP works, nothing needs to be fixed."),
		checks.Inspect("Get-NetRoute -DestinationPrefix 0.0.0.0/0",
			"Check that the node has a default route, and that the node itself reaches the host."),
		checks.Do("Allow the connections in the firewalls on the path. If only pods fail, remove the host from the OutBoundNAT exceptions of {cniFile}."),
		checks.Verify("kubectl exec POD -n NAMESPACE -- curl.exe -sS -m 5 https://HOST",
			"an answer of the host")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/services-networking/windows-networking/#limitations",
		"https://github.com/microsoft/SDN/issues/170",
		"https://github.com/projectcalico/calico/issues/12862"},
	Shows: []*checks.Effect{effectOutbound},
	Needs: []evidence.Need{evidence.ReachProbes},
	Uses: slices.Concat(node.ClusterSources, podProbeSources, []evidence.Need{evidence.HNSNetworks,
		evidence.Adapters}),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		probes := reachProbes(s)
		var findings []*checks.Finding
		pinged := false
		for _, ping := range probes {
			if ping.Protocol != "icmp" || ping.Bytes > 0 || inside(n, ping) {
				continue
			}
			f := &checks.Finding{}
			if ping.From == evidence.FromNode {
				f = aboutNodePing(ping, probes)
			} else {
				pinged = true
				f = aboutPing(n, ping, probes)
			}
			if f.Level > 0 {
				if f.Level > checks.Info { // TCP has been tested
					f = f.Cure(checks.Steps(fixOf("icmp-external-not-snated").Steps[1:]...))
				}
				findings = append(findings, f)
			}
		}
		if !pinged {
			findings = append(findings, lostOutside(n, probes)...)
		}
		if !pinged && len(findings) == 0 {
			return nil, checks.Unknown(
				evidence.NotProbed.Gap("a host outside the cluster, by ping from a pod"))
		}
		return findings, nil
	},
})

// lostOutside finds hosts outside that answer the node over TCP and not a pod that reaches the cluster. One
// answer from outside shows that its NAT works.
func lostOutside(n *node.Node, probes []evidence.ReachProbe) []*checks.Finding {
	for _, lost := range probes {
		if lost.From == evidence.FromNode || lost.Protocol == "icmp" || !probed.GotNoAnswer(lost) || inside(n, lost) {
			continue
		}
		var cluster, outside, fromNode probed.Outcomes
		for _, p := range probes {
			switch {
			case p.From == evidence.FromNode && p.Target == lost.Target && p.Protocol == lost.Protocol:
				fromNode.Add(p)
			case p.From == lost.From && inside(n, p):
				if a, _ := probed.AddressOf(p); !slices.Contains(n.ManagementIPs.Value, a) { // its own node is no way out
					cluster.Add(p)
				}
			case p.From == lost.From:
				outside.Add(p)
			}
		}
		if len(cluster.Answered) > 0 && len(outside.Answered) == 0 && len(fromNode.Answered) > 0 {
			return []*checks.Finding{checks.Findingf(checks.Warn, lost.From,
				"%s answers the node over TCP but not %s, which reaches the cluster", lost.Target, lost.From).
				With(probed.ReachBecause(lost), probed.ReachBecause(fromNode.Answered[0]),
					probed.ReachBecause(cluster.Answered[0])).
				Cure(checks.Steps(
					checks.Run("kubectl delete pod POD -n NAMESPACE",
						"Delete the pod. If the new one reaches the host, HNS had lost the NAT rules of the old one.").
						Costs("The pod is down until its replacement is Ready."),
					checks.Inspect("vfpctrl /list-vmswitch-port; vfpctrl /list-rule /port PORT",
						"If not, find the port of the pod. Without rules for OutBoundNAT in SLB_NAT_LAYER, report a bug of the CNI plugin or of Windows."),
					checks.Do("If the rules are there, read the network policies of the pod, and the firewalls on the path."),
					fixOf("icmp-external-not-snated").Steps[3]))}
		}
	}
	return nil
}

// aboutPing sets a ping beside the pod's connections: those to the pinged host,
// or where there are none, those to any other host outside. The zero Finding
// stands for nothing to tell.
func aboutPing(n *node.Node, ping evidence.ReachProbe,
	probes []evidence.ReachProbe) *checks.Finding {
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
		"ping from %s to %s fails (normal on Windows); TCP was not tested",
		ping.From, ping.Target)
	switch {
	case len(seen.Answered) > 0:
		f = checks.Findingf(checks.Info, ping.Target,
			"ping from %s to %s fails and TCP to %s works (normal on Windows)", ping.From,
			ping.Target, probed.HostOf(seen.Answered[0].Target))
	case len(seen.Lost) > 0:
		f = checks.Findingf(checks.Fail, ping.Target,
			"ping from %s to %s and TCP to %s fail: ICMP is not the cause", ping.From,
			ping.Target, probed.HostOf(seen.Lost[0].Target))
	}
	return f.With(probed.ReachBecause(ping)).With(seen.Quotes()...)
}

// aboutNodePing does the same for the node itself, whose targets were chosen
// for it: not all of them it has to reach.
func aboutNodePing(ping evidence.ReachProbe, probes []evidence.ReachProbe) *checks.Finding {
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
	pingOnly checks.Level) *checks.Finding {
	var seen probed.Outcomes
	for _, p := range same {
		seen.Add(p)
	}
	to, f := ping.Target, &checks.Finding{}
	switch probed.ContactOf(append([]evidence.ReachProbe{ping}, same...)) {
	case probed.ContactPingOnly:
		f = checks.Findingf(pingOnly, to,
			"%s answers ping from %s, but not TCP: a firewall blocks TCP", to,
			ping.From)
	case probed.ContactTCPOnly:
		f = checks.Findingf(checks.Info, to,
			"ping from %s to %s fails and TCP works (normal on Windows)", ping.From, to)
	case probed.ContactNone:
		if !probed.GotNoAnswer(ping) {
			return f
		}
		if f = checks.Findingf(none, to,
			"%s does not answer %s over ICMP or TCP: ICMP is not the cause", to,
			ping.From); none == checks.Info {
			f = checks.Findingf(none, to,
				"%s does not answer %s over ICMP or TCP: a fault only if no proxy is required", to,
				ping.From)
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
