package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "adapter-not-found",
	Title:    "HNS finds no adapter for the pod network",
	Healthy:  "HNS has an adapter for the pod network",
	Category: checks.CategoryNetwork,
	FAQ:      []int{8, 11},
	Doc: `A pod network needs a physical adapter of its own. HNS answers "An adapter was not
found", 0x803b0006, where the start script names one that is not there (it says "Ethernet" by
default; wins.exe cuts a name with a space in two), where another external network has bound
the adapter already, or where it is a wireless one.

The same answer comes from a second run of a start script on a healthy node, so while HNS has the
pod network nothing is wrong. Without it, the name given to the script is compared with the
adapters, and the networks that hold an adapter are named.`,
	Fix: checks.Steps(
		checks.Inspect("Get-NetAdapter -Physical | Select-Object Name, Status",
			"Find the adapter that carries the address of the node."),
		checks.Do("Set -InterfaceName of the start script to the name of that adapter, and run the script again.").
			Costs("The node loses its network for a few seconds while HNS creates the network."),
		checks.Verify("Get-HnsNetwork | Where-Object Name -eq '{network}'",
			"the network {network}")),
	Links: []string{"https://github.com/microsoft/SDN/issues/269",
		"https://github.com/microsoft/SDN/issues/194",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/103",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/252",
		"https://github.com/moby/moby/issues/41094",
		"https://github.com/flannel-io/flannel/issues/1628"},
	Breaks: []*checks.Effect{effectNetworkCreation, effectKubeProxy, effectPodTraffic,
		effectNodePorts},
	Explains: []string{"flannel-interface-not-found", "calico-vswitch-interface-timeout",
		"transparent-network-missing", "antrea-ovs-problem"},
	Needs: []evidence.Need{evidence.Any(evidence.HNSNetworks, evidence.Pods), node.NeedNetworks},
	Uses: []evidence.Need{evidence.HNSNetworks, evidence.Pods, evidence.Node, evidence.Adapters,
		evidence.Services, evidence.Processes},
	Signs: []checks.Sign{
		// azure-vnet creates its network within "failed to create endpoint": the call alone tells them apart.
		networkAdapterSign("hcnCreateNetwork"),
		adapterSign("hnsCall"),
		adapterWithoutCode(),
		{Text: "Ethernet doesn't exist", Not: []string{"vEthernet"},
			Says: "the start script does not find its default adapter Ethernet"},
		// Antrea, pkg/agent/agent_windows.go: another network's virtual switch has the adapter.
		{Text: "Transparent HNSNetwork requires a physical adapter while the uplink interface",
			Until: networkCreated,
			Says:  "Antrea's agent finds only a virtual adapter: another HNS network has the physical one"},
		{Text: "is not a physical adapter", Also: []string{"error initializing agent: uplink"}, Until: networkCreated,
			Says: "Antrea's agent finds only a virtual adapter: another HNS network has the physical one"},
		// PowerShell prints this at the second run of a setup script, too: where HNS has the network, the state acquits.
		adapterSign("Invoke-HnsRequest"),
		// HNS's answer is a line of its own with -Verbose (hns.psm1).
		{Text: `Result : {"Error":"An adapter was not found`, Until: networkCreated,
			Says: "HNS finds no adapter for the new network"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		if gap := evidence.HNSNetworks.Gap(s); gap.Kind != "" {
			if podHasAddress(s) && !node.PodsUnhealthy(s) {
				return nil, nil // the network that pods got their addresses on was made in the end
			}
			return nil, checks.Unknown(gap)
		}
		if _, there := n.PodNetwork(s); there {
			return nil, nil
		}
		missing := evidence.HNSNetworks.Field(s).Because("names: %s",
			networkNames(evidence.HNSNetworks.In(s)))
		if name, from := interfaceName(s); name != "" && evidence.Adapters.Known(s) {
			names := physicalAdapters(s)
			named := func(a evidence.Adapter) bool { return strings.EqualFold(a.Name, name) }
			if len(names) > 0 && !slices.ContainsFunc(evidence.Adapters.In(s), named) {
				return []*checks.Finding{checks.Findingf(checks.Fail, name,
					"the start script uses the adapter %s, and the node has %s", name,
					strings.Join(names, ", ")).
					With(from, evidence.Adapters.Field(s).Because("physical adapters: %s",
						strings.Join(names, ", ")), missing)}, nil
			}
		}
		matches := s.Signs("adapter-not-found")
		at := slices.IndexFunc(matches, func(m evidence.SignMatch) bool { return m.Over == "" })
		if at < 0 {
			return nil, nil
		}
		f := checks.Findingf(checks.Fail, n.Networks.Value[0],
			"HNS finds no adapter for the network %s", evidence.Joined(n.Networks.Value,
				" or ")).With(checks.Quote(matches[at]), missing)
		for _, net := range evidence.HNSNetworks.In(s) {
			if isExternal(net) && net.AdapterName != "" {
				f = checks.Findingf(checks.Fail, n.Networks.Value[0],
					"HNS finds no adapter for the network %s, and %s is bound by the network %s (%s)", evidence.Joined(n.Networks.Value, " or "), net.AdapterName, net.Name, net.Type).
					With(checks.Quote(matches[at]), missing).Cure(checks.Steps(
					checks.Run("Get-HnsNetwork | Where-Object Name -eq '"+
						quoteForPowerShell(net.Name)+"' | Remove-HnsNetwork",
						"Remove the network %s if nothing uses it. Otherwise add a second adapter for pods.", net.Name).
						Costs("Workloads on this network lose it, and the node is offline for a few seconds."),
					restartAgentAfterHNS(),
					checks.Verify("Get-HnsNetwork | Where-Object Name -eq '{network}'",
						"the network {network}")))
				break
			}
		}
		f.Basis = checks.ByBoth
		return []*checks.Finding{f}, nil
	},
})

