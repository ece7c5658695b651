package ui

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/ui/lang"
)

// foldVersions puts one result in the place of several regressions that a version may bring and
// nothing on the node shows: a list of them would hide what was found.
func foldVersions(results []*checks.Result, l *lang.Catalogue) []*checks.Result {
	silent := func(r *checks.Result) bool {
		return r.Category == checks.CategoryVersions && r.Status == checks.StatusInfo
	}
	var ids []string
	for _, r := range results {
		if silent(r) {
			ids = append(ids, r.ID)
		}
	}
	if len(ids) < 2 {
		return results
	}
	rest := slices.DeleteFunc(slices.Clone(results), silent)
	return append(rest, &checks.Result{ID: string(checks.CategoryVersions),
		Category: checks.CategoryVersions, Status: checks.StatusInfo,
		Title: l.T("these versions have %s, and nothing here shows one: %s",
			l.Count(len(ids), "known regression"), strings.Join(ids, l.T(", ")))})
}
