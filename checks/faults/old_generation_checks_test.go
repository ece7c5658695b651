package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

func adapterList(names ...string) string {
	var list []string
	for _, n := range names {
		list = append(list, fmt.Sprintf(`{"name":%q,"status":"up"}`, n))
	}
	return "-- adapters.json --\n[" + strings.Join(list, ",") + "]\n"
}

var (
	oldNode    = nodeOf("v1.5.3", "docker://1.12.2-cs2-ws-beta")
	sixthNode  = nodeOf("v1.6.1", "docker://17.3.1")
	modernNode = nodeOf("v1.29.9", "containerd://1.7.2")
)

func TestTransparentNetworkMissing(t *testing.T) {
	network := func(name, kind string) string {
		return fmt.Sprintf("-- hns-networks.json --\n[{\"ID\":\"n\",\"Name\":%q,\"Type\":%q}]\n",
			name, kind)
	}
	const podnet = "-- env.json --\n{\"CONTAINER_NETWORK\":\"podnet\"}\n"
	runLooks(t, "transparent-network-missing", []look{
		{"all is there", oldNode + adapterList("Ethernet", "vEthernet (HNSTransparent)") +
			network("podnet", "transparent") + podnet, "pass"},
		{"the host is not on it", oldNode + adapterList("Ethernet"),
			"fail: Host adapter vEthernet (HNSTransparent) is missing: the host is not on the pod network [state]"},
		{"the kubelet is told another network",
			oldNode + adapterList("vEthernet (HNSTransparent)") + network("l3net", "transparent") +
				podnet, "fail: HNS network podnet, which the kubelet uses, is missing (found: l3net (Transparent)) [state]"},
		{"the adapter was given a shorter name", oldNode + adapterList("HNSTransparent"), "pass"},
		{"pods are on an l2bridge", oldNode + adapterList("Ethernet") + network("l2bridge",
			"L2Bridge"), "skip"},
		{"the kubelet's log alone", oldNode + logTelling("kubelet",
			"RunContainerError: \"runContainer: Error response from daemon: network l3net not found\""),
			"fail: the Docker network that the kubelet uses is missing [text]"},
		{"docker tells somebody else so", oldNode + logTelling("docker",
			"Error response from daemon: network app_default not found"), "unknown"},
		{"a list without adapters", oldNode + "-- adapters.json --\n[]\n", "unknown"},
		{"a modern node", modernNode + adapterList("Ethernet"), "skip"},
	})
}

func TestRoutingServiceOff(t *testing.T) {
	services := func(rras string) string {
		return "-- services.json --\n[{\"name\":\"docker\",\"state\":\"running\"},{\"name\":\"hns\",\"state\":\"running\"},{\"name\":\"iphlpsvc\",\"state\":\"running\"},{\"name\":\"mpssvc\",\"state\":\"running\"}" + rras + "]\n"
	}
	runLooks(t, "routing-service-off", []look{
		{"it runs", oldNode +
			services(`,{"name":"RemoteAccess","state":"running","startType":"automatic"}`), "pass"},
		{"it is stopped",
			oldNode + services(`,{"name":"remoteaccess","state":"stopped","startType":"disabled"}`),
			"fail: Service remoteaccess is stopped: no routing between the pod network and other nodes [state]"},
		{"the role is not there", oldNode + services(""),
			"fail: Service RemoteAccess is missing: no routing between the pod network and other nodes [state]"},
		{"until the next reboot",
			oldNode + services(`,{"name":"RemoteAccess","state":"running","startType":"manual"}`),
			"warn: Service RemoteAccess has start type manual: routing stops after a reboot [state]"},
		{"two services that somebody wrote down",
			oldNode + "-- services.json --\n[{\"name\":\"docker\",\"state\":\"running\"}]\n",
			"unknown"},
		{"a modern node has it stopped by default",
			modernNode +
				services(`,{"name":"RemoteAccess","state":"stopped","startType":"disabled"}`),
			"skip"},
	})
}

func TestServiceSwitchMissing(t *testing.T) {
	const told = "-- env.json --\n{\"INTERFACE_TO_ADD_SERVICE_IP\":\"vEthernet (KubeProxySwitch)\"}\n"
	const script = "-- files/C/k/kubeproxystart.ps1 --\n$env:INTERFACE_TO_ADD_SERVICE_IP=\"vEthernet (Services)\"\nc:\\k\\kube-proxy.exe --proxy-mode=userspace\n"
	runLooks(t, "service-switch-missing", []look{
		{"it is there", oldNode + told + adapterList("vEthernet (KubeProxySwitch)"), "pass"},
		{"it is not", oldNode + told + adapterList("Ethernet", "vEthernet (HNSTransparent)"),
			"fail: Adapter vEthernet (KubeProxySwitch), which kube-proxy uses for Service addresses, is missing [state]"},
		{"it is there and down",
			oldNode + told + replace(adapterList("vEthernet (KubeProxySwitch)"), `"up"`,
				`"disabled"`),
			"fail: Adapter vEthernet (KubeProxySwitch), which kube-proxy uses for Service addresses, is disabled (expected: up) [state]"},
		{"the start script names another", oldNode + script + adapterList("Ethernet"),
			"fail: Adapter vEthernet (Services), which kube-proxy uses for Service addresses, is missing [state]"},
		{"told none, and it is there", oldNode + adapterList("Ethernet",
			"vEthernet (KubeProxySwitch)"), "pass"},
		{"told none, it falls back on the pod network's", oldNode + adapterList("Ethernet",
			"vEthernet (HNSTransparent)"),
			"warn: Adapter vEthernet (KubeProxySwitch) is missing: kube-proxy puts Service addresses on vEthernet (HNSTransparent) instead [state]"},
		{"told none, and nothing to fall back on", oldNode + adapterList("Ethernet"),
			"fail: Adapter vEthernet (KubeProxySwitch) is missing, and so is every fallback of kube-proxy for Service addresses [state]"},
		{"a list without adapters", oldNode + "-- adapters.json --\n[]\n", "unknown"},
		{"a modern node", modernNode + told + adapterList("Ethernet"), "skip"},
	})
}

