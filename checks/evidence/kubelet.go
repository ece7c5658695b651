package evidence

// KubeletConfig is the part of a KubeletConfiguration that checks read. A nil
// pointer is a field that the file does not set.
type KubeletConfig struct {
	ClusterDNS             []string
	ClusterDomain          string
	ResolvConf             *string
	CgroupsPerQOS          *bool
	EnforceNodeAllocatable []string
	// the field is there: an empty list is what Windows needs, an absent one is [pods]
	EnforcesNodeAllocatable  bool
	SystemReserved           map[string]string
	KubeReserved             map[string]string
	EvictionHard             map[string]string
	EvictionSoft             map[string]string
	ContainerRuntimeEndpoint string
	PodCIDR                  string
	HairpinMode              string
	FeatureGates             map[string]bool
	StaticPodPath            string
	HealthzPort              *int
	RotateCertificates       *bool
	// a kubelet on Windows does not start with it
	SingleProcessOOMKill *bool
}

// DecodeKubeletConfig reads the file behind --config, YAML or JSON.
func DecodeKubeletConfig(b []byte) (*KubeletConfig, error) {
	o, err := parseYAMLObject(b)
	if err != nil {
		return nil, err
	}
	c := &KubeletConfig{}
	o.take("clusterDNS", &c.ClusterDNS)
	o.take("clusterDomain", &c.ClusterDomain)
	o.take("resolvConf", &c.ResolvConf)
	o.take("cgroupsPerQOS", &c.CgroupsPerQOS)
	c.EnforcesNodeAllocatable = o.take("enforceNodeAllocatable", &c.EnforceNodeAllocatable)
	o.take("systemReserved", &c.SystemReserved)
	o.take("kubeReserved", &c.KubeReserved)
	o.take("evictionHard", &c.EvictionHard)
	o.take("evictionSoft", &c.EvictionSoft)
	o.take("containerRuntimeEndpoint", &c.ContainerRuntimeEndpoint)
	o.take("podCIDR", &c.PodCIDR)
	o.take("hairpinMode", &c.HairpinMode)
	o.take("featureGates", &c.FeatureGates)
	o.take("staticPodPath", &c.StaticPodPath)
	o.take("healthzPort", &c.HealthzPort)
	o.take("rotateCertificates", &c.RotateCertificates)
	o.take("singleProcessOOMKill", &c.SingleProcessOOMKill)
	if o.err != nil {
		return nil, o.err
	}
	return c, nil
}

// KubeadmSubnets reads the subnets of pods and of services from a kubeadm
// ClusterConfiguration; a comma stands between those of a dual-stack cluster.
func KubeadmSubnets(clusterConfiguration string) (pods, services string) {
	o, err := parseYAMLObject([]byte(clusterConfiguration))
	if err != nil {
		return "", ""
	}
	networking := o.object("networking")
	networking.take("podSubnet", &pods)
	networking.take("serviceSubnet", &services)
	return pods, services
}
