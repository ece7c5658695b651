package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestHNSElementNotFound(t *testing.T) {
	state := func(version, id string) string {
		return fmt.Sprintf(
			"-- files/C/k/azure-vnet.json --\n{\"Network\":{\"Version\":%q,\"ExternalInterfaces\":{\"Ethernet\":{\"Networks\":{\"azure\":{\"Id\":\"azure\",\"HnsId\":%q}}}}}}\n", version, id)
	}
	const have = "-- hns-networks.json --\n[{\"ID\":\"D2DAB241-0000-0000-0000-000000000001\",\"Name\":\"azure\",\"Type\":\"L2Bridge\"}]\n"
	const same, other = "d2dab241-0000-0000-0000-000000000001",
		"d2dab241-0000-0000-0000-00000000000f"
	const written = "-- files.json --\n[{\"path\":\"C:\\\\k\\\\azure-vnet.json\",\"outcome\":\"copied\",\"modifiedAt\":\"2026-11-19T10:00:00Z\"}]\n-- os.json --\n{\"build\":20348,\"bootedAt\":\"2026-11-20T02:00:00Z\"}\n"
	const fault = "fail: azure-vnet uses HNS network azure with id " + other +
		", and HNS has no network with that id"
	says := func(line string) string {
		return "-- logs/kubelet/kubelet.log --\nE1120 09:59:00.000000    3912 cni.go:366] " + line +
			"\n"
	}
	const gone = "fail: the HNS network of the CNI plugin no longer exists [text]"
	refused := says(
		"Failed to create endpoint: hnsCall failed in Win32: Element not found. (0x490)")
	runLooks(t, "hns-element-not-found", []look{
		{"the network is there", state("v1.6.21", same) + have, "pass"},
		{"it has another id", state("v1.6.21", other) + have, fault + " [state]"},
		{"it has another id, and pods are refused", state("v1.6.21", other) + have + refused,
			fault + " [state+text]"},
		{"a file from before the boot is discarded", state("v1.6.21", other) + have + written,
			"pass"},
		{"not by an old version", state("v1.0.12", other) + have + written, fault + " [state]"},
		{"nor where pods are refused", state("v1.6.21", other) + have + written + refused,
			fault + " [state+text]"},
		{"HNS was not asked", state("v1.6.21", other), "unknown"},
		{"the file is cut off", "-- files/C/k/azure-vnet.json --\n{\"Network\":\n" + have,
			"unknown"},
		{"the text of the oldest versions",
			says("Failed to create endpoint: HNS failed with error : Element not found."), gone},
		{"the code in another language",
			says("failed to create the new HNSEndpoint: hnsCall failed in Win32: Elemento no encontrado. (0x490)"), gone},
		{"a load balancer's is another fault",
			says("hcnCreateLoadBalancer failed in Win32: Element not found. (0x490) for endpoint"),
			"unknown"},
		{"a quiet log", says("all is well"), "unknown"},
		{"no log and no file", onFlannel, "unknown"},
		{"a container of docker's own network", logTelling("docker",
			"failed to create endpoint web on network nat: HNS failed with error : Element not found."), "unknown"},
		{"an endpoint that was to be deleted", says("Failed to delete endpoint: HNS failed with error : Element not found."),
			"unknown"},
	})
}

func TestObjectAlreadyExists(t *testing.T) {
	const host = "-- hns-endpoints.json --\n[{\"Name\":\"cbr0_ep\",\"IPAddress\":\"10.244.2.2\",\"PrefixLength\":24,\"VirtualNetworkName\":\"cbr0\"}]\n"
	const quiet = "-- logs/kubelet/kubelet.log --\nI1120 09:59:00.000000    3912 kubelet.go:1] well\n"
	lease := func(address, holder string) string {
		return "-- files/C/var/lib/cni/networks/cbr0/" + address + " --\n" + holder + "\r\neth0\n"
	}
	id := strings.Repeat("7f1c", 16)
	says := func(line string) string {
		return "-- logs/kubelet/kubelet.log --\nE1120 cni.go:366] " + line + "\n"
	}
	const text = "fail: HNS refuses a pod's endpoint: its address or name is in use [text]"
	runLooks(t, "object-already-exists", []look{
		{"the host's address was given away", onFlannel + host + quiet + lease("10.244.2.2", id),
			"fail: host-local reserved 10.244.2.2 for container 7f1c7f1c7f1c, but the host's endpoint cbr0_ep already uses it [state]"},
		{"somebody reserved it to keep it free", onFlannel + host + quiet + lease("10.244.2.2",
			"gateway"), "unknown"},
		{"another address", onFlannel + host + quiet + lease("10.244.2.7", id), "unknown"},
		{"an orphan is told by the refusal",
			onFlannel + host +
				says("failed to create the new HNSEndpoint: hnsCall failed in Win32: Das Objekt ist bereits vorhanden. (0x1392)"), text},
		{"through the second interface",
			says(`hcnCreateEndpoint failed in Win32: The object already exists. (0x1392) {"Success":false,"ErrorCode":5010}`), text + ""},
		{"a route that exists is harmless",
			says("could not create IP forward entry: The object already exists. (0x1392)"), "unknown"},
		{"no log was read", onFlannel + host, "unknown"},
	})
}

