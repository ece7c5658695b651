package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(checks.Check{
	ID:       "portproxy-dns-udp",
	Title:    "kube-proxy before 1.6 forwards TCP only, and DNS asks by UDP",
	Category: checks.CategoryDNS,
	Doc: `The kube-proxy of Kubernetes 1.5 on Windows has netsh forward Service addresses
(interface portproxy), which knows TCP and nothing else. A pod whose resolver is the Service address
of the cluster's DNS asks by UDP and gets no answer, though the same Service answers over TCP. Since
1.6 kube-proxy forwards UDP itself.

The check compares the address that pods are given as their resolver with the addresses of Services,
and with what probes over UDP and TCP saw, where they were made. Without a probe the limit is a
warning.`,
	Fix: checks.Steps(
		checks.Run("netsh interface portproxy show v4tov4",
			"use kube-proxy 1.6 or later; until then give pods a resolver that is no Service address: start the kubelet with --cluster-dns set to the address of a pod of the DNS, or to a resolver outside the cluster that forwards to it").
			Costs("only pods that are created afterwards get the other resolver; the address of a pod changes when it is replaced"),
		checks.Inspect("kubectl get endpoints kube-dns -n kube-system -o wide", "")),
	Links: []string{"https://github.com/kubernetes/kubernetes/pull/41487",
		"https://learn.microsoft.com/en-us/windows-server/administration/windows-commands/netsh-interface-portproxy"},
	Breaks: []*checks.Effect{effectDNSOverUDP},
	Applies: func(n *node.Node) error {
		if err := checks.OnGeneration(node.Gen15)(n); err != nil {
			return err
		}
		if n.Kubelet.Known() && n.Kubelet.Value.AtLeast(proxySixth) {
			return checks.Skip("kube-proxy forwards UDP since v1.6, and this node has %s",
				n.Kubelet.Value)
		}
		return nil
	},
	Needs: []evidence.Need{node.NeedKubelet, node.NeedClusterDNS},
	Uses:  []evidence.Need{evidence.DNSProbes, evidence.KubeServices},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		dns, from := n.ClusterDNS.Value[0], n.ClusterDNS.From
		if f, ok := n.KubeletFlag("cluster-dns"); ok { // what pods really get
			if told := node.ParseAddresses(f.Value); len(told) > 0 {
				dns, from = told[0], f.From
			}
		}
		if n.ServiceIPs.Known() && !slices.Contains(n.ServiceIPs.Value, dns) {
			return nil, nil // a pod's own address, or a resolver outside
		}
		udp, tcp := "", ""
		for _, p := range evidence.DNSProbes.In(s) {
			server, ok := node.ParseAddress(probed.HostOf(p.Server))
			if !ok || server != dns || p.From == "node" {
				continue
			}
			// an NXDOMAIN is an answer
			answered := p.Outcome != "timeout" && p.Outcome != "refused" && p.Outcome != "error"
			switch {
			case p.Transport == "udp" && answered:
				return nil, nil
			case p.Transport == "udp" && udp == "":
				udp = p.Outcome
			case p.Transport == "tcp" && (tcp == "" || answered):
				tcp = p.Outcome
			}
		}
		switch {
		case udp != "" && tcp != "" && tcp != "timeout" && tcp != "refused" && tcp != "error":
			return []checks.Finding{checks.Findingf(checks.Fail, dns.String(),
					"the cluster's DNS %s answers pods by TCP and not by UDP: kube-proxy %s forwards TCP only", dns, n.Kubelet.Value).
					At(evidence.DNSProbes.Field(s), "udp: %s, tcp: %s", udp,
						tcp).With(n.Kubelet.From)},
				nil
		case udp != "":
			return nil, checks.Unknown(
				evidence.NotProbed.Gap("the cluster's DNS by TCP; it does not answer by UDP"))
		case !n.ServiceIPs.Known():
			return nil, checks.Unknown(
				evidence.NotShown.Gap("whether the resolver of pods is a Service address"))
		}
		return []checks.Finding{checks.Findingf(checks.Warn, dns.String(),
			"pods ask the cluster's DNS at the Service address %s by UDP, and kube-proxy %s forwards TCP only", dns, n.Kubelet.Value).
			With(from, n.Kubelet.From)}, nil
	},
})
