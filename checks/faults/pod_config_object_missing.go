package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "pod-config-object-missing",
	Title:    "Pod names a ConfigMap or Secret that does not exist",
	Healthy:  "ConfigMaps and Secrets that pods name exist",
	Category: checks.CategoryWorkloads,
	Doc: `A pod waits until each ConfigMap and Secret that it mounts or reads into its environment exists,
unless the reference is optional. The name is misspelled, the object is in another namespace, or
the release that creates it failed. A key that the object does not have stops the pod in the same way.

The check looks for the answer of the kubelet at pods that do not start. It never reads Secrets.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get configmaps -n NAMESPACE; kubectl get secrets -n NAMESPACE",
			"Compare the names with those in the pod template."),
		checks.Do("Create the object or its missing key, or correct the name in the pod template."),
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

// kubeletAnswers is where the kubelet says what a pod lacks; controllers log the same words of others.
var kubeletAnswers = []string{evidence.InPodEvents, evidence.InPods, "kubelet", "other"}

var podConfigObjectMissingSigns = []checks.Sign{
	{Text: `configmap "`,
		Or:   []string{`secret "`},
		Also: []string{`" not found`},
		Not:  []string{"kube-root-ca.crt", "pull secret"},
		Says: noConfigObject},
	// The kubelet of older releases passes on the answer of the API server, which names the kind in
	// the plural (kubernetes 80466). Drivers log such an answer when they start without an optional one.
	{Text: `Error: secrets "`, Or: []string{`Error: configmaps "`}, Also: []string{`" not found`},
		In: kubeletAnswers, Says: noConfigObject},
	{Text: `: secrets "`, Or: []string{`: secrets \"`, `: configmaps "`, `: configmaps \"`},
		Also: []string{`" not found`, "MountVolume.SetUp failed"}, Says: noConfigObject},
	// pkg/kubelet/pod_workers.go quotes the answer, since 1.19 twice
	{Text: `CreateContainerConfigError: \"secret`,
		Or: []string{`CreateContainerConfigError: \"configmap`, `CreateContainerConfigError: "secret`,
			`CreateContainerConfigError: "configmap`},
		Also: []string{`\" not found`}, Says: noConfigObject},
	// pkg/kubelet/kubelet_pods.go, and pkg/volume/configmap and pkg/volume/secret
	{Text: "couldn't find key", Also: []string{" in Secret "}, In: kubeletAnswers, Says: noConfigKey},
	{Text: "couldn't find key", Also: []string{" in ConfigMap "}, In: kubeletAnswers, Says: noConfigKey},
	{Text: "references non-existent config key", Or: []string{"references non-existent secret key"},
		Says: noConfigKey},
}

const (
	noConfigObject = "a ConfigMap or Secret that the pod names does not exist"
	noConfigKey    = "a ConfigMap or Secret does not have the key that the pod names"
)
