package evidence

import (
	"maps"
	"testing"
)

const winkernelConf = `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clusterCIDR: 10.64.0.0/14
mode: kernelspace
hostnameOverride: win-7
bindAddress: 0.0.0.0
featureGates: {WinDSR: true, WinOverlay: true}
winkernel:
  networkName: flannel.4096
  sourceVip: 10.64.3.9
  enableDSR: true
  rootHnsEndpointName: cbr0
  forwardHealthCheckVip: false
`

func TestDecodeKubeProxyConfig(t *testing.T) {
	c, err := DecodeKubeProxyConfig([]byte(winkernelConf))
	if err != nil {
		t.Fatal(err)
	}
	w := c.Winkernel
	if c.ClusterCIDR != "10.64.0.0/14" || c.Mode != "kernelspace" || c.HostnameOverride != "win-7" || c.BindAddress != "0.0.0.0" || !c.FeatureGates["WinOverlay"] ||
		w.NetworkName != "flannel.4096" || w.SourceVIP != "10.64.3.9" || w.EnableDSR == nil || !*w.EnableDSR || w.RootHNSEndpointName != "cbr0" ||
		w.ForwardHealthCheckVIP == nil || *w.ForwardHealthCheckVIP {
		t.Errorf("got %+v", c)
	}
	for _, text := range []string{"", "winkernel: 5", "winkernel:\n  enableDSR: perhaps", "featureGates: [a]"} {
		if c, err := DecodeKubeProxyConfig([]byte(text)); err == nil {
			t.Errorf("%q: no error but %+v", text, c)
		}
	}
	if c, err := DecodeKubeProxyConfig([]byte("winkernel: null")); err != nil || c.Winkernel.EnableDSR != nil {
		t.Errorf("an empty winkernel: %+v, %v", c, err)
	}
}

func TestMergeKubeProxy(t *testing.T) {
	config, err := DecodeKubeProxyConfig([]byte(winkernelConf))
	if err != nil {
		t.Fatal(err)
	}
	kube := map[string]string{"Kube_Network": "cbr0"}
	for _, row := range []struct {
		name   string
		args   []string
		config *KubeProxyConfig
		env    map[string]string
		want   KubeProxySettings
		dsr    string // true, false, or nothing
	}{
		{"flags alone", []string{"--network-name=vxlan0", "--source-vip=10.64.3.4", "--enable-dsr", "--proxy-mode=kernelspace", "--feature-gates=WinOverlay=true"}, nil, kube,
			KubeProxySettings{NetworkName: "vxlan0", SourceVIP: "10.64.3.4", Mode: "kernelspace", FeatureGates: map[string]bool{"WinOverlay": true},
				From: map[string]string{"network-name": "flag", "source-vip": "flag", "proxy-mode": "flag", "enable-dsr": "flag", "feature-gates": "flag"}}, "true"},
		{"the environment names the network", []string{"--enable-dsr=false"}, nil, kube,
			KubeProxySettings{NetworkName: "cbr0", From: map[string]string{"network-name": "env", "enable-dsr": "flag"}}, "false"},
		{"--config silences the other flags but the host name", []string{"--config=x", "--network-name=vxlan0", "--hostname-override=win-8", "--enable-dsr=false"}, config, kube,
			KubeProxySettings{NetworkName: "flannel.4096", SourceVIP: "10.64.3.9", HostnameOverride: "win-8", ClusterCIDR: "10.64.0.0/14", Mode: "kernelspace", FeatureGates: config.FeatureGates,
				From: map[string]string{"network-name": "config", "source-vip": "config", "hostname-override": "flag", "cluster-cidr": "config", "proxy-mode": "config", "enable-dsr": "config", "feature-gates": "config"}}, "true"},
		{"a configuration found elsewhere fills the gaps", []string{"--network-name=vxlan0"}, config, nil,
			KubeProxySettings{NetworkName: "vxlan0", SourceVIP: "10.64.3.9", HostnameOverride: "win-7", ClusterCIDR: "10.64.0.0/14", Mode: "kernelspace", FeatureGates: config.FeatureGates,
				From: map[string]string{"network-name": "flag", "source-vip": "config", "hostname-override": "config", "cluster-cidr": "config", "proxy-mode": "config", "enable-dsr": "config", "feature-gates": "config"}}, "true"},
		{"nothing is nothing", nil, nil, nil, KubeProxySettings{From: map[string]string{}}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := MergeKubeProxy(ParseFlags(row.args), row.config, row.env)
			dsr := ""
			if got.EnableDSR != nil {
				dsr = map[bool]string{true: "true", false: "false"}[*got.EnableDSR]
			}
			w := row.want
			if got.NetworkName != w.NetworkName || got.SourceVIP != w.SourceVIP || got.HostnameOverride != w.HostnameOverride || got.ClusterCIDR != w.ClusterCIDR ||
				got.Mode != w.Mode || dsr != row.dsr || !maps.Equal(got.FeatureGates, w.FeatureGates) || !maps.Equal(got.From, w.From) {
				t.Errorf("got  %+v (DSR %q)\nwant %+v (DSR %q)", got, dsr, w, row.dsr)
			}
		})
	}
}
