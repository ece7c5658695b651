package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "dual-stack-unsupported",
	Title:    "the cluster gives this node IPv6 that its network cannot carry",
	Category: checks.CategoryNetwork,
	Doc: `Windows pods can have an IPv4 and an IPv6 address on l2bridge networks, from HNS 11.10
on, which means Server 2022 in practice. Overlay networks carry IPv4 only, and a network of IPv6
alone does not exist on Windows. kube-proxy then falls back to IPv4 and says so at each start, also
on clusters that never wanted IPv6, so that its message alone proves nothing.

The check reads the podCIDRs of the Node object: two families on an overlay or on an older build, or
IPv6 alone.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get node {node} -o jsonpath={.spec.podCIDRs}", ""),
		checks.Inspect(
			"kubectl get services -A -o custom-columns=NS:.metadata.namespace,NAME:.metadata.name,IPS:.spec.clusterIPs", ""),
		checks.Do("give Windows nodes IPv4 podCIDRs, and Services that they use ipFamilyPolicy SingleStack with IPv4; for dual stack use an l2bridge network on Server 2022 or later").
			Costs("a node's podCIDRs cannot be changed: it has to be deleted and joined again, which removes its pods")),
	Links: []string{"https://kubernetes.io/docs/concepts/services-networking/dual-stack/",
		"https://kubernetes.io/docs/concepts/services-networking/windows-networking/",
		"https://github.com/microsoft/hcsshim/pull/1003"},
	Needs: []evidence.Need{node.NeedPodCIDRs, node.NeedBackend, evidence.Any(evidence.HNSVersion,
		node.NeedBuild)},
	Uses: slices.Concat(node.CNISources, []evidence.Need{evidence.HNSVersion, evidence.OSInfo}),
	Signs: []checks.Sign{
		// Printed on every single-stack cluster too.
		{Text: "does not support dual-stack", In: []string{"kube-proxy"}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		cidrs := n.PodCIDRs.Value
		four, six := node.OfFamily(cidrs, true), node.OfFamily(cidrs, false)
		if len(six) == 0 {
			return nil, nil
		}
		if len(four) == 0 {
			return []checks.Finding{checks.Findingf(checks.Fail, six[0].String(),
				"the node has the IPv6 podCIDR %s only, and Windows pods need IPv4",
				six[0]).With(n.PodCIDRs.From)}, nil
		}
		if n.Backend.Value == node.OverlayNet {
			return []checks.Finding{checks.Findingf(checks.Warn, six[0].String(),
				"the node has the podCIDR %s as well, and overlay networks on Windows carry IPv4 only: its pods get no IPv6", six[0]).
				With(n.PodCIDRs.From, n.Backend.From)}, nil
		}
		able, from := hasDualStack(n, s)
		if able {
			return nil, nil
		}
		return []checks.Finding{checks.Findingf(checks.Warn, six[0].String(),
			"the node has the podCIDR %s as well, and two families need HNS 11.10 (Server 2022) at least: this is %s", six[0], from.Text).
			With(n.PodCIDRs.From, from)}, nil
	},
})

// hasDualStack goes by HNS, else by the build: 19041 got it with an update.
func hasDualStack(n *node.Node, s evidence.Snapshot) (bool, evidence.Because) {
	if v := evidence.HNSVersion.In(s).Version; v.Known() {
		return v.AtLeast(11, 10), evidence.HNSVersion.Field(s, "Version").Because("HNS %s", v)
	}
	return n.Build.Value.Number >= 19041, n.Build.From.Place().Because("build %s", n.Build.Value)
}
