package foreign

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"doctor/checks/evidence"
)

// layoutKinds are the files of the layout that a conversion has to speak of.
var layoutKinds = []interface {
	Path() string
	Gap(evidence.Snapshot) evidence.Gap
}{evidence.OSInfo, evidence.Services, evidence.Processes, evidence.Features, evidence.Hotfixes,
	evidence.MemoryInfo, evidence.Disks,
	evidence.FirewallInfo, evidence.Certificates, evidence.SecurityInfo, evidence.TimeService,
	evidence.PendingReboot, evidence.Env,
	evidence.Adapters, evidence.Routes, evidence.DNSClient, evidence.Ports, evidence.HNSNetworks,
	evidence.HNSEndpoints,
	evidence.HNSLoadBalancers, evidence.HNSNamespaces, evidence.HNSVersion, evidence.CRI,
	evidence.FileIndex, evidence.WindowsEvents,
	evidence.ReachProbes, evidence.DNSProbes, evidence.Node, evidence.Nodes, evidence.Pods,
	evidence.PodEvents, evidence.KubeServices,
	evidence.EndpointSlices, evidence.ConfigMaps, evidence.DaemonSets}

// words is its arguments with a blank between any two.
func words(args ...any) string { return strings.TrimSuffix(fmt.Sprintln(args...), "\n") }

// routesText are routes without where in the file each is.
func routesText(list []evidence.Route) string {
	type route struct {
		destination, nextHop string
		ifIndex, metric      int
	}
	var rows []route
	for _, r := range list {
		rows = append(rows, route{r.Destination, r.NextHop, r.IfIndex, r.Metric})
	}
	return fmt.Sprint(rows)
}

// disksText are volumes without where in the file each is.
func disksText(list []evidence.Disk) string {
	type disk struct {
		drive, fileSystem string
		total, free       int64
	}
	var rows []disk
	for _, d := range list {
		rows = append(rows, disk{d.Drive, d.FileSystem, d.TotalBytes, d.FreeBytes})
	}
	return fmt.Sprint(rows)
}

func wantWholeLayout(t *testing.T, s evidence.Snapshot, tool string) {
	t.Helper()
	paths := s.Paths()
	for _, k := range layoutKinds {
		file, gap := slices.Contains(paths, k.Path()), slices.Contains(paths, k.Path()+".gap")
		if file == gap {
			t.Errorf("%s: file %v, gap %v", k.Path(), file, gap)
		}
		if g := k.Gap(s); g.Kind != "" && (g.Kind != evidence.NotCollected ||
			!strings.Contains(g.Reason(), "; ")) {
			t.Errorf("%s: %q does not say what to collect", k.Path(), g)
		}
	}
	if g := evidence.Features.Gap(s); !strings.Contains(g.String(), tool) {
		t.Errorf("features.json: %q does not name the tool", g)
	}
}

