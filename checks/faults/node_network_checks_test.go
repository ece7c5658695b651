package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestFlannelVXLANNodeToPod(t *testing.T) {
	tree := func(lines ...string) string {
		return onVXLAN + nodeAt10 + oneService + reachTree(lines...)
	}
	const limit = "info: the node does not reach 10.244.1.3:80, a pod of another node: documented limit of flannel VXLAN [state]"
	runLooks(t, "flannel-vxlan-node-to-pod", []look{
		{"a remote pod that a pod reaches", tree("node tcp 10.244.1.3:80 timeout",
			"a/p tcp 10.244.1.3:80 ok"), limit},
		{"a remote pod that nobody else tried", tree("node tcp 10.244.1.3:80 timeout"), limit},
		{"a remote pod that is dead", tree("node tcp 10.244.1.3:80 timeout",
			"a/p tcp 10.244.1.3:80 timeout"), "pass"},
		{"a remote pod that answers", tree("node tcp 10.244.1.3:80 ok"), "pass"},
		{"a local pod that others reach", tree("node tcp 10.244.3.4:80 timeout",
			"a/p tcp 10.244.3.4:80 ok") + osAt(20348, 1, true),
			"warn: the node does not reach its own pod 10.244.3.4:80, but a/p does: flannel before 0.12.0, or Windows without HostRoute [state]"},
		{"the same on Server 2019", tree("node tcp 10.244.3.4:80 timeout",
			"a/p tcp 10.244.3.4:80 ok") + osAt(17763, 1, true),
			"info: the node does not reach its own pod 10.244.3.4:80, but a/p does: flannel before 0.12.0, or Windows without HostRoute [state]"},
		{"only Services were probed", tree("node tcp 10.96.7.7:80 timeout"), "unknown"},
		{"host-gw routes", onFlannel + nodeAt10 + reachTree("node tcp 10.244.1.3:80 timeout"),
			"skip"},
	})
}

