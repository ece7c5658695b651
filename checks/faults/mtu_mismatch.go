package faults

import (
	"cmp"
	"slices"
	"strconv"
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

var _ = register(&checks.Check{
	ID:       "mtu-mismatch",
	Title:    "MTU of pods is larger than the network supports",
	Healthy:  "MTU of pods fits the network",
	Category: checks.CategoryNetwork,
	FAQ:      []int{13},
	Doc: `If the MTU of pods is larger than the node's adapter supports (minus 50 bytes for the
headers of an overlay), small requests work and large ones hang: a connection opens, and the TLS
handshake or the first long answer times out. This happens if the adapter's MTU was lowered for a
tunnel or a cloud, or if jumbo frames were set on one side only.

HNS subtracts the 50 bytes itself, so 1450 on vEthernet is correct. On a host without Kubernetes the
adapters of containers are compared, if docker has only its NAT network. The check compares the adapters
of pods and FLANNEL_MTU with the node's uplink. It looks for targets to which TCP from a pod
connects and TLS times out, while TLS from the node works. It also reports pings without
fragmentation of which only the larger ones to the same host are lost. It cannot see what other
nodes send.`,
	Fix: checks.Steps(
		checks.Do("Set the MTU of pods to that of the node's adapter; on an overlay, 50 bytes less."),
		checks.Do("Recreate the pods of this node."),
		checks.Do("Or raise the MTU of the node's adapter, if the whole network supports it.").
			Costs("Open connections may break."),
		checks.Verify("netsh interface ipv4 show subinterfaces",
			"no MTU of a pod above that of the node's adapter")),
	Links: []string{"https://github.com/microsoft/SDN/issues/517",
		"https://github.com/Azure/AKS/issues/2873",
		"https://github.com/kubernetes-sigs/cluster-api-provider-azure/pull/1335",
		"https://github.com/moby/moby/issues/33596",
		"https://github.com/moby/moby/issues/35683"},
	Needs: []evidence.Need{evidence.Adapters, node.NeedManagementIPs},
	Uses: []evidence.Need{evidence.File(node.SubnetEnv), evidence.ReachProbes, evidence.Node,
		evidence.HNSNetworks},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		if !n.Backend.Known() && !onlyNAT(s) { // the headers of an overlay are what makes the difference
			return nil, checks.Unknown(cmp.Or(n.Backend.Gap,
				evidence.NotShown.Gap("the type of the pod network")))
		}
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
					"pod adapter %s has MTU %d; the node's adapter supports at most %d", a.Name,
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
					"FLANNEL_MTU is %d; the node's adapter supports at most %d", env.MTU,
					room).
					At(evidence.InLine(f.Path, env.Lines["FLANNEL_MTU"]), "FLANNEL_MTU=%d",
						env.MTU).At(up.Field("mtu"), "%s: mtu is %d", uplink, mtu))
			}
		}
		if compared == 0 && len(findings) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("the MTU of any pod"))
		}
		for i := range findings {
			findings[i] = findings[i].Cure(mtuFix(n, room))
		}
		return findings, nil
	},
})

// mtuFix names the setting of the plugin, and the largest value.
func mtuFix(n *node.Node, room int) checks.Fix {
	rest := fixOf("mtu-mismatch").Steps[1:]
	if !n.Backend.Known() {
		return checks.Fix{Steps: []*checks.Step{
			checks.Run("docker exec CONTAINER netsh interface ipv4 set subinterface ADAPTER mtu="+strconv.Itoa(room)+" store=persistent",
				"Set the MTU in each container, or at its start: docker on Windows ignores mtu in daemon.json."),
			rest[1], rest[2]}}
	}
	if n.CNI.Value != node.Flannel {
		return checks.Fix{Steps: append([]*checks.Step{checks.Do(
			"Set the MTU of pods to %d in the settings of the CNI plugin.", room)}, rest...)}
	}
	return checks.Fix{Steps: append([]*checks.Step{
		checks.Do("Set MTU to %d in the Backend section of flannel's net-conf.json.", room),
		checks.Run("{restart network agent}", "Restart flanneld.").Costs(
			"If flanneld recreates the HNS network, the node loses its network for a few seconds."),
	}, rest...)}
}

// onlyNAT tells a machine without a pod network, whose containers are on the NAT network of the runtime.
func onlyNAT(s evidence.Snapshot) bool {
	list := evidence.HNSNetworks.In(s)
	return len(list) > 0 && !slices.ContainsFunc(list, func(net evidence.HNSNetwork) bool {
		return !strings.EqualFold(net.Type, "nat")
	})
}

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
func largeButLost(probes []evidence.ReachProbe) []*checks.Finding {
	outcome := func(from, target, protocol string) (evidence.ReachProbe, bool) {
		at := slices.IndexFunc(probes, func(p evidence.ReachProbe) bool {
			return p.From == from && p.Target == target && p.Protocol == protocol
		})
		if at < 0 {
			return evidence.ReachProbe{}, false
		}
		return probes[at], true
	}
	var findings []*checks.Finding
	for _, p := range probes {
		if p.Protocol != "tls" || p.Outcome != "timeout" || p.From == "node" {
			continue
		}
		tcp, ok := outcome(p.From, p.Target, "tcp")
		node, okNode := outcome("node", p.Target, "tls")
		if ok && okNode && tcp.Outcome == "ok" && node.Outcome == "ok" {
			findings = append(findings, checks.Findingf(checks.Warn, p.From,
				"%s connects to %s, but TLS times out, while the node's TLS works: large packets are probably lost", p.From, p.Target).
				With(probed.ReachBecause(tcp), probed.ReachBecause(p), probed.ReachBecause(node)))
		}
	}
	return findings
}

// blackHoles finds ways that take less than they say: see BlackHole. A host that
// is none of the cluster's may filter large pings and nothing else.
func blackHoles(probes []evidence.ReachProbe) []*checks.Finding {
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
	var findings []*checks.Finding
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
				"pings of %d bytes from %s to %s are answered, those of %d are not: large packets are probably lost", carried.Bytes, w.from, w.to, lost.Bytes).
				With(probed.ReachBecause(carried), probed.ReachBecause(lost)))
	}
	return findings
}
