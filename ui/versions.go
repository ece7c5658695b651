package ui

import (
	"fmt"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/ui/lang"
)

// foldVersions puts one result in the place of several regressions that a version may bring and
// nothing on the node shows: a list of them would hide what was found. It names the versions, for
// the ids of all would take more than a line.
func foldVersions(results []*checks.Result, l *lang.Catalogue) []*checks.Result {
	silent := func(r *checks.Result) bool {
		return r.Category == checks.CategoryVersions && r.Status == checks.StatusInfo
	}
	var versions []string
	count := map[string]int{}
	for _, r := range results {
		if silent(r) {
			of := string(r.Category)
			if len(r.Findings) > 0 {
				of = r.Findings[0].Subject
			}
			if count[of]++; count[of] == 1 {
				versions = append(versions, of)
			}
		}
	}
	n := 0
	for i, of := range versions {
		n += count[of]
		versions[i] = fmt.Sprintf("%s (%d)", of, count[of])
	}
	if n < 2 {
		return results
	}
	rest := slices.DeleteFunc(slices.Clone(results), silent)
	return append(rest, &checks.Result{ID: string(checks.CategoryVersions),
		Category: checks.CategoryVersions, Status: checks.StatusInfo,
		Title: l.T("no sign of %s of these versions: %s; `-o wide` lists them", l.Count(n, "known regression"),
			strings.Join(versions, l.T(", ")))})
}

// besides lists what was found and is no cause, the worst first; shown are results to leave out.
func besides(r checks.Report, shown map[string]bool, l *lang.Catalogue) []*checks.Result {
	for _, c := range r.Causes {
		shown[c.ID] = true
	}
	var list []*checks.Result
	for _, s := range []checks.Status{checks.StatusFail, checks.StatusWarn, checks.StatusInfo} {
		for i := range r.Results {
			if result := &r.Results[i]; result.Status == s && !shown[result.ID] {
				list = append(list, result)
			}
		}
	}
	return foldVersions(list, l)
}

// Quiet tells whether a result is a regression that this node cannot meet. Most rows of the table
// are, on every node: counted along, they would drown the checks that looked for a fault.
func Quiet(r *checks.Result) bool {
	return r.Category == checks.CategoryVersions &&
		(r.Status == checks.StatusPass || r.Status == checks.StatusSkip)
}
