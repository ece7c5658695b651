package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const networkParameter = "HNS refuses to create the pod network: a parameter does not fit"

var _ = register(checks.Check{
	ID:       "hns-parameter-incorrect",
	Title:    "HNS refuses the pod network because a parameter does not fit its state",
	Category: checks.CategoryNetwork,
	FAQ:      []int{11},
	Doc: `"The parameter is incorrect", 0x57, is what HNS says to a network whose uplink is a
virtual adapter already, because another external network owns the physical one; to a network that a
reboot left in halves; and to a subnet with host bits set.

The check fails where the pod network is not there and its creation was refused with that code, and
names the external networks that may own the adapter. PowerShell does not print what it asked for,
so its form of the message only counts beside a missing network.`,
	Fix: checks.Steps(
		checks.Inspect(
			"Get-HnsNetwork | Select-Object Name, Type, NetworkAdapterName, ManagementIP", ""),
		checks.Run("Get-HnsNetwork | Where-Object Name -eq '<leftover>' | Remove-HnsNetwork",
			"remove the HNS networks that nothing uses, reboot, and let the plugin create its network first").
			Costs("drops the network of every pod on {node}; the node is off the network until it has booted"),
		checks.Run("Restart-Computer", "")),
	Links: []string{"https://github.com/antrea-io/antrea/issues/2013",
		"https://github.com/antrea-io/antrea/issues/2213",
		"https://github.com/microsoft/SDN/issues/177",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/249",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/250",
		"https://github.com/moby/moby/issues/30280"},
	Breaks: []*checks.Effect{effectNetworkCreation, effectKubeProxy, effectPodTraffic,
		effectNodePorts},
	Needs: []evidence.Need{evidence.HNSNetworks, node.NeedNetworks},
	Signs: []checks.Sign{
		checks.SignOfCode("ERROR_INVALID_PARAMETER", networkParameter, "hcnCreateNetwork"),
		checks.SignOfCode("ERROR_INVALID_PARAMETER", networkParameter, "HNSNetwork", "hnsCall"),
		unlike(checks.SignOfCode("ERROR_INVALID_PARAMETER", networkParameter,
			"hnsCall failed in Win32"), "endpoint", "LoadBalancer", "HNSNetwork", "policy"),
		{Text: "ErrorCode=2147942487", ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		const id = "hns-parameter-incorrect"
		findings := refusedNetwork(s, id,
			"HNS refuses to create the network %s over a parameter, and has %s")
		var owners []string
		for _, net := range evidence.HNSNetworks.In(s) {
			if isExternal(net) {
				owners = append(owners, net.Name)
			}
		}
		if len(findings) == 1 && len(owners) > 0 {
			findings[0] = findings[0].At(evidence.HNSNetworks.Field(s),
				"external networks, one of which may own the adapter: %s",
				strings.Join(owners, ", "))
		}
		return findings, nil
	},
})
