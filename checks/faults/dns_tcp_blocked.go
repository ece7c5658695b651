package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/probed"
)

var _ = register(&checks.Check{
	ID:       "dns-tcp-blocked",
	Title:    "CoreDNS gets no answer over TCP from the DNS server of the domain",
	Healthy:  "CoreDNS gets answers over TCP from the DNS server of the domain",
	Category: checks.CategoryDNS,
	Doc: `The list of domain controllers (_ldap._tcp.dc._msdcs.DOMAIN) is often larger than a UDP answer may be.
The server then cuts the answer, and CoreDNS asks again over TCP. If TCP port 53 between the pod of
CoreDNS and the DNS server of the domain is blocked, that query times out: short names still resolve, and pods find
no domain controller, so that a gMSA does not work.

The check looks for such a query over TCP that timed out, in the log of CoreDNS and in the DNS probes: the answer
over UDP is cut, and over TCP none comes for the same name. A server that answers no query over TCP at all
to a pod is another fault.`,
	Fix: checks.Steps(
		checks.Inspect("Test-NetConnection DNS-SERVER -Port 53",
			"Test TCP port 53 of the DNS server of the domain from the node of CoreDNS."),
		checks.Do("Allow TCP port 53, not only UDP, from the nodes and pods to the DNS servers of the domain: in network security groups, firewalls and network policies."),
		checks.Verify("kubectl exec POD -n NAMESPACE -- nltest /dsgetdc:DOMAIN", "The command completed successfully")),
	Links: []string{
		"https://learn.microsoft.com/en-us/azure/aks/use-group-managed-service-accounts",
		"https://www.rfc-editor.org/rfc/rfc7766",
	},
	Breaks:   []*checks.Effect{effectDNSNames},
	Explains: []string{"gmsa-not-working"},
	Needs:    []evidence.Need{evidence.Any(evidence.Logs("pods"), evidence.DNSProbes)},
	Uses:     []evidence.Need{evidence.DNSProbes},
	Signs: []checks.Sign{
		// plugin/errors prints the name, the type and what the forward plugin returned
		{Text: "plugin/errors: ", Also: []string{"_ldap._tcp", " tcp ", ":53: i/o timeout"},
			// plugin/log prints the buffer of a query over TCP as 65535 (request.Size)
			Until: []string{`_ldap._tcp … 65535" NOERROR`},
			Says:  "CoreDNS gets no answer over TCP when it looks for domain controllers"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if f := cutAndLost(s); f != nil {
			return []*checks.Finding{f}, nil
		}
		// A probe of other names says nothing of this one, and the log of a pod acquits nobody.
		return nil, checks.Unknown(checks.Heard(s, evidence.Logs("pods")))
	},
})

// cutAndLost finds a name that the UDP answer of a server cuts, and whose answer over TCP does not come.
func cutAndLost(s evidence.Snapshot) *checks.Finding {
	list := evidence.DNSProbes.In(s)
	for _, udp := range list {
		if udp.Transport != "udp" || udp.Outcome != "truncated" || probed.IsClusterName(probed.PlainName(udp.Name)) {
			continue
		}
		var lost *evidence.DNSProbe
		answered := false // over TCP, whatever the name: CoreDNS itself is reached
		for i, tcp := range list {
			if tcp.Transport != "tcp" || tcp.From != udp.From || tcp.Server != udp.Server {
				continue
			}
			if tcp.Name == udp.Name && tcp.Type == udp.Type && tcp.Lost() {
				lost = &list[i]
			}
			answered = answered || tcp.Answered()
		}
		if lost == nil || udp.From != "node" && !answered || udp.From == "node" && answered {
			continue
		}
		return checks.Findingf(checks.Fail, udp.Name, "the answer for %s is cut over UDP, and over TCP %s does not send it to %s",
			udp.Name, udp.Server, udp.From).
			With(probed.DNSBecause(udp), probed.DNSBecause(*lost))
	}
	return nil
}
