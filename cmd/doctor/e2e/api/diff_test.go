package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"doctor/checks/diff"
	"doctor/fixtures/apibed"
	"doctor/fixtures/program"
)

// TestNodesAreComparedThroughTheAPI: two nodes of the cluster, of which one has a kubelet of another
// version, and one node with itself.
func TestNodesAreComparedThroughTheAPI(t *testing.T) {
	bed := apibed.Require(t)
	for name, address := range map[string]string{"win-a": "10.240.0.14", "win-b": "10.240.0.15",
		"win-old": "10.240.0.16"} {
		node := apibed.Node(name, "windows", address, "True")
		if name == "win-old" {
			node["status"].(apibed.Object)["nodeInfo"].(apibed.Object)["kubeletVersion"] = "v1.29.1"
		}
		bed.Create(t, "/api/v1/nodes", node)
	}
	for _, c := range []struct {
		name, a, b string
		status     int
		differs    string
	}{
		{"two nodes of one kind", "node:win-a", "node:win-b", program.Fine, ""},
		{"one node with itself", "node:win-a", "node:win-a", program.Fine, ""},
		{"an older kubelet", "node:win-a", "node:win-old", program.Fail, "v1.29.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := program.Run(t, program.Build(t), "diff", c.a, c.b, "--kubeconfig",
				bed.Kubeconfigs["admin"], "-o", "json", enough)
			var report diff.Comparison
			if err := json.Unmarshal([]byte(r.Stdout), &report); err != nil || r.Status != c.status {
				t.Fatalf("exit status %d, %v: %s%s", r.Status, err, r.Stderr, r.Stdout)
			}
			if !strings.Contains(r.Stdout, c.differs) {
				t.Errorf("it does not show %s: %s", c.differs, r.Stdout)
			}
		})
	}
	if r := program.Run(t, program.Build(t), "diff", "node:win-a", "node:nobody", "--kubeconfig",
		bed.Kubeconfigs["admin"], "-o", "json", enough); r.Status != program.Usage ||
		!strings.Contains(r.Stderr, `has no node "nobody"`) {
		t.Errorf("a node that is not there: exit status %d: %s", r.Status, r.Stderr)
	}
}
