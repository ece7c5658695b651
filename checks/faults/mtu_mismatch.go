package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

// encapOverhead is what VXLAN adds to a packet: HNS takes it off by itself.
const encapOverhead = 50

// maxMTU tells a real MTU from the loopback's.
const maxMTU = 65535

var _ = register(checks.Check{
	ID:       "mtu-mismatch",
	Title:    "pods send packets larger than the network carries",
	Category: checks.CategoryNetwork,
	FAQ:      []int{13},
	Doc: `Where the MTU of pods is larger than what fits through the node's adapter, with 50
bytes off for the headers of an overlay, small requests work and large ones hang: a connection
opens, and the TLS handshake or the first long answer times out. It happens when the adapter's MTU
was lowered for a tunnel or a cloud, or jumbo frames were set on one side only.

HNS takes the 50 bytes off by itself, so 1450 on vEthernet is as it should be. The check compares
the adapters of pods and FLANNEL_MTU with the node's uplink, and looks for targets to which a pod's
TCP connects and its TLS times out while the node's own works. Pings that may not be fragmented, of
which the larger to the same host get lost without a word, are told too. What other nodes send it
cannot see.`,
	Fix: checks.Steps(
		checks.Run("netsh interface ipv4 show subinterfaces",
			"give the uplink the MTU that the pods count on, or pods a smaller one (for flannel MTU in the backend section of net-conf.json); an overlay needs 50 bytes less than the uplink, on Linux nodes too").
			Costs("connections that are open may break off when the MTU of an adapter changes"),
		checks.Inspect("ping -f -l 1472 OTHER_NODE_IP    # 1500 with its headers", ""),
		checks.Run("netsh interface ipv4 set subinterface \"vEthernet (Ethernet)\" mtu=1500 store=persistent", "")),
	Links: []string{"https://github.com/microsoft/SDN/issues/517",
		"https://github.com/Azure/AKS/issues/2873",
		"https://github.com/kubernetes-sigs/cluster-api-provider-azure/pull/1335",
		"https://github.com/moby/moby/issues/33596"},
	Applies: func(n *node.Node) error {
		if !n.Backend.Known() { // the headers of an overlay are what makes the difference
			return checks.Unknown(cmp.Or(n.Backend.Gap,
				evidence.NotShown.Gap("the type of the pod network")))
		}
		return nil
	},
	Needs: []evidence.Need{evidence.Adapters, node.NeedManagementIPs},
	Uses:  []evidence.Need{evidence.File(node.SubnetEnv), evidence.ReachProbes, evidence.Node},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		up := uplink(n, s)
		uplink, mtu := up.Name, up.MTU
		if mtu == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("the MTU of the node's adapter"))
		}
		room := mtu
		if n.Backend.Value == node.OverlayNet &&
			!(strings.HasPrefix(strings.ToLower(uplink), "vethernet") && mtu < usualMTU) {
			// where only the switch's adapter is recorded, HNS has taken them off already
			room -= encapOverhead
		}
		findings := append(largeButLost(evidence.ReachProbes.In(s)),
			blackHoles(evidence.ReachProbes.In(s))...)
		compared := 0
		for _, a := range evidence.Adapters.In(s) {
			if !ofPod(n, a) || a.MTU <= 0 || a.MTU > maxMTU {
				continue
			}
			compared++
			if a.MTU > room && len(findings) < checks.MaxQuotes {
				findings = append(findings, checks.Findingf(checks.Warn, a.Name,
					"%s of a pod has MTU %d, and at most %d get through the node's adapter", a.Name,
					a.MTU, room).
					At(a.Field("mtu"), "%s: mtu is %d", a.Name, a.MTU).At(up.Field("mtu"),
					"%s: mtu is %d", uplink, mtu))
			}
		}
		if f := s.File(node.SubnetEnv); f.Gap.Kind == "" && n.CNI.Value == node.Flannel {
			env := evidence.DecodeFlannelSubnet(f.Text)
			if env.MTU > 0 {
				compared++
			}
			if env.MTU > room && env.MTU <= maxMTU {
				findings = append(findings, checks.Findingf(checks.Warn, "FLANNEL_MTU",
					"FLANNEL_MTU is %d, and at most %d get through the node's adapter", env.MTU,
					room).
					At(evidence.InLine(f.Path, env.Lines["FLANNEL_MTU"]), "FLANNEL_MTU=%d",
						env.MTU).At(up.Field("mtu"), "%s: mtu is %d", uplink, mtu))
			}
		}
		if compared == 0 && len(findings) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("the MTU of any pod"))
		}
		return findings, nil
	},
})

