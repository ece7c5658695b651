package session

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/node"
	"doctor/collectors"
	"doctor/collectors/tree"
)

// reader is a live run over made-up collectors: "name answers" to what they read.
func reader(t *testing.T, list ...collectors.Collector) *Live {
	t.Helper()
	logs := collectors.Collector{Name: "logs", Answers: []string{"logs/"},
		Read: func(context.Context, *collectors.Record) error { return nil }}
	return (&Live{plan: plan{checks: faults.Catalogue(), collectors: append(list, logs),
		origin:  checks.Source{Kind: "live", Name: "win-1", Format: "evidence/v1"},
		timeout: time.Minute}}).Fresh()
}

func brings(path string, v any) collectors.Collector {
	return collectors.Collector{Name: path, Answers: []string{path},
		Read: func(_ context.Context, r *collectors.Record) error {
			r.JSON(path, v)
			return nil
		}}
}

func TestALiveRunJudgesWhatItRead(t *testing.T) {
	l := reader(t,
		brings("os.json", map[string]any{"build": 20348, "ubr": 2700}),
		brings("pending-reboot.json", map[string]any{"pending": true,
			"reasons": []string{"windows-update"}}),
		collectors.Collector{Name: "HNS networks", Answers: []string{"hns-networks.json"},
			Deadline: 10 * time.Millisecond,
			Read:     func(ctx context.Context, _ *collectors.Record) error { select {} }},
	)
	l.Read(t.Context(), func() {})
	report, _, err := l.Report()
	if err != nil {
		t.Fatal(err)
	}
	if report.Source.Kind != "live" || report.Node.Build != "10.0.20348.2700" ||
		report.Node.Name != "win-1" {
		t.Errorf("the report is of %v, %v", report.Source, report.Node)
	}
	if got := report.Result("reboot-pending").Status; got != checks.StatusWarn {
		t.Errorf("the pending reboot is %s", got)
	}
	found := false
	for _, g := range report.Gaps {
		found = found || g.Path == "hns-networks.json" &&
			strings.HasPrefix(g.Reason, "timeout: HNS networks did not answer within 10ms")
	}
	if !found {
		t.Errorf("no gap tells that HNS hangs: %v", report.Gaps)
	}
	for _, r := range l.readings {
		if r.State != collectors.Done {
			t.Errorf("after the run, %v is open", r.Answers)
		}
	}
}

func TestAnInterruptedReadingGivesNoEvidence(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Read(ctx, Options{Timeout: time.Minute, Passive: true}, false)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the run ended with %v", err)
	}
}

// TestTheFeedTellsHowTheReadingGoes: verdicts that rest on what is still being
// read are open, others are there, and in the end all are.
func TestTheFeedTellsHowTheReadingGoes(t *testing.T) {
	release, released := make(chan bool), false
	l := reader(t,
		brings("pending-reboot.json", map[string]any{"pending": true,
			"reasons": []string{"windows-update"}}),
		collectors.Collector{Name: "memory", Answers: []string{"memory.json"},
			Read: func(_ context.Context, r *collectors.Record) error {
				<-release
				r.JSON("memory.json", map[string]any{"totalBytes": 8 << 30, "pageFiles": []any{}})
				return nil
			}},
	)
	feed := l.Feed(t.Context())
	first := <-feed.Updates
	if first.Done || len(first.Open) == 0 ||
		len(first.Report.Results) != len(faults.Catalogue().All()) {
		t.Fatalf("the first update has %d rows, %d open, done %v", len(first.Report.Results),
			len(first.Open), first.Done)
	}
	for u := range feed.Updates {
		_, openMemory := u.Open["pagefile-disabled"]
		_, openReboot := u.Open["reboot-pending"]
		if u.Done {
			if len(u.Open) > 0 ||
				u.Report.Result("pagefile-disabled").Status == checks.StatusUnknown {
				t.Errorf("at the end %v is open, and the page file is %s", u.Open,
					u.Report.Result("pagefile-disabled").Status)
			}
			return
		}
		if openMemory && !openReboot &&
			u.Report.Result("reboot-pending").Status == checks.StatusWarn && !released {
			close(release)
			released = true
		}
	}
}

// TestASearchThatWasGivenUpAcquitsNobody: of logs whose search had no end, no
// check may say that a text is not in them.
func TestASearchThatWasGivenUpAcquitsNobody(t *testing.T) {
	l := reader(t)
	const log, started = "logs/kubelet/kubelet.log", "] Started kubelet"
	l.tree.Add(log, tree.File{Content: []byte("I1120 10:00:00.000000 1 server.go:1" + started + "\n")})
	l.tree.Gap("signs.json", evidence.RunTimedOut.Gap("log lines"))
	for _, searched := range []bool{false, true} {
		if searched {
			l.tree.JSON("signs.json", []evidence.SignMatch{{Check: node.LogStarts, Text: started,
				Path: log, Line: 1, Found: started}}) // the log goes back to the kubelet's start
			l.tree.JSON("events.json", []string{})
		}
		report, _, err := l.Report()
		if err != nil {
			t.Fatal(err)
		}
		passed := 0
		for _, r := range report.Results {
			if c := faults.Catalogue().ByID(r.ID); c.Run == nil && r.Status == checks.StatusPass {
				passed++
			}
		}
		if (passed > 0) != searched {
			t.Errorf("searched %v: %d checks pass that go by the logs alone", searched, passed)
		}
	}
}

func TestAnEventLogThatDidNotAnswerIsNoEmptyOne(t *testing.T) {
	l := reader(t, collectors.Collector{Name: "event logs", Answers: []string{"events.json"},
		Read: func(_ context.Context, r *collectors.Record) error {
			r.JSON("events.json", []string{})
			return collectors.GapError(evidence.Reported.OfKind(evidence.Denied,
				"event log System: run as Administrator"))
		}})
	l.Read(t.Context(), func() {})
	s, err := evidence.Load(l.tree.FS())
	if err != nil {
		t.Fatal(err)
	}
	if got := l.unsearched(s); len(got) != 1 ||
		got[0].String() != "events.json: event log System: run as Administrator" {
		t.Errorf("unsearched is %v", got)
	}
}
