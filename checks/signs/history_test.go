package signs

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"doctor/checks/evidence"
)

// goesOn is a log after the trouble: a line a minute.
func goesOn(from, minutes int, line string) string {
	var b strings.Builder
	for i := range minutes {
		fmt.Fprintf(&b, "I1120 %02d:%02d:00.000000 1 kubelet.go:1] %s\n", from+i/60, i%60, line)
	}
	return b.String()
}

func TestWhatIsOverIsHistory(t *testing.T) {
	const trouble = "E1120 07:00:00.000000 1 main.go:1] no network here\n"
	const os = `{"build":17763,"bootedAt":"2026-11-20T06:00:00Z"}`
	const later = `{"build":17763,"bootedAt":"2026-11-20T07:30:00Z"}`
	for _, row := range []struct {
		name, log, os, over string
	}{
		{"the log ends with it", goesOn(6, 60, "fine") + trouble, os, ""},
		{"the log goes on without an error", trouble + goesOn(8, 30, "fine"), os,
			"the log went on for 1h29m0s without an error"},
		{"it goes on for too short a time",
			trouble + "I1120 07:02:00.0 fine\nI1120 07:03:00.0 fine\nI1120 07:04:00.0 fine\n", os,
			""},
		{"it goes on with another error", trouble + goesOn(8, 30, "fine") +
			"E1120 09:00:00.0 1 x.go:1] something else\n" + goesOn(9, 30, "fine"), os, ""},
		{"it goes on with words of trouble",
			trouble + goesOn(8, 30, "retrying, connection refused"), os, ""},
		{"it goes on without any time", trouble + strings.Repeat("fine\n", 100), os, ""},
		{"the node has booted since", trouble, later,
			"the node has booted since, at 2026-11-20 07:30 UTC"},
		{"the sign has no time, and the node has booted", "no network here\n", later, ""},
		{"it came back after quiet hours", trouble + goesOn(8, 30, "fine") +
			"E1120 09:00:00.0 1 main.go:1] no network here\n", os, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := record(t, map[string]string{"logs/kubelet/k.log": row.log, "os.json": row.os},
				evidence.Sign{Check: "c", Text: "no network here"})
			if len(got) != 1 || got[0].Over != row.over {
				t.Errorf("%+v, want one that is over because %q", got, row.over)
			}
		})
	}
}

// TestWhatTheClusterShowsLaterEndsALine: a heartbeat of the node, or a pod that became Ready, after a line of the
// kubelet's log.
func TestWhatTheClusterShowsLaterEndsALine(t *testing.T) {
	node := func(heartbeat string) string {
		return `{"metadata":{"name":"win-1"},"status":{"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"` + heartbeat + `"}]}}`
	}
	pod := func(name, phase, ready, since string) string {
		return `{"metadata":{"name":"` + name + `","namespace":"web"},"spec":{"nodeName":"win-1"},"status":{"phase":"` + phase +
			`","conditions":[{"type":"Ready","status":"` + ready + `","lastTransitionTime":"` + since + `"}]}}`
	}
	list := func(pods ...string) string { return `{"items":[` + strings.Join(pods, ",") + `]}` }
	const goes = "I1120 09:50:00.000000 1 a.go:1] fine\nE1120 09:51:00.000000 1 a.go:1] something else failed\n" // so long after, in UTC
	const refused = "E1120 07:00:00.000000 1 a.go:1] refused by the server\n" + goes
	const sandbox = "E1120 07:00:00.000000 1 a.go:1] RunPodSandbox: refused by the server\n" + goes
	const elsewhere = "E1120 06:00:00.000000 1 a.go:1] refused by the server\nE1120 06:01:00.000000 1 a.go:1] something else failed\n"
	registered := []string{evidence.NodeRegistered}
	for _, row := range []struct {
		name, log, node, pods string
		until                 []string
		over                  string
	}{
		{"a later heartbeat", refused, node("2026-11-20T08:00:00Z"), "", registered,
			"the kubelet has reported its node since, at 2026-11-20 08:00 UTC"},
		{"a later heartbeat, and the log may be of another zone", elsewhere, node("2026-11-20T08:00:00Z"), "", registered, ""},
		{"an earlier heartbeat", refused, node("2026-11-20T06:59:00Z"), "", registered, ""},
		{"a later heartbeat says nothing of other faults", refused, node("2026-11-20T08:00:00Z"), "", nil, ""},
		{"a pod is Ready since", sandbox, "", list(pod("a", "Running", "True", "2026-11-20T07:05:00Z")), nil,
			"pod web/a has been Ready since 2026-11-20 07:05 UTC, and no pod waits for its sandbox"},
		{"another pod waits", sandbox, "", list(pod("a", "Running", "True", "2026-11-20T07:05:00Z"),
			pod("b", "Pending", "False", "2026-11-20T07:00:00Z")), nil, ""},
		{"all pods were Ready before", sandbox, "", list(pod("a", "Running", "True", "2026-11-20T06:05:00Z")), nil, ""},
		{"the kubelet did not try again for hours", sandbox, "", "", nil, "it was not repeated for 2h51m0s"},
		{"what the kubelet does not try again was said once", refused, "", "", nil, ""},
		{"a Ready pod says nothing of other lines", refused, "", list(pod("a", "Running", "True", "2026-11-20T07:05:00Z")), nil, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			files := map[string]string{"logs/kubelet/k.log": row.log, "api/node.json": row.node, "api/pods.json": row.pods}
			for name, text := range files {
				if text == "" {
					delete(files, name)
				}
			}
			got := record(t, files, evidence.Sign{Check: "c", Text: "refused by the server", Until: row.until})
			if len(got) != 1 || got[0].Over != row.over {
				t.Errorf("%+v, want one that is over because %q", got, row.over)
			}
		})
	}
}

