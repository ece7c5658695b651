package evidence

// removedKubeletFlags tells in which 1.x release the kubelet lost a flag that a
// Windows node may still be started with. It then ends at once with "unknown
// flag". Only removals that a release note or the flag's own pull request
// states are here: a flag too many would convict a healthy node.
var removedKubeletFlags = map[string]int{
	"cadvisor-port":    12,
	"allow-privileged": 15,
	"containerized":    16,

	// With dockershim.
	"experimental-dockershim-root-directory": 24,
	"docker-endpoint":                        24,
	"image-pull-progress-deadline":           24,
	"network-plugin":                         24,
	"network-plugin-mtu":                     24,
	"cni-conf-dir":                           24,
	"cni-bin-dir":                            24,
	"cni-cache-dir":                          24,
	"non-masquerade-cidr":                    24,
	"dynamic-config-dir":                     24,

	// With klog's own ways to write files; -v and --vmodule stayed.
	"add-dir-header":    26,
	"alsologtostderr":   26,
	"log-backtrace-at":  26,
	"log-dir":           26,
	"log-file":          26,
	"log-file-max-size": 26,
	"logtostderr":       26,
	"one-output":        26,
	"skip-headers":      26,
	"skip-log-headers":  26,
	"stderrthreshold":   26,

	"container-runtime":               27,
	"master-service-namespace":        27,
	"azure-container-registry-config": 30,
	"keep-terminated-pod-volumes":     31,
	"cloud-config":                    34,
	"pod-infra-container-image":       35,
}

// RemovedKubeletFlags returns the flags that a kubelet of version v no longer
// knows, each with the minor release that removed it.
func RemovedKubeletFlags(v Version) map[string]int {
	removed := map[string]int{}
	for flag, minor := range removedKubeletFlags {
		if v.AtLeast(Version{Major: 1, Minor: minor}) {
			removed[flag] = minor
		}
	}
	return removed
}
