package evidence

// KubeProxyConfig is the part of a KubeProxyConfiguration that checks read.
type KubeProxyConfig struct {
	ClusterCIDR      string          `json:"clusterCIDR"`
	Mode             string          `json:"mode"`
	HostnameOverride string          `json:"hostnameOverride"`
	BindAddress      string          `json:"bindAddress"`
	FeatureGates     map[string]bool `json:"featureGates"`
	Winkernel        struct {
		NetworkName           string `json:"networkName"`
		SourceVIP             string `json:"sourceVip"`
		EnableDSR             *bool  `json:"enableDSR"`
		ForwardHealthCheckVIP *bool  `json:"forwardHealthCheckVip"`
	} `json:"winkernel"`
}

// DecodeKubeProxyConfig reads the file behind --config, or config.conf of
// kubeadm's ConfigMap.
func DecodeKubeProxyConfig(b []byte) (*KubeProxyConfig, error) {
	c, err := decodeYAML[KubeProxyConfig](b)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// A Kubeconfig is the part of a kubeconfig that checks read: how its names refer to each other.
type Kubeconfig struct {
	CurrentContext string
	Clusters       map[string]string // name → server
	Users          []string
	Contexts       map[string]KubeconfigContext
}

// A KubeconfigContext names a cluster and a user.
type KubeconfigContext struct {
	Cluster string `json:"cluster"`
	User    string `json:"user"`
}

// DecodeKubeconfig reads a kubeconfig.
func DecodeKubeconfig(b []byte) (*Kubeconfig, error) {
	file, err := decodeYAML[struct {
		CurrentContext string `json:"current-context"`
		Clusters       []struct {
			Name    string `json:"name"`
			Cluster struct {
				Server string `json:"server"`
			} `json:"cluster"`
		} `json:"clusters"`
		Contexts []struct {
			Name    string            `json:"name"`
			Context KubeconfigContext `json:"context"`
		} `json:"contexts"`
		Users []struct {
			Name string `json:"name"`
		} `json:"users"`
	}](b)
	if err != nil {
		return nil, err
	}
	c := &Kubeconfig{file.CurrentContext, map[string]string{}, nil, map[string]KubeconfigContext{}}
	for _, cluster := range file.Clusters {
		c.Clusters[cluster.Name] = cluster.Cluster.Server
	}
	for _, context := range file.Contexts {
		c.Contexts[context.Name] = context.Context
	}
	for _, user := range file.Users {
		c.Users = append(c.Users, user.Name)
	}
	return c, nil
}
