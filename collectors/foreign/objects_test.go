package foreign

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"sigs.k8s.io/yaml"

	"doctor/checks/evidence"
	"doctor/fixtures"
)

// An apiLayout lays the objects of a cluster out as a tool does. The names are those of its source:
// troubleshoot's pkg/constants, kubectl's clusterinfo_dump.go, sonobuoy's pkg/discovery and its
// snapshot layout (arrays and Pods.json before 0.50), openshift/must-gather's collection scripts.
type apiLayout struct {
	name, format string
	file         func(kind, plural, namespace, name string) string // of one object, or of a list
	write        func(t *testing.T, kind string, items []map[string]any) string
	logs         string // where the log of kube-flannel-ds-windows-x is
}

func listed(kinds bool) func(t *testing.T, kind string, items []map[string]any) string {
	return func(t *testing.T, kind string, items []map[string]any) string {
		list := map[string]any{"kind": kind + "List", "apiVersion": "v1", "items": items}
		for _, item := range items {
			if delete(item, "kind"); kinds {
				item["kind"], item["apiVersion"] = kind, "v1"
			}
		}
		return asJSON(t, list)
	}
}

func asYAML(t *testing.T, v any) string {
	t.Helper()
	b, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const flannelPod = "kube-flannel-ds-windows-x"

var apiLayouts = []apiLayout{
	{"troubleshoot", formatObjects, func(_, plural, namespace, _ string) string {
		if namespace == "" {
			return "bundle/cluster-resources/" + plural + ".json"
		}
		return "bundle/cluster-resources/" + plural + "/" + namespace + ".json"
	}, listed(false), "bundle/cluster-resources/pods/logs/kube-flannel/" + flannelPod + "/kube-flannel.log"},
	{"kubectl cluster-info dump", formatObjects, func(_, plural, namespace, _ string) string {
		return strings.TrimPrefix(namespace+"/"+plural+".json", "/")
	}, listed(true), "kube-flannel/" + flannelPod + "/logs.txt"},
	{"sonobuoy", formatObjects, func(_, plural, namespace, _ string) string {
		if namespace == "" {
			return "resources/cluster/core_v1_" + plural + ".json"
		}
		return "resources/ns/" + namespace + "/core_v1_" + plural + ".json"
	}, listed(true), "podlogs/kube-flannel/" + flannelPod + "/logs/kube-flannel.txt"},
	{"sonobuoy before 0.50", formatObjects, func(kind, _, namespace, _ string) string {
		if namespace == "" {
			return "resources/cluster/" + kind + "s.json"
		}
		return "resources/ns/" + namespace + "/" + kind + "s.json"
	}, func(t *testing.T, _ string, items []map[string]any) string {
		for _, item := range items {
			delete(item, "kind")
			delete(item, "apiVersion")
		}
		return asJSON(t, items)
	}, "podlogs/kube-flannel/" + flannelPod + "/logs/kube-flannel.txt"},
	{"kubectl get -o yaml", formatObjects, func(_, plural, _, _ string) string {
		return "ticket/" + plural + ".yaml"
	}, func(t *testing.T, kind string, items []map[string]any) string {
		for _, item := range items {
			item["kind"], item["apiVersion"] = kind, "v1"
		}
		return asYAML(t, map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	}, ""},
	{"must-gather", formatObjects, func(_, plural, namespace, name string) string {
		if namespace == "" {
			return "mg/cluster-scoped-resources/core/" + plural + "/" + name + ".yaml"
		}
		return "mg/namespaces/" + namespace + "/core/" + plural + ".yaml"
	}, func(t *testing.T, kind string, items []map[string]any) string {
		for _, item := range items {
			item["kind"], item["apiVersion"] = kind, "v1"
		}
		if kind == "Node" {
			return "---\n" + asYAML(t, items[0])
		}
		return "---\n" + asYAML(t, map[string]any{"apiVersion": "v1", "kind": kind + "List",
			"items": items})
	}, "mg/namespaces/kube-flannel/pods/" + flannelPod + "/kube-flannel/kube-flannel/logs/current.log"},
}

// layOut writes the Kubernetes objects of a recorded node as a tool does.
func (l apiLayout) layOut(t *testing.T, recorded string) fstest.MapFS {
	t.Helper()
	r, err := fixtures.Open(recorded)
	if err != nil {
		t.Fatal(err)
	}
	files, lists := fstest.MapFS{}, map[string][]map[string]any{}
	kinds := map[string]string{}
	for _, list := range apiLists {
		content, err := fs.ReadFile(r.FS(), list.path)
		if err != nil {
			continue
		}
		var objects struct{ Items []map[string]any }
		if json.Unmarshal(content, &objects) != nil {
			if err := json.Unmarshal(content, &objects.Items); err != nil {
				t.Fatalf("%s: %v", list.path, err)
			}
		}
		for i, object := range objects.Items {
			meta := object["metadata"].(map[string]any)
			namespace, _ := meta["namespace"].(string)
			meta["uid"] = fmt.Sprint(list.kind, i)
			file := l.file(list.kind, list.plural, namespace, meta["name"].(string))
			lists[file] = append(lists[file], object)
			kinds[file] = list.kind
		}
	}
	for file, items := range lists {
		files[file] = &fstest.MapFile{Data: []byte(l.write(t, kinds[file], items)),
			ModTime: collected}
	}
	return files
}

func TestDumpsOfObjectsOfEachTool(t *testing.T) {
	for _, l := range apiLayouts {
		t.Run(l.name, func(t *testing.T) {
			files := l.layOut(t, "healthy-flannel-overlay")
			want, err := fixtures.Open("healthy-flannel-overlay")
			if err != nil {
				t.Fatal(err)
			}
			recorded, err := evidence.Load(want.FS())
			if err != nil {
				t.Fatal(err)
			}
			name := evidence.Node.In(recorded).Metadata.Name
			node, tree := looseTree(t, files)
			if node.Name != name || node.Format != l.format {
				t.Errorf("the node is %+v, want %s", node, name)
			}
			s, err := evidence.Load(tree)
			if err != nil {
				t.Fatal(err)
			}
			if got := evidence.Node.In(s); got.Metadata.Name != name ||
				got.Spec.PodCIDR != evidence.Node.In(recorded).Spec.PodCIDR {
				t.Errorf("the Node is %+v (%s)", got.Metadata, evidence.Node.Gap(s))
			}
			for what, counts := range map[string][2]int{
				"nodes": {len(evidence.Nodes.In(s)), len(evidence.Nodes.In(recorded))},
				"pods":  {len(evidence.Pods.In(s)), len(evidence.Pods.In(recorded))},
				"services": {len(evidence.KubeServices.In(s)),
					len(evidence.KubeServices.In(recorded))},
				"endpoint slices": {len(evidence.EndpointSlices.In(s)),
					len(evidence.EndpointSlices.In(recorded))},
				"config maps": {len(evidence.ConfigMaps.In(s)),
					len(evidence.ConfigMaps.In(recorded))},
			} {
				if counts[0] != counts[1] {
					t.Errorf("%d %s, want %d", counts[0], what, counts[1])
				}
			}
			if found, _ := judged(t, s); len(found) > 0 {
				t.Errorf("a healthy cluster has the faults %q", found)
			}
		})
	}
}

func TestPodsAndLogsOfOtherNodesAreLeftOut(t *testing.T) {
	pod := func(name, node string) map[string]any {
		return map[string]any{"metadata": map[string]any{"name": name, "namespace": "kube-flannel",
			"uid": name}, "spec": map[string]any{"nodeName": node}, "status": map[string]any{}}
	}
	for _, l := range apiLayouts {
		if l.logs == "" {
			continue
		}
		other := strings.ReplaceAll(l.logs, flannelPod, "kube-flannel-ds-linux-y")
		log := "==== START logs for container kube-flannel of pod kube-flannel/" + flannelPod +
			" ====\nI0811 04:57:23.861633 1 main.go:520] Determining IP address\n"
		files := l.layOut(t, "healthy-flannel-overlay")
		_, tree := looseTree(t, files)
		s, err := evidence.Load(tree)
		if err != nil {
			t.Fatal(err)
		}
		node := evidence.Node.In(s).Metadata.Name
		files = l.layOut(t, "healthy-flannel-overlay")
		maps.DeleteFunc(files, func(name string, _ *fstest.MapFile) bool {
			return strings.Contains(strings.ToLower(name), "pods")
		})
		files[l.file("Pod", "pods", "kube-flannel", "")] = &fstest.MapFile{Data: []byte(l.write(t,
			"Pod", []map[string]any{pod(flannelPod, node), pod("kube-flannel-ds-linux-y", "lin-1")}))}
		files[l.logs] = &fstest.MapFile{Data: []byte(log)}
		files[other] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(log, flannelPod, "y"))}
		_, tree = looseTree(t, files)
		if s, err = evidence.Load(tree); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, p := range evidence.Pods.In(s) {
			names = append(names, p.Metadata.Name)
		}
		if !slices.Equal(names, []string{flannelPod}) {
			t.Errorf("%s: the pods are %q", l.name, names)
		}
		if logs := s.LogFiles("flanneld"); len(logs) != 1 {
			t.Errorf("%s: the logs of flanneld are %q", l.name, logs)
		}
	}
}

