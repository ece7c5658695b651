package foreign

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"doctor/checks/evidence"
)

// loose is a tree of loose files.
func loose(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, content := range files {
		m[name] = &fstest.MapFile{Data: []byte(content), ModTime: collected}
	}
	return m
}

// looseTree converts the only node of loose files, or the one of that name.
func looseTree(t testing.TB, files fs.FS, name ...string) (Node, fs.FS) {
	t.Helper()
	nodes, err := Search(&parcel{tree: files.(fstest.MapFS)})
	if err != nil {
		t.Fatal(err)
	}
	node, err := Choose(nodes, strings.Join(name, ""))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := node.Evidence(files)
	if err != nil {
		t.Fatal(err)
	}
	return node, tree
}

// written is a file of a tree, or what its gap says, or "" for neither.
func written(tree fs.FS, name string) string {
	for _, file := range []string{name, name + ".gap"} {
		if content, err := fs.ReadFile(tree, file); err == nil {
			return compact(strings.TrimSpace(string(content)))
		}
	}
	return ""
}

func TestSingleFilesAreKnownByWhatTheyHold(t *testing.T) {
	for _, row := range []struct{ name, file, content, evidence, want string }{
		{"a kubelet's log under its name", "kubelet.err.log", kubeletLines,
			"logs/kubelet/kubelet.err.log", "kubeletVersion="},
		{"a kubelet's log under any name", "log.txt", kubeletLines, "logs/kubelet/log.txt",
			"pod_workers"},
		{"kube-proxy's log", "output", kubeProxyLines, "logs/kube-proxy/output", "nodeport=31416"},
		{"Felix's log", "a.log", felixLines, "logs/calico/a.log", "win_dataplane"},
		{"containerd's log", "b.txt", containerdLines, "logs/containerd/b.txt", "RunPodSandbox failed"},
		{"a log of nobody knows what", "c.log", "2024-05-20 09:12:11 something went wrong\n",
			"logs/other/c.log", "something"},
		{"HNS networks as JSON", "hns.json", overlayNetwork, "hns-networks.json", "flannel.4096"},
		{"HNS endpoints as JSON", "e.json", "[" + podEndpoint + "]", "hns-endpoints.json",
			"b5a1c0de_cbr0"},
		{"hnsdiag without -d", "h.txt", plainHNSDiag, "hns-networks.json", `"Name":"vpcbr06684cbed472"`},
		{"hnsdiag of newer builds", "h.txt", newHNSDiag, "hns-networks.json",
			`"Name":"Calico","Policies":"System.Object[]","Subnets":"System.Object[]","Type":"Overlay"`},
		{"hnsdiag without -d names load balancers only", "h.txt", plainHNSDiag,
			"hns-loadbalancers.json", "shows of the 1 HNS load balancers their names only"},
		{"hnsdiag without -d shows that there is no namespace", "h.txt", plainHNSDiag,
			"hns-namespaces.json", "[]"},
		{"ipconfig", "ip.log", ipEnglish, "adapters.json", `"10.1.36.50/24"`},
		{"ipconfig in German", "ip.log", ipGerman, "adapters.json", `"mac":`},
		{"route print", "r.txt", l2bridge2018()["routes.txt"], "routes.json", `"10.0.0.0/20"`},
		{"a pod as YAML", "pods.yaml", windowsPod, "api/pods.json", `"restartCount":9`},
		{"a described pod", "describe.txt", describedPodText, "api/pods.json",
			`"lastState":{"terminated":{"exitCode":3221225794,"finishedAt":"2024-09-03T10:02:01Z"`},
		{"a described pod's events", "describe.txt", describedPodText, "api/events.json", "Back-off"},
		{"events as a table", "events.txt", eventTable, "api/events.json",
			`"involvedObject":{"kind":"Pod","name":"win-webserver-76c7f9b9b6-7tjxk","namespace":"default"}`},
		{"events in which somebody replaced names", "events.txt",
			strings.ReplaceAll(eventTable, "win-webserver-76c7f9b9b6-7tjxk", "web-1"), "api/events.json",
			`"message":"Failed to create pod sandbox: rpc error: code = Unknown"`},
		{"nodes as a table", "nodes.txt", wideNodes, "os.json",
			`{"productName":"Windows Server 2019 Datacenter","build":17763,"ubr":2928}`},
		{"Get-NetTCPConnection", "c.txt", "LocalAddress LocalPort RemoteAddress RemotePort State  OwningProcess\n" +
			"------------ --------- ------------- ---------- -----  -------------\n" +
			"::           10250     ::            0          Listen 3392\n", "ports.json",
			`"listeners":[{"protocol":"tcp","address":"::","port":10250}]`},
		{"Test-NetConnection", "t.txt", "ComputerName           : 10.96.0.1\nRemoteAddress          : 10.96.0.1\n" +
			"RemotePort             : 443\nPingReplyDetails (RTT) : 0 ms\nTcpTestSucceeded       : False\n",
			"probes/reach.json", `"target":"10.96.0.1:443","from":"node","protocol":"tcp","outcome":"error"`},
		{"calicoctl get ippool", "p.txt", "NAME                  CIDR            NAT    IPIPMODE   VXLANMODE   DISABLED   DISABLEBGPEXPORT   SELECTOR\n" +
			"default-ipv4-ippool   10.244.0.0/16   true   Always     Never       false      false              all()\n",
			"api/ippools.json", `"ipipMode":"Always"`},
		{"calicoctl ipam show", "i.txt", "+----------------+-------+\n|    PROPERTY    | VALUE |\n" +
			"+----------------+-------+\n| StrictAffinity | false |\n", "api/ipamconfigs.json", `"strictAffinity":false`},
		{"an Installation of Calico", "i.yaml", "apiVersion: operator.tigera.io/v1\nkind: Installation\nmetadata:\n" +
			"  name: default\n  uid: a1\nspec:\n  calicoNetwork:\n    ipPools:\n    - cidr: 10.244.0.0/16\n" +
			"      encapsulation: VXLANCrossSubnet\n", "api/ippools.json", `"vxlanMode":"CrossSubnet"`},
		{"an error below an output", "hcs.txt", "hcsdiag list\ntest-1\n    Windows Server Container,  Unknown\n\n ctr run a test-1\n" +
			"ctr: hcsshim::CreateComputeSystem test-1: it already exists.\n", "logs/other/hcs.txt", "it already exists"},
		{"crictl pods", "pods.txt", crictlPodsText, "cri.json", `"state":"SANDBOX_NOTREADY"`},
		{"crictl info", "info.json", crictlInfo, "cri.json", `"sandboxImage"`},
		{"an error message alone", "m.txt", "hcsshim::CreateComputeSystem: 0xc0370106\n",
			"logs/other/m.txt", "0xc0370106"},
		// https://github.com/kubernetes-sigs/vsphere-csi-driver/issues/1631
		{"what Windows says of an error, alone", "m.txt", "The media is write protected.\n", "logs/other/m.txt", "write protected"},
		// https://github.com/rancher/rancher/issues/32937
		{"an error of PowerShell 7, cut", "m.txt", "Get-Command: C:\\etc\\rancher\\bootstrap.ps1:279\nLine |\n" +
			" 279 |  Copy-Item $($(Get-Command powershell).Source) $($CATTLE_PREFIX_PATH)e …\n     |                ~~~~~\n",
			"logs/other/m.txt", "bootstrap.ps1:279"},
		{"a few services", "s.txt", overlay2022()["windowsServices.txt"], "services.json",
			"kubeproxy stopped, kubelet running; that is not all of the services"},
		{"all services", "s.txt", serviceTable(), "services.json", `"name":"kubelet","displayName":"kubelet","state":"stopped"`},
		{"the version of Windows as a table", "v.txt",
			"\nPlatform ServicePack Version      VersionString\n-------- ----------- -------      -------------\n Win32NT             10.0.17763.0 Microsoft Windows NT 10.0.17763.0\n",
			"os.json", `{"build":17763}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			node, tree := looseTree(t, loose(map[string]string{row.file: row.content}))
			if got := written(tree, row.evidence); !strings.Contains(got, row.want) {
				t.Errorf("%s is\n%s\nwant in it\n%s", row.evidence, got, row.want)
			}
			if node.Format != formatPieces && node.Format != formatObjects {
				t.Errorf("the format is %s", node.Format)
			}
			if _, err := evidence.Load(tree); err != nil {
				t.Error(err)
			}
		})
	}
}

// serviceTable is Get-Service's table of more services than Windows starts with.
func serviceTable() string {
	var b strings.Builder
	b.WriteString("\nStatus   Name               DisplayName\n------   ----               -----------\n")
	for i := range enoughServices {
		b.WriteString("Running  svc" + string(rune('a'+i)) + "               Service\n")
	}
	return b.String() + "Stopped  kubelet            kubelet\n"
}

func TestAPasteIsTakenApart(t *testing.T) {
	var kinds []string
	for _, p := range takeApart(pastedThread) {
		kinds = append(kinds, strings.TrimSuffix(string(p.kind)+" "+p.about, " "))
	}
	want := []string{"hnsdiag list hnsdiag list all", "kubectl describe kubectl describe pod win-webserver", "log kubelet", "log kube-proxy", "yaml",
		"json Get-HnsNetwork | ConvertTo-Json"}
	if !slices.Equal(kinds, want) {
		t.Errorf("the parts are\n%q, want\n%q", kinds, want)
	}
	_, tree := looseTree(t, loose(map[string]string{"pasted.txt": pastedThread}))
	for name, want := range map[string]string{
		"logs/kubelet/pasted.txt":    "pod_workers.go",
		"logs/kube-proxy/pasted.txt": "nodeport=31416",
		"hns-networks.json":          `"AddressPrefix":"172.21.16.0/20"`,
		"api/pods.json":              `"name":"win-web"`,
		"meta.json":                  `"node":"win-1"`,
		"logs.json":                  "collect the log itself with `Get-Content",
		"services.json":              "run `Get-Service | Format-List *`",
		"original/pasted.txt":        "is not my problem",
	} {
		if got := written(tree, name); !strings.Contains(got, want) {
			t.Errorf("%s is\n%s\nwant in it\n%s", name, got, want)
		}
	}
	if got := written(tree, "logs/other/pasted.txt"); got != "" {
		t.Errorf("prose around the fences became a log: %s", got)
	}
}

func TestHowPastesAreWrapped(t *testing.T) {
	for _, row := range []struct{ name, content, want string }{
		{"every line is quoted", "> " + strings.ReplaceAll(strings.TrimSpace(kubeletLines), "\n",
			"\n> "), "log kubelet"},
		{"the prompt of cmd", "C:\\Users\\Administrator>hnsdiag list all\n" + plainHNSDiag,
			"hnsdiag list hnsdiag list all"},
		{"the prompt of a Linux shell", "root@master:~# kubectl get events -A\n" + eventTable +
			"root@master:~# \n", "kubectl get events kubectl get events -A"},
		{"an error message alone", "hcsshim::CreateComputeSystem: 0xc0370106\n", ""},
		{"a dump of kubectl cluster-info", "{\n\"kind\": \"PodList\",\n\"apiVersion\": \"v1\",\n\"items\": []\n}\n" +
			"==== START logs for container kube-flannel of pod kube-flannel/kube-flannel-ds-windows-x ====\n" +
			"I0811 04:57:23.861633       1 main.go:520] Determining IP address\n" +
			"==== END logs for container kube-flannel of pod kube-flannel/kube-flannel-ds-windows-x ====\n",
			"json|log flanneld"},
		{"JSON that breaks off at a fence", "```\n[\n{ \"ID\": \"1\",\n  \"Name\": \"nat\",\n  \"Type\":\n```\nand\n```\n" +
			plainHNSDiag + "```\n", "json|hnsdiag list"},
	} {
		var kinds []string
		for _, p := range takeApart(row.content) {
			kinds = append(kinds, strings.TrimSuffix(string(p.kind)+" "+p.about, " "))
		}
		if got := strings.Join(kinds, "|"); got != row.want {
			t.Errorf("%s: the parts are %q, want %q", row.name, got, row.want)
		}
	}
}

func TestLooseFilesThatAreNone(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"a list of services of Windows": {"services.json": `[{"name":"kubelet"}]`},
		"prose":                         {"readme.txt": "nothing to see\n"},
		"a manifest":                    {"deploy.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: x\nspec: {}\n"},
		"a program":                     {"doctor.exe": "MZ\x00\x00"},
		"an empty one":                  {"kubelet.log": "\ufeff"},
		"a config":                      {"package.json": `{"name": "chart", "version": "1.0.0"}`},
	} {
		nodes, err := Search(&parcel{tree: loose(files)})
		if err == nil {
			t.Errorf("%s: found %v", name, nodes)
		}
	}
}

