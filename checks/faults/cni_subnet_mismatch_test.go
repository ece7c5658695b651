package faults_test

import (
	"strings"
	"testing"
)

// aksEngineConf is what kubeletstart.ps1 of aks-engine writes in mode kubenet.
const aksEngineConf = `{"name":"l2bridge","type":"wincni.exe","ipam":{"environment":"azure","subnet":"10.244.2.0/24","routes":[{"GW":"10.240.0.1"}]},"AdditionalArgs":[
{"Name":"EndpointPolicy","Value":{"Type":"OutBoundNAT","ExceptionList":["10.244.0.0/16","10.240.0.0/16"]}},
{"Name":"EndpointPolicy","Value":{"Type":"ROUTE","DestinationPrefix":"10.0.0.0/16","NeedEncap":true}}]}`

func TestCNISubnetMismatch(t *testing.T) {
	conf := func(text string) string { return "-- files/C/k/cni/config/a.conf --\n" + text + "\n" }
	const node = "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"spec\":{\"podCIDR\":\"10.244.2.0/24\"}}\n"
	wincni := func(gw string) string {
		return conf(
			`{"name":"l2bridge","type":"wincni.exe","ipam":{"environment":"azure","subnet":"10.244.2.0/24","routes":[{"GW":"` + gw + `"}]}}`)
	}
	runLooks(t, "cni-subnet-mismatch", []look{
		{"wincni as documented", node + wincni("10.244.2.2"), "pass"},
		{"wincni with HNS's own address for a gateway", node + wincni("10.244.2.1"),
			"fail: the gateway 10.244.2.1 of ipam.routes is not 10.244.2.2, the address of the node's own endpoint [state]"},
		{"a gateway elsewhere convicts without a podCIDR", wincni("10.244.7.2"),
			"fail: the gateway 10.244.7.2 of ipam.routes is outside ipam.subnet 10.244.2.0/24 [state]"},
		{"the gateway of the node's own subnet, as aks-engine writes it", node + conf(aksEngineConf), "pass"},
		{"a gateway that is no exception", node + conf(strings.Replace(aksEngineConf, "10.240.0.1", "10.250.0.1", 1)),
			"fail: the gateway 10.250.0.1 of ipam.routes is outside ipam.subnet 10.244.2.0/24 [state]"},
		{"nothing to compare with", wincni("10.244.2.2"), "unknown"},
		{"a range in place of a subnet",
			node + conf(
				`{"name":"cbr0","type":"win-bridge","ipam":{"type":"host-local","ranges":[[{"subnet":"10.244.9.0/24"}]]}}`), "fail: ipam.subnet is 10.244.9.0/24, and the node's podCIDR is 10.244.2.0/24 [state]"},
		{"flannel replaces what is written",
			node + conf(
				`{"name":"cbr0","type":"flannel","delegate":{"type":"win-bridge","ipam":{"subnet":"10.244.9.0/24"}}}`), "skip"},
		{"OpenShift's subnet is that of the HNS network",
			node + conf(
				`{"name":"OVNKubernetesHybridOverlayNetwork","type":"win-overlay","ipam":{"type":"host-local","subnet":"10.132.0.0/24"}}`), "skip"},
		{"Calico reads the podCIDR itself",
			node + conf(
				`{"name":"Calico","type":"calico","ipam":{"type":"host-local","subnet":"usePodCidr"}}`), "skip"},
		{"a leftover NAT configuration",
			node + conf(
				`{"name":"nat","type":"nat","ipam":{"subnet":"172.28.48.0/20","routes":[{"GW":"172.28.48.1"}]}}`), "skip"},
	})
}
