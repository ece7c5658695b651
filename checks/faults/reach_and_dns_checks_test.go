package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

// reachTree is probes/reach.json of lines "from protocol target outcome".
func reachTree(lines ...string) string {
	return "-- probes/reach.json --\n" + probeList(lines,
		`{"from":%q,"protocol":%q,"target":%q,"outcome":%q}`)
}

// dnsTree is probes/dns.json of lines "from form name outcome".
func dnsTree(lines ...string) string {
	return "-- probes/dns.json --\n" + probeList(lines,
		`{"from":%q,"form":%q,"name":%q,"outcome":%q,"server":"10.96.0.10:53"}`)
}

func probeList(lines []string, format string) string {
	var list []string
	for _, l := range lines {
		f := strings.Fields(l)
		list = append(list, fmt.Sprintf(format, f[0], f[1], f[2], f[3]))
	}
	return "[" + strings.Join(list, ",\n") + "]\n"
}

// forPurpose is reachTree of hosts that doctor chose.
func forPurpose(purpose string, lines ...string) string {
	return replace(reachTree(lines...), `{"from"`, `{"purpose":"`+purpose+`","from"`)
}

// sizes is probes/reach.json of pings that may not be fragmented, of lines "bytes outcome".
func sizes(from, to, purpose string, lines ...string) string {
	for i, l := range lines {
		bytes, outcome, _ := strings.Cut(l, " ")
		lines[i] = fmt.Sprintf(
			`{"from":%q,"protocol":"icmp","target":%q,"purpose":%q,"bytes":%s,"outcome":%q}`, from,
			to, purpose, bytes, outcome)
	}
	return "-- probes/reach.json --\n[" + strings.Join(lines, ",") + "]\n"
}

const oneService = "-- api/services.json --\n{\"items\":[{\"metadata\":{\"namespace\":\"default\",\"name\":\"web\"},\"spec\":{\"clusterIP\":\"10.96.7.7\",\"ports\":[{\"port\":80,\"protocol\":\"TCP\",\"nodePort\":30080},{\"port\":53,\"protocol\":\"UDP\",\"nodePort\":30053}]}}]}\n"

func osAt(build, ubr int, virtual bool) string {
	return fmt.Sprintf(
		"-- os.json --\n{\"build\":%d,\"ubr\":%d,\"machine\":{\"manufacturer\":\"Contoso\",\"model\":\"VM\",\"virtual\":%t}}\n", build, ubr, virtual)
}

const nodeAt10 = "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"spec\":{\"podCIDR\":\"10.244.3.0/24\"},\"status\":{\"addresses\":[{\"type\":\"InternalIP\",\"address\":\"10.0.0.10\"}]}}\n"

func TestNodeCannotUseClusterIP(t *testing.T) {
	two := strings.Replace(oneService, "[{", `[{"metadata":{"namespace":"default","name":"kubernetes"},"spec":{"clusterIP":"10.96.0.1"}},{`, 1) +
		endpointsOfWeb("true")
	both := oneService + reachTree("node tcp 10.96.7.7:80 timeout", "a/p tcp 10.96.7.7:80 timeout")
	const fault = "fail: the node and a/p do not reach Service address 10.96.7.7:80; expected: pods reach it [state]"
	runLooks(t, "node-cannot-use-cluster-ip", []look{
		{"pods fail too", both, fault},
		{"pods fail too, with a ready endpoint", both + endpointsOfWeb("true"), fault},
		{"pods fail too, and nobody stands behind the Service", both + endpointsOfWeb("false"),
			"info: the node and a/p do not reach Service address 10.96.7.7:80: it has no ready endpoints [state]"},
		{"it reaches another Service and no backend of this one", two + reachTree(
			"node tcp 10.96.7.7:80 timeout", "a/p tcp 10.96.7.7:80 timeout", "a/p tcp 10.96.0.1:443 ok",
			"a/p tcp 10.244.1.9:80 timeout"),
			"info: a/p reaches other Service addresses, but not 10.96.7.7:80 or the pods behind it: the fault is not in the Service address [state]"},
		{"it reaches a backend", two + reachTree(
			"node tcp 10.96.7.7:80 timeout", "a/p tcp 10.96.7.7:80 timeout", "a/p tcp 10.96.0.1:443 ok",
			"a/p tcp 10.244.1.9:80 ok"), fault},
		{"it reaches no Service", two + reachTree(
			"node tcp 10.96.7.7:80 timeout", "a/p tcp 10.96.7.7:80 timeout", "a/p tcp 10.96.0.1:443 timeout",
			"a/p tcp 10.244.1.9:80 timeout"), fault},
		{"one pod of two reaches it", oneService + reachTree("node tcp 10.96.7.7:80 timeout",
			"a/p tcp 10.96.7.7:80 timeout", "a/q tcp 10.96.7.7:80 ok"),
			"info: node does not reach Service address 10.96.7.7:80, pods do (normal on Windows) [state]"},
		{"the probe from the pod could not be made",
			oneService + reachTree("node tcp 10.96.7.7:80 timeout", "a/p tcp 10.96.7.7:80 denied"),
			"info: node does not reach Service address 10.96.7.7:80 (normal on Windows); probe from a pod [state]"},
		{"a refusal came through the Service",
			oneService + reachTree("node tcp 10.96.7.7:80 refused"), "pass"},
		{"only a ping, which Services never answer",
			oneService + reachTree("node icmp 10.96.7.7 timeout"), "unknown"},
		{"only other addresses", oneService + reachTree("node tcp 10.0.0.1:6443 ok"), "unknown"},
	})
}

