package ui

import (
	"strings"
	"testing"
	"time"

	"doctor/checks"
)

// TestAnOpenReportHoldsTheFaultsAlone: what passes is counted, and a consequence is less severe than
// its cause.
func TestAnOpenReportHoldsTheFaultsAlone(t *testing.T) {
	r := checks.Report{Node: checks.NodeFacts{Name: "win-1"}, CollectedAt: time.Unix(100, 0),
		Results: []checks.Result{
			{ID: "cause", Title: "cause", Status: checks.StatusFail, Category: checks.CategoryDNS,
				Findings: []checks.ReportFinding{{Message: strings.Repeat("x", 2000)}}},
			{ID: "follows", Title: "follows", Status: checks.StatusFail, ExplainedBy: []string{"cause"}},
			{ID: "warning", Title: "warning", Status: checks.StatusWarn},
			{ID: "fine", Status: checks.StatusPass}, {ID: "note", Status: checks.StatusInfo},
			{ID: "open", Status: checks.StatusUnknown}, {ID: "no", Status: checks.StatusSkip}}}
	r.Summary = checks.Summary{}
	for _, result := range r.Results {
		r.Summary[result.Status]++
	}
	o := OpenReportOf(r)
	if want := (openSummary{Pass: 2, Fail: 2, Warn: 1, Error: 1, Skip: 1}); o.Summary != want {
		t.Errorf("the summary is %+v", o.Summary)
	}
	var got []string
	for _, item := range o.Results {
		got = append(got, item.Policy+" "+item.Severity+" "+item.Result)
		if item.Timestamp.Seconds != 100 || len(item.Message) > maxOpenMessage+10 {
			t.Errorf("%s: %+v", item.Policy, item)
		}
	}
	if text := strings.Join(got, ", "); text !=
		"cause high fail, follows medium fail, warning medium warn" {
		t.Errorf("the results are %s", text)
	}
	if o.Metadata.Name != "doctor-win-1" || o.Scope != (openScope{"v1", "Node", "win-1"}) {
		t.Errorf("it is about %+v, %+v", o.Metadata, o.Scope)
	}
}
