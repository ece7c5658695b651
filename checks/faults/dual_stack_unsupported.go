package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "dual-stack-unsupported",
	Title:    "IPv6 is not supported by this node's pod network",
	Healthy:  "IP families of the podCIDRs are supported",
	Category: checks.CategoryNetwork,
	Doc: `Windows pods can have an IPv4 and an IPv6 address on l2bridge networks, from HNS 11.10 (in
practice Server 2022). Overlay networks support only IPv4, and Windows has no IPv6-only pod network.
In these cases kube-proxy falls back to IPv4 and logs it at each start. It logs the same on clusters
without IPv6, so the message alone proves nothing.

The check reads the podCIDRs of the Node object: two families on an overlay network or on an older
build, or IPv6 alone.`,
	Fix: checks.Steps(
		checks.Do("Join the node again with an IPv4 podCIDR only. For dual stack, use Windows Server 2022 with an l2bridge network.").
			Costs("podCIDRs cannot be changed: the node is deleted and joined again, and its pods are removed."),
		checks.Do("Set ipFamilyPolicy SingleStack with IPv4 for the Services that Windows pods use."),
		checks.Verify("kubectl get node {node} -o jsonpath='{.spec.podCIDRs}'",
			"one IPv4 podCIDR, or one of each family on Server 2022 with l2bridge")),
	Links: []string{"https://kubernetes.io/docs/concepts/services-networking/dual-stack/",
		"https://kubernetes.io/docs/concepts/services-networking/windows-networking/",
		"https://github.com/microsoft/hcsshim/pull/1003"},
	Needs: []evidence.Need{node.NeedPodCIDRs, node.NeedBackend, evidence.Any(evidence.HNSVersion,
		node.NeedBuild)},
	Uses: slices.Concat(node.CNISources, []evidence.Need{evidence.HNSVersion, evidence.OSInfo}),
	Signs: []checks.Sign{
		// Printed on every single-stack cluster too.
		{Text: "does not support dual-stack", In: []string{"kube-proxy"}, ConfirmOnly: true},
		// win-overlay until 1.1, sdnbridge and sdnoverlay, Antrea's agent
		{Text: "win-overlay doesn't support IPv6 now",
			Or:   []string{"Dual stack specified with non l2bridge network"},
			Says: "the CNI plugin supports no IPv6 on this network"},
		{Text: "IPv6 is not supported on Windows", Also: []string{"error initializing agent"},
			Says: "Antrea's agent exits: it supports no IPv6 on Windows"},
		// pkg/agent/run.go of K3s, whose agent RKE2 runs
		{Text: "dual-stack or IPv6 are not supported on Windows node",
			Says: "the agent of RKE2 exits: the cluster has IPv6 addresses, which it does not support on Windows",
			Fix: checks.Steps(
				checks.Inspect("kubectl get nodes -o jsonpath='{.items[*].spec.podCIDRs}'",
					"See which addresses the cluster has."),
				checks.Do("Install the cluster with cluster-cidr and service-cidr of IPv4 only in config.yaml of its servers.").
					Costs("The addresses of a cluster cannot be replaced: all its nodes are installed again."),
				checks.Verify("kubectl get node {node}", "STATUS is Ready"))},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		cidrs := n.PodCIDRs.Value
		four, six := node.OfFamily(cidrs, true), node.OfFamily(cidrs, false)
		if len(six) == 0 {
			return nil, nil
		}
		if len(four) == 0 {
			return []*checks.Finding{checks.Findingf(checks.Fail, six[0].String(),
				"the node has only the IPv6 podCIDR %s; Windows pods require IPv4",
				six[0]).With(n.PodCIDRs.From)}, nil
		}
		if n.Backend.Value == node.OverlayNet {
			return []*checks.Finding{checks.Findingf(checks.Warn, six[0].String(),
				"podCIDR %s is not used: overlay networks on Windows support only IPv4", six[0]).
				With(n.PodCIDRs.From, n.Backend.From)}, nil
		}
		able, from := hasDualStack(n, s)
		if able {
			return nil, nil
		}
		return []*checks.Finding{checks.Findingf(checks.Warn, six[0].String(),
			"podCIDR %s is not used: dual stack requires HNS 11.10 (Server 2022) or later; found: %s", six[0], from.Text).
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
