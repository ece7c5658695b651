package timeline

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"doctor/checks"
	"doctor/checks/evidence"
)

// A staged node is one of a few files at ten o'clock, what was found in its logs, and its report.
type staged struct {
	files  map[string]string
	signs  []evidence.SignMatch
	report checks.Report
}

func (n staged) timeline(t *testing.T) *Timeline {
	t.Helper()
	tree := fstest.MapFS{"meta.json": {Data: []byte(
		`{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z"}`)}}
	for path, content := range n.files {
		tree[path] = &fstest.MapFile{Data: []byte(content)}
	}
	s, err := evidence.Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	return In(nil, s.WithScan(evidence.LogScan{Matches: n.signs}), &n.report)
}

// shown is the timeline as the screen lists it, without the moment of the recording.
func (n staged) shown(t *testing.T) []string {
	t.Helper()
	var lines []string
	for _, e := range n.timeline(t).Entries {
		if e.Kind != Now {
			lines = append(lines, shown(e))
		}
	}
	return lines
}

func shown(e Entry) string {
	s := strings.Join(strings.Fields(fmt.Sprint(e.At.Format("01-02 15:04:05 "), e.Kind, " ",
		e.Component, " ", e.Level)), " ")
	s += ": " + e.Text
	if e.More > 0 {
		s += fmt.Sprintf(" (%d more until %s)", e.More, e.Last.Format("15:04:05"))
	}
	if len(e.Checks) > 0 {
		s += fmt.Sprint(" ", e.Checks)
	}
	if e.Over != "" {
		s += " over: " + e.Over
	}
	return s
}

// found is a report in which checks found faults, the first of them as the cause.
func found(ids ...string) checks.Report {
	r := checks.Report{Causes: []checks.Cause{{ID: ids[0], Consequences: ids[1:]}}}
	for _, id := range ids {
		r.Results = append(r.Results, checks.Result{ID: id, Status: checks.StatusFail})
	}
	return r
}

// windows is an event of Windows on 2026-11-20.
func windows(at, provider string, id int, level, message string) string {
	return fmt.Sprintf(`{"log":"System","provider":%q,"id":%d,"level":%q,"time":"2026-11-20T%sZ",
		"message":%q}`,
		provider, id, level, at, message)
}

const controlManager = "Service Control Manager"

func jsonList(elements ...string) string { return "[" + strings.Join(elements, ",") + "]" }

func items(elements ...string) string { return `{"items":` + jsonList(elements...) + `}` }

