package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "node-route-missing",
	Title:    "Default route is missing or its gateway is unreachable",
	Healthy:  "Routes lead to gateways that the node can reach",
	Category: checks.CategoryNode,
	Doc: `When HNS creates the switch for the pod network, the address and the routes of the adapter
move to a virtual adapter. An interrupted move, or a script that adds routes with the number of an
old interface, leaves the node without a default route, or with routes through gateways that no
adapter can reach. The node then reaches neither the control plane nor the registry, or only some of
them.

The check compares the default gateways of the host's adapters with the routing table, requires the
route to the own subnet of each adapter with a gateway, and requires that each next hop is in the subnet
of the adapter whose number the route has, or in the destination itself: overlays such as Antrea's route the podCIDR of another
node through its gateway, for which they have a permanent neighbor. Clouds with addresses of /32 are left out. IPv4 only.`,
	Fix: checks.Steps(
		checks.Inspect("Get-NetRoute -AddressFamily IPv4 | Sort-Object DestinationPrefix",
			"Compare the routes with the adapters of Get-NetIPConfiguration."),
		checks.Inspect("Get-NetRoute -AddressFamily IPv4 -PolicyStore PersistentStore",
			"List the persistent routes: Windows adds them again at each boot."),
		checks.Do("Delete the persistent routes that are wrong. With DHCP, renew the lease. Otherwise set the default gateway of the adapter again.").
			Costs("The node loses its network for a moment."),
		checks.Verify("Test-NetConnection -ComputerName API-SERVER -Port 443", "TcpTestSucceeded")),
	Links: []string{
		"https://learn.microsoft.com/en-us/powershell/module/nettcpip/get-netroute"},
	Breaks: []*checks.Effect{effectOutbound, effectNodeReports},
	Needs:  []evidence.Need{evidence.Routes, evidence.Adapters},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		report := func(at evidence.Because, other evidence.Place, format string, args ...any) {
			findings = append(findings, checks.Findingf(checks.Warn, at.Text, format,
				args...).With(at).At(other, "%s", at.Text))
		}
		var up []evidence.Adapter
		hops := map[node.Address]bool{}
		for _, a := range evidence.Adapters.In(s) {
			if a.Compartment > 1 || strings.EqualFold(a.Status, "down") || len(a.Addresses) == 0 {
				continue // a pod's, or without a link
			}
			up = append(up, a)
			for _, gateway := range node.ParseAddresses(a.Gateways...) {
				hops[gateway] = true
			}
		}
		if len(up) == 0 || !hasRoute(s, 0, func(p node.Prefix, _ node.Address) bool {
			return p.Addr().IsLoopback() // Windows always has it; without it the list is not whole
		}) {
			return nil, checks.Unknown(evidence.NotShown.Gap("the routes of the node"))
		}
		for _, a := range up {
			for _, gateway := range node.ParseAddresses(a.Gateways...) {
				if gateway.Is4() && !hasRoute(s, a.IfIndex, func(p node.Prefix,
					hop node.Address) bool {
					return p.Bits() == 0 && hop == gateway
				}) {
					report(a.Field("gateways").Because("%s: gateway %s", a.Name, gateway),
						evidence.Routes.Field(s),
						"adapter %s has the gateway %s, but no default route leads to it", a.Name,
						gateway)
				}
			}
			for _, address := range a.Addresses {
				if len(a.Gateways) == 0 {
					break // HNS routes to pods itself
				}
				own, ok := node.ParsePrefix(address)
				if ok && own.Addr().Is4() && !own.IsSingleIP() && a.IfIndex != 0 &&
					!own.Addr().IsLinkLocalUnicast() && !hasRoute(s, a.IfIndex, func(p node.Prefix,
					hop node.Address) bool {
					return p == own && hop.IsUnspecified()
				}) {
					report(a.Field("addresses").Because("%s: %s", a.Name, address),
						evidence.Routes.Field(s),
						"adapter %s has the address %s, but no route leads to its subnet", a.Name,
						address)
				}
			}
		}
		for _, r := range evidence.Routes.In(s) {
			p, ok := node.ParsePrefix(r.Destination)
			hop, hopOK := node.ParseAddress(r.NextHop)
			if !ok || !hopOK || hop.IsUnspecified() || !hop.Is4() {
				continue
			}
			at := slices.IndexFunc(up, func(a evidence.Adapter) bool {
				return a.IfIndex == r.IfIndex && r.IfIndex != 0 // 0: the recording does not show it
			})
			switch {
			case at < 0 && r.IfIndex != 0 && !slices.ContainsFunc(evidence.Adapters.In(s),
				func(a evidence.Adapter) bool { return a.IfIndex == r.IfIndex || a.IfIndex == 0 }):
				report(r.Field().Because("%s through %s", p, hop), evidence.Adapters.Field(s),
					"the route to %s uses the interface %d, which the node does not have", p,
					r.IfIndex)
			case at >= 0 && !onLink(s, up[at], hop) && !(p.Bits() > 0 && p.Contains(hop)):
				report(r.Field().Because("%s through %s", p, hop), up[at].Field("addresses"),
					"the route to %s leads through %s, which %s cannot reach", p, hop, up[at].Name)
			case p.Bits() == 0 && len(hops) > 0 && !hops[hop]:
				report(r.Field().Because("%s through %s", p, hop), evidence.Adapters.Field(s),
					"the default route leads through %s, which is the gateway of no adapter", hop)
			case p.Bits() == 0 && len(hops) == 0:
				report(r.Field().Because("%s through %s", p, hop), evidence.Adapters.Field(s),
					"the default route leads through %s, which is the gateway of no adapter", hop)
			}
		}
		return findings, nil
	},
})

// hasRoute tells whether a route of the interface is such a one.
func hasRoute(s evidence.Snapshot, ifIndex int, such func(node.Prefix, node.Address) bool) bool {
	return slices.ContainsFunc(evidence.Routes.In(s), func(r evidence.Route) bool {
		p, ok := node.ParsePrefix(r.Destination)
		hop, _ := node.ParseAddress(r.NextHop)
		return ok && (ifIndex == 0 || r.IfIndex == 0 || r.IfIndex == ifIndex) && such(p, hop)
	})
}

// onLink tells whether the adapter can reach the address without a gateway: by its subnet, or by a
// route to the gateway alone.
func onLink(s evidence.Snapshot, a evidence.Adapter, hop node.Address) bool {
	for _, address := range a.Addresses {
		p, ok := node.ParsePrefix(address)
		if ok && p.Addr().Is4() && (p.IsSingleIP() || p.Contains(hop)) {
			return true
		}
	}
	return hasRoute(s, a.IfIndex, func(p node.Prefix, next node.Address) bool {
		return next.IsUnspecified() && p.Bits() > 0 && p.Contains(hop)
	})
}
