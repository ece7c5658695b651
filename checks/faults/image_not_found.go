package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "image-not-found",
	Title:    "Image or tag does not exist in its registry",
	Healthy:  "Images that pods name exist in their registries",
	Category: checks.CategoryImages,
	Doc: `The registry knows no image of this name and tag: a typing error, a placeholder that a
script did not replace, or a version that was not published for Windows. Images of kube-proxy,
flannel and other agents for Windows are built apart from the release of Kubernetes, so a tag with
the newest version is often missing. Some registries answer the same for private images without
credentials.

The check looks for the answer of the registry at pods that wait for their image and in the logs of
the kubelet and the runtime.`,
	Fix: checks.Steps(
		checks.Inspect("crane ls REGISTRY/IMAGE",
			"List the tags of the image, or read them on the page of the registry."),
		checks.Do("Set a tag that exists in the pod template. For agents of sig-windows-tools, build the image yourself if the version is missing.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If the image is private, name a Secret in imagePullSecrets."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/95",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/350",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/343",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/267",
		"https://kubernetes.io/docs/concepts/containers/images/",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    imageNotFoundSigns,
	Run:      complain(imageNotFoundSigns),
})

var imageNotFoundSigns = []checks.Sign{
	// manifests of sig-windows-tools for sed; the kubelet repeats a pull without the registry's answer
	{Text: "/kube-proxy:VERSION-", Or: []string{"/kube-proxy:KUBE_PROXY_VERSION"}, Also: []string{"pulling image"},
		Says: "the tag of kube-proxy's image is the placeholder of its manifest",
		Fix: checks.Steps(
			checks.Do("Apply the manifest again, with the version of the cluster in place of the placeholder."),
			checks.Verify("kubectl get pods -n kube-system -o wide", "kube-proxy is Running"))},
	{Text: "manifest unknown", Also: []string{"pull"}, Not: []string{"failed to get runtime image "}, // rke2-runtime-image-missing
		Says: "the registry does not have the image or tag"},
	{Text: "manifest unknown", Also: []string{"not found"}, Not: []string{"pull", "failed to get runtime image ",
		"windows/servercore:latest", "windows/nanoserver:latest"}, // image-tag-latest
		Says: "the registry does not have the image or tag"},
	// distribution/errors.go of moby until 18.09
	{Text: "Error response from daemon: manifest for ", Also: []string{" not found"},
		Not:  []string{"manifest unknown"},
		Says: "the registry does not have the image or tag"},
	// what Rancher's agent pulls itself: pkg/image of system-agent
	{Text: ": failed to get image ", Also: []string{"manifest unknown"}, Not: []string{"not found", "pull"},
		Says: "the registry does not have the installer image of Rancher"},
	// containerd 2.1 and later resolve it in the transfer service: core/transfer/local/pull.go
	{Text: "failed to resolve reference", Or: []string{"failed to resolve image: "},
		Also: []string{": not found"},
		Not:  []string{"manifest unknown", "no match for platform", "dial tcp", "no such host"},
		Says: "the registry does not have the image or tag"},
}