func TestVXLAN4789Conflict(t *testing.T) {
	hns := func(prefix string) string {
		return "-- hns-networks.json --\n[{\"ID\":\"A\",\"Name\":\"flannel.4096\",\"Type\":\"Overlay\",\"SchemaVersion\":{\"Major\":2,\"Minor\":0},\"Policies\":[{\"Type\":\"RemoteSubnetRoute\",\"Settings\":{\"DestinationPrefix\":\"" + prefix + "\"}}]}]\n"
	}
	tree := func(lines ...string) string { return onVXLAN + nodeAt10 + reachTree(lines...) }
	lost := []string{"a/p tcp 10.244.1.3:80 timeout", "a/p tcp 10.244.1.4:80 timeout"}
	out := append([]string{"a/p tcp 10.9.9.9:443 ok"}, lost...)
	const api = `-- api/services.json --
{"items":[{"metadata":{"name":"kubernetes","namespace":"default"},"spec":{"clusterIP":"10.96.0.1","ports":[{"name":"https","port":443}]}},
{"metadata":{"name":"kube-dns","namespace":"kube-system"},"spec":{"clusterIP":"10.96.0.10","ports":[{"name":"dns-tcp","port":53}]}}]}
-- api/endpointslices.json --
{"items":[{"metadata":{"name":"kubernetes","namespace":"default","labels":{"kubernetes.io/service-name":"kubernetes"}},"endpoints":[{"addresses":["10.0.0.1"]}],"ports":[{"name":"https","port":6443}]},
{"metadata":{"name":"kube-dns-1","namespace":"kube-system","labels":{"kubernetes.io/service-name":"kube-dns"}},"endpoints":[{"addresses":["10.244.1.3"]}],"ports":[{"name":"dns-tcp","port":53}]}]}
`
	const found = "warn: pods of other nodes do not answer, hosts outside the pod network do: %s probably drops UDP port 4789 [state]"
	runLooks(t, "vxlan-4789-conflict", []look{
		{"on vSphere",
			tree(out...) +
				"-- os.json --\n{\"build\":20348,\"machine\":{\"manufacturer\":\"VMware, Inc.\",\"model\":\"VMware7,1\"}}\n", fmt.Sprintf(found, "vSphere, whose own overlay uses the same port,")},
		{"on Windows Server 2025 before the update, too", tree(out...) + "-- os.json --\n{\"build\":26100,\"ubr\":4061}\n",
			fmt.Sprintf(found, "something between the nodes")},
		{"elsewhere", tree(out...) + hns("10.244.1.0/24"),
			fmt.Sprintf(found, "something between the nodes")},
		{"they answer a ping", tree(append(out, "a/p icmp 10.244.1.3 ok")...) + hns("10.244.1.0/24"),
			"warn: pods of other nodes answer a ping, and nothing over TCP: the checksums of overlay packets are probably wrong [state]"},
		{"they answer a ping of the node alone", tree(append(out, "node icmp 10.244.1.3 ok")...) + hns("10.244.1.0/24"),
			fmt.Sprintf(found, "something between the nodes")},
		{"HNS does not know the other node", tree(out...) + hns("10.244.9.0/24"), "unknown"},
		{"nothing answers pods at all", tree(lost...), "unknown"},
		{"one dead pod", tree(out[:2]...), "unknown"},
		{"the same pod twice", tree(out[0], out[1], out[1]), "unknown"},
		{"only HNS knows the pods of other nodes: kube-proxy has the node's own subnet",
			replace(onVXLAN+nodeAt10, "10.244.0.0/16", "10.244.3.0/24") + reachTree(out...) + hns("10.244.1.0/24"),
			fmt.Sprintf(found, "something between the nodes")},
		{"another pod answers", tree(append(out, "a/p tcp 10.244.1.5:80 refused")...), "pass"},
		// what rancher/rke2 calls a broken overlay: DNS is lost with it, so no name outside can be probed
		{"the API server answers through its Service, and CoreDNS does not", tree("a/p tcp 10.96.0.1:443 ok", "a/p tcp 10.96.0.10:53 timeout", lost[0], lost[1]) + api,
			fmt.Sprintf(found, "something between the nodes")},
		{"a Service without pods is silent, too", tree("a/p tcp 10.96.0.1:443 timeout", "a/p tcp 10.9.9.9:443 ok", lost[0], lost[1]) + api, "unknown"},
		{"the pod of a Service answers", tree("a/p tcp 10.96.0.10:53 ok", lost[0], lost[1]) + api, "unknown"},
		{"a pod of this node, whose subnet is not known", replace(onVXLAN+nodeAt10, "10.244.0.0/16", "10.244.3.0/24", `"podCIDR":"10.244.3.0/24"`, `"x":"y"`) +
			reachTree(append(out, "a/p tcp 10.244.1.9:80 ok")...) + hns("10.244.1.0/24") +
			"-- hns-endpoints.json --\n[{\"ID\":\"E\",\"Name\":\"e\",\"VirtualNetworkName\":\"flannel.4096\",\"IPAddress\":\"10.244.1.9\"}]\n",
			fmt.Sprintf(found, "something between the nodes")},
		{"only the node was asked", tree("node tcp 10.244.1.3:80 timeout",
			"node tcp 10.244.1.4:80 timeout"), "unknown"},
		{"no overlay", onFlannel + nodeAt10 + reachTree(out...), "skip"},
	})
}

func TestNodeAddressOnAnotherAdapter(t *testing.T) {
	adapters := func(gateway string) string {
		return "-- adapters.json --\n[{\"name\":\"vEthernet (Ethernet0)\",\"status\":\"up\",\"addresses\":[\"10.20.30.27/24\"],\"gateways\":[\"10.20.30.1\"]},{\"name\":\"Ethernet1\",\"status\":\"up\",\"addresses\":[\"192.168.90.27/24\"],\"gateways\":[" + gateway + "]}]\n"
	}
	at := func(ip string) string {
		return "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"spec\":{\"podCIDR\":\"10.244.3.0/24\"},\"status\":{\"addresses\":[{\"type\":\"InternalIP\",\"address\":\"" + ip + "\"}]}}\n"
	}
	others := func(ip string) string {
		return "-- api/nodes.json --\n{\"items\":[{\"metadata\":{\"name\":\"win-1\"},\"status\":{\"addresses\":[{\"type\":\"InternalIP\",\"address\":\"192.168.90.27\"}]}},{\"metadata\":{\"name\":\"linux-1\"},\"status\":{\"addresses\":[{\"type\":\"InternalIP\",\"address\":\"" + ip + "\"}]}}]}\n"
	}
	const network = "-- hns-networks.json --\n[{\"ID\":\"A\",\"Name\":\"cbr0\",\"Type\":\"L2Bridge\",\"ManagementIP\":\"10.20.30.27\"}]\n"
	const nodeIP = "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\",\"binPath\":\"C:\\\\k\\\\kubelet.exe\",\"args\":[\"--node-ip=192.168.90.27\"]}]\n"
	runLooks(t, "node-address-mismatch", []look{
		{"that of an adapter without a gateway", onFlannel + network + adapters("") + at("192.168.90.27"),
			"warn: the InternalIP of the Node object is 192.168.90.27 of adapter Ethernet1, which has no gateway; HNS network cbr0 sends from 10.20.30.27 [state]"},
		{"that of the pod network", onFlannel + network + adapters("") + at("10.20.30.27"), "pass"},
		{"the other adapter has a gateway, too", onFlannel + network + adapters(`"192.168.90.1"`) + at("192.168.90.27"), "pass"},
		{"all nodes are in its subnet", onFlannel + network + adapters("") + at("192.168.90.27") + others("192.168.90.11"), "pass"},
		{"the other nodes are elsewhere", onFlannel + network + adapters("") + at("192.168.90.27") + others("10.20.30.11"),
			"warn: the InternalIP of the Node object is 192.168.90.27 of adapter Ethernet1, which has no gateway; HNS network cbr0 sends from 10.20.30.27 [state]"},
		{"somebody chose it", onFlannel + network + adapters("") + at("192.168.90.27") + nodeIP, "pass"},
	})
}

