package timeline

import (
	"fmt"
	"testing"

	"doctor/checks"
	"doctor/checks/evidence"
)

// began is the moment with which the fault began, as the screen marks it.
func began(t *testing.T, n staged) string {
	t.Helper()
	tl := n.timeline(t)
	if tl.FirstBad < 0 {
		return "untold " + fmt.Sprint(tl.Untold)
	}
	if tl.Untold {
		t.Error("it is told when it began, and said that it is not")
	}
	e := tl.Entries[tl.FirstBad]
	return e.At.Format("15:04:05 ") + e.Text
}

func bootedAt(clock string) string {
	return `{"build":17763,"bootedAt":"2026-11-20T` + clock +
		`Z"}`
}

// kubelet is a record of what its service went through: down, up or failed.
func kubelet(at, state string) string {
	switch state {
	case "up":
		return windows(at, controlManager, 7036, "information", "kubelet entered the running state")
	case "down":
		return windows(at, controlManager, 7036, "information", "kubelet entered the stopped state")
	}
	return windows(at, controlManager, 7040, "information",
		"kubelet was changed from auto start to disabled")
}

func docker(at, state string) string {
	return windows(at, controlManager, 7036, "information", "docker entered the "+state+" state")
}

func TestWhenAServiceBeganToFail(t *testing.T) {
	for _, row := range []struct {
		name, boot string
		events     []string
		want       string
	}{
		{"it stopped once", "", []string{kubelet("08:00:00", "up"), kubelet("09:00:00", "down")},
			"09:00:00 kubelet entered the stopped state"},
		{"it ran for ten minutes in between", "", []string{kubelet("07:00:00", "down"),
			kubelet("08:00:00", "up"), kubelet("08:10:00", "down")},
			"08:10:00 kubelet entered the stopped state"},
		{"it ran for less in between", "", []string{kubelet("07:00:00", "down"),
			kubelet("08:00:00", "up"), kubelet("08:09:59", "down")},
			"07:00:00 kubelet entered the stopped state"},
		{"it was started twice, and ran for long since the first", "",
			[]string{kubelet("07:00:00", "down"), kubelet("08:00:00", "up"), kubelet("08:08:00",
				"up"), kubelet("08:12:00", "down")}, "08:12:00 kubelet entered the stopped state"},
		{"another service ran for long in between", "", []string{kubelet("07:00:00", "down"),
			docker("07:00:10", "running"), docker("08:00:00", "stopped"), kubelet("08:10:00",
				"down")}, "07:00:00 kubelet entered the stopped state"},
		{"it stopped before the last boot too", bootedAt("08:00:00"),
			[]string{kubelet("07:30:00", "down"), kubelet("08:05:00", "down")},
			"08:05:00 kubelet entered the stopped state"},
		{"it stopped only before the last boot", bootedAt("08:00:00"),
			[]string{kubelet("07:30:00", "down")}, "07:30:00 kubelet entered the stopped state"},
		{"it was disabled before the last boot, and stays so", bootedAt("08:00:00"),
			[]string{kubelet("07:30:00", "disabled"), kubelet("08:05:00", "down")},
			"07:30:00 kubelet was changed from auto start to disabled"},
		{"its stop lies behind the recording", "", []string{kubelet("10:00:01", "down")},
			"untold true"},
		{"its stop is the moment of the recording", "", []string{kubelet("10:00:00", "down")},
			"10:00:00 kubelet entered the stopped state"},
		{"nothing is known of it", "", []string{docker("09:00:00", "stopped")}, "untold true"},
		{"Windows told of a failure in the same minute", "",
			[]string{windows("08:59:59", "nssm", 1, "error", "too early"), windows("09:00:00",
				"nssm", 1, "error", "no memory"),
				windows("09:00:10", "nssm", 1, "warning", "low memory"),
				kubelet("09:00:20", "down")},
			"09:00:00 nssm: no memory"},
		{"the very first event is a failure in the same minute", "",
			[]string{windows("09:00:00", "nssm", 1, "error", "no memory"), kubelet("09:00:20",
				"down")}, "09:00:00 nssm: no memory"},
		{"in the same minute there was only a warning", "",
			[]string{windows("09:00:10", "nssm", 1, "warning", "low memory"), kubelet("09:00:20",
				"down")}, "09:00:20 kubelet entered the stopped state"},
	} {
		t.Run(row.name, func(t *testing.T) {
			n := staged{files: map[string]string{"events.json": jsonList(row.events...)},
				report: found("kubelet-not-running")}
			if row.boot != "" {
				n.files["os.json"] = row.boot
			}
			if got := began(t, n); got != row.want {
				t.Errorf("it began %s, want %s", got, row.want)
			}
		})
	}
}

