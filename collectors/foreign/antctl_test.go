package foreign

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"doctor/checks/evidence"
)

func TestAntctlWhole(t *testing.T) {
	s := load(t, antctlBundle(t, antctlAgent()))
	wantWholeLayout(t, s, "antctl supportbundle")
	if meta := s.Meta(); meta.Node != "win-1" || !meta.CollectedAt.Equal(rke2At) ||
		meta.Source != "antctl" {
		t.Errorf("meta is %+v", meta)
	}
	network, node, adapters := evidence.HNSNetworks.In(s)[0], evidence.Node.In(s),
		evidence.Adapters.In(s)
	for _, fact := range []struct{ what, got, want string }{
		{"network", words(network.Name, network.Type, network.ID, network.ManagementIP,
			len(network.Subnets), network.Truncated),
			"antrea-hnsnetwork Transparent 2a5c6e10-3f38-4e5b-9c1b-0e6c2f1e8a11 10.80.1.21/24 0 true"},
		{"node", words(node.Metadata.Name, node.Status.NodeInfo.KernelVersion,
			node.Spec.PodCIDRList()), "win-1 10.0.20348.2700 [10.10.2.0/24]"},
		{"nodes", words(len(evidence.Nodes.In(s))), "2"},
		{"pods", words(len(evidence.Pods.In(s)), evidence.Pods.In(s)[1].Metadata.Name), "2 web-0"},
		{"adapters", words(len(adapters), adapters[0].Name, adapters[0].IfIndex,
			adapters[0].Addresses), "2 br-int 12 [10.80.1.21/24]"},
		{"routes", routesText(evidence.Routes.In(s)), "[{0.0.0.0/0 10.80.1.1 12 281}]"},
		{"logs", words(s.LogFiles("")),
			"[logs/antrea-agent/antrea-agent.exe.win-1.WIN-1$.log.INFO.20261120-080000.4120 logs/kubelet/kubelet.log logs/ovs/ovs-vswitchd.log]"},
		{"what is next to the archive", original(t, s, "original/failed_nodes"), "win-9\n"},
	} {
		if fact.got != fact.want {
			t.Errorf("%s\n got %s\nwant %s", fact.what, fact.got, fact.want)
		}
	}
	if gap := evidence.HNSEndpoints.Gap(s).String(); !strings.Contains(gap, "four items") ||
		!strings.Contains(gap, "Get-HnsEndpoint") {
		t.Errorf("the gap of the endpoints is %q", gap)
	}
}

func TestFindingAgents(t *testing.T) {
	bundle := antctlBundle(t, antctlAgent())
	moved := func(from, to string) fstest.MapFS {
		m := fstest.MapFS{}
		for name, f := range bundle {
			m[strings.TrimPrefix(strings.Replace(name, from, to, 1), "/")] = f
		}
		return m
	}
	const root = "support-bundles_20261120T100200Z"
	nameless := antctlAgent()
	nameless["agentinfo"] = ""
	for _, tt := range []struct {
		name    string
		fsys    fstest.MapFS
		want    string
		hasNode bool
	}{
		{"archives as folders of their names", bundle, "win-1 at " + root + "/agent_win-1.tar.gz",
			true},
		{"unpacked beside clusterinfo", moved("agent_win-1.tar.gz", "agent_win-1"),
			"win-1 at " + root + "/agent_win-1", true},
		{"unpacked one folder deeper", moved("agent_win-1.tar.gz", "agent_win-1/agent_win-1"),
			"win-1 at " + root + "/agent_win-1/agent_win-1", true},
		{"zipped again", moved(root, "ticket/x/"+root),
			"win-1 at ticket/x/" + root + "/agent_win-1.tar.gz", true},
		{"from an SFTP server, by the name of the collection", func() fstest.MapFS {
			m := fstest.MapFS{}
			for name, content := range nameless {
				m["my_collection_win-7.tar.gz/"+name] = &fstest.MapFile{Data: []byte(content),
					ModTime: rke2At}
			}
			return m
		}(), "win-7 at my_collection_win-7.tar.gz", false},
	} {
		nodes, err := Find(tt.fsys)
		if err != nil || len(nodes) != 1 || nodes[0].Name+" at "+nodes[0].Root != tt.want {
			t.Errorf("%s: found %v %v, want %s", tt.name, nodes, err, tt.want)
			continue
		}
		s := load(t, tt.fsys)
		if got := evidence.Node.Known(s); got != tt.hasNode {
			t.Errorf("%s: node known is %v: %s", tt.name, got, evidence.Node.Gap(s))
		}
	}
	if isAntctlAgent(listing{files: map[string]string{"ipconfig": "ipconfig", "routes": "routes",
		"flows": "flows", "agentinfo": "agentinfo"}}) {
		t.Error("a folder without anything of Windows is taken for its agent")
	}
}

func TestClusterInfo(t *testing.T) {
	agent := antctlAgent()
	with := func(info string) evidence.Snapshot {
		m := antctlBundle(t, agent)
		for name, f := range m {
			if strings.HasSuffix(name, "/clusterinfo") {
				f.Data = []byte(info)
			}
		}
		return load(t, m)
	}
	indented := "#nodes\nitems:\n  - metadata:\n      name: win-1\n    status:\n      nodeInfo:\n        kernelVersion: 10.0.20348.1\n---\n"
	if v := evidence.Node.In(with(indented)).Status.NodeInfo.KernelVersion; v != "10.0.20348.1" {
		t.Errorf("an indented list gives %q", v)
	}
	for _, tt := range []struct{ name, info, kind string }{
		{"empty", "", evidence.NotCollected},
		{"another cluster's", strings.ReplaceAll(antctlClusterInfo, "win-1", "win-2"),
			evidence.NotCollected},
		{"broken", strings.Replace(antctlClusterInfo, "    name: lin-1\n", "    name: [lin-1\n", 1),
			evidence.Error},
		{"no list", "#nodes\nforbidden\n", evidence.Error},
	} {
		if gap := evidence.Node.Gap(with(tt.info)); gap.Kind != tt.kind {
			t.Errorf("%s: gap %q, want %s", tt.name, gap, tt.kind)
		}
	}
	items, whole := splitItems("items:\n- a: 1\n  b:\n  - x\n- a: 2\nmetadata: {}\n")
	if got := fmt.Sprintf("%q", items); !whole || got != `["  a: 1\n  b:\n  - x\n" "  a: 2\n"]` {
		t.Errorf("items are %s", got)
	}
}

func TestFoldersOfFormatsAreNoNodesOfTheirOwn(t *testing.T) {
	for _, name := range []string{"logs", "LOGS"} {
		if !antctl.inside(name) {
			t.Errorf("%s is searched for nodes again", name)
		}
	}
	if !rke2.inside("Network") || rke2.inside("win-2") {
		t.Error("the folders of Rancher's collector are not told from others")
	}
	names := []string{}
	for _, f := range formats {
		names = append(names, f.name)
	}
	if !slices.Contains(names, "rke2-win-log-collect") ||
		!slices.Contains(names, "antctl-supportbundle") {
		t.Errorf("formats are %q", names)
	}
}
