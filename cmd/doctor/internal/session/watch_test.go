package session

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"doctor/checks"
)

func TestWhatChangedBetweenReadings(t *testing.T) {
	for _, row := range []struct {
		name     string
		statuses []checks.Status
		want     string // the last change
	}{
		{"a fault that is there when the watch begins", []checks.Status{checks.StatusFail}, Present},
		{"a fault after a pass", []checks.Status{checks.StatusPass, checks.StatusFail}, Appeared},
		{"a fault where the check did not apply before", []checks.Status{checks.StatusSkip, checks.StatusWarn}, Appeared},
		{"a fault that nobody could see before",
			[]checks.Status{checks.StatusUnknown, checks.StatusFail}, Present},
		{"a pass after a fault", []checks.Status{checks.StatusFail, checks.StatusPass}, Recovered},
		{"a fault that cannot be seen for a while",
			[]checks.Status{checks.StatusFail, checks.StatusUnknown, checks.StatusFail}, ""},
		{"a pass that could not be seen for a while",
			[]checks.Status{checks.StatusPass, checks.StatusUnknown, checks.StatusFail}, Appeared},
		{"a warning that became a fault", []checks.Status{checks.StatusWarn, checks.StatusFail}, Differs},
	} {
		t.Run(row.name, func(t *testing.T) {
			known, last := map[string]checks.Result{}, ""
			for _, s := range row.statuses {
				last = ""
				for _, c := range changesOf(known, checks.Report{Results: []checks.Result{{ID: "a", Status: s}}}) {
					last = c.Change
				}
			}
			if d := cmp.Diff(row.want, last); d != "" {
				t.Error(d)
			}
		})
	}
}
