package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(&checks.Check{
	ID:       "dns-over-udp-lost",
	Title:    "DNS server answers over TCP but not over UDP",
	Healthy:  "DNS servers answer over UDP",
	Category: checks.CategoryDNS,
	FAQ:      []int{13},
	Doc: `Programs send DNS queries over UDP and use TCP only if an answer is too large. If a
server answers over TCP but all UDP datagrams are lost, names do not resolve, although the server
works and a test over TCP passes.

Usual causes: the HNS load balancer for the UDP port of the Service is missing or stale while the
one for TCP exists (kube-proxy creates one for each), VFP drops the datagrams, or a firewall, a
network security group between subnets, or a network policy allows only TCP. Each query is repeated several times before it counts as lost.

For a server that only the node uses, the check warns.`,
	Fix: checks.Steps(
		checks.Inspect("hnsdiag list loadbalancers",
			"Check port 53 of {clusterDNS}: HNS needs one load balancer for UDP (17) and one for TCP (6)."),
		checks.Run("{restart kube-proxy}",
			"Restart kube-proxy: it creates all load balancers again.").
			Costs("Connections to Services break for a few seconds."),
		checks.Do("If UDP is still lost, or also from the address of a CoreDNS pod, allow UDP port 53 in the firewall, the network security groups between the subnets, and the network policies."),
		checks.Verify("Resolve-DnsName kubernetes.default.svc.cluster.local. -Server {clusterDNS}",
			"the address of the Service kubernetes")),
	Links: []string{
		"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://kubernetes.io/docs/tasks/administer-cluster/dns-debugging-resolution/",
		"https://www.rfc-editor.org/rfc/rfc7766",
		"https://learn.microsoft.com/en-us/troubleshoot/azure/azure-kubernetes/connectivity/traffic-between-node-pools-is-blocked",
	},
	Breaks: []*checks.Effect{effectDNSNames},
	Shows:  []*checks.Effect{effectDNSOverUDP},
	Needs:  []evidence.Need{evidence.DNSProbes},
	Uses:   node.DNSSources,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		roles := rolesOfDNSServers(node.About(s), s)
		var findings []*checks.Finding
		compared := false
		for _, t := range probed.DNSTalks(evidence.DNSProbes.In(s)) {
			if !t.UDP.Asked() || !t.TCP.Asked() {
				continue
			}
			compared = true
			switch {
			case !t.UDPLost():
			case roles.ofPods(t.Server, t.From):
				findings = append(findings, checks.Findingf(checks.Fail, t.Server,
					"cluster DNS %s answers %s over TCP, but not over UDP (%s)",
					probed.HostOf(t.Server), asker(t.From),
					t.UDP.Lost[0].Outcome).With(t.Quotes()...))
			default:
				findings = append(findings, checks.Findingf(checks.Warn, t.Server,
					"DNS server %s answers %s over TCP, but not over UDP (%s)",
					probed.HostOf(t.Server), asker(t.From),
					t.UDP.Lost[0].Outcome).With(t.Quotes()...))
			}
		}
		if !compared {
			return nil, checks.Unknown(evidence.NotProbed.Gap("a DNS server over both UDP and TCP"))
		}
		return findings, nil
	},
})

// asker is who sent the query, for a sentence.
func asker(from string) evidence.Phrase {
	if from == "node" {
		return evidence.Phrasef("the node")
	}
	return verbatim(from)
}