// endpointsOfWeb are those of oneService.
func endpointsOfWeb(ready string) string {
	return "-- api/endpointslices.json --\n{\"items\":[{\"metadata\":{\"namespace\":\"default\",\"name\":\"web-1\",\"labels\":{\"kubernetes.io/service-name\":\"web\"}},\"endpoints\":[{\"addresses\":[\"10.244.1.9\"],\"conditions\":{\"ready\":" + ready + "}}]}]}\n"
}

func TestNodePortLocalAccess(t *testing.T) {
	own := nodeAt10 + oneService + reachTree("node tcp 10.0.0.10:30080 timeout")
	overlay := nodeAt10 + oneService + balancerTree("- 6 30080 e1 0") +
		"-- hns-networks.json --\n[{\"ID\":\"N\",\"Name\":\"flannel.4096\",\"Type\":\"Overlay\"}]\n"
	runLooks(t, "nodeport-local-access", []look{
		{"a build that should", osAt(20348, 2700, true) + own,
			"warn: the node does not reach NodePort 30080 of default/web on its own address; 10.0.20348.2700 supports this [state]"},
		{"the very update", osAt(17763, 1432, true) + own,
			"warn: the node does not reach NodePort 30080 of default/web on its own address; 10.0.17763.1432 supports this [state]"},
		{"a ready endpoint", osAt(20348, 2700, true) + own + endpointsOfWeb("true"),
			"warn: the node does not reach NodePort 30080 of default/web on its own address; 10.0.20348.2700 supports this [state]"},
		{"nobody stands behind the Service", osAt(20348, 2700, true) + own + endpointsOfWeb("false"), "unknown"},
		{"one before it", osAt(17763, 1431, true) + own,
			"info: the node does not reach NodePort 30080 of default/web on its own address: documented limit of 10.0.17763.1431 [state]"},
		{"one before it, and the load balancer is there", osAt(17763, 1431, true) + own +
			balancerTree("10.0.0.10 6 30080 e1 0"), // rancher#29411
			"warn: the node does not reach NodePort 30080 of default/web on its own address: KB4571748 (build 17763.1432) fixes this in 10.0.17763.1431 [state]"},
		{"one before it, and the load balancer is another's", osAt(17763, 1431, true) + own +
			balancerTree("10.0.0.10 6 30081 e1 0"),
			"info: the node does not reach NodePort 30080 of default/web on its own address: documented limit of 10.0.17763.1431 [state]"},
		{"a build without an update for it", osAt(17134, 1, true) + own + balancerTree("10.0.0.10 6 30080 e1 0"),
			"info: the node does not reach NodePort 30080 of default/web on its own address: documented limit of 10.0.17134.1 [state]"},
		{"a revision that nobody recorded", osAt(17763, 0, true) + own, "unknown"},
		{"old, and nothing probed", osAt(17763, 1000, true) + nodeAt10 + oneService +
			reachTree("node tcp 10.0.0.1:6443 ok"),
			"info: on 10.0.17763.1000 a node cannot reach its own NodePorts (documented): test them from another host [state]"},
		{"new, and another node's NodePort probed", osAt(20348, 1, true) + nodeAt10 + oneService +
			reachTree("node tcp 10.0.0.11:30080 timeout"), "unknown"},
		{"TCP to a NodePort that speaks UDP", osAt(20348, 1, true) + nodeAt10 + oneService +
			reachTree("node tcp 10.0.0.10:30053 refused"), "unknown"},
		{"as a URL", osAt(20348, 1, true) + nodeAt10 + oneService +
			reachTree("node http http://10.0.0.10:30080/health ok"), "pass"},
		{"only pods of this node would answer, and it has none", osAt(20348, 1, true) + nodeAt10 +
			"-- api/services.json --\n{\"items\":[{\"metadata\":{\"name\":\"web\"},\"spec\":{\"externalTrafficPolicy\":\"Local\",\"ports\":[{\"nodePort\":30080}]}}]}\n" + reachTree("node tcp 10.0.0.10:30080 timeout"), "skip"},
		{"a pod reaches it on another node only (microsoft/Windows-Containers#204)", osAt(20348, 469, true) + overlay +
			reachTree("a/p tcp 10.0.0.10:30080 timeout", "a/p tcp 10.0.0.11:30080 ok"),
			"warn: a/p does not reach NodePort 30080 of default/web on this node, but on another node [state]"},
		{"a pod reaches it on no node", osAt(20348, 469, true) + overlay +
			reachTree("a/p tcp 10.0.0.10:30080 timeout", "a/p tcp 10.0.0.11:30080 timeout"), "unknown"},
		{"another pod reaches it on another node", osAt(20348, 469, true) + overlay +
			reachTree("a/p tcp 10.0.0.10:30080 timeout", "a/q tcp 10.0.0.11:30080 ok"), "unknown"},
		{"a pod on a bridge", osAt(20348, 469, true) + replace(overlay, `"Overlay"`, `"L2Bridge"`) +
			reachTree("a/p tcp 10.0.0.10:30080 timeout", "a/p tcp 10.0.0.11:30080 ok"), "unknown"},
		{"a pod on Server 2019", osAt(17763, 1432, true) + overlay +
			reachTree("a/p tcp 10.0.0.10:30080 timeout", "a/p tcp 10.0.0.11:30080 ok"), "unknown"},
		{"HNS has no load balancer of it", osAt(20348, 469, true) + overlay + balancerTree("10.0.0.10 6 30081 e1 0") +
			reachTree("a/p tcp 10.0.0.10:30080 timeout", "a/p tcp 10.0.0.11:30080 ok"), "unknown"},
		{"no NodePort at all", osAt(20348, 1, true) + nodeAt10 +
			"-- api/services.json --\n{\"items\":[]}\n", "skip"},
	})
}