func TestCNINetworkNotFound(t *testing.T) {
	conf := func(name, plugin string) string {
		return "-- files/C/k/cni/config/cni.conf --\n" +
			fmt.Sprintf(`{"name":%q,"type":"flannel","delegate":{"type":%q}}`, name, plugin) + "\n"
	}
	const wrongType = "-- logs/kubelet/kubelet.log --\nE1120 cni.go:366] network vxlan0 is of unexpected type: Overlay\n"
	const missed = "-- logs/kubelet/kubelet.log --\nE1120 cni.go:366] error while GETHNSNewtorkByName(cbr0): Network cbr0 not found\n"
	const own = "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"spec\":{\"podCIDR\":\"10.244.2.0/24\"}}\n-- hns-networks.json --\n[{\"Name\":\"pods\",\"Type\":\"L2Bridge\",\"Subnets\":[{\"AddressPrefix\":\"10.244.2.0/24\"}]}]\n"
	const onOVN = `-- api/node.json --
{"metadata":{"name":"win-1","annotations":{"k8s.ovn.org/hybrid-overlay-node-subnet":"10.132.2.0/24"}}}
-- hns-networks.json --
[{"ID":"a","Name":"BaseOVNKubernetesHybridOverlayNetwork","Type":"Overlay"},{"ID":"b","Name":"OVNKubernetesHybridOverlayNetwork","Type":"Overlay"}]
`
	stale := "-- files/C/k/cni/config/cni.conf --\n" + `{"name":"cbr0","type":"sdnbridge"}` + "\n"
	const antrea = "-- processes.json --\n[{\"name\":\"antrea-agent.exe\"}]\n-- hns-networks.json --\n[{\"Name\":\"antrea-hnsnetwork\",\"Type\":\"Transparent\"}]\n"
	runLooks(t, "cni-network-not-found", []look{
		{"name and type fit", conf("cbr0", "win-bridge") + networks("nat nat", "cbr0 L2Bridge"),
			"pass"},
		{"win-bridge on an overlay", conf("vxlan0", "win-bridge") + networks("vxlan0 Overlay"),
			"fail: cni.conf uses the plugin win-bridge, which needs a network of type L2Bridge, and vxlan0 is of type Overlay [state]"},
		{"on Azure an l2bridge is an l2tunnel",
			conf("cbr0", "win-bridge") + networks("cbr0 L2Tunnel"), "pass"},
		{"flannel's network has another name", conf("vxlan0", "win-overlay") +
			networks("flannel.4096 Overlay"),
			"fail: cni.conf uses the HNS network vxlan0, but the pod network is flannel.4096 (Overlay) [state]"},
		{"the network with the podCIDR", conf("cbr0", "win-bridge") + own,
			"fail: cni.conf uses the HNS network cbr0, but the pod network is pods (L2Bridge) [state]"},
		{"two networks of the plugin, and pods on one", "-- files/C/k/cni/config/cni.conf --\n{\"name\":\"OVNKubernetesOverlay\",\"type\":\"win-overlay\"}\n" + onOVN +
			"-- hns-endpoints.json --\n[{\"ID\":\"e\",\"HostComputeNetwork\":\"B\",\"HostComputeNamespace\":\"n\"}]\n",
			"fail: cni.conf uses the HNS network OVNKubernetesOverlay, but the pod network is OVNKubernetesHybridOverlayNetwork (Overlay) [state]"},
		{"no pod network at all is another fault", conf("cbr0", "win-bridge") + networks("nat nat",
			"External L2Bridge"), "pass"},
		{"Antrea runs, and the runtime reads what flannel left", stale + antrea,
			"fail: the runtime reads cni.conf with the plugin sdnbridge, but the network plugin of this node is antrea [state]"},
		{"the same, and Antrea's is elsewhere", stale + antrea +
			"-- files/C/etc/cni/net.d/10-antrea.conflist --\n{\"name\":\"antrea\",\"plugins\":[{\"type\":\"antrea\"}]}\n",
			"fail: the runtime reads cni.conf with the plugin sdnbridge, but the network plugin of this node is antrea [state]"},
		{"a network that Antrea left", stale + networks("antrea-hnsnetwork Transparent"), "skip"},
		{"Antrea runs, and the network of the configuration is there", stale + antrea[:len(antrea)-2] + `,{"Name":"cbr0","Type":"L2Bridge"}]` + "\n", "skip"},
		{"sdnoverlay makes its own", conf("vxlan0", "sdnoverlay") +
			networks("flannel.4096 Overlay"), "skip"},
		{"so does Azure's",
			"-- files/C/k/azurecni/netconf/10-azure.conflist --\n{\"name\":\"azure\",\"plugins\":[{\"type\":\"azure-vnet\"}]}\n" + networks("nat nat"), "skip"},
		{"HNS was not asked", conf("cbr0", "win-bridge"), "unknown"},
		{"HNS was not asked, and the plugin names the type", wrongType,
			"fail: the CNI plugin finds an HNS network of the wrong type [text]"},
		{"a network that is not found may not be there", missed,
			"fail: the CNI plugin cannot find its HNS network: it is missing or has another name [text]"},
		{"flanneld created it since", logTelling("kubelet", "E1120 09:50:00.000000 1 cni.go:366] error while GETHNSNewtorkByName(cbr0): Network cbr0 not found") +
			"-- logs/flanneld/f.log --\nI1120 09:50:09.000000 1 hostgw_windows.go:1] Created HNSNetwork cbr0\n",
			"info: the logs say: the CNI plugin cannot find its HNS network: it is missing or has another name; it is over: a later line says: Created HNSNetwork [text]"},
	})
}

