package foreign

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"doctor/checks/evidence"
)

func TestEKSZip(t *testing.T) {
	s := load(t, eksZip(t))
	if m := s.Meta(); m.Node != "EC2AMAZ-7H3KQ2L" || m.Source != "eks-log-collector" ||
		!m.CollectedAt.Equal(collected) {
		t.Errorf("meta is %+v", m)
	}
	os := evidence.OSInfo.In(s)
	if os.Build != 17763 || os.UBR != 0 || os.ProductName != "Windows Server 2019 Datacenter" ||
		os.Machine.Model != "m5.large" {
		t.Errorf("os is %+v (%s)", os, evidence.OSInfo.Gap(s))
	}
	if fixes := evidence.Hotfixes.In(s); len(fixes) != 2 || fixes[1].ID != "KB5041578" {
		t.Errorf("hotfixes are %+v", fixes)
	}
	services := evidence.Services.In(s)
	if i := slices.IndexFunc(services, func(v evidence.Service) bool {
		return v.Name == "AppIDSvc"
	}); i < 0 || services[i].State != "stopped" || len(services) != 26 {
		t.Errorf("services are %+v (%s)", services, evidence.Services.Gap(s))
	}
	if d := evidence.Disks.In(s); len(d) != 1 || d[0].Drive != "C:" || d[0].TotalBytes>>30 != 80 {
		t.Errorf("disks are %+v (%s)", d, evidence.Disks.Gap(s))
	}
	endpoints := evidence.HNSEndpoints.In(s)
	if len(endpoints) != 1 ||
		fmt.Sprint(endpoints[0].OutBoundNAT()[0].Exceptions) != "[10.60.0.0/16 172.20.0.0/16]" {
		t.Errorf("endpoints are %+v (%s)", endpoints, evidence.HNSEndpoints.Gap(s))
	}
	if v := evidence.HNSVersion.In(s).Version; v.Major != 9 || v.Minor != 2 {
		t.Errorf("version of HNS is %v", v)
	}
	if a := evidence.Adapters.In(s); len(a) != 2 || a[0].Addresses[0] != "10.60.3.117/24" ||
		a[1].Compartment != 2 {
		t.Errorf("adapters are %+v (%s)", a, evidence.Adapters.Gap(s))
	}
	if r := evidence.Routes.In(s); len(r) != 3 || r[0].NextHop != "10.60.3.1" {
		t.Errorf("routes are %+v (%s)", r, evidence.Routes.Gap(s))
	}
	cri := evidence.CRI.In(s)
	if cri.Version.RuntimeVersion != "1.7.28" || len(cri.Images) != 2 ||
		cri.ConfigValue("sandboxImage") != "mcr.microsoft.com/oss/kubernetes/pause:3.9" {
		t.Errorf("cri is %+v (%s)", cri, evidence.CRI.Gap(s))
	}
	events := evidence.WindowsEvents.In(s)
	if len(events) != 4 ||
		events[1].Message != "The kube-proxy service entered the running state.\n\nSee \"services\"." || events[1].Time.Format(time.RFC3339) != "2024-09-03T04:43:25Z" || events[1].ID != 0 || events[1].Log != "System" {
		t.Errorf("events are %+v (%s)", events, evidence.WindowsEvents.Gap(s))
	}
	wantGap(t, evidence.NotCollected, evidence.Processes.Gap(s), evidence.Ports.Gap(s),
		evidence.HNSNamespaces.Gap(s), evidence.Node.Gap(s),
		s.File(`C:\Program Files\containerd\config.toml`).Gap)
	for _, gap := range []evidence.Gap{evidence.Processes.Gap(s), evidence.HNSNamespaces.Gap(s),
		s.File(`C:\run\flannel\subnet.env`).Gap} {
		if !strings.Contains(gap.String(), eksTool) || !strings.Contains(gap.String(), "collect ") {
			t.Errorf("%q does not say who did not look, and what to collect", gap)
		}
	}
}