func TestWhatWindowsRecordedIsShown(t *testing.T) {
	const started = `{"build":17763,"bootedAt":"2026-11-20T06:00:00Z"}`
	for _, row := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"an event names its provider and the component that it speaks of",
			map[string]string{"events.json": jsonList(windows("09:00:00", "nssm", 1014, "error",
				"kubelet ended"))},
			[]string{"11-20 09:00:00 event kubelet fail: nssm: kubelet ended"}},
		{"an earlier recording of the node has its events and what changed since",
			map[string]string{"events.json": jsonList(windows("09:00:00", "nssm", 1, "information",
				"x")), "earlier.json": jsonList(windows("08:00:00", "doctor", 0, "information",
				"HNS network cbr0 is gone"))},
			[]string{"11-20 08:00:00 event hns: doctor: HNS network cbr0 is gone",
				"11-20 09:00:00 event windows: nssm: x"}},
		{"an event of a service stands without its provider",
			map[string]string{"events.json": jsonList(windows("09:00:00", controlManager, 7034,
				"error", "kubelet ended"))},
			[]string{"11-20 09:00:00 service kubelet fail: kubelet ended"}},
		{"an event without a message is shown by its number",
			map[string]string{"events.json": jsonList(windows("09:00:00", "nssm", 7, "warning",
				" "))},
			[]string{"11-20 09:00:00 event windows warn: nssm: event 7"}},
		{"a component that is named late in a long message is not what the event is about",
			map[string]string{"events.json": jsonList(windows("09:00:00", "nssm", 7, "information",
				strings.Repeat("x", 200)+" kubelet"))},
			[]string{"11-20 09:00:00 event windows: nssm: " + strings.Repeat("x", 200) +
				" kubelet"}},
		{"an update is of the component updates, whatever its message speaks of",
			map[string]string{"events.json": jsonList(windows("09:00:00",
				"Microsoft-Windows-WindowsUpdateClient", 19, "information", "for containerd"))},
			[]string{"11-20 09:00:00 update updates: for containerd"}},
		{"a boot that an event tells is not told again by the system's own time",
			map[string]string{"os.json": started,
				"events.json": jsonList(windows("06:02:59", "EventLog", 6005, "information",
					"The event log was started."))},
			[]string{"11-20 06:02:59 boot windows: The event log was started."}},
		{"an event three minutes away is of another boot",
			map[string]string{"os.json": started,
				"events.json": jsonList(windows("06:03:00", "EventLog", 6005, "information",
					"The event log was started."))},
			[]string{"11-20 06:00:00 boot windows: Windows started",
				"11-20 06:03:00 boot windows: The event log was started."}},
		{"that Windows went down unasked does not say that it started",
			map[string]string{"os.json": started,
				"events.json": jsonList(windows("06:00:30", "EventLog", 6008, "error",
					"The shutdown was unexpected."))},
			[]string{"11-20 06:00:00 boot windows: Windows started",
				"11-20 06:00:30 boot windows fail: The shutdown was unexpected."}},
		{"an event of another kind at that time does not say that Windows started",
			map[string]string{"os.json": started,
				"events.json": jsonList(windows("06:00:30", "nssm", 1, "information", "kubelet"))},
			[]string{"11-20 06:00:00 boot windows: Windows started",
				"11-20 06:00:30 event kubelet: nssm: kubelet"}},
		{"without a time of boot nothing says that Windows started",
			map[string]string{"os.json": `{"build":17763}`}, nil},
		{"processes of components are shown, others are not",
			map[string]string{"processes.json": `[{"pid":7,"name":"notepad.exe",
				"startedAt":"2026-11-20T08:00:00Z"},{"pid":8,"name":"kubelet.exe",
				"startedAt":"2026-11-20T08:00:00Z"}]`},
			[]string{"11-20 08:00:00 process kubelet: process kubelet.exe (8) started, and runs " +
				"since"}},
		{"an update of which only the day is known is told by its day",
			map[string]string{"hotfixes.json": `[{"id":"KB1","installedAt":"2026-11-18T00:00:00Z"},
				{"id":"KB2","installedAt":"2026-11-18T00:00:01Z"}]`},
			[]string{"11-18 00:00:00 update updates: KB1 was installed on that day",
				"11-18 00:00:01 update updates: KB2 was installed"}},
		{"only a file that was copied is shown as changed",
			map[string]string{"files.json": `[{"path":"C:\\k\\a","outcome":"copied",
				"modifiedAt":"2026-11-19T00:00:01Z"},{"path":"C:\\k\\b","outcome":"denied",
				"modifiedAt":"2026-11-19T00:00:01Z"}]`},
			[]string{`11-19 00:00:01 file files: changed: C:\k\a`}},
		{"a moment of a clock that nobody set is no moment",
			map[string]string{"files.json": `[{"path":"C:\\k\\a","outcome":"copied",
				"modifiedAt":"1980-01-01T00:00:00Z"}]`}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, staged{files: row.files}.shown(t)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestACertificateIsShownAroundItsEnd(t *testing.T) {
	const inMonth, past = "2026-12-20T10:00:00Z", "2026-10-21T10:00:00Z"
	for _, row := range []struct {
		name, notAfter string
		report         checks.Report
		want           []string
	}{
		{"it ends in thirty days", inMonth, checks.Report{},
			[]string{`12-20 10:00:00 certificate kubelet warn: certificate runs out: C:\k\kubelet.pem (CN=a)`}},
		{"it ends in more than thirty days", "2026-12-20T10:00:01Z", checks.Report{}, nil},
		{"it ends at the moment of the recording", "2026-11-20T10:00:00Z", checks.Report{},
			[]string{`11-20 10:00:00 certificate kubelet fail: certificate ran out: C:\k\kubelet.pem (CN=a)`}},
		{"it ended thirty days ago", past, checks.Report{},
			[]string{`10-21 10:00:00 certificate kubelet fail: certificate ran out: C:\k\kubelet.pem (CN=a)`}},
		{"it ended before, and nothing is wrong with certificates", "2026-10-21T09:59:59Z",
			checks.Report{}, nil},
		{"it ended before, and that is the fault", "2026-10-21T09:59:59Z",
			found("cert-expired-or-clock-skew"),
			[]string{`10-21 09:59:59 certificate kubelet fail: certificate ran out: C:\k\kubelet.pem (CN=a)`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			n := staged{
				files: map[string]string{"certificates.json": fmt.Sprintf(
					`[{"path":"C:\\k\\kubelet.pem","subject":"CN=a","notAfter":%q}]`,
					row.notAfter)},
				report: row.report}
			if diff := cmp.Diff(row.want, n.shown(t)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhatTheClusterRecordedIsShown(t *testing.T) {
	const pod = `"involvedObject":{"kind":"Pod","namespace":"web","name":"a"}`
	const created = `"metadata":{"namespace":"web","name":"a",
		"creationTimestamp":"2026-11-20T07:00:00Z"}`
	const made = "11-20 07:00:00 pod pods: pod web/a was made"
	for _, row := range []struct {
		name, path, element string
		want                []string
	}{
		{"a warning about a pod", "api/events.json",
			`{"type":"Warning","reason":"BackOff","message":"again",` + pod +
				`,"lastTimestamp":"2026-11-20T09:00:00Z","count":1}`,
			[]string{"11-20 09:00:00 pod pods warn: BackOff web/a: again"}},
		{"an event that is no warning", "api/events.json",
			`{"type":"Normal","reason":"Pulled","message":"done",` + pod +
				`,"lastTimestamp":"2026-11-20T09:00:00Z"}`,
			[]string{"11-20 09:00:00 pod pods: Pulled web/a: done"}},
		{"an event about the node", "api/events.json",
			`{"type":"Normal","reason":"NodeNotReady","message":"gone",
			"involvedObject":{"kind":"Node","name":"win-1"},"lastTimestamp":"2026-11-20T09:00:00Z"}`,
			[]string{"11-20 09:00:00 node node fail: NodeNotReady win-1: gone"}},
		{"the node became Ready", "api/events.json",
			`{"type":"Normal","reason":"NodeReady","message":"back","involvedObject":{"kind":"Node",
			"name":"win-1"},"lastTimestamp":"2026-11-20T09:00:00Z"}`,
			[]string{"11-20 09:00:00 node node pass: NodeReady win-1: back"}},
		{"an event that repeated itself for a minute has a line for its beginning and one for " +
			"its end", "api/events.json",
			`{"type":"Warning","reason":"BackOff","message":"again",` + pod +
				`,"firstTimestamp":"2026-11-20T08:59:00Z","lastTimestamp":"2026-11-20T09:00:00Z",
				"count":5}`,
			[]string{"11-20 08:59:00 pod pods warn: BackOff web/a: again (4 more until 09:00:00)",
				"11-20 09:00:00 pod pods warn: BackOff web/a: again (5 times by now)"}},
		{"an event that repeated itself for less has one line", "api/events.json",
			`{"type":"Warning","reason":"BackOff","message":"again",` + pod +
				`,"firstTimestamp":"2026-11-20T08:59:01Z","lastTimestamp":"2026-11-20T09:00:00Z",
				"count":2}`,
			[]string{"11-20 08:59:01 pod pods warn: BackOff web/a: again (1 more until 09:00:00)"}},
		{"an event that was seen long before, and is not counted, was seen twice",
			"api/events.json",
			`{"type":"Warning","reason":"BackOff","message":"again",` + pod +
				`,"eventTime":"2026-11-20T08:00:00Z","lastTimestamp":"2026-11-20T09:00:00Z"}`,
			[]string{"11-20 08:00:00 pod pods warn: BackOff web/a: again",
				"11-20 09:00:00 pod pods warn: BackOff web/a: again (2 times by now)"}},

		{"a pod that waits for its end", "api/pods.json",
			`{"metadata":{"namespace":"web","name":"a","creationTimestamp":"2026-11-20T07:00:00Z",
			"deletionTimestamp":"2026-11-20T09:00:00Z"}}`,
			[]string{made, "11-20 09:00:00 pod pods warn: pod web/a was to be gone by now"}},
		{"a pod became Ready", "api/pods.json",
			`{` + created + `,"status":{"conditions":[{"type":"Initialized","status":"True",
			"lastTransitionTime":"2026-11-20T07:00:05Z"},{"type":"Ready","status":"True",
			"lastTransitionTime":"2026-11-20T07:00:10Z"}]}}`,
			[]string{made, "11-20 07:00:10 pod pods pass: pod web/a became Ready"}},
		{"a pod is not Ready any more", "api/pods.json",
			`{` + created + `,"status":{"conditions":[{"type":"Ready","status":"False",
			"reason":"ContainersNotReady","lastTransitionTime":"2026-11-20T07:01:01Z"}]}}`,
			[]string{made, "11-20 07:01:01 pod pods warn: pod web/a is not Ready any more: " +
				"ContainersNotReady"}},
		{"a pod that is not Ready since it was made was never Ready", "api/pods.json",
			`{` + created + `,"status":{"conditions":[{"type":"Ready","status":"False",
			"lastTransitionTime":"2026-11-20T07:01:00Z"}]}}`,
			[]string{made}},
		{"another condition of a pod is no news", "api/pods.json",
			`{` + created + `,"status":{"conditions":[{"type":"ContainersReady","status":"False",
			"lastTransitionTime":"2026-11-20T08:00:00Z"}]}}`,
			[]string{made}},
		{"a container that failed, and was started again", "api/pods.json", `{` + created + `,"status":{"containerStatuses":[{"name":"c","restartCount":3,
			"lastState":{"terminated":{"exitCode":1,"reason":"Error","finishedAt":"2026-11-20T08:00:00Z"}},"state":{"running":{"startedAt":"2026-11-20T08:00:10Z"}}}]}}`,
			[]string{made, "11-20 08:00:00 pod pods warn: container c of web/a ended with 1 " +
				"Error (3 restarts)", "11-20 08:00:10 pod pods: container c of web/a was started " +
				"again"}},
		{"a container that runs since the beginning is no news", "api/pods.json",
			`{` + created + `,"status":{"containerStatuses":[{"name":"c",
			"state":{"running":{"startedAt":"2026-11-20T08:00:10Z"}}}]}}`,
			[]string{made}},
		{"a container that was done", "api/pods.json",
			`{` + created + `,"status":{"containerStatuses":[{"name":"c",
			"state":{"terminated":{"exitCode":0,"reason":"Completed",
			"finishedAt":"2026-11-20T08:00:00Z"}}}]}}`,
			[]string{made, "11-20 08:00:00 pod pods: container c of web/a ended with 0 Completed " +
				"(0 restarts)"}},
		{"a container that Windows told to end", "api/pods.json",
			`{` + created + `,"status":{"initContainerStatuses":[{"name":"c",
			"state":{"terminated":{"exitCode":-1073741510,"reason":"Error",
			"finishedAt":"2026-11-20T08:00:00Z"}}}]}}`,
			[]string{made, "11-20 08:00:00 pod pods: container c of web/a ended with -1073741510 " +
				"Error (0 restarts)"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want,
				staged{files: map[string]string{row.path: items(row.element)}}.shown(
					t)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheConditionsOfTheNodeAreShown(t *testing.T) {
	node := staged{files: map[string]string{"api/node.json": `{"metadata":{"name":"win-1","creationTimestamp":"2026-11-20T06:00:00Z"},"status":{"conditions":[
		{"type":"MemoryPressure","status":"False","reason":"Enough","message":"m","lastTransitionTime":"2026-11-20T06:00:01Z"},
		{"type":"DiskPressure","status":"True","reason":"Full","message":"m","lastTransitionTime":"2026-11-20T08:00:00Z"},
		{"type":"EtcdIsVoter","status":"True","reason":"Yes","message":"m","lastTransitionTime":"2026-11-20T08:30:00Z"},
		{"type":"Ready","status":"False","reason":"KubeletNotReady","message":"m","lastTransitionTime":"2026-11-20T09:00:00Z"}]}}`},
		report: found("node-not-ready")}
	node.report.Results = append(node.report.Results, checks.Result{ID: "node-not-ready-lost",
		Status: checks.StatusPass})
	want := []string{
		"11-20 06:00:00 node node: the Node object was made",
		"11-20 06:00:01 node node: MemoryPressure became False: Enough: m",
		"11-20 08:00:00 node node fail: DiskPressure became True: Full: m [node-not-ready]",
		"11-20 08:30:00 node node: EtcdIsVoter became True: Yes: m",
		"11-20 09:00:00 node node fail: Ready became False: KubeletNotReady: m [node-not-ready]",
	}
	if diff := cmp.Diff(want, node.shown(t)); diff != "" {
		t.Error(diff)
	}
	if tl := node.timeline(t); tl.FirstBad < 0 || tl.Entries[tl.FirstBad].At.Hour() != 9 {
		t.Errorf("not being Ready began with entry %d, want the condition Ready", tl.FirstBad)
	}
	ready := staged{
		files: map[string]string{
			"api/node.json": `{"status":{"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady","message":"m","lastTransitionTime":"2026-11-20T09:00:00Z"}]}}`}}
	if diff := cmp.Diff([]string{"11-20 09:00:00 node node pass: Ready became True: " +
		"KubeletReady: m"}, ready.shown(t)); diff != "" {
		t.Error(diff)
	}
}

func TestTheMomentOfTheRecordingIsShownOnceAnythingIs(t *testing.T) {
	if tl := (staged{}).timeline(t); len(tl.Entries) != 0 {
		t.Errorf("a node of which nothing is known has %d entries", len(tl.Entries))
	}
	tl := staged{files: map[string]string{"events.json": jsonList(windows("09:00:00", "nssm", 1,
		"error", "x"))}}.timeline(t)
	if last := tl.Entries[len(tl.Entries)-1]; shown(last) != "11-20 10:00:00 recorded windows: "+
		"this was recorded" {
		t.Errorf("it ends with %s", shown(last))
	}
}

func TestARecordingWithoutATimeTakesThatOfItsReport(t *testing.T) {
	s, err := evidence.Load(fstest.MapFS{"meta.json": {Data: []byte(`{"layout":"evidence/v1"}`)},
		"events.json": {Data: []byte(jsonList(windows("09:00:00", "nssm", 1, "error", "x")))}})
	if err != nil {
		t.Fatal(err)
	}
	tl := In(nil, s, &checks.Report{CollectedAt: time.Date(2026, 11, 20, 11, 0, 0, 0, time.UTC)})
	if last := tl.Entries[len(tl.Entries)-1]; last.Kind != Now || last.At.Hour() != 11 {
		t.Errorf("it ends with %s", shown(last))
	}
}

func TestALongTextIsCut(t *testing.T) {
	for length, want := range map[int]string{594: strings.Repeat("x", 594),
		595: strings.Repeat("x", 594) + " …"} {
		text := staged{files: map[string]string{"events.json": jsonList(windows("09:00:00", "nssm",
			1, "error", strings.Repeat("x", length)))}}.timeline(t).Entries[0].Text
		if text != "nssm: "+want {
			t.Errorf("of %d bytes %d are shown: …%s", length, len(text), text[len(text)-10:])
		}
	}
}

func TestWhatRepeatsItselfIsFolded(t *testing.T) {
	event := func(at, provider, message string) string {
		return windows(at, provider, 1, "error",
			message)
	}
	for _, row := range []struct {
		name   string
		events []string
		want   []string
	}{
		{"the same three times", []string{event("09:00:00", "nssm", "a"), event("09:10:00", "nssm",
			"a"), event("09:20:00", "nssm", "a")},
			[]string{"11-20 09:00:00 event windows fail: nssm: a (2 more until 09:20:00)"}},
		{"the same with something in between", []string{event("09:00:00", "nssm", "a"),
			event("09:10:00", "nssm", "b"), event("09:20:00", "nssm", "a")},
			[]string{"11-20 09:00:00 event windows fail: nssm: a",
				"11-20 09:10:00 event windows fail: nssm: b",
				"11-20 09:20:00 event windows fail: nssm: a"}},
		{"the same on another day", []string{event("09:00:00", "nssm", "a"),
			strings.Replace(event("09:00:00", "nssm", "a"), "11-20", "11-19", 1)},
			[]string{"11-19 09:00:00 event windows fail: nssm: a",
				"11-20 09:00:00 event windows fail: nssm: a"}},
		{"the same text of two kinds", []string{windows("09:00:00", "nssm", 1, "information", ""),
			windows("09:10:00", "User32", 1074, "information", "nssm: event 1")},
			[]string{"11-20 09:00:00 event windows: nssm: event 1",
				"11-20 09:10:00 boot windows: nssm: event 1"}},
		{"the same text of two components", []string{windows("09:00:00", "Kubelet "+controlManager,
			7034, "error", "it ended"), windows("09:10:00", "Docker "+controlManager, 7034,
			"error", "it ended")},
			[]string{"11-20 09:00:00 service kubelet fail: it ended",
				"11-20 09:10:00 service docker fail: it ended"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want,
				staged{files: map[string]string{"events.json": jsonList(row.events...)}}.shown(
					t)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
