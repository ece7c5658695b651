package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "hns-management-address-wrong",
	Title:    "HNS network is on another address than the node's",
	Healthy:  "HNS network is on the node's address",
	Category: checks.CategoryNetwork,
	Doc: `HNS creates the pod network on one adapter, and the ManagementIP of the network is the
address of that adapter. Packets to other nodes leave with it. On a machine with several adapters
HNS or the network agent may choose another one than the kubelet: other nodes send to the address
that the node announces, and traffic between nodes is lost. On Google Cloud the address of a load
balancer has become the ManagementIP.

The check compares the ManagementIP of the pod network with the addresses of the Node object and
those that flannel or Calico announces. An address that they announce is wrong too if all other nodes of
the overlay are in the network of the kubelet's adapter. An address of 169.254.0.0/16 is wrong if the
agent announces it, if an adapter has the node's address, or if another network of the node has a better one;
otherwise the node lost its address, which is another fault. Without the announcement of the network agent it is a warning: the
agent may use that adapter on purpose.`,
	Fix: checks.Steps(
		checks.Inspect("Get-HnsNetwork | Select-Object Name, Type, NetworkAdapterName, ManagementIP",
			"Find the adapter with the node's address."),
		checks.Do("Select it in the network agent: --iface of flanneld, VXLAN_ADAPTER of Calico, node-ip of RKE2."),
		checks.Run("Get-HnsNetwork | Where-Object Name -eq '{network}' | Remove-HnsNetwork",
			"Remove the network.").
			Costs("All pods of {node} lose their network."),
		checks.Run("{restart network agent}", "Restart the network agent: it creates the network again.").
			Costs("The node's connections drop for a few seconds."),
		checks.Verify("Get-HnsNetwork | Select-Object Name, ManagementIP", "the node's address")),
	Links: []string{"https://github.com/rancher/rke2/issues/3533",
		"https://github.com/kubernetes/kubernetes/issues/75561",
		"https://github.com/flannel-io/flannel/issues/1467",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/105",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/96"},
	Breaks:   []*checks.Effect{effectPodTraffic},
	Explains: []string{"hns-object-inconsistent"},
	Needs:    []evidence.Need{evidence.HNSNetworks, node.NeedNetworks},
	FromPart: []evidence.Need{evidence.HNSNetworks, evidence.Node},
	Uses:     slices.Concat([]evidence.Need{evidence.Node, evidence.Nodes, evidence.Adapters}, node.CNISources, node.KubeletSources),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		net, ok := n.PodNetwork(s)
		if f := externalUnassigned(s); !ok && f != nil {
			return []*checks.Finding{f}, nil
		}
		if !ok || net.Type != "Overlay" && net.Type != "L2Bridge" {
			return nil, checks.Skip("HNS has no pod network of a type that sends from a ManagementIP")
		}
		ip, ok := node.ParseAddress(net.ManagementIP)
		if !ok {
			return nil, checks.Unknown(evidence.NotShown.Gap("the ManagementIP of %s", net.Name))
		}
		if ip.IsLinkLocalUnicast() {
			return unassigned(s, net, ip)
		}
		object := evidence.Node.In(s)
		var own []node.Address
		for _, a := range object.Status.Addresses {
			own = append(own, node.ParseAddresses(a.Address)...)
		}
		announced := announcedAddresses(object)
		switch {
		case !evidence.Node.Known(s):
			return nil, checks.Unknown(evidence.Node.Gap(s))
		case len(own) == 0:
			return nil, checks.Unknown(evidence.NotShown.Gap("the addresses of the Node object"))
		case slices.Contains(own, ip):
			return nil, nil
		case slices.Contains(announced, ip):
			return offTheOthers(s, net, ip, node.ParseAddresses(object.InternalIPs()...))
		case len(announced) == 0 && n.CNI.Value == node.Flannel:
			return nil, checks.Unknown(evidence.NotShown.Gap("the address that flannel announces"))
		}
		if has := hostAddresses(s); len(has) > 0 && !slices.Contains(has, ip) {
			return nil, checks.Skip(
				"no adapter has the ManagementIP %s: node-address-mismatch reports it", ip)
		}
		if len(announced) == 0 && onOtherAdapter(s, n, object) != nil {
			return nil, checks.Skip("the InternalIP is on an adapter without a gateway: node-address-mismatch reports it")
		}
		level, want := checks.Warn, node.ParseAddresses(object.InternalIPs()...)
		if len(announced) > 0 {
			level, want = checks.Fail, announced
		}
		return []*checks.Finding{checks.Findingf(level, net.Name,
			"HNS network %s sends from %s (expected: %s)", net.Name, ip,
			someOf(want)).
			At(net.Field(), "%s: ManagementIP is %s", net.Name, ip).
			At(object.Field("status", "addresses"), "%s", someOf(own))}, nil
	},
})