func TestHostGWCloudUDRMissing(t *testing.T) {
	node := func(id string) string {
		return "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"spec\":{\"podCIDR\":\"10.244.3.0/24\",\"providerID\":\"" + id + "\"},\"status\":{\"addresses\":[{\"type\":\"InternalIP\",\"address\":\"10.0.0.10\"}]}}\n"
	}
	const azure = "azure:///subscriptions/0/vm/win-1"
	lost := reachTree("node tcp 10.0.0.1:6443 ok", "a/p tcp 10.0.0.10:10250 ok",
		"a/p tcp 10.244.1.3:80 timeout", "a/p tcp 10.244.1.4:80 timeout")
	oneLost := reachTree("node tcp 10.0.0.1:6443 ok", "a/p tcp 10.0.0.10:10250 ok", "a/p tcp 10.96.0.10:53 timeout",
		"a/p tcp 10.244.1.3:53 timeout")
	behind := func(ready bool) string {
		return `-- api/services.json --
{"items":[{"metadata":{"namespace":"kube-system","name":"kube-dns"},"spec":{"clusterIP":"10.96.0.10","ports":[{"name":"dns","port":53}]}}]}
-- api/endpointslices.json --
{"items":[{"metadata":{"namespace":"kube-system","name":"kube-dns-x","labels":{"kubernetes.io/service-name":"kube-dns"}},
"endpoints":[{"addresses":["10.244.1.3"],"conditions":{"ready":` + fmt.Sprint(ready) + `}}],"ports":[{"name":"dns","port":53}]}]}
`
	}
	const found = ": no answer from pods of other nodes: the route or IP forwarding in %s is probably missing [state]"
	runLooks(t, "host-gw-cloud-udr-missing", []look{
		{"on Azure", onFlannel + node(azure) + lost, fmt.Sprintf("fail"+found, "Azure")},
		{"on AWS, where pods were not seen to reach anything",
			onFlannel + node("aws:///eu-1a/i-0") + reachTree("node tcp 10.0.0.1:6443 ok",
				"a/p tcp 10.244.1.3:80 timeout", "a/p tcp 10.244.1.4:80 timeout"),
			fmt.Sprintf("warn"+found, "AWS")},
		{"the node itself has no route", onFlannel + node(azure) + lost +
			"-- routes.json --\n[{\"destination\":\"0.0.0.0/0\",\"nextHop\":\"10.0.0.1\"}]\n",
			"unknown"},
		{"the fabric carries pods", onFlannel + node(azure) + reachTree("a/p tcp 10.244.1.3:80 ok"),
			"pass"},
		{"not even the node reaches anybody",
			onFlannel + node(azure) + reachTree("a/p tcp 10.244.1.3:80 timeout",
				"a/p tcp 10.244.1.4:80 timeout"), "unknown"},
		{"nothing probed", onFlannel + node(azure) + reachTree(), "unknown"},
		{"one pod that its node finds ready, and the Service before it", onFlannel + node("aws:///eu-1a/i-0") + oneLost + behind(true),
			fmt.Sprintf("fail"+found, "AWS")},
		{"one pod that its node does not find ready", onFlannel + node("aws:///eu-1a/i-0") + oneLost + behind(false), "unknown"},
		{"one pod of which nothing more is known", onFlannel + node("aws:///eu-1a/i-0") + oneLost, "unknown"},
		{"vSphere has a provider too", onFlannel + node("vsphere://42") + lost, "skip"},
		{"no provider", onFlannel + node("") + lost, "skip"},
		{"an overlay needs no routes", onVXLAN + node(azure) + lost, "skip"},
	})
}

