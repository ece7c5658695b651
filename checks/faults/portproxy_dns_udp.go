package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(&checks.Check{
	ID:       "portproxy-dns-udp",
	Title:    "kube-proxy before 1.6 does not forward DNS over UDP",
	Healthy:  "kube-proxy forwards DNS over UDP",
	Category: checks.CategoryDNS,
	Doc: `The kube-proxy of Kubernetes 1.5 on Windows has netsh forward Service addresses
(interface portproxy), which supports only TCP. A pod that uses the Service address of the cluster
DNS sends its queries over UDP and gets no answer, while the same Service answers over TCP. Since
1.6 kube-proxy forwards UDP itself.

The check compares the resolver address of pods with the addresses of Services, and with the results
of probes over UDP and TCP. Without a probe it warns.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get endpoints kube-dns -n kube-system -o wide",
			"Get the addresses of the DNS pods."),
		checks.Do("Set --cluster-dns of the kubelet to the address of a DNS pod, or of a resolver outside the cluster that forwards to it.").
			Costs("Only new pods use the other resolver. The address of a pod changes when it is replaced."),
		checks.Run("{restart kubelet}", "Restart the kubelet.").
			Costs("Running containers are not affected."),
		checks.Do("Upgrade kube-proxy to 1.6 or later, then set --cluster-dns to {clusterDNS} again.")),
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
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
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
			return []*checks.Finding{checks.Findingf(checks.Fail, dns.String(),
					"cluster DNS %s answers pods over TCP, but not over UDP: kube-proxy %s forwards only TCP", dns, n.Kubelet.Value).
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
		return []*checks.Finding{checks.Findingf(checks.Warn, dns.String(),
			"pods use the Service address %s for DNS over UDP, and kube-proxy %s forwards only TCP",
			dns, n.Kubelet.Value).
			With(from, n.Kubelet.From)}, nil
	},
})
