package checks

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"doctor/checks/evidence"
)

// TestStateAndTextJudgeTogether runs one made-up check over each combination of
// what its state says and what the logs told, and when.
func TestStateAndTextJudgeTogether(t *testing.T) {
	node := func(ready string) evidence.Snapshot {
		s, err := evidence.Load(fstest.MapFS{
			"meta.json": {Data: []byte(`{"layout":"evidence/v1","node":"n","collectedAt":"2026-11-20T10:00:00Z"}`)},
			"api/node.json": {Data: []byte(
				`{"metadata":{"name":"n"},"status":{"conditions":[{"type":"Ready","status":"` + ready + `"}]}}`)}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s, ill := node("True"), node("False")
	const now, fresh, old = 10 * time.Second, 5 * time.Minute, 3 * time.Hour
	state := func(level Level) func(evidence.Snapshot) ([]*Finding, error) {
		return func(evidence.Snapshot) ([]*Finding, error) {
			if level == 0 {
				return nil, nil
			}
			return []*Finding{Findingf(level, "it",
				"the state is bad").At(evidence.InFile("os.json"), "x")}, nil
		}
	}
	unknownState := func(evidence.Snapshot) ([]*Finding, error) {
		return nil, Unknown(evidence.NeedsAdministrator.Gap())
	}
	for _, row := range []struct {
		name    string
		run     func(evidence.Snapshot) ([]*Finding, error)
		partial bool
		sign    Sign
		age     time.Duration // of the match; 0 for none
		over    string
		want    string
	}{
		{"state alone", state(Fail), false, Sign{}, 0, "", "fail: the state is bad [state]"},
		{"state, and the logs say it too", state(Fail), false, Sign{}, fresh, "",
			"fail: the state is bad [state+text]"},
		{"a threat that came to pass minutes ago", state(Warn), false, Sign{}, fresh, "",
			"fail: the state is bad [state+text]"},
		{"a threat that did hours ago", state(Warn), false, Sign{}, old, "",
			"warn: the state is bad [state+text]"},
		{"a threat, and a text that only confirms", state(Warn), false, Sign{ConfirmOnly: true},
			fresh, "", "warn: the state is bad [state+text]"},
		{"a threat, and a text that is a warning itself", state(Warn), false, Sign{Level: Warn},
			fresh, "", "warn: the state is bad [state+text]"},
		{"a threat, and a text that is over", state(Warn), false, Sign{}, fresh,
			"the node has booted since", "warn: the state is bad [state]"},
		{"what is normal stays normal", state(Info), false, Sign{}, fresh, "",
			"info: the state is bad [state]"},
		{"a state that is well acquits", state(0), false, Sign{}, fresh, "",
			"info: the logs say: it broke; the node's current state does not confirm it [text]"},
		{"a text of this minute, on a node that is well", state(0), false, Sign{}, now, "",
			"info: the logs say: it broke; the node's current state does not confirm it [text]"},
		{"ill: a text of this minute leaves a doubt", state(0), false, Sign{}, now, "",
			"warn: the logs say: it broke; the node's state does not show it [text]"},
		{"ill: a text of minutes ago is history", state(0), false, Sign{}, fresh, "",
			"info: the logs say: it broke; the node's current state does not confirm it [text]"},
		{"ill: a text of this minute, and it is over", state(0), false, Sign{}, now, "a later line says: started",
			"info: the logs say: it broke; it is over: a later line says: started [text]"},
		{"a state that shows only a part leaves a doubt", state(0), true, Sign{}, fresh, "",
			"warn: the logs say: it broke; the node's state does not show it [text]"},
		{"a doubt of hours ago is history", state(0), true, Sign{}, old, "",
			"info: the logs say: it broke; the node's current state does not confirm it [text]"},
		{"a text that only confirms says nothing alone", state(0), true, Sign{ConfirmOnly: true},
			fresh, "", ""},
		{"no state, and the logs convict", unknownState, false, Sign{}, old, "",
			"fail: it broke [text]"},
		{"no state, and the logs tell of the past", unknownState, false, Sign{}, old,
			"the node has booted since",
			"info: the logs say: it broke; it is over: the node has booted since [text]"},
		{"no state and no text", unknownState, false, Sign{}, 0, "", "unknown"},
		{"nothing but texts to go by", nil, false, Sign{Level: Warn}, fresh, "",
			"warn: it broke [text]"},
		{"nothing but texts, and none", nil, false, Sign{}, 0, "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.sign.Text, row.sign.Says = "something broke", "it broke"
			c := &Check{ID: "made-up", Run: row.run, Partial: row.partial, Signs: []Sign{row.sign}}
			told := s
			if strings.HasPrefix(row.name, "ill: ") {
				told = ill
			}
			if row.age > 0 {
				at := told.Now().Add(-row.age)
				told = told.WithScan(evidence.LogScan{Matches: []evidence.SignMatch{{Check: c.ID, Text: row.sign.Text,
					Path: "logs/x/y.log", Line: 3, Time: at, Last: at, Found: "something broke",
					Over: row.over}}})
			}
			status, findings, _ := c.examine(told)
			var got []string
			for _, f := range findings {
				got = append(got, fmt.Sprintf("%s: %s [%s]", f.Level, f.Message(), f.Basis))
			}
			if status == StatusUnknown {
				got = append(got, "unknown")
			}
			if have := strings.Join(got, "\n"); have != row.want {
				t.Errorf("it is %q, and should be %q", have, row.want)
			}
		})
	}
}

// TestALogThatWasNotSearchedAcquitsNobody: no text was found in what nobody read.
func TestALogThatWasNotSearchedAcquitsNobody(t *testing.T) {
	s, err := evidence.Load(fstest.MapFS{
		"meta.json": {
			Data: []byte(
				`{"layout":"evidence/v1","node":"n","collectedAt":"2026-11-20T10:00:00Z"}`)},
		"logs/kubelet/k.log": {Data: []byte("well\n")}})
	if err != nil {
		t.Fatal(err)
	}
	match := evidence.SignMatch{Check: "made-up", Text: "something broke",
		Path: "logs/kubelet/k.log", Line: 3, Found: "something broke"}
	for _, row := range []struct {
		name, in   string
		matches    []evidence.SignMatch
		unsearched string
		want       Status
	}{
		{"all logs were searched", "kubelet", nil, "", StatusPass},
		{"a log in which the text may stand was not", "kubelet", nil, "logs/kubelet/k.log",
			StatusUnknown},
		{"a log of another component was not", "kubelet", nil, "logs/flanneld/f.log", StatusPass},
		{"what was found until then convicts", "kubelet", []evidence.SignMatch{match},
			"logs/kubelet/k.log", StatusFail},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := &Check{ID: "made-up",
				Signs: []Sign{{Text: "something broke", Says: "it broke", In: []string{row.in}}}}
			var unsearched []evidence.UnsearchedLog
			if row.unsearched != "" {
				unsearched = append(unsearched, evidence.UnsearchedLog{Path: row.unsearched,
					Why: "there was no time to search all of it"})
			}
			status, _, reason := c.examine(s.WithScan(evidence.LogScan{Matches: row.matches,
				Unsearched: unsearched}))
			if status != row.want || status == StatusUnknown &&
				!strings.Contains(reason.gap.Reason(), "no time") {
				t.Errorf("it is %s (%s), and should be %s", status, reason.gap, row.want)
			}
		})
	}
}

