package faults_test

import "testing"

func TestNATCNIConfShadowsCNI(t *testing.T) {
	conf := func(name, text string) string {
		return "-- files/C/etc/cni/net.d/" + name + " --\n" + text + "\n"
	}
	const nat, flannel = `{"cniVersion":"0.2.0","name":"nat","type":"nat"}`,
		`{"cniVersion":"0.3.0","name":"flannel.4096","type":"flannel","delegate":{"type":"sdnoverlay"}}`
	runLooks(t, "nat-cni-conf-shadows-cni", []look{
		{"the NAT configuration in front", conf("0-containerd-nat.conf", nat) +
			conf("10-flannel.conf", flannel),
			"fail: 0-containerd-nat.conf of type nat sorts before 10-flannel.conf, so all pods are on the NAT network [state]"},
		{"in front as a list", conf("0-containerd-nat.conflist",
			`{"name":"nat","plugins":[{"type":"nat"}]}`) + conf("10-flannel.conf", flannel),
			"fail: 0-containerd-nat.conflist of type nat sorts before 10-flannel.conf, so all pods are on the NAT network [state]"},
		{"behind, where it does no harm", conf("10-flannel.conf", flannel) + conf("99-nat.conf",
			nat), "pass"},
		{"switched off by its name", conf("0-containerd-nat.conf.bak", nat) +
			conf("10-flannel.conf", flannel), "pass"},
		{"in a folder that nobody reads",
			"-- files/C/Program Files/containerd/cni/conf/0-containerd-nat.conf --\n" + nat + "\n" +
				conf("10-flannel.conf", flannel), "pass"},
		{"nothing else is there", conf("0-containerd-nat.conf", nat),
			"fail: 0-containerd-nat.conf of type nat is the only CNI configuration: pods cannot reach other nodes [state]"},
		{"flannel has not written its own yet", conf("0-containerd-nat.conf", nat) +
			"-- files/C/run/flannel/subnet.env --\nFLANNEL_NETWORK=10.244.0.0/16\n",
			"fail: 0-containerd-nat.conf of type nat is loaded instead of the configuration of the cluster [state]"},
		{"the first file was not copied",
			"-- files.json --\n[{\"path\":\"C:\\\\etc\\\\cni\\\\net.d\\\\0-containerd-nat.conf\",\"outcome\":\"denied\"}]\n" + conf("10-flannel.conf", flannel), "unknown"},
	})
}