func TestWhenALineOrAnEventBeganToTellOfIt(t *testing.T) {
	early := func(m *evidence.SignMatch) {
		m.Line, m.Time, m.Last, m.Found = 1, at("07:00:00"), at("07:00:00"), "early"
	}
	inEvent := func(m *evidence.SignMatch) {
		m.Path, m.Line, m.Field = evidence.WindowsEvents.Path(), 0, "/0"
	}
	for _, row := range []struct {
		name, boot string
		signs      []evidence.SignMatch
		want       string
	}{
		{"the first line", "06:00:00", []evidence.SignMatch{sign("a"), sign("a", early)},
			"07:00:00 early"},
		{"the first line since the boot", "08:00:00", []evidence.SignMatch{sign("a"),
			sign("a", early)}, "09:00:00 no network"},
		{"the first line since the boot, not the event before it", "08:00:00",
			[]evidence.SignMatch{sign("a", inEvent), sign("a")}, "09:00:00 no network"},
		{"the event, where the boot was before", "06:00:00",
			[]evidence.SignMatch{sign("a", inEvent), sign("a")}, "07:30:00 nssm: refused"},
		{"a line of another fault does not count", "06:00:00", []evidence.SignMatch{sign("a"),
			sign("b", early)}, "09:00:00 no network"},
		{"a line that is over does not count", "06:00:00", []evidence.SignMatch{sign("a"),
			sign("a", early, over)}, "09:00:00 no network"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := found("a")
			r.Results = append(r.Results, checks.Result{ID: "b", Status: checks.StatusFail})
			n := staged{files: map[string]string{"os.json": bootedAt(row.boot),
				"events.json": jsonList(windows("07:30:00", "nssm", 1, "information", "refused"))},
				signs: row.signs, report: r}
			if got := began(t, n); got != row.want {
				t.Errorf("it began %s, want %s", got, row.want)
			}
		})
	}
}

