package faults

import (
	"cmp"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "cni-network-not-found",
	Title:    "the CNI configuration asks for another HNS network than the one that is there",
	Category: checks.CategoryNetwork,
	FAQ:      []int{11},
	Doc: `win-bridge and win-overlay look for the HNS network that has the name of their
configuration, and insist on its type: L2Bridge for the one, Overlay for the other. Where flannel's
backend was switched between host-gw and vxlan, or a configuration was copied from another cluster,
the pod network is there under another name or of the other type, and no pod gets an endpoint.

The check compares the name and the plugin of the configuration with the networks of HNS. That there
is no pod network at all is another fault, and the network External of the start scripts is not
meant for pods.`,
	Fix: checks.Steps(
		checks.Inspect("Get-HnsNetwork | Select-Object Name, Type, ManagementIP", ""),
		checks.Inspect("Get-Content '{cniFile}'", ""),
		checks.Run("Restart-Service {runtime}, kubelet",
			"make the configuration and the network agree: the name of {cniFile} is the name of the HNS network, and its plugin (for flannel: the delegate) fits the network's type; after a change of flannel's backend remove the old network and configuration").
			Costs("pods that are created afterwards get the network; removing an old network drops the pods that are still on it")),
	Links: []string{"https://github.com/kubernetes-sigs/sig-windows-tools/issues/186",
		"https://github.com/flannel-io/flannel/issues/1709",
		"https://github.com/containernetworking/plugins/blob/main/plugins/main/windows/win-bridge/win-bridge_windows.go"},
	Breaks: []*checks.Effect{effectHNSNetwork, effectPodStart, effectNodeReady,
		effectPodTraffic},
	Needs: []evidence.Need{evidence.HNSNetworks, node.NeedCNIFiles},
	Uses:  []evidence.Need{node.NeedPodCIDRs},
	Signs: []checks.Sign{
		{Text: "is of unexpected type", Also: []string{"network"},
			Says: "the CNI plugin finds an HNS network of the wrong type"},
		{Text: "is of an unexpected type", Also: []string{"network"},
			Says: "the CNI plugin finds an HNS network of the wrong type"},
		{Text: "error while GETHNSNewtorkByName",
			Says: "the CNI plugin does not find the HNS network of its name"},
		{Text: "error while hcn.GetNetworkByName",
			Says: "the CNI plugin does not find the HNS network of its name"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		conf := n.Intended()
		if conf == nil || conf.Config == nil {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("a CNI configuration that can be read"))
		}
		plugin := conf.Config.EffectiveType()
		want, name := typeFor(plugin), conf.Config.Name
		if want == "" || !strings.HasPrefix(strings.ToLower(plugin), "win-") || name == "" {
			return nil, checks.Skip(
				"the plugin %s does not look for a network that somebody else made",
				cmp.Or(plugin, conf.Name))
		}
		var pods *evidence.HNSNetwork
		for _, net := range evidence.HNSNetworks.In(s) {
			if strings.EqualFold(net.Name, name) {
				if net.Type == "" || strings.EqualFold(net.Type, string(want)) ||
					want == node.L2Bridge && strings.EqualFold(net.Type, "L2Tunnel") {
					return nil, nil
				}
				return []checks.Finding{checks.Findingf(checks.Fail, name,
					"%s uses the plugin %s, which needs a network of type %s, and %s is of type %s",
					conf.Name, plugin, want, net.Name, net.Type).
					At(conf.TypeField(), "type is %s, name is %s", plugin,
						name).At(net.Field("Type"), "%s: type %s", net.Name, net.Type)}, nil
			}
			if pods == nil && isExternal(net) && isPodNetwork(n, net) {
				pods = &net
			}
		}
		if pods == nil {
			return nil, nil // there is none to be named otherwise
		}
		return []checks.Finding{checks.Findingf(checks.Fail, name,
			"%s asks for the HNS network %s, and the pod network is called %s (%s)", conf.Name,
			name, pods.Name, pods.Type).
			At(conf.File.Field("name"), "name is %s, type is %s", name,
				plugin).At(evidence.HNSNetworks.Field(s), "names: %s",
			networkNames(evidence.HNSNetworks.In(s)))}, nil
	},
})

// isPodNetwork tells a network of this node's pods by what does not depend on
// its name being right: the podCIDR, or a name that only a plugin gives.
func isPodNetwork(n *node.Node, net evidence.HNSNetwork) bool {
	for _, sub := range net.Subnets {
		for _, p := range node.ParsePrefixes(sub.Prefix) {
			if node.AnyCovers(n.PodCIDRs.Value, p) {
				return true
			}
		}
	}
	return node.FamilyOfNetwork(net.Name) != "" && node.FamilyOfNetwork(net.Name) == n.CNI.Value
}
