package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestNATCNIConfShadowsCNI(t *testing.T) {
	conf := func(name, text string) string {
		return "-- files/C/etc/cni/net.d/" + name + " --\n" + text + "\n"
	}
	const nat, flannel = `{"cniVersion":"0.2.0","name":"nat","type":"nat"}`,
		`{"cniVersion":"0.3.0","name":"flannel.4096","type":"flannel","delegate":{"type":"sdnoverlay"}}`
	endpoints := func(networks ...string) string {
		text := "-- hns-networks.json --\n[{\"ID\":\"n0\",\"Name\":\"nat\",\"Type\":\"NAT\",\"SchemaVersion\":{\"Major\":2}},{\"ID\":\"n1\",\"Name\":\"cbr0\",\"Type\":\"L2Bridge\",\"SchemaVersion\":{\"Major\":2}}]\n-- hns-endpoints.json --\n["
		for i, network := range networks {
			text += fmt.Sprintf(`%s{"ID":"e%d","Name":"%s_%s","SchemaVersion":{"Major":2}}`, strings.Repeat(",", min(i, 1)), i,
				strings.Repeat("ab", 32), network)
		}
		return text + "]\n"
	}
	runLooks(t, "nat-cni-conf-shadows-cni", []look{
		{"without the configuration, the endpoints of pods", endpoints("nat", "nat"),
			"fail: pods are on the NAT network, and none is on the network of flannel [state]"},
		{"one pod is on the network of the cluster", endpoints("nat", "cbr0"), "unknown"},
		{"no pod", endpoints(), "unknown"},
		{"the configuration decides", conf("10-flannel.conf", flannel) + endpoints("nat"), "pass"},
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
