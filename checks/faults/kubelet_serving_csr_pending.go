package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "kubelet-serving-csr-pending",
	Title:    "kubelet has no serving certificate",
	Healthy:  "kubelet has a serving certificate",
	Category: checks.CategorySecurity,
	Doc: `With serverTLSBootstrap the kubelet requests its serving certificate from the cluster. Nothing in
Kubernetes approves these requests by itself. Until somebody does, kubectl logs, exec and metrics
fail for the pods of this node.

The check looks for the message in the log of the kubelet and in the answers of kubectl. A kubelet
has none for some seconds at its first start: where its serving certificate is recorded and valid,
the message is history.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get csr --field-selector spec.signerName=kubernetes.io/kubelet-serving",
			"Find the pending requests of this node."),
		checks.Run("kubectl certificate approve CSR",
			"Approve the request of the node (signer kubernetes.io/kubelet-serving)."),
		checks.Do("Install a controller that approves such requests for known nodes."),
		checks.Verify("kubectl get --raw /api/v1/nodes/{node}/proxy/healthz", "ok")),
	Links: []string{
		"https://github.com/kubernetes/kubeadm/issues/591",
		"https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/kubeadm-certs/#kubelet-serving-certs",
		"https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/#certificate-rotation",
	},
	Breaks: []*checks.Effect{},
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("kubelet"), evidence.Logs("other"))},
	Uses:   []evidence.Need{evidence.Certificates},
	Signs: []checks.Sign{
		{Text: "no serving certificate available for the kubelet",
			Level: checks.Warn,
			Until: servingIssued,
			Says:  "the kubelet refuses connections: its request for a serving certificate is not approved"},
		// client-go util/certificate, with the name of the manager since 1.21: after 15 minutes without a
		// certificate, and from 1.34 on in fields
		{Text: "kubelet-serving: certificate request was not signed",
			Or:    []string{"kubelet-serving: Reached backoff limit, still unable to rotate certs"},
			Level: checks.Warn,
			Until: servingIssued,
			Says:  "the request of the kubelet for a serving certificate is not approved"},
		{Text: `"Certificate request was not signed"`,
			Or:    []string{`"Reached backoff limit, still unable to rotate certs"`},
			Also:  []string{"kubelet-serving.UnhandledError"},
			Level: checks.Warn,
			Until: servingIssued,
			Says:  "the request of the kubelet for a serving certificate is not approved"},
		// the words of Kubernetes 1.8
		{Text: "http: TLS handshake error from", Also: []string{": no certificate available"},
			In:    []string{"kubelet"},
			Level: checks.Warn,
			Until: servingIssued,
			Says:  "the kubelet refuses connections: its request for a serving certificate is not approved"},
		// pkg/csr of the Windows Machine Config Operator: an instance of the user needs a PTR record
		{Text: "unable to find host name for instance with address",
			Also: []string{"failed to lookup DNS for IP", "no such host"},
			Says: "the Windows Machine Config Operator does not approve the node's certificate: its address has no name in DNS",
			Fix: checks.Steps(
				checks.Inspect("Resolve-DnsName ADDRESS",
					"Look up the address of the instance (reverse lookup)."),
				checks.Do("Create a PTR record that maps the address of the instance to its host name."),
				checks.Verify("kubectl get csr", "the requests of the node are Approved,Issued"))},
		// The alert of a TLS server that has no certificate (crypto/tls), from the kubelet's port.
		{Text: "error dialing backend: remote error: tls: internal error", // kubectl exec
			Level: checks.Warn,
			Says:  "the kubelet refuses connections: it has no serving certificate"},
		{Text: "remote error: tls: internal error", Also: []string{":10250/"},
			Level: checks.Warn,
			Says:  "the kubelet refuses connections: it has no serving certificate"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if len(liveSigns(s, "kubelet-serving-csr-pending")) > 0 && !hasServingCertificate(s) {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("whether the kubelet has a serving certificate"))
		}
		return nil, nil
	},
})

// servingIssued are the words of client-go's manager of certificates once it has one: at the level
// of verbosity 2, so a log without them says nothing.
var servingIssued = []string{"Certificate expiration is", "Certificate rotation deadline determined",
	"is approved, waiting to be issued"}

// hasServingCertificate tells that the certificate that the kubelet requested is there and valid. The
// kubelet.crt that it signs itself is another.
func hasServingCertificate(s evidence.Snapshot) bool {
	return slices.ContainsFunc(evidence.Certificates.In(s), func(c evidence.Certificate) bool {
		return strings.Contains(strings.ToLower(c.Path), "kubelet-server-current") &&
			!s.Now().Before(c.NotBefore.Time) && s.Now().Before(c.NotAfter.Time)
	})
}