func TestCNIWrongRuntimePlugin(t *testing.T) {
	conf := func(version string) string {
		return "-- files/C/k/cni/config/cni.conf --\n{\"name\":\"vxlan0\",\"type\":\"flannel\",\"delegate\":{\"type\":\"win-overlay\"" + version + "}}\n"
	}
	const pod = "-- api/pods.json --\n[{\"metadata\":{\"name\":\"web\",\"namespace\":\"default\"},\"status\":{\"phase\":\"Running\",\"podIP\":\"10.244.2.5\",\"hostIP\":\"10.0.0.4\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}]\n"
	const missed = "-- logs/containerd/containerd.log --\nerror while ProvisionEndpoint(6c2b_vxlan0,5A1E,6c2b): failed to find HNSEndpoint 6c2b_vxlan0: Endpoint 6c2b_vxlan0 not found\n"
	const text = "fail: the CNI plugin uses the Docker HNS API and cannot find the pod's endpoint [text]"
	containerd, docker := nodeOf("v1.28.4", "containerd://1.7.20"),
		nodeOf("v1.19.7", "docker://19.3.14")
	runLooks(t, "cni-wrong-runtime-plugin", []look{
		{"the first interface under containerd", containerd + conf(""),
			`warn: cni.conf uses win-overlay without "apiVersion": 2, which does not work under containerd [state]`},
		{"and pods wait", containerd + conf("") + podsJSON(podJSON("", "", `{"phase":"Pending"}`)),
			`fail: cni.conf uses win-overlay without "apiVersion": 2, which does not work under containerd [state]`},
		{"a pod has an address all the same", containerd + conf("") + pod,
			`warn: cni.conf uses win-overlay without "apiVersion": 2, which does not work under containerd; the pods that run were made otherwise [state]`},
		{"the second interface", containerd + conf(`,"apiVersion":2`), "pass"},
		{"a plugin older than its configuration", containerd + conf(`,"apiVersion":2`) + missed,
			text},
		{"another plugin", containerd + onCalico, "pass"},
		{"docker wants the first", docker + conf(""), "skip"},
		{"the runtime is not known", conf(""), "unknown"},
		{"the log alone", missed, text},
		{"no configuration is recorded", containerd, "unknown"},
		{"an endpoint is gone when its pod is deleted", containerd + conf(`,"apiVersion":2`) +
			logTelling("containerd", `StopPodSandbox for "6c2b" failed" error="failed to destroy network for sandbox \"6c2b\": failed to find HNSEndpoint 6c2b_vxlan0: Endpoint 6c2b_vxlan0 not found"`),
			"pass"},
	})
}

