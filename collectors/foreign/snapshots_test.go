package foreign

import (
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"doctor/checks/evidence"
)

// twice is one node recorded by collectlogs.ps1 before and after: sig-windows asks for both.
func twice(t *testing.T, changes ...string) fstest.MapFS {
	t.Helper()
	m := recording(t, "before", overlay2022())
	for name, file := range recording(t, "after", with(overlay2022(), changes...)) {
		file.ModTime = collected.Add(time.Hour)
		m[name] = file
	}
	return m
}

func TestTheLastOfSeveralRecordingsIsJudged(t *testing.T) {
	m := twice(t, "network.txt", "[]\n", "networkdetailed.txt", "-", "hnsdiag.txt", "-",
		"policy.txt", "[]\n", "scqueryex.txt", strings.Replace(scAll(), "SERVICE_NAME: kubelet",
			"SERVICE_NAME: kubelet2", 1))
	nodes, err := Find(m)
	if err != nil || len(nodes) != 2 {
		t.Fatal(nodes, err)
	}
	for _, order := range [][]Node{nodes, {nodes[1], nodes[0]}} {
		latest, tree, ok := Latest(m, order)
		if !ok || latest.Root != "after" {
			t.Fatalf("the last is %+v (%v)", latest, ok)
		}
		s, err := evidence.Load(tree)
		if err != nil {
			t.Fatal(err)
		}
		if n := evidence.HNSNetworks.In(s); len(n) != 0 || !evidence.HNSNetworks.Known(s) {
			t.Errorf("the networks are those of another recording: %+v", n)
		}
		var said []string
		for _, e := range evidence.EarlierEvents.In(s) {
			said = append(said, e.Time.Format("15:04")+" "+e.Message)
		}
		for _, want := range []string{"10:02 recorded before, in before",
			"11:02 HNS network flannel.4096 is gone since the recording before"} {
			if !slices.Contains(said, want) {
				t.Errorf("%q is not among %q", want, said)
			}
		}
		if !slices.ContainsFunc(said, func(s string) bool {
			return strings.HasPrefix(s, "11:02 HNS has 0 load balancers, and had ")
		}) {
			t.Errorf("the load balancers are not among %q", said)
		}
	}
}

func TestWhatChangedBetweenRecordings(t *testing.T) {
	snapshot := func(at string, files map[string]string) evidence.Snapshot {
		m := fstest.MapFS{"meta.json": {Data: []byte(
			`{"layout":"evidence/v1","node":"win-1","collectedAt":"` + at + `"}`)}}
		for name, content := range files {
			m[name] = &fstest.MapFile{Data: []byte(content)}
		}
		s, err := evidence.Load(m)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	ready := func(status string) string {
		return `{"metadata":{"name":"win-1"},"status":{"conditions":[{"type":"Ready","status":"` + status + `"}]}}`
	}
	before := snapshot("2024-09-03T10:00:00Z", map[string]string{
		"os.json":       `{"build":20348,"bootedAt":"2024-09-01T10:00:00Z"}`,
		"services.json": `[{"name":"kubelet","state":"running"},{"name":"hns","state":"running"}]`,
		"api/node.json": ready("True")})
	after := snapshot("2024-09-03T11:00:00Z", map[string]string{
		"os.json":       `{"build":20348,"bootedAt":"2024-09-03T10:30:00Z"}`,
		"services.json": `[{"name":"Kubelet","state":"stopped"},{"name":"hns","state":"running"},{"name":"new","state":"running"}]`,
		"api/node.json": ready("False")})
	want := []string{"Windows has booted since the recording before",
		"service Kubelet is stopped now, and was running in the recording before",
		"Ready of the Node is False now, and was True in the recording before"}
	if got := changed(before, after); !slices.Equal(got, want) {
		t.Errorf("it says %q", got)
	}
	if got := changed(before, snapshot("2024-09-03T11:00:00Z", nil)); len(got) != 0 {
		t.Errorf("of what the later recording does not have it says %q", got)
	}
}

func TestRecordingsThatAreNoSeries(t *testing.T) {
	other := func(m fstest.MapFS, from, to string) {
		for name, file := range m {
			if path.Dir(name) == "after" {
				file.Data = utf16(t, strings.ReplaceAll(overlay2022()[path.Base(name)], from, to))
			}
		}
	}
	for name, change := range map[string]func(fstest.MapFS){
		"of two nodes": func(m fstest.MapFS) { other(m, "win-1", "win-2") },
		"of one time": func(m fstest.MapFS) {
			for _, file := range m {
				file.ModTime = collected
			}
		},
		"of no time": func(m fstest.MapFS) {
			for _, file := range m {
				file.ModTime = time.Time{}
			}
		},
	} {
		m := twice(t)
		change(m)
		nodes, err := Find(m)
		if err != nil || len(nodes) != 2 {
			t.Fatal(nodes, err)
		}
		if latest, _, ok := Latest(m, nodes); ok {
			t.Errorf("%s: %+v is the last", name, latest)
		}
	}
}
