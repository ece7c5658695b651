package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "source-vip-invalid",
	Title:    "kube-proxy source VIP is not in the node's pod network",
	Healthy:  "kube-proxy source VIP is in the node's pod network",
	Category: checks.CategoryNetwork,
	FAQ:      []int{7},
	Doc: `On an overlay network kube-proxy requires an address of the node's own pod subnet, the
source VIP, for the load balancers it programs. It is reserved once and kept in a file, so after the
node was deleted and joined again with another podCIDR the file is stale. kube-proxy then cannot
create the endpoint of that address, and programs no Service at all.

The address must be in the subnet of the HNS network, and be neither the subnet's own address nor
its gateway.`,
	Fix: checks.Steps(
		checks.Run(`Remove-Item C:\k\SourceVip.json, C:\k\SourceVipRequest.json, C:\sourcevip\sourceVip.json, C:\sourcevip\sourceVipRequest.json -ErrorAction SilentlyContinue`,
			"Delete the stale source VIP files: the start script then reserves a new address."),
		checks.Run("{restart kube-proxy}", "Restart kube-proxy.").
			Costs("Services do not answer from this node until kube-proxy has programmed them again."),
		checks.Verify(`Get-Content C:\k\sourceVip.json, C:\sourcevip\sourceVip.json -ErrorAction SilentlyContinue`,
			"an address of {podCIDR} in ip4.ip, which no pod has")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/kubernetes/kubernetes/issues/100962"},
	Breaks: []*checks.Effect{effectKubeProxy, effectServiceRules},
	Applies: func(n *node.Node) error {
		if n.CNI.Value == node.Calico {
			return checks.Skip("%s keeps the source VIP as an HNS endpoint of its own", n.CNI.Value)
		}
		return checks.RequireBackend(n, node.OverlayNet)
	},
	Needs: []evidence.Need{
		evidence.Any(node.NeedProxySettings, evidence.File(node.SourceVIPFiles[0]),
			evidence.File(node.SourceVIPFiles[1])),
		evidence.Any(evidence.HNSNetworks, node.NeedPodCIDRs),
	},
	Uses: slices.Concat(node.ProxySources, node.AsFiles(node.SourceVIPFiles),
		[]evidence.Need{evidence.HNSNetworks, evidence.HNSEndpoints, evidence.Node}),
	Signs: []checks.Sign{
		{Text: "Source Vip endpoint creation failed",
			Until: []string{"Hns LoadBalancer resource created"},
			Says:  "kube-proxy cannot create the endpoint of its source VIP"},
		confirming(checks.SignOfCode("HCN_E_INVALID_IP", "", "Source Vip")),
		confirming(checks.SignOfCode("HCN_E_ADDR_INVALID_OR_RESERVED", "", "Source Vip")),
		// kube-proxy-flags-overlay
		{Text: "source-vip flag not set", ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		vip, from, err := n.SourceVIP(s)
		if err != nil {
			return nil, checks.Unknown(evidence.NotShown.Gap("a source VIP"))
		}
		subnets, where := podSubnets(n, s)
		if len(subnets) == 0 {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("the HNS network's subnet or the node's podCIDR"))
		}
		if !node.AnyContains(subnets, vip) {
			return []*checks.Finding{checks.Findingf(checks.Fail, vip.String(),
				"Source VIP %s is outside the node's pod network %s", vip,
				subnets[0]).With(from, where).Cure(sourceVIPFix(n, from))}, nil
		}
		for _, p := range subnets {
			if !p.Contains(vip) || p.IsSingleIP() {
				continue
			}
			switch vip {
			case p.Addr():
				return []*checks.Finding{checks.Findingf(checks.Fail, vip.String(),
					"Source VIP %s is the network address of the subnet %s", vip, p).With(from,
					where)}, nil
			case node.NthAddress(p, 1):
				return []*checks.Finding{checks.Findingf(checks.Fail, vip.String(),
					"Source VIP %s is the gateway of %s", vip, p).With(from, where)}, nil
			}
		}
		return sourceVIPEndpoint(s, vip, from), nil
	},
})

// sourceVIPFix changes the flag, where the address is one that no start script reserved.
func sourceVIPFix(n *node.Node, from evidence.Because) checks.Fix {
	fix := fixOf("source-vip-invalid")
	if strings.HasPrefix(from.Path, "files/") {
		return fix
	}
	return withFirst(fix, changeSetting(n.Components["kube-proxy"], from,
		evidence.Phrasef("Set --source-vip to an unused address of {podCIDR}."), "--source-vip=ADDRESS"))
}

// sourceVIPEndpoint looks for the endpoint of a source VIP that the subnet has
// room for: it must be kube-proxy's own, and HNS must have been able to make it.
func sourceVIPEndpoint(s evidence.Snapshot, vip node.Address,
	from evidence.Because) []*checks.Finding {
	for _, p := range evidence.Pods.In(s) {
		if ip, ok := node.ParseAddress(p.Status.PodIP); ok && ip == vip && !p.Spec.HostNetwork &&
			p.Status.Phase != "Succeeded" && p.Status.Phase != "Failed" {
			return []*checks.Finding{checks.Findingf(checks.Fail, vip.String(),
				"Source VIP %s is the address of pod %s", vip, p.FullName()).
				With(from).At(p.Field("status", "podIP"), "%s has %s", p.FullName(),
				p.Status.PodIP)}
		}
	}
	made := slices.ContainsFunc(evidence.HNSEndpoints.In(s), func(e evidence.HNSEndpoint) bool {
		return !e.Remote && slices.Contains(node.ParseAddresses(e.Addresses...), vip)
	})
	matches := liveSigns(s, "source-vip-invalid")
	if made || len(matches) == 0 || !evidence.HNSEndpoints.Known(s) {
		return nil
	}
	f := checks.Findingf(checks.Fail, vip.String(),
		"HNS endpoint for the source VIP %s is missing: kube-proxy could not create it", vip).
		With(from, checks.Quote(matches[0])).At(evidence.HNSEndpoints.Field(s),
		"no endpoint has %s", vip)
	f.Basis = checks.ByBoth
	return []*checks.Finding{f}
}

// podSubnets are the subnets of the HNS network that pods are on, or the podCIDR where HNS was not asked.
func podSubnets(n *node.Node, s evidence.Snapshot) ([]node.Prefix, evidence.Because) {
	if net, ok := n.PodNetwork(s); ok {
		var list []node.Prefix
		for _, sub := range net.Subnets {
			list = append(list, node.ParsePrefixes(sub.Prefix)...)
		}
		if len(list) > 0 {
			return list, net.Field().Because("%s has the subnet %s", net.Name, list[0])
		}
	}
	return n.PodCIDRs.Value, n.PodCIDRs.From
}