// TestAPodThatWentOnHadItsSandbox: the kubelet pulls and starts only what has its volumes and its network.
func TestAPodThatWentOnHadItsSandbox(t *testing.T) {
	event := func(reason, at string) string {
		return `{"reason":"` + reason + `","message":"no network here","lastTimestamp":"2026-11-20T` + at +
			`Z","involvedObject":{"kind":"Pod","name":"a","namespace":"web"}}`
	}
	for _, row := range []struct{ name, first, second, over string }{
		{"it was pulled later", event("FailedCreatePodSandBox", "07:00:00"), event("Pulling", "07:01:00"),
			"the pod went on since, at 2026-11-20 07:01 UTC"},
		{"its sandbox died later", event("FailedCreatePodSandBox", "07:02:00"), event("Started", "07:01:00"), ""},
		{"another image was pulled later", event("Failed", "07:00:00"), event("Pulled", "07:01:00"), ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := record(t, map[string]string{"api/events.json": `{"items":[` + row.first + "," +
				strings.Replace(row.second, "no network here", "fine", 1) + `]}`}, evidence.Sign{Check: "c", Text: "no network here"})
			if len(got) != 1 || got[0].Over != row.over {
				t.Errorf("%+v, want one that is over because %q", got, row.over)
			}
		})
	}
}

// TestWhatTheKubeletDoesNotRepeatIsOver: only what this node's kubelet says later counts. Others go on when it is dead.
func TestWhatTheKubeletDoesNotRepeatIsOver(t *testing.T) {
	const failed = `{"reason":"Failed","message":"Failed to pull image: no network here","lastTimestamp":"2026-11-20T07:00:00Z","source":{"component":"kubelet","host":"win-1"},"involvedObject":{"kind":"Pod","name":"a","namespace":"web"}}`
	for _, row := range []struct{ name, source, over string }{
		{"its kubelet goes on", `{"component":"kubelet","host":"win-1"}`, "it was not repeated for 1h0m0s"},
		{"the kubelet of another node", `{"component":"kubelet","host":"win-2"}`, ""},
		{"the scheduler", `{"component":"default-scheduler"}`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := record(t, map[string]string{"api/node.json": `{"metadata":{"name":"win-1"}}`,
				"api/events.json": `{"items":[` + failed + `,{"reason":"Unhealthy","message":"fine","lastTimestamp":"2026-11-20T08:00:00Z","source":` +
					row.source + `,"involvedObject":{"kind":"Pod","name":"b","namespace":"web"}}]}`},
				evidence.Sign{Check: "c", Text: "no network here"})
			if len(got) != 1 || got[0].Over != row.over {
				t.Errorf("%+v, want one that is over because %q", got, row.over)
			}
		})
	}
}

