package evidence

import "testing"

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
	if c.ClusterCIDR != "10.64.0.0/14" || c.Mode != "kernelspace" ||
		c.HostnameOverride != "win-7" || c.BindAddress != "0.0.0.0" ||
		!c.FeatureGates["WinOverlay"] ||
		w.NetworkName != "flannel.4096" || w.SourceVIP != "10.64.3.9" || w.EnableDSR == nil ||
		!*w.EnableDSR ||
		w.ForwardHealthCheckVIP == nil || *w.ForwardHealthCheckVIP {
		t.Errorf("got %+v", c)
	}
	for _, text := range []string{"", "winkernel: 5", "winkernel:\n  enableDSR: perhaps",
		"featureGates: [a]"} {
		if c, err := DecodeKubeProxyConfig([]byte(text)); err == nil {
			t.Errorf("%q: no error but %+v", text, c)
		}
	}
	if c, err := DecodeKubeProxyConfig([]byte("winkernel: null")); err != nil ||
		c.Winkernel.EnableDSR != nil {
		t.Errorf("an empty winkernel: %+v, %v", c, err)
	}
}