func TestEKSEventLogsOfComponentsAreLogs(t *testing.T) {
	s := load(t, eksZip(t))
	want := "I0903 04:43:21.100000    3652 server.go:484] \"Kubelet version\" kubeletVersion=\"v1.31.13-eks-113cf36\"\n" +
		"I0903 04:43:22.100000    3652 kubelet_node_status.go:79] \"Successfully registered node\" node=\"ip-10-60-3-117.eu-central-1.compute.internal\"\n" +
		"I0903 09:57:00.100000    3652 kubelet.go:2406] \"SyncLoop (probe)\" probe=\"readiness\"\n"
	if got := original(t, s, "logs/kubelet/kubelet-service.log"); got != want {
		t.Errorf("the kubelet's log reads\n%swant\n%s", got, want)
	}
	for _, name := range []string{"logs/kube-proxy/kube-proxy-service.log",
		"logs/cni/vpc-bridge.log", "logs/eks/EKS-Bootstrap.log",
		"original/kubelet/kubelet-service.csv",
		"files/C/ProgramData/kubernetes/kubelet-config.json",
		"files/C/ProgramData/kubernetes/kubeconfig",
		"files/C/ProgramData/Amazon/EKS/cni/config/vpc-bridge.conf"} {
		if !slices.Contains(s.Paths(), name) {
			t.Errorf("%s is not there", name)
		}
	}
}

func TestEKSExportsThatAreNotWhole(t *testing.T) {
	cut := eksKubeletCSV[:strings.Index(eksKubeletCSV, "Successfully")]
	s := load(t, eksZip(t, "kubelet/kubelet-service.csv", cut, "kube-proxy/kube-proxy-service.csv",
		"", "system-eventlogs.csv", ""))
	if got := original(t, s, "logs/kubelet/kubelet-service.log"); !strings.Contains(got,
		"SyncLoop") || strings.Contains(got, "registered") {
		t.Errorf("the kubelet's log reads %q", got)
	}
	wantGap(t, evidence.Error, s.GapAt("logs/kube-proxy/"), evidence.WindowsEvents.Gap(s))
	if gap := gapOf(s, "logs/kubelet/kubelet-service-rest.log"); !strings.Contains(gap.String(),
		"breaks off after 1 events") {
		t.Errorf("what is missing of the log is not said: %q", gap)
	}
}

func TestEKSRunsThatBrokeOff(t *testing.T) {
	sysinfo := &fstest.MapFile{Data: utf16(t, eksSysinfo), ModTime: collected}
	tests := []struct {
		name string
		tree fstest.MapFS
		node string
	}{
		{"the disk was too full to go on",
			fstest.MapFS{"log-collector/collect/system/sysinfo": sysinfo}, "EC2AMAZ-7H3KQ2L"},
		{"nothing but an empty sysinfo and folders", fstest.MapFS{"collect/system/sysinfo": {},
			"collect/system/eks/a.log": {Data: []byte("x")}}, "collect"},
		{"unpacked into a folder of its name",
			fstest.MapFS{"eks_i-0abc1234def567890_20240903T1002001234Z/system/sysinfo": {}},
			"i-0abc1234def567890"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := load(t, tt.tree)
			if s.Meta().Node != tt.node {
				t.Errorf("node is %q, want %q", s.Meta().Node, tt.node)
			}
			if g := evidence.HNSEndpoints.Gap(s); g.Kind != evidence.NotCollected {
				t.Errorf("endpoints that were never asked for: %q", g)
			}
			if g := evidence.Services.Gap(s); g.Kind != evidence.NotCollected {
				t.Errorf("services that were never asked for: %q", g)
			}
		})
	}
}

func TestEKSOutputThatIsNone(t *testing.T) {
	const record = "ctr : ctr: failed to dial \"\\\\\\\\.\\\\pipe\\\\containerd-containerd\"\nAt C:\\eks-log-collector.ps1:232 char:13\n+             ctr version > $info_system\\containerd\\containerd-version.txt\n    + CategoryInfo          : NotSpecified: (ctr: failed to dial:String) [], RemoteException\n    + FullyQualifiedErrorId : NativeCommandError\n"
	s := load(t, eksZip(t, "containerd/containerd-version.txt", record,
		"containerd/containerd-images.txt", record, "containerd/containerd-containers.txt", record,
		"network/hns/endpoint.txt",
		"Get-HnsEndpoint : Access is denied. (Exception from HRESULT: 0x80070005)\n",
		"network/hns/network.txt", "", "network/hns/policy.txt", "", "volumes", "", "services",
		record))
	wantGap(t, evidence.Error, evidence.CRI.Gap(s), evidence.Disks.Gap(s),
		evidence.HNSNetworks.Gap(s), evidence.HNSLoadBalancers.Gap(s))
	wantGap(t, evidence.Denied, evidence.HNSEndpoints.Gap(s))
	wantGap(t, evidence.NotCollected, evidence.Services.Gap(s))
	if _, known := s.Elevated(); known {
		t.Error("HNS gave nothing, so nobody knows whether the tool ran as Administrator")
	}
}

