package evidence

import (
	"errors"
	"strconv"
	"strings"
)

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

// The places that a setting of kube-proxy comes from.
const (
	FromFlag   = "flag"
	FromConfig = "config"
	FromEnv    = "env"
)

// KubeProxySettings are the settings that are in effect for kube-proxy.
type KubeProxySettings struct {
	NetworkName      string
	SourceVIP        string
	HostnameOverride string
	ClusterCIDR      string
	Mode             string
	EnableDSR        *bool
	FeatureGates     map[string]bool
	From             map[string]string // flag name of a setting, such as network-name → flag, config, env
}

// MergeKubeProxy works out the settings from the command line, the
// configuration, which may be nil, and the environment of the process.
//
// A kube-proxy that is given --config takes nothing from its other flags but
// --hostname-override. Where no --config is seen, the configuration is one that
// was found elsewhere, and fills what the flags leave open.
func MergeKubeProxy(flags Flags, config *KubeProxyConfig, env map[string]string) KubeProxySettings {
	s := KubeProxySettings{From: map[string]string{}}
	if config == nil {
		config = &KubeProxyConfig{}
	}
	ruling := flags
	if flags.Has("config") {
		ruling = Flags{}
	}
	s.pick("network-name", &s.NetworkName, ruling, config.Winkernel.NetworkName)
	s.pick("source-vip", &s.SourceVIP, ruling, config.Winkernel.SourceVIP)
	s.pick("cluster-cidr", &s.ClusterCIDR, ruling, config.ClusterCIDR)
	s.pick("proxy-mode", &s.Mode, ruling, config.Mode)
	s.pick("hostname-override", &s.HostnameOverride, flags, config.HostnameOverride)

	if dsr, err := strconv.ParseBool(ruling.value("enable-dsr")); err == nil {
		s.EnableDSR, s.From["enable-dsr"] = &dsr, FromFlag
	} else if config.Winkernel.EnableDSR != nil {
		s.EnableDSR, s.From["enable-dsr"] = config.Winkernel.EnableDSR, FromConfig
	}
	if gates := ParseFeatureGates(ruling.All("feature-gates")...); len(gates) > 0 {
		s.FeatureGates, s.From["feature-gates"] = gates, FromFlag
	} else if len(config.FeatureGates) > 0 {
		s.FeatureGates, s.From["feature-gates"] = config.FeatureGates, FromConfig
	}
	if s.NetworkName == "" {
		for name, value := range env {
			if strings.EqualFold(name, "KUBE_NETWORK") && value != "" {
				s.NetworkName, s.From["network-name"] = value, FromEnv
			}
		}
	}
	return s
}

func (s *KubeProxySettings) pick(flag string, into *string, flags Flags, config string) {
	if v := flags.value(flag); v != "" {
		*into, s.From[flag] = v, FromFlag
	} else if config != "" {
		*into, s.From[flag] = config, FromConfig
	}
}

func (f Flags) value(name string) string {
	v, _ := f.Get(name)
	return v
}

// ParseFeatureGates reads the values of --feature-gates: WinDSR=true,WinOverlay=true.
func ParseFeatureGates(values ...string) map[string]bool {
	gates := map[string]bool{}
	for _, list := range values {
		for _, gate := range strings.Split(list, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(gate), "=")
			if on, err := strconv.ParseBool(strings.TrimSpace(value)); err == nil && name != "" {
				gates[strings.TrimSpace(name)] = on
			}
		}
	}
	return gates
}
