package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

// bindsIdentity is the label by which AAD Pod Identity finds the identity of a pod.
const bindsIdentity = "aadpodidbinding"

var _ = register(&checks.Check{
	ID:       "pod-identity-unsupported",
	Title:    "Pod on Windows relies on AAD Pod Identity",
	Healthy:  "No pod on Windows relies on AAD Pod Identity",
	Category: checks.CategoryWorkloads,
	Doc: `AAD Pod Identity gives pods tokens of Microsoft Entra ID: its node agent (NMI) listens on port 2579
of the node and redirects what pods send to 169.254.169.254. It does so with iptables and runs on Linux
nodes only. On a Windows node nothing listens there, so the Azure provider of the Secrets Store CSI
driver gets no token, and requests of pods are not redirected.

The check looks for the label aadpodidbinding at pods for Windows, and for the failed request to port 2579.`,
	Fix: checks.Steps(
		checks.Do("Give the pod its identity with Microsoft Entra Workload ID, which supports Windows.").
			Costs("The pods of the workload are recreated."),
		checks.Do("In a SecretProviderClass, set usePodIdentity to \"false\" and the clientID of the workload identity, or useVMManagedIdentity to \"true\"."),
		checks.Do("Remove the label aadpodidbinding from the pod template."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/Azure/secrets-store-csi-driver-provider-azure/issues/250",
		"https://github.com/Azure/aad-pod-identity/issues/242",
		"https://azure.github.io/aad-pod-identity/docs/",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    []evidence.Need{evidence.Pods, evidence.PodEvents},
	FromPart: []evidence.Need{evidence.Pods, evidence.PodEvents},
	Uses:     []evidence.Need{evidence.Manifests},
	Signs:    podIdentitySigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		findings, err := complain(podIdentitySigns)(s)
		for _, p := range podSpecs(s) {
			binding, bound := p.Metadata.Labels[bindsIdentity]
			if !bound || p.isManifest() || complained(findings, p.Pod) {
				continue
			}
			findings = append(findings, checks.Findingf(checks.Warn, p.Name(),
				"%s has the label aadpodidbinding: AAD Pod Identity does not run on Windows",
				p.phrase()).At(p.Field("metadata", "labels", bindsIdentity), "%s: %s: %s",
				p.FullName(), bindsIdentity, binding))
		}
		return findings, err
	},
})

// complained tells whether one of the findings is about the pod.
func complained(findings []*checks.Finding, p evidence.Pod) bool {
	for _, f := range findings {
		if f.Subject == p.FullName() {
			return true
		}
	}
	return false
}

var podIdentitySigns = []checks.Sign{
	// pkg/auth of the provider; connectex is Windows' name of the call, in every language
	{Text: "http://localhost:2579/host/token", Also: []string{"connectex"},
		Says: "the Azure provider gets no token: AAD Pod Identity does not run on Windows"},
}
