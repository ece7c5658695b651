package node

import (
	"slices"
	"testing"

	"doctor/checks/evidence"
	"doctor/fixtures"

	"golang.org/x/tools/txtar"
)

// TestKubeletConfigIsMerged: a later file goes before an earlier one, a map keeps its other keys, and
// a flag of the running kubelet goes before both.
func TestKubeletConfigIsMerged(t *testing.T) {
	const files = `-- meta.json --
{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z"}
-- files/C/k/config.yaml --
clusterDNS: [10.99.99.99, 10.99.99.98]
clusterDomain: old.local
systemReserved: {memory: 1Gi, cpu: 100m}
-- files/C/k/conf.d/20.conf --
clusterDNS: [10.96.0.10]
systemReserved: {memory: 2Gi}
-- files/C/k/conf.d/10.conf --
clusterDNS: [10.88.0.10]
clusterDomain: cluster.local
-- files/C/k/conf.d/README.md --
clusterDomain: none
-- processes.json --
[{"name":"kubelet.exe","pid":7,"args":["--config=C:\\k\\config.yaml","--config-dir=C:\\k\\conf.d"`
	about := func(more string) (*Node, evidence.Snapshot) {
		s, err := evidence.Load(fixtures.Tree(txtar.Parse([]byte(files + more + "]}]\n"))))
		if err != nil {
			t.Fatal(err)
		}
		return About(s), s
	}
	n, s := about("")
	k := n.KubeletConfig(s)
	if k.ClusterDomain != "cluster.local" || !slices.Equal(k.ClusterDNS, []string{"10.96.0.10"}) ||
		k.SystemReserved["memory"] != "2Gi" || k.SystemReserved["cpu"] != "100m" {
		t.Errorf("got %+v", k.KubeletConfig)
	}
	if n.ClusterDomain(s) != "cluster.local" || len(KubeletDNS(n, s)) != 1 {
		t.Errorf("got %q, %v", n.ClusterDomain(s), KubeletDNS(n, s))
	}
	for field, path := range map[string]string{"clusterDNS": "files/C/k/conf.d/20.conf",
		"clusterDomain": "files/C/k/conf.d/10.conf", "resolvConf": "files/C/k/config.yaml"} {
		if got := k.Field(field).Path; got != path {
			t.Errorf("%s is in %s, want %s", field, got, path)
		}
	}
	n, s = about(`,"--cluster-dns=10.96.0.11"`)
	if got := KubeletDNS(n, s); !slices.Equal(got, ParseAddresses("10.96.0.11")) {
		t.Errorf("got %v", got)
	}
}
