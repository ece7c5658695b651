package faults_test

import (
	"strings"
	"testing"
)

func TestCNIConfigUninitialized(t *testing.T) {
	ready := func(status, message string) string {
		return "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"" + status + "\",\"reason\":\"KubeletNotReady\",\"message\":\"" + message + "\"}]}}\n"
	}
	cri := func(ok string) string {
		return "-- cri.json --\n{\"status\":{\"conditions\":[{\"type\":\"NetworkReady\",\"status\":" + ok + ",\"reason\":\"NetworkPluginNotReady\",\"message\":\"Network plugin returns error: cni plugin not initialized\"}]}}\n"
	}
	containerd := func(dir string) string {
		return "-- files/C/Program Files/containerd/config.toml --\nversion = 2\n[plugins.\"io.containerd.grpc.v1.cri\".cni]\n  bin_dir = \"C:/opt/cni/bin\"\n  conf_dir = \"" + dir + "\"\n"
	}
	const conf = "-- files/C/etc/cni/net.d/10-flannel.conf --\n{\"name\":\"flannel.4096\",\"type\":\"flannel\"}\n"
	const log = "-- logs/kubelet/kubelet.log --\nE1120 kubelet.go:2855] \"Container runtime network not ready\" networkReady=\"NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized\"\n"
	const gone = "-- files.json --\n[{\"path\":\"C:\\\\etc\\\\cni\\\\net.d\",\"outcome\":\"absent\"}]\n"
	runLooks(t, "cni-config-uninitialized", []look{
		{"the node says so",
			ready("False",
				"container runtime network not ready: Network plugin returns error: cni plugin not initialized"),
			"fail: the node is not Ready because the runtime has no usable CNI configuration (cni plugin not initialized) [state]"},
		{"a docker node says so",
			ready("False", "message:docker: network plugin is not ready: cni config uninitialized"),
			"fail: the node is not Ready because the runtime has no usable CNI configuration (cni config uninitialized) [state]"},
		{"a Ready node logs it at every boot", ready("True", "kubelet is posting ready status") +
			log, "info: the logs say: the runtime reports that its CNI plugin is not initialized; the node's current state does not confirm it [text]"},
		{"the runtime says so", cri("false"),
			"fail: the runtime's network is not ready: Network plugin returns error: cni plugin not initialized [state]"},
		{"the runtime is content, while the node is not Ready for another reason",
			ready("False", "PLEG is not healthy") + cri("true"), "pass"},
		{"only the log says so", log,
			"fail: the runtime reports that its CNI plugin is not initialized [text]"},
		{"a configuration where the runtime looks", containerd("C:/etc/cni/net.d") + conf, "pass"},
		{"a configuration in another folder", containerd("C:/Program Files/containerd/cni/conf") +
			conf,
			`fail: the runtime reads C:\Program Files\containerd\cni\conf, which has no CNI configuration; 10-flannel.conf is in C:\etc\cni\net.d [state]`},
		{"the folder is not there", ready("Unknown", "Kubelet stopped posting node status.") +
			containerd("C:/etc/cni/net.d") + gone,
			`fail: the runtime reads the folder C:\etc\cni\net.d, which is missing [state]`},
		{"nobody looked into the folder", ready("Unknown", "Kubelet stopped posting node status.") +
			containerd("C:/etc/cni/net.d"), "unknown"},
		{"a kubelet of 1.22 with docker, by its log alone", logTelling("kubelet",
			strings.Repeat("I1120 cni.go:240] \"Unable to update cni config\" err=\"no networks found in C:\\\\k\\\\cni\\\\config\"\n", 6)),
			"fail: the kubelet cannot find a CNI configuration [text]"},
		{"Calico writes its kubeconfig first", logTelling("containerd",
			`level=error msg="failed to reload cni configuration after receiving fs change event(WRITE \"/etc/cni/net.d/calico-kubeconfig\")" error="cni config load failed: no network config found in /etc/cni/net.d: cni plugin not initialized: failed to load cni config"`),
			"unknown"},
	})
}