func TestRKE2Whole(t *testing.T) {
	for _, root := range []string{"", "rancher_rke2_WIN-RKE2-1_2026-11-20_10_02_00",
		"tickets/4711/rancher/log-collector"} {
		s := load(t, rke2Recording(t, root, rke2Healthy(t)))
		wantWholeLayout(t, s, "Rancher's log collector")
		meta := s.Meta()
		if meta.Node != "win-rke2-1" || !meta.CollectedAt.Equal(rke2At) ||
			meta.Source != "rke2-win-log-collect" {
			t.Errorf("in %q meta is %+v", root, meta)
		}
		byName := map[string]evidence.Service{}
		for _, svc := range evidence.Services.In(s) {
			byName[svc.Name] = svc
		}
		os, memory, cri := evidence.OSInfo.In(s), evidence.MemoryInfo.In(s), evidence.CRI.In(s)
		networks, endpoints, adapters := evidence.HNSNetworks.In(s), evidence.HNSEndpoints.In(s),
			evidence.Adapters.In(s)
		events, certificates := evidence.WindowsEvents.In(s), evidence.Certificates.In(s)
		for _, fact := range []struct{ what, got, want string }{
			{"os", words(os.ProductName, os.Build, os.UBR, os.BootedAt.UTC(), os.Machine.Model),
				"Windows Server 2022 Datacenter 20348 0 2026-11-17 09:12:11 +0000 UTC VMware20,1"},
			{"memory", words(memory.TotalBytes>>20, memory.AvailableBytes>>20,
				memory.CommitLimitBytes>>20, memory.CommitUsedBytes>>20, memory.PageFiles == nil),
				"16383 9812 18815 7773 true"},
			{"hotfixes", words(len(evidence.Hotfixes.In(s)), evidence.Hotfixes.In(s)[0].ID),
				"3 KB5044281"},
			{"disks", disksText(evidence.Disks.In(s)), "[{C:  136365211648 95434174464}]"},
			{"services", words(len(byName), byName["rke2"].State, byName["rke2"].StartType,
				byName["rke2"].BinPath, byName["rke2"].Args, byName["AJRouter"].State,
				byName["hns"].DependsOn),
				`18 running automatic C:\usr\local\bin\rke2.exe [agent service] stopped [RpcSs nsi]`},
			{"networks", words(len(networks), networks[0].Name, networks[0].ManagementIP,
				networks[0].Subnets[0].Prefix), "1 flannel.4096 10.70.8.47 10.42.3.0/24"},
			{"endpoints", words(len(endpoints), endpoints[0].OutBoundNAT()[0].Exceptions,
				*endpoints[0].State), "1 [10.42.0.0/16 10.43.0.0/16] 3"},
			{"load balancers", words(len(evidence.HNSLoadBalancers.In(s)),
				evidence.HNSVersion.In(s).Version), "1 13.3"},
			{"adapters", words(len(adapters), adapters[0].Name, adapters[0].IfIndex,
				adapters[0].Status, adapters[0].MTU, adapters[0].Addresses),
				"1 vEthernet (Ethernet) 12 up 1500 [10.70.8.47/24]"},
			{"routes", routesText(evidence.Routes.In(s)),
				"[{0.0.0.0/0 10.70.8.1 12 0} {10.70.8.0/24 0.0.0.0 12 256}]"},
			{"runtime", words(cri.Version, cri.Status.Conditions[1].Type,
				cri.Status.Conditions[1].Status, cri.ConfigValue("sandboxImage"), len(cri.Images),
				len(cri.Sandboxes)),
				"{containerd v1.7.20-k3s1} NetworkReady true registry.k8s.io/pause:3.9 1 1"},
			{"events", words(len(events), events[1].Provider, events[1].ID, events[1].Level,
				events[1].Time.UTC()),
				"2 Service Control Manager 7036 information 2026-11-20 09:02:00 +0000 UTC"},
			{"certificates", words(len(certificates), certificates[0].Path, certificates[0].Subject,
				certificates[0].NotAfter.UTC()),
				`4 C:\var\lib\rancher\rke2\agent\client-kubelet.crt O=system:nodes,CN=system:node:win-rke2-1 2027-07-20 10:02:00 +0000 UTC`},
			{"logs", words(s.LogFiles("")),
				"[logs/containerd/containerd.log logs/kube-proxy/kube-proxy.log logs/kubelet/kubelet.log logs/pods/web-c0ffee001122.log]"},
			{"files", words(len(evidence.FileIndex.In(s)),
				s.File(`C:\etc\rancher\rke2\config.yaml`).Gap,
				s.FilesIn(`C:\var\lib\rancher\rke2\agent\etc\cni`)), "5  [07-flannel.conflist]"},
			{"environment", words(evidence.Env.In(s)),
				`map[ALLUSERSPROFILE:C:\ProgramData ProgramFiles(x86):C:\Program Files (x86)]`},
		} {
			if fact.got != fact.want {
				t.Errorf("%s\n got %s\nwant %s", fact.what, fact.got, fact.want)
			}
		}
		for _, p := range evidence.Processes.In(s) {
			if p.Name == "kube-proxy" &&
				(len(p.Args) != 10 || p.Args[9] != "--source-vip=10.42.3.2") {
				t.Errorf("kube-proxy is %+v", p)
			}
		}
	}
}