func TestICMPExternalNotSNATed(t *testing.T) {
	runLooks(t, "icmp-external-not-snated", []look{
		{"TCP to the same host fails as well", reachTree("a/p icmp 8.8.8.8 timeout",
			"a/p tcp 8.8.8.8:443 timeout"),
			"fail: 8.8.8.8 does not answer a/p over ICMP or TCP: ICMP is not the cause [state]"},
		{"TCP to another host fails as well", reachTree("a/p icmp 8.8.8.8 timeout",
			"a/p tcp mirror.example:443 timeout"),
			"fail: ping from a/p to 8.8.8.8 and TCP to mirror.example fail: ICMP is not the cause [state]"},
		{"TCP to another host works", reachTree("a/p icmp 8.8.8.8 timeout",
			"a/p tcp mirror.example:443 ok"),
			"info: ping from a/p to 8.8.8.8 fails and TCP to mirror.example works (normal on Windows) [state]"},
		{"a closed port answers too", reachTree("a/p icmp 8.8.8.8 timeout",
			"a/p tcp 8.8.8.8:25 refused"),
			"info: ping from a/p to 8.8.8.8 fails and TCP works (normal on Windows) [state]"},
		{"the ping works and TCP does not", reachTree("a/p icmp 8.8.8.8 ok",
			"a/p tcp 8.8.8.8:443 timeout"),
			"warn: 8.8.8.8 answers ping from a/p, but not TCP: a firewall blocks TCP [state]"},
		{"the ping works and the port is closed", reachTree("a/p icmp 8.8.8.8 ok",
			"a/p tcp 8.8.8.8:25 refused"), "pass"},
		{"nothing but the ping", reachTree("a/p icmp 8.8.8.8 timeout"),
			"info: ping from a/p to 8.8.8.8 fails (normal on Windows); TCP was not tested [state]"},
		{"neither answers the node", reachTree("node icmp 8.8.8.8 timeout",
			"node tcp 8.8.8.8:443 timeout"),
			"fail: 8.8.8.8 does not answer node over ICMP or TCP: ICMP is not the cause [state]"},
		{"neither answers the node, and need not",
			forPurpose("outside", "node icmp 8.8.8.8 timeout", "node tcp 8.8.8.8:443 timeout"),
			"info: 8.8.8.8 does not answer node over ICMP or TCP: a fault only if no proxy is required [state]"},
		{"another node does not answer this one", forPurpose("kubelet of another node",
			"node icmp 10.0.0.11 timeout", "node tcp 10.0.0.11:10250 timeout"),
			"warn: 10.0.0.11 does not answer node over ICMP or TCP: ICMP is not the cause [state]"},
		{"TCP answers the node", reachTree("node icmp 10.0.0.1 timeout",
			"node tcp 10.0.0.1:6443 ok", "node tls 10.0.0.1:6443 ok"),
			"info: ping from node to 10.0.0.1 fails and TCP works (normal on Windows) [state]"},
		{"the node's ping works and its TCP does not", reachTree("node icmp 10.0.0.1 ok",
			"node tcp 10.0.0.1:6443 timeout"),
			"warn: 10.0.0.1 answers ping from node, but not TCP: a firewall blocks TCP [state]"},
		{"all that the node asks answers", reachTree("node icmp 10.0.0.1 ok",
			"node tcp 10.0.0.1:6443 ok"), "unknown"},
		{"a ping that the node may not send", reachTree("node icmp 10.0.0.1 denied",
			"node tcp 10.0.0.1:6443 timeout"), "unknown"},
		// projectcalico/calico#12862
		{"TCP answers the node and not the pod, which reaches a Service", oneService + reachTree("a/p tcp 10.96.7.7:443 ok",
			"a/p tcp mirror.example:443 timeout", "node tcp mirror.example:443 ok"),
			"warn: mirror.example:443 answers the node over TCP but not a/p, which reaches the cluster [state]"},
		{"in another order", oneService + reachTree("node tcp mirror.example:443 ok", "a/p tcp mirror.example:443 timeout",
			"a/p tcp 10.96.7.7:443 ok"),
			"warn: mirror.example:443 answers the node over TCP but not a/p, which reaches the cluster [state]"},
		{"another host answers the pod", oneService + reachTree("a/p tcp 10.96.7.7:443 ok", "a/p tcp mirror.example:443 timeout",
			"node tcp mirror.example:443 ok", "a/p tcp other.example:443 ok"), "unknown"},
		{"the node gets no answer either", oneService + reachTree("a/p tcp 10.96.7.7:443 ok",
			"a/p tcp mirror.example:443 timeout", "node tcp mirror.example:443 timeout"), "unknown"},
		{"the pod reaches nothing at all", oneService + reachTree("a/p tcp 10.96.7.7:443 timeout",
			"a/p tcp mirror.example:443 timeout", "node tcp mirror.example:443 ok"), "unknown"},
		{"the pod reaches its own node only", oneService + nodeAt10 + reachTree("a/p tcp 10.0.0.10:10250 ok",
			"a/p tcp mirror.example:443 timeout", "node tcp mirror.example:443 ok"), "unknown"},
		{"the host refuses the pod", oneService + reachTree("a/p tcp 10.96.7.7:443 ok",
			"a/p tcp mirror.example:443 refused", "node tcp mirror.example:443 ok"), "unknown"},
		{"a large ping is another question", sizes("node", "8.8.8.8", "", "1472 timeout"),
			"unknown"},
		{"a ping to a Service", oneService + reachTree("a/p icmp 10.96.7.7 timeout"), "unknown"},
	})
}

