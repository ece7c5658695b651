package checks

import (
	"strings"
	"testing"
	"time"

	"doctor/checks/evidence"
)

// a fault of the tests: its verdict, what it rests on, what it explains.
type fault struct {
	id       string
	status   Status
	basis    Basis // ByState where empty
	seen     string
	explains string
	found    string // what its finding explains
	symptom  bool
	lints    bool
	breaks   bool
	line     int // of a text
}

func TestCausesAreOrdered(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name   string
		faults []fault
		want   string // causes in order, each with its consequences
	}{
		{"two that do not explain each other are two causes",
			[]fault{{id: "a", status: StatusFail}, {id: "b", status: StatusFail}}, "a; b"},
		{"what explains a fault comes in its place",
			[]fault{{id: "a", status: StatusFail}, {id: "b", status: StatusFail, explains: "a"}},
			"b a"},
		{"so does a finding that explains it",
			[]fault{{id: "a", status: StatusFail}, {id: "b", status: StatusWarn, found: "a"}}, "b a"},
		{"an explanation goes through a check that could not tell",
			[]fault{{id: "a", status: StatusFail}, {id: "b", status: StatusUnknown, explains: "a"},
				{id: "c", status: StatusFail, explains: "b"}}, "c a"},
		{"and not through one that passed",
			[]fault{{id: "a", status: StatusFail}, {id: "b", status: StatusPass, explains: "a"},
				{id: "c", status: StatusFail, explains: "b"}}, "a; c"},
		{"what blocks most comes first, whatever it rests on",
			[]fault{{id: "a", status: StatusFail}, {id: "b", status: StatusFail, basis: ByText,
				explains: "x y"}, {id: "x", status: StatusFail}, {id: "y", status: StatusFail}},
			"b x y; a"},
		{"a warning that explains failures comes before a failure alone",
			[]fault{{id: "a", status: StatusFail}, {id: "b", status: StatusWarn, explains: "x y"},
				{id: "x", status: StatusFail}, {id: "y", status: StatusFail}}, "b x y; a"},
		{"a warning with no failure behind it is no cause beside a failure",
			[]fault{{id: "a", status: StatusWarn}, {id: "b", status: StatusFail, basis: ByText}},
			"b"},
		{"a warning about a pod's spec is no cause beside a symptom",
			[]fault{{id: "a", status: StatusWarn, lints: true}, {id: "b", status: StatusWarn}, {id: "s", status: StatusFail, symptom: true}},
			"b; s"},
		{"a failure that explains one comes before a warning that explains more",
			[]fault{{id: "a", status: StatusWarn, explains: "x y z"},
				{id: "b", status: StatusFail, basis: ByText, explains: "v"},
				{id: "v", status: StatusFail}, {id: "x", status: StatusFail},
				{id: "y", status: StatusFail}, {id: "z", status: StatusFail}},
			"b v; a x y z"},
		{"state comes before text",
			[]fault{{id: "a", status: StatusFail, basis: ByText, seen: "09:59"},
				{id: "b", status: StatusFail}}, "b; a"},
		{"fresh text comes before old text",
			[]fault{{id: "a", status: StatusFail, basis: ByText, seen: "08:00"},
				{id: "b", status: StatusFail, basis: ByText, seen: "09:00"},
				{id: "c", status: StatusFail, basis: ByText}}, "b; a; c"},
		{"of texts without times, the one above comes first",
			[]fault{{id: "a", status: StatusFail, basis: ByText, line: 6},
				{id: "b", status: StatusFail, basis: ByText, line: 3}}, "b; a"},
		{"of texts with times, the one below can be the later",
			[]fault{{id: "a", status: StatusFail, basis: ByText, seen: "09:00", line: 6},
				{id: "b", status: StatusFail, basis: ByText, seen: "09:00", line: 3}}, "a; b"},
		{"failures come before warnings",
			[]fault{{id: "a", status: StatusWarn, explains: "x"}, {id: "b", status: StatusFail},
				{id: "x", status: StatusFail}}, "b; a x"},
		{"of two warnings, the one that breaks something for others comes first",
			[]fault{{id: "a", status: StatusWarn}, {id: "b", status: StatusWarn, breaks: true}}, "b; a"},
		{"so does the one that can explain another fault",
			[]fault{{id: "a", status: StatusWarn}, {id: "b", status: StatusWarn, explains: "c"}}, "b; a"},
		{"a symptom comes last, however much it blocks",
			[]fault{{id: "a", status: StatusFail, symptom: true, explains: "x y"},
				{id: "b", status: StatusWarn}, {id: "x", status: StatusFail},
				{id: "y", status: StatusFail}}, "b; a x y"},
		{"a fault explains the symptoms that quote its line, in the order of the catalogue",
			[]fault{{id: "a", status: StatusWarn, basis: ByText, line: 3},
				{id: "b", status: StatusFail, basis: ByText, line: 3, symptom: true},
				{id: "c", status: StatusFail, basis: ByText, line: 3, symptom: true},
				{id: "d", status: StatusFail, basis: ByText, line: 3, symptom: true}}, "a b c d"},
		{"a symptom that quotes something else is a cause of its own",
			[]fault{{id: "a", status: StatusFail, basis: ByText, line: 3},
				{id: "b", status: StatusFail, basis: ByText, line: 6, symptom: true}}, "a; b"},
		{"a symptom alone is named",
			[]fault{{id: "a", status: StatusFail, symptom: true}}, "a"},
		{"what is normal is no cause",
			[]fault{{id: "a", status: StatusInfo, explains: "b"}, {id: "b", status: StatusFail}},
			"b"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var list []*Check
			var results []Result
			shown := map[string]proof{}
			for _, f := range row.faults {
				c := &Check{ID: f.id, Explains: strings.Fields(f.explains), Symptom: f.symptom, Lints: f.lints}
				if f.breaks {
					c.Breaks = []*Effect{{}}
				}
				finding := (&Finding{Level: Fail, Basis: ByState}).Explaining(strings.Fields(f.found)...)
				if f.basis != "" {
					finding.Basis = f.basis
				}
				if f.line > 0 {
					finding.Because = []evidence.Because{{Path: "logs/other/paste.txt", Line: f.line}}
				}
				if f.seen != "" {
					finding.seen, _ = time.Parse(time.DateTime, "2026-11-20 "+f.seen+":00")
				}
				list = append(list, c)
				results = append(results, Result{ID: f.id, Status: f.status})
				shown[f.id] = proofOf([]*Finding{finding}, now)
			}
			var got []string
			for _, c := range findCauses(results, NewCatalogue(list...), shown) {
				got = append(got, strings.TrimSpace(c.ID+" "+strings.Join(c.Consequences, " ")))
			}
			if have := strings.Join(got, "; "); have != row.want {
				t.Errorf("causes %q, want %q", have, row.want)
			}
		})
	}
}
