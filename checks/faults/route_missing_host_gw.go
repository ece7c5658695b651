package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "route-missing-host-gw",
	Title:    "Route to the pods of another node is missing",
	Healthy:  "Routes to the pods of all other nodes exist",
	Category: checks.CategoryNetwork,
	Doc: `With host-gw there is no tunnel: flanneld maintains a route for the podCIDR of each other
node through that node's address, and all nodes must be on one subnet. If such a route is missing or
wrong, pods of this node cannot reach the pods of that node, which may include the cluster DNS.
Routes get lost when the virtual switch is recreated while flanneld is not running, and stay wrong
when a node returns with another address.

The check compares the routes with the podCIDR and the address of each Node that flannel serves.`,
	Fix: checks.Steps(
		checks.Run("{restart flanneld}",
			"Restart flanneld: it sets the routes to all nodes.").
			Costs("If flanneld recreates the HNS network, the node loses its network for a few seconds."),
		checks.Verify("Get-NetRoute -AddressFamily IPv4 | Select-Object DestinationPrefix, NextHop",
			"a route for the podCIDR of each other node, with that node's address as NextHop")),
	Links: []string{
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/kubernetes/common-problems", "https://github.com/flannel-io/flannel/blob/master/pkg/backend/route_network_windows.go",
		"https://github.com/flannel-io/flannel/blob/master/Documentation/backends.md"},
	Breaks:  []*checks.Effect{effectPodTraffic},
	Shows:   []*checks.Effect{effectRoutes},
	Applies: checks.OnAll(checks.OnFlannel, checks.OnBackend(node.L2Bridge)),
	Needs:   []evidence.Need{evidence.Routes, evidence.Nodes},
	Uses:    []evidence.Need{evidence.HNSNetworks},
	Signs: []checks.Sign{
		{Text: "Error creating route: ", In: []string{"flanneld"},
			Says: "flanneld could not set the route to another node's pods"},
		{Text: "Replacing existing route ", In: []string{"flanneld"}, ConfirmOnly: true},
		// It stays at the old route, or one of a node that is gone stays: the words are the same.
		{Text: "Error removing route: ", In: []string{"flanneld"}, ConfirmOnly: true},
		{Text: "Error recovering route to ", In: []string{"flanneld"},
			Until: []string{"Recovered route to "},
			Says:  "flanneld could not set the route to another node's pods"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		routes := evidence.Routes.In(s)
		if !n.Name.Known() {
			return nil, checks.Unknown(n.Name.Gap)
		}
		if net, ok := n.PodNetwork(s); evidence.HNSNetworks.Known(s) &&
			(!ok || net.ManagementIP == "" && tellsManagementIP(net)) {
			return nil, checks.Skip("the pod network is not ready, so its routes are not set yet")
		}
		if len(routes) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("any route"))
		}
		var findings []*checks.Finding
		compared := 0
		for _, other := range flannelNodes(s) {
			m := other.Metadata
			gateways := node.ParseAddresses(append(other.InternalIPs(),
				m.Annotations["flannel.alpha.coreos.com/public-ip"])...)
			if strings.EqualFold(m.Name, n.Name.Value) || len(gateways) == 0 ||
				slices.ContainsFunc(gateways, func(a node.Address) bool {
					return slices.Contains(n.ManagementIPs.Value, a)
				}) {
				continue
			}
			for _, cidr := range node.OfFamily(node.ParsePrefixes(other.Spec.PodCIDRList()...),
				true) {
				compared++
				r, there := routeTo(routes, cidr, gateways)
				f := checks.Findingf(checks.Fail, m.Name,
					"Route to %s (pods of node %s) through %s is missing", cidr, m.Name,
					gateways[0])
				switch {
				case !there:
					f = f.At(evidence.Routes.Field(s), "none of %d routes leads to %s", len(routes),
						cidr)
				case r.NextHop != "":
					f = checks.Findingf(checks.Fail, m.Name,
						"Route to %s (pods of node %s) uses %s (expected: %s)", cidr,
						m.Name, r.NextHop, gateways[0]).
						At(r.Field("nextHop"), "%s by way of %s", r.Destination, r.NextHop)
				default:
					continue
				}
				findings = append(findings,
					f.At(other.PodCIDRField(), "%s: podCIDR %s, InternalIP %s", m.Name, cidr,
						gateways[0]))
			}
		}
		if compared == 0 {
			return nil, checks.Skip("no other node of the cluster has a podCIDR")
		}
		return findings, nil
	},
})

// flannelNodes are the nodes that a flanneld has registered. Others, such as
// those of a virtual kubelet, have no pods on this network.
func flannelNodes(s evidence.Snapshot) []evidence.NodeObject {
	const mark = "flannel.alpha.coreos.com/backend-type"
	nodes := evidence.Nodes.In(s)
	if !slices.ContainsFunc(nodes, func(o evidence.NodeObject) bool {
		return o.Metadata.Annotations[mark] != ""
	}) {
		return nodes
	}
	return slices.DeleteFunc(slices.Clone(nodes), func(o evidence.NodeObject) bool {
		return o.Metadata.Annotations[mark] == ""
	})
}

// routeTo finds the route to the CIDR: an empty one where it leads by way of a
// gateway as it should, or where a router of the network takes the packets.
func routeTo(routes []evidence.Route, cidr node.Prefix,
	gateways []node.Address) (wrong evidence.Route, there bool) {
	for _, r := range routes {
		p, ok := node.ParsePrefix(r.Destination)
		hop, _ := node.ParseAddress(r.NextHop)
		switch {
		case !ok || !node.Covers(p, cidr) || p.Bits() == 0:
		case slices.Contains(gateways, hop), p != cidr && hop.IsValid() && !hop.IsUnspecified():
			return evidence.Route{}, true
		case p == cidr:
			wrong, there = r, true
		}
	}
	return wrong, there
}
