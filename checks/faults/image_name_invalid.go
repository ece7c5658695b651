package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "image-name-invalid",
	Title:    "Image name is invalid",
	Healthy:  "Image names are valid",
	Category: checks.CategoryImages,
	Doc: `The name of an image must be in lower case, with a registry, a repository and at most one tag. A
name with capitals, a blank, https:// or a double colon is refused before anything is pulled.

The check looks for the answer of the kubelet at pods that do not start.`,
	Fix: checks.Steps(
		checks.Do("Correct the name of the image in the pod template.").
			Costs("The pods of the workload are recreated."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/containers/images/#image-names",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    imageNameInvalidSigns,
	Run:      complain(imageNameInvalidSigns),
})

var imageNameInvalidSigns = []checks.Sign{
	{Text: "couldn't parse image", Says: "the kubelet cannot parse the name of an image"},
	{Text: "Failed to apply default image tag",
		Says: "the kubelet cannot parse the name of an image"},
}
