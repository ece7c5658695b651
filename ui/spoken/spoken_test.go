package spoken

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/fixtures/wait"
	"doctor/ui"
	"doctor/ui/lang"
	"doctor/ui/tui"
)

var began = time.Date(2026, 11, 20, 10, 2, 0, 0, time.UTC)

func sample() checks.Report {
	return checks.Report{
		Source: checks.Source{Kind: "demo", Name: "x", Format: "evidence/v1"}, CollectedAt: began,
		Node: checks.NodeFacts{Name: "win-1", OS: "Windows Server 2019"},
		Causes: []checks.Cause{{ID: "podcidr-not-assigned",
			Consequences: []string{"subnet-env-missing"}}},
		Results: []checks.Result{
			{ID: "subnet-env-missing", Title: "subnet.env is missing", Status: checks.StatusFail,
				ExplainedBy: []string{"podcidr-not-assigned"},
				Findings: []checks.ReportFinding{{Level: "fail",
					Message: "flanneld has not written its lease. The CNI plugin reads it."}}},
			{ID: "dns-suffix", Title: "DNS suffix", Status: checks.StatusUnknown,
				Gap: "denied: run as Administrator", Missing: evidence.NeedsAdministrator.Gap()},
			{ID: "podcidr-not-assigned", Title: "the node has no pod CIDR",
				Status: checks.StatusFail,
				Findings: []checks.ReportFinding{{Level: "fail", Subject: "win-1",
					Message: "the Node object has no podCIDR, e.g. 10.244.2.0/24. It stays so.",
					Because: []evidence.Because{{Path: "logs/flanneld/flanneld.log", Line: 5,
						Text: "pod cidr not assigned"}}}},
				Fix: checks.Fix{Steps: []*checks.Step{
					{Kind: checks.StepRun, Text: "set one", Command: "Restart-Service flanneld",
						Impact: "pods lose their network for some seconds"}}}},
			{ID: "drive-full", Title: "the disk is full", Status: checks.StatusPass},
			{ID: "calico", Title: "Calico waits", Status: checks.StatusSkip,
				Reason: "this node uses flannel"},
		},
	}
}

// told is what a run says to these answers.
func told(t *testing.T, feed tui.Feed, answers ...string) string {
	t.Helper()
	var out bytes.Buffer
	ctx, stop := context.WithTimeout(t.Context(), wait.Limit)
	defer stop()
	if _, err := Run(ctx, strings.NewReader(strings.Join(answers, "\n")), &out, feed,
		Options{Ask: answers != nil}); err != nil {
		t.Fatal(err)
	}
	if i := strings.IndexAny(out.String(), "\x1b\r\x07"); i >= 0 {
		t.Errorf("a sequence for terminals at %d of %q", i, out.String())
	}
	return out.String()
}

func mustSay(t *testing.T, got string, inOrder ...string) {
	t.Helper()
	at := 0
	for _, want := range inOrder {
		i := strings.Index(got[at:], want+"\n")
		if i < 0 {
			t.Fatalf("%q is not said, or too early, in:\n%s", want, got)
		}
		at += i
	}
}

func TestARecordingTellsItsCausesFirst(t *testing.T) {
	mustSay(t, told(t, tui.Finished(sample(), evidence.Snapshot{})),
		"Node win-1, Windows Server 2019.",
		"Recorded 2026-11-20 10:02 UTC, demo x.",
		"Cause 1 of 1, check 3, the node has no pod CIDR: fail: the Node object has no podCIDR, e.g. 10.244.2.0/24.",
		"  Do first: Restart-Service flanneld",
		"  Consequences: check 1.",
		"Check 1 of 5, subnet.env is missing: fail: flanneld has not written its lease.",
		"Check 3 of 5, the node has no pod CIDR: fail: the Node object has no podCIDR, e.g. 10.244.2.0/24.",
		"Check 2 of 5, DNS suffix: unknown, could not run: denied: run as Administrator.",
		"Check 4 of 5, the disk is full: pass.",
		"Check 5 of 5, Calico waits: does not apply: this node uses flannel.",
		"Fix first: Restart-Service flanneld, which fixes podcidr-not-assigned.")
}

// reading is an update after so many seconds, in which these checks are open.
func reading(after time.Duration, open ...string) tui.Update {
	u := tui.Update{Report: sample(), At: began.Add(after), Open: map[string]checks.Status{},
		Done: open == nil}
	for _, id := range open {
		u.Open[id] = tui.StatusReading
	}
	if !u.Done {
		u.Reading = []tui.Reading{{Name: "HNS", Since: began}}
	}
	return u
}