func TestMTUMismatch(t *testing.T) {
	nics := func(conf string, physical, virtual, pod int) string {
		return conf + nodeAt10 + adapters(fmt.Sprintf(`{"name":"Loopback","mtu":4294967295},{"name":"Ethernet","mac":"AA","mtu":%d,"compartment":1},{"name":"vEthernet (Ethernet)","mac":"aa","mtu":%d,"addresses":["10.0.0.10/24"],"compartment":1},
			{"name":"vEthernet (p)","mtu":%d,"addresses":["10.244.3.4/24"],"compartment":2}`, physical, virtual, pod))
	}
	env := func(mtu int) string {
		return fmt.Sprintf(
			"-- files/C/run/flannel/subnet.env --\nFLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUBNET=10.244.3.1/24\nFLANNEL_MTU=%d\nFLANNEL_IPMASQ=true\n", mtu)
	}
	tls := func(pod, node string) string {
		return reachTree("a/p tcp r.example:443 ok", "a/p tls r.example:443 "+pod,
			"node tls r.example:443 "+node)
	}
	const dockerNICs = `{"name":"Ethernet","mtu":1450,"addresses":["10.0.0.10/24"],"gateways":["10.0.0.1"],"compartment":1},
		{"name":"vEthernet (nat)","mtu":1500,"addresses":["172.26.128.1/20"],"compartment":1},
		{"name":"vEthernet (p)","mtu":1500,"addresses":["172.26.138.22/20"],"compartment":2}`
	natOnly := networks("nat nat")
	runLooks(t, "mtu-mismatch", []look{
		{"an overlay as HNS sets it up", nics(onVXLAN, 1500, 1450, 1450) + env(1450), "pass"},
		{"an l2bridge with the node's own", nics(onFlannel, 1500, 1500, 1500) + env(1500), "pass"},
		{"an overlay without room for its headers", nics(onVXLAN, 1500, 1500, 1500),
			"warn: pod adapter vEthernet (p) has MTU 1500; the node's adapter supports at most 1450 [state]"},
		{"an uplink that was lowered", nics(onFlannel, 1400, 1400, 1400) + env(1500),
			"warn: FLANNEL_MTU is 1500; the node's adapter supports at most 1400 [state]"},
		// docker/for-win#3972
		{"containers of docker on a network of OpenStack", natOnly + adapters(dockerNICs),
			"warn: pod adapter vEthernet (p) has MTU 1500; the node's adapter supports at most 1450 [state]"},
		{"and on one of the usual size", natOnly + adapters(replace(dockerNICs, "1450", "1500")), "pass"},
		{"a pod network of unknown type", networks("nat nat", "x L2Bridge") + adapters(dockerNICs), "unknown"},
		{"jumbo frames on both", nics(onFlannel, 1500, 9001, 9001), "pass"},
		{"a handshake hangs in the pod only", nics(onVXLAN, 1500, 1500, 1450) + tls("timeout",
			"ok"),
			"warn: a/p connects to r.example:443, but TLS times out, while the node's TLS works: large packets are probably lost [state]"},
		{"a handshake hangs everywhere", nics(onVXLAN, 1500, 1500, 1450) + tls("timeout",
			"timeout"), "pass"},
		{"large pings to another node get lost", nics(onVXLAN, 1500, 1500, 1450) + sizes("node",
			"10.0.0.11", "kubelet of another node", "1472 timeout", "1422 timeout", "1372 ok",
			"1252 ok"),
			"warn: pings of 1372 bytes from node to 10.0.0.11 are answered, those of 1422 are not: large packets are probably lost [state]"},
		{"large pings to a host outside", nics(onVXLAN, 1500, 1500, 1450) + sizes("node",
			"a.example", "outside", "1472 timeout", "1252 ok"),
			"info: pings of 1252 bytes from node to a.example are answered, those of 1472 are not: large packets are probably lost [state]"},
		{"the adapter itself says what fits", nics(onVXLAN, 1500, 1450, 1450) + sizes("node",
			"10.0.0.11", "", "1472 unreachable", "1422 ok"), "pass"},
		{"pings get lost whatever their size", nics(onVXLAN, 1500, 1500, 1450) + sizes("node",
			"10.0.0.11", "", "1472 timeout", "1252 timeout"), "pass"},
		{"one ping in the middle got lost", nics(onVXLAN, 1500, 1500, 1450) + sizes("node",
			"10.0.0.11", "", "1472 ok", "1372 timeout", "1252 ok"), "pass"},
		{"no pod's MTU",
			onVXLAN + nodeAt10 +
				adapters(`{"name":"vEthernet (Ethernet)","mtu":1500,"addresses":["10.0.0.10/24"]}`),
			"unknown"},
		{"no uplink's MTU",
			onVXLAN + nodeAt10 +
				adapters(`{"name":"vEthernet (Ethernet)","addresses":["10.0.0.10/24"]},{"name":"p","mtu":1500,"compartment":2}`), "unknown"},
		{"nothing tells the type of the network", nics("", 1500, 1500, 1500), "unknown"},
	})
}