// gathered is what gather_windows_node_logs of openshift/must-gather leaves of two nodes:
// `oc adm node-logs` puts the node's name in front of each line.
func gathered() map[string]string {
	node := func(name string) string {
		return "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: " + name +
			"\n  uid: u-" + name + "\n  labels:\n    kubernetes.io/os: windows\nstatus:\n  nodeInfo:\n    operatingSystem: windows\n"
	}
	const root = "must-gather.local.1/quay-io-x/"
	return map[string]string{
		root + "host_service_logs/windows/log_files/kubelet/kubelet.log": "win-a E1120 09:58:00.000000 1234 kubelet.go:1] of a\n" +
			"win-b E1120 09:58:00.000000 1234 kubelet.go:1] of b\nwin-ab E1120 09:58:00.000000 1234 kubelet.go:1] of ab\n",
		root + "host_service_logs/windows/log_files/hybrid-overlay/hybrid-overlay.log":             "win-b I1120 09:58:00.000000 1 hybrid-overlay-node.go:1] b\n",
		root + "host_service_logs/windows/log_files/wicd/windows-instance-config-daemon.exe.ERROR": "win-a E1120 09:58:00.000000 1 controller.go:1] a\n",
		root + "cluster-scoped-resources/core/nodes/win-a.yaml":                                    node("win-a"),
		root + "cluster-scoped-resources/core/nodes/win-b.yaml":                                    node("win-b"),
		root + "cluster-scoped-resources/config.openshift.io/networks.yaml": "---\napiVersion: config.openshift.io/v1\nitems:\n- apiVersion: config.openshift.io/v1\n" +
			"  kind: Network\n  metadata:\n    name: cluster\n    uid: a1\n  spec:\n    networkType: OVNKubernetes\nkind: NetworkList\n",
		root + "cluster-scoped-resources/operator.openshift.io/networks/cluster.yaml": "---\napiVersion: operator.openshift.io/v1\nkind: Network\nmetadata:\n  name: cluster\n" +
			"  uid: a2\nspec:\n  defaultNetwork:\n    ovnKubernetesConfig:\n      hybridOverlayConfig:\n        hybridOverlayVXLANPort: 9898\n    type: OVNKubernetes\n",
		root + "event-filter.html": "<html>",
		root + "version":           "openshift/must-gather\n4.16.0\n",
	}
}

