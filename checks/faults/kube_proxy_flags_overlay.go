package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "kube-proxy-flags-overlay",
	Title:    "kube-proxy's network settings do not fit the network of pods",
	Category: checks.CategoryComponents,
	Doc: `kube-proxy must be told the HNS network that pods are on, and on an overlay network an
address of its own there as well, the source VIP; it exits without one. With the name of another
network, such as the placeholder External or the NAT network of the runtime, it starts well and
programs Services where no pod can see them.

The check compares --network-name, winkernel.networkName or KUBE_NETWORK with the network of the CNI
plugin, and asks for a source VIP on overlay networks. A network that HNS does not have at all, and
a source VIP that is not of this node, are checks of their own, and so are the feature gates.`,
	Fix: checks.Steps(
		checks.Inspect("Get-HnsNetwork | Select-Object Name, Type", ""),
		checks.Run("nssm set kube-proxy AppEnvironmentExtra KUBE_NETWORK={network}",
			"start kube-proxy with the name of the pod network, {network}, and on an overlay with --source-vip and an unused address of {podCIDR}").
			Costs("Services do not answer from this node until kube-proxy has programmed them"),
		checks.Run("nssm edit kube-proxy", ""),
		checks.Run("{restart kube-proxy}", "")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/services-networking/windows-networking/",
		"https://github.com/kubernetes/kubernetes/issues/78338",
		"https://github.com/kubernetes/kubernetes/issues/74435"},
	Breaks:   []*checks.Effect{effectKubeProxy, effectServiceRules, effectContainers},
	Explains: []string{"source-vip-invalid"},
	Needs:    []evidence.Need{node.NeedProxySettings, node.NeedNetworks, node.NeedBackend},
	Uses:     slices.Concat(node.ProxySources, node.CNISources),
	Signs: []checks.Sign{
		{Text: "source-vip flag not set",
			Says: "kube-proxy exits: on an overlay network it needs --source-vip"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		var findings []checks.Finding
		name := n.Proxy().NetworkName
		fits := func(want string) bool { return node.NameMatches(want, name.Value) }
		if name.Set && !evidence.Placeholder(name.Value) && !strings.ContainsAny(name.Value,
			"$%(*") && !slices.ContainsFunc(n.Networks.Value, fits) &&
			hnsHasNetwork(n, s, name.Value) {
			findings = append(findings, checks.Findingf(checks.Fail, "kube-proxy",
				"kube-proxy programs the HNS network %s, and pods are on %s", name.Value,
				evidence.Joined(n.Networks.Value, " or ")).
				With(name.From, n.Networks.From))
		}
		if n.Backend.Value != node.OverlayNet || n.Proxy().SourceVIP.Set {
			return findings, nil
		}
		if gap := n.UnseenProxy(); gap.Kind != "" {
			if len(findings) == 0 {
				return nil, checks.Unknown(gap)
			}
			return findings, nil
		}
		return append(findings, checks.Findingf(checks.Fail, "kube-proxy",
			"kube-proxy is given no --source-vip, without which it exits on an overlay network").
			With(n.Proxy().From, n.Backend.From)), nil
	},
})

// hnsHasNetwork tells whether HNS is known to have a network of that name, which is not
// the one of pods under another name.
func hnsHasNetwork(n *node.Node, s evidence.Snapshot, name string) bool {
	pods, ok := n.PodNetwork(s)
	return ok && !strings.EqualFold(pods.Name, name) &&
		slices.ContainsFunc(evidence.HNSNetworks.In(s), func(net evidence.HNSNetwork) bool {
			return strings.EqualFold(net.Name, name)
		})
}