func TestMetadataRouteLost(t *testing.T) {
	node := func(id string) string {
		return "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"spec\":{\"providerID\":\"" + id + "\"}}\n"
	}
	route := func(list string) string {
		return "-- routes.json --\n[{\"destination\":\"0.0.0.0/0\",\"nextHop\":\"10.0.0.1\",\"ifIndex\":9}" + list + "]\n"
	}
	const aws = "aws:///eu-1a/i-0"
	const nics = "-- adapters.json --\n[{\"name\":\"Ethernet\",\"ifIndex\":4},{\"name\":\"vEthernet (nat)\",\"ifIndex\":6,\"addresses\":[\"169.254.7.7/16\"]},{\"name\":\"vEthernet (Ethernet)\",\"ifIndex\":9,\"addresses\":[\"10.0.0.10/24\"]}]\n"
	const own = `,{"destination":"169.254.169.254/32","nextHop":"10.0.0.1","ifIndex":`
	const log = "-- logs/kubelet/kubelet.log --\nE1120 09:00:00.1 cloud.go:1] Get \"http://169.254.169.254/latest\": dial tcp 169.254.169.254:80: connectex: timed out\n"
	const gone = ": no route to 169.254.169.254, the metadata service of AWS, except the default route [state"
	const elsewhere = "fail: the route to 169.254.169.254, the metadata service of AWS, uses %s, which has no address of the network [state]"
	runLooks(t, "metadata-route-lost", []look{
		{"on the adapter with the address", node(aws) + nics + route(own+`9}`), "pass"},
		{"on the adapter that the switch took", node(aws) + nics + route(own+`4}`),
			fmt.Sprintf(elsewhere, "Ethernet")},
		{"taken by a made-up address",
			node(aws) + nics +
				route(`,{"destination":"169.254.0.0/16","nextHop":"0.0.0.0","ifIndex":6}`),
			fmt.Sprintf(elsewhere, "vEthernet (nat)")},
		{"the shorter of two",
			node(aws) + nics +
				route(`,{"destination":"169.254.0.0/16","nextHop":"0.0.0.0","ifIndex":6}`+own+`9}`),
			"pass"},
		{"gone", node(aws) + nics + route(""), "info" + gone + "]"},
		{"gone, and the log says so", node(aws) + nics + route("") + log, "warn" + gone + "+text]"},
		{"gone, and a probe is lost", node(aws) + nics + route("") +
			reachTree("node tcp 169.254.169.254:80 timeout"), "fail" + gone + "]"},
		{"gone, and a probe is answered all the same", node(aws) + nics + route("") +
			reachTree("node http 169.254.169.254:80 ok"), "pass"},
		{"adapters not recorded", node(aws) + route(own+`4}`), "unknown"},
		{"the log alone", log,
			"warn: the metadata service of the cloud does not answer the node [text]"},
		{"Calico on a machine without a cloud",
			"-- logs/calico-node/node.log --\nTimed out trying to get EC2 instance metadata from \"http://169.254.169.254\"; defaulting to 'bare-metal'\n", "unknown"},
		{"no cloud", node("") + nics + route("") + log, "skip"},
		{"an empty table is none", node(aws) + "-- routes.json --\n[]\n", "unknown"},
	})
}

