package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "gmsa-webhook-certificate-missing",
	Title:    "gMSA webhook has no valid certificate",
	Healthy:  "gMSA webhook has a valid certificate",
	Category: checks.CategorySecurity,
	Doc: `The admission webhook of windows-gmsa needs a certificate for TLS. Its script asks the cluster to
sign one: some clusters (EKS among them) do not sign requests of the kubernetes.io signers any
more, and after a rotation of the cluster's certificates the Secret may be empty. Without the
certificate the webhook does not start, and pods that use gMSA credential specs are refused or run
without them.

The check looks for the errors of the webhook and of its script.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get csr; kubectl describe secret -n gmsa-webhook gmsa-webhook",
			"Find whether a certificate was signed and stored."),
		checks.Do("Install the webhook with its Helm chart and cert-manager, or create a certificate for it yourself and store it in its Secret."),
		checks.Run("kubectl rollout restart deployment -n gmsa-webhook gmsa-webhook",
			"Restart the webhook.").
			Costs("Pods with credential specs are not admitted until it runs."),
		checks.Verify("kubectl get pods -n gmsa-webhook", "all pods are Running")),
	Links: []string{
		"https://github.com/kubernetes-sigs/windows-gmsa/issues/49",
		"https://github.com/kubernetes-sigs/windows-gmsa/issues/50",
		"https://github.com/kubernetes-sigs/windows-gmsa/issues/54",
		"https://github.com/Azure/AKS/issues/2658",
		"https://github.com/kubernetes-sigs/windows-gmsa/blob/master/charts/README.md",
	},
	Breaks: []*checks.Effect{},
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("gmsa-webhook"), evidence.Logs("other"))},
	Uses:   []evidence.Need{evidence.Pods},
	Moot:   noGMSA,
	Signs: []checks.Sign{
		{Text: "after approving CSR gmsa-webhook",
			Says: "the cluster signed no certificate for the gMSA webhook"},
		{Text: "windows-gmsa/admission-webhook",
			Also: []string{"failed to find any PEM data in certificate input"},
			Says: "the certificate of the gMSA webhook is empty"},
		// main.go: its own folder stands in a later line
		{Text: "panic: tls: failed to find any PEM data in certificate input", In: []string{"gmsa-webhook"},
			Until: []string{"successfully reloaded certificate"},
			Says:  "the certificate of the gMSA webhook is empty"},
		{Text: `failed calling webhook "admission-webhook.windows-gmsa.sigs.k8s.io"`,
			Also:  []string{"x509: "},
			Until: []string{"SuccessfulCreate"},
			Says:  "the API server does not trust the certificate of the gMSA webhook"},
		// cert_reloader.go: it goes on with the certificate that it has
		{Text: "error reloading certificate: ",
			Also: []string{"failed to find any PEM data in certificate input"},
			In:   []string{"gmsa-webhook", "other"}, Level: checks.Warn,
			Until: []string{"successfully reloaded certificate"},
			Says:  "the certificate of the gMSA webhook is empty"},
	},
})
