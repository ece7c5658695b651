package faults

import (
	"net/netip"
	"regexp"
	"slices"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

// refusedServing is what the kubelet logs of a client that does not accept its serving certificate: net/http
// and crypto/tls of Go. Any client can do so, and metrics-server does if the kubelet signed the certificate itself.
var refusedServing = regexp.MustCompile(`http: TLS handshake error from (\S+): remote error: tls: `)

var _ = register(&checks.Check{
	ID:       "kubelet-serving-cert-no-address",
	Title:    "kubelet's serving certificate has no address of the node",
	Healthy:  "kubelet's serving certificate has the node's address",
	Category: checks.CategorySecurity,
	Doc: `kubectl logs, exec and port-forward go through the API server to the kubelet, and the API server
verifies the serving certificate of the kubelet. If the certificate has no entry for the address
of the node, the call fails for the pods of this node only. It was made without the address, or
the address changed.

The check looks for the error of the API server in texts that quote it. If the log of the kubelet
shows within the last hour that a client refuses the certificate again and again, it warns if the client
has the address of an API server.`,
	Fix: checks.Steps(
		checks.Edit(`C:\var\lib\kubelet\config.yaml`,
			"Set serverTLSBootstrap: true, so that the kubelet requests a certificate with the addresses of the node."),
		checks.Run("{restart kubelet}",
			"Restart the kubelet.").
			Costs("Running containers are not affected."),
		checks.Run("kubectl certificate approve CSR",
			"Approve the request of the node (signer kubernetes.io/kubelet-serving)."),
		checks.Verify("kubectl get --raw /api/v1/nodes/{node}/proxy/healthz", "ok")),
	Links: []string{
		"https://github.com/projectcalico/calico/issues/9683",
		"https://github.com/kubernetes/kubernetes/issues/100098",
		"https://github.com/kelseyhightower/kubernetes-the-hard-way/issues/146",
		"https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/kubeadm-certs/#kubelet-serving-certs",
	},
	Breaks: []*checks.Effect{},
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("kubelet"), evidence.Logs("other"))},
	Uses:   []evidence.Need{evidence.EndpointSlices},
	Signs: []checks.Sign{
		{Text: "because it doesn't contain any IP SANs",
			Also: []string{"10250"},
			Says: "the API server refuses the kubelet's certificate: it does not have the address of the node"},
		{Text: "error dialing backend: x509: cannot validate certificate for ",
			Also: []string{"because it doesn't contain any IP SANs"},
			Says: "the API server refuses the kubelet's certificate: it does not have the address of the node"},
		{Text: "x509: certificate is valid for ",
			Also: []string{":10250/", ", not "},
			Says: "the API server refuses the kubelet's certificate: it does not have the address of the node"},
		{Text: "http: TLS handshake error from", Also: []string{"remote error: tls: bad certificate"}, In: []string{"kubelet"},
			ConfirmOnly: true},
		{Text: "http: TLS handshake error from", Also: []string{"remote error: tls: unknown certificate authority"},
			In: []string{"kubelet"}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		servers, said := apiEndpoints(s), false
		for _, m := range s.Signs("kubelet-serving-cert-no-address") {
			refused := refusedServing.MatchString(m.Found)
			if refused && (m.Over != "" || m.More < 2 || s.Now().Sub(m.Last) > time.Hour) {
				continue
			}
			said = true
			for _, line := range []string{m.Found, m.Tail} { // its first client and its last
				found := refusedServing.FindStringSubmatch(line)
				if found == nil {
					continue
				}
				client, err := netip.ParseAddrPort(found[1])
				if err == nil && slices.ContainsFunc(servers, func(server netip.AddrPort) bool { return server.Addr() == client.Addr() }) {
					return []*checks.Finding{checks.Findingf(checks.Warn, client.Addr().String(),
						"the API server at %s refuses the kubelet's certificate", client.Addr()).With(checks.Quote(m))}, nil
				}
			}
		}
		if !said {
			return nil, nil
		}
		return nil, checks.Unknown(evidence.NotShown.Gap("whether the API server accepts the certificate of the kubelet"))
	},
})