func TestNodeNameShared(t *testing.T) {
	event := func(node, reason, message, first, last string, count int) string {
		return fmt.Sprintf(`{"involvedObject":{"kind":"Node","name":%q},"reason":%q,"message":%q,"firstTimestamp":"2026-11-20T%sZ","lastTimestamp":"2026-11-20T%sZ","count":%d,"source":{"component":"kubelet"}}`,
			node, reason, message, first, last, count)
	}
	boot := func(id, first, last string, count int) string {
		return event("win-1", "Rebooted", "Node win-1 has been rebooted, boot id: "+id, first, last, count)
	}
	start := func(at string) string { return event("win-1", "Starting", "Starting kubelet.", at, at, 1) }
	events := func(list ...string) string {
		return "-- api/events.json --\n{\"items\":[" + strings.Join(list, ",") + "]}\n"
	}
	object := func(ip string) string {
		return "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"status\":{\"addresses\":[{\"type\":\"InternalIP\",\"address\":\"" + ip + "\"}]}}\n"
	}
	const up = "-- os.json --\n{\"build\":20348,\"bootedAt\":\"2026-11-20T05:00:00Z\"}\n"
	const nics = "-- adapters.json --\n[{\"name\":\"Ethernet\",\"status\":\"up\",\"addresses\":[\"10.0.0.4/24\"]}]\n"
	const kubelet = "-- processes.json --\n[{\"name\":\"kubelet.exe\",\"startedAt\":\"2026-11-20T05:00:30Z\"}]\n"
	foreign, own := object("10.0.0.9")+nics+up, object("10.0.0.4")+nics+up
	const turns = "fail: Two machines report as node win-1: boot ids 9 and 14 take turns [state]"
	const another = "fail: Another machine reports as node win-1: its InternalIP 10.0.0.9 is of no adapter of this machine [state]"
	runLooks(t, "node-name-shared", []look{
		{"boot ids take turns", own + events(boot("9", "08:00:00", "09:59:00", 24), boot("14", "08:00:10", "09:58:50", 24)), turns},
		{"the events alone", events(boot("9", "08:00:00", "09:59:00", 24), boot("14", "08:00:10", "09:58:50", 24)), turns},
		{"each turn an event", events(boot("9", "08:00:00", "08:00:00", 1), boot("14", "08:00:10", "08:00:10", 1), boot("9", "08:05:00", "08:05:00", 1),
			boot("14", "08:05:10", "08:05:10", 1), boot("9", "08:10:00", "08:10:00", 1), boot("14", "08:10:10", "08:10:10", 1)), turns},
		{"each kubelet reports once, and the address is of the other", foreign + events(boot("14", "05:01:00", "05:01:00", 1), boot("9", "08:00:00", "08:00:00", 1)), another},
		{"a kubelet starts while this one runs", foreign + kubelet + events(start("05:00:31"), start("08:00:00")), another},
		{"a reboot", own + events(boot("14", "05:01:00", "05:01:00", 1)), "pass"},
		{"a reboot whose report was repeated", own + events(boot("14", "05:01:00", "05:09:00", 40)), "pass"},
		{"two reboots whose reports were repeated", own + events(boot("13", "04:01:00", "04:09:00", 40), boot("14", "05:01:00", "05:09:00", 40)), "pass"},
		{"two reboots, the time of the boot is not recorded", events(boot("13", "04:01:00", "04:09:00", 40), boot("14", "05:01:00", "05:09:00", 40)), "unknown"},
		{"a snapshot of an earlier boot was restored", events(boot("13", "03:01:00", "04:59:00", 2), boot("14", "04:01:00", "04:01:00", 1)), "unknown"},
		{"both used the name before this boot", own + events(boot("9", "02:00:00", "03:59:00", 24), boot("14", "02:00:10", "03:58:50", 24)), "pass"},
		{"DHCP gave another address", foreign + kubelet + events(start("05:00:31"), boot("14", "05:01:00", "05:01:00", 1)), "unknown"},
		{"the kubelet was restarted, and the address is old", foreign + "-- processes.json --\n[{\"name\":\"kubelet.exe\",\"startedAt\":\"2026-11-20T08:00:00Z\"}]\n" +
			events(start("05:00:31"), start("08:00:01")), "unknown"},
		{"another node", own + events(event("win-2", "Rebooted", "Node win-2 has been rebooted, boot id: 9", "08:00:00", "09:59:00", 24),
			boot("14", "08:00:10", "09:58:50", 24)), "pass"},
		{"the adapters are not recorded", object("10.0.0.4") + up + events(boot("14", "05:01:00", "05:01:00", 1)), "unknown"},
		{"no events", own, "unknown"},
	})
}

