package tui

import (
	"fmt"
	"strings"
	"testing"

	"doctor/checks"
)

// manyCauses is a node with n causes.
func manyCauses(n int) checks.Report {
	r := sample()
	r.Causes = nil
	for i := range n {
		res := r.Results[0]
		res.ID, res.Title = fmt.Sprintf("fault-%d", i), fmt.Sprintf("Fault number %d", i)
		r.Results = append(r.Results, res)
		r.Causes = append(r.Causes, checks.Cause{ID: res.ID})
	}
	return r
}

func TestCardsFitTheirScreen(t *testing.T) {
	for _, row := range []struct{ width, height, causes, lines int }{
		{40, 15, 1, 2}, {40, 15, 2, 2}, {40, 15, 5, 1}, {80, 24, 1, 4}, {80, 24, 2, 3},
		{80, 24, 3, 2}, {80, 24, 12, 2},
		{120, 40, 2, 4}, {120, 40, 5, 3}, {200, 60, 5, 4}, {120, 40, 0, 4},
	} {
		m := finished(manyCauses(row.causes), Options{Width: row.width, Height: row.height})
		if m.view.card != row.lines {
			t.Errorf("%d causes at %dx%d: cards of %d lines, want %d", row.causes, row.width,
				row.height, m.view.card, row.lines)
		}
	}
}

func TestTheFixOfTheChosenCauseIsSeen(t *testing.T) {
	for n := range 12 {
		if got := seen(finished(manyCauses(n+1),
			Options{Width: 80, Height: 24})); !strings.Contains(got, "kubectl patch node win-1") {
			t.Errorf("of %d causes:\n%s", n+1, got)
		}
	}
}

func TestTheWholeCardIsSeen(t *testing.T) {
	m := finished(manyCauses(12), Options{Width: 80, Height: 24})
	for i := range 12 {
		list := strings.Split(seen(m), "\n")
		for j, l := range list {
			if strings.HasPrefix(l, "›") && (!strings.Contains(l, fmt.Sprintf("number %d", i)) ||
				!strings.Contains(list[j+1], "has no podCIDR")) {
				t.Errorf("of card %d:\n%s", i, seen(m))
			}
		}
		m = after(m, "j")
	}
}