func TestRKE1(t *testing.T) {
	h := rke2Healthy(t)
	files := map[string]string{"services": h["system/services"], "volumes": h["system/volumes"],
		"system/systeminfo": systeminfoChinese, "system/ps": h["system/ps"],
		"docker/docker-info.txt":                                         "Server Version: 19.03.14\n",
		"config/cni/10-flannel.conflist":                                 rke2CNI,
		"config/flannel/net-conf.json":                                   `{"Network":"10.42.0.0/16","Backend":{"Type":"vxlan"}}`,
		"config/cni/networks/flannel.4096/10.42.3.7":                     "b5a1",
		"eventlogs/system.json":                                          h["eventlogs/system.json"],
		"network/hns/network.txt":                                        rke2Network,
		"containerlogs/kube-flannel-x_kube-system_kube-flannel-0a1b.log": "{\"log\":\"x\"}\n",
		"nginx/nginx.conf":                                               "x"}
	s := load(t, rke2Recording(t, "rancher_win-zh-1_20261120T100200Z", files))
	got := words(s.Meta().Node, evidence.OSInfo.In(s).Build, len(evidence.Services.In(s)),
		evidence.Disks.In(s)[0].Drive, s.FilesIn(`C:\etc\cni\net.d`),
		s.FilesIn(`C:\var\lib\cni\networks\flannel.4096`), s.LogFiles("flanneld"),
		evidence.Certificates.Gap(s).Kind, evidence.CRI.Gap(s).Kind)
	if want := "WIN-ZH-1 17763 18 C: [10-flannel.conflist] [10.42.3.7] [logs/flanneld/kube-flannel-x_kube-system_kube-flannel-0a1b.log] not-collected not-collected"; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestRecognitionOfRancher(t *testing.T) {
	tests := []struct {
		name, dir string
		folders   []string
		want      bool
	}{
		{"the whole", ".", []string{"system", "network", "eventlogs", "k8s", "containerd", "config",
			"certs", "firewall", "services"}, true},
		{"what a customer dared to send", "a/rancher_rke2_win-1_2026-11-20_10_02_03",
			[]string{"k8s", "system"}, true},
		{"the same without a name", "a/b", []string{"k8s", "system"}, false},
		{"Amazon's folder of similar names", "eks_i-1_2026/system",
			[]string{"eks", "containerd", "network", "firewall", "docker", "events", "cni"}, false},
		{"a collection from Linux", ".", []string{"systeminfo", "networking", "rke2", "k3s",
			"journald", "podlogs"}, false},
	}
	for _, tt := range tests {
		if got := isRancher(listing{dir: tt.dir, folders: tt.folders}); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestTimeOfARancherRecording(t *testing.T) {
	const root = "rancher_rke2_WIN-RKE2-1_2026-11-20_10_02_00"
	stamped := func(root string, at time.Time) fstest.MapFS {
		m := rke2Recording(t, root, rke2Healthy(t))
		for _, f := range m {
			f.ModTime = at
		}
		return m
	}
	lastEvent := rke2At.Add(-time.Hour)
	for _, tt := range []struct {
		name string
		fsys fstest.MapFS
		want time.Time
	}{
		{"the files' own", stamped(root, rke2At), rke2At},
		{"an archive without times", stamped("x", time.Time{}), lastEvent},
		{"somebody unpacked it months later", stamped(root, rke2At.AddDate(0, 3, 0)), lastEvent},
	} {
		if got := load(t, tt.fsys).Now(); !got.Equal(tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestBootOfARancherRecording(t *testing.T) {
	h := rke2Healthy(t)
	boot := serviceEvent(rke2At.Add(-3*time.Hour), "The operating system started")
	boot["Id"], boot["ProviderName"] = 12, "Microsoft-Windows-Kernel-General"
	s := load(t, rke2Recording(t, "", with(h, "eventlogs/system.json", eventsJSON(t, boot))))
	if got := evidence.OSInfo.In(s).BootedAt; !got.Equal(rke2At.Add(-3 * time.Hour)) {
		t.Errorf("by its event: %v", got)
	}
	m := rke2Recording(t, "", h)
	for _, f := range m {
		f.ModTime = rke2At.AddDate(0, 1, 0)
	}
	if got := evidence.OSInfo.In(load(t, m)).BootedAt; got.Format(time.RFC3339) !=
		"2026-11-17T09:12:11Z" {
		t.Errorf("by systeminfo, where files have the times of somebody's unpacking: %v", got)
	}
	m = rke2Recording(t, "", with(h, "system/systeminfo", strings.Replace(systeminfoEnglish,
		"11/17/2026", "11/7/2026", 1)))
	for _, f := range m {
		f.ModTime = rke2At.AddDate(0, 1, 0)
	}
	if got := evidence.OSInfo.In(load(t, m)).BootedAt; !got.IsZero() {
		t.Errorf("by the times of somebody's unpacking: %v", got)
	}
}

func TestSysteminfo(t *testing.T) {
	german := strings.NewReplacer("16,383 MB", "16.383 MB", "Host Name:      ", "Hostname:       ",
		"OS Version:", "Betriebssystemversion:", "11/17/2026, 9:12:11 AM", "17.11.2026, 09:12:11",
		"(UTC) ", "(UTC+01:00) ").Replace(systeminfoEnglish)
	for _, tt := range []struct{ name, content, want string }{
		{"English", systeminfoEnglish,
			"WIN-RKE2-1|Windows Server 2022 Datacenter|10.0.20348||VMware20,1|2026-11-17 09:12:11|[KB5044281 KB5012170 KB5043167]|16383|9812|18815|7773"},
		{"Chinese", systeminfoChinese,
			"WIN-ZH-1|Windows Server 2019 Datacenter|10.0.17763||Virtual Machine|2026-11-17 09:12:11|[KB5044277 KB5012170]|8191|4000|9471|4471"},
		{"German", german,
			"WIN-RKE2-1|Windows Server 2022 Datacenter|10.0.20348||VMware20,1|2026-11-17 08:12:11|[KB5044281 KB5012170 KB5043167]|16383|9812|18815|7773"},
		{"a date that could be either, and one of the installation that could not",
			strings.NewReplacer("11/17/2026, 9", "11/7/2026, 9", "Original Install Date:     ",
				"Original Install Date:     12/31/2025, 1:00:00 AM ").Replace(systeminfoEnglish),
			"WIN-RKE2-1|Windows Server 2022 Datacenter|10.0.20348||VMware20,1|2026-11-07 09:12:11|[KB5044281 KB5012170 KB5043167]|16383|9812|18815|7773"},
		{"a date that could be either", strings.Replace(systeminfoEnglish, "11/17/2026, 9",
			"11/7/2026, 9", 1),
			"WIN-RKE2-1|Windows Server 2022 Datacenter|10.0.20348||VMware20,1|0001-01-01 00:00:00|[KB5044281 KB5012170 KB5043167]|16383|9812|18815|7773"},
		{"cut behind the version",
			systeminfoEnglish[:strings.Index(systeminfoEnglish, "OS Manufacturer")],
			"WIN-RKE2-1|Windows Server 2022 Datacenter|10.0.20348|||0001-01-01 00:00:00|[]|0|0|0|0"},
	} {
		si, ok := readSysteminfo(textFile{content: plainLines(strings.ReplaceAll(tt.content, "\n",
			"\r\n"))})
		got := fmt.Sprintf("%s|%s|%s|%s|%s|%s|%v|%d|%d|%d|%d", si.host, si.os.ProductName,
			"10.0."+fmt.Sprint(si.os.Build), si.os.InstallationType, si.os.Machine.Model,
			si.booted.UTC().Format(time.DateTime), si.hotfixes, si.memory.TotalBytes>>20,
			si.memory.AvailableBytes>>20, si.memory.CommitLimitBytes>>20, si.memory.CommitUsedBytes>>20)
		if !ok || got != tt.want {
			t.Errorf("%s (%v)\n got %s\nwant %s", tt.name, ok, got, tt.want)
		}
	}
	if _, ok := readSysteminfo(textFile{content: "ERROR: Access denied\n"}); ok {
		t.Error("an error is taken for the system's information")
	}
	none := strings.NewReplacer("18,815 MB", "16,383 MB", `C:\pagefile.sys`,
		"N/A").Replace(systeminfoEnglish)
	si, _ := readSysteminfo(textFile{content: none})
	if si.memoryAndPageFiles().PageFiles == nil {
		t.Error("a node without a page file is not told")
	}
}

func TestServiceLists(t *testing.T) {
	wrapped := "\n\nName                : TrustedInstaller\nDisplayName         : Windows Modules\n                      Installer\nStatus              : StopPending\nServicesDependedOn  : {a, b, c, d...}\nStartType           : Manual\n\nName : cut\nDisplayName : cut\n"
	want := []evidence.Service{{Name: "TrustedInstaller", DisplayName: "Windows Modules Installer",
		State: "stop-pending", StartType: "manual"}}
	if diff := cmp.Diff(want, printedServices(printed(wrapped))); diff != "" {
		t.Errorf("services (-want +got):\n%s", diff)
	}
	for _, tt := range []struct{ name, content, kind string }{
		{"one that breaks off", serviceList("hns", "rke2") + "Name                : kubelet\nDispl",
			evidence.Error},
		{"an error", "Get-Service : Cannot open Service Control Manager\n", evidence.Error},
		{"no rights", "Get-Service : 拒绝访问。\n", evidence.Denied},
	} {
		s := load(t, rke2Recording(t, "", with(rke2Healthy(t), "system/services", tt.content)))
		if gap := evidence.Services.Gap(s); gap.Kind != tt.kind {
			t.Errorf("%s: gap %q", tt.name, gap)
		}
	}
}

func TestEventsOfConvertToJSON(t *testing.T) {
	const one = `{"Id":7031,"Level":2,"ProviderName":"Service Control Manager","LogName":"System","LevelDisplayName":"错误","Message":"x","TimeCreated":%s}`
	for _, tt := range []struct{ name, json, want string }{
		{"one object", fmt.Sprintf(one, `"\/Date(1763632920000)\/"`),
			"7031 error 2025-11-20 10:02:00"},
		{"an array", "[" + fmt.Sprintf(one, `"\/Date(1763632920000)\/"`) + "]",
			"7031 error 2025-11-20 10:02:00"},
		{"a time with its other forms",
			"[" + fmt.Sprintf(one,
				`{"value":"\/Date(1763632920000+0800)\/","DateTime":"2025年11月20日"}`) + "]",
			"7031 error 2025-11-20 10:02:00"},
		{"a time of PowerShell 7", "[" + fmt.Sprintf(one, `"2025-11-20T18:02:00.5+08:00"`) + "]",
			"7031 error 2025-11-20 10:02:00"},
		{"no time", "[" + fmt.Sprintf(one, `null`) + "]", "7031 error 0001-01-01 00:00:00"},
		{"cut in the second", "[" + fmt.Sprintf(one, `"\/Date(1763632920000)\/"`) + `,{"Id":`,
			"7031 error 2025-11-20 10:02:00 broken"},
		{"nothing", "", ""},
		{"an error", "Get-WinEvent : No events were found\n", " broken"},
	} {
		var got []string
		err := decodeEvents(strings.NewReader(tt.json), func(e evidence.WindowsEvent) {
			got = append(got, fmt.Sprint(e.ID, " ", e.Level, " ", e.Time.Format(time.DateTime)))
		})
		line := strings.Join(got, ",")
		if err != nil {
			line += " broken"
		}
		if line != tt.want {
			t.Errorf("%s: %s (%v), want %s", tt.name, line, err, tt.want)
		}
	}
}

func TestEventLogsThatAreNotThere(t *testing.T) {
	h := rke2Healthy(t)
	for _, tt := range []struct{ name, file, content, gap, unsearched string }{
		{"whole", "x", "x", "", ""},
		{"no system log", "eventlogs/system.json", "-", evidence.NotCollected, ""},
		{"an empty system log", "eventlogs/system.json", "", evidence.NotCollected, ""},
		{"an application log that breaks off", "eventlogs/application.json", `[{"Id":`, "",
			"events.json"},
	} {
		s := load(t, rke2Recording(t, "", with(h, tt.file, tt.content)))
		unsearched := ""
		for _, l := range evidence.LogRecords.In(s).Logs {
			unsearched += l.Path
		}
		if gap := evidence.WindowsEvents.Gap(s); gap.Kind != tt.gap || unsearched != tt.unsearched {
			t.Errorf("%s: gap %q, unsearched %q", tt.name, gap, unsearched)
		}
	}
}

func TestEnvironment(t *testing.T) {
	head := "\nName                           Value\n----                           -----\n"
	for _, tt := range []struct{ name, all, proxies, want string }{
		{"a proxy with a password", head + "Path                           C:\\Win...\n",
			"HTTPS_PROXY                    http://u:p@proxy:3128\n",
			"map[HTTPS_PROXY:http://proxy:3128]"},
		{"none", head + "OS                             Windows_NT\n", "", "map[OS:Windows_NT]"},
		{"exceptions that were cut", head, "NO_PROXY                       10.0.0.0/8,localh...\n",
			"error"},
	} {
		env, gap := readEnvironment(textFile{name: "a", content: tt.all},
			textFile{name: "b", content: tt.proxies})
		got := fmt.Sprint(env)
		if gap.Kind != "" {
			got = gap.Kind
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestDrives(t *testing.T) {
	french := "C                  38,12         88,88 FileSystem    C:\\\nE               1 024,00        512,50 FileSystem    E:\\\nD                                      FileSystem    D:\\\n"
	got, gap := readDrives(textFile{name: "volumes", content: french})
	if want := `[{"drive":"C:","totalBytes":136365211648,"freeBytes":95434173317},{"drive":"E:","totalBytes":1649804312576,"freeBytes":550292684800}]`; gap.Kind != "" || asJSON(t, got) != want {
		t.Errorf("got %v %s, want %s", got, gap, want)
	}
}

func TestCertificatesAcquitOnlyWithTheKubelets(t *testing.T) {
	h := rke2Healthy(t)
	for name, content := range map[string]string{"missing": "-",
		"no certificate": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"} {
		s := load(t, rke2Recording(t, "", with(h, "certs/rke2/client-kubelet.crt", content)))
		if gap := evidence.Certificates.Gap(s); gap.Kind != evidence.NotCollected {
			t.Errorf("%s: gap %q", name, gap)
		}
		if node := s.Meta().Node; node != "WIN-RKE2-1" {
			t.Errorf("%s: the node is %q", name, node)
		}
	}
}

func TestSeveralRecordingsOfRancher(t *testing.T) {
	m := rke2Recording(t, "a", rke2Healthy(t))
	for name, f := range rke2Recording(t, "b", rke2Healthy(t)) {
		m[name] = f
	}
	nodes, err := Find(m)
	if err != nil || len(nodes) != 2 || nodes[0].Format != "rke2-win-log-collect" ||
		nodes[0].Name != "win-rke2-1" {
		t.Errorf("found %v %v", nodes, err)
	}
	if _, err := Find(
		fstest.MapFS{"x/network/hns/network.txt": {Data: []byte(rke2Network)}}); !errors.Is(err,
		errNoNode) {
		t.Errorf("a dump of HNS alone: %v", err)
	}
}