func TestDNSPQDNWithDots(t *testing.T) {
	const full = "kubernetes.default.svc.cluster.local"
	runLooks(t, "dns-pqdn-with-dots", []look{
		{"the full name fails", dnsTree("a/p windows "+full+". timeout",
			"a/p linux "+full+" timeout"), "fail: the full name " + full +
			" does not resolve (timeout): the DNS suffix is not the cause [state]"},
		{"the one name that is always there is not there",
			dnsTree("a/p plain " + full + " nxdomain"), "fail: the full name " + full +
				" does not resolve (nxdomain): the DNS suffix is not the cause [state]"},
		{"one of two servers answers", dnsTree("a/p windows "+full+" timeout",
			"a/p windows "+full+" ok"), "pass"},
		{"another form of it resolves", dnsTree("a/p windows "+full+" timeout",
			"a/p plain "+full+" ok"), "pass"},
		{"a Service that does not exist",
			dnsTree("a/p windows gone.default.svc.cluster.local nxdomain"), "pass"},
		{"the node asks its own server", dnsTree("node windows " + full + " nxdomain"), "unknown"},
		{"no dot, and only Linux completes it", dnsTree("a/p windows kubernetes nxdomain",
			"a/p linux kubernetes ok"),
			"warn: kubernetes has no dot and resolves only with the rules of Linux; expected: on Windows too [state]"},
		{"a name of the world that nobody knows", dnsTree("a/p windows gone.example nxdomain",
			"a/p linux gone.example nxdomain"), "pass"},
		{"only names of the world, as they are", dnsTree("a/p plain mcr.microsoft.com ok"),
			"unknown"},
		{"a message in a log",
			"-- logs/app/app.log --\nPing request could not find host kubernetes.default. Please check the name and try again.\n", "info: a name did not resolve on Windows; a probe is required to find the cause [text]"},
	})
}

