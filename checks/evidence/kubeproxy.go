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
