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

var _ = register(&checks.Check{
	ID:       "vxlan-4789-conflict",
	Title:    "Overlay traffic on UDP port 4789 is lost between nodes",
	Healthy:  "Overlay traffic on UDP port 4789 passes between nodes",
	Category: checks.CategoryNetwork,
	Doc: `An overlay carries pod traffic between nodes in UDP packets to port 4789, which cannot be
changed on Windows. VMware's own overlay (NSX, or VXLAN of the distributed switch) uses the same
port on the hypervisor hosts and drops the packets; security groups and firewalls often block the
port too. Pods then reach everything except the pods of other nodes. If those answer a ping, and nothing
over TCP, packets arrive with wrong checksums: the virtual network adapters of VMware and some kernels of
Linux (RHEL 8) calculate them wrongly for VXLAN.

Nothing on the node shows this, unless its own firewall has a rule against the port. The check warns
where no TCP probe from a pod to pods of other nodes is answered, pods do get answers from outside
the pod network, and HNS has the remote subnets of those pods; without them the fault is on this node. It
is on this node, too, if a Service without pods does not answer, such as that of the API server.`,
	Fix: checks.Steps(
		openOverlayPort(),
		checks.Do("Allow UDP port 4789 between all nodes, both ways, in security groups and firewalls."),
		checks.Do("On vSphere, change the VXLAN port of NSX or the distributed switch."),
		checks.Verify(
			"pktmon start --capture --pkt-size 128; Start-Sleep 30; pktmon stop; pktmon etl2txt PktMon.etl",
			"packets to UDP port 4789 in both directions in PktMon.txt")),
	Links: []string{
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/kubernetes/common-problems", "https://kubernetes.io/docs/concepts/services-networking/windows-networking/",
		"https://github.com/rancher/rke2/issues/6307",
		"https://github.com/rancher/rancher/issues/33399",
		"https://github.com/flannel-io/flannel/issues/1279"},
	Breaks:  []*checks.Effect{effectServices},
	Applies: checks.OnBackend(node.OverlayNet),
	Needs: []evidence.Need{evidence.Any(evidence.ReachProbes, evidence.FirewallInfo),
		node.NeedClusterCIDRs},
	Uses: slices.Concat(remotePodSources, node.ClusterSources,
		[]evidence.Need{evidence.FirewallInfo, evidence.OSInfo}),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		for i, r := range evidence.FirewallInfo.In(s).Rules {
			if r.Enabled && strings.EqualFold(r.Action, "block") && strings.EqualFold(r.Direction,
				"in") && (strings.EqualFold(r.Protocol, "udp") || r.Protocol == "17") &&
				slices.Contains(r.LocalPorts, "4789") {
				return []*checks.Finding{checks.Findingf(checks.Fail, "UDP 4789",
					"Firewall rule %s blocks UDP port 4789, which carries all pod traffic from other nodes", cmp.Or(r.DisplayName, r.Name)).
					At(evidence.FirewallInfo.Field(s, "rules", i),
						"%s: enabled, in, block, udp 4789",
						cmp.Or(r.Name, r.DisplayName)).With(n.Backend.From).
					Cure(withFirst(fixOf("vxlan-4789-conflict"), checks.Run(
						"Disable-NetFirewallRule -DisplayName '"+quoteForPowerShell(
							cmp.Or(r.DisplayName, r.Name))+"'",
						"Disable firewall rule %s.", cmp.Or(r.DisplayName, r.Name))))}, nil
			}
		}
		if gap := evidence.ReachProbes.Gap(s); gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		v := viewOfRemotePods(s, n)
		// A network without any such policy is not one of flannel's or Calico's making.
		if subnets := remoteSubnets(s, n); len(subnets) > 0 {
			v.lost = slices.DeleteFunc(v.lost, func(p evidence.ReachProbe) bool {
				a, _ := remoteTarget(n, p)
				return !node.AnyContains(subnets, a)
			})
		}
		switch {
		case v.heard:
			return nil, nil
		case !v.isPath(s):
			return nil, checks.Unknown(
				evidence.NotProbed.Gap("two pods of other nodes from pods of this node"))
		case slices.ContainsFunc(v.services, func(p evidence.ReachProbe) bool {
			a, _ := probed.AddressOf(p)
			return behindIsNoPod(s, n, a, remoteSubnets(s, n))
		}):
			return nil, checks.Unknown(evidence.NotDecided.Gap(
				"a Service without pods does not answer pods either, so the fault is not between the nodes"))
		case v.elsewhere == nil:
			return nil, checks.Unknown(
				evidence.NotProbed.Gap(
					"a host outside the pod network that answered a pod, to compare the overlay with"))
		}
		if ping, ok := answersPing(s, v.lost); ok {
			steps := fixOf("vxlan-4789-conflict").Steps
			f := checks.Findingf(checks.Warn, "UDP 4789",
				"pods of other nodes answer a ping, and nothing over TCP: the checksums of overlay packets are probably wrong").
				With(probed.ReachBecause(ping)).Cure(checks.Steps(checks.Do(
				"On each Linux node, turn off the checksum offload of the overlay's interface: ethtool -K flannel.4096 tx-checksum-ip-generic off. The interface can also be flannel.1 or vxlan.calico. Make the setting permanent."),
				steps[1], steps[3]))
			for _, p := range v.lost[:min(len(v.lost), checks.MaxQuotes)] {
				f = f.With(probed.ReachBecause(p))
			}
			return []*checks.Finding{f}, nil
		}
		below := evidence.Phrasef("something between the nodes")
		machine := evidence.OSInfo.In(s).Machine
		vmware := strings.Contains(machine.Manufacturer, "VMware")
		if vmware {
			below = evidence.Phrasef("vSphere, whose own overlay uses the same port,")
		}
		f := checks.Findingf(checks.Warn, "UDP 4789",
			"pods of other nodes do not answer, hosts outside the pod network do: %s probably drops UDP port 4789", below)
		for _, p := range v.lost[:min(len(v.lost), checks.MaxQuotes)] {
			f = f.With(probed.ReachBecause(p))
		}
		f = f.With(probed.ReachBecause(*v.elsewhere))
		if vmware {
			steps := fixOf("vxlan-4789-conflict").Steps
			f = f.At(evidence.OSInfo.Field(s, "machine"), "machine is %s %s", machine.Manufacturer,
				machine.Model).Cure(checks.Steps(steps[2], steps[0], steps[1], steps[3]))
		}
		// regression-windows-2025-overlay, whose probes look the same where what fails is the way to other nodes
		if b := n.Build.Value; b.Number == 26100 && b.UBR > 0 && b.UBR < 6899 {
			fix := f.Fix
			if len(fix.Steps) == 0 {
				fix = fixOf("vxlan-4789-conflict")
			}
			fix.Steps = slices.Insert(slices.Clone(fix.Steps), len(fix.Steps)-1, checks.Do(
				"If the port is open between all nodes, install the current cumulative update: Windows Server 2025 before build 26100.6899 loses overlay traffic.").
				Costs("The update reboots the node and stops its pods."))
			f = f.With(n.Build.From).Cure(fix)
		}
		return []*checks.Finding{f}, nil
	},
})

// answersPing finds the answer to a ping of a pod that does not answer the same pod over TCP.
func answersPing(s evidence.Snapshot, lost []evidence.ReachProbe) (evidence.ReachProbe, bool) {
	for _, p := range evidence.ReachProbes.In(s) {
		if p.Protocol == "icmp" && p.Outcome == "ok" && slices.ContainsFunc(lost, func(l evidence.ReachProbe) bool {
			return l.From == p.From && probed.HostOf(l.Target) == p.Target
		}) {
			return p, true
		}
	}
	return evidence.ReachProbe{}, false
}

func openOverlayPort() *checks.Step {
	return checks.Run("New-NetFirewallRule -Name OverlayTraffic4789UDP -DisplayName 'Overlay network traffic UDP' -Direction Inbound -Protocol UDP -LocalPort 4789 -Action Allow",
		"Allow the port in the firewall of this node. Disable a rule that blocks it.")
}
