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
					if r.Both { // the text alone shows nothing
						want = checks.StatusInfo
					}
					line := s.Text + " " + strings.Join(s.Also, " ")
					if s.Lasts > 0 { // without times, what is there so often
						line = strings.TrimSpace(strings.Repeat(line+"\n", 6))
					}
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
	tree := nodeWith(r, version)
	if line != "" {
		log := map[regressions.Component]string{regressions.Flannel: "flanneld",
			regressions.Containerd: "containerd", regressions.KubeProxy: "kube-proxy",
			regressions.WMCO: "hybrid-overlay"}[r.Of]
		if log == "" {
			log = "kubelet"
		}
		tree += "-- logs/" + log + "/1.log --\n" + line + "\n"
	}
	return judgeTree(t, r.ID, tree)
}

// judgeTree judges a row on a node with that evidence.
func judgeTree(t *testing.T, id, tree string) checks.Result {
	t.Helper()
	s, err := evidence.Load(fixtures.Tree(txtar.Parse([]byte("-- meta.json --\n" +
		`{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z"}` + "\n" + tree))))
	if err != nil {
		t.Fatal(err)
	}
	only := faults.Catalogue().Only("regression-" + id)
	if len(only.All()) != 1 {
		t.Fatalf("the catalogue has no check regression-%s", id)
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
		regressions.Calico: "calico", regressions.AzureCNS: "azure-vnet",
		regressions.AzureVNet: "azure-vnet"}[r.Of]
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
		size := "Standard_D4ads" + r.Sizes[0]
		if strings.HasSuffix(size, "-") {
			size = r.Sizes[0] + "standard-8"
		}
		labels = `"node.kubernetes.io/instance-type":"` + size + `"`
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
	regressions.AzureVNet: "containernetworking/azure-cns",
	regressions.AzureDisk: "oss/kubernetes-csi/azuredisk-csi",
	regressions.AzureFile: "oss/kubernetes-csi/azurefile-csi",
	regressions.EBS:       "eks/aws-ebs-csi-driver", regressions.CSIProxy: "sig-windows/csi-proxy",
	regressions.SMB: "sig-storage/smbplugin", regressions.KeyVault: "oss/v2/azure/secrets-store/provider-azure", regressions.Wins: "rancher/wins",
	regressions.VSphereCSI: "cloud-provider-vsphere/csi/release/driver",
	regressions.GCEDisk:    "gke.gcr.io/gcp-compute-persistent-disk-csi-driver",
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
	row = rows[slices.IndexFunc(rows, func(r regressions.Row) bool { return r.ID == "gce-disk-nvme" })]
	row.Sizes = []string{"n2-"}
	if got := judge(t, row, "1.17.3", row.Signs[0].Text); got.Reason != "the regression affects other machine sizes (found: n2-standard-8)" {
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

// TestOnlyTheFindingsOfARowShowIt: kubernetes 131466 changes which backends a load balancer has, and
// not whether it is there.
func TestOnlyTheFindingsOfARowShowIt(t *testing.T) {
	const tree = `-- meta.json --
{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z"}
-- os.json --
{"build":26100}
-- api/node.json --
{"metadata":{"name":"win-1"},"status":{"nodeInfo":{"kubeletVersion":"v1.31.5","kernelVersion":"10.0.26100.2894"}}}
-- api/services.json --
{"items":[{"metadata":{"namespace":"a","name":"web"},"spec":{"clusterIP":"10.96.7.7","ports":[{"port":80,"protocol":"TCP"}]}}]}
-- api/endpointslices.json --
{"items":[{"metadata":{"namespace":"a","labels":{"kubernetes.io/service-name":"web"}},"endpoints":[
{"addresses":["10.244.1.9"],"nodeName":"lin-1","conditions":{"ready":true}}%s],"ports":[{"port":8080,"protocol":"TCP"}]}]}
-- hns-endpoints.json --
[{"ID":"e1","HostComputeNetwork":"N","IpConfigurations":[{"IpAddress":"10.244.1.9","PrefixLength":24}],"Flags":1,"SchemaVersion":{"Major":2}},
{"ID":"e2","HostComputeNetwork":"N","IpConfigurations":[{"IpAddress":"10.244.1.8","PrefixLength":24}],"Flags":1,"SchemaVersion":{"Major":2}}]
-- hns-loadbalancers.json --
[%s]
`
	const balancer = `{"ID":"L","FrontendVIPs":["10.96.7.7"],"HostComputeEndpoints":[%s],"PortMappings":[{"Protocol":6,"InternalPort":8080,"ExternalPort":80}],"Flags":0,"SchemaVersion":{"Major":2}}`
	const scaledUp = `,{"addresses":["10.244.1.8"],"nodeName":"lin-1","conditions":{"ready":true}}`
	for _, row := range []struct {
		name, more, balancers string
		want                  checks.Status
	}{
		{"all is as it should be", "", fmt.Sprintf(balancer, `"e1"`), checks.StatusInfo},
		{"scaled up", scaledUp, fmt.Sprintf(balancer, `"e1"`), checks.StatusFail},
		{"scaled down", "", fmt.Sprintf(balancer, `"e1","e2"`), checks.StatusFail},
		{"there is none", "", "", checks.StatusInfo},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := evidence.Load(fixtures.Tree(txtar.Parse(fmt.Appendf(nil, tree, row.more, row.balancers))))
			if err != nil {
				t.Fatal(err)
			}
			only := faults.Catalogue().Only("regression-kube-proxy-modify-load-balancer")
			r := checks.Diagnose(s, only, checks.Source{}, checks.Program{}).Results[0]
			if r.Status != row.want {
				t.Errorf("it is %s, want %s (%s%s)", r.Status, row.want, r.Reason, r.Gap)
			}
		})
	}
}

