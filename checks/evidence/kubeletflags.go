package evidence

// removedKubeletFlags are the flags that a Windows node may still be started with, by the 1.x
// release in which the kubelet lost them. It then ends at once with "unknown flag". Only removals
// that a release note or the flag's own pull request states are here: a flag too many would convict
// a healthy node.
var removedKubeletFlags = map[int][]string{
	12: {"cadvisor-port"},
	15: {"allow-privileged"},
	16: {"containerized"},
	// With dockershim.
	24: {"experimental-dockershim-root-directory", "docker-endpoint",
		"image-pull-progress-deadline", "network-plugin", "network-plugin-mtu", "cni-conf-dir",
		"cni-bin-dir", "cni-cache-dir", "non-masquerade-cidr", "dynamic-config-dir"},
	// With klog's own ways to write files; -v and --vmodule stayed.
	26: {"add-dir-header", "alsologtostderr", "log-backtrace-at", "log-dir", "log-file",
		"log-file-max-size", "logtostderr", "one-output", "skip-headers", "skip-log-headers",
		"stderrthreshold"},
	27: {"container-runtime", "master-service-namespace"},
	30: {"azure-container-registry-config"},
	31: {"keep-terminated-pod-volumes"},
	34: {"cloud-config"},
	35: {"pod-infra-container-image"},
}

// RemovedKubeletFlags returns the flags that a kubelet of version v no longer
// knows, each with the minor release that removed it.
func RemovedKubeletFlags(v Version) map[string]int {
	removed := map[string]int{}
	for minor, flags := range removedKubeletFlags {
		for _, flag := range flags {
			if v.AtLeast(Version{Major: 1, Minor: minor}) {
				removed[flag] = minor
			}
		}
	}
	return removed
}
