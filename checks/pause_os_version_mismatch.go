package checks

import (
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
)

var _ = Register(Check{
	ID:       "pause-os-version-mismatch",
	Title:    "the pause image was not built for this Windows version",
	Category: CategoryImages,
	FAQ:      []int{12, 16},
	Doc: `Every pod begins with a sandbox container made from the pause image, and a Windows container runs only on the Windows build it was made for (from Server 2022 on also on somewhat later ones). With a pause image for another build, or for Linux only, no pod on the node starts, although the same application image runs by hand.

The image is the one that the runtime's configuration names (sandbox_image, from containerd 2 on pinned_images.sandbox), or for docker the kubelet's --pod-infra-container-image. What builds it holds is known for the published images; of a private one only the runtime's own error tells.`,
	Fix: Fix{
		Text:     "make the runtime use a pause image for many builds, such as registry.k8s.io/pause:3.10, and restart it and the kubelet; on docker rebuild kubeletwin/pause from the nanoserver image of this build, or set --pod-infra-container-image",
		Commands: []string{"Restart-Service {runtime}, kubelet"},
		Impact:   "running containers are not touched; pods that were waiting start",
	},
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/", "https://github.com/kubernetes/kubernetes/blob/master/build/pause/CHANGELOG.md",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/deploy-containers/version-compatibility"},
	Explains: []string{"flanneld-not-running", "kube-proxy-not-running", "pods-stuck-creating", "cni-config-uninitialized"}, // the first two where they are pods
	Needs:    []evidence.Need{NeedBuild, needSandboxImage},
	Uses:     slices.Concat(kubeletSources, runtimeConfigs, []evidence.Need{evidence.CRI, evidence.Node, evidence.Pods}),
	Signs: []Sign{
		{Text: "The container operating system does not match the host operating system", Also: []string{"sandbox"}, Says: "the sandbox of a pod was made for another Windows version"},
		{Text: "The operating system of the container does not match the operating system of the host", Also: []string{"sandbox"}, Says: "the sandbox of a pod was made for another Windows version"},
		{Text: "0xc0370101", Also: []string{"sandbox"}, Says: "the sandbox of a pod was made for another Windows version (0xc0370101)"},
		{Text: "no matching manifest for windows/", Also: []string{"pause"}, Says: "the pause image has no variant for this Windows version"},
		{Text: "no match for platform in manifest", Also: []string{"pause"}, Says: "the pause image has no variant for this Windows version"},
	},
	Run: func(s evidence.Snapshot) ([]Finding, error) {
		n := About(s)
		image := n.SandboxImage(s)
		builds, known := evidence.PauseBuilds(image.Value)
		if !known {
			return nil, Unknown(evidence.Gap(evidence.NotCollected + ": for which Windows builds the pause image " + image.Value + " was made is not known"))
		}
		host := n.Build.Value.Number
		if slices.ContainsFunc(builds, func(b int) bool { return evidence.HostRunsImage(host, b) }) {
			return sandboxStillRefused(s, image), nil
		}
		if len(builds) == 0 {
			return []Finding{Findingf(Fail, image.Value, "the pause image %s is for Linux only, and the node is Windows %s", image.Value, n.Build.Value).With(image.From, n.Build.From)}, nil
		}
		return []Finding{Findingf(Fail, image.Value, "the pause image %s is for the Windows builds %s, and the node is %s", image.Value, joinInts(builds), n.Build.Value).With(image.From, n.Build.From)}, nil
	},
})

// sandboxStillRefused finds pods that wait because their sandbox was refused
// just now, though the image that is configured would fit: the runtime was not
// restarted since, or the tag on the node holds something else.
func sandboxStillRefused(s evidence.Snapshot, image Fact[string]) []Finding {
	if !slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool { return stuckReason(p) != "" }) {
		return nil
	}
	for _, m := range s.Signs("pause-os-version-mismatch") {
		if m.Last.IsZero() || s.Now().Sub(m.Last) > recently {
			continue
		}
		f := Findingf(Fail, image.Value, "sandboxes are refused for their Windows version, though the configured pause image %s fits this node: what runs is not what is configured", image.Value).
			With(image.From, quote(m))
		f.Basis = ByBoth
		return []Finding{f}
	}
	return nil
}

// recently is how old a log line may be to speak of the present.
const recently = 30 * time.Minute

// longAgo is when even a node that is ill is not ill of it any more.
const longAgo = 24 * time.Hour

var needSandboxImage = sandboxImageNeed{}

// sandboxImageNeed is met where the evidence names the pause image.
type sandboxImageNeed struct{}

func (sandboxImageNeed) Gap(s evidence.Snapshot) evidence.Gap { return About(s).SandboxImage(s).Gap }

// Name is what explain calls the fact.
func (sandboxImageNeed) Name() string { return "the pause image" }

func (sandboxImageNeed) Paths() []string {
	return evidence.Any(slices.Concat(runtimeConfigs, []evidence.Need{evidence.CRI, evidence.Services, evidence.Processes}, kubeletSources)...).Paths()
}

// SandboxImage is the pause image in use. containerd's own word counts for
// containerd, whatever the kubelet's flag says.
func (n *Node) SandboxImage(s evidence.Snapshot) Fact[string] {
	var f Fact[string]
	docker := strings.HasPrefix(n.Runtime.Value.Name, "docker")
	if !docker {
		if v := evidence.CRI.In(s).ConfigValue("sandboxImage"); v != "" {
			f.learn(v, evidence.CRI.Path(), "sandboxImage is %s", v)
		}
		if c, file, gap := containerdConfig(s); gap == "" && c.SandboxImage != "" {
			f.learn(c.SandboxImage, file.Path, "the sandbox image is %s", c.SandboxImage)
		}
	}
	if flag, ok := n.KubeletFlag("pod-infra-container-image"); ok && flag.Value != "" && (docker || !n.Runtime.Known()) {
		f.learn(flag.Value, flag.From.Path, "--pod-infra-container-image=%s", flag.Value)
	}
	f.miss("the pause image", append(slices.Clone(runtimeConfigs), evidence.CRI, NeedKubeletFlags)...)(s)
	return f
}
