package node

import (
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// SandboxImage is the pause image in use. containerd's own word counts for
// containerd, whatever the kubelet's flag says.
func SandboxImage(n *Node, s evidence.Snapshot) Fact[string] {
	var f Fact[string]
	docker := strings.HasPrefix(n.Runtime.Value.Name, "docker")
	if !docker {
		v, at := evidence.CRIConfigValue(s, "sandboxImage")
		learnSome(&f, v, at, "sandboxImage is %s", v)
		if c, file, gap := n.ContainerdConfig(s); gap.Kind == "" && c.SandboxImage != "" {
			f.Learn(c.SandboxImage, evidence.InFile(file.Path), "the sandbox image is %s",
				c.SandboxImage)
		}
	}
	if flag, ok := n.KubeletFlag("pod-infra-container-image"); ok && flag.Value != "" &&
		(docker || !n.Runtime.Known()) {
		f.Learn(flag.Value, flag.From.Place(), "--pod-infra-container-image=%s", flag.Value)
	}
	f.Miss(s, "the pause image", append(slices.Clone(RuntimeConfigs), evidence.CRI,
		NeedKubeletFlags)...)
	return f
}

// NeedSandboxImage is met where the pause image is known.
var NeedSandboxImage = FactNeed{"the pause image", slices.Concat(RuntimeConfigs,
	[]evidence.Need{evidence.CRI, evidence.Services, evidence.Processes}, KubeletSources),
	func(s evidence.Snapshot) evidence.Gap { return SandboxImage(About(s), s).Gap }}

// ContainerdConfigPath is containerd's configuration file as Windows names it; empty where it was
// not recorded.
func (n *Node) ContainerdConfigPath(s evidence.Snapshot) string {
	_, file, gap := n.ContainerdConfig(s)
	if gap.Kind != "" {
		return ""
	}
	path, _ := evidence.WindowsPath(file.Path)
	return path
}
