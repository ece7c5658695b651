package faults_test

import (
	"fmt"
	"testing"
)

// onVXLAN is a node that flannel VXLAN serves.
const onVXLAN = "-- files/C/k/net-conf.json --\n{\"Network\":\"10.244.0.0/16\",\"Backend\":{\"Type\":\"vxlan\",\"VNI\":4096,\"Port\":4789}}\n"

func adapters(list string) string { return "-- adapters.json --\n[" + list + "]\n" }

func flanneld(args string) string {
	return "-- processes.json --\n[{\"pid\":1,\"name\":\"flanneld.exe\",\"args\":[" + args + "]}]\n"
}

func TestFlannelDefaultRoutes(t *testing.T) {
	routes := func(second string) string {
		return "-- routes.json --\n[{\"destination\":\"0.0.0.0/0\",\"nextHop\":\"10.0.0.1\",\"ifIndex\":9}," + second + "]\n"
	}
	const other, local = `{"destination":"0.0.0.0/0","nextHop":"10.244.5.1","ifIndex":21}`, `{"destination":"10.0.0.0/24","nextHop":"0.0.0.0","ifIndex":9}`
	stopped := func(args string) string {
		return "-- services.json --\n[{\"name\":\"flanneld\",\"state\":\"stopped\",\"args\":[" + args + "]}]\n"
	}
	runLooks(t, "flannel-default-routes", []look{
		{"two, and flanneld is stopped", onFlannel + routes(other) + stopped(`"--kube-subnet-mgr"`),
			"fail: flanneld cannot start: it is started without --iface, and the node has 2 default routes [state]"},
		{"two, and flanneld runs", onFlannel + routes(other) + flanneld(`"--kube-subnet-mgr"`),
			"info: flanneld will not start again: it is started without --iface, and the node has 2 default routes [state]"},
		{"one", onFlannel + routes(local) + stopped(`"--kube-subnet-mgr"`), "pass"},
		{"two, and flanneld has an adapter", onFlannel + routes(other) + stopped(`"--kube-subnet-mgr","--iface=10.0.0.10"`), "pass"},
		{"two, and flanneld looks for an adapter by its name", onFlannel + routes(other) + stopped(`"--kube-subnet-mgr","--iface-regex=Ether"`), "pass"},
		{"two, and a script starts flanneld", onFlannel + routes(other) + stopped(`"-File","C:\\k\\flannel.ps1","-ManagementIP","10.0.0.10"`), "pass"},
		{"nobody knows how flanneld is started", onFlannel + routes(other), "unknown"},
	})
}

func TestFlannelInterfaceNotFound(t *testing.T) {
	const nic = `{"name":"Ethernet0"},{"name":"vEthernet (Ethernet0)","addresses":["10.0.0.10/24"],"compartment":1}`
	const stopped = "-- services.json --\n[{\"name\":\"flanneld\",\"state\":\"stopped\",\"args\":[\"--iface=10.0.0.9\"]}]\n"
	const ended = "-- logs/flanneld/flanneld.log --\nE1120 09:00:00.1 main.go:280] Failed to find interface to use that matches the interfaces and/or regexes provided\n"
	const passing = "-- logs/flanneld/flanneld.log --\nI1120 09:00:00.1 main.go:271] Could not find valid interface matching Ethernet 7: error looking up interface Ethernet 7\n"
	const says = "flanneld exits: no adapter matches its --iface"
	runLooks(t, "flannel-interface-not-found", []look{
		{"its address is there", onFlannel + adapters(nic) + flanneld(`"--iface=10.0.0.10"`),
			"pass"},
		{"its name is there",
			onFlannel + adapters(nic) + flanneld(`"--iface","vethernet (ethernet0)"`), "pass"},
		{"one of two is there",
			onFlannel + adapters(nic) + flanneld(`"--iface=10.0.0.9","--iface=10.0.0.10"`), "pass"},
		{"the adapter of the default route",
			onFlannel + adapters(nic) + flanneld(`"--kube-subnet-mgr"`), "pass"},
		{"a pattern, which is not followed",
			onFlannel + adapters(nic) + flanneld(`"--iface=10.0.0.9","--iface-regex=10.*"`),
			"pass"},
		{"a variable of a script", onFlannel + adapters(nic) + flanneld(`"--iface=$env:NODE_IP"`),
			"pass"},
		{"another address, and it runs", onFlannel + adapters(nic) + flanneld(`"--iface=10.0.0.9"`),
			"warn: no adapter has 10.0.0.9, the --iface of flanneld: flanneld will not start again [state]"},
		{"another address, and it does not run", onFlannel + adapters(nic) + stopped,
			"fail: no adapter has 10.0.0.9, the --iface of flanneld: flanneld cannot start [state]"},
		{"the log says so too", onFlannel + adapters(nic) + stopped + ended,
			"fail: no adapter has 10.0.0.9, the --iface of flanneld: flanneld cannot start [state+text]"},
		{"a short moment, and all is well",
			onFlannel + adapters(nic) + flanneld(`"--iface=10.0.0.10"`) + ended,
			"info: the logs say: " + says + "; the node's current state does not confirm it [text]"},
		{"the log alone", onFlannel + ended, "fail: " + says + " [text]"},
		{"one interface of several, in the log alone", onFlannel + passing, "unknown"},
		{"nothing shows how flanneld starts",
			onFlannel + adapters(nic) + "-- services.json --\n[]\n", "unknown"},
		{"adapters without addresses", onFlannel + adapters(`{"name":"Ethernet0"}`) +
			flanneld(`"--iface=10.0.0.9"`), "unknown"},
		{"another plugin", onOther + adapters(nic), "skip"},
		{"the address came back, and flanneld started", onFlannel + ended +
			"I1120 09:01:00.1 main.go:488] Running backend.\n",
			"info: the logs say: " + says + "; it is over: a later line says: Running backend. [text]"},
	})
}