func TestVMMACSpoofingDisabled(t *testing.T) {
	vm := osAt(20348, 2700, true) + nodeAt10
	const node, lost = "node tcp 10.0.0.1:6443 ok",
		"All 2 connections from pods to other hosts fail, the node's succeed: hypervisor (Contoso VM) probably drops pod frames [state]"
	readyPod := strings.Replace(podSince("2026-11-20T09:00:00Z"), `"name":"web","namespace":"default"`,
		`"name":"p","namespace":"a"`, 1)
	two := []string{"a/p tcp 10.0.0.1:6443 timeout", "a/p tcp 10.244.1.3:53 unreachable"}
	probes := func(more ...string) string { return vm + reachTree(append(more, two...)...) }
	runLooks(t, "vm-mac-spoofing-disabled", []look{
		{"pods reach the node and no further", probes(node, "a/p tcp 10.0.0.10:10250 ok"),
			"fail: " + lost},
		{"whether pods reach the node was not asked", probes(node), "warn: " + lost},
		{"pods do not even reach the node", probes(node, "a/p tcp 10.0.0.10:10250 timeout"),
			"pass"},
		{"a Service with a pod of this node, and a pod beside",
			oneService + probes(node, "a/p tcp 10.0.0.10:10250 ok", "a/p tcp 10.96.7.7:80 ok",
				"a/p tcp 10.244.3.9:80 ok"), "fail: " + lost},
		{"a name that could not be looked up", probes(node, "a/p tcp 10.0.0.10:10250 ok",
			"a/p tcp registry.example:443 error"), "fail: " + lost},
		{"a refusal came back", probes(node, "a/p tcp 10.0.0.2:22 refused"), "pass"},
		{"the node reaches nobody either", probes("node tcp 10.0.0.1:6443 timeout"), "unknown"},
		{"the node reaches only itself", probes("node tcp 10.0.0.10:10250 ok"), "unknown"},
		{"a single connection", vm + reachTree(node, "a/p tcp 10.0.0.1:6443 timeout"), "unknown"},
		{"the pod's endpoint is degraded", probes(node, "a/p tcp 10.0.0.10:10250 ok") + readyPod +
			"-- hns-endpoints.json --\n[{\"IPAddress\":\"10.244.2.5\",\"State\":5}]\n", "unknown"},
		{"the pod's endpoint is attached", probes(node, "a/p tcp 10.0.0.10:10250 ok") + readyPod +
			"-- hns-endpoints.json --\n[{\"IPAddress\":\"10.244.2.5\",\"State\":2}]\n", "fail: " + lost},
		{"the gateway of pods has no adapter", onFlannel + probes(node, "a/p tcp 10.0.0.10:10250 ok") +
			"-- hns-endpoints.json --\n[{\"Name\":\"cbr0_ep\",\"IPAddress\":\"10.244.2.2\"},{\"ID\":\"b\",\"IPAddress\":\"10.244.2.5\",\"GatewayAddress\":\"10.244.2.2\"}]\n" +
			"-- adapters.json --\n[{\"name\":\"Ethernet0\"}]\n", "pass"},
		{"a machine of iron", osAt(20348, 2700, false) + nodeAt10 + reachTree(append(two, node)...),
			"skip"},
		{"nobody says whether it is virtual", "-- os.json --\n{\"build\":20348}\n" +
			reachTree(two...), "unknown"},
	})
}

