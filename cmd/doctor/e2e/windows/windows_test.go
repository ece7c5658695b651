package windows_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"doctor/checks"
	"doctor/fixtures/program"
	"doctor/fixtures/wine"
)

// maxLiveMemory is what a live run may take, Wine's own part included.
const maxLiveMemory = 100 << 20

// TestWine runs the Windows program itself on staged nodes.
func TestWine(t *testing.T) {
	wine.Require(t)
	exe := program.BuildFor(t, "windows", "amd64")
	for _, c := range []struct{ name, fixture string }{
		{"a healthy node, its HNS read through hcsshim", "healthy"},
		{"a healthy node of nssm services, its HNS read through the older interface",
			"healthy-host-gw"},
		{"the pod network is gone from HNS", "network-missing"},
		{"the pod network is gone from an HNS that only the older interface reaches",
			"network-missing-host-gw"},
		{"HNS and the runtime hang", "hung"},
		{"HNS is not installed", "hns-absent"},
		{"HNS answers with an error", "hns-error"},
		{"HNS does not run", "hns-stopped"},
		{"HNS is stopped, and would be started by a question", "hns-service-stopped"},
		{"an object of HNS vanishes between its listing and its reading", "hns-object-vanishes"},
		{"nssm starts the kubelet with a flag that is no more", "nssm-removed-flag"},
		{"a run without administrator's rights", "not-elevated"},
		{"logs and configuration are read while their writers hold them", "locked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := wineFixture(t, c.fixture)
			w := parseLiveWant(t, f.Want)
			n := wine.Start(t, f, exe)
			run := n.Run
			if w.limited {
				run = n.RunLimited
			}
			// for a busy machine, whose disk and memory the staged node shares
			r := run(append([]string{"--json", "--verbose", "--timeout", "5m", "--skip",
				"node-under-pressure"}, w.args...)...)
			w.compare(t, r)
			t.Logf("%v, %d MB at most", r.Wall.Round(time.Millisecond), r.Peak/1e6)
		})
	}
}

func wineFixture(t testing.TB, name string) wine.Fixture {
	t.Helper()
	f, err := wine.Read(os.DirFS("testdata"), name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A liveWant is what a fixture expects of a run, from lines of its want section:
//
//	args ARGS…          what the program is given besides --json
//	rights limited      it runs without administrator's rights
//	exit STATUS
//	causes ID… or none  all of them, in their order
//	STATUS ID…          the verdict of these checks
//	gap PATH START      evidence that is not there, and how the reason begins
//	read PATH…          evidence that has no gap
//	provenance FACT PATH where a fact about the node was read
//	says TEXT           text of the report
//	stderr TEXT         text of what --verbose tells
type liveWant struct {
	args    []string
	limited bool
	exit    int
	causes  []string
	lines   [][]string
}

func parseLiveWant(t *testing.T, text string) liveWant {
	t.Helper()
	var w liveWant
	var err error
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		switch words[0] {
		case "args":
			w.args = words[1:]
		case "rights":
			w.limited = words[1] == "limited"
		case "exit":
			w.exit, err = strconv.Atoi(words[1])
		case "causes":
			w.causes = slices.DeleteFunc(words[1:], func(id string) bool { return id == "none" })
		default:
			w.lines = append(w.lines, words)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w liveWant) compare(t *testing.T, r wine.Result) {
	t.Helper()
	var report checks.Report
	if err := json.Unmarshal([]byte(r.Stdout), &report); err != nil {
		t.Fatalf("exit status %d, and no report: %v\n%s%s", r.Status, err, r.Stdout, r.Stderr)
	}
	var causes []string
	for _, c := range report.Causes {
		causes = append(causes, c.ID)
	}
	if r.Status != w.exit || !slices.Equal(causes, w.causes) {
		t.Errorf("exit status %d with causes %v, want %d with %v", r.Status, causes, w.exit,
			w.causes)
	}
	if report.Source.Kind != "live" {
		t.Errorf("the source is %s", report.Source.Kind)
	}
	for _, words := range w.lines {
		w.line(t, report, r, words)
	}
	if r.Peak > maxLiveMemory {
		t.Errorf("took %d MB of memory", r.Peak/1e6)
	}
	if strings.Contains(r.Stderr, "panic") || strings.Contains(r.Stderr, "goroutine ") {
		t.Error("it panicked")
	}
	if t.Failed() {
		t.Logf("%s\n%.4000s", faultsOf(report), r.Stderr)
	}
}

func (w liveWant) line(t *testing.T, report checks.Report, r wine.Result, words []string) {
	t.Helper()
	gap := func(path string) string {
		for _, g := range report.Gaps {
			if g.Path == path {
				return g.Reason
			}
		}
		return ""
	}
	switch words[0] {
	case "gap":
		if start := strings.Join(words[2:], " "); !strings.HasPrefix(gap(words[1]), start) ||
			start == "" {
			t.Errorf("the gap of %s is %q, want %q", words[1], gap(words[1]), start)
		}
	case "read":
		for _, path := range words[1:] {
			if reason := gap(path); reason != "" {
				t.Errorf("%s was not read: %s", path, reason)
			}
		}
	case "provenance":
		fact, path := strings.Join(words[1:len(words)-1], " "), words[len(words)-1]
		if !slices.ContainsFunc(report.Node.Provenance, func(l checks.Provenance) bool {
			return l.Fact == fact && l.From.Path == path
		}) {
			t.Errorf("%s was not found in %s: %+v", fact, path, report.Node.Provenance)
		}
	case "says":
		if said := strings.Join(words[1:], " "); !strings.Contains(r.Stdout, said) {
			t.Errorf("the report does not say %q", said)
		}
	case "stderr":
		if said := strings.Join(words[1:], " "); !strings.Contains(r.Stderr, said) {
			t.Errorf("standard error does not say %q", said)
		}
	default:
		for _, id := range words[1:] {
			if result := report.Result(id); result == nil || string(result.Status) != words[0] {
				t.Errorf("%s is %+v, want %s", id, result, words[0])
			}
		}
	}
}

// faultsOf is the report in short, for a test that fails.
func faultsOf(report checks.Report) string {
	var b bytes.Buffer
	for _, r := range report.Results {
		if r.Status == checks.StatusFail || r.Status == checks.StatusWarn {
			for _, f := range r.Findings {
				b.WriteString(string(r.Status) + " " + r.ID + ": " + f.Message + "\n")
			}
		}
	}
	for _, g := range report.Gaps {
		if !strings.HasPrefix(g.Path, "api/") {
			b.WriteString("gap " + g.Path + ": " + g.Reason + "\n")
		}
	}
	return b.String()
}
