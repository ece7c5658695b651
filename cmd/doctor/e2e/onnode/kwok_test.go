package onnode_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"doctor/checks/fleet"
	"doctor/fixtures/apibed"
	"doctor/fixtures/program"
	"doctor/fixtures/server"
	"doctor/fixtures/wait"
)

// TestAFleetOfKWOK: 50 nodes whose kubelet is KWOK. It renews their leases, and runs the pods that
// doctor sends to them.
func TestAFleetOfKWOK(t *testing.T) {
	server.KWOK.Require(t)
	b := stage(t)
	const nodes = 50
	var addresses []string
	for i := range nodes {
		ip := fmt.Sprintf("10.242.0.%d", i+1)
		node := apibed.Node(fmt.Sprintf("kwok-%02d", i), "windows", ip, "False")
		node["metadata"].(apibed.Object)["labels"].(apibed.Object)["type"] = "kwok"
		b.Create(t, "/api/v1/nodes", node)
		addresses = append(addresses, ip+":10250")
	}
	b.KWOK(t, addresses, printed(t, "kubelet-removed-flag"))
	wait.Until(t, "KWOK's nodes to be Ready", func() bool {
		list := string(b.Get(t, "/api/v1/nodes?labelSelector=type%3Dkwok"))
		return strings.Count(list, `"KubeletReady"`) == nodes
	})
	run := func(args ...string) (report fleet.Report) {
		t.Helper()
		r := program.Run(t, program.Build(t), append([]string{"fleet", "--kubeconfig", b.Kubeconfigs["admin"],
			"-l", "type=kwok", "-o", "json"}, args...)...)
		if err := json.Unmarshal([]byte(r.Stdout), &report); err != nil {
			t.Fatalf("exit status %d, %v: %s", r.Status, err, r.Stderr)
		}
		if len(report.Notes) > 0 {
			t.Errorf("doctor fleet %q has notes %q", args, report.Notes)
		}
		return report
	}
	if s := run().Summary; s.Nodes != nodes || s.NotReady != 0 || s.Unread != 0 {
		t.Errorf("through the API: %+v", s)
	}
	found := 0
	for _, c := range run("--on-node", "--image", image).Causes {
		if c.ID == "kubelet-removed-flag" {
			found = c.Count
		}
	}
	if found != nodes {
		t.Errorf("%d nodes have what their pods print", found)
	}
	nothingLeft(t, b)
}
