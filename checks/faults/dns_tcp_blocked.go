package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
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

The check looks for such a query over TCP that timed out in the log of CoreDNS.`,
	Fix: checks.Steps(
		checks.Inspect("Test-NetConnection DNS-SERVER -Port 53",
			"Test TCP port 53 of the DNS server of the domain from the node of CoreDNS."),
		checks.Do("Allow TCP port 53, not only UDP, from the nodes and pods to the DNS servers of the domain: in network security groups, firewalls and network policies."),
		checks.Verify("kubectl exec POD -n NAMESPACE -- nltest /dsgetdc:DOMAIN", "The command completed successfully")),
	Links: []string{
		"https://learn.microsoft.com/en-us/azure/aks/use-group-managed-service-accounts",
		"https://www.rfc-editor.org/rfc/rfc7766",
	},
	Breaks: []*checks.Effect{effectDNSNames},
	Needs:  []evidence.Need{evidence.Logs("pods")},
	Signs: []checks.Sign{
		// plugin/errors prints the name, the type and what the forward plugin returned
		{Text: "plugin/errors: ", Also: []string{"_ldap._tcp", " tcp ", ":53: i/o timeout"},
			// plugin/log prints the buffer of a query over TCP as 65535 (request.Size)
			Until: []string{`_ldap._tcp … 65535" NOERROR`},
			Says:  "CoreDNS gets no answer over TCP when it looks for domain controllers"},
	},
})
