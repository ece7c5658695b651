package faults_test

import "testing"

func TestCNIConfigInvalid(t *testing.T) {
	conf := func(name, text string) string {
		return "-- files/C/etc/cni/net.d/" + name + " --\n" + text + "\n"
	}
	const good = `{"cniVersion":"0.3.0","name":"cbr0","type":"win-bridge"}`
	const notStopped = "-- logs/containerd/containerd.log --\n" + `time="2026-11-20T09:58:00Z" level=error msg="StopPodSandbox for \"bc\" failed" error="failed to destroy network for sandbox \"bc\": invalid version \"\": the version is empty"` + "\n"
	runLooks(t, "cni-config-invalid", []look{
		{"a byte order mark in front", conf("10-a.conf", "\xef\xbb\xbf"+good),
			"fail: 10-a.conf begins with a byte order mark, which the runtime refuses [state]"},
		{"a broken file behind the one that is loaded", conf("10-a.conf", good) + conf("20-b.conf",
			"{"), "pass"},
		{"a broken file in front of a good one", conf("10-a.conf", "{\n# no\n}") + conf("20-b.conf",
			good), "fail: 10-a.conf is not valid JSON: line 2: JSON allows no comments; delete this one and its marker [state]"},
		{"the first file was seen and not read",
			"-- files.json --\n[{\"path\":\"C:\\\\etc\\\\cni\\\\net.d\\\\05-x.conf\",\"outcome\":\"denied\"}]\n" + conf("10-a.conf", good), "unknown"},
		{"a list in a .conf",
			conf("10-a.conf",
				`{"cniVersion":"0.3.0","name":"azure","plugins":[{"type":"azure-vnet"}]}`),
			"fail: 10-a.conf holds a list of plugins, which the runtime reads from a .conflist only [state]"},
		{"a single plugin in a .conflist", conf("10-a.conflist", good),
			"fail: 10-a.conflist holds a single plugin, and a .conflist must hold a list [state]"},
		{"a version that Microsoft's plugins reject, in a delegate",
			conf("10-a.conf",
				`{"cniVersion":"0.3.1","name":"cbr0","type":"flannel","delegate":{"type":"sdnbridge"}}`),
			"fail: the plugin sdnbridge does not know cniVersion 0.3.1: it takes 0.2.0, 0.3.0, 0.4.0 and 1.0.0 [state]"},
		{"the same version for win-bridge",
			conf("10-a.conf", `{"cniVersion":"0.3.1","name":"cbr0","type":"win-bridge"}`), "pass"},
		{"no version", conf("10-a.conf", `{"name":"cbr0","type":"win-bridge"}`), "pass"},
		{"no version, and a pod that cannot be stopped", conf("10-a.conf", `{"name":"cbr0","type":"win-bridge"}`) + notStopped,
			"fail: 10-a.conf has no cniVersion, so pods cannot be stopped [state+text]"},
		{"a pod could not be stopped before there was a version", conf("10-a.conf", good) + notStopped,
			"info: the logs say: the CNI configuration has no cniVersion: pods cannot be stopped; the node's current state does not confirm it [text]"},
		{"what Calico fills in itself",
			conf("10-calico.conf",
				`{"name":"Calico","cniVersion":"0.3.1","type":"calico","ipam":{"type":"host-local","subnet":"usePodCidr"}}`), "pass"},
		{"a placeholder",
			conf("10-a.conf",
				`{"name":"l2bridge","cniVersion":"0.2.0","type":"wincni.exe","ipam":{"subnet":"<podCIDR>"}}`), "fail: ipam.subnet <podCIDR> is a placeholder that was not replaced [state]"},
		{"host bits before host-local",
			conf("10-a.conf",
				`{"name":"cbr0","cniVersion":"0.2.0","type":"win-bridge","ipam":{"type":"host-local","subnet":"10.244.2.1/24"}}`),
			"fail: ipam.subnet 10.244.2.1/24 is the address of a host, which host-local refuses: the network is 10.244.2.0/24 [state]"},
		{"containerd says so, and the file is not recorded",
			"-- logs/containerd/containerd.log --\n" +
				`level=error msg="failed to load cni during init" error="cni config load failed: failed to load CNI config file C:\\etc\\cni\\net.d\\10-a.conf: error parsing configuration: invalid character '#'"` + "\n",
			"fail: the runtime cannot read a CNI configuration [text]"},
		{"another program's configuration",
			"-- logs/csi-proxy/csi.log --\nerror parsing configuration: no endpoint\n", "unknown"},
		{"containerd reads a file that is being written", logTelling("containerd",
			`level=error msg="failed to reload cni configuration after receiving fs change event(WRITE \"C:/etc/cni/net.d/10-a.conf\")" error="cni config load failed: failed to load CNI config file C:/etc/cni/net.d/10-a.conf: error parsing configuration: unexpected end of JSON input"`),
			"unknown"},
	})
}