func TestNodesOfLooseFiles(t *testing.T) {
	node := func(name, system string) string {
		return `{"apiVersion":"v1","kind":"Node","metadata":{"name":"` + name + `","uid":"u` + name +
			`"},"status":{"nodeInfo":{"operatingSystem":"` + system + `"}}}`
	}
	list := func(items ...string) string {
		return `{"kind":"NodeList","apiVersion":"v1","items":[` + strings.Join(items, ",") + `]}`
	}
	for _, row := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"one Windows node of two", map[string]string{"nodes.json": list(node("lin-1", "linux"),
			node("win-1", "windows"))}, "kubernetes-objects win-1"},
		{"two Windows nodes", map[string]string{"nodes.json": list(node("win-2", "windows"),
			node("win-1", "windows"))}, "kubernetes-objects win-1, kubernetes-objects win-2"},
		{"Linux alone", map[string]string{"nodes.json": list(node("lin-1", "linux"))},
			"it holds 1 Nodes, and none of them runs Windows"},
		{"an old label alone says that it runs Windows", map[string]string{"node.json": `{"apiVersion":"v1","kind":"Node","metadata":{"labels":{"beta.kubernetes.io/os":"windows"},"name":"win-1","uid":"u"},"status":{"addr`},
			"kubernetes-objects win-1"},
		{"pods alone name their node", map[string]string{"pods.yaml": windowsPod},
			"kubernetes-objects win-1"},
		{"a pod that names its system, beside one of Linux", map[string]string{"pods.yaml": "apiVersion: v1\nkind: List\nitems:\n" +
			"- apiVersion: v1\n  kind: Pod\n  metadata: {name: a, namespace: x}\n  spec: {nodeName: lin-1}\n  status: {phase: Running}\n" +
			"- apiVersion: v1\n  kind: Pod\n  metadata: {name: b, namespace: x}\n  spec: {nodeName: win-1, os: {name: windows}}\n  status: {phase: Running}\n"},
			"kubernetes-objects win-1"},
		{"a log says no name", map[string]string{"kubelet.log": kubeletLines}, "pieces unknown"},
		{"ipconfig does", map[string]string{"kubelet.log": kubeletLines, "ip": ipEnglish},
			"pieces win-1"},
	} {
		nodes, err := Search(&parcel{tree: loose(row.files)})
		var got []string
		for _, n := range nodes {
			got = append(got, n.Format+" "+n.Name)
		}
		if err != nil {
			got = []string{err.Error()}
		}
		if strings.Join(got, ", ") != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

func TestAListThatBreaksOffGivesWhatIsWhole(t *testing.T) {
	pods := `{"kind":"PodList","apiVersion":"v1","items":[` +
		`{"kind":"Pod","metadata":{"name":"a","namespace":"x","uid":"1"},"spec":{"nodeName":"win-1"},"status":{"phase":"Running"}},` +
		`{"kind":"Pod","metadata":{"name":"b","namespace":"x","uid":"2"},"spec":{"nodeN`
	_, tree := looseTree(t, loose(map[string]string{"pods.json": pods}))
	if got := written(tree, "api/pods.json"); !strings.Contains(got, `"name":"a"`) ||
		strings.Contains(got, `"name":"b"`) {
		t.Errorf("the pods are %s", got)
	}
	if got := written(tree, "logs.json"); !strings.Contains(got,
		`{"path":"api/pods.json","unsearched":"pods.json breaks off"}`) {
		t.Errorf("that they are not all is nowhere: %s", got)
	}
	services := strings.NewReplacer("PodList", "ServiceList", `"Pod"`, `"Service"`).Replace(pods)
	_, tree = looseTree(t, loose(map[string]string{"services.json": services,
		"pods.yaml": windowsPod}))
	if got := written(tree, "api/services.json"); !strings.Contains(got,
		"services.json breaks off, and holds 1 whole services") {
		t.Errorf("the services are %s", got)
	}
}

func FuzzPieces(f *testing.F) {
	for _, s := range []string{pastedThread, plainHNSDiag, newHNSDiag, wideNodes, describedPodText,
		eventTable, windowsPod, crictlPodsText, ipEnglish, "[\n{ \"a\": 1,\n", "kind: List\nitems:\n- a: b\n"} {
		f.Add(s, "a.txt")
		f.Add(s, "host_service_logs/windows/log_files/kubelet/kubelet.log")
	}
	f.Fuzz(func(t *testing.T, s, name string) {
		if !fs.ValidPath(name) || name == "." || strings.HasSuffix(name, ".gap") {
			name = "a.txt"
		}
		size := 0
		for _, p := range takeApart(s) {
			size += len(p.text)
		}
		if size > len(s) {
			t.Errorf("the parts of %d bytes have %d", len(s), size)
		}
		files := fstest.MapFS{name: {Data: []byte(s)}}
		nodes, _ := findPieces(files)
		for _, n := range nodes {
			tree, err := n.Evidence(files)
			if err != nil {
				t.Fatal(err)
			}
			loaded, err := evidence.Load(tree)
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range loaded.Paths() {
				r, err := loaded.Open(file)
				if err != nil {
					t.Fatal(path.Join(file), err)
				}
				io.Copy(io.Discard, r)
				r.Close()
			}
		}
	})
}

// TestLinesOfAPasteKeepTheirNumbers: whoever reads the report looks them up in what was pasted.
func TestLinesOfAPasteKeepTheirNumbers(t *testing.T) {
	paste := strings.Split(pastedThread, "\n")
	_, tree := looseTree(t, loose(map[string]string{"pasted.txt": pastedThread}))
	content, err := fs.ReadFile(tree, "logs/kubelet/pasted.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for i, line := range strings.Split(string(content), "\n") {
		if line == "" {
			continue
		}
		seen++
		if own := strings.TrimSpace(paste[i]); !strings.HasPrefix(line, own[:min(len(own), 20)]) {
			t.Errorf("line %d is\n%s\nand in the paste\n%s", i+1, line, own)
		}
	}
	if seen == 0 {
		t.Error("the paste has no line of the kubelet")
	}
}

func TestASentenceBelowATableIsNoRow(t *testing.T) {
	const nodes = "NAME     STATUS   ROLES    AGE    VERSION   INTERNAL-IP   EXTERNAL-IP   OS-IMAGE             KERNEL-VERSION     CONTAINER-RUNTIME\n" +
		"win-1    Ready    <none>   114m   v1.31.0   10.0.0.4      <none>        Windows Server 2022   10.0.20348.2700   containerd://1.7.20\n"
	for _, row := range []struct{ name, text, want string }{
		{"an error of a program", "Waiting for the agent: server is not ready: Node password rejected\n", "kubectl get nodes|"},
		{"the rest of a row", "  containerd://1.7.20\n", "kubectl get nodes"},
	} {
		var kinds []string
		for _, p := range takeApart(nodes + row.text) {
			kinds = append(kinds, string(p.kind))
		}
		if got := strings.Join(kinds, "|"); got != row.want {
			t.Errorf("%s: the parts are %q, want %q", row.name, got, row.want)
		}
	}
}

// A thread often begins with a manifest and goes on with what the pod logs (moby/buildkit 6590 and 4826).
func TestAManifestMayHaveALogBelowIt(t *testing.T) {
	const paste = `apiVersion: v1
kind: Pod
metadata:
  name: buildkitd-windows
  namespace: buildkit
spec:
  containers:
    - name: buildkitd
      image: registry.example/buildkitd:windows-0.28.0-servercore-ltsc2022
status:
  phase: Running

The logs from the pod shows this:
time="2025-01-30T10:31:58+01:00" level=error msg="failed to read dockerfile: failed to mount {windows-layer [rw]}"
`
	_, tree := looseTree(t, loose(map[string]string{"pasted.txt": paste}))
	s, err := evidence.Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	if pods := evidence.Pods.In(s); len(pods) != 1 || pods[0].FullName() != "buildkit/buildkitd-windows" {
		t.Errorf("pods: %v", pods)
	}
	content, _ := fs.ReadFile(tree, "logs/other/pasted.txt")
	if !strings.Contains(string(content), "failed to read dockerfile") {
		t.Errorf("the log is %q", content)
	}
}

func TestPodsOfNoKnownNodeAreLinesToLookAt(t *testing.T) {
	const rows = "NAME                         READY   STATUS             RESTARTS   AGE\n" +
		"cost-analyzer-checks-dd5m7   0/1     ImagePullBackOff   0          27m\n" +
		"kubecost-grafana-xvl4t       3/3     Running            0          27m\n" +
		"exporter-win-x2k9d           0/1     CrashLoopBackOff   9          27m\n"
	_, tree := looseTree(t, loose(map[string]string{"a.txt": "some pods do not run:\n" + rows}))
	got := written(tree, "logs/other/a.txt")
	if !strings.Contains(got, "cost-analyzer-checks-dd5m7") || strings.Contains(got, "grafana") ||
		strings.Contains(got, "exporter-win") {
		t.Errorf("the lines are %q", got)
	}
	_, tree = looseTree(t, loose(map[string]string{"a.txt": "some pods do not run:\n" +
		strings.ReplaceAll(strings.ReplaceAll(rows, "AGE\n", "AGE   IP       NODE     NOMINATED NODE\n"), "27m\n", "27m   <none>   linux1   <none>\n")}))
	if got := written(tree, "logs/other/a.txt"); strings.Contains(got, "cost-analyzer") {
		t.Errorf("pods of another node are in the lines %q", got)
	}
}
