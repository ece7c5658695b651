package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "cni-network-not-found",
	Title:    "CNI plugin cannot find its HNS network",
	Healthy:  "CNI plugin finds its HNS network",
	Category: checks.CategoryNetwork,
	FAQ:      []int{11},
	Doc: `win-bridge and win-overlay look for the HNS network that has the name of their
configuration, and insist on its type: L2Bridge for the one, Overlay for the other. Where flannel's
backend was switched between host-gw and vxlan, or a configuration was copied from another cluster,
the pod network is there under another name or of the other type, and no pod gets an endpoint.

The check compares the name and the plugin of the configuration with the networks of HNS. That there
is no pod network at all is another fault, and the network External of the start scripts is not
meant for pods. The error of the plugin alone does not distinguish the two.`,
	Fix: checks.Steps(
		checks.Run("{restart network agent}",
			"If Get-HnsNetwork lists no network for pods, restart the network agent, which creates it. If that fails, fix the agent.").
			Costs("The node loses its network for a few seconds."),
		checks.Edit("{cniFile}",
			"Set name to the name of the HNS network, and the plugin type to one that fits its type."),
		checks.Run("{restart runtime}",
			"Restart the container runtime, so that it reads the file.").
			Costs("Running containers are not affected."),
		checks.Do("If the backend of flannel was changed, remove the old HNS network and its configuration.").
			Costs("Pods on the removed network lose their network."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"new pods get an address")),
	Links: []string{"https://github.com/kubernetes-sigs/sig-windows-tools/issues/186",
		"https://github.com/flannel-io/flannel/issues/1709",
		"https://github.com/containernetworking/plugins/blob/main/plugins/main/windows/win-bridge/win-bridge_windows.go"},
	Breaks: []*checks.Effect{effectHNSNetwork, effectPodStart, effectNodeReady,
		effectPodTraffic},
	Needs: []evidence.Need{evidence.HNSNetworks, node.NeedCNIFiles},
	Uses: slices.Concat([]evidence.Need{node.NeedPodCIDRs, evidence.Processes, evidence.Pods,
		evidence.HNSEndpoints}, node.CNIFolders, node.RuntimeConfigs),
	Signs: []checks.Sign{
		{Text: "is of unexpected type", Or: []string{"is of an unexpected type"},
			Also: []string{"network"},
			Says: "the CNI plugin finds an HNS network of the wrong type"},
		// After a boot pods come before flanneld has created the network.
		{Text: "error while GETHNSNewtorkByName", Or: []string{"error while hcn.GetNetworkByName"},
			// HNS that does not answer is another fault
			Not:   []string{"The RPC server is unavailable", "The remote procedure call failed"},
			Until: networkCreated, Says: noPodNetwork},
		// win-bridge from 0.8, the newer API of HNS, and from 1.0
		{Text: "error while GetNetworkByName(", Or: []string{"error while getting network "},
			Also: []string{"not found"}, Until: networkCreated, Says: noPodNetwork},
		// hybrid-overlay-node and the plugin of OpenShift's Windows nodes
		{Text: "OVNKubernetesHybridOverlayNetwork not found", Until: networkCreated, Says: noPodNetwork},
		// where HNS answers with an empty list
		{Text: "failed (add): network ", Or: []string{"network: network "},
			Also: []string{"not found"}, In: pluginCallers, Until: networkCreated, Says: noPodNetwork},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		conf := n.Intended()
		if conf == nil || conf.Config == nil {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("a CNI configuration that can be read"))
		}
		plugin := conf.Config.EffectiveType()
		want, name := typeFor(plugin), conf.Config.Name
		if f := ofAnotherPlugin(s, n, conf); f != nil && want != "" {
			return []*checks.Finding{f}, nil
		}
		if want == "" || !strings.HasPrefix(strings.ToLower(plugin), "win-") || name == "" {
			return nil, checks.Skip(
				"the plugin %s creates its own HNS network",
				cmp.Or(plugin, conf.Name))
		}
		var pods *evidence.HNSNetwork
		for _, net := range evidence.HNSNetworks.In(s) {
			if strings.EqualFold(net.Name, name) {
				if net.Type == "" || strings.EqualFold(net.Type, string(want)) ||
					want == node.L2Bridge && strings.EqualFold(net.Type, "L2Tunnel") {
					return nil, nil
				}
				return []*checks.Finding{checks.Findingf(checks.Fail, name,
					"%s uses the plugin %s, which needs a network of type %s, and %s is of type %s",
					conf.Name, plugin, want, net.Name, net.Type).
					At(conf.TypeField(), "type is %s, name is %s", plugin,
						name).At(net.Field("Type"), "%s: type %s", net.Name, net.Type).
					Cure(editsName(fixOf("cni-network-not-found").Steps[1]))}, nil
			}
			if isExternal(net) && isPodNetwork(n, net) &&
				(pods == nil || podsOn(s, net) > podsOn(s, *pods)) {
				pods = &net
			}
		}
		if pods == nil {
			return nil, nil // there is none to be named otherwise
		}
		return []*checks.Finding{checks.Findingf(checks.Fail, name,
			"%s uses the HNS network %s, but the pod network is %s (%s)", conf.Name,
			name, pods.Name, pods.Type).
			At(conf.File.Field("name"), "name is %s, type is %s", name,
				plugin).At(evidence.HNSNetworks.Field(s), "names: %s",
			networkNames(evidence.HNSNetworks.In(s))).
			Cure(editsName(checks.EditAt(s, conf.File.Field("name"),
				func(line string) string {
					return strings.Replace(line, `"`+name+`"`, `"`+pods.Name+`"`, 1)
				},
				"Set name to %s, the HNS network of the pods.", pods.Name)))}, nil
	},
})

