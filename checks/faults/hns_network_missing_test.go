package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

const onCalico = "-- files/C/etc/cni/net.d/10-calico.conf --\n{\"name\":\"Calico\",\"type\":\"calico\",\"mode\":\"vxlan\",\"ipam\":{\"type\":\"calico-ipam\"}}\n"

// networks are HNS networks of lines "name type".
func networks(names ...string) string {
	var list []string
	for _, n := range names {
		name, kind, _ := strings.Cut(n, " ")
		list = append(list, fmt.Sprintf(`{"Name":%q,"Type":%q,"State":1}`, name, kind))
	}
	return "-- hns-networks.json --\n[" + strings.Join(list, ",\n") + "]\n"
}

func TestHNSNetworkMissing(t *testing.T) {
	const overlayConf = "-- files/C/etc/cni/net.d/10-flannel.conf --\n{\"name\":\"vxlan0\",\"type\":\"flannel\",\"delegate\":{\"type\":\"win-overlay\"}}\n"
	const log = "-- logs/kubelet/kubelet.log --\nE1120 cni.go:366] error while GETHNSNewtorkByName(cbr0): Network cbr0 not found\n"
	const renamed = "-- logs/kube-proxy/kube-proxy.log --\nE1120 proxier.go:1 The HNS network cbr0 is not present or has changed since the last sync. Please check the CNI deployment\n"
	const azure = "-- files/C/k/azurecni/netconf/10-azure.conflist --\n{\"name\":\"azure\",\"plugins\":[{\"type\":\"azure-vnet\"}]}\n"
	const agent = `{"metadata":{"name":"cns"},"spec":{"hostNetwork":true}}`
	const waiting = `{"metadata":{"name":"web"},"spec":{},"status":{"phase":"Pending"}}`
	pods := func(list string) string {
		return "-- api/pods.json --\n{\"kind\":\"List\",\"items\":[" + list + "]}\n"
	}
	machine := func(more string) string {
		return "-- processes.json --\n[{\"name\":\"System\"},{\"name\":\"services.exe\"},{\"name\":\"dockerd.exe\"}," + more + "]\n"
	}
	runLooks(t, "hns-network-missing", []look{
		{"multi-tenant Azure CNI names it after the VLAN",
			azure + networks("ext L2Bridge", "azure-vlan1-172-28-1-0_24 L2Bridge"), "pass"},
		{"AKS before the first pod", azure + networks("ext L2Bridge") + pods(agent), "skip"},
		{"AKS, and a pod waits", azure + networks("ext L2Bridge") + pods(agent+","+waiting),
			"fail: HNS network azure is missing (found: ext (L2Bridge)) [state]"},
		{"AKS, and its pods are not recorded", azure + networks("ext L2Bridge"),
			"unknown"},
		{"AKS, and no kubelet.exe runs that would start a pod", azure + networks("ext L2Bridge") +
			machine(`{"name":"powershell.exe"}`), "skip"},
		{"AKS, and the kubelet runs", azure + networks("ext L2Bridge") + machine(`{"name":"kubelet.exe"}`),
			"unknown"},
		{"AKS, and few processes are recorded", azure + networks("ext L2Bridge") +
			"-- processes.json --\n[{\"name\":\"dockerd.exe\"}]\n",
			"unknown"},
		{"EKS before the first pod, which is on another node", vpcConf + networks("nat nat") + nodeOf("v1.33.5", "containerd://1.7.28") +
			pods(agent+`,{"metadata":{"name":"web"},"spec":{"nodeName":"other"}}`), "skip"},
		{"EKS, and a pod waits", vpcConf + networks("nat nat") + pods(agent+","+waiting),
			"fail: HNS network vpcbr* is missing (found: nat (NAT)) [state]"},
		{"EKS, and its pods are not recorded", vpcConf + networks("nat nat"), "unknown"},
		{"flannel makes its network without a kubelet", onFlannel + networks("nat nat") +
			machine(`{"name":"powershell.exe"}`), "fail: HNS network cbr0 is missing (found: nat (NAT)) [state]"},
		{"it is there", onFlannel + networks("nat nat", "cbr0 L2Bridge"), "pass"},
		{"in another case", onFlannel + networks("CBR0 l2bridge"), "pass"},
		{"only leftovers", onFlannel + networks("nat nat", "External L2Bridge"),
			"fail: HNS network cbr0 is missing (found: nat (NAT), External (L2Bridge)) [state]"},
		{"no network at all", onFlannel + "-- hns-networks.json --\n[]\n",
			"fail: HNS network cbr0 is missing (found: none) [state]"},
		{"of the wrong type", overlayConf + networks("vxlan0 L2Bridge"),
			"fail: HNS network vxlan0 is of type L2Bridge, and the plugin win-overlay needs Overlay [state]"},
		{"of the right type", overlayConf + networks("vxlan0 Overlay"), "pass"},
		{"on Azure an l2bridge is an l2tunnel",
			"-- files/C/k/cni/config/cni.conf --\n{\"name\":\"l2bridge\",\"type\":\"sdnbridge\"}\n" + networks("l2bridge L2Tunnel"), "pass"},
		{"Calico adds a suffix", onCalico + networks("Calico.4 Overlay"), "pass"},
		{"Calico's is gone", onCalico + networks("nat nat"),
			"fail: HNS network Calico is missing (found: nat (NAT)) [state]"},
		{"HNS was not asked", onFlannel, "unknown"},
		{"HNS was not asked, and the plugin complains", onFlannel + log, "unknown"},
		{"it is there, and an old log", onFlannel + networks("cbr0 L2Bridge") + log + renamed,
			"pass"},
		{"gone, and the logs say so", onFlannel + networks("nat nat") + renamed,
			"fail: HNS network cbr0 is missing (found: nat (NAT)) [state+text]"},
		{"a node of NAT only has no cluster network to miss",
			"-- files/C/etc/cni/net.d/nat.conf --\n{\"name\":\"nat\",\"type\":\"nat\"}\n" +
				networks("nat nat"), "unknown"},
	})
}