// An endpoint and a load balancer ask for an adapter too, and miss it for reasons of their own.
// docker's own network is not the pods'. While a virtual switch is being made there is no adapter
// for a moment, and the second attempt finds it.
func adapterSign(call string) checks.Sign {
	sign := networkAdapterSign(call)
	sign.Not = append(sign.Not, "endpoint", "policy", "LoadBalancer")
	return sign
}

// networkAdapterSign is of a call that creates a network and nothing else.
func networkAdapterSign(call string) checks.Sign {
	sign := unlike(checks.SignOfCode("HCN_E_ADAPTER_NOT_FOUND",
		"HNS finds no adapter for the new network", call), `"nat" network`, `\"nat\" network`)
	sign.Until = networkCreated
	return sign
}

// adapterWithoutCode is how hcsshim passed HNS's answer on until 2018 (hnsfuncs.go): docker for-win 1972.
func adapterWithoutCode() checks.Sign {
	sign := adapterSign("hnsCall")
	sign.Text, sign.Or, sign.Also = "HNS failed with error : An adapter was not found", nil, nil
	return sign
}

// interfaceName is the adapter that the node's start script is given.
func interfaceName(s evidence.Snapshot) (string, evidence.Because) {
	of := func(args []string) string {
		for i := range args[:max(len(args)-1, 0)] {
			if strings.EqualFold(strings.TrimLeft(args[i], "-"), "InterfaceName") {
				return strings.Trim(args[i+1], `"'`)
			}
		}
		return ""
	}
	for _, svc := range evidence.Services.In(s) {
		if name := of(svc.Args); name != "" {
			return name, evidence.FlagIn(svc.Args, svc.Field("args"),
				"InterfaceName").Because("%s: -InterfaceName %s", svc.Name, name)
		}
	}
	for _, p := range evidence.Processes.In(s) {
		if name := of(p.Args); name != "" {
			return name, evidence.FlagIn(p.Args, p.Field("args"),
				"InterfaceName").Because("%s: -InterfaceName %s", p.Name, name)
		}
	}
	return "", evidence.Because{}
}

// physicalAdapters are the adapters that are not HNS's or Hyper-V's own.
func physicalAdapters(s evidence.Snapshot) []string {
	var names []string
	for _, a := range evidence.Adapters.In(s) {
		if !strings.HasPrefix(strings.ToLower(a.Name), "vethernet") &&
			!strings.Contains(a.Description, "Hyper-V Virtual Ethernet") {
			names = append(names, a.Name)
		}
	}
	return names
}

// quoteForPowerShell makes a text safe between single quotes.
func quoteForPowerShell(s string) string { return strings.ReplaceAll(evidence.Clean(s), "'", "''") }