// microsoft/windows-container-networking#40: sdnbridge gave pods the gateway of the network.
func TestGatewayOfABridge(t *testing.T) {
	tree := func(gateway, adapter string) string {
		return "-- hns-endpoints.json --\n[{\"ID\":\"h\",\"Name\":\"cbr0_ep\",\"IPAddress\":\"10.244.2.2\",\"PrefixLength\":24,\"VirtualNetwork\":\"N\"},{\"ID\":\"b\",\"Name\":\"web\",\"IPAddress\":\"10.244.2.5\",\"PrefixLength\":24,\"VirtualNetwork\":\"N\",\"GatewayAddress\":\"" + gateway + "\"}]\n" +
			"-- hns-networks.json --\n[{\"ID\":\"N\",\"Name\":\"cbr0\",\"Type\":\"L2Bridge\",\"Subnets\":[{\"AddressPrefix\":\"10.244.2.0/24\",\"GatewayAddress\":\"10.244.2.1\"}]}]\n" +
			"-- adapters.json --\n[{\"name\":\"Ethernet0\",\"addresses\":[\"10.0.0.10/24\"]}" + adapter + "]\n" +
			podSince("2026-11-20T09:00:00Z")
	}
	const attached = `,{"name":"vEthernet (cbr0_ep)","status":"up","addresses":["10.244.2.2/24"]}`
	node := replace(nodeAt10, "10.244.3.0", "10.244.2.0")
	const wrong = "warn: endpoint web (10.244.2.5/24) of pod default/web has the gateway 10.244.2.1 (expected: 10.244.2.2/24 of cbr0_ep) [state]"
	runLooks(t, "hns-object-inconsistent", []look{
		{"the gateway of the network", onFlannel + node + tree("10.244.2.1", attached), wrong},
		{"and no pod of another node answers", onFlannel + node + tree("10.244.2.1", attached) +
			reachTree("default/web tcp 10.244.1.3:53 timeout", "default/web tcp 10.0.0.1:443 ok"), wrong},
		{"a pod of another node answers", onFlannel + node + tree("10.244.2.1", attached) +
			reachTree("default/web tcp 10.244.1.3:53 ok"), "pass"},
		{"a pod of this node answers", onFlannel + node + tree("10.244.2.1", attached) +
			reachTree("default/web tcp 10.244.2.6:80 ok"), wrong},
		{"the gateway of the host's endpoint", onFlannel + node + tree("10.244.2.2", attached), "pass"},
		{"the host's endpoint is not attached", onFlannel + node + tree("10.244.2.1", ""),
			"warn: the host has no adapter with the address 10.244.2.2 of its endpoint cbr0_ep [state]"},
		{"another plugin", onCalico + node + tree("10.244.2.1", attached), "pass"},
	})
}

