package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "forwarding-disabled-flannel-hostgw",
	Title:    "Packet forwarding is disabled (flannel host-gw)",
	Healthy:  "Packet forwarding is enabled (flannel host-gw)",
	Category: checks.CategoryNetwork,
	Doc: `On a host-gw network the node itself routes: packets of pods arrive at the endpoint
cbr0_ep and leave by the adapter of the node, so both must have forwarding enabled. flanneld enables
it when it starts. Where the adapter was given another index in that moment, or IPv4 is not bound to
it yet, that fails with "Element not found", and pods reach nothing beyond their node.

The check looks at the adapter with the node's address and at the host's endpoint in the pod
network.`,
	Fix: checks.Steps(
		checks.Run("Get-NetIPInterface -AddressFamily IPv4 | Where-Object InterfaceAlias -like 'vEthernet*' | Set-NetIPInterface -Forwarding Enabled",
			"Enable forwarding on the virtual adapters."),
		checks.Run("{restart flanneld}", "Restart flanneld, so that it finishes its start.").
			Costs("The node loses its network for a few seconds if flanneld creates the HNS network."),
		checks.Verify(
			"Get-NetIPInterface -AddressFamily IPv4 | Select-Object InterfaceAlias, Forwarding",
			"Forwarding is Enabled on each vEthernet adapter")),
	Links: []string{"https://github.com/flannel-io/flannel/issues/1858",
		"https://github.com/flannel-io/flannel/blob/master/pkg/backend/hostgw/hostgw_windows.go"},
	Breaks:  []*checks.Effect{effectFlanneld, effectSubnetEnv, effectPodTraffic, effectPodStart},
	Applies: checks.OnAll(checks.OnFlannel, checks.OnBackend(node.L2Bridge)),
	Needs:   []evidence.Need{evidence.Adapters, node.NeedManagementIPs},
	Signs: []checks.Sign{
		{Text: "failed to enable forwarding on",
			Says: "flanneld could not enable forwarding on an adapter of the node"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		var findings []*checks.Finding
		known := false
		for _, a := range evidence.Adapters.In(s) {
			if a.Forwarding == nil || !routesPods(n, a) {
				continue
			}
			known = true
			if !*a.Forwarding {
				findings = append(findings, checks.Findingf(checks.Fail, a.Name,
					"forwarding is off on %s, so pod traffic cannot leave or enter this node",
					a.Name).
					At(a.Field("forwarding"), "%s (index %d, %s): forwarding is false", a.Name,
						a.IfIndex, strings.Join(a.Addresses, ", ")).With(n.ManagementIPs.From))
			}
		}
		if !known {
			return nil, checks.Unknown(evidence.NotShown.Gap("whether the node's adapter forwards"))
		}
		return findings, nil
	},
})

// routesPods tells whether pod traffic crosses the adapter: the node's own, or
// the endpoint that the host has in the pod network. Those of pods lie in
// compartments of their own.
func routesPods(n *node.Node, a evidence.Adapter) bool {
	// without a switch no pod traffic gets here
	if a.Compartment > 1 || !strings.HasPrefix(strings.ToLower(a.Name), "vethernet") {
		return false
	}
	own := slices.ContainsFunc(node.ParseAddresses(a.Addresses...), func(ip node.Address) bool {
		return slices.Contains(n.ManagementIPs.Value, ip)
	})
	return own || strings.HasSuffix(strings.ToLower(a.Name), "_ep)")
}