func TestVEthernetMissing(t *testing.T) {
	adapters := func(list string) string {
		return onFlannel + "-- adapters.json --\n[" + list + "]\n"
	}
	const uplink = `{"name":"Ethernet","description":"vmxnet3","status":"up"},`
	const fault = "fail: No vEthernet adapter is connected to the pod network's switch (found: "
	runLooks(t, "vethernet-missing", []look{
		{"it is there", adapters(uplink + `{"name":"vEthernet (Ethernet)","compartment":1}`),
			"pass"},
		{"of an uplink of any name", adapters(`{"name":"vEthernet (Ethernet Instance 0 2)"}`),
			"pass"},
		{"in another language", adapters(`{"name":"vEthernet (以太网)","compartment":1}`), "pass"},
		{"NAT has one of its own", adapters(uplink + `{"name":"vEthernet (nat)","compartment":1}`),
			fault + "Ethernet, vEthernet (nat)) [state]"},
		{"so has HNS", adapters(uplink + `{"name":"vEthernet (HNS Internal NIC)","compartment":1}`),
			fault + "Ethernet, vEthernet (HNS Internal NIC)) [state]"},
		{"an endpoint of the host is not its adapter",
			adapters(uplink + `{"name":"vEthernet (cbr0_ep)","compartment":1}`),
			fault + "Ethernet, vEthernet (cbr0_ep)) [state]"},
		{"a container's", adapters(uplink + `{"name":"vEthernet (cid-1f2e)"}`),
			fault + "Ethernet, vEthernet (cid-1f2e)) [state]"},
		{"a container's of docker", adapters(uplink + `{"name":"vEthernet (1874405083e0)"}`),
			fault + "Ethernet, vEthernet (1874405083e0)) [state]"},
		{"a container's in its compartment",
			adapters(uplink + `{"name":"vEthernet (Ethernet) 2","compartment":3}`),
			fault + "Ethernet, vEthernet (Ethernet) 2) [state]"},
		{"none is recorded", adapters(""), "unknown"},
		{"nobody looked", onFlannel, "unknown"},
		{"a transparent network has no such adapter",
			"-- services.json --\n[{\"name\":\"antrea-agent\",\"state\":\"running\"}]\n-- hns-networks.json --\n[{\"Name\":\"antrea-hnsnetwork\",\"Type\":\"Transparent\"}]\n-- adapters.json --\n[" + uplink[:len(uplink)-1] + "]\n", "skip"},
		{"the start script's second run prints it on a healthy node",
			onFlannel + "-- logs/start/start.log --\nInvoke-HnsRequest : @{Error=An adapter was not found. ; ErrorCode=2151350278; Success=False}\n", "unknown"},
	})
}
