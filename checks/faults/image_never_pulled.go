package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "image-never-pulled",
	Title:    "Image is not on the node, and its pull policy is Never",
	Healthy:  "Images with pull policy Never are on the node",
	Category: checks.CategoryImages,
	Doc: `With imagePullPolicy: Never the kubelet uses only images that are on the node. Images that were
built or loaded on one node are missing on the others, and images in Docker's store are not in
containerd's (namespace k8s.io). From Kubernetes 1.35 the kubelet gives the same answer to a pod
without credentials for an image that was pulled with those of another pod.

The check looks for the answer of the kubelet at pods that do not start.`,
	Fix: checks.Steps(
		checks.Inspect("crictl images",
			"See which images the runtime of this node has."),
		checks.Run("ctr -n k8s.io images import IMAGE.tar",
			"Load the image on this node, or set imagePullPolicy: IfNotPresent and use a registry."),
		checks.Do("If the image is on the node and the kubelet is 1.35 or later, give the pod the imagePullSecret that the image was pulled with."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/containers/images/#image-pull-policy",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    imageNeverPulledSigns,
	Run:      complain(imageNeverPulledSigns),
})

var imageNeverPulledSigns = []checks.Sign{
	// The second is the reason of the container's state, which kubectl logs repeats.
	{Text: "is not present with pull policy of Never", Or: []string{"ErrImageNeverPull"},
		Says: "the node has no such image that the pod may use, and the pull policy forbids pulling it"},
}
