package regressions_test

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/regressions"
	"doctor/checks/signs"
	"doctor/fixtures"
)

// fewest is how many rows the table has at least.
const fewest = 60

var rangeForm = regexp.MustCompile(
	`^[0-9][0-9.]*(\+rke2r[0-9]+)? < [0-9][0-9.]*(\+rke2r[0-9]+)?(, |$)`)

// TestEachRowIsVerified holds each row to what a row must have, and tries it on a node with an
// affected version, on one with the fix, and on one that logs its text.
func TestEachRowIsVerified(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range regressions.Rows() {
		t.Run(r.ID, func(t *testing.T) {
			if seen[r.ID] || seen[r.Title] {
				t.Errorf("two rows are called %s or %q", r.ID, r.Title)
			}
			seen[r.ID], seen[r.Title] = true, true
			if len(r.Links) == 0 {
				t.Error("name the release note, the issue or the fix in Links")
			}
			for rest := r.From; rest != ""; {
				match := rangeForm.FindString(rest)
				if match == "" {
					t.Fatalf("%q is no range such as 1.24.0 < 1.24.7", rest)
				}
				rest = rest[len(match):]
			}
			for part := range strings.SplitSeq(r.From, ", ") {
				first, fixed, _ := strings.Cut(part, " < ")
				try(t, r, first, "", checks.StatusInfo)
				try(t, r, fixed, "", checks.StatusPass)
				for _, s := range r.Signs {
					want := checks.StatusFail
					if r.Warn {
						want = checks.StatusWarn
					}
					line := s.Text + " " + strings.Join(s.Also, " ")
					try(t, r, first, line, want)
					try(t, r, fixed, line, checks.StatusPass)
				}
			}
		})
	}
	if len(seen) < 2*fewest {
		t.Errorf("the table has %d rows, want at least %d", len(seen)/2, fewest)
	}
}

// try judges a node on which the row's component has that version.
func try(t *testing.T, r regressions.Row, version, line string, want checks.Status) {
	t.Helper()
	result := judge(t, r, version, line)
	if result.Status != want {
		t.Errorf("with version %s and the line %q it is %s, want %s (%s%s)", version, line,
			result.Status, want, result.Reason, result.Gap)
	}
	for _, f := range result.Findings {
		if len(f.Because) == 0 {
			t.Errorf("version %s: no evidence beside %q", version, f.Message)
		}
		if fix := result.Fix.First(); fix == nil || strings.Contains(fix.Text, version+" ") {
			t.Errorf("version %s: the fix is to install the affected version: %+v", version, fix)
		}
	}
}

func judge(t *testing.T, r regressions.Row, version, line string) checks.Result {
	t.Helper()
	tree := "-- meta.json --\n" +
		`{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z"}` + "\n" +
		nodeWith(r, version)
	if line != "" {
		log := map[regressions.Component]string{regressions.Flannel: "flanneld",
			regressions.Containerd: "containerd", regressions.KubeProxy: "kube-proxy"}[r.Of]
		if log == "" {
			log = "kubelet"
		}
		tree += "-- logs/" + log + "/1.log --\n" + line + "\n"
	}
	s, err := evidence.Load(fixtures.Tree(txtar.Parse([]byte(tree))))
	if err != nil {
		t.Fatal(err)
	}
	only := faults.Catalogue().Only("regression-" + r.ID)
	if len(only.All()) != 1 {
		t.Fatalf("the catalogue has no check regression-%s", r.ID)
	}
	s, _ = signs.Record(s, only.Signs())
	return checks.Diagnose(s, only, checks.Source{}, checks.Program{}).Results[0]
}

// nodeWith is the evidence of a node that has all that the row asks for, and that version.
func nodeWith(r regressions.Row, version string) string {
	build, kernel := "20348", "10.0.20348.4405"
	if r.Build != 0 {
		build, kernel = fmt.Sprint(r.Build), fmt.Sprintf("10.0.%d.8027", r.Build)
	}
	kubelet, runtime, annotations, image := "v1.30.99", "containerd://1.6.99", "", ""
	if r.Runtime == "docker" {
		runtime = "docker://20.10.99"
	}
	cni := map[regressions.Component]string{regressions.Antrea: "antrea",
		regressions.Calico: "calico", regressions.AzureCNS: "azure-vnet"}[r.Of]
	switch r.Of {
	case regressions.Windows:
		kernel = "10.0." + version
		build = strings.Split(version, ".")[0]
	case regressions.Kubelet, regressions.KubeProxy:
		kubelet = "v" + version
	case regressions.RKE2:
		kubelet = "v" + version
		if !strings.Contains(version, "+") {
			kubelet += "+rke2r1"
		}
	case regressions.Containerd:
		runtime = "containerd://" + version
	case regressions.Docker:
		runtime = "docker://" + version
	case regressions.WMCO:
		annotations = `"windowsmachineconfig.openshift.io/version":"` + version + `-0a1b2c3",`
	default:
		image = "registry.example:5000/mirror/" + images[r.Of] + ":v" + version
	}
	if r.Of == regressions.Flannel || r.Backend != "" {
		kind := "vxlan"
		if r.Backend == "L2Bridge" {
			kind = "host-gw"
		}
		annotations += `"flannel.alpha.coreos.com/backend-type":"` + kind + `",`
	}
	labels := ""
	if len(r.Sizes) > 0 {
		labels = `"node.kubernetes.io/instance-type":"Standard_D4ads` + r.Sizes[0] + `"`
	}
	if r.Of == regressions.WMCO {
		labels = `"node.openshift.io/os_id":"Windows"`
	}
	pod := ""
	if image != "" || r.HostProcess {
		pod = fmt.Sprintf(`-- api/pods.json --
{"items":[{"metadata":{"name":"agent-x","namespace":"kube-system"},"spec":{"nodeName":"win-1",
"securityContext":{"windowsOptions":{"hostProcess":true}},
"containers":[{"name":"agent","image":%q}]}}]}
`, image)
	}
	config := ""
	if cni != "" {
		config = fmt.Sprintf("-- files/C/etc/cni/net.d/10-%s.conf --\n"+
			`{"cniVersion":"0.3.0","name":%q,"type":%q}`+"\n", cni, cni, cni)
	}
	return fmt.Sprintf(`-- os.json --
{"build":%s}
-- api/node.json --
{"metadata":{"name":"win-1","labels":{%s},"annotations":{%s"a":"b"}},"status":{"nodeInfo":{
"kubeletVersion":%q,"containerRuntimeVersion":%q,"kernelVersion":%q}}}
%s%s`, build, labels, annotations, kubelet, runtime, kernel, pod, config)
}

