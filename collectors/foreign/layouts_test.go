package foreign

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"doctor/checks/evidence"
)

const apiVersion = `{"major":"1","minor":"34","gitVersion":"v1.34.4","gitCommit":"x","platform":"linux/amd64"}`

// A dump of `k2s system dump`, by its dump.ps1, network_dump.ps1 and dump.module.psm1:
// github.com/Siemens-Healthineers/K2s.
func k2s(top string) map[string]string {
	files := map[string]string{
		"cluster/pods-wide.txt": "\ufeffkubectl get pods -A -o wide\n" +
			"NAMESPACE   NAME      READY   STATUS    RESTARTS   AGE   IP           NODE         NOMINATED NODE   READINESS GATES\n" +
			"default     web-1     1/1     Running   0          1d    10.244.7.4   win25-04     <none>           <none>\n" +
			"kube-flannel   kube-flannel-ds-x   1/1   Running   0   1d   10.1.40.11   kubemaster   <none>   <none>\n\n\n",
		"cluster/kube-flannel-kube-flannel-ds-x/logs.txt": "\ufeffkubectl logs kube-flannel-ds-x -n kube-flannel\n" +
			"E1120 07:00:00.000000       1 main.go:255] Failed to create SubnetManager: of another node\n",
		"cluster/events.txt": "\ufeffkubectl get events -A\nNAMESPACE   LAST SEEN   TYPE      REASON   OBJECT      MESSAGE\n" +
			"default     5m          Warning   Failed   pod/web-1   Error: ErrImagePull\n\n\n",
		"networking/network.txt": "\ufeffNetwork Interface Information\n\n" +
			"ifIndex InterfaceAlias       AddressFamily NlMtu(Bytes) InterfaceMetric Dhcp     ConnectionState PolicyStore\n" +
			"------- --------------       ------------- ------------ --------------- ----     --------------- -----------\n" +
			"11      vEthernet (Ethernet) IPv4          1500         25              Disabled Connected       ActiveStore\n\n\n" +
			strings.Repeat("*", 118) + "\nIP addresses\n\n" + ipconfigHost + "\n" + strings.Repeat("*", 118) +
			"\nIP compartments\n\n" + ipconfigAll + "\n" + strings.Repeat("*", 118) + "\nroute print\n" + routePrint,
		"networking/servicestatus.txt":     "\ufeffsc.exe queryex\n" + scAll() + "\n \nsc.exe qc hns\n" + scConfig,
		"networking/hnsdiag.txt":           "\ufeffhnsdiag list all -d\nNetworks:\n" + `{"ID":"F413E630-CC75-4B89-9ED4-FCD57324153B","Name":"nat","Type":"nat","Version":64424509440,"Subnets":[]}` + "\n\nEndpoints:\n\n \nhcsdiag list\n\n",
		"networking/excludedportrange.txt": "\ufeffExcluded Port Range TCP\n\nProtocol tcp Port Exclusion Ranges\n\nStart Port    End Port\n----------    --------\n      5985        5985\n",
		"networking/dynamicportrange.txt":  "\ufeffDynamic Port Range TCP\n\nProtocol tcp Dynamic Port Range\n---------------------------------\nStart Port      : 49152\nNumber of Ports : 16384\n",
		"networking/ports.txt":             "\ufeffvfpctrl.exe /port X /get-port-counter\n",
		"host/resources.txt":               "\ufeffHost fixed disks (Win32_LogicalDisk)\n\n\nDeviceID      : C:\nVolumeName    : Windows\nFileSystem    : NTFS\nSize(GB)      : 128\nFreeSpace(GB) : 82\nFreeSpace(%)  : 64.06\n\n",
		"node/WIN25-04-node.txt":           "\ufeffHost OS Version\nMicrosoft Windows NT 10.0.26100.0\n\n \nsysteminfo.exe\n\nHost Name:                 WIN25-04\nOS Name:                   Microsoft Windows Server 2025 Datacenter\nOS Version:                10.0.26100 N/A Build 26100\n",
		"node/awin-1-node.txt":             "\ufeffawin-1~$ systeminfo\n\nHost Name:                 AWIN-1\nOS Name:                   Microsoft Windows Server 2019 Datacenter\nOS Version:                10.0.17763 N/A Build 17763\n",
	}
	m := map[string]string{}
	for name, content := range files {
		m[top+name] = strings.ReplaceAll(content, "\n", "\r\n")
	}
	return m
}

