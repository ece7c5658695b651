package selftest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"doctor/checks/evidence"
)

// staged is a machine of which the comparisons "services" and "routes" have something.
func staged(t *testing.T) evidence.Snapshot {
	t.Helper()
	s, err := evidence.Load(fstest.MapFS{
		"meta.json":         {Data: []byte(`{"layout": "evidence/v1", "node": "win-1", "collectedAt": "2026-11-20T10:00:00Z"}`)},
		"services.json":     {Data: []byte(`[{"name": "hns", "state": "start-pending"}, {"name": "kubelet", "state": "running"}]`)},
		"routes.json":       {Data: []byte(`[{"destination": "10.0.0.0/8", "nextHop": "0.0.0.0", "ifIndex": 3, "metric": 25}]`)},
		"adapters.json.gap": {Data: []byte("denied: no rights")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRunComparesWhatStaysTheSame(t *testing.T) {
	s := staged(t)
	for _, row := range []struct {
		name, before, after string // what PowerShell says
		of                  string // the comparison
		want                Result
	}{
		{"both say the same, in their own words",
			"## services\nhns\tStartPending\nkubelet\tRunning\n", "", "services",
			Result{State: Same, Windows: 2, Doctor: 2}},
		{"PowerShell has one that doctor has not", "## services\nspooler\tRunning\n", "", "services",
			Result{State: Differs, Windows: 1, Doctor: 2,
				Differs: []string{"spooler: only PowerShell has it: Running"}}},
		{"doctor has one that PowerShell has not", "## routes\n", "", "routes",
			Result{State: Differs, Doctor: 1,
				Differs: []string{"10.0.0.0/8 0.0.0.0 3: only doctor has it: 25"}}},
		{"a value differs", "## routes\n10.0.0.0/8 0.0.0.0 3\t26\n", "", "routes",
			Result{State: Differs, Windows: 1, Doctor: 1,
				Differs: []string{"10.0.0.0/8 0.0.0.0 3: PowerShell 26, doctor 25"}}},
		{"a value that moves while doctor reads is no difference", "## routes\n10.0.0.0/8 0.0.0.0 3\t26\n",
			"## routes\n10.0.0.0/8 0.0.0.0 3\t27\n", "routes",
			Result{State: Same, Windows: 1, Doctor: 1}},
		{"what comes while doctor reads is no difference", "## routes\n",
			"## routes\n10.0.0.0/8 0.0.0.0 3\t27\n", "routes",
			Result{State: Same, Windows: 1, Doctor: 1}},
		{"PowerShell answers with an error", "## routes\n!! there is no Get-NetRoute\n", "", "routes",
			Result{State: NotCompared, Doctor: 1, Why: "PowerShell: there is no Get-NetRoute"}},
		{"PowerShell ends early", "## services\n", "", "routes",
			Result{State: NotCompared, Doctor: 1, Why: "PowerShell: it ended before it came to this"}},
		{"doctor may not look", "## adapters\nEthernet\t3\n", "", "adapters",
			Result{State: NotCompared, Windows: 1, Why: "doctor: no rights"}},
		{"HNS is started by somebody", "## HNS stays as it is\nhns\tStopped\n",
			"## HNS stays as it is\nhns\tRunning\n", "HNS stays as it is",
			Result{State: Differs, Windows: 1, Doctor: 1, Differs: []string{"before hns Stopped, after hns Running"}}},
		{"a sequence that a terminal would obey", "## routes\n10.0.0.0/8 0.0.0.0 3\t2\x1b[31m6\n", "", "routes",
			Result{State: Differs, Windows: 1, Doctor: 1,
				Differs: []string{"10.0.0.0/8 0.0.0.0 3: PowerShell 26, doctor 25"}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			answers := []string{row.before, row.after}
			if row.after == "" {
				answers[1] = row.before
			}
			asked := 0
			results, err := Run(t.Context(), func(context.Context, string) (string, error) {
				asked++
				return "\ufeff" + strings.ReplaceAll(answers[asked-1], "\n", "\r\n"), nil
			}, func(context.Context) (evidence.Snapshot, error) { return s, nil })
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(results, func(r Result) bool { return r.Name == row.of })
			got := results[at]
			row.want.Name = row.of
			if got.State != row.want.State || got.Why != row.want.Why || got.Windows != row.want.Windows ||
				got.Doctor != row.want.Doctor || !slices.Equal(got.Differs, row.want.Differs) {
				t.Errorf("got %+v, want %+v", got, row.want)
			}
		})
	}
}

func TestWithoutPowerShellNothingIsCompared(t *testing.T) {
	none := errors.New("there is no PowerShell")
	_, err := Run(t.Context(), func(context.Context, string) (string, error) { return "", none },
		func(context.Context) (evidence.Snapshot, error) { return staged(t), nil })
	if !errors.Is(err, none) {
		t.Errorf("the error is %v", err)
	}
}

func TestValuesThatMeanTheSame(t *testing.T) {
	for _, row := range []struct {
		name         string
		same         func(ours, theirs string) bool
		ours, theirs string
		want         bool
	}{
		{"boot times two seconds apart", within(2), "100", "102", true},
		{"boot times three seconds apart", within(2), "100", "103", false},
		{"no number", within(2), "", "100", false},
		{"a delayed start", sameState, "auto\tLocalSystem\t4", "Auto\tLocalSystem\t4", true},
		{"another account", sameState, "auto\tLocalSystem\t4", "Auto\tNT AUTHORITY\\System\t4", false},
		{"an MTU without a limit", sameState, "0\tEnabled", "4294967295\tEnabled", true},
		{"a program in quotation marks", sameCommand, "--v=4 --config C:\\a b", `"C:\k\kubelet.exe" --v=4 --config "C:\a b"`, true},
		{"an argument cut short", sameCommand, "--v=4", `C:\k\kubelet.exe --v=4 --config C:\a`, false},
		{"a port that refuses", sameOutcome, "refused", "ConnectionRefused", true},
		{"a port that is silent", sameOutcome, "refused", "TimedOut", false},
		{"a message that one cut", sameMessage, strings.Repeat("x", 130), strings.Repeat("x", 200), true},
		{"two messages", sameMessage, "The service stopped.", "The service started.", false},
	} {
		if got := row.same(row.ours, row.theirs); got != row.want {
			t.Errorf("%s: %q and %q: %v", row.name, row.ours, row.theirs, got)
		}
	}
}

// TestEveryScriptOnlyReads: the verbs of PowerShell say what a command does.
func TestEveryScriptOnlyReads(t *testing.T) {
	for _, c := range comparisons {
		for word := range strings.FieldsSeq(c.script) {
			verb, noun, ok := strings.Cut(word, "-")
			if !ok || verb == "" || noun == "" || strings.ContainsAny(verb, "'\"$(.") {
				continue
			}
			if !slices.Contains([]string{"Get", "Resolve", "New", "ForEach", "Where"}, verb) ||
				verb == "New" && noun != "Object" {
				t.Errorf("%s: %s is more than reading", c.name, word)
			}
		}
	}
	const most = 32_767 // units of a command line; four of three bytes, and two bytes a unit
	if n := len(script()) * 2 * 4 / 3; n > most-200 {
		t.Errorf("the script takes %d units of a command line", n)
	}
}

func TestTableIsMarkdown(t *testing.T) {
	got := Table([]Result{{Name: "routes", State: Same, Windows: 2, Doctor: 2},
		{Name: "HNS networks", State: NotCompared, Why: "a|b"},
		{Name: "services", State: Differs, Windows: 1, Differs: []string{"a: b"}, More: 2}})
	want := `| compared | PowerShell | doctor | result |
|---|---:|---:|---|
| routes | 2 | 2 | same |
| HNS networks | 0 | 0 | not compared: a\|b |
| services | 1 | 0 | differs |

services:

    a: b
    and 2 more
`
	if got != want {
		t.Errorf("got:\n%s", got)
	}
}