func TestEveryFileOfTheLayoutIsThereOrSaysWhyNotInCloudRecordings(t *testing.T) {
	for name, m := range map[string]fstest.MapFS{"aks": aksZip(t), "eks": eksZip(t),
		"eks, broken off": {"system/sysinfo": {}}, "aks, broken off": {aksTranscript: {}}} {
		s := load(t, m)
		for want := range pieceLacks {
			if strings.HasPrefix(want, "logs/") {
				continue
			}
			paths := s.Paths()
			if file, gap := slices.Contains(paths, want),
				slices.Contains(paths, want+".gap"); file == gap {
				t.Errorf("%s: %s: file %v, gap %v", name, want, file, gap)
			}
		}
		for _, k := range []interface{ Path() string }{evidence.OSInfo, evidence.Services,
			evidence.Processes, evidence.Hotfixes, evidence.MemoryInfo, evidence.Disks,
			evidence.Adapters, evidence.Routes,
			evidence.DNSClient, evidence.Ports, evidence.HNSNetworks, evidence.HNSEndpoints,
			evidence.HNSLoadBalancers, evidence.HNSNamespaces, evidence.CRI, evidence.FileIndex,
			evidence.Node, evidence.WindowsEvents} {
			paths := s.Paths()
			if file, gap := slices.Contains(paths, k.Path()),
				slices.Contains(paths, k.Path()+".gap"); file == gap {
				t.Errorf("%s: %s: file %v, gap %v", name, k.Path(), file, gap)
			}
		}
	}
}

func TestEmptyCopiesProveNothing(t *testing.T) {
	s := load(t, eksZip(t, "cni/vpc-bridge.conf", "", "kubelet/kubelet-config.json", ""))
	wantGap(t, evidence.Error, s.File(`C:\ProgramData\Amazon\EKS\cni\config\vpc-bridge.conf`).Gap,
		s.File(`C:\ProgramData\kubernetes\kubelet-config.json`).Gap)
	s = load(t, aksZip(t, "config.toml", "", "10-azure.conflist", "-"))
	wantGap(t, evidence.Error, s.File(`C:\Program Files\containerd\config.toml`).Gap)
	wantGap(t, evidence.NotCollected, s.File(`C:\k\azurecni\netconf\10-azure.conflist`).Gap)
}

func TestEKSIsRecognisedByContent(t *testing.T) {
	under := func(dir string, names ...string) fstest.MapFS {
		m := fstest.MapFS{}
		for _, n := range names {
			m[dir+n] = &fstest.MapFile{Data: []byte("x")}
		}
		return m
	}
	tests := []struct {
		name string
		tree fstest.MapFS
		want string
	}{
		{"its zip", under("system/", "sysinfo", "services", "network/hns/network.txt",
			"network/hns/endpoint.txt"), "[{eks-log-collector system unknown}]"},
		{"unpacked under another name", under("i-1/logs/", "system-eventlogs.csv",
			"kubelet/kubeconfig", "containerd_log/panic.log", "network/ip.txt"),
			"[{eks-log-collector i-1/logs logs}]"},
		{"two nodes", under("", "a/system/sysinfo", "b/system/sysinfo"),
			"[{eks-log-collector a/system a} {eks-log-collector b/system b}]"},
		{"the folder of another tool of the same name, and a dump of HNS",
			under("", "r/system/services", "r/system/volumes", "r/system/systeminfo",
				"x/network.txt", "x/policy.txt"), "[{sdn-collectlogs x x}]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			nodes, err := Find(tt.tree)
			if got := fmt.Sprint(nodes); err != nil || got != tt.want {
				t.Errorf("found %s (%v), want %s", got, err, tt.want)
			}
		})
	}
}