func TestADumpOfK2s(t *testing.T) {
	node, tree := looseTree(t, loose(k2s("k2s-dump-WIN25-04-20261120T083116204/")))
	if node.Name != "win25-04" {
		t.Errorf("the node is %s", node.Name)
	}
	for _, row := range []struct{ what, file, want string }{
		{"the tool and the time of its name", "meta.json", `"collectedAt":"2026-11-20T08:31:16Z","source":"pieces: k2s system dump"`},
		{"its systeminfo and not that of another node", "os.json", `"build":26100`},
		{"one adapter of three outputs", "adapters.json", `[{"name":"vEthernet (Ethernet)","description":"Hyper-V Virtual Ethernet Adapter","ifIndex":11,`},
		{"services with what sc qc shows", "services.json", `"state":"running"`},
		{"routes", "routes.json", `"ifIndex":11`},
		{"HNS", "hns-networks.json", `"Name":"nat"`},
		{"ports", "ports.json", `"start":49152`},
		{"drives", "disks-part.json", `"freeBytes":88046829568`},
		{"events", "api/events.json", `"message":"Error: ErrImagePull"`},
		{"pods of the node", "api/pods-part.json", `"name":"web-1"`},
		{"the log of a pod elsewhere is no log of this node", "logs/flanneld", "not-collected"},
	} {
		if got := written(tree, row.file); !strings.Contains(got, row.want) {
			t.Errorf("%s: %s is %s, want %s", row.what, row.file, got, row.want)
		}
	}
	if strings.Count(written(tree, "adapters.json"), `"name"`) != 1 || written(tree, "logs/flanneld/logs.txt")+written(tree, "logs/other/logs.txt") != "" {
		t.Error("an adapter is there twice, or a log of another node is there")
	}
	if node, _ := looseTree(t, loose(k2s(""))); node.Name != "win25-04" {
		t.Errorf("without the folder of its name the node is %s", node.Name)
	}
}

func TestToolsAreNamedWhereTheyAreCertain(t *testing.T) {
	pods := `[{"metadata":{"name":"p","uid":"1"},"spec":{"nodeName":"win-1"},"status":{}}]`
	for want, files := range map[string]map[string]string{
		"pieces: sonobuoy":             {"serverversion.json": apiVersion, "resources/ns/a/core_v1_pods.json": pods, "x.log": kubeletLines},
		"kubernetes-objects: sonobuoy": {"serverversion.json": apiVersion, "resources/ns/a/core_v1_pods.json": pods},
		"pieces: calicoctl cluster diags": {"d/cluster/crd/ippools.crd.projectcalico.org.yaml": "apiVersion: v1\nkind: List\nitems: []\n",
			"d/cluster/kubernetes/nodes.yaml": "apiVersion: v1\nkind: List\nitems: []\n", "x.log": kubeletLines},
		"pieces: log of kubelet": {"resources/ns/a/core_v1_pods.json": pods, "x.log": kubeletLines},
	} {
		_, tree := looseTree(t, loose(files))
		if got := written(tree, "meta.json"); !strings.Contains(got, `"source":"`+want+`"`) {
			t.Errorf("the source is %s, want %s", got, want)
		}
		if _, versioned := files["serverversion.json"]; versioned && !strings.Contains(written(tree, "api/version.json"), "v1.34.4") {
			t.Errorf("the version is %s", written(tree, "api/version.json"))
		}
	}
}

func TestACopiedFolderWithoutEventsIsAsOldAsItsLogs(t *testing.T) {
	const line = "2024-08-20 02:14:31, Info                  CBS    TI: --- Initializing Trusted Installer ---\n"
	for _, row := range []struct {
		name    string
		written time.Time
		want    time.Time
	}{
		{"the log has the time of the copy", collected, time.Date(2024, 8, 20, 2, 14, 31, 0, time.UTC)},
		{"nobody has written the log since", time.Date(2024, 8, 20, 2, 14, 31, 0, time.UTC), collected},
	} {
		m := recording(t, "n", overlay2022())
		m["n/logs/cbs/CBS.log"] = &fstest.MapFile{Data: []byte(line), ModTime: row.written}
		if got := load(t, m).Meta().CollectedAt; !got.Equal(row.want) {
			t.Errorf("%s: collected at %s, want %s", row.name, got, row.want)
		}
	}
}

func TestWhatIsAroundTheFolderOfTheScriptIsRead(t *testing.T) {
	m := recording(t, "case/sdn", overlay2022())
	for name, content := range map[string]string{"case/kubelet.log": kubeletLines, "case/crictl_pods.json": sandboxJSON,
		"case/sdn/kube-proxy.log": kubeProxyLines, "case/sdn/hnslogs/a.log": kubeletLines} {
		m[name] = &fstest.MapFile{Data: []byte(content), ModTime: collected}
	}
	s := load(t, m)
	if got := strings.Join(s.LogFiles(""), " "); got != "logs/kube-proxy/kube-proxy.log logs/kubelet/kubelet.log" {
		t.Errorf("logs are %s", got)
	}
	if got := evidence.CRI.In(s).Sandboxes; len(got) != 1 {
		t.Errorf("sandboxes are %v", got)
	}
	wantGap(t, "", evidence.HNSNetworks.Gap(s), evidence.CRI.Gap(s))
	m["case/node.json"] = &fstest.MapFile{Data: []byte(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"other","uid":"1","labels":{"kubernetes.io/os":"windows"}},"status":{}}`)}
	if got := load(t, m).LogFiles(""); len(got) > 0 {
		t.Errorf("logs of another node are %v", got)
	}
}
