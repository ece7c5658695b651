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
	ID:       "vm-mac-spoofing-disabled",
	Title:    "Hypervisor drops pod traffic (MAC spoofing disabled)",
	Healthy:  "Hypervisor forwards pod traffic",
	Category: checks.CategoryNetwork,
	FAQ:      []int{3},
	Doc: `Pods of an l2bridge or overlay network use MAC addresses that differ from that of the
virtual machine's adapter. Hyper-V drops such frames unless MAC address spoofing is allowed for the
adapter, vSphere unless the port group accepts MAC changes and forged transmits. Pods then have an
address, HNS looks healthy, but no packet leaves the machine.

Nothing on the node shows the setting. It is a fault if, on a virtual machine, no TCP probe from
pods to other hosts is answered, the node itself reaches some, and pods reach the node; if the last
was not probed, it is a warning. Services are ignored: the pod behind one may be on this node. So are
pods whose endpoint HNS has not attached or does not have, and a node whose own endpoint, the gateway of its pods, has
no adapter. The networks of Azure, AWS and Google allow pod addresses themselves.`,
	Fix: checks.Steps(
		checks.Run("Set-VMNetworkAdapter -VMName {node} -MacAddressSpoofing On",
			"On the Hyper-V host, allow MAC address spoofing for the adapter of {node}."),
		acceptOnVSphere(), podReachesOutside()),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/kubernetes/common-problems"},
	Breaks: []*checks.Effect{effectOutbound, effectClusterDNS},
	Shows:  []*checks.Effect{effectPodTraffic},
	Applies: func(n *node.Node) error {
		switch n.CNI.Value {
		case node.Azure, node.VPC, node.GKE:
			return checks.Skip("the cloud's network accepts the addresses of pods")
		}
		if n.Backend.Known() && n.Backend.Value == node.Transparent {
			return checks.Skip("the pod network is transparent")
		}
		return nil
	},
	Needs: []evidence.Need{evidence.OSInfo, evidence.ReachProbes},
	Uses: append(slices.Clone(node.ClusterSources), evidence.Node, evidence.HNSNetworks,
		evidence.Adapters, evidence.HNSEndpoints, evidence.Pods, evidence.CRI),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		machine := evidence.OSInfo.In(s).Machine
		if machine.Virtual == nil {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("whether the node is a virtual machine"))
		}
		if !*machine.Virtual {
			return nil, checks.Skip("the node is not a virtual machine")
		}
		if cloud, _, _ := strings.Cut(machine.Manufacturer, " "); n.Backend.Value == node.OverlayNet && (cloud == "Amazon" || cloud == "Google") {
			return nil, checks.Skip("on an overlay network the cloud sees only the node's own addresses")
		}
		unattached, _ := unattachedPods(s)
		v := viewFromPods(n, slices.DeleteFunc(reachProbes(s),
			func(p evidence.ReachProbe) bool {
				return slices.ContainsFunc(unattached, func(f *checks.Finding) bool {
					return f.Subject == p.From
				})
			}))
		e, detached := detachedHostEndpoint(s)
		switch {
		case detached && gatewayOfPods(s, e) && evidence.Adapters.Known(s):
			return nil, nil // what leaves the pods is lost before the hypervisor
		case v.heard:
			return nil, nil
		case len(v.lost) < 2:
			return nil, checks.Unknown(
				evidence.NotProbed.Gap("two connections from a pod to other hosts"))
		case !v.nodeHeard && !heardByCluster(s):
			return nil, checks.Unknown(
				evidence.NotProbed.Gap(
					"a connection of the node itself to another host that answered, to compare pods with"))
		case v.ownLost && !v.ownHeard:
			// not even the node hears its pods: what is lost is lost before the hypervisor
			return nil, nil
		}
		f := checks.Findingf(cond(v.ownHeard, checks.Fail, checks.Warn), machine.Model,
			"All %d connections from pods to other hosts fail, the node's succeed: hypervisor (%s %s) probably drops pod frames", len(v.lost), machine.Manufacturer, machine.Model)
		if v.ownHeard {
			f = f.At(evidence.ReachProbes.Field(s), "pods reach the node itself")
		}
		for _, p := range v.lost[:min(len(v.lost), checks.MaxQuotes)] {
			f = f.With(probed.ReachBecause(p))
		}
		if strings.Contains(machine.Manufacturer, "VMware") {
			f = f.Cure(checks.Steps(acceptOnVSphere(), podReachesOutside()))
		}
		return []*checks.Finding{f.At(evidence.OSInfo.Field(s, "machine"),
			"machine is virtual: %s %s", machine.Manufacturer, machine.Model)}, nil
	},
})

func acceptOnVSphere() *checks.Step {
	return checks.Run("Get-VirtualPortGroup -VM {node} | Get-SecurityPolicy | Set-SecurityPolicy -MacChanges $true -ForgedTransmits $true -AllowPromiscuous $true",
		"On vSphere, set MAC address changes, forged transmits and promiscuous mode of the port group to Accept.")
}

func podReachesOutside() *checks.Step {
	return checks.Verify("kubectl exec POD -n NAMESPACE -- curl.exe -sS -m 5 https://kubernetes.io", "a page")
}

// A podView is what probes say of the way out of this machine.
type podView struct {
	heard             bool                  // another host answered a pod
	lost              []evidence.ReachProbe // pods' connections to other hosts without an answer
	nodeHeard         bool                  // another host answered the node
	ownHeard, ownLost bool                  // the node answered a pod, or did not
}

func viewFromPods(n *node.Node, probes []evidence.ReachProbe) podView {
	var v podView
	for _, p := range probes {
		dest, ok := probed.AddressOf(p)
		own := ok && slices.Contains(n.ManagementIPs.Value, dest)
		switch {
		case p.Protocol == "icmp" || ok &&
			(isService(n, dest) || node.AnyContains(n.PodCIDRs.Value, dest)):
		case p.From == "node":
			v.nodeHeard = v.nodeHeard || !own && probed.GotAnswer(p)
		case own:
			v.ownHeard, v.ownLost = v.ownHeard || probed.GotAnswer(p), v.ownLost ||
				probed.GotNoAnswer(p)
		case probed.GotAnswer(p):
			v.heard = true
		case probed.GotNoAnswer(p):
			v.lost = append(v.lost, p)
		}
	}
	return v
}
