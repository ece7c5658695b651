package timeline

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/fixtures"
)

func recorded(t testing.TB, name string) (evidence.Snapshot, checks.Report) {
	t.Helper()
	node, err := fixtures.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := evidence.Load(node.FS())
	if err != nil {
		t.Fatal(err)
	}
	return diagnosed(s)
}

func diagnosed(s evidence.Snapshot) (evidence.Snapshot, checks.Report) {
	s, _ = signs.Record(s, faults.Catalogue().Signs())
	return s, checks.Diagnose(s, faults.Catalogue(), checks.Source{}, checks.Program{})
}

func TestEveryRecordingHasAnOrderedTimeline(t *testing.T) {
	for i, name := range fixtures.Names() {
		if i%7 != 0 && testing.Short() {
			continue
		}
		s, r := recorded(t, name)
		tl := In(nil, s, &r)
		for i := 1; i < len(tl.Entries); i++ {
			if tl.Entries[i].At.Before(tl.Entries[i-1].At) {
				t.Errorf("%s: entry %d is older than the one before it", name, i)
			}
		}
		for _, e := range tl.Entries {
			if e.Text == "" || e.Path == "" || e.Component == "" ||
				strings.ContainsAny(e.Text, "\n\r") {
				t.Errorf("%s: an entry lacks something: %+v", name, e)
			}
		}
		if healthy := len(r.Causes) == 0; healthy && tl.FirstBad >= 0 {
			t.Errorf("%s: nothing is wrong, and it began %v", name, tl.Entries[tl.FirstBad])
		}
		if testing.Verbose() {
			began := "not told"
			if tl.FirstBad >= 0 {
				e := tl.Entries[tl.FirstBad]
				began = fmt.Sprintf("%s %s %s %s %.90s", e.At.Format("02 15:04:05"), e.Kind,
					e.Component, tl.Cause, e.Text)
			}
			fmt.Printf("%-45s %3d of now %s: %s\n", name, len(tl.Entries),
				s.Now().Format("02 15:04"), began)
		}
	}
}

func TestTheFirstBadMinute(t *testing.T) {
	for _, row := range []struct{ node, at, cause, holds string }{
		{"podcidr-not-assigned", "2026-11-20 03:05", "podcidr-not-assigned",
			"Waiting for the Network"},
		{"flanneld-not-running", "2026-11-20 09:30", "flanneld-not-running",
			"from auto start to disabled"},
		{"kube-proxy-not-running", "2026-11-19 10:37", "kube-proxy-not-running",
			"entered the stopped state"},
		{"cni-binary-missing", "2026-11-19 13:52", "cni-binary-missing", "FailedCreatePodSandBox"},
		{"node-not-ready", "2026-11-18 16:24", "node-not-ready", "NodeNotReady"},
		{"hns-service-crashed-or-restarted", "2026-11-19 11:42", "hns-service-crashed-or-restarted",
			"Faulting application"},
		{"cni-config-invalid-from-logs", "2026-11-18 08:57", "cni-config-invalid",
			"failed to reload cni configuration"},
	} {
		s, r := recorded(t, row.node)
		tl := In(nil, s, &r)
		if tl.FirstBad < 0 {
			t.Errorf("%s: not told", row.node)
			continue
		}
		e := tl.Entries[tl.FirstBad]
		if got := e.At.Format("2006-01-02 15:04"); got != row.at || tl.Cause != row.cause ||
			!strings.Contains(e.Text, row.holds) {
			t.Errorf("%s began %s by %s with %q, want %s by %s with %q", row.node, got, tl.Cause,
				e.Text, row.at, row.cause, row.holds)
		}
	}
}

