package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "runtime-class-missing",
	Title:    "Pod names a RuntimeClass that does not exist",
	Healthy:  "RuntimeClasses that pods name exist",
	Category: checks.CategoryWorkloads,
	Doc: `runtimeClassName of a pod must be the name of a RuntimeClass of the cluster. Charts for Windows
use names such as runhcs-wcow-process or windows-2022, which somebody has to create. The API
server refuses the pod, or the kubelet does if the class was deleted later.

The check looks for the answer of the API server and of the kubelet.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get runtimeclass",
			"Compare the names with the one that the pod template uses."),
		checks.Do("Create the RuntimeClass with the handler of containerd, or leave runtimeClassName out.").
			Costs("The pods of the workload are recreated."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/containers/runtime-class/",
		"https://github.com/containerd/containerd/issues/4884",
	},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("kubelet"), evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "pod rejected: RuntimeClass",
			Also: []string{"not found"},
			Says: "a RuntimeClass that a pod names does not exist"},
		{Text: "failed to get sandbox runtime: RuntimeClass",
			Also: []string{"not found"},
			Says: "a RuntimeClass that a pod names does not exist"},
		{Text: "runtimeclass.node.k8s.io",
			Also: []string{"not found"},
			Says: "a RuntimeClass that a pod names does not exist"},
	},
})