func TestOverlayUpdateMissing(t *testing.T) {
	const vxlan,
		hostgw = "-- files/C/k/net-conf.json --\n{\"Network\":\"10.244.0.0/16\",\"Backend\":{\"Type\":\"vxlan\"}}\n", "-- files/C/k/net-conf.json --\n{\"Network\":\"10.244.0.0/16\",\"Backend\":{\"Type\":\"host-gw\"}}\n"
	const refused = "-- logs/flanneld/flanneld.log --\nE0402 09:14:03.900021    4120 main.go:289] Error registering network: platform does not support feature Remote Subnet\n"
	const ovn = "-- files/C/cni-conf/10-ovn-kubernetes.conf --\n{\"name\":\"ovn-kubernetes\",\"type\":\"ovn-k8s-cni-overlay.exe\"}\n" +
		"-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\",\"binPath\":\"C:\\\\k\\\\kubelet.exe\",\"args\":[\"--network-plugin=cni\",\"--cni-conf-dir=C:\\\\cni-conf\"]}]\n" +
		"-- hns-networks.json --\n[{\"ID\":\"A\",\"Name\":\"external\",\"Type\":\"Transparent\"}]\n"
	runLooks(t, "overlay-update-missing", []look{
		{"one revision too old", osAt(17763, 378, true) + vxlan,
			"fail: Windows build is 10.0.17763.378 (overlay networks require 10.0.17763.379, KB4489899, or later) [state]"},
		{"the very update", osAt(17763, 379, true) + vxlan, "pass"},
		{"a revision that nobody recorded", osAt(17763, 0, true) + vxlan, "unknown"},
		{"no revision, and flanneld says it", osAt(17763, 0, true) + vxlan + refused,
			"warn: HNS has no remote subnets: the build is too old for overlay networks, or HNS is broken [text]"},
		{"an old message, and the update is there", osAt(17763, 5329, true) + vxlan + refused,
			"info: the logs say: HNS has no remote subnets: the build is too old for overlay networks, or HNS is broken; the node's current state does not confirm it [text]"},
		{"HNS answered at the next start", osAt(17763, 0, true) + vxlan + refused +
			"I0402 09:15:03.900021    4120 main.go:366] Running backend.\n",
			"info: the logs say: HNS has no remote subnets: the build is too old for overlay networks, or HNS is broken; it is over: a later line says: Running backend. [text]"},
		{"not an overlay", osAt(17763, 1, true) + hostgw, "skip"},
		{"a later build", osAt(20348, 1, true) + vxlan, "skip"},
		// microsoft/SDN#273
		{"Windows Server, version 1803", osAt(17134, 376, true) + vxlan,
			"fail: Windows build is 10.0.17134.376 (overlay networks require 10.0.17763.379, KB4489899, or later) [state]"},
		{"the same without an overlay", osAt(17134, 376, true) + hostgw, "skip"},
		// ovn-kubernetes, contrib: OVN and Open vSwitch on Windows Server, version 1709
		{"Open vSwitch has the overlay", osAt(16299, 1087, true) + ovn, "skip"},
	})
}
