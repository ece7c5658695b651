package timeline

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"doctor/checks"
	"doctor/checks/evidence"
)

func at(clock string) time.Time {
	t, err := time.Parse("2006-01-02 15:04:05", "2026-11-20 "+clock)
	if err != nil {
		panic(err)
	}
	return t
}

const kubeletLog = "logs/kubelet/kubelet.log"

// sign is one find of a check in the kubelet's log.
func sign(check string, change ...func(*evidence.SignMatch)) evidence.SignMatch {
	m := evidence.SignMatch{Check: check, Path: kubeletLog, Line: 4, Time: at("09:00:00"),
		Last:  at("09:00:00"),
		Found: "E1120 09:00:00.000000    1234 kubelet.go:1] no network"}
	for _, c := range change {
		c(&m)
	}
	return m
}

func again(more, line int, last string) func(*evidence.SignMatch) {
	return func(m *evidence.SignMatch) { m.More, m.LastLine, m.Last = more, line, at(last) }
}

func still(m *evidence.SignMatch) { m.Tail = "E1120 09:30:00.0 1 x.go:1] still no network" }

func over(m *evidence.SignMatch) { m.Over = "the node has booted since" }

func TestLinesThatBetrayAFaultAreShown(t *testing.T) {
	passed := checks.Report{Results: []checks.Result{{ID: "a", Status: checks.StatusPass}}}
	warned := checks.Report{Results: []checks.Result{{ID: "a", Status: checks.StatusWarn}}}
	for _, row := range []struct {
		name   string
		signs  []evidence.SignMatch
		report checks.Report
		want   []string
	}{
		{"a line of a fault, without its stamp", []evidence.SignMatch{sign("a")}, found("a"),
			[]string{"11-20 09:00:00 log kubelet fail: no network [a]"}},
		{"a line of a warning", []evidence.SignMatch{sign("a")}, warned,
			[]string{"11-20 09:00:00 log kubelet warn: no network [a]"}},
		{"a line of what is no fault on this node", []evidence.SignMatch{sign("a")}, passed,
			[]string{"11-20 09:00:00 log kubelet: no network [a]"}},
		{"a line that is over", []evidence.SignMatch{sign("a", over)}, found("a"),
			[]string{"11-20 09:00:00 log kubelet: no network [a] over: the node has booted since"}},
		{"a line without a time", []evidence.SignMatch{sign("a",
			func(m *evidence.SignMatch) { m.Time = time.Time{} })}, found("a"), nil},
		{"a line that is only a stamp", []evidence.SignMatch{sign("a",
			func(m *evidence.SignMatch) { m.Found = "2026-11-20T09:00:00Z" })}, found("a"),
			[]string{"11-20 09:00:00 log kubelet fail: 2026-11-20T09:00:00Z [a]"}},
		{"lines within a minute are one entry",
			[]evidence.SignMatch{sign("a", again(2, 9, "09:00:59"))}, found("a"),
			[]string{"11-20 09:00:00 log kubelet fail: no network (2 more until 09:00:59) [a]"}},
		{"of lines over more time the first and the last are shown",
			[]evidence.SignMatch{sign("a", again(2, 9, "09:30:00"), still)}, found("a"),
			[]string{"11-20 09:00:00 log kubelet fail: no network (2 more until 09:30:00) [a]",
				"11-20 09:30:00 log kubelet fail: still no network [a]"}},
		{"of lines over more time with nothing in between one is shown, and each is counted once",
			[]evidence.SignMatch{sign("a", again(2, 9, "09:30:00"))}, found("a"),
			[]string{"11-20 09:00:00 log kubelet fail: no network (2 more until 09:30:00) [a]"}},
		{"of lines whose last one has no number only the first is shown",
			[]evidence.SignMatch{sign("a", again(2, 0, "09:30:00"))}, found("a"),
			[]string{"11-20 09:00:00 log kubelet fail: no network (2 more until 09:30:00) [a]"}},
		{"a single line whose record says more is one entry",
			[]evidence.SignMatch{sign("a", again(0, 9, "09:30:00"))}, found("a"),
			[]string{"11-20 09:00:00 log kubelet fail: no network [a]"}},
		{"a line of two checks is one entry", []evidence.SignMatch{sign("a"), sign("b")},
			found("a", "b"),
			[]string{"11-20 09:00:00 log kubelet fail: no network [a b]"}},
		{"a line that is over for one check only is bad", []evidence.SignMatch{sign("a"),
			sign("b", over)}, found("a", "b"),
			[]string{"11-20 09:00:00 log kubelet fail: no network [a b]"}},
		{"a line of no fault that is over for another check stays neither good nor bad",
			[]evidence.SignMatch{sign("a"), sign("b", over)},
			checks.Report{Results: []checks.Result{{ID: "a", Status: checks.StatusPass}, {ID: "b",
				Status: checks.StatusFail}}},
			[]string{"11-20 09:00:00 log kubelet: no network [a b]"}},
		{"a failure outweighs a warning", []evidence.SignMatch{sign("a"), sign("b")},
			checks.Report{Results: []checks.Result{{ID: "a", Status: checks.StatusFail}, {ID: "b",
				Status: checks.StatusWarn}}},
			[]string{"11-20 09:00:00 log kubelet fail: no network [a b]"}},
		{"the last line of one check is the first of another",
			[]evidence.SignMatch{sign("a", func(m *evidence.SignMatch) {
				m.Line, m.Time, m.Last,
					m.Found = 9, at("09:30:00"), at("09:30:00"), "still no network"
			}), sign("b",
				again(2, 9, "09:30:00"), still)}, found("a", "b"),
			[]string{"11-20 09:00:00 log kubelet fail: no network (2 more until 09:30:00) [b]",
				"11-20 09:30:00 log kubelet fail: still no network [a b]"}},
		{"two checks share the first and the last line",
			[]evidence.SignMatch{sign("a", again(2, 9, "09:30:00"), still), sign("b",
				again(2, 9, "09:30:00"), still)}, found("a", "b"),
			[]string{"11-20 09:00:00 log kubelet fail: no network (2 more until 09:30:00) [a b]",
				"11-20 09:30:00 log kubelet fail: still no network [a b]"}},
		{"a check that was not asked for", []evidence.SignMatch{sign("b")}, found("a"), nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, staged{signs: row.signs,
				report: row.report}.shown(t)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestATextInAnEventMakesTheEventBad(t *testing.T) {
	events := map[string]string{"events.json": jsonList(windows("08:00:00", "nssm", 1,
		"information", "well"), windows("09:00:00", "nssm", 1, "information", "no network"))}
	in := func(m *evidence.SignMatch) {
		m.Path, m.Line, m.Field = evidence.WindowsEvents.Path(), 0, "/1"
	}
	for _, row := range []struct {
		name string
		sign evidence.SignMatch
		want string
	}{
		{"it is now", sign("a", in), "11-20 09:00:00 event windows fail: nssm: no network [a]"},
		{"it is over", sign("a", in, over), "11-20 09:00:00 event windows: nssm: no network [a]"},
	} {
		if diff := cmp.Diff([]string{"11-20 08:00:00 event windows: nssm: well", row.want},
			staged{files: events, signs: []evidence.SignMatch{row.sign},
				report: found("a")}.shown(t)); diff != "" {
			t.Errorf("%s:\n%s", row.name, diff)
		}
	}
}

// twoPods are web/a, which failed twice, and web/b, which failed once.
const twoPods = `{"items":[
	{"metadata":{"namespace":"web","name":"a"},"status":{"containerStatuses":[{"name":"c","lastState":{"terminated":{"exitCode":1,"reason":"Error","finishedAt":"2026-11-20T08:00:00Z"}},
		"state":{"terminated":{"exitCode":0,"reason":"Completed","finishedAt":"2026-11-20T08:01:00Z"}}}]}},
	{"metadata":{"namespace":"web","name":"b"},"status":{"containerStatuses":[{"name":"c","state":{"terminated":{"exitCode":2,"reason":"Error","finishedAt":"2026-11-20T08:02:00Z"}}}]}}]}`

func TestAFaultIsTiedToWhatWentWrongWithItsPods(t *testing.T) {
	const a, done, b = "11-20 08:00:00 pod pods warn: container c of web/a ended with 1 Error (0 " +
		"restarts)",
		"11-20 08:01:00 pod pods: container c of web/a ended with 0 Completed (0 restarts)",
		"11-20 08:02:00 pod pods warn: container c of web/b ended with 2 Error (0 restarts)"
	ofPod := func(number int, change ...func(*evidence.SignMatch)) []evidence.SignMatch {
		return []evidence.SignMatch{sign("x", append(change,
			func(m *evidence.SignMatch) {
				m.Path, m.Line, m.Time = evidence.Pods.Path(), 0, time.Time{}
				m.Field = fmt.Sprintf("/items/%d/status/reason", number-1)
			})...)}
	}
	about := func(level, subject string, status checks.Status) checks.Report {
		return checks.Report{Results: []checks.Result{{ID: "x", Status: status,
			Findings: []checks.ReportFinding{{Level: level, Subject: subject}}}}}
	}
	const failed, aFailed, bFailed = " [x]", "11-20 08:00:00 pod pods fail: container c of web/a " +
		"ended with 1 Error (0 restarts) [x]",
		"11-20 08:02:00 pod pods fail: container c of web/b ended with 2 Error (0 restarts) [x]"
	for _, row := range []struct {
		name   string
		signs  []evidence.SignMatch
		report checks.Report
		want   []string
	}{
		{"a text in the state of the first pod", ofPod(1), found("x"), []string{aFailed, done, b}},
		{"a text in the state of the last pod", ofPod(2), found("x"), []string{a, done, bFailed}},
		{"a text in the state of a pod, which is over", ofPod(2, over), found("x"), []string{a,
			done, b}},
		{"a text in a pod that is not there", ofPod(3), found("x"), []string{a, done, b}},
		{"a text in a pod without a number", ofPod(0), found("x"), []string{a, done, b}},
		{"a finding about a pod", nil, about("fail", "web/a", checks.StatusFail),
			[]string{a + failed, done, b}},
		{"a finding that is no fault", nil, about("info", "web/a", checks.StatusFail), []string{a,
			done, b}},
		{"a finding of a check that passed", nil, about("fail", "web/a", checks.StatusPass),
			[]string{a, done, b}},
		{"a finding about nothing in particular", nil, about("fail", "", checks.StatusFail),
			[]string{a, done, b}},
	} {
		t.Run(row.name, func(t *testing.T) {
			n := staged{files: map[string]string{"api/pods.json": twoPods}, signs: row.signs,
				report: row.report}
			if diff := cmp.Diff(row.want, n.shown(t)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestATextOfAPodThatNeverFailedHasItsOwnTime: a text that has a time, in a pod without any bad
// moment, is an entry of its own; where there is such a moment, the text belongs to it.
func TestATextOfAPodThatNeverFailedHasItsOwnTime(t *testing.T) {
	inPod := sign("x", func(m *evidence.SignMatch) {
		m.Path, m.Line, m.Field = evidence.Pods.Path(), 0, "/items/0/status"
		m.Found = "web/a c: no network"
	})
	well := map[string]string{"api/pods.json": `{"items":[{"metadata":{"namespace":"web","name":"a",
		"creationTimestamp":"2026-11-20T07:00:00Z"}}]}`}
	want := []string{"11-20 07:00:00 pod pods: pod web/a was made",
		"11-20 09:00:00 log pods fail: web/a c: no network [x]"}
	if diff := cmp.Diff(want, staged{files: well, signs: []evidence.SignMatch{inPod},
		report: found("x")}.shown(t)); diff != "" {
		t.Error(diff)
	}
	if got := (staged{files: map[string]string{"api/pods.json": twoPods},
		signs: []evidence.SignMatch{inPod}, report: found("x")}).shown(t); len(got) != 3 {
		t.Errorf("beside the pod's own moments something is shown: %q", got)
	}
}

func TestWhatAFindingCitesIsTiedToIt(t *testing.T) {
	files := map[string]string{
		"events.json": jsonList(windows("08:00:00", "nssm", 1, "error", "bad"), windows("08:10:00",
			"nssm", 1, "information", "well")),
		"files.json": `[{"path":"C:\\k\\cni.conf","outcome":"copied",
			"modifiedAt":"2026-11-19T00:00:01Z"},{"path":"C:\\k\\b","outcome":"copied",
			"modifiedAt":"2026-11-19T00:00:02Z"}]`}
	const conf, other, bad, well = `11-19 00:00:01 file files: changed: C:\k\cni.conf`,
		`11-19 00:00:02 file files: changed: C:\k\b`,
		"11-20 08:00:00 event windows fail: nssm: bad", "11-20 08:10:00 event windows: nssm: well"
	for _, row := range []struct {
		name    string
		because evidence.Because
		want    []string
	}{
		{"an event", evidence.Because{Path: "events.json", Field: "/0"}, []string{conf, other,
			bad + " [x]", well}},
		{"an event that is not bad", evidence.Because{Path: "events.json", Field: "/1"},
			[]string{conf,
				other, bad, well + " [x]"}},
		{"a file, in any case", evidence.Because{Path: evidence.EvidencePath(`c:\K\CNI.conf`),
			Line: 3}, []string{conf + " [x]", other, bad, well}},
		{"a line of a log", evidence.Because{Path: kubeletLog, Line: 7,
			Text: "E1120 09:00:00.0 1 x.go:1] no network"},
			[]string{conf, other, bad, well, "11-20 09:00:00 log kubelet fail: no network [x]"}},
		{"a log without a line", evidence.Because{Path: kubeletLog,
			Text: "E1120 09:00:00.0 1 x.go:1] no network"}, []string{conf, other, bad, well}},
		{"a line of a log that has no time", evidence.Because{Path: kubeletLog, Line: 7,
			Text: "no network"}, []string{conf, other, bad, well}},
		{"a line of what is no log", evidence.Because{Path: "outputs/a.txt", Line: 7,
			Text: "E1120 09:00:00.0 1 x.go:1] no network"}, []string{conf, other, bad, well}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := checks.Report{Results: []checks.Result{{ID: "x", Status: checks.StatusFail,
				Findings: []checks.ReportFinding{{Level: "fail",
					Because: []evidence.Because{row.because}}}}}}
			if diff := cmp.Diff(row.want, staged{files: files, report: r}.shown(t)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAComponentThatDoesNotRunIsTiedToItsService(t *testing.T) {
	files := map[string]string{"events.json": jsonList(windows("08:00:00", controlManager, 7036,
		"information", "kubelet entered the running state"),
		windows("08:10:00", controlManager, 7034, "error", "kubelet ended"), windows("08:20:00",
			controlManager, 7034, "error", "containerd ended"),
		windows("08:30:00", controlManager, 7034, "error", "the Host Network Service ended"),
		windows("08:40:00", "nssm", 1, "error", "kubelet ended"))}
	for id, want := range map[string][]string{
		"kubelet-not-running": {"11-20 08:10:00 service kubelet fail: kubelet ended " +
			"[kubelet-not-running]"},
		"kubelet-service-paused": {"11-20 08:10:00 service kubelet fail: kubelet ended " +
			"[kubelet-service-paused]"},
		"runtime-not-running": {"11-20 08:20:00 service containerd fail: containerd " +
			"ended [runtime-not-running]"},
		"hns-service-crashed-or-restarted": {"11-20 08:30:00 service hns fail: the Host Network " +
			"Service ended [hns-service-crashed-or-restarted]"},
		"kube-proxy-not-running": nil,
		"image-tag-latest":       nil,
	} {
		var tied []string
		for _, e := range (staged{files: files, report: found(id)}).timeline(t).Entries {
			if len(e.Checks) > 0 {
				tied = append(tied, shown(e))
			}
		}
		if diff := cmp.Diff(want, tied); diff != "" {
			t.Errorf("%s:\n%s", id, diff)
		}
	}
}
