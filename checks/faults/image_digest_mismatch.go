package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "image-digest-mismatch",
	Title:    "Image layer digest does not match (damaged download)",
	Healthy:  "Image layers match their digests",
	Category: checks.CategoryImages,
	Doc: `containerd compares each layer with the digest in the manifest. If a proxy or load
balancer closes the connection early, or a program that inspects traffic changes the data, the
digest differs and the pull fails with "unexpected commit digest". Windows layers of several
gigabytes meet time limits of proxies that Linux layers never reach. A digest that begins with
e3b0c442 means that nothing arrived. The next attempt starts from zero and can fail in the same way.

The check looks for this error at pods that wait for their image and in the logs of the kubelet and
containerd.`,
	Fix: checks.Steps(
		checks.Inspect("{pull} IMAGE",
			"Pull the image by hand, and watch at which time or size it ends."),
		checks.Do("Raise the time limit of the proxy or load balancer between the node and the registry, and exclude the registry from inspection. Or use a registry near the cluster."),
		checks.Run(`Stop-Service kubelet, containerd; Remove-Item -Recurse C:\ProgramData\containerd\root\io.containerd.content.v1.content\ingest\*; Start-Service containerd, kubelet`,
			"If the same digest returns each time, remove the unfinished downloads.").
			Costs("No pod starts or stops until the services run again."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/containerd/containerd/issues/3974",
		"https://github.com/containerd/containerd/issues/4908",
		"https://github.com/rancher/rancher/issues/31180",
		"https://github.com/kubernetes/node-problem-detector/pull/550",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    imageDigestMismatchSigns,
	Run:      complain(imageDigestMismatchSigns),
})

var imageDigestMismatchSigns = []checks.Sign{
	{Text: "unexpected commit digest", Also: []string{"failed commit on ref"},
		Says: "an image layer does not have its digest: the download was cut or changed on the way"},
	// containerd, content/local/writer.go and metadata/content.go: containerd 2306
	{Text: "failed size validation", Also: []string{"failed commit on ref"},
		Says: "an image layer does not have its size: the download was cut, or an unfinished one is left"},
	// containerd, rootfs/apply.go and core/unpack: the layer was stored, and does not unpack to what the image says
	// (node-problem-detector pull request 550)
	{Text: "wrong diff id calculated on extraction",
		Says: "an image layer on the node is damaged", Fix: checks.Steps(
			checks.Run("crictl rmi IMAGE", "Remove the image from the node, so that it is pulled again.").
				Costs("Containers of the image must be stopped first."),
			checks.Do("If the new pull gives the same error, build and push the image again."),
			checks.Verify("{pull} IMAGE", "the pull succeeds"))},
	// docker, distribution/pull_v2.go: docker for-win 2582
	{Text: "filesystem layer verification failed for digest",
		Says: "an image layer does not have its digest: the download was cut or changed on the way"},
}