// usualMTU is that of Ethernet; a switch's adapter below it shows what HNS left of it.
const usualMTU = 1500

// uplink is the way out of the node. The virtual adapter of an overlay shows
// the MTU that is left of the physical one, so the larger of the two counts.
func uplink(n *node.Node, s evidence.Snapshot) (up evidence.Adapter) {
	adapters := evidence.Adapters.In(s)
	for _, a := range adapters {
		if a.Compartment > 1 || !slices.ContainsFunc(node.ParseAddresses(a.Addresses...),
			func(ip node.Address) bool { return slices.Contains(n.ManagementIPs.Value, ip) }) {
			continue
		}
		for _, b := range adapters {
			if (b.Name == a.Name || a.MAC != "" && strings.EqualFold(a.MAC, b.MAC)) &&
				b.MTU > up.MTU && b.MTU <= maxMTU {
				up = b
			}
		}
	}
	return up
}

// ofPod tells whether the adapter is that of a pod, or the host's in the pod network.
func ofPod(n *node.Node, a evidence.Adapter) bool {
	return a.Compartment > 1 || slices.ContainsFunc(node.ParseAddresses(a.Addresses...),
		func(ip node.Address) bool { return node.AnyContains(n.PodCIDRs.Value, ip) })
}

// largeButLost finds targets whose TCP answers a pod and whose TLS, the first
// exchange of large packets, does not, though it answers the node.
func largeButLost(probes []evidence.ReachProbe) []checks.Finding {
	outcome := func(from, target, protocol string) (evidence.ReachProbe, bool) {
		at := slices.IndexFunc(probes, func(p evidence.ReachProbe) bool {
			return p.From == from && p.Target == target && p.Protocol == protocol
		})
		if at < 0 {
			return evidence.ReachProbe{}, false
		}
		return probes[at], true
	}
	var findings []checks.Finding
	for _, p := range probes {
		if p.Protocol != "tls" || p.Outcome != "timeout" || p.From == "node" {
			continue
		}
		tcp, ok := outcome(p.From, p.Target, "tcp")
		node, okNode := outcome("node", p.Target, "tls")
		if ok && okNode && tcp.Outcome == "ok" && node.Outcome == "ok" {
			findings = append(findings, checks.Findingf(checks.Warn, p.From,
				"%s connects to %s and its TLS handshake times out, though the node's succeeds: large packets seem to get lost", p.From, p.Target).
				With(probed.ReachBecause(tcp), probed.ReachBecause(p), probed.ReachBecause(node)))
		}
	}
	return findings
}

// blackHoles finds ways that take less than they say: see BlackHole. A host that
// is none of the cluster's may filter large pings and nothing else.
func blackHoles(probes []evidence.ReachProbe) []checks.Finding {
	type way struct{ from, to string }
	byWay := map[way][]evidence.ReachProbe{}
	var order []way
	for _, p := range probes {
		if p.Protocol != "icmp" || p.Bytes == 0 {
			continue
		}
		w := way{p.From, p.Target}
		if byWay[w] == nil {
			order = append(order, w)
		}
		byWay[w] = append(byWay[w], p)
	}
	var findings []checks.Finding
	for _, w := range order {
		lost, carried, ok := probed.BlackHole(byWay[w])
		if !ok {
			continue
		}
		level := checks.Warn
		if lost.Purpose == evidence.ForOutside || lost.Purpose == evidence.ForRegistry {
			level = checks.Info
		}
		findings = append(findings,
			checks.Findingf(level, w.to,
				"pings of %d bytes from %s to %s come back and those of %d get lost without a word: large packets seem to get lost", carried.Bytes, w.from, w.to, lost.Bytes).
				With(probed.ReachBecause(carried), probed.ReachBecause(lost)))
	}
	return findings
}
