package evidence

import "errors"

// KubeProxyConfig is the part of a KubeProxyConfiguration that checks read.
type KubeProxyConfig struct {
	ClusterCIDR      string
	Mode             string
	HostnameOverride string
	BindAddress      string
	FeatureGates     map[string]bool
	Winkernel        KubeProxyWinkernel
}

// KubeProxyWinkernel is its Windows part.
type KubeProxyWinkernel struct {
	NetworkName           string
	SourceVIP             string
	EnableDSR             *bool
	RootHNSEndpointName   string
	ForwardHealthCheckVIP *bool
}

// DecodeKubeProxyConfig reads the file behind --config, or config.conf of
// kubeadm's ConfigMap.
func DecodeKubeProxyConfig(b []byte) (*KubeProxyConfig, error) {
	o, err := parseYAMLObject(b)
	if err != nil {
		return nil, err
	}
	c := &KubeProxyConfig{}
	o.take("clusterCIDR", &c.ClusterCIDR)
	o.take("mode", &c.Mode)
	o.take("hostnameOverride", &c.HostnameOverride)
	o.take("bindAddress", &c.BindAddress)
	o.take("featureGates", &c.FeatureGates)
	w := o.object("winkernel")
	w.take("networkName", &c.Winkernel.NetworkName)
	w.take("sourceVip", &c.Winkernel.SourceVIP)
	w.take("enableDSR", &c.Winkernel.EnableDSR)
	w.take("rootHnsEndpointName", &c.Winkernel.RootHNSEndpointName)
	w.take("forwardHealthCheckVip", &c.Winkernel.ForwardHealthCheckVIP)
	if err := errors.Join(o.err, w.err); err != nil {
		return nil, err
	}
	return c, nil
}
