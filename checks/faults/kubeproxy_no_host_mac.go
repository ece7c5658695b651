package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "kubeproxy-no-host-mac",
	Title:    "kube-proxy finds no adapter with the address that it takes for the node's",
	Category: checks.CategoryComponents,
	Doc: `On an overlay network kube-proxy needs the MAC address of the adapter that carries the
node's own address, and exits where no adapter has that address. It goes by --bind-address; where
that is not set or 0.0.0.0, by the address of the Node object. The first releases of 1.21 forgot to
look that up and searched for 0.0.0.0 or :: themselves.

The check compares the address with those of all adapters.`,
	Fix: checks.Steps(
		checks.Inspect(
			"Get-NetIPAddress -AddressFamily IPv4 | Select-Object InterfaceAlias, IPAddress", ""),
		checks.Run("nssm edit kube-proxy",
			"give kube-proxy an address that the node has, --bind-address={managementIP}, or give the adapter back the address that the Node object names; update kube-proxy where it is an early 1.21").
			Costs("Services do not answer from this node until kube-proxy has programmed them"),
		checks.Run("{restart kube-proxy}", "")),
	Links: []string{"https://github.com/kubernetes/kubernetes/issues/100966",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/159",
		"https://github.com/rancher/rke2/issues/1879"},
	Breaks:  []*checks.Effect{effectKubeProxy, effectServiceRules, effectContainers},
	Applies: checks.OnBackend(node.OverlayNet),
	Partial: true,
	Needs:   []evidence.Need{node.NeedProxySettings, evidence.Adapters},
	Uses:    slices.Concat(node.ProxySources, []evidence.Need{evidence.Node}),
	Signs: []checks.Sign{
		{Text: "could not find host mac address for",
			Says: "kube-proxy exits: no adapter has the address that it takes for the node's"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
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
			return []checks.Finding{checks.Findingf(checks.Fail, "kube-proxy",
				"kube-proxy is to bind to %s, and no adapter has that address: the node has %s", ip,
				firstThree(texts(own))).
				With(bind.From).At(evidence.Adapters.Field(s), "addresses: %s",
				firstThree(texts(own)))}, nil
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
		return []checks.Finding{checks.Findingf(checks.Fail, "kube-proxy",
				"kube-proxy looks for the adapter with the node's address %s, and none has it: the node has %s", ips[0], firstThree(texts(own))).
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
