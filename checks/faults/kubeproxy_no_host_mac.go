package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "kubeproxy-no-host-mac",
	Title:    "kube-proxy finds no adapter with the node's address",
	Healthy:  "kube-proxy finds the adapter with the node's address",
	Category: checks.CategoryComponents,
	Doc: `On an overlay network kube-proxy needs the MAC address of the adapter that has the node's
address, and exits where no adapter has it. kube-proxy uses --bind-address; where that is not set or
0.0.0.0, it uses the address of the Node object. The first 1.21 releases did not do so and searched
for 0.0.0.0 or ::.

The check compares this address with the addresses of all adapters.`,
	Fix: checks.Steps(
		checks.Do("Set --bind-address={managementIP} for kube-proxy, or restore the address of the Node object on the adapter."),
		checks.Run("{restart kube-proxy}", "Restart kube-proxy.").
			Costs("Services are not reachable from this node until kube-proxy has programmed them."),
		checks.Verify("Get-Process kube-proxy", "one process kube-proxy")),
	Links: []string{"https://github.com/kubernetes/kubernetes/issues/100966",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/159",
		"https://github.com/rancher/rke2/issues/1879"},
	Breaks:  []*checks.Effect{effectKubeProxy, effectServiceRules, effectContainers},
	Applies: checks.OnBackend(node.OverlayNet),
	Partial: true,
	Needs:   []evidence.Need{node.NeedProxySettings, evidence.Adapters},
	Uses:    slices.Concat(node.ProxySources, []evidence.Need{evidence.Node}),
	Signs: []checks.Sign{
		// While the switch is created, the address moves to another adapter: the next start finds it.
		{Text: "could not find host mac address for", Until: proxyStarted,
			Says: "kube-proxy exits: no adapter has the node's address"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		var own []node.Address
		for _, a := range evidence.Adapters.In(s) {
			own = append(own, node.ParseAddresses(a.Addresses...)...)
		}
		if len(own) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("any address of an adapter"))
		}
		bind := n.Proxy().BindAddress
		if ip, ok := node.ParseAddress(bind.Value); bind.Set && ok && !ip.IsUnspecified() {
			if slices.Contains(own, ip) {
				return nil, nil
			}
			return []*checks.Finding{checks.Findingf(checks.Fail, "kube-proxy",
				"no adapter has the --bind-address %s of kube-proxy (found: %s)", ip,
				firstThree(texts(own))).
				With(bind.From).At(evidence.Adapters.Field(s), "addresses: %s",
				firstThree(texts(own))).Cure(proxyFix(n, bind.From,
				evidence.Phrasef("Set --bind-address={managementIP} for kube-proxy.")))}, nil
		}
		ips := node.ParseAddresses(evidence.Node.In(s).InternalIPs()...)
		switch gap := n.UnseenProxy(); {
		case !bind.Set && gap.Kind != "":
			return nil, checks.Unknown(gap)
		case len(ips) == 0 && !evidence.Node.Known(s):
			return nil, checks.Unknown(evidence.Node.Gap(s))
		case len(ips) == 0 || slices.ContainsFunc(ips, func(ip node.Address) bool {
			return slices.Contains(own, ip)
		}):
			return nil, nil
		}
		return []*checks.Finding{checks.Findingf(checks.Fail, "kube-proxy",
				"no adapter has the node's address %s, which kube-proxy uses (found: %s)", ips[0],
				firstThree(texts(own))).
				At(evidence.Node.In(s).AddressField(ips[0].String()), "InternalIP is %s",
					ips[0]).At(evidence.Adapters.Field(s), "addresses: %s",
				firstThree(texts(own)))},
			nil
	},
})

func texts(list []node.Address) []string {
	var out []string
	for _, a := range list {
		out = append(out, a.String())
	}
	return out
}
