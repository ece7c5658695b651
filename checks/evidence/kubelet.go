package evidence

// KubeletConfig is the part of a KubeletConfiguration that checks read. A nil
// pointer is a field that the file does not set.
type KubeletConfig struct {
	ClusterDNS    []string `json:"clusterDNS"`
	ClusterDomain string   `json:"clusterDomain"`
	CgroupsPerQOS *bool    `json:"cgroupsPerQOS"`
	// an empty list is what Windows needs; an absent one, which is nil, is [pods]
	EnforceNodeAllocatable   []string          `json:"enforceNodeAllocatable"`
	EnforcesNodeAllocatable  bool              `json:"-"` // the field is there
	SystemReserved           map[string]string `json:"systemReserved"`
	KubeReserved             map[string]string `json:"kubeReserved"`
	EvictionHard             map[string]string `json:"evictionHard"`
	EvictionSoft             map[string]string `json:"evictionSoft"`
	ContainerRuntimeEndpoint string            `json:"containerRuntimeEndpoint"`
	HealthzPort              *int              `json:"healthzPort"`
}

// DecodeKubeletConfig reads the file behind --config, YAML or JSON.
func DecodeKubeletConfig(b []byte) (*KubeletConfig, error) {
	c, err := decodeYAML[KubeletConfig](b)
	if err != nil {
		return nil, err
	}
	c.EnforcesNodeAllocatable = c.EnforceNodeAllocatable != nil
	return c, nil
}

// KubeadmSubnets reads the subnets of pods and of services from a kubeadm
// ClusterConfiguration; a comma stands between those of a dual-stack cluster.
func KubeadmSubnets(clusterConfiguration string) (pods, services string) {
	c, _ := decodeYAML[struct {
		Networking struct {
			Pods     string `json:"podSubnet"`
			Services string `json:"serviceSubnet"`
		} `json:"networking"`
	}]([]byte(clusterConfiguration))
	if c == nil {
		return "", ""
	}
	return c.Networking.Pods, c.Networking.Services
}

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
