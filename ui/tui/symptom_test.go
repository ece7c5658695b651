package tui

import (
	"fmt"
	"strings"
	"testing"

	"doctor/checks"
	"doctor/checks/evidence"
)

var goldenSizes = [][2]int{{80, 24}, {120, 40}, {40, 15}, {200, 60}}

func TestGoldenSymptoms(t *testing.T) {
	for _, size := range goldenSizes {
		for _, s := range []struct {
			name string
			keys []string
		}{
			{"symptoms", []string{"s"}},
			{"symptom-found", []string{"s", "enter"}},
			{"symptom-next", []string{"s", "enter", "G"}},
			{"symptom-unknown", []string{"s", "G", "k", "k", "k", "k", "k", "enter"}},
		} {
			name := fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				golden(t, name,
					seen(after(finished(sample(), Options{Width: size[0], Height: size[1]}),
						s.keys...)))
			})
		}
	}
}

func TestEnterLeadsFromTheSymptomToItsChecksAndEscBack(t *testing.T) {
	m := after(finished(sample(), Options{Width: 80, Height: 24}), "s", "enter")
	question := ruleLabel(m)
	m = after(m, "enter")
	if got := ruleLabel(m); !strings.Contains(got, "podcidr-not-assigned") {
		t.Errorf("enter opened %q", got)
	}
	if got := ruleLabel(after(m, "esc")); got != question {
		t.Errorf("esc led to %q, not back to %q", got, question)
	}
	if m = after(m, "esc", "q", "esc"); len(m.layers) != 0 {
		t.Errorf("%d screens are left", len(m.layers))
	}
}

func TestCopyTakesTheCommandsOfTheSelectedPart(t *testing.T) {
	m := after(finished(sample(), Options{Width: 80, Height: 24}), "s", "enter", "G")
	_, do := m.update(keyMsg("c"))
	if !strings.HasPrefix(do.copy, "kubectl ") && !strings.HasPrefix(do.copy, "Get-") {
		t.Errorf("copied %q", do.copy)
	}
}

func TestASymptomFollowsTheReadingAndKeepsTheUsersPlace(t *testing.T) {
	m := newModel(Options{Width: 80, Height: 24}, true)
	open := map[string]checks.Status{}
	rep := sample()
	for _, r := range rep.Results {
		open[r.ID] = StatusWaiting
	}
	m, _ = m.update(Update{Report: rep, Open: open})
	m = after(m, "s", "j")
	before := seen(m)
	if !strings.Contains(before, "still to come") {
		t.Errorf("nothing says that the verdicts are to come:\n%s", before)
	}
	first := m.layers[0].screen.(symptomList).asked[1].ID
	m, _ = m.update(Update{Report: rep, Evidence: evidence.Snapshot{}, Done: true})
	if got := m.layers[0].screen.(symptomList); got.asked[1].ID != first || got.at != 1 {
		t.Errorf("the row under the cursor moved: %s, row %d", got.asked[1].ID, got.at)
	}
	if strings.Contains(seen(m), "still to come") {
		t.Error("the finished report did not arrive")
	}
}

func TestSymptomsOfAReportWithoutChecksAreDrawn(t *testing.T) {
	m := after(finished(checks.Report{}, Options{Width: 40, Height: 15}), "s", "enter", "j", "G",
		"enter", "space")
	if got := seen(m); !strings.Contains(got, "Answer") {
		t.Errorf("no answer:\n%s", got)
	}
}
