package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "image-foreign-layer",
	Title:    "Base layers of an image are not in its registry",
	Healthy:  "Images come with all their layers from their registry",
	Category: checks.CategoryImages,
	Doc: `Older base images of Windows mark their layers as foreign: the manifest names a URL of
Microsoft, and tools skip these layers when an image is pushed. A node that pulls the image from a
private registry then downloads the base layers from mcr.microsoft.com. Without a way to the
internet this fails, although the registry itself answers. Docker pushes these layers only with
allow-nondistributable-artifacts, and downloads them from Microsoft for derived images even then.

The check looks for pulls from another registry that end at a layer of mcr.microsoft.com.`,
	Fix: checks.Steps(
		checks.Inspect("docker manifest inspect REGISTRY/IMAGE:TAG",
			"Look for layers with mediaType ...foreign... and urls."),
		checks.Do("Build the image again on a current base image: those of Microsoft since 2023 have no foreign layers. Push it again.").
			Costs("The pods of the workload are recreated."),
		checks.Run("ctr -n k8s.io images push --allow-non-distributable-blobs REGISTRY/IMAGE:TAG",
			"Or push the image with its foreign layers."),
		checks.Do("Or allow the nodes to reach mcr.microsoft.com and *.data.mcr.microsoft.com."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/containerd/containerd/issues/7676",
		"https://github.com/containerd/containerd/issues/5887",
		"https://github.com/moby/moby/issues/34216",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"proxy-env-not-seen-by-runtime"},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    imageForeignLayerSigns,
	Run:      complain(imageForeignLayerSigns),
})

var imageForeignLayerSigns = []checks.Sign{
	{Text: "https://mcr.microsoft.com/v2/windows/",
		Also: []string{"blobs/sha256", "pull"}, Not: []string{`"mcr.microsoft.com/`, "error pulling image configuration", "download failed after"},
		Says: "the base layers of an image are downloaded from mcr.microsoft.com, which this node does not reach"},
}