// TestWhatTheNodeDoesNotHaveIsNoPass: a text that shows the fault outweighs that what it is about
// seems to be missing.
func TestWhatTheNodeDoesNotHaveIsNoPass(t *testing.T) {
	s, err := evidence.Load(fstest.MapFS{"meta.json": {Data: []byte(
		`{"layout":"evidence/v1","node":"n","collectedAt":"2026-11-20T10:00:00Z"}`)}})
	if err != nil {
		t.Fatal(err)
	}
	told := s.WithScan(evidence.LogScan{Matches: []evidence.SignMatch{{Check: "c", Text: "no driver",
		Path: "logs/kubelet/kubelet.log", Line: 1, Found: "no driver"}}})
	well := func(evidence.Snapshot) ([]*Finding, error) { return nil, nil }
	for _, row := range []struct {
		name string
		s    evidence.Snapshot
		run  func(evidence.Snapshot) ([]*Finding, error)
		want Status
	}{
		{"no log", s, nil, StatusSkip},
		{"a log that shows the fault", told, nil, StatusFail},
		{"a state that is well", s, well, StatusSkip},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := Check{ID: "c", Run: row.run, Needs: []evidence.Need{evidence.Logs("kubelet")},
				Signs: []Sign{{Text: "no driver", Says: "the driver is missing"}},
				Moot:  func(evidence.Snapshot) error { return Skip("no driver is here") }}
			if row.run != nil {
				c.Needs = nil
			}
			if got, _, _ := c.examine(row.s); got != row.want {
				t.Errorf("the verdict is %s, want %s", got, row.want)
			}
		})
	}
}