func TestMustGather(t *testing.T) {
	files := loose(gathered())
	nodes, err := Search(&parcel{tree: files})
	if err != nil || len(nodes) != 2 || nodes[0].Format != formatMustGather {
		t.Fatalf("the nodes are %v, %v", nodes, err)
	}
	for name, want := range map[string][]string{
		"win-a": {"logs/kubelet/kubelet.log", "logs/windows-instance-config-daemon/windows-instance-config-daemon.exe.ERROR"},
		"win-b": {"logs/hybrid-overlay/hybrid-overlay.log", "logs/kubelet/kubelet.log"},
	} {
		_, tree := looseTree(t, files, name)
		s, err := evidence.Load(tree)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.LogFiles(""); !slices.Equal(got, want) {
			t.Errorf("%s has the logs %q, want %q", name, got, want)
		}
		if got := evidence.NetworkSettings.In(s); len(got) != 1 || got[0].Spec.DefaultNetwork.OVNKubernetesConfig.HybridOverlayConfig.HybridOverlayVXLANPort != 9898 {
			t.Errorf("the network operator of %s is %+v", name, got)
		}
		got := written(tree, "logs/kubelet/kubelet.log")
		if got != "E1120 09:58:00.000000 1234 kubelet.go:1] of "+strings.TrimPrefix(name, "win-") {
			t.Errorf("the kubelet of %s logged %q", name, got)
		}
	}
}

