package onnode

import (
	"strings"

	"doctor/checks/evidence"
)

// Obstacle is why no pod is sent to a node: it would never run there. It is nil where one may.
func Obstacle(node evidence.NodeObject) error {
	info := node.Status.NodeInfo
	ready, _ := node.Condition("Ready")
	runtime, version, _ := strings.Cut(info.ContainerRuntimeVersion, "://")
	switch {
	case info.OperatingSystem != "" && info.OperatingSystem != "windows":
		return noEvidence(evidence.NotCollected, "the node runs %s; no pod was sent", info.OperatingSystem)
	case ready.Status != "True":
		return noEvidence(evidence.NotCollected, "the node is not ready; no pod was sent")
	case runtime == "docker":
		return noEvidence(evidence.NotCollected,
			"the node runs Docker, which has no HostProcess containers; no pod was sent")
	case runtime == "containerd" && olderThan(version, 6):
		return noEvidence(evidence.NotCollected,
			"containerd %s has no HostProcess containers (1.6 and later have); no pod was sent",
			version)
	case olderThan(info.KubeletVersion, 23):
		return noEvidence(evidence.NotCollected,
			"kubelet %s has no HostProcess containers (1.23 and later have); no pod was sent",
			info.KubeletVersion)
	}
	return nil
}

// olderThan tells whether a version is below 1.minor. One that cannot be read is not.
func olderThan(version string, minor int) bool {
	v, ok := evidence.ParseVersion(version)
	return ok && !v.AtLeast(evidence.Version{Major: 1, Minor: minor})
}
