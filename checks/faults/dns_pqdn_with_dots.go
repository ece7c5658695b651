package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(&checks.Check{
	ID:       "dns-pqdn-with-dots",
	Title:    "Cluster names do not resolve in pods",
	Healthy:  "Short and full names resolve",
	Category: checks.CategoryDNS,
	FAQ:      []int{13},
	Doc: `A Windows pod has one DNS suffix, NAMESPACE.svc.cluster.local, and the Windows
resolver appends it only to names without a dot. So kubernetes and
kubernetes.default.svc.cluster.local resolve, while kubernetes.default and kubernetes.default.svc,
which resolve in a Linux pod, do not. This is documented for Windows.

It is a fault if the full name does not resolve either: then the suffix is not the cause. nslookup
has its own rules; test with Resolve-DnsName.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl -n kube-system logs -l k8s-app=kube-dns --tail 50",
			"If full names fail, read the errors of CoreDNS."),
		checks.Run("kubectl -n kube-system rollout restart deployment coredns",
			"If full names fail, restart CoreDNS.").
			Costs("CoreDNS is replaced pod by pod."),
		checks.Do("If only short names with a dot fail, use the full name with a dot at its end, or the plain Service name inside its own namespace."),
		checks.Verify("Resolve-DnsName kubernetes.default.svc.cluster.local.",
			"the address of the Service kubernetes")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#dns-windows",
		"https://github.com/microsoft/Windows-Containers/issues/59"},
	Shows: []*checks.Effect{effectDNSNames},
	Needs: []evidence.Need{evidence.DNSProbes},
	Uses:  slices.Concat(node.ClusterSources, podProbeSources),
	Signs: []checks.Sign{
		{Text: "Ping request could not find host", Level: checks.Info,
			Or: []string{"Ping-Anforderung konnte Host", "La requête Ping n’a pas pu trouver",
				"La requête Ping n'a pas pu trouver", "La solicitud de ping no pudo encontrar el host",
				"Ping 请求找不到主机"},
			Says: "a name did not resolve on Windows; a probe is required to find the cause"},
		// the same in each language, below the sentence: aws/containers-roadmap 606
		{Text: "DNS_ERROR_RCODE_NAME_ERROR,Microsoft.DnsClient.Commands.ResolveDnsName", Level: checks.Info,
			Says: "a name did not resolve on Windows; a probe is required to find the cause"},
		{Text: "can't find ", Also: []string{": Non-existent domain"}, In: []string{"other"}, Level: checks.Info, // nslookup
			Says: "a name did not resolve on Windows; a probe is required to find the cause"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		var probes []evidence.DNSProbe
		looked := false
		for _, p := range dnsProbes(s) {
			// The node need not know names of the cluster, unless it asked the
			// cluster's DNS and was answered; what was not sent says nothing.
			if p.Outcome == "error" || p.From == "node" && !(p.Answered() && asksClusterDNS(n, p)) {
				continue
			}
			if probed.IsClusterName(probed.PlainName(p.Name)) {
				// with or without the dot at its end it is complete
				p.Name = probed.PlainName(p.Name)
			}
			probes = append(probes, p)
			looked = looked || p.Form == "windows" || probed.IsClusterName(p.Name)
		}
		if !looked {
			return nil, checks.Unknown(
				evidence.NotProbed.Gap("a name by the rules of Windows, at a DNS server of pods"))
		}
		var findings []*checks.Finding
		for _, v := range probed.JudgeNames(probes) {
			name, windows, linux := v.Name, v.Forms["windows"], v.Forms["linux"]
			switch {
			case v.Kind == probed.NameFault && probed.IsClusterName(name):
				findings = append(findings, checks.Findingf(checks.Fail, name,
					"the full name %s does not resolve (%s): the DNS suffix is not the cause", name,
					v.Outcome).With(v.Because()...))
			case v.Kind == probed.NameByDesign && linux.Outcome == "":
				findings = append(findings, checks.Findingf(checks.Info, name,
					"%s does not resolve, its full name does: Windows adds no suffix to names with a dot (documented)", name).With(probed.DNSBecause(windows)))
			case v.Kind == probed.NameByDesign:
				findings = append(findings, checks.Findingf(checks.Info, name,
					"%s resolves on Linux but not on Windows, which adds no suffix to names with a dot (documented)", name).With(probed.DNSBecause(windows), probed.DNSBecause(linux)))
			case v.Kind == probed.NameUncompleted:
				findings = append(findings, checks.Findingf(checks.Warn, name,
					"%s has no dot and resolves only with the rules of Linux; expected: on Windows too", name).With(probed.DNSBecause(windows), probed.DNSBecause(linux)).Cure(checks.Steps(
					checks.Edit("{cniFile}",
						"Set dns.search to the suffix of the pods, such as default.svc.cluster.local."),
					recreatePods(),
					checks.Verify("kubectl exec POD -n NAMESPACE -- nslookup kubernetes",
						"the address of the Service kubernetes"))))
			}
		}
		return findings, nil
	},
})

// asksClusterDNS tells whether a probe went to the cluster's DNS Service.
func asksClusterDNS(n *node.Node, p evidence.DNSProbe) bool {
	a, ok := node.ParseAddress(probed.HostOf(p.Server))
	return ok && slices.Contains(n.ClusterDNS.Value, a)
}