func TestFlannelVXLANConfigInvalid(t *testing.T) {
	file := func(backend string) string {
		return "-- files/C/etc/kube-flannel/net-conf.json --\n{\"Network\":\"10.244.0.0/16\",\"Backend\":{\"Type\":\"vxlan\"" + backend + "}}\n"
	}
	configMap := func(name, backend string) string {
		return fmt.Sprintf(
			"-- api/configmaps.json --\n{\"items\":[{\"metadata\":{\"name\":%q},\"data\":{\"net-conf.json\":%q}}]}\n", name, `{"Network":"10.244.0.0/16","Backend":{"Type":"vxlan"`+backend+`}}`)
	}
	nodes := func(backend string, vni int) string {
		return fmt.Sprintf(
			"-- api/nodes.json --\n{\"items\":[{\"metadata\":{\"name\":\"win-1\",\"annotations\":{\"flannel.alpha.coreos.com/backend-type\":\"vxlan\"}}},{\"metadata\":{\"name\":\"lin-1\",\"annotations\":{\"flannel.alpha.coreos.com/backend-type\":%q,\"flannel.alpha.coreos.com/backend-data\":%q}}}]}\n", backend, fmt.Sprintf(`{"VNI":%d}`, vni))
	}
	const refused = "-- logs/flanneld/flanneld.log --\nE1120 09:00:00.1 main.go:332] Error registering network: invalid VXLAN backend config. DirectRouting is not supported on Windows\n"
	runLooks(t, "flannel-vxlan-config-invalid", []look{
		{"nothing given, and Windows takes what it needs", file(""), "pass"},
		{"a VNI of Linux", file(`,"VNI":1`),
			"fail: net-conf.json: the VNI is 1, and Windows needs 4096 or more [state]"},
		{"the port of Linux", file(`,"Port":8472`),
			"fail: net-conf.json: the port is 8472, and Windows knows only 4789 [state]"},
		{"what Windows lacks", file(`,"DirectRouting":true,"GBP":true`),
			"fail: net-conf.json: DirectRouting is on, which Windows does not support [state]\nfail: net-conf.json: GBP is on, which Windows does not support [state]"},
		{"a MAC prefix in the style of Linux", file(`,"MacPrefix":"0e:2a"`),
			`fail: net-conf.json: MacPrefix is "0e:2a", and not of the form 0E-2A [state]`},
		{"a larger VNI is fine", file(`,"VNI":5000`), "pass"},
		{"a ConfigMap for all nodes that says nothing", onVXLAN + configMap("kube-flannel-cfg",
			`,"VNI":4096`),
			"fail: ConfigMap kube-flannel-cfg: no port is given: Linux nodes take 8472, Windows nodes 4789 [state]"},
		{"a ConfigMap for Windows that says nothing",
			onVXLAN + configMap("kube-flannel-windows-cfg", ""), "pass"},
		{"somebody else's ConfigMap", onVXLAN + configMap("vpn", `,"VNI":1`), "pass"},
		{"another node's VNI", onVXLAN + nodes("vxlan", 1),
			"fail: node lin-1 has the VNI 1, and this node 4096: their pods do not reach each other [state]"},
		{"another node's backend", onVXLAN + nodes("host-gw", 0),
			"warn: node lin-1 uses the backend host-gw, and this node vxlan: their pods do not reach each other [state]"},
		{"other nodes alike", onVXLAN + nodes("vxlan", 4096), "pass"},
		{"the log alone", refused,
			"fail: flanneld refuses the VXLAN settings of net-conf.json [text]"},
		{"the file was mended", file("") + refused,
			"info: the logs say: flanneld refuses the VXLAN settings of net-conf.json; the node's current state does not confirm it [text]"},
		{"host-gw has none of this", onFlannel, "skip"},
		{"another plugin", onOther, "skip"},
	})
}