// TestEventsOfOtherNodesAndOfPodsThatAreGone: a list of all events of a cluster says nothing of this node.
func TestEventsOfOtherNodesAndOfPodsThatAreGone(t *testing.T) {
	const node = `{"metadata":{"name":"win-1"}}`
	const pods = `{"items":[{"metadata":{"name":"here","namespace":"web"},"spec":{"nodeName":"win-1"},"status":{"phase":"Pending"}}]}`
	for _, row := range []struct{ name, from, pod, over string }{
		{"of this node", `"source":{"component":"kubelet","host":"win-1"}`, "here", ""},
		{"of another node", `"source":{"component":"kubelet","host":"win-2"}`, "here", "no match"},
		{"of another node, in the newer form", `"reportingController":"kubelet","reportingInstance":"win-2"`, "here", "no match"},
		{"of no node", `"source":{"component":"kubelet"}`, "other", ""},
		{"of the scheduler", `"source":{},"reportingComponent":"default-scheduler","reportingInstance":"default-scheduler-cp-1"`, "other", ""},
		{"of the scheduler, in the newer form", `"reportingController":"default-scheduler","reportingInstance":"default-scheduler-cp-1"`, "other", ""},
		{"of a pod that is gone", `"source":{"component":"kubelet","host":"win-1"}`, "other", "the pod is gone"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := record(t, map[string]string{"api/node.json": node, "api/pods.json": pods,
				"api/events.json": `{"items":[{"reason":"Failed","message":"no network here","lastTimestamp":"2026-11-20T07:00:00Z",` +
					row.from + `,"involvedObject":{"kind":"Pod","name":"` + row.pod + `","namespace":"web"}}]}`},
				evidence.Sign{Check: "c", Text: "no network here"})
			over := "no match"
			if len(got) == 1 {
				over = got[0].Over
			}
			if over != row.over {
				t.Errorf("it is over because %q, want %q", over, row.over)
			}
		})
	}
}

// TestALineGoesOnWithItsRecord: a line without a time has that of the record before it, and what an earlier run of a
// container wrote is over once a later one writes.
func TestALineGoesOnWithItsRecord(t *testing.T) {
	const broken = "I1120 07:00:00.000000 1 a.go:1] call:\n + at line 1\n    no network here\n"
	const serves = "I1120 07:10:00.000000 1 a.go:1] it serves\n"
	for _, row := range []struct {
		name  string
		files map[string]string
		over  string
	}{
		{"the record goes on", map[string]string{"logs/pods/c-0.log": broken}, ""},
		{"a later line ends it", map[string]string{"logs/pods/c-0.log": broken, "logs/other/o.log": serves}, "a later line says: it serves"},
		{"a later run", map[string]string{"logs/pods/c-0.log": broken, "logs/pods/c-1.log": "I1120 08:00:00.000000 1 a.go:1] fine\n"},
			"the container was started again since, at 2026-11-20 08:00 UTC"},
		{"a later run that may end, too", map[string]string{"logs/pods/c-0.log": broken, "logs/pods/c-1.log": "I1120 09:55:00.000000 1 a.go:1] fine\n"}, ""},
		{"a later run that is shorter than the one that ended", map[string]string{"logs/pods/c-0.log": "I1120 04:00:00.000000 1 a.go:1] fine\n" + broken,
			"logs/pods/c-1.log": "I1120 08:00:00.000000 1 a.go:1] fine\n"}, ""},
		{"an earlier run", map[string]string{"logs/pods/c-1.log": broken, "logs/pods/c-0.log": "I1120 08:00:00.000000 1 a.go:1] fine\n"}, ""},
		{"another container", map[string]string{"logs/pods/c-0.log": broken, "logs/pods/d-1.log": "I1120 08:00:00.000000 1 a.go:1] fine\n"}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := record(t, row.files, evidence.Sign{Check: "c", Text: "no network here", Until: []string{"it serves"}})
			if want := time.Date(2026, 11, 20, 7, 0, 0, 0, time.UTC); len(got) != 1 || got[0].Over != row.over || !got[0].Last.Equal(want) {
				t.Errorf("%+v, want one of %s that is over because %q", got, want, row.over)
			}
		})
	}
}

// TestAnEventEndsALine: what ends a fault may be an event, too.
func TestAnEventEndsALine(t *testing.T) {
	event := func(at string) string {
		return `{"items":[{"reason":"Resized","message":"the volume was resized","lastTimestamp":"` + at + `","involvedObject":{"kind":"Pod","name":"a","namespace":"web"}}]}`
	}
	for at, want := range map[string]string{"2026-11-20T07:30:00Z": "a later line says: the volume was resized", "2026-11-20T06:30:00Z": ""} {
		got := record(t, map[string]string{"logs/kubelet/k.log": "E1120 07:00:00.000000 1 a.go:1] no size\n", "api/events.json": event(at)},
			evidence.Sign{Check: "c", Text: "no size", Until: []string{"the volume was resized"}})
		if len(got) != 1 || got[0].Over != want {
			t.Errorf("an event at %s: %+v, want one that is over because %q", at, got, want)
		}
	}
}

