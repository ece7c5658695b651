package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "static-ip-lost-on-vswitch-creation",
	Title:    "Node address lost when the virtual switch was created",
	Healthy:  "Node address is on the virtual adapter",
	Category: checks.CategoryNetwork,
	FAQ:      []int{11},
	Doc: `Creating an l2bridge or overlay network binds the physical adapter to a virtual switch,
and Windows moves the adapter's settings to the host's virtual adapter. With a static address, on
Windows 2004 and 20H2 and with some adapters of VMware, they are lost: the virtual adapter assigns
itself an address of 169.254.0.0/16, and the node has no network until its address is set again.

The check looks for a host adapter of the switch with only such an address, on a node where no
adapter has a gateway. If the adapters are not recorded, it looks for external networks with only
such management addresses. flanneld then waits for its network forever, which is a consequence.`,
	Fix: staticIPFix("vEthernet (Ethernet)"),
	Links: []string{"https://github.com/kubernetes-sigs/sig-windows-tools/issues/162",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/105",
		"https://github.com/microsoft/SDN/issues/498"},
	Breaks: []*checks.Effect{effectNetworkCreation, effectKubeProxy, effectPodTraffic,
		effectNodePorts, effectRoutes, effectNodeReports},
	Explains: []string{"flannel-interface-not-found", "node-address-mismatch",
		"node-route-missing", "control-plane-unreachable", "metadata-route-lost",
		"kubeproxy-no-host-mac", "calico-vswitch-interface-timeout"},
	Needs: []evidence.Need{evidence.Any(evidence.HNSNetworks, evidence.Adapters)},
	Uses:  []evidence.Need{evidence.HNSNetworks, evidence.Adapters},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if evidence.Adapters.Known(s) {
			// HNS remembers the address of the moment in which the network was made
			if !slices.ContainsFunc(evidence.Adapters.In(s), func(a evidence.Adapter) bool {
				return isHostSide(a.Name)
			}) {
				return nil, checks.Skip("no adapter of a virtual switch is on this node")
			}
			return lostOnAdapter(s), nil
		}
		var lost *evidence.HNSNetwork
		for _, net := range evidence.HNSNetworks.In(s) {
			ip, ok := node.ParseAddress(net.ManagementIP)
			switch {
			case !ok || !isExternal(net):
			case !ip.IsLinkLocalUnicast():
				return nil, nil // the node has a way out
			default:
				lost = &net
			}
		}
		if lost == nil {
			return nil, checks.Unknown(evidence.NotShown.Gap(
				"the management address of an external HNS network"))
		}
		return []*checks.Finding{checks.Findingf(checks.Fail, lost.Name,
			"HNS network %s has the management address %s (expected: the node's address)",
			lost.Name, lost.ManagementIP).
			At(lost.Field(), "%s: ManagementIP is %s", lost.Name, lost.ManagementIP)}, nil
	},
})

// staticIPFix gives a virtual adapter the address of the node.
func staticIPFix(adapter string) checks.Fix {
	adapter = quoteForPowerShell(adapter)
	return checks.Steps(
		checks.Run("New-NetIPAddress -InterfaceAlias '"+adapter+
			"' -IPAddress {managementIP} -PrefixLength LENGTH -DefaultGateway GATEWAY",
			"From the console, set the node's address and gateway on the virtual adapter."),
		checks.Run("Set-DnsClientServerAddress -InterfaceAlias '"+adapter+
			"' -ServerAddresses DNS-SERVERS", "Set the DNS servers on the virtual adapter."),
		checks.Do("To prevent a repeat, reserve the address by DHCP."),
		checks.Verify("Get-NetIPAddress -AddressFamily IPv4 -InterfaceAlias '"+adapter+"'",
			"the node's address"))
}

// lostOnAdapter judges the host's adapters. A second switch without an address
// is nobody's loss as long as another adapter leads out of the node.
func lostOnAdapter(s evidence.Snapshot) []*checks.Finding {
	var findings []*checks.Finding
	for _, a := range evidence.Adapters.In(s) {
		if a.Compartment > 1 {
			continue
		}
		if len(a.Gateways) > 0 {
			return nil
		}
		// every adapter has an fe80:: of its own
		v4 := slices.DeleteFunc(node.ParseAddresses(a.Addresses...), node.Address.Is6)
		if !isHostSide(a.Name) || len(v4) != 1 || !v4[0].IsLinkLocalUnicast() ||
			!strings.EqualFold(a.Status, "up") {
			continue
		}
		ip := v4[0]
		f := checks.Findingf(checks.Fail, a.Name,
			"Adapter %s has only the self-assigned address %s (expected: the node's address)",
			a.Name, ip)
		if a.DHCP != nil && *a.DHCP {
			f = checks.Findingf(checks.Fail, a.Name,
				"Adapter %s has only the address %s: DHCP did not answer on the virtual switch",
				a.Name, ip)
		}
		findings = append(findings, f.Cure(staticIPFix(a.Name)).At(a.Field("addresses"),
			"%s: addresses %s, no gateway", a.Name, strings.Join(a.Addresses, ", ")))
	}
	return findings
}
