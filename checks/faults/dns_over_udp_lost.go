package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(checks.Check{
	ID:       "dns-over-udp-lost",
	Title:    "a DNS server answers over TCP and not over UDP",
	Category: checks.CategoryDNS,
	FAQ:      []int{13},
	Doc: `Programs ask by UDP and turn to TCP only where an answer does not fit. Where a server
answers over TCP and every datagram to it gets lost, names do not resolve although the server is
well and a test over TCP says so.

As a rule the load balancer of HNS for the UDP port of the Service is missing or stale while the one
for TCP is there (kube-proxy makes one for each), the VFP drops the datagrams, or a firewall or
network policy lets only TCP pass. Each question was asked several times before it was called lost.

A server of the node alone, which pods do not ask, is a warning.`,
	Fix: checks.Steps(
		checks.Inspect("hnsdiag list loadbalancers", ""),
		checks.Run("Get-HnsPolicyList | ConvertTo-Json -Depth 10",
			"compare the load balancers for port 53 of {clusterDNS}: there must be one for UDP (protocol 17) beside the one for TCP (6); restart kube-proxy where it is missing, else look for firewall rules and network policies that name UDP").
			Costs("restarting kube-proxy breaks connections to Services for some seconds"),
		checks.Inspect(
			"Resolve-DnsName kubernetes.default.svc.cluster.local. -Server {clusterDNS} -TcpOnly",
			""),
		checks.Run("{restart kube-proxy}", "")),
	Links: []string{
		"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://kubernetes.io/docs/tasks/administer-cluster/dns-debugging-resolution/",
		"https://www.rfc-editor.org/rfc/rfc7766",
	},
	Breaks: []*checks.Effect{effectDNSNames},
	Shows:  []*checks.Effect{effectDNSOverUDP},
	Needs:  []evidence.Need{evidence.DNSProbes},
	Uses:   node.DNSSources,
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		roles := rolesOfDNSServers(node.About(s), s)
		var findings []checks.Finding
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
					"the cluster's DNS %s answers %s over TCP and not over UDP (%s)",
					probed.HostOf(t.Server), asker(t.From),
					t.UDP.Lost[0].Outcome).With(t.Quotes()...))
			default:
				findings = append(findings, checks.Findingf(checks.Warn, t.Server,
					"the DNS server %s answers %s over TCP and not over UDP (%s)",
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

// asker is who asked, as a sentence names it.
func asker(from string) evidence.Phrase {
	if from == "node" {
		return evidence.Phrasef("the node")
	}
	return verbatim(from)
}