// TestALongHealthyTailIsReadToItsEnd: an error far behind the sign, at any place around a buffer's end, keeps it current.
func TestALongHealthyTailIsReadToItsEnd(t *testing.T) {
	const trouble = "E1120 07:00:00.000000 1 main.go:1] no network here\n"
	tail := goesOn(8, 120, strings.Repeat("fine ", 40))
	tail += strings.Repeat("x", bufferSize) + "\n" + goesOn(10, 60, strings.Repeat("fine ", 800))
	sign := evidence.Sign{Check: "c", Text: "no network here"}
	if got := record(t, map[string]string{"logs/kubelet/k.log": trouble + tail},
		sign); len(got) != 1 || got[0].Over == "" {
		t.Fatalf("a healthy tail of %d KiB: %+v", len(tail)>>10, got)
	}
	for at := bufferSize - 8; at < bufferSize+8; at++ {
		broken := tail[:at] + "fatal" + tail[at:]
		if got := record(t, map[string]string{"logs/kubelet/k.log": trouble + broken},
			sign); len(got) != 1 || got[0].Over != "" {
			t.Fatalf("an error at %d of the tail: %+v", at, got)
		}
	}
}

func TestARecordThatIsOverIsKeptApart(t *testing.T) {
	files := map[string]string{
		"api/pods.json": `{"items":[{"metadata":{"namespace":"d","name":"well"},"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-11-20T09:00:00Z"}]}},
			{"metadata":{"namespace":"d","name":"ill"},"status":{"conditions":[{"type":"Ready","status":"False","lastTransitionTime":"2026-11-20T09:00:00Z"}]}}]}`,
		"api/events.json": `{"items":[
			{"reason":"Failed","message":"no network here","lastTimestamp":"2026-11-20T08:00:00Z","involvedObject":{"kind":"Pod","namespace":"d","name":"well"}},
			{"reason":"Failed","message":"no network here","lastTimestamp":"2026-11-20T08:30:00Z","involvedObject":{"kind":"Pod","namespace":"d","name":"ill"}}]}`,
	}
	got := record(t, files, evidence.Sign{Check: "c", Text: "no network here"})
	if len(got) != 2 || got[0].Field != "/items/1" || got[0].Over != "" ||
		got[1].Field != "/items/0" ||
		got[1].Over != "the pod has been Ready since 2026-11-20 09:00 UTC" {
		t.Errorf("%+v", got)
	}
}

func TestWhatAnEarlierScanSawCounts(t *testing.T) {
	recorded := `[
		{"id":"c","sign":"no network here","path":"logs/kubelet/k.log","line":4711,"time":"2026-11-20T05:00:00Z","text":"long ago: no network here","more":99,"last":"2026-11-20T09:59:00Z"},
		{"id":"c","sign":"no network here","path":"logs/kubelet/gone.log","line":1,"text":"no network here\u001b[31m","more":0},
		{"id":"c","sign":"a sign of another version","path":"logs/kubelet/k.log","line":1,"text":"x","more":0},
		{"id":"other","sign":"no network here","path":"logs/kubelet/k.log","line":1,"text":"x","more":0}]`
	got := record(t, map[string]string{"logs/kubelet/k.log": "no network here\n",
		"signs.json": recorded}, evidence.Sign{Check: "c", Text: "no network here"})
	if len(got) != 2 || got[1].Line != 4711 || got[1].More != 99 ||
		got[0].Path != "logs/kubelet/gone.log" || strings.Contains(got[0].Found, "\x1b") {
		t.Errorf("%+v", got)
	}
}

func TestARecordMadeByHandNeedNotNameTheSign(t *testing.T) {
	recorded := `[{"id":"c","path":"logs/kubelet/gone.log","line":7,"text":"E1120: NO network here","more":2}]`
	got := record(t, map[string]string{"signs.json": recorded},
		evidence.Sign{Check: "c", Text: "another text"},
		evidence.Sign{Check: "c", Text: "no network here"})
	if len(got) != 1 || got[0].Text != "no network here" || got[0].Line != 7 {
		t.Errorf("%+v", got)
	}
}

