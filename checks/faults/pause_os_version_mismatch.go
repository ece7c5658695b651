package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "pause-os-version-mismatch",
	Title:    "the pause image was not built for this Windows version",
	Category: checks.CategoryImages,
	FAQ:      []int{12, 16},
	Doc: `Every pod begins with a sandbox container made from the pause image, and a Windows
container runs only on the Windows build it was made for (from Server 2022 on also on somewhat later
ones). With a pause image for another build, or for Linux only, no pod on the node starts, although
the same application image runs by hand.

The image is the one that the runtime's configuration names (sandbox_image, from containerd 2 on
pinned_images.sandbox), or for docker the kubelet's --pod-infra-container-image. What builds it
holds is known for the published images; of a private one only the runtime's own error tells.`,
	Fix: checks.Steps(
		checks.Run("Restart-Service {runtime}, kubelet",
			"make the runtime use a pause image for many builds, such as registry.k8s.io/pause:3.10, and restart it and the kubelet; on docker rebuild kubeletwin/pause from the nanoserver image of this build, or set --pod-infra-container-image").
			Costs("running containers are not touched; pods that were waiting start")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/kubernetes/kubernetes/blob/master/build/pause/CHANGELOG.md",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/deploy-containers/version-compatibility"},
	// the first two where they are pods
	Breaks: []*checks.Effect{effectFlanneld, effectKubeProxy, effectPodStart, effectCNIConfig},
	Needs:  []evidence.Need{node.NeedBuild, node.NeedSandboxImage},
	Uses: slices.Concat(node.KubeletSources, node.RuntimeConfigs,
		[]evidence.Need{evidence.CRI, evidence.Node, evidence.Pods}),
	Signs: []checks.Sign{
		{Text: "The container operating system does not match the host operating system",
			Also: []string{"sandbox"},
			Says: "the sandbox of a pod was made for another Windows version"},
		{Text: "The operating system of the container does not match the operating system of the host", Also: []string{"sandbox"}, Says: "the sandbox of a pod was made for another Windows version"},
		{Text: "0xc0370101", Also: []string{"sandbox"},
			Says: "the sandbox of a pod was made for another Windows version (0xc0370101)"},
		{Text: "no matching manifest for windows/", Also: []string{"pause"},
			Says: "the pause image has no variant for this Windows version"},
		{Text: "no match for platform in manifest", Also: []string{"pause"},
			Says: "the pause image has no variant for this Windows version"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		image := node.SandboxImage(n, s)
		builds, known := evidence.PauseBuilds(image.Value)
		if !known {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("for which Windows builds the pause image %s was made",
					image.Value))
		}
		host := n.Build.Value.Number
		if slices.ContainsFunc(builds, func(b int) bool {
			return evidence.HostRunsImage(host, b)
		}) {
			return sandboxStillRefused(s, image), nil
		}
		if len(builds) == 0 {
			return []checks.Finding{checks.Findingf(checks.Fail, image.Value,
				"the pause image %s is for Linux only, and the node is Windows %s", image.Value,
				n.Build.Value).With(image.From, n.Build.From)}, nil
		}
		return []checks.Finding{checks.Findingf(checks.Fail, image.Value,
			"the pause image %s is for the Windows builds %s, and the node is %s", image.Value,
			joinInts(builds), n.Build.Value).With(image.From, n.Build.From)}, nil
	},
})

// sandboxStillRefused finds pods that wait because their sandbox was refused
// just now, though the image that is configured would fit: the runtime was not
// restarted since, or the tag on the node holds something else.
func sandboxStillRefused(s evidence.Snapshot, image node.Fact[string]) []checks.Finding {
	if !slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
		return stuckReason(p) != ""
	}) {
		return nil
	}
	for _, m := range s.Signs("pause-os-version-mismatch") {
		if m.Last.IsZero() || s.Now().Sub(m.Last) > checks.Recently {
			continue
		}
		f := checks.Findingf(checks.Fail, image.Value,
			"sandboxes are refused for their Windows version, though the configured pause image %s fits this node: what runs is not what is configured", image.Value).
			With(image.From, checks.Quote(m))
		f.Basis = checks.ByBoth
		return []checks.Finding{f}
	}
	return nil
}
