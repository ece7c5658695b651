package faults

import (
	"path"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "sandbox-image-missing",
	Title:    "Pause image is not on the node and cannot be pulled",
	Healthy:  "Pause image is on the node or can be pulled",
	Category: checks.CategoryImages,
	Doc: `Every pod starts with a sandbox container from the pause image. The runtime pulls it without
imagePullSecrets and without the credentials of the kubelet. If the registry requires them, or the
node cannot reach it, the image must be on the node already. If it was deleted, no new pod starts,
and pods that run are not affected. The kubelet deletes unused images when the disk is full, and
spares the pause image only if the runtime reports it as pinned.

On EKS the image amazonaws.com/eks/pause-windows comes with the machine image (AMI), and no registry
has it. On Windows AMIs of Kubernetes 1.29 from before February 2024 the kubelet deleted it.

The check looks for the runtime's error at pods that wait and in the logs of the kubelet and the
runtime. Where no event shows why a pod waits, it looks for the image among those of the runtime. It
does the same where the name of a public registry does not resolve, and the node has images of a
private one: such a node has no internet, and its images must be loaded from files.`,
	Fix: checks.Steps(
		checks.Inspect("crictl images", "Check whether the pause image that the error names is on the node."),
		checks.Do("Make its registry reachable from the node, or set the pause image in the runtime's configuration to a public one of a registry that is."),
		checks.Run("ctr -n k8s.io images import PAUSE.tar",
			"Where no registry is reachable, load the image from a file."),
		checks.Run("ctr -n k8s.io images label IMAGE io.cri-containerd.pinned=pinned",
			"Pin the image, so that the kubelet does not delete it."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/awslabs/amazon-eks-ami/issues/1632",
		"https://github.com/awslabs/amazon-eks-ami/issues/1597",
		"https://docs.aws.amazon.com/eks/latest/userguide/eks-ami-versions-windows.html",
		"https://github.com/awslabs/amazon-eks-ami/issues/1425",
		"https://github.com/rancher/rancher/issues/23000",
		"https://kubernetes.io/docs/concepts/architecture/garbage-collection/",
		"https://docs.rke2.io/install/windows_airgap",
	},
	Breaks:   []*checks.Effect{effectNetworkAgent, effectFlanneld, effectKubeProxy, effectPodStart, effectCNIConfig},
	Explains: []string{"registry-unauthorized", "registry-name-not-resolved", "proxy-not-configured"},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     slices.Concat(complaintUses, []evidence.Need{evidence.CRI}, node.RuntimeConfigs),
	Signs:    sandboxImageSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		found, err := complain(sandboxImageSigns)(s)
		if len(found) == 0 && err == nil {
			found = waitsForPauseImage(s)
		}
		return found, err
	},
})

// sandboxPatience is longer than the pull of a pause image takes.
const sandboxPatience = 10 * time.Minute

// waitsForPauseImage reports the first pod that waits although nothing is known to have failed, on a node
// whose runtime does not have the pause image. Its first step for each pod is to get that image. On a
// node without internet the name of its registry does not resolve, which nobody is to correct.
func waitsForPauseImage(s evidence.Snapshot) []*checks.Finding {
	image := node.SandboxImage(node.About(s), s)
	images := evidence.CRI.In(s).Images
	if !image.Known() || image.Value == "" || len(images) == 0 || slices.ContainsFunc(images, func(i evidence.CRIImage) bool {
		return len(i.RepoTags) == 0 || slices.ContainsFunc(i.RepoTags, func(tag string) bool {
			return fullTag(tag) == fullTag(image.Value)
		})
	}) {
		return nil
	}
	failed, private := recentFailures(s), slices.ContainsFunc(images, privateImage)
	for _, p := range evidence.Pods.In(s) {
		if stuckReason(p) != "ContainerCreating" || !since(s, p, sandboxPatience) ||
			slices.ContainsFunc(failed[p.FullName()], func(said runtimeText) bool {
				_, pulls := fits(registryNameNotResolvedSigns, said.text)
				return !pulls || !private || !strings.Contains(said.text, "failed to get sandbox image") ||
					!fromPublicRegistry(image.Value)
			}) {
			continue
		}
		return []*checks.Finding{checks.Findingf(checks.Fail, p.FullName(),
			"%s waits: the pause image %s is not on the node", p.FullName(), image.Value).With(image.From).
			At(evidence.CRI.Field(s, "images"), "%d images, none of them %s", len(images), image.Value)}
	}
	return nil
}

