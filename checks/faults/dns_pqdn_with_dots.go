package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(checks.Check{
	ID:       "dns-pqdn-with-dots",
	Title:    "short names with a dot do not resolve in Windows pods",
	Category: checks.CategoryDNS,
	FAQ:      []int{13},
	Doc: `A Windows pod has one DNS suffix, NAMESPACE.svc.cluster.local, and the Windows
resolver appends it only to names without a dot. So kubernetes and
kubernetes.default.svc.cluster.local resolve, while kubernetes.default and kubernetes.default.svc,
which resolve in a Linux pod, do not. That is Windows as documented.

It is a fault where the full name does not resolve either: then it is not about suffixes. nslookup
goes by rules of its own; test with Resolve-DnsName.`,
	Fix: checks.Steps(
		checks.Inspect("Resolve-DnsName kubernetes.default.svc.cluster.local.", ""),
		checks.Do("use the full name, best with a dot at its end, or the bare service name inside its own namespace; where full names fail too, look at the cluster's DNS service {clusterDNS}")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#dns-windows",
		"https://github.com/microsoft/Windows-Containers/issues/59"},
	Shows: []*checks.Effect{effectDNSNames},
	Needs: []evidence.Need{evidence.DNSProbes},
	Uses:  node.ClusterSources,
	Signs: []checks.Sign{
		{Text: "Ping request could not find host", Level: checks.Info,
			Says: "a name did not resolve on Windows; whether it is one that Linux would complete, only a probe tells"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		var probes []evidence.DNSProbe
		looked := false
		for _, p := range evidence.DNSProbes.In(s) {
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
		var findings []checks.Finding
		for _, v := range probed.JudgeNames(probes) {
			name, windows, linux := v.Name, v.Forms["windows"], v.Forms["linux"]
			switch {
			case v.Kind == probed.NameFault && probed.IsClusterName(name):
				findings = append(findings, checks.Findingf(checks.Fail, name,
					"the full name %s does not resolve in any form (%s): this is not about suffixes", name, v.Outcome).With(v.Because()...))
			case v.Kind == probed.NameByDesign && linux.Outcome == "":
				findings = append(findings, checks.Findingf(checks.Info, name,
					"%s does not resolve by the rules of Windows, which appends no suffix to a name with a dot, and the full name does: as documented", name).With(probed.DNSBecause(windows)))
			case v.Kind == probed.NameByDesign:
				findings = append(findings, checks.Findingf(checks.Info, name,
					"%s resolves by the rules of Linux and not by those of Windows, which appends no suffix to a name with a dot: as documented", name).With(probed.DNSBecause(windows), probed.DNSBecause(linux)))
			case v.Kind == probed.NameUncompleted:
				findings = append(findings, checks.Findingf(checks.Warn, name,
					"%s has no dot and resolves by the rules of Linux only: Windows should have completed it too", name).With(probed.DNSBecause(windows), probed.DNSBecause(linux)))
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