func TestForwardingDisabledFlannelHostGW(t *testing.T) {
	nic := func(own, endpoint string) string {
		return onFlannel + nodeAt10 + adapters(`{"name":"Ethernet0","forwarding":false,"compartment":1},{"name":"vEthernet (Ethernet0)","addresses":["10.0.0.10/24"],"ifIndex":9,"compartment":1`+own+`},
			{"name":"vEthernet (cbr0_ep)","addresses":["10.244.3.2/24"],"compartment":1`+endpoint+`},{"name":"vEthernet (nat)","addresses":["172.26.0.1/20"],"forwarding":false,"compartment":1},
			{"name":"vEthernet (4c92)","addresses":["10.244.3.6/24"],"forwarding":false,"compartment":3}`)
	}
	const on, off = `,"forwarding":true`, `,"forwarding":false`
	const log = "-- logs/flanneld/flanneld.log --\nE1120 09:00:00.1 main.go:335] Error registering network: failed to enable forwarding on vEthernet (Ethernet0) index 5: error: exit status 1\n"
	const says = "flanneld could not enable forwarding on an adapter of the node"
	runLooks(t, "forwarding-disabled-flannel-hostgw", []look{
		{"on where pods go through, off elsewhere", nic(on, on), "pass"},
		{"off on the node's adapter", nic(off, on),
			"fail: forwarding is off on vEthernet (Ethernet0), so pod traffic cannot leave or enter this node [state]"},
		{"off on the endpoint, and the log says so", nic(on, off) + log,
			"fail: forwarding is off on vEthernet (cbr0_ep), so pod traffic cannot leave or enter this node [state+text]"},
		{"not recorded", nic("", ""), "unknown"},
		{"not recorded, and the log says so", nic("", "") + log, "fail: " + says + " [text]"},
		{"on by now", nic(on, on) + log, "info: the logs say: " + says +
			"; the node's current state does not confirm it [text]"},
		{"an overlay needs none",
			onVXLAN + nodeAt10 +
				adapters(`{"name":"vEthernet (Ethernet)","addresses":["10.0.0.10/24"],"forwarding":false}`), "skip"},
	})
}

func TestRouteMissingHostGW(t *testing.T) {
	routes := func(list string) string {
		return "-- routes.json --\n[{\"destination\":\"0.0.0.0/0\",\"nextHop\":\"10.0.0.1\"}" +
			list + "]\n"
	}
	const lin = `{"metadata":{"name":"lin-1","annotations":{"flannel.alpha.coreos.com/backend-type":"host-gw"}},"spec":{"podCIDR":"10.244.1.0/24"},"status":{"addresses":[{"type":"InternalIP","address":"10.0.0.11"}]}}`
	const own = `{"metadata":{"name":"win-1","annotations":{"flannel.alpha.coreos.com/backend-type":"host-gw"}},"spec":{"podCIDR":"10.244.3.0/24"},"status":{"addresses":[{"type":"InternalIP","address":"10.0.0.10"}]}}`
	const virtual = `{"metadata":{"name":"aci"},"spec":{"podCIDR":"10.244.9.0/24"},"status":{"addresses":[{"type":"InternalIP","address":"10.0.0.19"}]}}`
	node := func(list string) string {
		return onFlannel + "-- api/nodes.json --\n{\"items\":[" + list + "]}\n"
	}
	const missing = "fail: Route to 10.244.1.0/24 (pods of node lin-1) through 10.0.0.11 is missing [state"
	const log = "-- logs/flanneld/flanneld.log --\nE1120 09:00:00.1 route_network_windows.go:125] Error creating route: exit status 1\n"
	runLooks(t, "route-missing-host-gw", []look{
		{"as flannel sets it",
			node(own+","+lin) + routes(`,{"destination":"10.244.1.0/24","nextHop":"10.0.0.11"}`),
			"pass"},
		{"none", node(own+","+lin) + routes(""), missing + "]"},
		{"none, and the log says why", node(own+","+lin) + routes("") + log, missing + "+text]"},
		{"by way of another node",
			node(lin) + routes(`,{"destination":"10.244.1.0/24","nextHop":"10.0.0.12"}`),
			"fail: Route to 10.244.1.0/24 (pods of node lin-1) uses 10.0.0.12 (expected: 10.0.0.11) [state]"},
		{"a stale route beside the right one",
			node(lin) + routes(
				`,{"destination":"10.244.1.0/24","nextHop":"10.0.0.12"},{"destination":"10.244.1.0/24","nextHop":"10.0.0.11"}`), "pass"},
		{"a router takes the whole range",
			node(lin) + routes(`,{"destination":"10.244.0.0/16","nextHop":"10.0.0.254"}`), "pass"},
		{"a node without flannel", node(own+","+lin+","+virtual) +
			routes(`,{"destination":"10.244.1.0/24","nextHop":"10.0.0.11"}`), "pass"},
		{"no other node", node(own) + routes(""), "skip"},
		{"the pod network is not there yet",
			node(lin) + routes("") +
				"-- hns-networks.json --\n[{\"Name\":\"External\",\"Type\":\"L2Bridge\"}]\n",
			"skip"},
		{"no routes were recorded", node(lin), "unknown"},
		{"an empty table is none", node(lin) + "-- routes.json --\n[]\n", "unknown"},
		{"an overlay has no such routes", onVXLAN + "-- api/nodes.json --\n{\"items\":[" + lin +
			"]}\n" + routes(""), "skip"},
	})
}
