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
