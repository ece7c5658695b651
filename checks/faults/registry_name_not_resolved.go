package faults

import (
	"regexp"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "registry-name-not-resolved",
	Title:    "Node cannot resolve the name of a registry",
	Healthy:  "Node resolves the names of registries",
	Category: checks.CategoryImages,
	Doc: `The runtime resolves the name of a registry with the DNS servers of the node, not with the cluster
DNS. If they do not know the name, or answer differently inside and outside (private endpoints),
no image of that registry can be pulled.

The check looks for the error at pods that wait for their image and in the logs of the kubelet and
the runtime.`,
	Fix: checks.Steps(
		checks.Inspect("Get-DnsClientServerAddress -AddressFamily IPv4",
			"Read the DNS servers of the node."),
		checks.Inspect("Resolve-DnsName REGISTRY",
			"Resolve the name of the registry on the node."),
		checks.Do("Correct the DNS servers of the network, or the zone that should have the name."),
		checks.Verify("Resolve-DnsName REGISTRY", "an address")),
	Links: []string{
		"https://learn.microsoft.com/en-us/troubleshoot/azure/azure-kubernetes/extensions/cannot-pull-image-from-acr-to-aks-cluster",
		"https://kubernetes.io/docs/concepts/containers/images/",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    registryNameNotResolvedSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		findings, err := complain(registryNameNotResolvedSigns)(s)
		for _, f := range findings {
			if m := lookedUp.FindStringSubmatch(f.Because[0].Text); m != nil {
				if len(f.Fix.Steps) == 0 {
					f.Fix = fixOf("registry-name-not-resolved")
				}
				for _, step := range f.Fix.Steps {
					step.Command = strings.Replace(step.Command, "REGISTRY", m[1], 1)
				}
			}
		}
		return findings, err
	},
})

// lookedUp is how Go names the host that it could not resolve.
var lookedUp = regexp.MustCompile(`\blookup ([a-z0-9][a-z0-9.-]*)`)

const temporaryDNSError = "getaddrinfow: This is usually a temporary error during hostname resolution"

const dnsServersSilent = "the DNS servers of the node give no answer for the name of the registry"

// dnsServersFix is for servers that are down, out of reach, or get no answer from their own.
var dnsServersFix = checks.Steps(
	checks.Inspect("Get-DnsClientServerAddress -AddressFamily IPv4", "Read the DNS servers of the node."),
	checks.Inspect("Resolve-DnsName REGISTRY -Server DNS-SERVER",
		"Ask each of them. One that times out is down, or a firewall blocks port 53 to it."),
	checks.Do("Start the DNS servers again, or the servers that they forward to, or allow port 53."),
	checks.Verify("Resolve-DnsName REGISTRY", "an address"))

var registryNameNotResolvedSigns = []checks.Sign{
	// WSATRY_AGAIN: there is no answer, in place of the answer that the name does not exist
	{Text: temporaryDNSError, Also: []string{"lookup", "/v2/"}, Not: []string{"/apis/", "trying next host"},
		Says: dnsServersSilent, Fix: dnsServersFix},
	// net/dnsclient_unix.go and the deadline of the dialer: no server answered in time
	{Text: ": i/o timeout", Also: []string{"dial tcp: lookup ", "/v2/"}, Not: []string{"/apis/", "trying next host"},
		Says: dnsServersSilent, Fix: dnsServersFix},
	{Text: "no such host", Or: unresolved,
		Also: []string{"lookup", "/v2/"}, Not: []string{"/apis/", "trying next host", temporaryDNSError},
		Says: "the node cannot resolve the name of the registry"},
	// the server that gives the token may have another name: remotes/docker/authorizer.go of containerd
	{Text: "no such host", Or: unresolved,
		Also: []string{"lookup", "failed to authorize: failed to fetch "}, Not: []string{"/v2/"},
		Says: "the node cannot resolve the name of the server that gives the token for the registry"},
	// a layer at the address to which the registry sends the client: remotes/docker/httpreadseeker.go
	{Text: "no such host", Or: unresolved,
		Also: []string{"lookup", "httpReadSeeker: failed open: failed to do request"}, Not: []string{"/v2/"},
		Says: "the node cannot resolve the name of the server with the registry's layers"},
	// event 1014 of the DNS client, which one lost query writes too
	{Text: "timed out after none of the configured DNS servers responded", ConfirmOnly: true},
}