func TestPortproxyDNSUDP(t *testing.T) {
	const services = "-- api/services.json --\n{\"items\":[{\"metadata\":{\"name\":\"kube-dns\",\"namespace\":\"kube-system\"},\"spec\":{\"clusterIP\":\"10.96.0.10\"}}]}\n"
	probes := func(from, udp, tcp string) string {
		probe := `{"name":"a.","server":"10.96.0.10:53","transport":%q,"from":%q,"outcome":%q}`
		return "-- probes/dns.json --\n[" + fmt.Sprintf(probe, "udp", from, udp) + "," +
			fmt.Sprintf(probe, "tcp", from, tcp) + "]\n"
	}
	const pod = "-- processes.json --\n[{\"pid\":1,\"name\":\"kubelet.exe\",\"args\":[\"--cluster-dns=192.168.0.12\"]}]\n"
	const limit = "warn: pods use the Service address 10.96.0.10 for DNS over UDP, and kube-proxy v1.5.3 forwards only TCP [state]"
	runLooks(t, "portproxy-dns-udp", []look{
		{"TCP is answered and UDP is not", oldNode + services + probes("default/a", "timeout",
			"ok"), "fail: cluster DNS 10.96.0.10 answers pods over TCP, but not over UDP: kube-proxy v1.5.3 forwards only TCP [state]"},
		{"a name that is not there is an answer too", oldNode + services + probes("default/a",
			"nxdomain", "nxdomain"), "pass"},
		{"neither is answered: another fault", oldNode + services + probes("default/a", "timeout",
			"timeout"), "unknown"},
		{"nobody tried", oldNode + services, limit},
		{"only the node tried", oldNode + services + probes("node", "timeout", "ok"), limit},
		{"pods are given the address of a pod", oldNode + services + pod, "pass"},
		{"Services are not recorded", oldNode + pod, "unknown"},
		{"1.6 forwards UDP", sixthNode + services, "skip"},
		{"a modern node", modernNode + services, "skip"},
	})
}

func TestOVSNetworkMissing(t *testing.T) {
	const conf = "-- files/C/etc/cni/net.d/ovn.conf --\n{\"name\":\"net\",\"type\":\"ovn_cni.exe\"}\n"
	ovn := nodeOf("v1.9.3", "docker://17.6.2") + conf
	services := func(state string) string {
		return "-- services.json --\n[{\"name\":\"docker\",\"state\":\"running\"},{\"name\":\"hns\",\"state\":\"running\"},{\"name\":\"kubelet\",\"state\":\"running\"},{\"name\":\"ovs-vswitchd\",\"state\":\"" + state + "\"}]\n"
	}
	network := func(kind, extension string) string {
		return "-- hns-networks.json --\n[{\"ID\":\"n\",\"Name\":\"external\",\"Type\":\"" + kind +
			"\"" + extension + "}]\n"
	}
	runLooks(t, "ovs-network-missing", []look{
		{"all is there", ovn + services("running") + network("transparent",
			`,"Extensions":[{"Id":"583CC151-73EC-4A6A-8B47-578297AD7623","IsEnabled":true}]`),
			"pass"},
		{"a record without extensions says nothing of them",
			ovn + services("running") + network("Transparent", ""), "pass"},
		{"no transparent network", ovn + services("running") + network("nat", ""),
			"fail: HNS network external (transparent) is missing (found: external (NAT)) [state]"},
		{"the service is stopped", ovn + services("stopped") + network("transparent", ""),
			"fail: Service ovs-vswitchd is stopped: pod traffic is not forwarded [state]"},
		{"the extension is off", ovn + services("running") + network("transparent",
			`,"Extensions":[{"Id":"583CC151-73EC-4A6A-8B47-578297AD7623","IsEnabled":false,"Name":"Cloudbase Open vSwitch Extension"}]`),
			"fail: the extension of Open vSwitch is not enabled on the switch of HNS network external [state]"},
		{"HNS of 1803 lists it as off though it works, says ovn-kubernetes pull request 356",
			ovn + services("running") + network("transparent",
				`,"Extensions":[{"Id":"583cc151-73ec-4a6a-8b47-578297ad7623","IsEnabled":false,"Name":"Cloudbase Open vSwitch Extension"}]`) +
				"-- os.json --\n{\"build\":17134}\n", "pass"},
		{"ovs-vsctl came before the database", ovn + logTelling("openvswitch",
			"ovs-vsctl: unix:C:/ProgramData/openvswitch/db.sock: database connection failed (No such file or directory)"),
			"unknown"},
		{"no service, and hardly any recorded",
			ovn + "-- services.json --\n[{\"name\":\"docker\",\"state\":\"running\"}]\n" +
				network("transparent", ""), "unknown"},
		{"wincni of the same years", nodeOf("v1.9.3", "docker://17.6.2") +
			"-- files/C/k/cni/config/l2.conf --\n{\"name\":\"l2bridge\",\"type\":\"wincni.exe\"}\n" + services("stopped") + network("L2Bridge", ""), "skip"},
		{"a modern node", modernNode + services("stopped") + network("NAT", ""), "skip"},
	})
}