func TestBrokenRecordsOfSignsAreNoSigns(t *testing.T) {
	for _, recorded := range []string{"", "[", "{}", `[{"id":7}]`,
		`[{"id":"c","sign":"no network here","line":-1}]`} {
		if got := record(t, map[string]string{"signs.json": recorded},
			evidence.Sign{Check: "c", Text: "no network here"}); len(got) != 0 {
			t.Errorf("%s: %+v", recorded, got)
		}
	}
}

// TestALogThatChangesWhileItIsRead hands out another content at every opening.
func TestALogThatChangesWhileItIsRead(t *testing.T) {
	const trouble = "E1120 07:00:00.000000 1 main.go:1] no network here\n"
	for name, contents := range map[string][]string{
		"it grows":      {trouble, trouble + goesOn(8, 30, "fine")},
		"it is rotated": {goesOn(5, 60, "fine") + trouble, "fine\n"},
		"it vanishes":   {trouble},
	} {
		t.Run(name, func(t *testing.T) {
			tree := fstest.MapFS{"meta.json": {Data: []byte(meta)},
				"logs/kubelet/k.log": {Data: []byte(trouble)}}
			s, err := evidence.Load(&changingFS{MapFS: tree, contents: contents})
			if err != nil {
				t.Fatal(err)
			}
			s, _ = Record(s, []evidence.Sign{{Check: "c", Text: "no network here"}})
			if got := s.Signs("c"); len(got) != 1 {
				t.Errorf("%+v", got)
			}
		})
	}
}

type changingFS struct {
	fstest.MapFS
	contents []string
}

func (c *changingFS) Open(name string) (fs.File, error) {
	if name == "logs/kubelet/k.log" {
		if len(c.contents) == 0 {
			return nil, fs.ErrNotExist
		}
		c.MapFS[name].Data = []byte(c.contents[0])
		c.contents = c.contents[1:]
	}
	return c.MapFS.Open(name)
}

func TestASignIsSearchedByItsLongestText(t *testing.T) {
	sign := evidence.Sign{Check: "c", Text: "(0x57)", Also: []string{"hcnCreateNetwork"},
		Not: []string{"dry run"}}
	log := "hcnCreateEndpoint failed (0x57)\nHCNCreateNetwork worked\nhcnCreateNetwork failed (0x57), a dry run\nx hcnCreateNetwork failed in Win32: (0x57)\n"
	if got := record(t, map[string]string{"logs/kubelet/k.log": log}, sign); len(got) != 1 ||
		got[0].Line != 4 || got[0].Text != "(0x57)" {
		t.Errorf("%+v, want line 4", got)
	}
}

func TestALaterLineEndsASign(t *testing.T) {
	const waits = "E1120 07:00:%02d.000000 1 kubelet.go:1] cni plugin not initialized\n"
	const ready = "I1120 07:00:50.000000 1 kubelet.go:2] became ready\n"
	at := func(seconds ...int) string {
		var b strings.Builder
		for _, s := range seconds {
			fmt.Fprintf(&b, waits, s)
		}
		return b.String()
	}
	const justNow = `{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T09:00:55Z"}`
	sign := evidence.Sign{Check: "c", Text: "plugin not initialized",
		Until: []string{"became ready"}}
	lasting := evidence.Sign{Check: "c", Text: "plugin not initialized", Lasts: 30 * time.Second}
	for _, row := range []struct {
		name  string
		sign  evidence.Sign
		files map[string]string
		over  string
	}{
		{"a later line says so", sign, map[string]string{"logs/kubelet/k.log": at(1, 5) + ready},
			"a later line says: became ready"},
		{"the line is an earlier one", sign,
			map[string]string{"logs/kubelet/k.log": ready + at(51)}, ""},
		{"it came back after the line", sign,
			map[string]string{"logs/kubelet/k.log": at(1) + ready + at(55)}, ""},
		{"a later log says so", sign, map[string]string{"logs/kubelet/k.1.log": at(1),
			"logs/kubelet/k.log": ready}, "a later line says: became ready"},
		{"an earlier log says so", sign, map[string]string{"logs/kubelet/k.1.log": ready,
			"logs/kubelet/k.log": at(51)}, ""},
		{"a log of another component is not asked", evidence.Sign{Check: "c",
			Text: sign.Text, Until: sign.Until, In: []string{"kubelet"}},
			map[string]string{"logs/kubelet/k.log": at(1), "logs/flanneld/f.log": ready}, ""},
		{"it lasts as long as a start", lasting, map[string]string{"logs/kubelet/k.log": at(1, 11)},
			"it lasted 10s, as at a start"},
		{"it lasts as long as a start, and the log goes on", lasting, map[string]string{
			"logs/kubelet/k.log": strings.ReplaceAll(at(11, 31)+ready+ready+ready, "07:", "09:"),
			"meta.json":          justNow}, "it lasted 20s, as at a start"},
		{"it is what was recorded last", lasting, map[string]string{
			"logs/kubelet/k.log": strings.ReplaceAll(at(11, 31)+ready, "07:", "09:"),
			"meta.json":          justNow}, ""},
		{"it lasts longer", lasting, map[string]string{"logs/kubelet/k.log": at(1, 31)}, ""},
		{"a few times without a stamp", lasting,
			map[string]string{"logs/kubelet/k.log": "plugin not initialized\n"},
			"the log has it a few times only, as at a start"},
		{"a few times at the end of an excerpt, of which nothing says when it was made", lasting,
			map[string]string{"logs/kubelet/k.log": at(11, 31),
				"meta.json": `{"layout":"evidence/v1","node":"win-1"}`}, ""},
		{"many times without a stamp", lasting,
			map[string]string{"logs/kubelet/k.log": strings.Repeat("plugin not initialized\n", 9)}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := record(t, row.files, row.sign)
			if len(got) != 1 || got[0].Over != row.over {
				t.Errorf("%+v, want one that is over because %q", got, row.over)
			}
		})
	}
}