// Some configurations of CNI give all pods one list of DNS suffixes, such as that of the namespace default.
func TestPodSearchesItsNamespace(t *testing.T) {
	tree := func(searches ...string) string {
		var endpoints []string
		for i, search := range searches {
			endpoints = append(endpoints, fmt.Sprintf(`{"ID":"%d","Name":"e%[1]d","IPAddress":"10.244.2.%[1]d","PrefixLength":24,"VirtualNetwork":"N","DNSSuffix":%q}`, 5+i, search))
		}
		_, web, _ := strings.Cut(podSince("2026-11-20T09:00:00Z"), `{"items":[`)
		web = strings.TrimSuffix(strings.Replace(web, `"spec":{`, `"spec":{"dnsPolicy":"ClusterFirst",`, 1), "]}\n")
		api := strings.NewReplacer("web", "api", "default", "shop", "2.5", "2.6").Replace(web)
		return onFlannel + nodeAt10 + "-- api/pods.json --\n{\"items\":[" + web + "," + api + "]}\n" +
			"-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\",\"args\":[\"--cluster-dns=10.96.0.10\"]}]\n" +
			"-- hns-networks.json --\n[{\"ID\":\"N\",\"Name\":\"cbr0\",\"Type\":\"L2Bridge\",\"Subnets\":[{\"AddressPrefix\":\"10.244.2.0/24\",\"GatewayAddress\":\"10.244.2.1\"}]}]\n" +
			"-- hns-endpoints.json --\n[" + strings.Join(endpoints, ",") + "]\n"
	}
	runLooks(t, "hns-object-inconsistent", []look{
		{"each its own", tree("default.svc.cluster.local", "shop.svc.cluster.local"), "pass"},
		{"one has none of a namespace", tree("default.svc.cluster.local", "svc.cluster.local"),
			"warn: endpoint e6 (10.244.2.6/24) of pod shop/api does not search shop.svc.<domain>, as other pods do [state]"},
		{"all have one list", tree("default.svc.cluster.local", "default.svc.cluster.local"), "pass"},
	})
}

// microsoft/Windows-Containers 618 and Azure/AKS 5653
func TestEndpointsWithoutAPodAndPodsWithoutAnEndpoint(t *testing.T) {
	sandbox := strings.Repeat("5e", 32)
	endpoint := func(id, name, ip, of string) string {
		return fmt.Sprintf(`{"ID":%q,"Name":%q,"HostComputeNetwork":"N","HostComputeNamespace":%q,"SchemaVersion":{"Major":2},"IpConfigurations":[{"IpAddress":%q,"PrefixLength":24}]}`,
			id, name, of, ip)
	}
	tree := func(endpoints, namespaces string) string {
		return onFlannel + nodeAt10 + podSince("2026-11-20T09:00:00Z") + "-- hns-endpoints.json --\n[" + endpoints + "]\n" +
			"-- hns-networks.json --\n[{\"ID\":\"N\",\"Name\":\"cbr0\",\"Type\":\"L2Bridge\",\"Subnets\":[{\"AddressPrefix\":\"10.244.2.0/24\",\"GatewayAddress\":\"10.244.2.1\"}]},{\"ID\":\"M\",\"Name\":\"m\",\"Type\":\"L2Bridge\",\"Subnets\":[{\"AddressPrefix\":\"10.244.2.0/24\",\"GatewayAddress\":\"10.244.2.1\"}]}]\n" + namespaces
	}
	holds := func(kind, id string) string {
		return `-- hns-namespaces.json --` + "\n" + `[{"ID":"S","Resources":[{"Type":"Container","Data":{"ID":"` + sandbox + `"}},{"Type":"` + kind + `","Data":{"ID":"` + id + `"}}]}]` + "\n"
	}
	of := endpoint("a", sandbox+"_cbr0", "10.244.2.5", "")
	const lost = "fail: endpoint 5e5e5e5e5e5e… (10.244.2.5/24) of pod default/web is in no namespace: the pod has no network adapter [state]"
	runLooks(t, "hns-object-inconsistent", []look{
		{"the namespace of the sandbox does not list it", tree(of, holds("Endpoint", "b")), lost},
		{"the namespace lists it", tree(of, holds("Endpoint", "A")), "pass"},
		{"the endpoint names its namespace", tree(endpoint("a", sandbox+"_cbr0", "10.244.2.5", "S"), holds("Endpoint", "a")), "pass"},
		{"namespaces were not recorded", tree(of, ""), "pass"},
		{"an endpoint that is not named after its sandbox", tree(endpoint("a", "web", "10.244.2.5", ""), holds("Endpoint", "b")), "pass"},
		{"an endpoint of before has the address", tree(endpoint("a", "web", "10.244.2.5", "S")+","+endpoint("b", "old", "10.244.2.5", ""), ""),
			"fail: endpoint old (10.244.2.5/24) of pod default/web shares its address 10.244.2.5 with another endpoint [state]"},
		{"another network has the address", tree(endpoint("a", "web", "10.244.2.5", "S")+","+
			strings.Replace(endpoint("b", "old", "10.244.2.5", ""), `"N"`, `"M"`, 1), ""), "pass"},
	})
}