// TestWhenTheNodeBeganNotToBeReady: what a service, a log, a pod and the node itself told before
// the node was last Ready is past, where the fault is that it is not Ready, and only there.
func TestWhenTheNodeBeganNotToBeReady(t *testing.T) {
	nodeEvent := func(at, reason string) string {
		return fmt.Sprintf(`{"type":"Normal","reason":%q,"message":"m",
			"involvedObject":{"kind":"Node","name":"win-1"},"lastTimestamp":"2026-11-20T%sZ"}`,
			reason, at)
	}
	flapped := items(nodeEvent("06:00:00", "NodeNotReady"), nodeEvent("08:00:00", "NodeReady"),
		nodeEvent("09:00:00", "NodeNotReady"), nodeEvent("10:30:00", "NodeReady"))
	citing := func(cause string, more string, because evidence.Because) checks.Report {
		r := found(cause, more)
		r.Results[0].Findings = []checks.ReportFinding{{Level: "fail", Subject: "web/a",
			Because: []evidence.Because{
				{Path: "api/events.json", Field: "/items/0"},
				{Path: "api/events.json", Field: "/items/2/reason"}, because}}}
		return r
	}
	early := evidence.Because{Path: kubeletLog, Line: 1, Text: "E1120 05:00:00.0 1 x.go:1] early"}
	events := map[string]string{"api/events.json": flapped,
		"events.json": jsonList(kubelet("05:00:00", "down")),
		"api/pods.json": `{"items":[{"metadata":{"namespace":"web","name":"a"},
			"status":{"containerStatuses":[{"name":"c","state":{"terminated":{"exitCode":1,
			"finishedAt":"2026-11-20T05:30:00Z"}}}]}}]}`}
	for _, row := range []struct {
		name   string
		report checks.Report
		files  map[string]string
		want   string
	}{
		{"it was Ready in between", citing("node-not-ready", "x", evidence.Because{}), events,
			"09:00:00 NodeNotReady win-1: m"},
		{"it is lost, and was Ready in between", citing("node-not-ready-lost", "x",
			evidence.Because{}), events, "09:00:00 NodeNotReady win-1: m"},
		{"not being Ready follows from the cause", citing("kubelet-not-running", "node-not-ready",
			early), events, "09:00:00 NodeNotReady win-1: m"},
		{"the cause does not make the node not Ready", citing("x", "y", early), events,
			"05:00:00 early"},
		{"nothing says that it was Ready", citing("node-not-ready", "x", evidence.Because{}),
			map[string]string{"api/events.json": items(nodeEvent("06:00:00", "NodeNotReady"),
				nodeEvent("07:00:00", "Rebooted"), nodeEvent("09:00:00", "NodeNotReady"))},
			"06:00:00 NodeNotReady win-1: m"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := began(t, staged{files: row.files, report: row.report}); got != row.want {
				t.Errorf("it began %s, want %s", got, row.want)
			}
		})
	}
}

func TestWhatIsBadWithoutBelongingToTheFaultIsNotItsBeginning(t *testing.T) {
	n := staged{files: map[string]string{"events.json": jsonList(windows("07:00:00", "nssm", 1,
		"error", "something else"))},
		signs: []evidence.SignMatch{sign("a")}, report: found("a")}
	if got := began(t, n); got != "09:00:00 no network" {
		t.Errorf("it began %s", got)
	}
}

// TestTheFirstCauseWithAMomentDecides: a certificate's end, for one, is no moment of the fault.
func TestTheFirstCauseWithAMomentDecides(t *testing.T) {
	r := found("b", "c")
	r.Causes = append([]checks.Cause{{ID: "a"}}, r.Causes...)
	tl := staged{signs: []evidence.SignMatch{sign("c")}, report: r}.timeline(t)
	if tl.FirstBad != 0 || tl.Cause != "b" || tl.Untold {
		t.Errorf("it began with entry %d of %q, untold %v", tl.FirstBad, tl.Cause, tl.Untold)
	}
	tl = staged{signs: []evidence.SignMatch{sign("a")},
		report: checks.Report{Results: []checks.Result{{ID: "a",
			Status: checks.StatusPass}}}}.timeline(t)
	if tl.FirstBad != -1 || tl.Cause != "" || tl.Untold {
		t.Errorf("nothing is wrong, and it began with entry %d of %q, untold %v", tl.FirstBad,
			tl.Cause, tl.Untold)
	}
}

// TestWhatRepeatsItselfBeginsWithItsFirst: of equal events a finding may cite a later one.
func TestWhatRepeatsItselfBeginsWithItsFirst(t *testing.T) {
	for _, event := range []string{"/0", "/1/message"} {
		r := found("a")
		r.Results[0].Findings = []checks.ReportFinding{{Level: "fail",
			Because: []evidence.Because{{Path: "events.json", Field: event}}}}
		n := staged{files: map[string]string{"events.json": jsonList(windows("08:00:00", "nssm", 1,
			"error", "no network"), windows("08:30:00", "nssm", 1, "error", "no network"))},
			report: r}
		if got := began(t, n); got != "08:00:00 nssm: no network" {
			t.Errorf("a finding cites event %s: it began %s", event, got)
		}
	}
}
