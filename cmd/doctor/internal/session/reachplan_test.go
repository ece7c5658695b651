package session

import (
	"strings"
	"testing"
	"testing/fstest"

	"doctor/checks/evidence"
	"doctor/fixtures"
)

func TestReachPlan(t *testing.T) {
	node := func(name, os, ready, ip string) string {
		return `{"metadata":{"name":"` + name + `","labels":{"kubernetes.io/os":"` + os +
			`"}},"status":{"addresses":[{"type":"InternalIP","address":"` + ip +
			`"}],"conditions":[{"type":"Ready","status":"` + ready + `"}]}}`
	}
	service := func(name, policy string) string {
		return `{"metadata":{"namespace":"default","name":"` + name +
			`"},"spec":{"clusterIP":"10.96.0.7","externalTrafficPolicy":"` + policy +
			`","ports":[{"port":80,"nodePort":30080}]}}`
	}
	slice := func(name, ready string) string {
		return `{"metadata":{"namespace":"default","labels":{"kubernetes.io/service-name":"` +
			name + `"}},"endpoints":[{"addresses":["10.0.0.1"],"conditions":{"ready":` + ready +
			`}}],"ports":[{"port":6443}]}`
	}
	list := func(items ...string) string { return `{"items":[` + strings.Join(items, ",") + `]}` }
	const outside = "outside http www.msftconnecttest.com:80"
	self := node("win-1", "windows", "True", "10.0.0.10")
	cases := []struct {
		name  string
		tree  map[string]string
		extra []string
		want  string // "purpose scheme target", one a line
	}{
		{"nothing is known", nil, nil, outside},
		{"the user's own targets take the place of the one outside", nil,
			[]string{"10.9.9.9:22", "https://[fd00::1]/x", "10.8.8.8"},
			"--target  10.9.9.9:22\n--target https [fd00::1]:443\n--target  10.8.8.8"},
		{"the kubelet's kubeconfig names the API server",
			map[string]string{
				"files/C/etc/kubernetes/kubelet.conf": "current-context: b\ncontexts:\n- name: b\n  context: {cluster: two}\nclusters:\n- name: one\n  cluster: {server: https://one:6443}\n- name: two\n  cluster: {server: https://api.example/k8s/clusters/c-1}\n"}, nil,
			"API server https api.example:443\n" + outside},
		{"without one, what stands behind the Service does",
			map[string]string{"api/endpointslices.json": list(slice("kubernetes", "true"))}, nil,
			"API server https 10.0.0.1:6443\n" + outside},
		{"a Linux node that is ready comes before others", map[string]string{"api/node.json": self,
			"api/nodes.json": list(self, node("win-2", "windows", "True", "10.0.0.11"),
				node("lin-1", "linux", "Unknown", "10.0.0.12"), node("lin-2", "linux", "True",
					"10.0.0.13"))}, nil,
			"kubelet of another node https 10.0.0.13:10250\n" + outside},
		{"a node is not another one", map[string]string{"api/node.json": self,
			"api/nodes.json": list(self)}, nil, outside},
		{"a NodePort with a pod behind it", map[string]string{"api/node.json": self,
			"api/services.json":       list(service("web", "Cluster")),
			"api/endpointslices.json": list(slice("web", "true"))}, nil,
			"NodePort of this node  10.0.0.10:30080\n" + outside},
		{"a NodePort without one", map[string]string{"api/node.json": self,
			"api/services.json":       list(service("web", "Cluster")),
			"api/endpointslices.json": list(slice("web", "false"))}, nil, outside},
		{"a NodePort of local pods only", map[string]string{"api/node.json": self,
			"api/services.json":       list(service("web", "Local")),
			"api/endpointslices.json": list(slice("web", "true"))}, nil, outside},
		{"an address that is none is left out",
			map[string]string{"api/services.json": list(strings.Replace(service("kubernetes", ""),
				"10.96.0.7", "a b", 1))}, nil, outside},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tree := fstest.MapFS{
				"meta.json": {
					Data: []byte(
						`{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z"}`)}}
			for path, text := range c.tree {
				tree[path] = &fstest.MapFile{Data: []byte(text)}
			}
			s, err := evidence.Load(tree)
			if err != nil {
				t.Fatal(err)
			}
			if got := planned(t, s, c.extra); got != c.want {
				t.Errorf("planned\n%s\nand should\n%s", got, c.want)
			}
		})
	}
	t.Run("a recorded node", func(t *testing.T) {
		r, err := fixtures.Open("healthy-calico")
		if err != nil {
			t.Fatal(err)
		}
		s, err := evidence.Load(r.FS())
		if err != nil {
			t.Fatal(err)
		}
		const want = "API server https 172.16.20.11:6443\nService kubernetes https 10.49.0.1:443\ncluster DNS  10.49.0.10:53\n"
		if got := planned(t, s, nil); !strings.HasPrefix(got, want) ||
			!strings.Contains(got, "kubelet of another node https ") ||
			!strings.Contains(got, "\nregistry ") {
			t.Errorf("planned\n%s", got)
		} else {
			t.Log(got)
		}
	})
	t.Run("a target that is none", func(t *testing.T) {
		s, _ := evidence.Load(
			fstest.MapFS{
				"meta.json": {
					Data: []byte(`{"layout":"evidence/v1","collectedAt":"2026-11-20T10:00:00Z"}`)}})
		if _, err := reachPlan(s, []string{"ftp://x"}); err == nil {
			t.Error("ftp://x is taken")
		}
	})
}

func planned(t *testing.T, s evidence.Snapshot, extra []string) string {
	t.Helper()
	plan, err := reachPlan(s, extra)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, target := range plan.Targets {
		lines = append(lines, target.Purpose+" "+target.Scheme+" "+target.Name())
	}
	return strings.Join(lines, "\n")
}