func ofAll(updates ...tui.Update) tui.Feed {
	c := make(chan tui.Update, len(updates))
	for _, u := range updates {
		c <- u
	}
	return tui.Feed{Updates: c}
}

func TestALiveRunTellsEachVerdictOnce(t *testing.T) {
	all := []string{"subnet-env-missing", "dns-suffix", "podcidr-not-assigned", "drive-full",
		"calico"}
	got := told(t, ofAll(
		reading(0, all...), reading(time.Second, all[:3]...), reading(2*time.Second, all[:3]...),
		reading(4*time.Second, all[:3]...),
		reading(6*time.Second, all[:3]...), reading(7*time.Second, all[:3]...),
		reading(8*time.Second, all[:2]...), reading(12*time.Second, all[:2]...),
		reading(13*time.Second)))
	mustSay(t, got,
		"Reading this node, 5 checks. Each verdict is printed as soon as it is known.",
		"Check 4 of 5, the disk is full: pass.",
		"Check 5 of 5, Calico waits: does not apply: this node uses flannel.",
		"Still reading HNS, 6 seconds. 3 checks open.",
		"Check 3 of 5, the node has no pod CIDR: fail: the Node object has no podCIDR, e.g. 10.244.2.0/24.",
		"Check 1 of 5, subnet.env is missing: fail: flanneld has not written its lease.",
		"All is read.",
		"Cause 1 of 1, check 3, the node has no pod CIDR: fail: the Node object has no podCIDR, e.g. 10.244.2.0/24.")
	if n := strings.Count(got, "Still reading"); n != 1 {
		t.Errorf("said %d times that it is still reading:\n%s", n, got)
	}
	if n := strings.Count(got, "Check 4 of 5"); n != 1 {
		t.Errorf("a verdict that passes is said %d times:\n%s", n, got)
	}
}

func TestANodeIsReadAgain(t *testing.T) {
	c := make(chan tui.Update, 3)
	c <- reading(0, "calico")
	c <- reading(1)
	feed := tui.Feed{Updates: c, Again: func() { c <- reading(5, "calico"); c <- reading(6) }}
	got := told(t, feed, "r", "q")
	if n := strings.Count(got, "All is read."); n != 2 {
		t.Errorf("read %d times:\n%s", n, got)
	}
}

