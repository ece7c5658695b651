package faults_test

import "testing"

func TestCNIBinaryMissing(t *testing.T) {
	conf := func(text string) string {
		return "-- files/C/etc/cni/net.d/10-a.conf --\n" + text + "\n"
	}
	index := func(list string) string { return "-- files.json --\n[" + list + "]\n" }
	const flannel = `{"cniVersion":"0.3.0","name":"cbr0","type":"flannel","delegate":{"type":"sdnbridge"}}`
	const dir = `{"path":"C:\\opt\\cni\\bin\\`
	const there, gone = `.exe","outcome":"too-large"}`, `.exe","outcome":"absent"}`
	runLooks(t, "cni-binary-missing", []look{
		{"all there", conf(flannel) + index(dir+"flannel"+there+","+dir+"sdnbridge"+there+","+dir+
			"host-local"+there), "pass"},
		{"nobody looked at one", conf(flannel) + index(dir+"flannel"+there+","+dir+"host-local"+
			there), "unknown"},
		{"the delegate is gone, and nobody looked at flannel",
			conf(flannel) + index(dir+"sdnbridge"+gone),
			`fail: sdnbridge.exe is not in C:\opt\cni\bin, and 10-a.conf calls it [state]`},
		{"azure-cns is no program",
			conf(`{"name":"azure","cniVersion":"0.3.0","type":"azure-vnet","ipam":{"type":"azure-cns"}}`) + index(dir+"azure-vnet"+there+","+dir+"azure-cns"+gone), "pass"},
		{"containerd's log alone, with its quotes escaped",
			"-- logs/containerd/containerd.log --\n" +
				`level=error msg="RunPodSandbox failed, error" error="plugin type=\"flannel\" failed (add): failed to find plugin \"flannel\" in path [C:/opt/cni/bin]"` + "\n",
			"fail: the runtime cannot find a CNI plugin binary [text]"},
		{"its configuration came first, and the node is Ready since", logTelling("kubelet",
			`E1120 09:50:00.000000 1 pod_workers.go:1] failed to find plugin "flannel" in path [C:/opt/cni/bin]`+
				"\nI1120 09:50:20.000000 1 kubelet_node_status.go:1] \"Fast updating node status as it just became ready\""),
			"info: the logs say: the runtime cannot find a CNI plugin binary; it is over: a later line says: Fast updating node status as it just became ready [text]"},
	})
}