// fromPublicRegistry tells an image of a registry on the internet that serves everybody.
func fromPublicRegistry(image string) bool {
	registry, _, _ := strings.Cut(fullTag(image), "/")
	return slices.Contains([]string{"docker.io", "registry-1.docker.io", "index.docker.io", "quay.io", "ghcr.io", "gcr.io", "k8s.gcr.io",
		"registry.k8s.io", "mcr.microsoft.com", "public.ecr.aws"}, registry)
}

// privateImage tells an image that the node got from a registry of its own network.
func privateImage(i evidence.CRIImage) bool {
	return slices.ContainsFunc(i.RepoTags, func(tag string) bool { return !fromPublicRegistry(tag) })
}

// pausePulled is what dockershim says of the image of sandboxes alone.
const pausePulled = "failed pulling image"

// fullTag is the name of an image with its registry and tag, which short names leave out. The registry of
// Docker has an older name, which RKE2 uses.
func fullTag(image string) string {
	if rest, ok := strings.CutPrefix(image, "index.docker.io/"); ok {
		image = "docker.io/" + rest
	}
	registry, _, ok := strings.Cut(image, "/")
	switch {
	case !ok:
		image = "docker.io/library/" + image
	case !strings.ContainsAny(registry, ".:") && registry != "localhost":
		image = "docker.io/" + image
	}
	if !strings.ContainsAny(path.Base(image), ":@") {
		image += ":latest"
	}
	return image
}

const needsCredentials = "the pause image is not on the node, and the runtime has no credentials for its registry"

// Only EKS's machine image has it: the name is of no registry.
const eksPauseImage = `"amazonaws.com/eks/pause-windows`

// elsewhereJudged are reasons of a failed pull that are faults of their own.
var elsewhereJudged = []string{eksPauseImage, "no such host", "lookup ", "x509", "proxyconnect",
	"HTTP response to HTTPS client", "connectex: A connection attempt failed"}

var sandboxImageSigns = []checks.Sign{
	// containerd: internal/cri/server/podsandbox/sandbox_run.go, pkg/cri before 2.0
	{Text: "failed to get sandbox image", Also: []string{eksPauseImage},
		Says: "the pause image of the EKS machine image is not on the node, and no registry has it",
		Fix: checks.Steps(
			checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
				"Drain the node, and replace it: the image comes with the machine image.").
				Costs("The pods of the node move to other nodes."),
			checks.Do("Use Windows AMI 1.29-2024.02.06 or later: its kubelet does not delete the image."),
			checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
				"all pods are Running"))},
	{Text: "failed to get sandbox image", Also: []string{"failed to do request"},
		Not:  elsewhereJudged,
		Says: "the pause image is not on the node, and its registry cannot be reached"},
	// containerd pulls it without the credentials that the kubelet has
	{Text: "failed to get sandbox image", Also: []string{"401 Unauthorized"}, Says: needsCredentials},
	{Text: "failed to get sandbox image", Also: []string{"no basic auth credentials"}, Says: needsCredentials},
	// docker tag in a script that provisions the node, behind a pull that failed
	{Text: "No such image: ", Also: []string{"Error response from daemon", "/pause:"}, Level: checks.Warn,
		Says: "the pause image is not on the node"},
	// Only the pause image is pulled in these words: pkg/kubelet/dockershim/helpers.go. kubeletwin/pause is
	// of guides that build it on the node.
	{Text: pausePulled, Also: []string{"Error response from daemon: pull access denied for "},
		Says: "the pause image is not on the node, and its registry does not have it or denies the pull"},
	// dockershim: pkg/kubelet/dockershim/helpers.go
	{Text: pausePulled, Also: []string{"Error response from daemon: Get ", "/v2/"},
		Not:  elsewhereJudged,
		Says: "the pause image is not on the node, and its registry cannot be reached"},
}