func TestAScanKeepsTheReasonsOfGaps(t *testing.T) {
	s, err := evidence.Load(snapshotFiles(map[string]string{
		"gaps.json":             `{"hns-networks.json":{"kind":"denied","code":"reported","args":["run as Administrator"]}}`,
		"hns-networks.json.gap": "denied: run as Administrator\n"}))
	if err != nil {
		t.Fatal(err)
	}
	before := s.GapAt("hns-networks.json")
	s, _ = Record(s, []evidence.Sign{{Check: "c", Text: "no network here"}})
	if got := s.GapAt("hns-networks.json"); got.Code != before.Code || got.String() != before.String() {
		t.Errorf("%+v became %+v", before, got)
	}
}

// TestAControllerThatDoesNotFailAnyMore: it tries again after 1000 seconds at the latest.
func TestAControllerThatDoesNotFailAnyMore(t *testing.T) {
	for _, row := range []struct{ name, event, over string }{
		{"a moment ago", `"reason":"FailedCreate","lastTimestamp":"2026-11-20T09:45:00Z"`, ""},
		{"long ago", `"reason":"FailedCreate","lastTimestamp":"2026-11-20T09:20:00Z"`,
			"its controller has not failed for 40m0s"},
		{"long ago, in the newer form", `"reason":"FailedCreate","deprecatedLastTimestamp":"2026-11-20T09:20:00Z"`,
			"its controller has not failed for 40m0s"},
		{"a series that began long ago", `"reason":"FailedCreate","eventTime":"2026-11-20T09:20:00Z","series":{"lastObservedTime":"2026-11-20T09:50:00Z"}`, ""},
		{"without a time", `"reason":"FailedCreate"`, ""},
		{"another event", `"reason":"Failed","lastTimestamp":"2026-11-20T09:20:00Z"`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := record(t, map[string]string{"api/events.json": `{"items":[{"message":"no network here",` + row.event +
				`,"involvedObject":{"kind":"ReplicaSet","namespace":"d","name":"a"}}]}`}, noNetwork)
			if len(got) != 1 || got[0].Over != row.over {
				t.Errorf("%+v, want one that is over because %q", got, row.over)
			}
		})
	}
}

// TestPartsOfALineEndAnEarlierOne: both parts stand in the same line, whatever is between them.
func TestPartsOfALineEndAnEarlierOne(t *testing.T) {
	sign := evidence.Sign{Check: "c", Text: "no network here", Until: []string{"name a … NOERROR", "name b … NOERROR"}}
	for _, row := range []struct{ name, log, over string }{
		{"in one line", "no network here\nquery name a. tcp NOERROR\n", "a later line says: name a … NOERROR"},
		{"of the second", "no network here\nquery name b. tcp NOERROR\n", "a later line says: name b … NOERROR"},
		{"in two lines", "no network here\nquery name a. tcp SERVFAIL\nquery name c. tcp NOERROR\n", ""},
		{"in a line before", "query name a. tcp NOERROR\nno network here\n", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := record(t, map[string]string{"logs/coredns/c.log": row.log}, sign)
			if len(got) != 1 || got[0].Over != row.over {
				t.Errorf("%+v, want one that is over because %q", got, row.over)
			}
		})
	}
}
