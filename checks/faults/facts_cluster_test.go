package faults_test

import (
	"fmt"
	"testing"

	"golang.org/x/tools/txtar"

	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/fixtures"
)

func TestTheServiceCIDRIsTakenFromTheServerItself(t *testing.T) {
	const kubeadm = "-- api/configmaps.json --\n{\"items\":[{\"metadata\":{\"name\":\"kubeadm-config\"},\"data\":{\"ClusterConfiguration\":\"networking:\\n  serviceSubnet: 10.96.0.0/12\\n\"}}]}\n"
	const objects = "-- api/servicecidrs.json --\n{\"items\":[{\"metadata\":{\"name\":\"kubernetes\"},\"spec\":{\"cidrs\":[\"10.0.0.0/16\",\"fd00::/112\"]}}]}\n"
	for _, row := range []struct{ name, tree, value, path string }{
		{"kubeadm's configuration alone", kubeadm, "[10.96.0.0/12]", "api/configmaps.json"},
		{"the server's own objects come first", kubeadm + objects, "[10.0.0.0/16 fd00::/112]",
			"api/servicecidrs.json"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := evidence.Load(fixtures.Tree(txtar.Parse([]byte(shortMeta + row.tree))))
			if err != nil {
				t.Fatal(err)
			}
			got := node.About(s).ServiceCIDRs
			if text := fmt.Sprint(got.Value); text != row.value || got.From.Path != row.path {
				t.Errorf("the service CIDR is %s from %s", text, got.From.Path)
			}
		})
	}
}
