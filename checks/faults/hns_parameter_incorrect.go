package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const networkParameter = "HNS refuses to create the pod network: invalid parameter"

var _ = register(&checks.Check{
	ID:       "hns-parameter-incorrect",
	Title:    "HNS refuses the pod network (invalid parameter)",
	Healthy:  "HNS accepts the parameters of the pod network",
	Category: checks.CategoryNetwork,
	FAQ:      []int{11},
	Doc: `HNS returns "The parameter is incorrect", 0x57, in three cases: the uplink is already a
virtual adapter, because another external network owns the physical one; a reboot left the network
incomplete; or the subnet has host bits set.

The check fails where the pod network is missing and HNS refused it with that code. It lists the
external networks that may own the adapter. PowerShell does not print its request, so its form of
the message counts only where the network is missing.`,
	Fix: checks.Steps(
		checks.Inspect(
			"Get-HnsNetwork | Select-Object Name, Type, NetworkAdapterName, ManagementIP",
			"Find the networks that nothing uses: one of them owns the physical adapter."),
		checks.Run("Get-HnsNetwork | Where-Object Name -eq 'UNUSED-NETWORK' | Remove-HnsNetwork",
			"Remove the HNS networks that nothing uses.").
			Costs("All pods of {node} lose their network."),
		checks.Run("Restart-Computer",
			"Reboot the node, so that the CNI plugin creates its network again.").
			Costs("All pods of {node} stop until the node has booted."),
		checks.Verify("Get-HnsNetwork | Where-Object Name -eq '{network}'",
			"the network {network}")),
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
		parameterRefused("hcnCreateNetwork"),
		parameterRefused("HNSNetwork", "hnsCall"),
		unlike(parameterRefused("hnsCall failed in Win32"), "endpoint", "LoadBalancer",
			"HNSNetwork", "policy", `"nat" network`),
		{Text: "ErrorCode=2147942487", ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		const id = "hns-parameter-incorrect"
		findings := refusedNetwork(s, id,
			"HNS refuses to create network %s: invalid parameter (found: %s)")
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
		if len(findings) == 1 && len(owners) == 1 {
			steps := fixOf(id).Steps
			steps[1] = checks.Run("Get-HnsNetwork | Where-Object Name -eq '"+
				quoteForPowerShell(owners[0])+"' | Remove-HnsNetwork",
				"Remove the HNS network %s if nothing uses it.", owners[0]).
				Costs("All pods of {node} lose their network.")
			findings[0] = findings[0].Cure(checks.Steps(steps...))
		}
		return findings, nil
	},
})

// parameterRefused leaves out docker's own network, and what came out well in the end.
func parameterRefused(calls ...string) checks.Sign {
	sign := unlike(checks.SignOfCode("ERROR_INVALID_PARAMETER", networkParameter, calls...),
		`"nat" network`)
	sign.Until = networkCreated
	return sign
}