// editsName is the fix where the pod network is there under another name or of another type.
// ofAnotherPlugin is a configuration of win-bridge or win-overlay that the runtime reads, while the
// pod network and the agent that runs are of a plugin with a program of its own.
func ofAnotherPlugin(s evidence.Snapshot, n *node.Node, conf *node.CNIFile) *checks.Finding {
	networks := evidence.HNSNetworks.In(s)
	if slices.ContainsFunc(networks, func(net evidence.HNSNetwork) bool {
		return strings.EqualFold(net.Name, conf.Config.Name)
	}) {
		return nil
	}
	for _, net := range networks {
		family := node.FamilyOfNetwork(net.Name)
		agent, runs := node.AgentOf(s, family)
		if family == "" || family == node.Flannel || family == n.CNI.Value || !isExternal(net) || !runs {
			continue
		}
		f := checks.Findingf(checks.Fail, conf.Name,
			"the runtime reads %s with the plugin %s, but the network plugin of this node is %s",
			conf.Name, conf.Config.EffectiveType(), family).
			At(conf.TypeField(), "type is %s, name is %s", conf.Config.EffectiveType(), conf.Config.Name).
			At(net.Field("Name"), "network %s of type %s", net.Name, net.Type).With(agent)
		for _, dir := range node.CNIFolderPaths {
			if own := node.CNIFileOf(s, dir, family); own != "" {
				return f.At(evidence.InFile(evidence.EvidencePath(dir)+"/"+own), "is of %s", family).
					Cure(useFolder(dir))
			}
		}
		return f.Cure(checks.Steps(append([]*checks.Step{checks.Edit("{cniFile}",
			"Delete this file. The configuration must be of %s.", family)},
			fixOf("cni-network-not-found").Steps[2:]...)...))
	}
	return nil
}

func editsName(edit *checks.Step) checks.Fix {
	return checks.Steps(append([]*checks.Step{edit}, fixOf("cni-network-not-found").Steps[2:]...)...)
}

// podsOn is how many endpoints of pods are on a network. OpenShift has a network of its own for the
// tunnel, on which there are none.
func podsOn(s evidence.Snapshot, net evidence.HNSNetwork) int {
	pods := 0
	for _, e := range evidence.HNSEndpoints.In(s) {
		if !e.Remote && e.NamespaceID != "" && strings.EqualFold(e.NetworkID, net.ID) {
			pods++
		}
	}
	return pods
}

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

const noPodNetwork = "the CNI plugin cannot find its HNS network: it is missing or has another name"
