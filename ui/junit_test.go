package ui

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"doctor/checks"
)

func TestJUnitReportsOneFailurePerCause(t *testing.T) {
	fault := func(id string, status checks.Status) checks.Result {
		return checks.Result{ID: id, Category: checks.CategoryNode, Status: status,
			Findings: []checks.ReportFinding{found(string(status), "finding of "+id)}}
	}
	for _, row := range []struct {
		name    string
		causes  []checks.Cause
		results []checks.Result
		want    map[string]string // failed cases, with their type
	}{
		{"a cause and what follows from it are one failure",
			[]checks.Cause{{ID: "cause", Consequences: []string{"next", "last"}}},
			[]checks.Result{fault("cause", checks.StatusFail), fault("next", checks.StatusFail),
				fault("last", checks.StatusWarn)},
			map[string]string{"cause": "fail"}},
		{"a warning alone is no failure",
			[]checks.Cause{{ID: "cause"}},
			[]checks.Result{fault("cause", checks.StatusWarn)},
			map[string]string{}},
		{"a warning from which a fail follows is the failure",
			[]checks.Cause{{ID: "cause", Consequences: []string{"next"}}},
			[]checks.Result{fault("cause", checks.StatusWarn), fault("next", checks.StatusFail)},
			map[string]string{"cause": "warn"}},
		{"fails that explain each other stay failures", nil,
			[]checks.Result{fault("chicken", checks.StatusFail), fault("egg", checks.StatusFail)},
			map[string]string{"chicken": "fail", "egg": "fail"}},
		{"two causes of one consequence are two failures",
			[]checks.Cause{{ID: "cause", Consequences: []string{"next"}},
				{ID: "other", Consequences: []string{"next"}}},
			[]checks.Result{fault("cause", checks.StatusFail), fault("other", checks.StatusFail),
				fault("next", checks.StatusFail)},
			map[string]string{"cause": "fail", "other": "fail"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := blank()
			r.Causes = row.causes
			for _, result := range row.results {
				add(&r, result)
			}
			var doc junitSuites
			if err := xml.Unmarshal(draw(t, "junit", r, Style{}), &doc); err != nil {
				t.Fatal(err)
			}
			failed, text := map[string]string{}, map[string]string{}
			for _, c := range doc.Suites[0].Cases {
				if c.Failure != nil {
					failed[c.Name], text[c.Name] = c.Failure.Type, c.Failure.Text
				}
			}
			if diff := cmp.Diff(row.want, failed); diff != "" {
				t.Error(diff)
			}
			if doc.Failures != len(row.want) {
				t.Errorf("the document counts %d failures, want %d", doc.Failures, len(row.want))
			}
			for _, c := range row.causes {
				for _, id := range c.Consequences {
					if _, is := failed[c.ID]; is &&
						!strings.Contains(text[c.ID], "finding of "+id) {
						t.Errorf("the failure of %s does not say what follows: %s", c.ID, id)
					}
				}
			}
			for _, c := range doc.Suites[0].Cases {
				result := r.Result(c.Name)
				if _, is := failed[c.Name]; !is && result.Status == checks.StatusFail &&
					(c.Skipped == nil || !strings.Contains(c.Skipped.Message,
						"explained by "+row.causes[0].ID)) {
					t.Errorf("%s does not name the cause that explains it", c.Name)
				}
			}
		})
	}
}