var images = map[regressions.Component]string{
	regressions.Antrea: "antrea/antrea-windows", regressions.Calico: "calico/node-windows",
	regressions.Flannel:   "sig-windows-net/flannel",
	regressions.AzureCNS:  "containernetworking/azure-cns",
	regressions.AzureDisk: "oss/kubernetes-csi/azuredisk-csi",
	regressions.AzureFile: "oss/kubernetes-csi/azurefile-csi",
	regressions.EBS:       "eks/aws-ebs-csi-driver", regressions.CSIProxy: "sig-windows/csi-proxy",
	regressions.SMB: "sig-storage/smbplugin",
}

// TestARowOfOtherSizesIsNotOfThisNode: the same driver finds the disks of other machines.
func TestARowOfOtherSizesIsNotOfThisNode(t *testing.T) {
	rows := regressions.Rows()
	row := rows[slices.IndexFunc(rows, func(r regressions.Row) bool {
		return r.ID == "azure-disk-nvme-v7"
	})]
	row.Sizes = []string{"_v5"} // what the Node of the test is
	got := judge(t, row, "1.34.0", row.Signs[0].Text)
	if got.Status != checks.StatusSkip ||
		got.Reason != "the regression affects other machine sizes (found: Standard_D4ads_v5)" {
		t.Errorf("it is %s (%s%s)", got.Status, got.Reason, got.Gap)
	}
}

// TestARowWithoutItsVersionOnlyWarns, and only of a text in the logs: other versions may log it too.
func TestARowWithoutItsVersionOnlyWarns(t *testing.T) {
	rows := regressions.Rows()
	row := rows[slices.IndexFunc(rows, func(r regressions.Row) bool {
		return r.ID == "flannel-br-netfilter"
	})]
	if got := judge(t, row, "latest", row.Signs[0].Text); got.Status != checks.StatusWarn {
		t.Errorf("with a text of it, it is %s (%s%s)", got.Status, got.Reason, got.Gap)
	}
	got := judge(t, row, "latest", "nothing of it")
	if got.Status != checks.StatusSkip ||
		got.Reason != "nothing shows whether the node can meet this regression" {
		t.Errorf("without, it is %s (%s%s)", got.Status, got.Reason, got.Gap)
	}
}

// TestTheStateOfARowIsThatOfItsCheck: a node with an affected version, and the fault that the
// row's check finds, has the regression as its cause.
func TestTheStateOfARowIsThatOfItsCheck(t *testing.T) {
	for id, from := range map[string][2]string{
		"hns-lb-missing-or-stale":           {"regression-kube-proxy-stale-load-balancers", "v1.24.3"},
		"local-and-remote-endpoint-same-ip": {"regression-kube-proxy-stale-remote-endpoint", "v1.34.5"},
		"remote-endpoint-unused":            {"regression-kube-proxy-terminated-endpoints", "v1.34.1"},
	} {
		t.Run(id, func(t *testing.T) {
			recording, err := fixtures.Open(id)
			if err != nil {
				t.Fatal(err)
			}
			before, err := evidence.Load(recording.FS())
			if err != nil {
				t.Fatal(err)
			}
			s, err := evidence.Load(withKubelet(t, recording.FS(),
				evidence.Node.In(before).Status.NodeInfo.KubeletVersion, from[1]))
			if err != nil {
				t.Fatal(err)
			}
			s, _ = signs.Record(s, faults.Catalogue().Signs())
			r := checks.Diagnose(s, faults.Catalogue(), checks.Source{}, checks.Program{})
			if len(r.Causes) == 0 || r.Causes[0].ID != from[0] {
				t.Errorf("the causes are %+v, want %s first", r.Causes, from[0])
			}
		})
	}
}

// withKubelet is the recording with another version of all that belongs to Kubernetes.
func withKubelet(t *testing.T, recording fs.FS, old, version string) fs.FS {
	t.Helper()
	tree := fstest.MapFS{}
	err := fs.WalkDir(recording, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(recording, path)
		if strings.HasPrefix(path, "api/") && old != "" {
			content = []byte(strings.ReplaceAll(string(content), old, version))
		}
		tree[path] = &fstest.MapFile{Data: content, Mode: 0o444}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if old == "" { // the recording says nothing of it
		tree["api/node.json"] = &fstest.MapFile{Mode: 0o444, Data: fmt.Appendf(nil,
			`{"status":{"nodeInfo":{"kubeletVersion":%q}}}`, version)}
	}
	return tree
}
