package foreign

import (
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"doctor/checks/evidence"
)

func TestFolderOfThePresentScript(t *testing.T) {
	m := recording(t, "acme/logs/win-1", overlay2022())
	m["acme/logs/win-1/winevt/System.evtx"] = &fstest.MapFile{Data: []byte("ElfFile\x00"),
		ModTime: collected}
	m["acme/readme.txt"] = &fstest.MapFile{Data: []byte("see ticket")}
	s := load(t, m)

	meta := s.Meta()
	if meta.Node != "win-1" || !meta.CollectedAt.Equal(collected) || meta.Source != "collectlogs" {
		t.Errorf("meta is %+v", meta)
	}
	if elevated, known := s.Elevated(); !elevated || !known {
		t.Errorf("HNS gave objects, but elevated is %v (known %v)", elevated, known)
	}
	wantGap(t, "", evidence.HNSNetworks.Gap(s), evidence.HNSEndpoints.Gap(s),
		evidence.HNSLoadBalancers.Gap(s), evidence.HNSNamespaces.Gap(s), evidence.HNSVersion.Gap(s))
	for what, n := range map[string]int{"networks": len(evidence.HNSNetworks.In(s)),
		"load balancers": len(evidence.HNSLoadBalancers.In(s)),
		"namespaces":     len(evidence.HNSNamespaces.In(s))} {
		if n != 1 {
			t.Errorf("%d %s, want 1", n, what)
		}
	}
	if v := evidence.HNSVersion.In(s).Version; v.Major != 15 || v.Minor != 0 {
		t.Errorf("version of HNS is %v", v)
	}
	if got := evidence.HNSEndpoints.In(s); len(got) != 2 {
		t.Errorf("%d endpoints", len(got))
	}
	for _, e := range evidence.HNSEndpoints.In(s) {
		if remote := e.Name == "Ethernet"; e.Remote != remote || e.State == nil ||
			(*e.State == 1) != remote {
			t.Errorf("state and remote mark of the table are not in %+v", e)
		}
	}
	if os := evidence.OSInfo.In(s); os.Build != 20348 || os.UBR != 0 {
		t.Errorf("os is %+v", os)
	}
	if fixes := evidence.Hotfixes.In(s); len(fixes) != 2 || fixes[1].ID != "KB5041160" ||
		fixes[1].InstalledAt.Format("2006-01-02") != "2024-08-09" {
		t.Errorf("hotfixes are %+v", fixes)
	}
	wantGap(t, evidence.Unsupported, gapOf(s, "events.json"))
	wantGap(t, evidence.NotCollected, evidence.FirewallInfo.Gap(s), evidence.CRI.Gap(s),
		evidence.Processes.Gap(s), evidence.FileIndex.Gap(s), evidence.Node.Gap(s))
	if text := original(t, s, "original/winevt/System.evtx"); text != "ElfFile\x00" {
		t.Errorf("the event log reads %q", text)
	}
}

func TestAdaptersRoutesAndPorts(t *testing.T) {
	s := load(t, recording(t, "", overlay2022()))
	adapters := evidence.Adapters.In(s)
	if len(adapters) != 2 {
		t.Fatalf("adapters: %+v, gap %s", adapters, evidence.Adapters.Gap(s))
	}
	a := adapters[0]
	got := fmt.Sprint(a.Name, "|", a.Description, "|", a.IfIndex, "|", a.Status, "|", a.MAC, "|",
		a.MTU, "|", *a.DHCP, "|", a.Addresses, "|", a.Gateways, "|", a.DNSServers, "|",
		*a.DNSSuffix, "|", a.Compartment)
	want := "vEthernet (Ethernet)|Hyper-V Virtual Ethernet Adapter|12|up|00-22-48-AA-BB-CC|1450|true|[10.1.36.50/24 fe80::1c2d:3e4f:5a6b:7c8d/64]|[fe80::1 10.1.36.1]|[10.1.0.4 10.1.0.5]|abc.internal.example|1"
	if got != want {
		t.Errorf("adapter\n got %s\nwant %s", got, want)
	}
	if pod := adapters[1]; pod.Compartment != 3 || pod.Name != "vEthernet (b5a1c0de_cbr0)" ||
		!slices.Equal(pod.Addresses, []string{"10.244.3.7/24"}) {
		t.Errorf("pod's adapter is %+v", pod)
	}
	if dns := evidence.DNSClient.In(s); dns.PrimarySuffix != "corp.example.com" ||
		!slices.Equal(dns.SuffixSearchList, []string{"corp.example.com", "example.com"}) {
		t.Errorf("dns client is %+v", dns)
	}
	if got := routesText(
		evidence.Routes.In(
			s)); got != "[{0.0.0.0/0 10.1.36.1 12 0} {10.1.36.0/24 0.0.0.0 12 256} {fe80::/64 :: 12 256}]" {
		t.Errorf("routes are %s", got)
	}
	ports := evidence.Ports.In(s)
	if got := fmt.Sprint(ports.Dynamic,
		ports.Excluded); got != "map[tcp:{49152 16384} udp:{49152 16384}] [{tcp 49670 49733} {tcp 50000 50059}]" {
		t.Errorf("ports are %s", got)
	}
}

