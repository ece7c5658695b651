package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

func build(number, ubr int) string {
	return fmt.Sprintf("-- os.json --\n{\"build\":%d,\"ubr\":%d}\n", number, ubr)
}

// reach are probes of lines "from protocol target outcome".
func reach(lines ...string) string {
	var list []string
	for _, line := range lines {
		f := strings.Fields(line)
		list = append(list, fmt.Sprintf(`{"from":%q,"protocol":%q,"target":%q,"outcome":%q}`, f[0],
			f[1], f[2], f[3]))
	}
	return "-- probes/reach.json --\n[" + strings.Join(list, ",\n") + "]\n"
}

func TestWindowsUpdateKB5040437Networking(t *testing.T) {
	const services = "-- processes.json --\n[{\"pid\":9,\"name\":\"kube-apiserver.exe\"}]\n-- api/configmaps.json --\n[{\"metadata\":{\"name\":\"kubeadm-config\",\"namespace\":\"kube-system\"},\"data\":{\"ClusterConfiguration\":\"networking:\\n  serviceSubnet: 10.96.0.0/12\\n  podSubnet: 10.244.0.0/16\\n\"}}]\n"
	const fault = "fail: Pods reach no host, the node does: build 10.0.20348.2582 has KB5040437, which makes the firewall block pods [state]"
	const default2582 = "info: Build 10.0.20348.2582 has the firewall change of KB5040437, which blocks pods on some networks"
	const forbidden = "-- logs/pods/app.log --\ndial tcp 10.96.0.1:443: connectex: An attempt was made to access a socket in a way forbidden by its access permissions.\n"
	web := podOf("web", "10.244.2.5", "2026-11-20T03:05:00Z")
	dead := reach("node tcp 10.0.0.1:6443 ok", "default/web tcp 10.244.1.3:53 timeout")
	runLooks(t, "windows-update-kb5040437-networking", []look{
		{"pods reach nothing", build(20348, 2582) + services + dead, fault},
		{"nor does the node", build(20348, 2582) + services +
			reach("node tcp 10.0.0.1:6443 timeout", "default/web tcp 10.244.1.3:53 timeout"),
			default2582 + " (no sign of it here) [state]"},
		{"a Service that does not answer is kube-proxy's", build(20348, 2582) + services +
			reach("node tcp 10.0.0.1:6443 ok", "default/web tcp 10.96.0.1:443 timeout"),
			default2582 + " (no sign of it here) [state]"},
		{"a pod without endpoint has another fault", build(20348, 2582) + services + dead +
			pods(web) + endpoints(),
			default2582 + " (default/web is Ready, not probed) [state]"},
		{"pods reach what they want",
			build(20348, 2582) + reach("default/web tcp 10.244.1.3:53 ok"),
			"info: Build 10.0.20348.2582 has the firewall change of KB5040437; pods reach 10.244.1.3:53, so it is harmless here [state]"},
		{"a ping is no proof", build(20348, 2582) + services + reach("node tcp 10.0.0.1:6443 ok",
			"default/web icmp 8.8.8.8 timeout"),
			default2582 + " (no sign of it here) [state]"},
		{"with Ready pods it is only told", build(20348, 2582) + pods(web),
			default2582 + " (default/web is Ready, not probed) [state]"},
		{"a pod complains", build(20348, 2655) + forbidden,
			"fail: Pods are denied connections: build 10.0.20348.2655 has KB5040437, which makes the firewall block pods [state+text]"},
		{"the complaint of a listener is about ports",
			build(20348, 2582) + strings.Replace(forbidden, "dial tcp", "listen tcp", 1),
			default2582 + " (no sign of it here) [state]"},
		{"the update of October", build(20348, 2762) + dead + forbidden, "skip"},
		{"the month before", build(20348, 2527) + dead, "skip"},
		{"another Windows", build(17763, 2600) + dead, "skip"},
		{"the revision is not known", "-- os.json --\n{\"build\":20348}\n" + forbidden, "unknown"},
		{"AKS has it on by choice",
			build(20348, 2582) +
				"-- api/node.json --\n{\"metadata\":{\"name\":\"aks\",\"labels\":{\"kubernetes.azure.com/cluster\":\"mc\"}}}\n" + dead, "skip"},
		{"nobody looked", dead, "unknown"},
	})
}

func TestL2BridgeUnstable21H2(t *testing.T) {
	const bridge = "-- hns-networks.json --\n[{\"Name\":\"azure\",\"Type\":\"L2Bridge\"}]\n"
	flapping := reach("node icmp 10.0.0.1 ok", "node icmp 10.0.0.1 timeout",
		"node icmp 10.0.0.1 timeout", "node icmp 10.0.0.1 ok")
	const fault = "warn: connections to 10.0.0.1 from node fail intermittently, with L2Bridge network azure on 10.0.20348.2402 [state]"
	runLooks(t, "l2bridge-unstable-21h2", []look{
		{"it comes and goes", build(20348, 2402) + bridge + flapping, fault},
		{"the revision is not known", "-- os.json --\n{\"build\":20348}\n" + bridge + flapping,
			strings.Replace(fault, ".2402", "", 1)},
		{"one loss is chance", build(20348, 2402) + bridge + reach("node icmp 10.0.0.1 ok",
			"node icmp 10.0.0.1 timeout", "node icmp 10.0.0.1 ok"), "pass"},
		{"two targets", build(20348, 2402) + bridge + reach("node tcp 10.0.0.1:80 ok",
			"node tcp 10.0.0.1:80 ok", "node tcp 10.0.0.2:80 timeout",
			"node tcp 10.0.0.2:80 timeout"), "pass"},
		{"an overlay", build(20348, 2402) + networks("vxlan0 Overlay") + flapping, "skip"},
		{"since the update of October 2024", build(20348, 2762) + bridge + flapping, "skip"},
		{"Server 2019", build(17763, 5329) + bridge + flapping, "skip"},
		{"nothing was probed", build(20348, 2402) + bridge, "unknown"},
		{"the build is not known", bridge + flapping, "unknown"},
	})
}
