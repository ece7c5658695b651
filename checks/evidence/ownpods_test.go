package evidence_test

import (
	"testing"

	"golang.org/x/tools/txtar"

	"doctor/checks/evidence"
	"doctor/fixtures"
)

// TestPodsAreThoseOfTheNode: a list of a whole cluster has pods of other nodes.
func TestPodsAreThoseOfTheNode(t *testing.T) {
	pod := func(name, node string) string {
		return `{"metadata":{"name":"` + name + `"},"spec":{"nodeName":"` + node + `"}}`
	}
	for _, c := range []struct{ name, node, list, want string }{
		{"pods of others are left out", "win-1", pod("a", "lin-1") + "," + pod("b", "win-1"), "b"},
		{"names of nodes have no case", "WIN-1", pod("a", "lin-1") + "," + pod("b", "win-1"), "b"},
		{"pods that wait for a node stay", "win-1", pod("a", "") + "," + pod("b", "win-1") + "," + pod("c", "lin-1"), "a b"},
		{"the node is not known", "unknown", pod("a", "lin-1") + "," + pod("b", "win-1"), "a b"},
		{"the machine has another name", "ec2amaz-1", pod("a", "ip-10-0-0-1.ec2.internal"), "a"},
	} {
		s, err := evidence.Load(fixtures.Tree(txtar.Parse([]byte("-- meta.json --\n" +
			`{"layout":"evidence/v1","node":"` + c.node + `"}` + "\n-- api/pods.json --\n" +
			`{"items":[` + c.list + `]}` + "\n"))))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i, p := range evidence.Pods.In(s) {
			if i > 0 {
				got += " "
			}
			got += p.Metadata.Name
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
