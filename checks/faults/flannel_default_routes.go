package faults

import (
	"net/netip"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "flannel-default-routes",
	Title:    "flanneld finds several default routes",
	Healthy:  "flanneld finds one default route",
	Category: checks.CategoryNetwork,
	Doc: `Without --iface flanneld takes the adapter of the default route. It expects one such route. With two, as
on a node with two adapters that have a gateway, or with one that HNS left on the endpoint of flannel, PowerShell
returns a list, flanneld cannot read it, and ends with "cannot unmarshal array".

The check looks for the error of flanneld, and compares the default routes with the command line of a flanneld that
is to start. A flanneld that runs has found its adapter: then several routes are worth knowing before its next start, and no fault.`,
	Fix: checks.Steps(
		checks.Inspect("Get-NetRoute -DestinationPrefix 0.0.0.0/0 | Format-Table ifIndex, InterfaceAlias, NextHop",
			"Find the route of the adapter that carries the traffic between nodes."),
		checks.Do("Set --iface of flanneld to {managementIP}, an address of this node. Or delete the default gateway of the other adapters."),
		flanneldAgain, networkThere),
	Links: []string{
		"https://github.com/flannel-io/flannel/issues/1480",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/344",
	},
	Breaks:   []*checks.Effect{effectFlanneld, effectContainers},
	Explains: []string{"rke2-flanneld-exit"},
	Applies:  checks.OnFlannel,
	Needs: []evidence.Need{evidence.Routes, evidence.Any(evidence.Services, evidence.Processes,
		evidence.Pods)},
	Uses: []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods},
	Signs: []checks.Sign{
		// pkg/ip/iface_windows.go
		{Text: "failed to get default interface", Also: []string{"cannot unmarshal array"}, Until: subnetWritten,
			Says: "flanneld exits: the node has more than one default route"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		_, byRoute, from := flannelInterfaces(node.About(s))
		switch {
		case from.Path == "":
			return nil, checks.Unknown(evidence.NotShown.Gap("how flanneld is started"))
		case !byRoute:
			return nil, nil
		}
		routes, adapters := defaultRoutes(s)
		if len(adapters) < 2 {
			return nil, nil
		}
		f := checks.Findingf(checks.Fail, "flanneld",
			"flanneld cannot start: it is started without --iface, and the node has %d default routes", len(routes))
		if running, _ := node.About(s).Components["flanneld"].Running(); running {
			f = checks.Findingf(checks.Info, "flanneld",
				"flanneld will not start again: it is started without --iface, and the node has %d default routes", len(routes))
		}
		return []*checks.Finding{f.With(append(routes, from)...)}, nil
	},
})

// defaultRoutes are the default routes of IPv4, and the adapters that have one.
func defaultRoutes(s evidence.Snapshot) (list []evidence.Because, adapters map[int]bool) {
	adapters = map[int]bool{}
	for _, r := range evidence.Routes.In(s) {
		to, err := netip.ParsePrefix(r.Destination)
		if err != nil || to.Bits() != 0 || !to.Addr().Is4() {
			continue
		}
		adapters[r.IfIndex] = true
		list = append(list, r.Field("destination").Because("%s to %s by adapter %d", r.Destination, r.NextHop, r.IfIndex))
	}
	return list, adapters
}
