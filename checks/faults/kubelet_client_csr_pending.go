package faults

import (
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "kubelet-client-csr-pending",
	Title:    "Certificate request of the kubelet is not approved",
	Healthy:  "Certificate requests of the kubelet are approved",
	Category: checks.CategorySecurity,
	Doc: `The kubelet requests its client certificate with a CertificateSigningRequest. The controller manager
approves it if the bootstrap token has the role for it (kubeadm sets this up). On OpenShift the Windows
Machine Config Operator or a person approves it. A request that is pending or denied leaves a new node out of
the cluster, and a node of the cluster is lost when its certificate ends.

The check looks for requests that were not signed in the log of the kubelet, and for a kubelet that exits
after it waited, on a machine without the certificate of a node. If the certificate that the
kubelet keeps is newer than the message, it is history; if that certificate is still valid, it is a warning.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get csr --field-selector spec.signerName=kubernetes.io/kube-apiserver-client-kubelet",
			"Find the requests of this node: Pending, Denied, or Approved and not issued."),
		checks.Run("kubectl certificate approve CSR", "Approve the request, if it is of this node.").
			Costs("The requester joins the cluster: make sure that it is this node."),
		checks.Do("If all requests wait, restore what approves them: the role bindings to system:certificates.k8s.io:certificatesigningrequests:nodeclient and selfnodeclient, and the controller manager. If the request is Approved and not issued, check the CA key of the controller manager."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/#approval",
		"https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers",
		"https://github.com/kubernetes/kubernetes/issues/73952",
		"https://github.com/openshift/windows-machine-config-operator/pull/4551",
	},
	Breaks:   []*checks.Effect{effectNodeReports},
	Explains: append([]string{"kubelet-credentials-refused", "cert-expired-or-clock-skew"}, podsOfTheNode...),
	Needs:    []evidence.Need{evidence.Any(evidence.Logs("kubelet"), evidence.WindowsEvents, evidence.Logs("other"))},
	Uses:     []evidence.Need{evidence.Certificates, evidence.Node, evidence.ConfigMaps, evidence.Adapters},
	Signs: []checks.Sign{
		// client-go util/certificate, with the name of the manager since 1.21, and from 1.34 on in fields
		{Text: clientKubelet + ": certificate request was not signed", Also: []string{"is denied, reason"},
			Until: clientIssued, Says: csrDenied},
		{Text: `"Certificate request was not signed"`, Also: []string{clientKubelet, "is denied, reason"},
			Until: clientIssued, Says: csrDenied},
		{Text: clientKubelet + ": certificate request was not signed",
			Or:    []string{clientKubelet + ": Reached backoff limit, still unable to rotate certs"},
			Not:   []string{"is denied, reason"},
			Until: clientIssued, Says: csrPending},
		{Text: `"Certificate request was not signed"`,
			Or:    []string{`"Reached backoff limit, still unable to rotate certs"`},
			Also:  []string{clientKubelet},
			Not:   []string{"is denied, reason"},
			Until: clientIssued, Says: csrPending},
		// a kubelet that does not renew its certificate waits for the first one, and exits
		{Text: "failed to run Kubelet: certificate signing request is denied", Until: nodeRegistered, Says: csrDenied},
		{Text: waitedForCSR, ConfirmOnly: true},
		// one that renews it exits some minutes later; the API server may have refused the request, too
		{Text: "No valid client certificate is found and the server is responsive", ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		for _, m := range liveSigns(s, "kubelet-client-csr-pending") {
			c, ok := clientCertificate(s)
			if !ok {
				return nil, checks.Unknown(evidence.NotShown.Gap("the client certificate of the kubelet"))
			}
			if c.NotBefore.After(m.Last) && !m.Last.IsZero() {
				continue // it was approved since
			}
			level, format := checks.Warn, "the request of the kubelet for a new client certificate is not approved: the node is lost on %s"
			if s.Now().After(c.NotAfter.Time) {
				level, format = checks.Fail, "the request of the kubelet for a new client certificate is not approved: the old one expired on %s"
			}
			f := checks.Findingf(level, c.Path, format, c.NotAfter.UTC().Format(time.DateOnly)).
				At(c.Field("notAfter"), "%s is valid until %s", c.Path, c.NotAfter.UTC().Format(time.DateOnly)).
				With(checks.Quote(m))
			f.Basis = checks.ByBoth
			return []*checks.Finding{f}, nil
		}
		findings := firstNotIssued(s)
		if _, kept := clientCertificate(s); len(findings) == 0 && !kept {
			if gap := evidence.Logs("kubelet").Gap(s); gap.Kind != "" {
				return nil, checks.Unknown(gap)
			}
		}
		return findings, nil
	},
})

// waitedForCSR is how a kubelet exits that waited for its first certificate. It may wait for other things.
const waitedForCSR = "failed to run Kubelet: timed out waiting for the condition"

// firstNotIssued finds a kubelet that waited in vain on a machine without the certificate of a node.
func firstNotIssued(s evidence.Snapshot) []*checks.Finding {
	at := slices.IndexFunc(s.Signs("kubelet-client-csr-pending"), func(m evidence.SignMatch) bool {
		return m.Text == waitedForCSR && m.Over == ""
	})
	_, kept := clientCertificate(s)
	if at < 0 || kept || evidence.Certificates.Gap(s).Kind != "" || hasNodeCertificate(s) {
		return nil
	}
	f := checks.Findingf(checks.Fail, "", "the kubelet waits for its first client certificate until it exits: its request is not approved").
		With(checks.Quote(s.Signs("kubelet-client-csr-pending")[at]))
	f.Basis = checks.ByBoth
	for _, cm := range evidence.ConfigMaps.In(s) {
		for _, a := range evidence.Adapters.In(s) {
			for _, address := range a.Addresses {
				address, _, _ = strings.Cut(address, "/")
				if _, named := cm.Data[address]; named && cm.Metadata.Name == "windows-instances" {
					f = f.At(cm.Field("data", address), "windows-instances names this machine by its address %s", address).Cure(pointerFix)
				}
			}
		}
	}
	return []*checks.Finding{f}
}

// pointerFix is for an instance of the Windows Machine Config Operator that is named by its address.
var pointerFix = checks.Steps(
	checks.Inspect("Resolve-DnsName ADDRESS",
		"Look up the address of the instance (reverse lookup): the operator approves a request only if the answer is the host name."),
	checks.Do("Create a PTR record that maps the address of the instance to its host name. Or name the instance by its DNS name in the ConfigMap windows-instances."),
	checks.Inspect("oc logs -n openshift-windows-machine-config-operator deployment/windows-machine-config-operator",
		"If the record exists, read why the operator does not approve the request."),
	checks.Verify("kubectl get csr", "the requests of the node are Approved,Issued"))

const (
	// clientKubelet is the signer of client certificates of kubelets.
	clientKubelet = "kube-apiserver-client-kubelet"
	csrPending    = "the request of the kubelet for its client certificate is not approved"
	csrDenied     = "the request of the kubelet for its client certificate is denied"
)

// clientIssued are the words of the manager once it has a certificate. Those on a rotation are of the serving
// certificate, too.
var clientIssued = append([]string{clientKubelet + ": Certificate expiration is",
	clientKubelet + ": Certificate rotation deadline"}, nodeRegistered...)

// clientCertificate is the newest of the client certificates that the kubelet keeps.
func clientCertificate(s evidence.Snapshot) (newest evidence.Certificate, found bool) {
	for _, c := range evidence.Certificates.In(s) {
		if strings.Contains(strings.ToLower(c.Path), "kubelet-client-current") &&
			(!found || c.NotAfter.After(newest.NotAfter.Time)) {
			newest, found = c, true
		}
	}
	return newest, found
}
