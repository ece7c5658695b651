package ui

import (
	"slices"
	"strings"
	"testing"

	"doctor/checks"
)

// TestSilentRegressionsAreOneRow: what a version may bring and nothing shows is one row, however
// many there are; what the node shows, and a single one, keep a row of their own.
func TestSilentRegressionsAreOneRow(t *testing.T) {
	row := func(id string, s checks.Status, version string) *checks.Result {
		return &checks.Result{ID: id, Category: checks.CategoryVersions, Status: s, Title: id,
			Findings: []checks.ReportFinding{{Subject: version}}}
	}
	other := &checks.Result{ID: "icmp", Category: checks.CategoryNetwork, Status: checks.StatusInfo}
	ids := func(list []*checks.Result) string {
		var texts []string
		for _, r := range foldVersions(list, nil) {
			texts = append(texts, r.ID)
		}
		return strings.Join(texts, " ")
	}
	a := row("regression-a", checks.StatusInfo, "kubelet v1.31.0")
	b := row("regression-b", checks.StatusInfo, "containerd 1.7.0")
	c := row("regression-c", checks.StatusInfo, "kubelet v1.31.0")
	shown := row("regression-d", checks.StatusFail, "kubelet v1.31.0")
	for name, want := range map[string]struct {
		list []*checks.Result
		ids  string
	}{
		"one is itself":             {[]*checks.Result{a, other}, "regression-a icmp"},
		"two are one row":           {[]*checks.Result{a, b, other}, "icmp versions"},
		"what shows itself is kept": {[]*checks.Result{a, shown, b}, "regression-d versions"},
	} {
		if got := ids(want.list); got != want.ids {
			t.Errorf("%s: %s, want %s", name, got, want.ids)
		}
	}
	const says = "no sign of 3 known regressions of these versions: kubelet v1.31.0 (2), containerd 1.7.0 (1); " +
		"`-o wide` lists them"
	if got := Message(foldVersions([]*checks.Result{a, b, c}, nil)[0]); got != says {
		t.Errorf("the row says %q, want %q", got, says)
	}
	if !slices.Equal([]*checks.Result{a, other}, foldVersions([]*checks.Result{a, other}, nil)) {
		t.Error("a list without two of them is changed")
	}
}

// TestRegressionsThatANodeCannotMeetAreNotCounted: a new row of the table changes no count of a node
// that it does not concern.
func TestRegressionsThatANodeCannotMeetAreNotCounted(t *testing.T) {
	r := checks.Report{Summary: checks.Summary{checks.StatusPass: 2, checks.StatusSkip: 1,
		checks.StatusInfo: 1},
		Results: []checks.Result{
			{ID: "cni-config-invalid", Category: checks.CategoryNetwork, Status: checks.StatusPass},
			{ID: "regression-a", Category: checks.CategoryVersions, Status: checks.StatusPass},
			{ID: "regression-b", Category: checks.CategoryVersions, Status: checks.StatusSkip},
			{ID: "regression-c", Category: checks.CategoryVersions, Status: checks.StatusInfo}}}
	if got := (Style{}).Counts(r); got != "1 info, 1 pass" {
		t.Errorf("counted %q", got)
	}
	for _, tally := range counted(r) {
		if tally.category == string(checks.CategoryVersions) && (len(tally.of) != 1 ||
			tally.of[checks.StatusInfo] != 1) {
			t.Errorf("the category counts %v", tally.of)
		}
	}
}
