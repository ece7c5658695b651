package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "cni-nameserver-mismatch",
	Title:    "CNI nameserver is not the cluster DNS",
	Healthy:  "CNI nameserver is the cluster DNS",
	Category: checks.CategoryDNS,
	FAQ:      []int{13},
	Doc: `On Windows the nameservers of a pod come from the CNI configuration (dns.nameservers),
unless the plugin gets them from the kubelet through the "dns" capability. They must be the address
of the cluster DNS Service. With a value left over from a template, no cluster name resolves. A pod
that got no server at all has the addresses fec0:0:0:ffff::1 to 3 of Windows, which do not answer.`,
	Fix: checks.Steps(
		checks.Edit("{cniFile}", "Set dns.nameservers to {clusterDNS}."),
		checks.Do("Correct the script or template that writes the file, too."),
		recreatePods(),
		checks.Verify(`Select-String -Path "{cniFile}" -Pattern nameservers -Context 0,3`,
			"the nameserver {clusterDNS}")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#dns-windows",
		"https://github.com/kubernetes/website/pull/10036",
		"https://github.com/ovn-kubernetes/ovn-kubernetes/issues/655"},
	Breaks:   []*checks.Effect{effectClusterDNS},
	Explains: []string{"dns-servers-disagree"},
	Needs:    []evidence.Need{node.NeedCNIFiles, node.NeedClusterDNS},
	Uses: slices.Concat([]evidence.Need{evidence.Pods, evidence.HNSEndpoints},
		node.AsFiles(node.KubeletConfigs), node.KubeletSources),
	Signs: []checks.Sign{
		// Adapters of the host may have none: only what ran in a pod counts.
		{Text: ": fec0:0:0:ffff::1", In: []string{"pod-ipconfig"},
			Says: "a pod has no DNS server: the CNI plugin set none"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		f := n.Intended()
		if f == nil || f.Config == nil {
			return nil, checks.Unknown(noConfig(f))
		}
		servers := f.Config.DNS.Nameservers
		if len(servers) == 0 {
			return nil, nil
		}
		answers := slices.Concat(n.ClusterDNS.Value, node.KubeletDNS(n, s))
		for _, a := range node.ParseAddresses(servers...) {
			// a link-local nameserver is a cache on the node
			if slices.Contains(answers, a) || a.IsLinkLocalUnicast() {
				return nil, nil
			}
		}
		level, effect := checks.Fail,
			evidence.Phrasef("names of the cluster do not resolve in pods")
		if f.Config.Capabilities["dns"] {
			level, effect = checks.Warn,
				evidence.Phrasef(
					"pods get it wherever the runtime does not pass the kubelet's own")
			if anyOf(serversOfPods(s), answers) {
				level = checks.Info
			}
		}
		return []*checks.Finding{checks.Findingf(level, f.Name,
			"dns.nameservers is %s, expected the cluster DNS %s: %s", strings.Join(servers, ", "),
			n.ClusterDNS.Value[0], effect).
			At(f.File.At(f.Config.DNS.Spot), "dns.nameservers: %s",
				strings.Join(servers, ", ")).With(n.ClusterDNS.From).
			Cure(withFirst(fixOf("cni-nameserver-mismatch"),
				checks.EditAt(s, lineFrom(f.File, f.Config.DNS.Line, servers[0]), func(line string) string {
					return strings.Replace(line, `"`+servers[0]+`"`,
						`"`+n.ClusterDNS.Value[0].String()+`"`, 1)
				}, "Set dns.nameservers to {clusterDNS}.")))}, nil
	},
})

// serversOfPods are the DNS servers that HNS gave a pod of the cluster's DNS. A runtime passes its
// setting to all plugins of a version, or to none.
func serversOfPods(s evidence.Snapshot) []node.Address {
	local := localEndpoints(s)
	for _, p := range settledPods(s) {
		ip, _ := node.ParseAddress(p.Status.PodIP)
		e, there := local[ip]
		if !there || hostPod(p) || p.Spec.DNSPolicy != "ClusterFirst" || len(e.DNS.Servers) == 0 {
			continue
		}
		return node.ParseAddresses(e.DNS.Servers...)
	}
	return nil
}

func anyOf(list, wanted []node.Address) bool {
	return slices.ContainsFunc(list, func(a node.Address) bool { return slices.Contains(wanted, a) })
}

// noConfig is the gap where there is no configuration to judge.
func noConfig(f *node.CNIFile) evidence.Gap {
	switch {
	case f == nil:
		return evidence.NotShown.Gap("a CNI configuration")
	case f.Err != nil:
		return evidence.Unreadable.Gap(f.Name, f.Err)
	}
	return f.File.Gap
}