// tree is a node of a few files, at ten o'clock.
func tree(files map[string]string) fstest.MapFS {
	fs := fstest.MapFS{
		"meta.json": {
			Data: []byte(
				`{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z"}`)}}
	for name, content := range files {
		fs[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return fs
}

func of(t testing.TB, files map[string]string) *Timeline {
	t.Helper()
	s, err := evidence.Load(tree(files))
	if err != nil {
		t.Fatal(err)
	}
	s, r := diagnosed(s)
	return In(nil, s, &r)
}

const stoppedKubelet = `[{"name":"kubelet","state":"stopped","startType":"automatic","binPath":"C:\\k\\kubelet.exe","args":["--config=C:/c.yaml"]}]`

func scm(at, message string) string {
	return fmt.Sprintf(
		`{"log":"System","provider":"Service Control Manager","id":7036,"level":"information","time":"2026-11-20T%sZ","message":"The kubelet service entered the %s state."}`, at, message)
}

func TestARestartLongBeforeIsNotWhereItBegan(t *testing.T) {
	tl := of(t, map[string]string{"services.json": stoppedKubelet,
		"events.json": "[" + strings.Join([]string{scm("07:00:00", "stopped"),
			scm("07:00:05", "running"),
			scm("09:30:00", "stopped"), scm("09:30:10", "running"), scm("09:30:20", "stopped")},
			",") + "]"})
	if tl.FirstBad < 0 || tl.Entries[tl.FirstBad].At.Format("15:04:05") != "09:30:00" {
		t.Errorf("began %d of %+v", tl.FirstBad, tl.Entries)
	}
}

func TestWhatServicesSaidBeforeTheBootIsPast(t *testing.T) {
	tl := of(t, map[string]string{"services.json": stoppedKubelet,
		"os.json": `{"build":17763,"bootedAt":"2026-11-20T08:00:00Z"}`,
		"events.json": "[" + strings.Join([]string{scm("07:59:00", "stopped"),
			scm("08:01:05", "stopped")}, ",") + "]"})
	if tl.FirstBad < 0 || tl.Entries[tl.FirstBad].At.Format("15:04:05") != "08:01:05" {
		t.Errorf("began %d of %+v", tl.FirstBad, tl.Entries)
	}
}

func TestEveryEventOfWindowsHasItsKind(t *testing.T) {
	for _, row := range []struct {
		provider string
		id       int
		level    string
		kind     Kind
		status   checks.Status
	}{
		{"EventLog", 6005, "information", Boot, ""}, {"EventLog", 6006, "information", Boot, ""},
		{"EventLog", 6008, "error", Boot, checks.StatusFail},
		{"User32", 1074, "information", Boot, ""}, {"Microsoft-Windows-Kernel-Power", 41,
			"critical", Boot, checks.StatusFail},
		{"Service Control Manager", 7031, "error", Service, checks.StatusFail},
		{"Service Control Manager", 7034, "error", Service, checks.StatusFail},
		{"Service Control Manager", 7045, "information", Service, ""},
		{"Microsoft-Windows-WindowsUpdateClient", 19, "information", Update, ""},
		{"Microsoft-Windows-WindowsUpdateClient", 20, "error", Update, checks.StatusFail},
		{"Microsoft-Windows-WindowsUpdateClient", 43, "information", Update, ""},
		{"nssm", 1014, "error", Event, checks.StatusFail},
	} {
		kind, status := classified(evidence.WindowsEvent{Provider: row.provider, ID: row.id,
			Level: row.level})
		if kind != row.kind || status != row.status {
			t.Errorf("%s %d is %s %q, want %s %q", row.provider, row.id, kind, status, row.kind,
				row.status)
		}
	}
}

func TestUpdatesCertificatesFilesAndRepeatedEventsAreThere(t *testing.T) {
	again := scm("09:00:00", "running")
	tl := of(t, map[string]string{
		"hotfixes.json":     `[{"id":"KB5044281","installedAt":"2026-11-18T00:00:00Z"}]`,
		"certificates.json": `[{"path":"C:\\pki\\kubelet.pem","subject":"CN=a","notAfter":"2026-11-25T00:00:00Z"},{"path":"C:\\pki\\far.pem","notAfter":"2036-11-25T00:00:00Z"}]`,
		"files.json":        `[{"path":"C:\\k\\cni.conf","outcome":"copied","modifiedAt":"2026-11-19T00:00:01Z"}]`,
		"events.json":       "[" + again + "," + again + "," + again + "]"})
	var got []string
	for _, e := range tl.Entries {
		got = append(got, fmt.Sprintf("%s %s +%d", e.Kind, e.Component, e.More))
	}
	want := []string{"update updates +0", "file files +0", "service kubelet +2",
		"recorded windows +0", "certificate kubelet +0"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSelectByComponentAndText(t *testing.T) {
	s, r := recorded(t, "podcidr-not-assigned")
	tl := In(nil, s, &r)
	all, flannel := tl.Select("", ""), tl.Select("flanneld", "")
	if len(all) != len(tl.Entries) || len(flannel) == 0 || len(flannel) >= len(all) {
		t.Errorf("%d of %d entries are flanneld's", len(flannel), len(all))
	}
	with, without := tl.Select("", "Waiting"), tl.Select("", "!waiting")
	if len(with) == 0 || len(with)+len(without) != len(all) {
		t.Errorf("%d hold the text and %d do not, of %d", len(with), len(without), len(all))
	}
}

func TestATimelineIsBoundedAndKeepsWhatFaultsRestOn(t *testing.T) {
	var list []Entry
	for i := range 50 {
		list = append(list, Entry{At: time.Unix(int64(i), 0), Text: fmt.Sprint(i), linked: i == 3})
	}
	kept, left := bounded(list, 10)
	if len(kept) != 10 || left != 40 || kept[0].Text != "3" || kept[9].Text != "49" {
		t.Errorf("kept %d, left out %d: %v", len(kept), left, kept)
	}
}

func FuzzUnstamped(f *testing.F) {
	f.Add("E1120 03:05:14.020118    3388 main.go:292] Error registering network")
	f.Add(`time="2026-11-18T11:31:07.402118800Z" level=error msg="RunPodSandbox failed"`)
	f.Add("2026-11-20T03:06:13Z Fail to create the network")
	f.Fuzz(func(t *testing.T, line string) {
		if got := Unstamped(line); !strings.HasSuffix(strings.TrimSpace(line), got) || got == "" &&
			strings.TrimSpace(line) != "" {
			t.Errorf("%q became %q", line, got)
		}
	})
}

// BenchmarkOf makes the timeline of a node with 100,000 events.
func BenchmarkOf(b *testing.B) {
	var events strings.Builder
	for i := range 100_000 {
		at := time.Date(2026, 11, 20, 0, 0, 0, 0,
			time.UTC).Add(time.Duration(i) * 300 * time.Millisecond)
		fmt.Fprintf(&events,
			`%s{"log":"System","provider":"nssm","id":%d,"level":"error","time":%q,"message":"event number %d of this node, which says something of the kubelet's service"}`,
			map[bool]string{true: "[", false: ","}[i == 0], i%50, at.Format(time.RFC3339), i)
	}
	s, err := evidence.Load(tree(map[string]string{"events.json": events.String() + "]"}))
	if err != nil {
		b.Fatal(err)
	}
	s, r := diagnosed(s)
	tl := In(nil, s, &r)
	b.Run("make", func(b *testing.B) {
		for b.Loop() {
			tl = In(nil, s, &r)
		}
		b.ReportMetric(float64(len(tl.Entries)), "entries")
	})
	b.Run("filter", func(b *testing.B) {
		for b.Loop() {
			tl.Select("", "no such text")
		}
	})
}
