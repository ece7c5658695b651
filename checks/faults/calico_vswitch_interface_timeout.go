package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "calico-vswitch-interface-timeout",
	Title:    "Calico network has no adapter with the node's address",
	Healthy:  "Calico network has an adapter with the node's address",
	Category: checks.CategoryNetwork,
	Doc: `When Calico makes its HNS network, Windows puts a virtual switch between the physical
adapter and the host, and the host's address moves to the virtual one. Calico waits for that address
to appear there. It does not where a static address is lost on the way, where Calico was given
another adapter than the one with the node's address (vxlanAdapter), or where the machine has
several.

The check compares the management address of Calico's HNS network with the addresses of the host's
adapters. Where the virtual adapter is missing and no log reports a timeout, vethernet-missing reports
that.`,
	Fix: checks.Steps(
		checks.Inspect("Get-NetIPAddress -AddressFamily IPv4 | Select-Object InterfaceAlias, IPAddress",
			"Find the virtual adapter that should have the node's address."),
		checks.Run("New-NetIPAddress -InterfaceAlias 'ADAPTER' -IPAddress {managementIP} -PrefixLength LENGTH -DefaultGateway GATEWAY",
			"Give this adapter the node's address again. If it comes from DHCP, reserve it there and run ipconfig /renew instead."),
		checks.Do("Set the adapter in the Calico settings if the node has several: windowsNodes.vxlanAdapter or VXLAN_ADAPTER."),
		checks.Run("{restart calico-node}", "Restart the Calico node service.").
			Costs("The node loses its network for a few seconds while HNS creates the network."),
		checks.Verify("Get-HnsNetwork | Select-Object Name, Type, ManagementIP",
			"the network {network} with the node's address as ManagementIP")),
	Links: []string{"https://github.com/projectcalico/calico/issues/9236",
		"https://github.com/projectcalico/calico/issues/8219",
		"https://github.com/projectcalico/calico/issues/4533",
		"https://github.com/projectcalico/calico/issues/9120",
		"https://github.com/rancher/rke2/pull/5335", "https://github.com/rancher/rke2/issues/4580"},
	Breaks: []*checks.Effect{effectNetworkAgent, effectHNSNetwork, effectHostAdapter, effectKubeProxy,
		effectNodeReports, effectNodeReady, effectPodStart, effectServices},
	Explains: []string{"rke2-calico-race", "kubeproxy-no-host-mac", "node-address-mismatch",
		"node-route-missing"},
	Applies: checks.OnCNI(node.Calico),
	Needs:   []evidence.Need{evidence.HNSNetworks, evidence.Adapters, node.NeedNetworks},
	Signs: []checks.Sign{
		{Text: "timed out waiting for interface matching the management IP",
			Says: "the Calico plugin timed out waiting for the node's address on its adapter"},
		// flanneld says the first half too. The second half alone is said once a second at each start.
		{Text: "timeout, failed to get net interface for HNSNetwork",
			Also: []string{"couldn't find an interface matching management IP"},
			Says: "the Calico plugin timed out waiting for the node's address on its adapter"},
		{Text: "timeout, failed to get management IP from HNSNetwork Calico",
			Says: "the Calico plugin timed out waiting for the node's address on its adapter"},
		// the same file: the network has no management address any more
		{Text: "HNS network lost its management IP",
			Says: "Calico's HNS network has lost the node's address"},
		{Text: "timed out waiting for the network interfaces to come back",
			Says: "RKE2 timed out waiting for the node's address after removing HNS networks"},
		// printed on every start
		{Text: "Calico is waiting for the interface with ip", ConfirmOnly: true},
		// once a second, for at most 30 seconds: network_windows.go of the plugin
		{Text: "Waiting for interface matching management IP...", ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		net, there := n.PodNetwork(s)
		matches := liveSigns(s, "calico-vswitch-interface-timeout")
		if !there {
			if len(matches) == 0 {
				return nil, nil // why the network is not there, other checks ask
			}
			f := checks.Findingf(checks.Fail, n.Networks.Value[0],
				"Calico timed out waiting for the node's address, and HNS has no network %s",
				evidence.Joined(n.Networks.Value, " or ")).
				At(evidence.HNSNetworks.Field(s), "names: %s",
					networkNames(evidence.HNSNetworks.In(s))).With(checks.Quote(matches[0]))
			f.Basis = checks.ByBoth
			return []*checks.Finding{f}, nil
		}
		ip, ok := node.ParseAddress(net.ManagementIP)
		if !ok {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("the management address of HNS network %s", net.Name))
		}
		if ip.IsLinkLocalUnicast() {
			return []*checks.Finding{checks.Findingf(checks.Fail, net.Name,
				"HNS network %s has the management address %s, which Windows assigns when an address is lost", net.Name, ip).
				At(net.Field(), "%s: ManagementIP is %s", net.Name, ip)}, nil
		}
		var have []string
		uplink := "ADAPTER"
		for _, a := range evidence.Adapters.In(s) {
			if a.Compartment > 1 || len(a.Addresses) == 0 {
				continue // a pod's
			}
			if slices.Contains(node.ParseAddresses(a.Addresses...), ip) {
				return nil, nil
			}
			if len(a.Gateways) > 0 {
				uplink = a.Name
			}
			have = append(have, a.Name+" "+strings.Join(a.Addresses, " "))
		}
		if len(have) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("any address of an adapter"))
		}
		if len(matches) == 0 && !slices.ContainsFunc(evidence.Adapters.In(s), onSwitch) {
			return nil, checks.Skip("the host has no adapter on the pod network's switch")
		}
		return []*checks.Finding{checks.Findingf(checks.Fail, net.Name,
			"HNS network %s has the management address %s, which no adapter of the host has",
			net.Name, ip).
			At(net.Field(), "%s: ManagementIP is %s", net.Name, ip).
			At(evidence.Adapters.Field(s), "the host has %s", strings.Join(have, ", ")).
			Cure(addressOn(uplink))}, nil
	},
})

// addressOn names the adapter with the default gateway: the node's address belongs there.
func addressOn(adapter string) checks.Fix {
	fix := fixOf("calico-vswitch-interface-timeout")
	fix.Steps[1].Command = strings.Replace(fix.Steps[1].Command, "ADAPTER",
		quoteForPowerShell(adapter), 1)
	return fix
}
