package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "pod-config-object-missing",
	Title:    "Pod names a ConfigMap or Secret that does not exist",
	Healthy:  "ConfigMaps and Secrets that pods name exist",
	Category: checks.CategoryWorkloads,
	Doc: `A pod waits until each ConfigMap and Secret that it mounts or reads into its environment exists,
unless the reference is optional. The name is misspelled, the object is in another namespace, or
the release that creates it failed.

The check looks for the answer of the kubelet at pods that do not start. It never reads Secrets.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get configmaps -n NAMESPACE; kubectl get secrets -n NAMESPACE",
			"Compare the names with those in the pod template."),
		checks.Do("Create the object, or correct the name in the pod template."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://kubernetes.io/docs/tasks/configure-pod-container/configure-pod-configmap/#restrictions",
		"https://kubernetes.io/docs/tasks/debug/debug-application/debug-pods/",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    podConfigObjectMissingSigns,
	Run:      complain(podConfigObjectMissingSigns),
})

var podConfigObjectMissingSigns = []checks.Sign{
	{Text: `configmap "`,
		Or:   []string{`secret "`},
		Also: []string{`" not found`},
		Not:  []string{"kube-root-ca.crt", "pull secret"},
		Says: "a ConfigMap or Secret that the pod names does not exist"},
}
