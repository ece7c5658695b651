package ui

import (
	"cmp"
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/sorted"
	"doctor/ui/lang"
)

// A GapGroup is the evidence that was missing for one reason.
type GapGroup struct {
	Gap    evidence.Gap // the reason; none where nothing was recorded
	Paths  []string     // what was missing
	Checks []string     // the checks that could not run for it
}

// Reason is why the evidence was missing.
func (g GapGroup) Reason(lang *lang.Catalogue) string {
	return cmp.Or(lang.Gap(g.Gap), lang.Phrase("no reason was recorded"))
}

// GapGroups gathers the gaps by reason, those that held up most checks first. A
// check that could not run without naming a missing path still has its group.
func GapGroups(r checks.Report) []GapGroup {
	var groups []GapGroup
	group := func(gap evidence.Gap) *GapGroup {
		if gap.Code == evidence.NotInRecording {
			gap = evidence.NotPart.Gap() // else every file that was not collected makes a group
		}
		at := slices.IndexFunc(groups, func(g GapGroup) bool { return g.Gap == gap })
		if at < 0 {
			at, groups = len(groups), append(groups, GapGroup{Gap: gap})
		}
		return &groups[at]
	}
	for _, g := range r.Gaps {
		if to := group(g.Gap); !slices.Contains(to.Paths, g.Path) {
			to.Paths = append(to.Paths, g.Path)
		}
	}
	for _, result := range r.Results {
		if result.Status != checks.StatusUnknown {
			continue
		}
		to := group(result.Missing)
		to.Checks = append(to.Checks, result.ID)
		if path := result.Missing.Args[0]; result.Missing.Code == evidence.NotInRecording &&
			!slices.Contains(to.Paths, path) {
			to.Paths = append(to.Paths, path)
		}
	}
	sorted.By(groups, func(a, b GapGroup) int { return len(b.Checks) - len(a.Checks) })
	return groups
}
