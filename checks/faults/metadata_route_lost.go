package faults

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

// metadataIP is where Azure, AWS and Google answer questions about the machine.
var metadataIP = netip.MustParseAddr("169.254.169.254")

var _ = register(&checks.Check{
	ID:       "metadata-route-lost",
	Title:    "Route to the cloud's metadata service is missing",
	Healthy:  "Route to the cloud's metadata service exists",
	Category: checks.CategoryNetwork,
	Doc: `The images of the clouds have a route to 169.254.169.254 on the adapter of the machine. If
the CNI plugin creates a virtual switch on that adapter, its address moves to vEthernet. Routes that
are not moved with it disappear, or lead to an adapter without an address. Everything that queries
the cloud about this machine then times out: the cloud provider, credentials for registries, agents
of the platform. On AWS this also affects the DNS server 169.254.169.253.

The check looks for a route to the address, other than the default route, on an adapter that has an
address. It passes if a probe was answered.`,
	Fix: checks.Steps(
		checks.Run("Remove-NetRoute -DestinationPrefix 169.254.169.254/32 -Confirm:$false -ErrorAction SilentlyContinue; $d = Get-NetRoute -DestinationPrefix 0.0.0.0/0 | Sort-Object RouteMetric | Select-Object -First 1; New-NetRoute -DestinationPrefix 169.254.169.254/32 -InterfaceIndex $d.InterfaceIndex -NextHop $d.NextHop -RouteMetric 15",
			"Set the route on the adapter of the default route.").
			Costs("Pods that reach the metadata service can read the machine's credentials."),
		checks.Do("Add the route in the start script too, after the switch is created."),
		checks.Verify("Test-NetConnection 169.254.169.254 -Port 80", "TcpTestSucceeded is True")),
	Links: []string{"https://github.com/kubernetes-sigs/sig-windows-tools/pull/38",
		"https://github.com/microsoft/hcsshim/issues/299",
		"https://github.com/rancher/rancher/issues/30623"},
	// What only asks at its start is long past it; the rest shows as a node without its provider.
	Breaks: []*checks.Effect{effectNodeReady},
	// Credentials for the cloud's registry come from the metadata server.
	Explains: []string{"registry-unauthorized"},
	Needs:    []evidence.Need{evidence.Routes, evidence.Node},
	Uses:     []evidence.Need{evidence.Adapters, evidence.ReachProbes},
	Signs: []checks.Sign{
		// the EBS driver asks the API server in its place
		{Text: "dial tcp 169.254.169.254:80", Not: []string{"Retrieving IMDS metadata failed",
			"error creating ec2 metadata client"}, Level: checks.Warn,
			Says: "the metadata service of the cloud does not answer the node"},
		// pkg/cloudprovider/providers/aws; the address is in its next line. A request of a pod may
		// be refused for other reasons: the kubelet's own is not.
		{Text: "could not init cloud provider", Also: []string{"EC2 instance metadata"},
			Level: checks.Warn, Says: "the metadata service of the cloud does not answer the node"},
		// Calico says so at each start on machines without a cloud.
		{Text: "Timed out trying to get EC2 instance metadata from", ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		id := evidence.Node.In(s).Spec.ProviderID
		cloud := node.CloudOf(id)
		switch cloud {
		case "Azure", "AWS", "Google Cloud":
		default:
			return nil, checks.Skip(
				"the machine does not run in a cloud with a metadata service: its providerID is %s",
				orPhrase(evidence.Clean(id), evidence.Phrasef("empty")))
		}
		routes := evidence.Routes.In(s)
		if len(routes) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("any route"))
		}
		level := checks.Info // on its own the default route may lead there as well
		if len(s.Signs("metadata-route-lost")) > 0 {
			level = checks.Warn
		}
		var answered []evidence.Because
		for _, p := range evidence.ReachProbes.In(s) {
			if a, ok := probed.AddressOf(p); !ok || a != metadataIP || p.From != "node" ||
				p.Protocol == "icmp" {
				continue
			}
			if probed.GotAnswer(p) {
				return nil, nil
			}
			if probed.GotNoAnswer(p) {
				level, answered = checks.Fail, append(answered, probed.ReachBecause(p))
			}
		}
		way := metadataRoute(routes)
		if way == nil {
			return []*checks.Finding{checks.Findingf(level, metadataIP.String(),
				"no route to %s, the metadata service of %s, except the default route", metadataIP,
				cloud).
				At(evidence.Routes.Field(s), "none of %d routes is for %s", len(routes),
					metadataIP).With(answered...).At(evidence.Node.Field(s, "spec", "providerID"),
				"spec.providerID is %s", id)}, nil
		}
		at := slices.IndexFunc(evidence.Adapters.In(s), func(a evidence.Adapter) bool {
			return a.IfIndex == way.IfIndex && a.Compartment <= 1
		})
		if gap := evidence.Adapters.Gap(s); gap.Kind != "" { // their metrics choose the route too
			return nil, checks.Unknown(gap)
		}
		if at < 0 {
			return nil, nil
		}
		a := evidence.Adapters.In(s)[at]
		if ips := node.ParseAddresses(a.Addresses...); slices.ContainsFunc(ips,
			func(ip node.Address) bool { return !ip.IsLinkLocalUnicast() }) {
			return nil, nil // it is in place: what keeps an answer away lies elsewhere
		}
		return []*checks.Finding{checks.Findingf(checks.Fail, metadataIP.String(),
			"the route to %s, the metadata service of %s, uses %s, which has no address of the network", metadataIP, cloud, a.Name).
			At(way.Field("nextHop"), "%s by way of %s on index %d", way.Destination,
				orUnknown(way.NextHop), way.IfIndex).
			At(a.Field("addresses"), "%s (index %d): addresses %s", a.Name, a.IfIndex,
				cmp.Or(strings.Join(a.Addresses, ", "), "none")).With(answered...)}, nil
	},
})

// metadataRoute is the route that Windows takes to the metadata service, or nil
// where only the default route is left: the longest prefix, then the least metric.
func metadataRoute(routes []evidence.Route) *evidence.Route {
	var best *evidence.Route
	bits := 0
	for i, r := range routes {
		p, ok := node.ParsePrefix(r.Destination)
		if !ok || p.Bits() == 0 || !p.Contains(metadataIP) {
			continue
		}
		if best == nil || p.Bits() > bits || p.Bits() == bits && r.Metric < best.Metric {
			best, bits = &routes[i], p.Bits()
		}
	}
	return best
}
