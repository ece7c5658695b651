package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "admission-policy-denies-pods",
	Title:    "Admission policy refuses the pods of a workload",
	Healthy:  "Admission policies allow the pods",
	Category: checks.CategorySecurity,
	Doc: `Policies of Kyverno, Gatekeeper, Azure Policy and others, and ValidatingAdmissionPolicies, refuse pods
that break a rule. Many are written for Linux: network agents, CSI drivers and exporters for Windows
are HostProcess pods on the network of the host that run as a user of Windows, and have no
runAsNonRoot or seccompProfile. The workload is there, and none of its pods is created.

The check looks for the refusal among the events of the controllers. It is a failure if a DaemonSet
for Windows has no pod on this node, and a warning for a workload that has pods on it.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get events -A --field-selector reason=FailedCreate",
			"Read which policy refuses the pod, and which rule."),
		checks.Do("If the rule is right, set in the pod template what it requires."),
		checks.Do("If it is a rule for Linux or for applications, exclude the namespace of the node agents from it, or pods with kubernetes.io/os: windows.").
			Costs("The rule does not protect the excluded pods."),
		checks.Verify("kubectl get pods -n NAMESPACE -o wide", "the pods of the DaemonSet are Running")),
	Links: []string{
		"https://github.com/Azure/AKS/issues/4225",
		"https://github.com/IBM/trusted-service-identity/issues/38",
		"https://kyverno.io/policies/",
		"https://open-policy-agent.github.io/gatekeeper/website/docs/exempt-namespaces/",
		"https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/",
	},
	Breaks: []*checks.Effect{},
	Needs:  []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("other"))},
	Uses:   notAdmittedUses,
	Signs:  admissionDeniedSigns,
	Run:    notAdmitted(admissionDeniedSigns, 0),
})

// staging/src/k8s.io/apiserver: pkg/admission/plugin/webhook/errors/statuserror.go, and for the second
// pkg/admission/plugin/policy/validating/dispatcher.go
var admissionDeniedSigns = []checks.Sign{
	{Text: `admission webhook "`, Also: []string{creatingRefused, `" denied the request`}, Not: []string{gmsaWebhook},
		In: refusalSources, Level: checks.Warn, Until: []string{"SuccessfulCreate"},
		Says: "a policy behind an admission webhook denies its pods"},
	{Text: "ValidatingAdmissionPolicy '", Also: []string{creatingRefused, "' denied request"},
		In: refusalSources, Level: checks.Warn, Until: []string{"SuccessfulCreate"},
		Says: "a ValidatingAdmissionPolicy denies its pods"},
}
