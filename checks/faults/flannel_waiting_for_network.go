package faults

import (
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// flanneld prints its progress line every second or so for as long as it waits.
// A start takes up to a minute; the FAQ's own advice is to wait no longer than that.
const flannelPatience = 2 * time.Minute

const waitingLine = "Waiting for the Network to be created"

var _ = register(&checks.Check{
	ID:       "flannel-waiting-for-network",
	Title:    "flanneld waits for the HNS network too long",
	Healthy:  "HNS network of flanneld is ready",
	Category: checks.CategoryNetwork,
	FAQ:      []int{8},
	Doc: `flanneld creates the HNS network and then waits until it has a management address on
the host. If the address does not come back on the virtual adapter in time, or flanneld was given a
wrong interface, it gives up and starts over.

The line "Waiting for the Network to be created" is printed on every healthy start; only its
persistence over minutes is a fault. In HNS the fault shows as a network without ManagementIP, or
with one that Windows made up (169.254…).`,
	Fix: checks.Steps(
		checks.Run("{restart flanneld}",
			"Restart flanneld, so that it creates the HNS network again.").
			Costs("The node loses its network for a few seconds while HNS creates the network."),
		checks.Do("If it waits again, set --iface of flanneld to {managementIP}, not to the name of an adapter, and restart it."),
		checks.Verify("Get-HnsNetwork | Select-Object Name, Type, ManagementIP",
			"the network {network} with the node's address as ManagementIP")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/flannel-io/flannel/pull/1857",
		"https://github.com/microsoft/SDN/issues/371"},
	Breaks: []*checks.Effect{effectFlanneld, effectSubnetEnv, effectHNSNetwork,
		effectServiceRules, effectPodStart},
	Shows:   []*checks.Effect{effectNetworkCreation},
	Applies: checks.OnFlannel,
	Needs:   []evidence.Need{evidence.HNSNetworks, node.NeedNetworks},
	Signs: []checks.Sign{
		// flanneld starts again, and the second start most often finds the network.
		{Text: "timeout, failed to get management IP from", Not: []string{"HNSNetwork Calico"}, Until: subnetWritten,
			Or:   []string{"Failed to parse management ip ()"},
			Says: "flanneld got no management address from its HNS network"},
		{Text: "timeout, failed to get net interface for", Until: subnetWritten,
			Not:  []string{"couldn't find an interface matching management IP"}, // of Calico's plugin
			Says: "flanneld did not find the interface of its HNS network"},
		{Text: "Fail to create the network", Until: subnetWritten,
			Says: "the start script could not create the HNS network"},
		{Text: "took too long to get ready. Please check your network host configuration",
			Until: subnetWritten,
			Says:  "the interface of the HNS network did not become ready"},
		{Text: waitingLine, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		net, there := n.PodNetwork(s)
		if there {
			ip, ok := node.ParseAddress(net.ManagementIP)
			switch {
			case ok && ip.IsLinkLocalUnicast():
				return []*checks.Finding{checks.Findingf(checks.Fail, net.Name,
					"HNS network %s has the management address %s, which Windows assigns when an address is lost", net.Name, ip).
					At(net.Field(), "%s: ManagementIP is %s", net.Name, ip)}, nil
			case !ok && tellsManagementIP(net):
				return []*checks.Finding{checks.Findingf(checks.Fail, net.Name,
					"HNS network %s has no management address: flanneld is waiting for one",
					net.Name).
					At(net.Field(), "%s: ManagementIP is empty", net.Name)}, nil
			}
			return nil, nil // it came back, whatever the log says of earlier starts
		}
		for _, m := range s.Signs("flannel-waiting-for-network") {
			if m.Text == waitingLine && m.Last.Sub(m.Time) < flannelPatience {
				continue
			}
			f := checks.Findingf(checks.Fail, n.Networks.Value[0],
				"flanneld is waiting for HNS network %s, which is missing",
				evidence.Joined(n.Networks.Value, " or ")).
				At(evidence.HNSNetworks.Field(s), "names: %s",
					networkNames(evidence.HNSNetworks.In(s))).With(checks.Quote(m))
			f.Basis = checks.ByBoth
			return []*checks.Finding{f}, nil
		}
		return nil, nil
	},
})

// tellsManagementIP: HCN shows the address only as a policy of overlay
// networks, and a record that was cut off shows nothing.
func tellsManagementIP(net evidence.HNSNetwork) bool {
	return !net.Truncated &&
		(net.SchemaMajor == 1 || strings.EqualFold(net.Type, string(node.OverlayNet)))
}
