package faults

import (
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "kubeproxy-network-name-unset-or-missing",
	Title:    "kube-proxy HNS network not set or missing",
	Healthy:  "kube-proxy uses an existing HNS network",
	Category: checks.CategoryNetwork,
	FAQ:      []int{11},
	Doc: `kube-proxy programs Services on one HNS network, which --network-name,
winkernel.networkName or the variable KUBE_NETWORK names: cbr0, flannel.4096, vxlan0, Calico, azure,
vpcbr…. Without a name it exits. If HNS does not have the network, kube-proxy waits for it forever.
After a reboot the usual cause is that kube-proxy starts before the CNI plugin creates the network.`,
	Fix: checks.Steps(
		checks.Do("Set --network-name or KUBE_NETWORK of kube-proxy to {network}."),
		checks.Run("{restart kube-proxy}",
			"Restart kube-proxy after the HNS network {network} exists.").
			Costs("Connections to Services break for a few seconds."),
		checks.Verify("Get-HnsNetwork | Where-Object Name -eq '{network}'",
			"the network {network}")),
	Links: []string{"https://github.com/kubernetes/kubernetes/issues/74435",
		"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/"},
	Breaks:  []*checks.Effect{effectKubeProxy, effectServiceRules},
	Shows:   []*checks.Effect{effectHNSNetwork},
	Applies: onKernelspace,
	Needs:   []evidence.Need{node.NeedProxySettings, evidence.HNSNetworks},
	Uses:    slices.Concat(node.ProxySources, []evidence.Need{evidence.Env, evidence.Pods, evidence.Processes}),
	Signs: []checks.Sign{
		{Text: "Environment variable KUBE_NETWORK and network-flag not initialized",
			Until: proxyStarted,
			Says:  "the HNS network of kube-proxy is not set"},
		// After each boot kube-proxy looks for it every second until the CNI plugin has created it.
		{Text: "Unable to find HNS Network specified", Lasts: 2 * time.Minute,
			Until: append([]string{"Hns Network loaded"}, proxyStarted...),
			Says:  "kube-proxy does not find its HNS network"},
		// On an overlay it looks again after ten seconds, and exits where the network is gone: winkernel/proxier.go
		{Text: "proxier: could not find HNS network ", In: []string{"kube-proxy", evidence.InEvents, "other"},
			Until: proxyStarted,
			Says:  "kube-proxy exits: its HNS network disappeared while it started"},
		// pkg/windows of RKE2 and k3s, which look for the network of flannel (vxlan0) or Calico
		{Text: "can't find HNS network, retrying", Lasts: 2 * time.Minute,
			Until: proxyStarted,
			Says:  "the agent of RKE2 does not find the HNS network for kube-proxy"},
		// The start script of kube-proxy's image; PowerShell quotes its line where it fails, as far as it fits the console.
		{Text: "$subnet = $hnsNetwork.Subnets[0].", Until: proxyStarted,
			Says: "kube-proxy's start script does not find the HNS network"},
		// 1.9 to 1.13 end there: "Unable to find Hns Network specified by", at first with a typing error.
		{Text: "Please check environment variable KUBE_NETWORK", Until: proxyStarted,
			Says: "kube-proxy does not find its HNS network"},
		// At the start this network was there: where the state is known, its disappearance is another fault.
		{Text: "is not present or has changed since the last sync",
			// one sync at most where flanneld recreates the network
			Lasts: time.Minute,
			Until: []string{"Hns LoadBalancer resource created"},
			Says:  "the HNS network of kube-proxy was deleted or replaced"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
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
					"the environment of kube-proxy, which is not a service on this node"))
		case !name.Set && n.Proxy().Hidden.Kind != "":
			return nil, checks.Unknown(n.Proxy().Hidden)
		case !name.Set && evidence.Env.Known(s):
			return []*checks.Finding{checks.Findingf(checks.Fail, "kube-proxy",
				"kube-proxy has no HNS network: --network-name and KUBE_NETWORK are not set").
				With(n.Proxy().From).At(evidence.Env.Field(s, "KUBE_NETWORK"),
				"KUBE_NETWORK is not set").Cure(setProxyNetwork(n, n.Proxy().From))}, nil
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
		if err := awaitsFirstPod(n, s); err != nil {
			return nil, err
		}
		return []*checks.Finding{checks.Findingf(checks.Fail, "kube-proxy",
				"HNS network %s of kube-proxy is missing (found: %s)", name.Value,
				networkNames(networks)).
				With(name.From).At(evidence.HNSNetworks.Field(s), "names: %s",
				networkNames(networks)).Cure(setProxyNetwork(n, name.From))},
			nil
	},
})

func setProxyNetwork(n *node.Node, from evidence.Because) checks.Fix {
	return withFirst(fixOf("kubeproxy-network-name-unset-or-missing"),
		changeSetting(n.Components["kube-proxy"], from,
			evidence.Phrasef("Set --network-name or KUBE_NETWORK of kube-proxy to {network}.")))
}

// proxyStarted is what every kube-proxy says that has found what it needs and begins its work:
// pkg/proxy/config/config.go of Kubernetes.
var proxyStarted = []string{"Starting service config controller"}