func TestFolderOfTheFirstScript(t *testing.T) {
	s := load(t, recording(t, "debug", l2bridge2018()))
	if got := s.Meta().Node; got != "win-old" {
		t.Errorf("node is %q", got)
	}
	networks := evidence.HNSNetworks.In(s)
	if len(networks) != 2 || networks[1].Name != "cbr0" {
		t.Errorf("networks are %+v (%s)", networks, evidence.HNSNetworks.Gap(s))
	}
	if v := evidence.HNSVersion.In(s).Version; v.Major != 9 || v.Minor != 1 {
		t.Errorf("version of HNS is %v", v)
	}
	if len(evidence.HNSEndpoints.In(s)) != 1 {
		t.Errorf("endpoints: %s", evidence.HNSEndpoints.Gap(s))
	}
	// empty, and nothing confirms that there is none
	wantGap(t, evidence.Error, evidence.HNSLoadBalancers.Gap(s))
	wantGap(t, evidence.NotCollected, evidence.HNSNamespaces.Gap(s), evidence.Services.Gap(s),
		evidence.OSInfo.Gap(s), evidence.Ports.Gap(s))
	if got := routesText(
		evidence.Routes.In(s)); got != "[{0.0.0.0/0 10.0.0.1 0 25} {10.0.0.0/20 0.0.0.0 0 281}]" {
		t.Errorf("routes are %s", got)
	}
	if a := evidence.Adapters.In(s); len(a) != 1 || a[0].Addresses[0] != "10.0.0.4/20" ||
		a[0].Compartment != 0 {
		t.Errorf("adapters are %+v", a)
	}
}

func TestEveryFileOfTheLayoutIsThereOrSaysWhyNot(t *testing.T) {
	s := load(t, recording(t, "", overlay2022()))
	for _, k := range []interface{ Path() string }{evidence.OSInfo, evidence.Services,
		evidence.Processes, evidence.Features, evidence.Hotfixes,
		evidence.MemoryInfo, evidence.Disks, evidence.FirewallInfo, evidence.Certificates,
		evidence.SecurityInfo, evidence.TimeService,
		evidence.PendingReboot, evidence.Env, evidence.Adapters, evidence.Routes,
		evidence.DNSClient, evidence.Ports, evidence.HNSNetworks,
		evidence.HNSEndpoints, evidence.HNSLoadBalancers, evidence.HNSNamespaces,
		evidence.HNSVersion, evidence.CRI, evidence.FileIndex,
		evidence.ReachProbes, evidence.DNSProbes, evidence.Node, evidence.Pods} {
		paths := s.Paths()
		file, gap := slices.Contains(paths, k.Path()), slices.Contains(paths, k.Path()+".gap")
		if file == gap {
			t.Errorf("%s: file %v, gap %v", k.Path(), file, gap)
		}
	}
}

func TestTreeIsAFileSystem(t *testing.T) {
	m := recording(t, "a/b", overlay2022())
	m["a/b/winevt/System.evtx"] = &fstest.MapFile{Data: []byte("x"), ModTime: collected}
	tree, err := Node{Format: "sdn-collectlogs", Root: "a/b"}.Evidence(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(tree, "meta.json", "hns-networks.json", "original/network.txt",
		"original/winevt/System.evtx"); err != nil {
		t.Error(err)
	}
}

func TestTimeOfTheRecording(t *testing.T) {
	files := recording(t, "WIN-1-20240820-091500_logs", l2bridge2018())
	for _, f := range files {
		f.ModTime = f.ModTime.AddDate(-44, 0, 0) // 1980: what an archive without times gives
	}
	if got := load(t, files).Now().Format("2006-01-02"); got != "2024-08-20" {
		t.Errorf("by the folder's name: %s", got)
	}
	bare := fstest.MapFS{}
	for name, f := range files {
		bare[strings.Replace(name, "WIN-1-20240820-091500_logs", "x", 1)] = f
	}
	if got := load(t, bare).Now().Format("2006-01-02"); got != "2018-11-21" {
		t.Errorf("by the health of a network: %s", got)
	}
	if got := load(t, recordingWithoutTimes(t)).Now(); !got.IsZero() {
		t.Errorf("by nothing: %s", got)
	}
}

func recordingWithoutTimes(t *testing.T) fs.FS {
	m := recording(t, "", with(l2bridge2018(), "network.txt", ""))
	for _, f := range m {
		f.ModTime = f.ModTime.AddDate(-44, 0, 0)
	}
	return m
}

func wantGap(t *testing.T, kind string, gaps ...evidence.Gap) {
	t.Helper()
	for _, g := range gaps {
		if g.Kind != kind {
			t.Errorf("gap %q, want kind %q", g, kind)
		}
	}
}

// gapOf reads a gap for which no Kind is at hand.
func gapOf(s evidence.Snapshot, name string) evidence.Gap { return s.GapAt(name) }

func original(t *testing.T, s evidence.Snapshot, name string) string {
	t.Helper()
	f, err := s.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
