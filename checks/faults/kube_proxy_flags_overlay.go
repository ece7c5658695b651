package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "kube-proxy-flags-overlay",
	Title:    "kube-proxy network settings do not match the pod network",
	Healthy:  "kube-proxy network settings match the pod network",
	Category: checks.CategoryComponents,
	Doc: `kube-proxy requires the name of the HNS network of the pods. On an overlay network it also
requires a source VIP, an address of its own on that network, and exits without one. With the name
of another network, such as the placeholder External or the NAT network of the runtime, kube-proxy
starts but programs Services where pods cannot use them.

The check compares --network-name, winkernel.networkName or KUBE_NETWORK with the network of the CNI
plugin, and requires a source VIP on overlay networks. Other checks cover a network that does not
exist in HNS, a source VIP that does not belong to this node, and the feature gates.`,
	Fix: checks.Steps(
		checks.Do("Set --network-name={network} for kube-proxy, and on an overlay --source-vip with an unused address of {podCIDR}."),
		checks.Run("{restart kube-proxy}", "Restart kube-proxy.").
			Costs("Services are not reachable from this node until kube-proxy has programmed them."),
		checks.Verify("Get-Process kube-proxy", "one process kube-proxy")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/services-networking/windows-networking/",
		"https://github.com/kubernetes/kubernetes/issues/78338",
		"https://github.com/kubernetes/kubernetes/issues/74435"},
	Breaks:   []*checks.Effect{effectKubeProxy, effectServiceRules, effectContainers},
	Explains: []string{"source-vip-invalid"},
	Needs:    []evidence.Need{node.NeedProxySettings, node.NeedNetworks, node.NeedBackend},
	Uses:     slices.Concat(node.ProxySources, node.CNISources, []evidence.Need{evidence.Node}),
	Signs: []checks.Sign{
		{Text: "source-vip flag not set", Until: proxyStarted,
			Says: "kube-proxy exits: an overlay network requires --source-vip"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		var findings []*checks.Finding
		name := n.Proxy().NetworkName
		fits := func(want string) bool { return node.NameMatches(want, name.Value) }
		if name.Set && !evidence.Placeholder(name.Value) && !strings.ContainsAny(name.Value,
			"$%(*") && !slices.ContainsFunc(n.Networks.Value, fits) &&
			hnsHasNetwork(n, s, name.Value) {
			findings = append(findings, checks.Findingf(checks.Fail, "kube-proxy",
				"kube-proxy uses HNS network %s (expected: %s, the network of the pods)",
				name.Value,
				evidence.Joined(n.Networks.Value, " or ")).
				With(name.From, n.Networks.From).
				Cure(proxyFix(n, name.From,
					evidence.Phrasef("Set the network name of kube-proxy to {network}."))))
		}
		// kubernetes/kubernetes#70896: before 1.14 kube-proxy has no such flag, and no overlay networks
		if v, _, ok := n.ProxyVersion(); n.Backend.Value != node.OverlayNet ||
			n.Proxy().SourceVIP.Set || ok && v.Minor < 14 {
			return findings, nil
		}
		if gap := n.UnseenProxy(); gap.Kind != "" {
			if len(findings) == 0 {
				return nil, checks.Unknown(gap)
			}
			return findings, nil
		}
		return append(findings, checks.Findingf(checks.Fail, "kube-proxy",
			"kube-proxy has no --source-vip, which an overlay network requires").
			With(n.Proxy().From, n.Backend.From).
			Cure(proxyFix(n, n.Proxy().From,
				evidence.Phrasef("Add --source-vip with an unused address of {podCIDR}."), "--source-vip=ADDRESS"))), nil
	},
})

// proxyFix changes a setting of kube-proxy where it is written, and restarts it.
func proxyFix(n *node.Node, from evidence.Because, what evidence.Phrase,
	flags ...string) checks.Fix {
	return withFirst(fixOf("kube-proxy-flags-overlay"),
		changeSetting(n.Components["kube-proxy"], from, what, flags...))
}

// hnsHasNetwork tells whether HNS is known to have a network of that name, which is not
// the one of pods under another name.
func hnsHasNetwork(n *node.Node, s evidence.Snapshot, name string) bool {
	pods, ok := n.PodNetwork(s)
	return ok && !strings.EqualFold(pods.Name, name) &&
		slices.ContainsFunc(evidence.HNSNetworks.In(s), func(net evidence.HNSNetwork) bool {
			return strings.EqualFold(net.Name, name)
		})
}
