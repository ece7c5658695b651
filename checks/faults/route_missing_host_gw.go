package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "route-missing-host-gw",
	Title:    "the node has no route to the pods of another node",
	Category: checks.CategoryNetwork,
	Doc: `With host-gw there is no tunnel: flanneld keeps a route for the podCIDR of each other
node, by way of that node's address, and all nodes must be neighbours on one subnet. Where such a
route is missing or leads elsewhere, pods of this node do not reach the pods of that one, which may
be the cluster's DNS. Routes get lost when the virtual switch is created anew while flanneld does
not run, and stay wrong when a node came back with another address.

The check compares the routes with the podCIDR and the address of each Node that flannel serves.`,
	Fix: checks.Steps(
		checks.Run("{restart flanneld}",
			"start flanneld again: it sets the routes of all nodes; where it cannot, its log says why").
			Costs("if flanneld has to create the HNS network anew, this node's connections drop for some seconds"),
		checks.Inspect(
			"Get-NetRoute -AddressFamily IPv4 | Select-Object DestinationPrefix, NextHop, ifIndex",
			"")),
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
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		routes := evidence.Routes.In(s)
		if !n.Name.Known() {
			return nil, checks.Unknown(n.Name.Gap)
		}
		if net, ok := n.PodNetwork(s); evidence.HNSNetworks.Known(s) &&
			(!ok || net.ManagementIP == "" && tellsManagementIP(net)) {
			return nil, checks.Skip("the pod network is not ready, and its routes come after it")
		}
		if len(routes) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("any route"))
		}
		var findings []checks.Finding
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
					"there is no route to %s, the pods of node %s, by way of %s", cidr, m.Name,
					gateways[0])
				switch {
				case !there:
					f = f.At(evidence.Routes.Field(s), "none of %d routes leads to %s", len(routes),
						cidr)
				case r.NextHop != "":
					f = checks.Findingf(checks.Fail, m.Name,
						"the route to %s, the pods of node %s, leads to %s instead of %s", cidr,
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
