package tui

import (
	"slices"
	"testing"

	"doctor/checks"
)

// unknownRows lists the checks that could not run and have a row of their own, and the folds of
// those that have none.
func unknownRows(m model) (single, folds []string) {
	for _, r := range m.rows {
		switch {
		case r.kind == rowCheck && m.report.Results[r.index].Status == checks.StatusUnknown:
			single = append(single, r.id)
		case r.kind == rowUnknown:
			folds = append(folds, r.foldName())
		}
	}
	return single, folds
}

func TestChecksThatCouldNotRunFoldByReason(t *testing.T) {
	m := small()
	single, folds := unknownRows(m)
	want := []string{"network/elevate", "dns/without-passive"}
	if len(single) > 0 || !slices.Equal(folds, want) {
		t.Fatalf("single %q, folds %q, want the folds %q", single, folds, want)
	}
	for m.at.foldName() != "dns/without-passive" || m.at.kind != rowUnknown {
		before := m.cursor
		if m = after(m, "j"); m.cursor == before {
			t.Fatal("the cursor does not come to the fold")
		}
	}
	m = after(m, "enter")
	if single, _ = unknownRows(m); !slices.Equal(single, []string{"dns-suffix-missing"}) {
		t.Errorf("enter on the fold shows %q", single)
	}
	m = after(m, "j", "k", "enter")
	if single, _ = unknownRows(m); len(single) > 0 {
		t.Errorf("enter again leaves %q", single)
	}
}

func TestAFilterShowsChecksThatCouldNotRunAsTheyAre(t *testing.T) {
	m := after(small(), "/", "p", "a", "s", "s", "i", "v", "e", "enter")
	single, folds := unknownRows(m)
	if len(folds) > 0 || !slices.Equal(single, []string{"dns-suffix-missing"}) {
		t.Errorf("single %q, folds %q", single, folds)
	}
}
