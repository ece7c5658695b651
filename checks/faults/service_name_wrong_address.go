package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "service-name-wrong-address",
	Title:    "Service name resolves to a wrong address",
	Healthy:  "Service names resolve to their cluster IPs",
	Category: checks.CategoryDNS,
	Doc: `The cluster DNS answers the name of a Service with its cluster IP. Another answer comes from a
server outside of the cluster with a wildcard record for a search domain, from a stale cache, from
an entry in the hosts file, or from a DNS server of another cluster. Connections then end at the
wrong host.

The check compares the answers of probes for names of Services with the list of Services. Headless
and ExternalName Services have other answers and are left out, and so are names that no Service of
the list has.`,
	Fix: checks.Steps(
		checks.Inspect("Resolve-DnsName NAME -Server {clusterDNS}",
			"Query the cluster DNS, and compare the answer with that of other servers."),
		checks.Do("Correct the server or the record that answers first. Delete the entry of a hosts file."),
		checks.Run("Clear-DnsClientCache", "Clear the cache of the node."),
		checks.Verify("nslookup kubernetes.default.svc.cluster.local", "the cluster IP")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/"},
	Shows: []*checks.Effect{effectDNSNames},
	Needs: []evidence.Need{evidence.DNSProbes, evidence.KubeServices},
	Uses:  node.DNSSources,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		domain := cmp.Or(node.About(s).ClusterDomain(s), "cluster.local")
		looked := false
		var findings []*checks.Finding
		for _, p := range evidence.DNSProbes.In(s) {
			if p.Outcome != "ok" || p.Type != "A" && p.Type != "AAAA" {
				continue
			}
			for _, svc := range evidence.KubeServices.In(s) {
				ips := node.ParseAddresses(svc.ClusterIPs()...)
				if len(ips) == 0 || svc.Spec.Type == "ExternalName" || !asksFor(p, svc, domain) {
					continue
				}
				looked = true
				answers := node.ParseAddresses(p.Answers...)
				if !slices.ContainsFunc(answers, func(a node.Address) bool {
					return slices.Contains(ips, a)
				}) {
					answer := evidence.Phrasef("no address")
					if len(answers) > 0 {
						answer = someOf(answers)
					}
					findings = append(findings, checks.Findingf(checks.Warn, svc.FullName(),
						"%s resolves to %s, but the Service %s has %s", p.Name, answer,
						svc.FullName(), ips[0]).
						At(p.Field("answers"), "%s asked %s", p.From, p.Server).
						At(svc.Field("spec", "clusterIP"), "clusterIP is %s", ips[0]))
				}
			}
		}
		if !looked {
			return nil, checks.Unknown(evidence.NotShown.Gap(
				"an answer for the name of a Service"))
		}
		return findings, nil
	},
})

// asksFor tells whether the name that decided the probe is that of the Service.
func asksFor(p evidence.DNSProbe, svc evidence.KubeService, domain string) bool {
	name := svc.Metadata.Name + "." + svc.Metadata.Namespace + ".svc." + domain
	asked := p.Decided
	if asked == "" && len(p.Sent) > 0 {
		asked = p.Sent[len(p.Sent)-1]
	}
	return strings.EqualFold(strings.TrimSuffix(asked, "."), name)
}
