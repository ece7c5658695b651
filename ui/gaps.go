package ui

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// A GapGroup is the evidence that was missing for one reason.
type GapGroup struct {
	Reason string   // "denied: run as Administrator"
	Paths  []string // what was missing
	Checks []string // the checks that could not tell for it
}

// GapGroups gathers the gaps by reason, those that held up most checks first. A
// check that could not tell without naming a missing path still has its group.
func GapGroups(r checks.Report) []GapGroup {
	var groups []GapGroup
	group := func(reason string) *GapGroup {
		at := slices.IndexFunc(groups, func(g GapGroup) bool { return g.Reason == reason })
		if at < 0 {
			at, groups = len(groups), append(groups, GapGroup{Reason: reason})
		}
		return &groups[at]
	}
	of := map[string]string{} // a reason as recorded → that of its group
	for _, g := range r.Gaps {
		reason, _ := generalise(g.Reason)
		of[g.Reason] = reason
		if to := group(reason); !slices.Contains(to.Paths, g.Path) {
			to.Paths = append(to.Paths, g.Path)
		}
	}
	for _, result := range r.Results {
		if result.Status != checks.StatusUnknown {
			continue
		}
		reason, path := of[result.Gap], ""
		if reason == "" {
			reason, path = generalise(result.Gap)
		}
		to := group(cmp.Or(reason, "no reason was recorded"))
		to.Checks = append(to.Checks, result.ID)
		if path != "" && !slices.Contains(to.Paths, path) {
			to.Paths = append(to.Paths, path)
		}
	}
	slices.SortStableFunc(groups, func(a, b GapGroup) int { return len(b.Checks) - len(a.Checks) })
	return groups
}

// generalise parts the reason "not part of the recording" from the path in it,
// which would otherwise make a group of every file that was not collected.
func generalise(reason string) (general, path string) {
	if path, ok := strings.CutPrefix(reason, notHeld); ok {
		return evidence.NotCollected + ": not part of this recording", path
	}
	return reason, ""
}

// notHeld is how evidence words the gap of what was never asked for.
const notHeld = evidence.NotCollected + ": this recording holds no "
