package node

import (
	"strings"

	"doctor/checks/evidence"
)

// PodSystem is the system that a pod says it is for: "windows", "linux", or ""
// where nothing in its spec tells.
func PodSystem(p evidence.Pod) string {
	if p.Spec.OS != nil && p.Spec.OS.Name != "" {
		return strings.ToLower(p.Spec.OS.Name)
	}
	for _, key := range []string{"kubernetes.io/os", "beta.kubernetes.io/os"} {
		if v := p.Spec.NodeSelector[key]; v != "" {
			return strings.ToLower(v)
		}
	}
	if p.Spec.NodeSelector["node.kubernetes.io/windows-build"] != "" || p.HostProcess() ||
		HasWindowsOptions(p) {
		return "windows"
	}
	return ""
}

// HasWindowsOptions reports whether the pod or one of its containers sets windowsOptions.
func HasWindowsOptions(p evidence.Pod) bool {
	if c := p.Spec.SecurityContext; c != nil && c.WindowsOptions != nil {
		return true
	}
	for _, c := range p.Spec.Containers {
		if c.SecurityContext != nil && c.SecurityContext.WindowsOptions != nil {
			return true
		}
	}
	return false
}