func TestTheAPIServerByTheLogs(t *testing.T) {
	line := func(minute, failure string) string {
		return "E1120 09:" + minute + ":25.439784    6156 reflector.go:134] k8s.io/kubernetes/pkg/kubelet/config/apiserver.go:47: " +
			"Failed to list *v1.Pod: Get https://172.20.205.4:443/api/v1/pods?limit=500: dial tcp 172.20.205.4:443: " + failure + "\n"
	}
	well := func(minute string) string {
		return "I1120 09:" + minute + ":25.439784    6156 kubelet.go:100] \"SyncLoop ADD\" source=\"api\"\n"
	}
	log := func(lines ...string) string {
		return "-- logs/kubelet/kubelet.log --\n" + strings.Join(lines, "")
	}
	// github.com/projectcalico/calico, issue 4682
	calico := func(minute string) string {
		head := ""
		if minute == "30" {
			head = "-- logs/calico-node/calico-node.log --\n"
		}
		return head + "2021-12-01 04:" + minute + ":51.183 [ERROR][6804] startup/startup.go 115: Unable to ensure datastore is migrated. error=unable to query ClusterInformation to determine Calico version: " +
			`Get "https://10.93.22.20:16443/apis/crd.projectcalico.org/v1/clusterinformations/default": dial tcp 10.93.22.20:16443: connectex: A connection attempt failed because the connected party did not properly respond after a period of time, or established connection failed because connected host has failed to respond.` + "\n"
	}
	registering := func(minute string) string {
		return "E1120 09:" + minute + ":44.000000    4120 kubelet_node_status.go:92] Unable to register node \"win-1\" with API server: " +
			"Post \"https://10.96.36.43:6443/api/v1/nodes\": dial tcp 10.96.36.43:6443: connectex: A connection attempt failed because the connected party did not properly respond after a period of time, or established connection failed because connected host has failed to respond.\n"
	}
	const refused = "connectex: No connection could be made because the target machine actively refused it."
	const found = "warn: a component of the node cannot connect to the API server [text]"
	runLooks(t, "control-plane-unreachable", []look{
		{"for three minutes", log(line("55", refused), line("56", refused), line("58", refused)), found},
		{"in German", log(line("55", "connectex: Es konnte keine Verbindung hergestellt werden."),
			line("58", "connectex: Es konnte keine Verbindung hergestellt werden.")), found},
		{"without an answer", log(line("55", "i/o timeout"), line("58", "i/o timeout")), found},
		{"the first registration, by a kubelet of 1.20", "-- logs/kubelet/kubelet.log --\n" + registering("55") + registering("58"), found},
		{"while the API server restarts", log(line("55", refused), line("55", refused)),
			"info: the logs say: a component of the node cannot connect to the API server; it may be over: it lasted 0s, as at a start [text]"},
		{"an outage that the log of a paste outlived",
			"-- meta.json --\n{\"layout\":\"evidence/v1\",\"node\":\"win-1\"}\n" + log(line("10", refused), line("11", refused),
				line("12", refused), line("13", refused), line("14", refused), line("15", refused),
				well("20"), well("25"), well("30"), well("35")),
			"info: the logs say: a component of the node cannot connect to the API server; it is over: the log went on for 20m0s without an error [text]"},
		{"Calico's start, which ends there", calico("30") + calico("33"), found},
		{"Calico's start, once", calico("30"),
			"info: the logs say: a component of the node cannot connect to the API server; it may be over: it lasted 0s, as at a start [text]"},
		{"Calico's start, until it is answered", calico("30") + calico("33") +
			"2021-12-01 04:35:03.702 [INFO][5100] startup/startup.go 243: Using node name: win-c1\n",
			"info: the logs say: a component of the node cannot connect to the API server; it is over: a later line says: Using node name [text]"},
		{"the load balancer of RKE2 on the node itself", log(line("55", "connectex: 127.0.0.1 refused"),
			line("58", "connectex: 127.0.0.1 refused")), "unknown"},
	})
}