// TestADoubtIsNotAboutAPodThatRuns: another pod may be down for its own reasons.
func TestADoubtIsNotAboutAPodThatRuns(t *testing.T) {
	s, err := evidence.Load(fstest.MapFS{
		"meta.json": {Data: []byte(`{"layout":"evidence/v1","node":"n","collectedAt":"2026-11-20T10:00:00Z"}`)},
		"api/pods.json": {Data: []byte(`{"items":[
{"metadata":{"namespace":"a","name":"web-1"},"spec":{"nodeName":"n"},"status":{"phase":"Running"}},
{"metadata":{"namespace":"a","name":"db-1"},"spec":{"nodeName":"n"},"status":{"phase":"Pending","containerStatuses":[
 {"name":"db","state":{"waiting":{"reason":"ContainerCreating"}}}]}}]}`)}})
	if err != nil {
		t.Fatal(err)
	}
	c := &Check{ID: "made-up", Signs: []Sign{{Text: "something broke", Says: "it broke"}},
		Run: func(evidence.Snapshot) ([]*Finding, error) { return nil, nil }}
	for found, want := range map[string]Status{
		"a/web-1: something broke":            StatusInfo,
		"a/db-1: something broke":             StatusWarn,
		"something broke":                     StatusWarn,
		"a/web-1 and a/db-1: something broke": StatusWarn,
	} {
		at := s.Now().Add(-10 * time.Second)
		got, _, _ := c.examine(s.WithScan(evidence.LogScan{Matches: []evidence.SignMatch{{Check: c.ID, Text: "something broke",
			Path: "logs/x/y.log", Line: 3, Time: at, Last: at, Found: found}}}))
		if got != want {
			t.Errorf("%q is %s, want %s", found, got, want)
		}
	}
}

// TestADoubtIsDroppedWhereAFaultIsFound: what only the logs say, against the state, counts where nothing
// else is found that breaks something.
func TestADoubtIsDroppedWhereAFaultIsFound(t *testing.T) {
	fault := &Check{ID: "fault", Breaks: []*Effect{{ID: "e"}}}
	for _, row := range []struct {
		name  string
		other *Check
		level Level
		want  string
	}{
		{"nothing else", fault, 0, "warn: the logs say: it broke; the node's state does not show it"},
		{"a fault", fault, Fail, "info: the logs say: it broke; the node's current state does not confirm it"},
		{"a warning of what breaks something", fault, Warn,
			"info: the logs say: it broke; the node's current state does not confirm it"},
		{"what is normal", fault, Info, "warn: the logs say: it broke; the node's state does not show it"},
		{"a symptom", &Check{ID: "symptom", Symptom: true, Breaks: fault.Breaks}, Fail,
			"warn: the logs say: it broke; the node's state does not show it"},
		{"a warning that breaks nothing", &Check{ID: "habit"}, Warn,
			"warn: the logs say: it broke; the node's state does not show it"},
	} {
		t.Run(row.name, func(t *testing.T) {
			doubt := &Finding{Level: Warn, Format: "the logs say: %s; the node's state does not show it",
				Args: []any{evidence.Phrasef("it broke")}, doubt: true}
			verdicts := []verdict{{check: &Check{ID: "doubtful"}, status: StatusWarn, findings: []*Finding{doubt}},
				{check: row.other}}
			if row.level > 0 {
				verdicts[1].findings = []*Finding{{Level: row.level, Format: "it is broken"}}
			}
			dropDoubts(verdicts)
			if got := string(verdicts[0].status) + ": " + doubt.Message(); got != row.want {
				t.Errorf("it is %q, want %q", got, row.want)
			}
		})
	}
}