func TestMustGatherWithoutItsNodes(t *testing.T) {
	files := gathered()
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.Contains(name, "/nodes/") })
	nodes, err := Search(&parcel{tree: loose(files)})
	var names []string
	for _, n := range nodes {
		names = append(names, n.Name)
	}
	if err != nil || !slices.Equal(names, []string{"win-a", "win-ab", "win-b"}) {
		t.Errorf("the nodes are %q, %v", names, err)
	}
}

func TestALineWithoutAnEndIsBounded(t *testing.T) {
	files := fstest.MapFS{"host_service_logs/windows/log_files/kubelet/kubelet.log": {
		Data: []byte("win-a E1120 09:58:00.000000 1 x.go:1] " + strings.Repeat("x", 3<<20) + "\nwin-a E1120 09:58:01.000000 1 x.go:1] last\n")}}
	_, tree := looseTree(t, files)
	got := written(tree, "logs/kubelet/kubelet.log")
	if len(got) > 2<<20 || !strings.HasSuffix(got, "last") {
		t.Errorf("it has %d bytes and ends with %q", len(got), got[max(0, len(got)-20):])
	}
}

func TestDuplicatesAndDamageInDumps(t *testing.T) {
	o := newObjects()
	o.add("namespaces/x/core/pods.yaml", windowsPod)
	o.add("namespaces/x/pods/win-web/win-web.yaml", windowsPod)
	if n := len(o.lists["Pod"]); n != 1 {
		t.Errorf("one pod in two files is %d pods", n)
	}
	for _, damaged := range []string{"{", "[", "[{}", `{"items":[`, `{"items":{}}`, `{"items":null}`,
		"items:\n  - a", "\x00", "kind: List\nitems:\n- {", `{"kind":"Pod","metadata":7}`,
		strings.Repeat("[", 10_000), "a: &a [*a]\n"} {
		o.add("pods.json", damaged)
		o.add("x.yaml", damaged)
	}
	if n := len(o.lists["Pod"]); n != 1 {
		t.Errorf("%d pods", n)
	}
	if v := newObjects(); true {
		v.add("serverversion.json", `{"major":"1","gitVersion":"v1.33.1"}`)
		v.add("cluster_version.json", `{"info":{"gitVersion":"v1.33.1"},"string":"v1.33.1"}`)
		if string(v.version) != `{"gitVersion":"v1.33.1"}` {
			t.Errorf("the version is %s", v.version)
		}
	}
}