func TestAnswers(t *testing.T) {
	s, err := evidence.Load(fstest.MapFS{
		"meta.json": {
			Data: []byte(
				`{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z"}`)},
		"logs/flanneld/flanneld.log": {
			Data: []byte("1\n2\n3\n\x1b[2J4\n五 pod cidr not assigned\n6\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		answers []string
		want    []string
	}{
		{"a number tells the details", []string{"3"}, []string{
			"Id podcidr-not-assigned, category .",
			"Finding 1 of 1, of win-1: fail: the Node object has no podCIDR, e.g. 10.244.2.0/24. It stays so.",
			"  Evidence: logs/flanneld/flanneld.log line 5: pod cidr not assigned",
			"It explains check 1.", "Step 1. set one", "Command: Restart-Service flanneld",
			"Impact: pods lose their network for some seconds"}},
		{"so does an id", []string{"subnet-env-missing"},
			[]string{"Id subnet-env-missing, category .", "It follows from check 3."}},
		{"e tells the evidence of the check before", []string{"3", "e"}, []string{
			"Type a number for details, e for evidence of check 3, c for the causes, a for all verdicts, q to quit.",
			"logs/flanneld/flanneld.log line 5: pod cidr not assigned", "  Line 2: 2",
			"  Line 5, cited: 五 pod cidr not assigned", "  Line 6: 6"}},
		{"e takes a number", []string{"e 3"},
			[]string{"Evidence of check 3, the node has no pod CIDR."}},
		{"e takes a number without a space", []string{"E3"},
			[]string{"Evidence of check 3, the node has no pod CIDR."}},
		{"e without a number asks for one", []string{"e"},
			[]string{"Type e and the number of a check, such as e 3."}},
		{"evidence that is missing is told", []string{"e 2"},
			[]string{"There is none: denied: run as Administrator"}},
		{"evidence that nobody needed", []string{"e 5"},
			[]string{"None was needed: this node uses flannel"}},
		{"a number that is none", []string{"6", "0", "-1", "nonsense"},
			[]string{`There is no "6" here: a check has a number from 1 to 5.`,
				`There is no "nonsense" here: a check has a number from 1 to 5.`}},
		{"no bundle where there is none", []string{"b"},
			[]string{"No bundle can be made of this."}},
		{"a recording is not read again", []string{"r"},
			[]string{"A recording cannot be read again."}},
		{"an empty line is no answer", []string{"", ""}, nil},
		{"what is typed after q is left alone", []string{"q", "3"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			mustSay(t, told(t, tui.Finished(sample(), s), c.answers...), c.want...)
		})
	}
}

func TestErrorsThatNoCheckExplainsAreToldAfterTheCauses(t *testing.T) {
	s, err := evidence.Load(fstest.MapFS{
		"meta.json": {
			Data: []byte(
				`{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z"}`)},
		"logs/kubelet/kubelet.log": {Data: []byte("before\nE one\nafter\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := sample()
	for _, text := range []string{"one", "two", "three", "four"} {
		r.Unexplained = append(r.Unexplained, checks.Unexplained{Component: "kubelet",
			Text: "E " + text, Count: 2, Last: began, Path: "logs/kubelet/kubelet.log", Line: 2,
			Codes: []checks.DecodedCode{{Code: "0x490", Symbol: "ERROR_NOT_FOUND",
				Meaning: "the network does not exist"}}})
	}
	first := []string{
		"Error 1 of 4 that no check explains, kubelet: E one",
		"  0x490 is ERROR_NOT_FOUND: the network does not exist",
		"  2 times, 2026-11-20 10:02:00.",
		"  Evidence: logs/kubelet/kubelet.log line 2",
		"Error 3 of 4 that no check explains, kubelet: E three"}
	mustSay(t, told(t, tui.Finished(r, s)), append(append([]string{}, first...),
		"Error 4 of 4 that no check explains, kubelet: E four")...)
	mustSay(t, told(t, tui.Finished(r, s), "q"), append(append([]string{"  Consequences: check 1."},
		first...), "1 more: type u.",
		"Check 3 of 5, the node has no pod CIDR: fail: the Node object has no podCIDR, e.g. 10.244.2.0/24.")...)
	choices := "Type a number for details, e and a number for evidence of it, c for the causes, " +
		"a for all verdicts, u for the errors that no check explains, q to quit."
	mustSay(t, told(t, tui.Finished(r, s), "u"), append(append([]string{choices}, first...),
		"Error 4 of 4 that no check explains, kubelet: E four")...)
	for _, answer := range []string{"u 1", "u1"} {
		mustSay(t, told(t, tui.Finished(r, s), answer), choices,
			"logs/kubelet/kubelet.log line 2: E one", "  Line 1: before", "  Line 2, cited: E one",
			"  Line 3: after")
	}
	mustSay(t, told(t, tui.Finished(r, s), "u 5", "u x"),
		`There is no error "5" here: errors have numbers from 1 to 4.`,
		`There is no error "x" here: errors have numbers from 1 to 4.`)
	if got := told(t, tui.Finished(sample(), s), "u"); strings.Contains(got, "u for the errors") ||
		!strings.Contains(got, "No unexplained errors in the logs and events that were read.") {
		t.Errorf("where there are no errors:\n%s", got)
	}
}

func TestABundleIsAskedForAndTold(t *testing.T) {
	var got []string
	var fails error
	b := &tui.Bundler{Folder: "/home", Name: func(evidence.Snapshot) string { return "win-1.zip" },
		Write: func(_ context.Context, _ evidence.Snapshot, path string,
			tell func(tui.BundleProgress)) (tui.BundleDone, error) {
			got = append(got, path)
			tell(tui.BundleProgress{})
			return tui.BundleDone{Path: "/home/" + path, Size: 2048, Files: 3,
				Redacted: []tui.Redacted{{Kind: "password", Count: 2}},
				LeftOut: []ui.LeftOut{{Path: "a.etl", Why: evidence.Phrasef("binary")},
					{Path: "b.log", Bytes: 1 << 20}}, Issue: "### What happened?\n\n  x\n"}, fails
		}}
	feed := tui.Finished(sample(), evidence.Snapshot{})
	feed.Bundle = b
	mustSay(t, told(t, feed, "b", "", "i"),
		"A bundle is one zip for a bug report, without the secrets. Type a file name, an empty line for win-1.zip, or q to go back.",
		"The bundle is written: /home/win-1.zip", "It has 2.0 kibibytes and 3 files.",
		"Secrets replaced: 2 of the kind password.",
		"Left out: a.etl: binary", "Left out: b.log: in part, 1.0 mebibytes of it",
		"### What happened?", "  x")
	feed = tui.Finished(sample(), evidence.Snapshot{})
	feed.Bundle = b
	told(t, feed, "b", "mine.zip", "", "b", "q")
	fails = errors.New("the disk is full")
	feed = tui.Finished(sample(), evidence.Snapshot{})
	feed.Bundle = b
	mustSay(t, told(t, feed, "b", "x"), "No bundle was written: the disk is full.")
	if want := []string{"win-1.zip", "mine.zip", "x"}; !slices.Equal(got, want) {
		t.Errorf("wrote %q, want %q", got, want)
	}
}

func TestTheContextEndsTheTalk(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	in := &silent{asked: stop}
	_, err := Run(ctx, in, &bytes.Buffer{}, tui.Finished(sample(), evidence.Snapshot{}),
		Options{Ask: true})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("returned %v", err)
	}
	if _, err := Run(ctx, in, &bytes.Buffer{}, tui.Feed{Updates: make(chan tui.Update)},
		Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("while reading, returned %v", err)
	}
}

// silent is a keyboard that nobody touches.
type silent struct{ asked func() }

func (s *silent) Read([]byte) (int, error) {
	s.asked()
	select {}
}

func TestSentences(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "",
		"one":                             "one.",
		"One. Two.":                       "One.",
		"version v1.2. Next":              "version v1.2.",
		"see e.g. This one. And":          "see e.g. This one.",
		"a.b.c and 10.0.0.1 stay. More":   "a.b.c and 10.0.0.1 stay.",
		"it is so. but goes on. Here not": "it is so. but goes on.",
		"节点没有网段。":                         "节点没有网段。",
		strings.Repeat("宽", 200):          strings.Repeat("宽", 100) + " (cut).",
		"two\nlines here":                 "two lines here.",
	} {
		if got := sentence(text); got != want {
			t.Errorf("of %q: %q, want %q", text, got, want)
		}
	}
}

func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{"3\ne\n", "e99999999999999999999", "b\n", "e \n", "E3e",
		strings.Repeat("9", 5000)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		var out bytes.Buffer
		if _, err := Run(t.Context(), strings.NewReader(typed), &out,
			tui.Finished(sample(), evidence.Snapshot{}), Options{Ask: true}); err != nil {
			t.Error(err)
		}
		if i := strings.IndexFunc(out.String(), func(c rune) bool {
			return c < 0x20 && c != '\n' || c >= 0x7f && c < 0xa0
		}); i >= 0 {
			t.Errorf("a control character at %d of %q", i, out.String())
		}
	})
}

func TestItIsToldInChinese(t *testing.T) {
	r := sample()
	for _, row := range []struct {
		opt  Options
		want []string
	}{
		{Options{Ask: true, Lang: lang.Of("zh", faults.Catalogue())},
			[]string{"节点 win-1，Windows Server 2019。", "采集于 2026-11-20 10:02 UTC，演示 x。",
				"  首先处理：Restart-Service flanneld", "检查 4 / 5，the disk is full：正常。",
				"输入编号查看详情、e 加编号查看该项的证据、c 查看根因、a 查看全部结论、q 退出。", "检查 3 的证据，节点没有 podCIDR。"}},
		{Options{Ask: true, ASCII: true, Lang: lang.Of("zh", faults.Catalogue())},
			[]string{"Node win-1, Windows Server 2019."}},
	} {
		var out bytes.Buffer
		if _, err := Run(t.Context(), strings.NewReader("3\ne\nq\n"), &out,
			tui.Finished(r, evidence.Snapshot{}), row.opt); err != nil {
			t.Fatal(err)
		}
		mustSay(t, out.String(), row.want...)
		if i := strings.IndexFunc(out.String(), func(r rune) bool {
			return row.opt.ASCII && r > 0x7f
		}); i >= 0 {
			t.Errorf("ASCII holds %q", out.String()[i:])
		}
	}
	if strings.Contains(r.Results[2].Title, "没有") {
		t.Error("the report itself was changed")
	}
}
