package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "gmsa-webhook-unavailable",
	Title:    "gMSA webhook does not answer, so pods are not created",
	Healthy:  "gMSA webhook answers",
	Category: checks.CategoryWorkloads,
	Doc: `The API server asks the admission webhook of windows-gmsa about each pod that is created, also
about pods that use no gMSA, and does not create the pod if the webhook does not answer. If the
webhook does not run, or the control plane does not reach its port, pods of system components are
missing too: after a cluster without nodes is started again, the webhook itself may wait for the
network plugin that it blocks.

The check looks for the answer of the API server in events and logs.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get pods,endpoints -A -o wide | Select-String gmsa",
			"Check whether the webhook runs, and whether its Service has endpoints."),
		checks.Do("If its container exits, read its log. With \"failed to find any PEM data\" its Secret has no certificate: store one there and restart it."),
		checks.Do("If it does not run, give it a ready Linux node. If it runs, allow the control plane to connect to its port in the firewall of the nodes."),
		checks.Do("If the webhook waits for pods that it blocks, set failurePolicy to Ignore in its MutatingWebhookConfiguration and its ValidatingWebhookConfiguration until it runs.").
			Costs("Pods with a credential spec are created without their identity meanwhile."),
		checks.Verify("kubectl get events -A --field-selector reason=FailedCreate", "no new event names the webhook")),
	Links: []string{
		"https://github.com/kubernetes-sigs/windows-gmsa/issues/113",
		"https://github.com/aws-samples/amazon-eks-gmsa/issues/6",
		"https://github.com/kubernetes-sigs/windows-gmsa/issues/25",
	},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("other"))},
	Uses:   []evidence.Need{evidence.Pods},
	Moot:   noGMSA,
	Signs: []checks.Sign{
		{Text: `failed calling webhook "admission-webhook.windows-gmsa.sigs.k8s.io"`,
			Not:   []string{"x509: "},
			Until: []string{"SuccessfulCreate"},
			Says:  "the API server gets no answer from the gMSA webhook: it creates no pods"},
	},
})
