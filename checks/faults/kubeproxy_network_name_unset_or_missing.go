package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "kubeproxy-network-name-unset-or-missing",
	Title:    "kube-proxy is not told its HNS network, or the network is not there",
	Category: checks.CategoryNetwork,
	FAQ:      []int{11},
	Doc: `kube-proxy programs Services on one HNS network, which --network-name,
winkernel.networkName or the variable KUBE_NETWORK names: cbr0, flannel.4096, vxlan0, Calico, azure,
vpcbr…. Without a name it exits; with the name of a network that HNS does not have it waits for it
forever. Starting before the CNI plugin has made the network is the usual reason after a reboot.`,
	Fix: checks.Steps(
		checks.Inspect("Get-HnsNetwork | Select-Object Name, Type", ""),
		checks.Run("nssm set kube-proxy AppEnvironmentExtra KUBE_NETWORK={network}",
			"give kube-proxy the name of the pod network, {network}, through KUBE_NETWORK of its service or --network-name, and restart it once the network is there").
			Costs("Services do not answer from this node until kube-proxy has programmed them again"),
		checks.Run("{restart kube-proxy}", "")),
	Links: []string{"https://github.com/kubernetes/kubernetes/issues/74435",
		"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/"},
	Breaks: []*checks.Effect{effectKubeProxy, effectServiceRules},
	Shows:  []*checks.Effect{effectHNSNetwork},
	Needs:  []evidence.Need{node.NeedProxySettings, evidence.HNSNetworks},
	Uses:   slices.Concat(node.ProxySources, []evidence.Need{evidence.Env}),
	Signs: []checks.Sign{
		{Text: "Environment variable KUBE_NETWORK and network-flag not initialized",
			Says: "kube-proxy is not told its HNS network"},
		{Text: "Unable to find HNS Network specified",
			Says: "kube-proxy does not find the HNS network that it was told"},
		// At the start this network was there: where the state is known, its disappearance is another fault.
		{Text: "is not present or has changed since the last sync",
			Says: "the HNS network that kube-proxy uses is gone, or is another one since"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		name := n.Proxy().NetworkName
		networks := evidence.HNSNetworks.In(s)
		switch {
		case !name.Set && len(n.Components["kube-proxy"].Pods) > 0:
			return nil, checks.Unknown(
				evidence.NotShown.Gap(
					"kube-proxy's HNS network: the start script of its DaemonSet sets it"))
		case !name.Set && len(n.Components["kube-proxy"].Services) == 0:
			return nil, checks.Unknown(
				evidence.NotShown.Gap(
					"the environment of kube-proxy, which does not run as a service here"))
		case !name.Set && n.Proxy().Hidden.Kind != "":
			return nil, checks.Unknown(n.Proxy().Hidden)
		case !name.Set && evidence.Env.Known(s):
			return []checks.Finding{checks.Findingf(checks.Fail, "kube-proxy",
				"kube-proxy is given neither --network-name nor KUBE_NETWORK").
				With(n.Proxy().From).At(evidence.Env.Field(s, "KUBE_NETWORK"),
				"KUBE_NETWORK is not set")}, nil
		case !name.Set:
			return nil, checks.Unknown(evidence.Env.Gap(s))
		case evidence.Placeholder(name.Value) || strings.ContainsAny(name.Value, "$%("):
			return nil, checks.Unknown(
				evidence.NotShown.Gap(
					"the value of the variable that names kube-proxy's HNS network"))
		}
		there := func(net evidence.HNSNetwork) bool {
			return node.NameMatches(name.Value, net.Name)
		}
		if slices.ContainsFunc(networks, there) {
			return nil, nil
		}
		return []checks.Finding{checks.Findingf(checks.Fail, "kube-proxy",
				"kube-proxy is told to use the HNS network %s, and HNS has %s", name.Value,
				networkNames(networks)).
				With(name.From).At(evidence.HNSNetworks.Field(s), "names: %s",
				networkNames(networks))},
			nil
	},
})
