package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "pause-os-version-mismatch",
	Title:    "Pause image is for another Windows version",
	Healthy:  "Pause image fits this Windows version",
	Category: checks.CategoryImages,
	FAQ:      []int{12, 16},
	Doc: `Every pod starts with a sandbox container from the pause image, and a Windows container runs
only on the Windows build of its image (from Server 2022 also on some later builds). With a pause
image for another build, or for Linux only, no pod on the node starts, although the same application
image runs when started by hand.

With Hyper-V isolation the virtual machine boots from the pause image, while the container has the variant
of its image for the node's Windows: they must be of the same build. The check reports it if a container fails so.

The runtime's configuration names the image (sandbox_image, from containerd 2
pinned_images.sandbox); for docker it is the kubelet's --pod-infra-container-image. The builds of
the published images are known. For a private image only the runtime's own error shows it.`,
	Fix: checks.Steps(
		checks.Edit("{runtimeConfig}",
			"Set the pause image to registry.k8s.io/pause:3.10.2: sandbox_image of containerd, --pod-infra-container-image of the kubelet for docker."),
		checks.Run("{restart runtime}", "Restart the container runtime.").
			Costs("Only pods that are created later use the new pause image."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/kubernetes/kubernetes/blob/master/build/pause/CHANGELOG.md",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/deploy-containers/version-compatibility",
		"https://github.com/kubernetes-sigs/windows-testing/pull/557"},
	// the first two where they are pods
	Breaks: []*checks.Effect{effectNetworkAgent, effectFlanneld, effectKubeProxy, effectPodStart, effectCNIConfig},
	Needs:  []evidence.Need{node.NeedBuild, node.NeedSandboxImage},
	Uses: slices.Concat(node.KubeletSources, node.RuntimeConfigs,
		[]evidence.Need{evidence.CRI, evidence.Node, evidence.Pods, evidence.PodEvents}),
	Signs: []checks.Sign{
		{Text: otherBuildText, Also: []string{"sandbox"}, Not: notTheSandbox,
			Says: "a pod sandbox is for another Windows version"},
		// docker up to 18.03: Virtualization-Documentation 765
		{Text: otherBuild2016, Also: []string{"sandbox container"},
			Says: "a pod sandbox is for another Windows version"},
		{Text: "no matching manifest for windows/", Also: []string{"pause", "sandbox"},
			Says: "the pause image has no variant for this Windows version"},
		{Text: "no match for platform in manifest", Also: []string{"pause", "sandbox"},
			Says: "the pause image has no variant for this Windows version"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		image := node.SandboxImage(n, s)
		builds, known := evidence.PauseBuilds(image.Value)
		if !known {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("for which Windows builds the pause image %s was made",
					image.Value))
		}
		host := n.Build.Value.Number
		if findings := otherUtilityVM(s, n, image, builds); len(findings) > 0 {
			return findings, nil
		}
		if slices.ContainsFunc(builds, func(b int) bool {
			return evidence.HostRunsImage(host, b)
		}) {
			return sandboxStillRefused(s, image), nil
		}
		if len(builds) == 0 {
			return []*checks.Finding{checks.Findingf(checks.Fail, image.Value,
				"pause image %s is for Linux only (the node is Windows %s)", image.Value,
				n.Build.Value).With(image.From, n.Build.From).Cure(pauseFix(s, n, image))}, nil
		}
		return []*checks.Finding{checks.Findingf(checks.Fail, image.Value,
			"pause image %s is for Windows builds %s (the node is %s)", image.Value,
			joinInts(builds), n.Build.Value).With(image.From, n.Build.From).Cure(pauseFix(s,
			n, image))}, nil
	},
})

// otherUtilityVM finds the Hyper-V isolated pods that fail because their virtual machine, which boots from
// the pause image, has an older Windows than their image. An image for another Windows fails either way.
func otherUtilityVM(s evidence.Snapshot, n *node.Node, image node.Fact[string], builds []int) []*checks.Finding {
	if len(builds) == 0 || slices.Contains(builds, n.Build.Value.Number) {
		return nil
	}
	handler, _ := defaultHandler(s)
	for _, c := range complaints(s, []checks.Sign{{Text: otherBuildText,
		Or: []string{"HCS_E_IMAGE_MISMATCH", "0xc0370101", "0x80370101"}}}) {
		otherTag := slices.ContainsFunc(c.pod.Statuses(), func(st evidence.ContainerStatus) bool {
			build, ok := tagBuild(st.Image)
			return node.ContainerDown(st) && ok && build != n.Build.Value.Number
		})
		if isHyperV(cmp.Or(c.pod.Spec.RuntimeClassName, handler)) && !otherTag {
			return []*checks.Finding{checks.Findingf(checks.Fail, image.Value,
				"Hyper-V isolated pod %s fails: its virtual machine boots from pause image %s (Windows builds %s), its containers are for %s",
				c.pod.FullName(), image.Value, joinInts(builds), n.Build.Value).
				With(image.From, n.Build.From, c.from).Cure(pauseFix(s, n, image)).
				Explaining("app-image-os-version-mismatch")}
		}
	}
	return nil
}

// pauseFix changes the pause image in the file that names it.
func pauseFix(s evidence.Snapshot, n *node.Node, image node.Fact[string]) checks.Fix {
	fix := fixOf("pause-os-version-mismatch")
	file, ok := evidence.WindowsPath(image.From.Path)
	switch {
	case !ok && strings.HasPrefix(n.Runtime.Value.Name, "docker"):
		// docker has no such setting: the kubelet asks it for the image
		return checks.Steps(changeSetting(n.Components["kubelet"], image.From, evidence.Phrasef(
			"Set --pod-infra-container-image=registry.k8s.io/pause:3.10.2 for the kubelet."),
			"--pod-infra-container-image=registry.k8s.io/pause:3.10.2"),
			checks.Run("{restart kubelet}", "Restart the kubelet.").
				Costs("Only pods that are created later use the new pause image."),
			fix.Steps[len(fix.Steps)-1])
	case !ok && n.Runtime.Value.Name == "containerd":
		return withFirst(fix, checks.Edit("{runtimeConfig}",
			"Set the pause image to registry.k8s.io/pause:3.10.2."))
	case !ok:
		return fix
	}
	line := cmp.Or(image.From.Line, lineWith(s.File(file).Text, image.Value))
	return withFirst(fix, checks.EditAt(s, evidence.InLine(image.From.Path, line),
		func(line string) string {
			return strings.Replace(line, image.Value, "registry.k8s.io/pause:3.10.2", 1)
		}, "Set the pause image to registry.k8s.io/pause:3.10.2."))
}

// sandboxStillRefused finds pods that wait because their sandbox was refused
// just now, though the image that is configured would fit: the runtime was not
// restarted since, or the tag on the node holds something else.
func sandboxStillRefused(s evidence.Snapshot, image node.Fact[string]) []*checks.Finding {
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
			"sandboxes fail: wrong Windows version, but the configured pause image %s fits (runtime not restarted?)", image.Value).
			With(image.From, checks.Quote(m))
		f.Basis = checks.ByBoth
		return []*checks.Finding{f}
	}
	return nil
}

// notTheSandbox marks the failure of a container in a sandbox that runs: app-image-os-version-mismatch.
var notTheSandbox = []string{"within sandbox", "StartContainer", "CreateContainer"}