// offTheOthers judges an overlay whose agent chose another adapter than the kubelet did: that is a fault
// where all other nodes are in the network of the kubelet's adapter, and none in its own.
func offTheOthers(s evidence.Snapshot, net evidence.HNSNetwork, ip node.Address,
	internal []node.Address) ([]*checks.Finding, error) {
	var peers []node.Address
	for _, p := range net.Policies {
		if p.Type == "RemoteSubnetRoute" {
			peers = append(peers, node.ParseAddresses(p.Text("ProviderAddress"))...)
		}
	}
	if gap := evidence.Adapters.Gap(s); len(peers) > 0 && gap.Kind != "" {
		return nil, checks.Unknown(gap)
	}
	var ours, kubelets evidence.Adapter
	var kubeletsNet node.Prefix
	for _, a := range evidence.Adapters.In(s) {
		for _, address := range a.Addresses {
			of, _ := node.ParseAddress(address)
			cidr, ok := node.ParsePrefix(address)
			switch {
			case !ok:
			case of == ip:
				if slices.ContainsFunc(peers, cidr.Contains) {
					return nil, nil
				}
				ours = a
			case slices.Contains(internal, of):
				kubelets, kubeletsNet = a, cidr
			}
		}
	}
	if len(peers) == 0 || ours.Name == "" || kubelets.Name == "" ||
		slices.ContainsFunc(peers, func(a node.Address) bool { return !kubeletsNet.Contains(a) }) {
		return nil, nil
	}
	return []*checks.Finding{checks.Findingf(checks.Fail, net.Name,
		"HNS network %s sends from %s (expected: %s)", net.Name, ip, someOf(internal)).
		At(net.Field(), "%s: ManagementIP is %s", net.Name, ip).
		At(ours.Field("addresses"), "%s: %s", ours.Name, ip).
		At(kubelets.Field("addresses"), "%s: %s, the network of %s", kubelets.Name, kubeletsNet, someOf(peers))}, nil
}

// announcedAddresses are those to which other nodes send the packets of pods.
func announcedAddresses(object evidence.NodeObject) []node.Address {
	var list []node.Address
	for _, name := range []string{"flannel.alpha.coreos.com/public-ip",
		"projectcalico.org/IPv4Address"} {
		list = append(list, node.ParseAddresses(object.Metadata.Annotations[name])...)
	}
	return list
}

// unassigned judges a network on an adapter that has no address but its own guess.
func unassigned(s evidence.Snapshot, net evidence.HNSNetwork, ip node.Address) ([]*checks.Finding, error) {
	object := evidence.Node.In(s)
	own := node.ParseAddresses(object.InternalIPs()...)
	// the agent that announces it still reached the API server, or the adapter has an address since: the
	// node has not lost its own
	if len(own) > 0 && !own[0].IsLinkLocalUnicast() &&
		(slices.Contains(announcedAddresses(object), ip) || slices.Contains(hostAddresses(s), own[0])) {
		return []*checks.Finding{checks.Findingf(checks.Fail, net.Name,
			"HNS network %s sends from %s (expected: %s)", net.Name, ip, someOf(own)).
			At(net.Field(), "%s: ManagementIP is %s", net.Name, ip).
			At(object.Field("status", "addresses"), "%s", someOf(own)).
			Explaining("flannel-waiting-for-network", "route-missing-host-gw")}, nil
	}
	for _, other := range evidence.HNSNetworks.In(s) {
		ip, ok := node.ParseAddress(other.ManagementIP)
		if ok && isExternal(other) && !ip.IsLinkLocalUnicast() {
			return []*checks.Finding{checks.Findingf(checks.Warn, net.Name,
				"HNS network %s sends from %s, but %s has %s", net.Name, net.ManagementIP, other.Name, ip).
				At(net.Field(), "%s: ManagementIP is %s", net.Name, net.ManagementIP).
				At(other.Field(), "%s: ManagementIP is %s", other.Name, ip)}, nil
		}
	}
	return nil, checks.Skip(
		"no network of the node has an address: static-ip-lost-on-vswitch-creation reports it")
}

// externalUnassigned finds the network of the adapter, where the CNI plugin has not made its own yet, with the
// address that the adapter gave itself before it had that of the node.
func externalUnassigned(s evidence.Snapshot) *checks.Finding {
	object := evidence.Node.In(s)
	own := node.ParseAddresses(object.InternalIPs()...)
	for _, net := range evidence.HNSNetworks.In(s) {
		ip, ok := node.ParseAddress(net.ManagementIP)
		if ok && ip.IsLinkLocalUnicast() && isExternal(net) && len(own) > 0 && slices.Contains(hostAddresses(s), own[0]) {
			return checks.Findingf(checks.Fail, net.Name,
				"HNS network %s sends from %s (expected: %s)", net.Name, ip, someOf(own)).
				At(net.Field(), "%s: ManagementIP is %s", net.Name, ip).
				At(object.Field("status", "addresses"), "%s", someOf(own))
		}
	}
	return nil
}