// TestVMSwitchCommandsOfAntrea: the commands are those of pkg/agent/util/net_windows.go at v1.4.0 and
// pkg/agent/util/winnet/net_windows.go at v2.1.1, in the words of powershell_windows.go.
func TestVMSwitchCommandsOfAntrea(t *testing.T) {
	const (
		before  = `F0104 10:00:00.1 4960 main.go:58] Error running agent: error initializing agent: failed to run command 'Get-VMSwitch -Name antrea-hnsnetwork  | Set-VMSwitch -AllowManagementOS $false ': output '%s', exit status 1`
		after   = `F0104 10:00:00.1 4960 main.go:58] Error running agent: error initializing agent: failed to run command 'Get-VMSwitch -ComputerName $(hostname) -Name antrea-hnsnetwork | Select-Object -Property SoftwareRscEnabled | Format-Table -HideTableHeaders': output '%s', exit status 1`
		goesOn  = "\nI0104 10:00:09.1 4960 agent.go:330] Agent initialized NodeConfig=&{Name:win-1}"
		missing = `Hyper-V was unable to find a virtual switch with name "antrea-hnsnetwork".`
	)
	for _, row := range []struct {
		id, version, name, line string
		want                    checks.Status
	}{
		{"antrea-vmswitch-host-name", "1.4.0", "without a computer", fmt.Sprintf(before, ""), checks.StatusFail},
		{"antrea-vmswitch-host-name", "1.4.0", "there is no switch", fmt.Sprintf(before, missing), checks.StatusInfo},
		{"antrea-vmswitch-host-name", "1.4.0", "the next start succeeds", fmt.Sprintf(before, "") + goesOn, checks.StatusInfo},
		{"antrea-vmswitch-host-name", "1.5.0", "the fix", fmt.Sprintf(after, ""), checks.StatusPass},
		{"antrea-vmswitch-active-directory", "2.1.1", "by its name", fmt.Sprintf(after, ""), checks.StatusFail},
		{"antrea-vmswitch-active-directory", "2.1.1", "there is no switch", fmt.Sprintf(after, missing), checks.StatusInfo},
	} {
		t.Run(row.id+" "+row.name, func(t *testing.T) {
			rows := regressions.Rows()
			at := slices.IndexFunc(rows, func(r regressions.Row) bool { return r.ID == row.id })
			try(t, rows[at], row.version, row.line, row.want)
		})
	}
}
