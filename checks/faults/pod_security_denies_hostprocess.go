package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "pod-security-denies-hostprocess",
	Title:    "Pod Security admission denies HostProcess pods",
	Healthy:  "Pod Security admission allows the pods",
	Category: checks.CategorySecurity,
	Doc: `Namespaces with the Pod Security level baseline or restricted refuse pods with hostProcess or
hostNetwork. Network agents, CSI drivers and exporters for Windows are such pods. The DaemonSet is
there, and none of its pods is created.

The check looks for the event of the controller.`,
	Fix: checks.Steps(
		checks.Run("kubectl label namespace NAMESPACE pod-security.kubernetes.io/enforce=privileged --overwrite",
			"If only such agents run in the namespace, allow privileged pods there."),
		checks.Do("Or install the agent in a namespace of its own."),
		checks.Verify("kubectl get pods -n NAMESPACE -o wide", "the pods of the DaemonSet are Running")),
	Links: []string{
		"https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/",
		"https://kubernetes.io/docs/concepts/security/pod-security-standards/",
	},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "violates PodSecurity",
			Also: []string{"hostProcess"},
			Says: "Pod Security admission refuses a HostProcess pod"},
	},
})