// TestAnEndpointWithoutAnAdapter: the adapter of a pod with Hyper-V isolation is in its virtual machine, and
// a list that lacks the adapter of a pod may be of another moment.
func TestAnEndpointWithoutAnAdapter(t *testing.T) {
	tree := func(class string, adapters ...string) string {
		var endpoints, list []string
		for i := range 3 {
			endpoints = append(endpoints, fmt.Sprintf(`{"ID":"%d","Name":"e%[1]d","HostComputeNetwork":"N","HostComputeNamespace":"S%[1]d","SchemaVersion":{"Major":2},"IpConfigurations":[{"IpAddress":"10.244.2.%[1]d","PrefixLength":24}]}`, 5+i))
		}
		for i, ip := range adapters {
			list = append(list, fmt.Sprintf(`{"name":"vEthernet (e%d)","compartment":%d,"status":"up","addresses":["10.244.2.%s/24"]}`, i, i+2, ip))
		}
		return onFlannel + nodeAt10 + strings.Replace(podSince("2026-11-20T09:00:00Z"), `"spec":{`, `"spec":{"runtimeClassName":"`+class+`",`, 1) +
			"-- hns-networks.json --\n[{\"ID\":\"N\",\"Name\":\"cbr0\",\"Type\":\"L2Bridge\",\"Subnets\":[{\"AddressPrefix\":\"10.244.2.0/24\",\"GatewayAddress\":\"10.244.2.1\"}]}]\n" +
			"-- hns-endpoints.json --\n[" + strings.Join(endpoints, ",") + "]\n-- adapters.json --\n[" + strings.Join(list, ",") + "]\n"
	}
	runLooks(t, "hns-object-inconsistent", []look{
		{"each has one", tree("", "5", "6", "7"), "pass"},
		{"it alone has none, and the list may be of before", tree("", "6", "7"), "pass"},
		{"an adapter has an address of no endpoint", tree("", "9", "6", "7"),
			"warn: no adapter has the address of endpoint e5 (10.244.2.5/24) of pod default/web, as it is for other pods [state]"},
		{"it is isolated with Hyper-V", tree("windows-hyperv", "9", "6", "7"), "pass"},
	})
}

func TestPodDNSConfigIgnored(t *testing.T) {
	pod := func(policy, more string) string {
		return replace(podSince("2026-11-20T09:00:00Z"), `"spec":{`, `"spec":{"dnsPolicy":"`+policy+`"`+more+`,`)
	}
	endpoint := func(server string) string {
		return "-- hns-endpoints.json --\n[{\"ID\":\"b\",\"Name\":\"web\",\"IPAddress\":\"10.244.2.5\",\"DNSServerList\":\"" + server + "\"}]\n"
	}
	conf := func(capabilities string) string {
		return "-- files/C/k/cni/config/cni.conf --\n{\"cniVersion\":\"0.2.0\",\"name\":\"cbr0\",\"type\":\"win-bridge\",\"capabilities\":{" + capabilities + "}}\n"
	}
	const own = `,"dnsConfig":{"nameservers":["192.168.1.100"]}`
	const ignored = "fail: cni.conf has no capability dns: pods do not get the nameservers of their dnsConfig: default/web [state]"
	runLooks(t, "pod-dns-config-ignored", []look{
		{"the nameserver of the cluster", pod("None", own) + endpoint("10.96.0.10") + conf(""), ignored},
		{"the plugin gets its ports only", pod("None", own) + endpoint("10.96.0.10") + conf(`"portMappings":true`), ignored},
		{"the plugin gets it", pod("None", own) + endpoint("10.96.0.10") + conf(`"dns":true`), "pass"},
		{"its own nameserver", pod("None", own) + endpoint("192.168.1.100") + conf(""), "pass"},
		{"one of two", pod("None", own) + endpoint("10.96.0.10,192.168.1.100") + conf(""), "pass"},
		{"HNS shows none", pod("None", own) + endpoint("") + conf(""), "unknown"},
		{"HNS shows none, and the plugin gets it", pod("None", own) + endpoint("") + conf(`"dns":true`), "pass"},
		{"ClusterFirst adds to that of the cluster", pod("ClusterFirst", own) + endpoint("10.96.0.10") + conf(""), "skip"},
		{"None without nameservers", pod("None", "") + endpoint("10.96.0.10") + conf(""), "skip"},
		{"nobody recorded the configuration", pod("None", own) + endpoint("10.96.0.10"), "unknown"},
	})
}
