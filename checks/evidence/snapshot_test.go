package evidence

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"
)

const testMeta = `{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z","elevated":true}`

func mapTree(files map[string]string) fstest.MapFS {
	t := fstest.MapFS{"meta.json": {Data: []byte(testMeta)}}
	for path, text := range files {
		t[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return t
}

func snapshot(t testing.TB, files map[string]string) Snapshot {
	t.Helper()
	s, err := Load(mapTree(files))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestATreeThatIsNoEvidenceIsRefused(t *testing.T) {
	for name, row := range map[string]struct {
		files fstest.MapFS
		want  string
	}{
		"no meta.json":  {fstest.MapFS{"os.json": {Data: []byte("{}")}}, "no meta.json"},
		"an empty tree": {fstest.MapFS{}, "no meta.json"},
		"malformed meta.json": {
			fstest.MapFS{"meta.json": {Data: []byte("{\n\"layout\": evidence}")}}, "line 2"},
		"another layout": {
			fstest.MapFS{"meta.json": {Data: []byte(`{"layout":"evidence/v9"}`)}}, "evidence/v9"},
		"an empty meta.json": {fstest.MapFS{"meta.json": {Data: nil}}, "empty"},
	} {
		if _, err := Load(row.files); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want a word of %q", name, err, row.want)
		}
	}
	if _, err := Load(fstest.MapFS{}); !errors.Is(err, ErrNotEvidence) {
		t.Errorf("%v is not ErrNotEvidence", err)
	}
}

func TestGapsKeepTheirKindsApart(t *testing.T) {
	s := snapshot(t, map[string]string{
		"services.json":          "[{\"name\": \"kubelet\"},\n{\"name\": 7}]",
		"hns-networks.json.gap":  "denied: run as Administrator\nsecond line",
		"adapters.json.gap":      "the tool crashed",
		"processes.json.gap":     "",
		"routes.json":            "null",
		"hotfixes.json":          `{"id":"KB1"}`,
		"hns-endpoints.json":     "",
		"env.json.gap":           "absent: no \x1b[31menvironment",
		"api/pods.json":          `{"kind":"List","items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}`,
		"api/services.json":      `{"kind":"Service","metadata":{"name":"kube-dns"}}`,
		"api/node.json":          `{"kind":"NodeList","items":[{"metadata":{"name":"win-1"}}]}`,
		"certificates.json":      `[{"path":"x","notAfter":"soon"}]`,
		"probes/reach.json":      `[]`,
		"hns-loadbalancers.json": strings.Repeat("[", 10_001),
	})
	for name, row := range map[string]struct {
		gap  Gap
		want string
	}{
		"a malformed file names its line":  {Services.Gap(s), "error: line 2"},
		"a gap file speaks for itself":     {HNSNetworks.Gap(s), "denied: run as Administrator"},
		"a gap without a kind is an error": {Adapters.Gap(s), "error: the tool crashed"},
		"an empty gap file says so": {Processes.Gap(s),
			"error: the gap file gives no reason"},
		"never asked is said": {Disks.Gap(s),
			"not-collected: this recording contains no disks.json"},
		"control sequences are stripped":      {Env.Gap(s), "absent: no environment"},
		"null is an empty list":               {Routes.Gap(s), ""},
		"a bare object is a list of one":      {Hotfixes.Gap(s), ""},
		"nothing at all may be no rights":     {HNSEndpoints.Gap(s), "error: the file is empty"},
		"a time that is none is quoted":       {Certificates.Gap(s), `error: "soon" is not a time`},
		"an empty list is an answer":          {ReachProbes.Gap(s), ""},
		"JSON without end is a gap, no crash": {HNSLoadBalancers.Gap(s), "error: "},
	} {
		if !strings.HasPrefix(row.gap.String(), row.want) || row.want == "" && row.gap.Kind != "" {
			t.Errorf("%s: %q, want %q", name, row.gap, row.want)
		}
	}
	if n := len(Pods.In(s)); n != 2 {
		t.Errorf("%d pods in a List of two", n)
	}
	if n := len(KubeServices.In(s)); n != 1 {
		t.Errorf("%d services in one bare object", n)
	}
	if name := Node.In(s).Metadata.Name; name != "win-1" {
		t.Errorf("the node of a List of one is %q", name)
	}
	if got := Hotfixes.In(s); len(got) != 1 || got[0].ID != "KB1" {
		t.Errorf("hotfixes %v", got)
	}
}

func TestNodeFilesAreFoundInAnyCase(t *testing.T) {
	s := snapshot(t, map[string]string{
		"files/c/K/CNI/Config/10-Flannel.conf": "\xef\xbb\xbf{}",
		"files/C/run/flannel/subnet.env.gap":   "absent: it is not there",
		"files.json": `[{"path":"C:\\k\\config","outcome":"denied"},{"path":"c:\\K\\cni\\win-bridge.exe","outcome":"too-large","bytes":9},
			{"path":"C:\\k\\cni\\flannel.exe","outcome":"absent"},{"path":"C:\\k\\x","outcome":"error","detail":"device not ready"}]`,
	})
	f := s.File(`C:\k\cni\config\10-flannel.conf`)
	if f.Gap.Kind != "" || f.Text != "{}" || !f.BOM ||
		f.Path != "files/c/K/CNI/Config/10-Flannel.conf" {
		t.Errorf("%+v", f)
	}
	for path, want := range map[string]string{
		`/run/flannel/subnet.env`: "absent: it is not there",
		`C:\k\config`:             "denied: run as Administrator",
		`C:\k\cni\win-bridge.exe`: "error: c:\\K\\cni\\win-bridge.exe is too large to copy",
		`c:/k/cni/FLANNEL.exe`:    "absent: C:\\k\\cni\\flannel.exe was not found",
		`C:\k\x`:                  "error: device not ready",
		`C:\k\never`:              "not-collected: this recording contains no files/C/k/never",
	} {
		if got := s.File(path).Gap; got.String() != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	for path, want := range map[string][2]bool{
		`C:\k\cni\win-bridge.exe`: {true, true}, `C:\k\cni\flannel.exe`: {false, true},
		`C:\k\config`: {false, false}, `C:\k\never`: {false, false},
		`C:\k\cni\config\10-flannel.conf`: {true, true},
	} {
		if exists, known := s.File(path).Exists(); [2]bool{exists, known} != want {
			t.Errorf("%s: exists %v, known %v, want %v", path, exists, known, want)
		}
	}
	if File(`C:\run\flannel\subnet.env`).Gap(s).Kind != "" {
		t.Error("absence is an answer: it meets the need for the file")
	}
	if got := s.FilesIn(`C:\K\cni`); !slices.Equal(got, []string{"win-bridge.exe"}) {
		t.Errorf("files in the folder: %v", got)
	}
}

func TestTextIsDecodedBeforeItIsRead(t *testing.T) {
	utf16 := func(s string) string {
		b := []byte{0xff, 0xfe}
		for _, u := range utf16.Encode([]rune(s)) {
			b = binary.LittleEndian.AppendUint16(b, u)
		}
		return string(b)
	}
	s := snapshot(t, map[string]string{
		"services.json":            utf16(`[{"name":"kubelet","displayName":"节点"}]`),
		"files/C/k/sourceVip.json": utf16(`{"ip4":{"ip":"10.244.3.9/24"}}`),
		"hns-networks.json":        "\xef\xbb\xbf" + `{"ID":"1","Name":"cbr0","Type":"l2bridge"}`,
	})
	if got := Services.In(s); len(got) != 1 || got[0].DisplayName != "节点" {
		t.Errorf("services %+v", got)
	}
	if f := s.File(`C:\k\sourceVip.json`); !f.BOM || !strings.Contains(f.Text, "10.244.3.9") {
		t.Errorf("source VIP %+v", f)
	}
	if got := HNSNetworks.In(s); len(got) != 1 || got[0].Name != "cbr0" ||
		got[0].Type != "L2Bridge" {
		t.Errorf("networks %+v", got)
	}
}

func TestHiddenEvidenceWasNeverAsked(t *testing.T) {
	s := snapshot(t, map[string]string{
		"services.json": `[{"name":"kubelet"}]`, "logs/kubelet/a.log": "x",
		"files/C/k/a.conf": "{}",
		"files.json":       `[{"path":"C:\\run\\flannel\\subnet.env","outcome":"absent"}]`,
	})
	for _, need := range []Need{Services, Logs("kubelet"), File(`C:\k\a.conf`), Folder(`C:\k`),
		File(`C:\run\flannel\subnet.env`), Any(Disks, Services)} {
		if g := need.Gap(s); g.Kind != "" {
			t.Errorf("%v: %s", need.Paths(), g)
		}
		if g := need.Gap(s.Hide(need)); g.Kind != NotCollected {
			t.Errorf("%v hidden: %q", need.Paths(), g)
		}
	}
}

func TestAnyNamesTheMostTellingGap(t *testing.T) {
	s := snapshot(t, map[string]string{"hns-networks.json.gap": "denied: run as Administrator"})
	if g := Any(Services, HNSNetworks, Adapters).Gap(s); g.Kind != Denied {
		t.Errorf("%q, want the refusal", g)
	}
	if got := Any(Services, HNSNetworks).Paths(); !slices.Equal(got,
		[]string{"services.json", "hns-networks.json"}) {
		t.Errorf("paths %v", got)
	}
}

func TestTheEmptySnapshotKnowsNothing(t *testing.T) {
	var s Snapshot
	if Services.Known(s) || len(s.Paths()) != 0 || s.File(`C:\k`).Gap.Kind == "" ||
		len(s.LogFiles("kubelet")) != 0 || !s.Now().IsZero() || s.Signs("x") != nil {
		t.Error("the zero Snapshot answers a question")
	}
	if _, err := s.Open("meta.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open: %v", err)
	}
}

func TestTime(t *testing.T) {
	for text, want := range map[string]string{
		`"2026-11-20T10:00:00Z"`:      "2026-11-20T10:00:00Z",
		`"2026-11-20T11:00:00+01:00"`: "2026-11-20T10:00:00Z",
		`"/Date(1763632800000)/"`:     "2025-11-20T10:00:00Z",
		`"2026-11-20"`:                "2026-11-20T00:00:00Z",
		`""`:                          "0001-01-01T00:00:00Z", `null`: "0001-01-01T00:00:00Z",
	} {
		var v Time
		if err := v.UnmarshalJSON([]byte(text)); err != nil ||
			v.Format("2006-01-02T15:04:05Z07:00") != want {
			t.Errorf("%s: %v, %v, want %s", text, v, err, want)
		}
	}
	for _, text := range []string{`"soon"`, `7`, `"/Date(x)/"`, `{}`} {
		var v Time
		if err := v.UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%s is taken for %v", text, v)
		}
	}
}

// FuzzLoad feeds one structured file of each shape: whatever it holds, there is
// an answer or a gap, and never both or a crash.
func FuzzLoad(f *testing.F) {
	f.Add("services.json",
		[]byte(`[{"name":"kubelet","args":["--v=4"],"recovery":[{"action":"restart"}]}]`))
	f.Add("api/pods.json",
		[]byte(`{"items":[{"metadata":{"name":"a"},"status":{"containerStatuses":[{"state":{"waiting":{}}}]}}]}`))
	f.Add("hns-endpoints.json",
		[]byte(`{"ID":"1","IPAddress":"10.0.0.1","Policies":"@{Type=VSID}"}`))
	f.Add("cri.json", []byte(`{"config":{"a":{"sandboxImage":"x"}}}`))
	f.Add("os.json", []byte(`{"build":17763,"bootedAt":"/Date(1)/"}`))
	f.Add("probes/dns.json", []byte("\xff\xfe[\x00]\x00"))
	f.Fuzz(func(t *testing.T, path string, content []byte) {
		if !fs.ValidPath(path) || path == "meta.json" || path == "." {
			return
		}
		s, err := Load(mapTree(map[string]string{path: string(content)}))
		if err != nil {
			t.Fatal(err)
		}
		for _, need := range []Need{OSInfo, Services, Processes, Node, Pods, KubeServices,
			PodEvents, CRI, HNSNetworks, HNSEndpoints, DNSProbes, FileIndex} {
			if g := need.Gap(s); g.Kind != "" && !slices.Contains(gapKinds, g.Kind) {
				t.Errorf("gap %q", g)
			}
		}
		CRI.In(s).ConfigValue("sandboxImage")
		s.File(`C:\k\cni\config\cni.conf`)
	})
}

func TestLogsGoByMoreThanOneName(t *testing.T) {
	s := snapshot(t, map[string]string{"logs/kubeproxy/k.log": "x", "logs/felix/f.log": "x",
		"logs/other/o.log": "x"})
	for component, want := range map[string]int{"kube-proxy": 1, "calico": 1, "calico-node": 1,
		"other": 1, "": 3, "kubelet": 0} {
		if got := len(s.LogFiles(component)); got != want {
			t.Errorf("%q has %d logs, want %d", component, got, want)
		}
	}
	for folder, component := range map[string]string{"calico-node-windows": "felix", "kube-proxy-windows": "kube-proxy",
		"kube-flannel-ds-windows-amd64": "flanneld", "csi-azuredisk-node-win": "csi-driver", "ebs-csi-node": "csi-driver",
		"csi-proxy": "csiproxy", "antrea-agent-windows": "antrea"} {
		if !SameLog(folder, component) || !SameLog(component, folder) {
			t.Errorf("%s is no log of %s", folder, component)
		}
	}
	if SameLog("csi-proxy", "csi-driver") || SameLog("rancher-wins", "rancher") || SameLog("msiscsi", "csi-driver") || SameLog("windows-exporter", "") {
		t.Error("what is like the name of a component is another one")
	}
	if !(Sign{In: []string{"kube-proxy"}}).Fits("kubeproxy", "") ||
		(Sign{In: []string{"kube-proxy"}}).Fits("kubelet", "") {
		t.Error("a sign keeps to its component, whatever the folder's name")
	}
	if Logs("calico").Gap(s).Kind != "" ||
		Logs("calico").Gap(s.Hide(Logs("calico-node"))).Kind == "" {
		t.Error("a need for logs is met by all names of the folder, and hidden by all")
	}
}
