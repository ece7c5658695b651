package faults

import "doctor/checks"

var _ = register(&checks.Check{
	ID:       "image-layer-format-unknown",
	Title:    "Windows of the node does not know the format of an image layer",
	Healthy:  "Windows knows the format of the image layers",
	Category: checks.CategoryImages,
	Doc: `Windows prepares the layers of an image before it starts a container. If it does not know their format,
it answers with 0xC0370112 and starts no container of this image. Reported reasons are an image that is
built for another release than the one of the host (ltsc2025 on Windows 11 25H2), and an update of
Windows or of the container runtime after which images of before are refused.

The check looks for this error at pods that do not start and in the logs of the runtime and the kubelet.`,
	Fix: checks.Steps(
		checks.Inspect("cmd /c ver; docker version", "Read the build of Windows and the release of the runtime."),
		checks.Do("Use a tag of the image that is built for this release of Windows. ltsc2022 also runs on newer hosts."),
		checks.Do("If it worked before an update, pull the image again. If that is not enough, install the newest update of Windows and of the runtime."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://github.com/docker/for-win/issues/14984",
		"https://github.com/microsoft/hcsshim/issues/2566",
		"https://github.com/microsoft/navcontainerhelper/issues/3554",
	},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  complaintNeeds,
	Uses:   complaintUses,
	Signs:  imageLayerFormatSigns,
	Run:    complain(imageLayerFormatSigns),
})

var imageLayerFormatSigns = []checks.Sign{
	{Text: "The container image contains a layer with an unrecognized format", Or: []string{"0xc0370112"},
		Says: "Windows does not know the format of an image layer"},
}
