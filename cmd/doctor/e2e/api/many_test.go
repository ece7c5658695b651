package api_test

import (
	"archive/zip"
	"encoding/json"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"doctor/fixtures/apibed"
	"doctor/fixtures/program"
)

// TestAClusterOfManyNodes: above 500 nodes all are read, in one more request, and kept without what no
// check compares.
func TestAClusterOfManyNodes(t *testing.T) {
	apibed.Require(t)
	bed, err := apibed.Start() // what is filled in stays until the server ends
	if err != nil {
		t.Fatal(err)
	}
	defer bed.Stop()
	const page, all = "GET /api/v1/nodes?limit=500", "GET /api/v1/nodes?resourceVersion=0"
	filled := 0
	for _, c := range []struct {
		name     string
		nodes    int
		requests []string
		thin     bool
	}{
		{"500 nodes", 500, []string{page}, false},
		{"600 nodes", 600, []string{page, all}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			bed.Fleet(t, filled, c.nodes)
			filled = c.nodes
			front := bed.Front(t, apibed.Faults{})
			file := filepath.Join(t.TempDir(), "node.zip")
			began := time.Now()
			r := program.Run(t, program.Build(t), "bundle", file, "--node", "fleet-0003", "--kubeconfig",
				bed.Kubeconfig(t, apibed.Login{Server: front.URL, CA: front.CA}), enough)
			if r.Status != program.Fine {
				t.Fatalf("exit status %d\n%s", r.Status, r.Stderr)
			}
			t.Logf("%v, %d requests, %.1f MB, %d MB of memory", time.Since(began).Round(time.Millisecond),
				len(front.Requests()), float64(front.Bytes())/1e6, r.Peak/1e6)
			asked := slices.DeleteFunc(front.Requests(), func(request string) bool {
				return !strings.HasPrefix(request, "GET /api/v1/nodes?")
			})
			if !slices.Equal(asked, c.requests) {
				t.Errorf("it asks %q, not %q", asked, c.requests)
			}
			names := map[string]bool{}
			for _, n := range nodesIn(t, file) {
				names[n.Metadata.Name] = true
				if n.Status.NodeInfo["kernelVersion"] == "" || len(n.Status.Addresses) == 0 ||
					n.Spec["podCIDR"] == "" || n.Metadata.Labels["agentpool"] == "" {
					t.Fatalf("%+v lacks what checks compare", n)
				}
				if thin := n.Status.Capacity == nil; thin != c.thin {
					t.Fatalf("%s is thin: %t", n.Metadata.Name, thin)
				}
			}
			if len(names) != c.nodes {
				t.Errorf("%d nodes are recorded, not %d", len(names), c.nodes)
			}
		})
	}
	list := program.Run(t, program.Build(t), "--node", "-o", "name", "--kubeconfig", bed.Kubeconfigs["admin"], enough)
	if n := strings.Count(list.Stdout, "node/fleet-"); n != filled || list.Status != program.Fine {
		t.Errorf("exit status %d, and %d of %d nodes are listed: %s", list.Status, n, filled, list.Stderr)
	}
}

type node struct {
	Metadata struct {
		Name   string
		Labels map[string]string
	}
	Spec   map[string]any
	Status struct {
		Addresses []any
		Capacity  map[string]string
		NodeInfo  map[string]string
	}
}

// nodesIn are the nodes that a bundle recorded.
func nodesIn(t *testing.T, file string) []node {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		if path.Base(f.Name) != "nodes.json" {
			continue
		}
		content, err := fs.ReadFile(z, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		var list struct{ Items []node }
		if err := json.Unmarshal(content, &list); err != nil {
			t.Fatal(err)
		}
		return list.Items
	}
	t.Fatal("the bundle has no nodes.json")
	return nil
}
