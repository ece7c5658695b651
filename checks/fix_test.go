package checks_test

import (
	"testing"

	"golang.org/x/tools/txtar"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/fixtures"
)

// TestAPodGetsIntoItsOwnCommands: a command about a pod of an agent keeps its placeholder.
func TestAPodGetsIntoItsOwnCommands(t *testing.T) {
	s, err := evidence.Load(fixtures.Tree(txtar.Parse([]byte("-- meta.json --\n" +
		`{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z"}` + "\n-- api/pods.json --\n" +
		`{"items":[{"metadata":{"namespace":"shop","name":"web-1"},"spec":{},"status":{}}]}` + "\n"))))
	if err != nil {
		t.Fatal(err)
	}
	rows := []struct{ command, want string }{
		{"kubectl logs POD -n NAMESPACE --previous", "kubectl logs web-1 -n shop --previous"},
		{"kubectl -n shop describe pod POD ", "kubectl -n shop describe pod web-1 "},
		{"kubectl logs -n kube-system POD --previous", "kubectl logs -n kube-system POD --previous"},
	}
	var steps []*checks.Step
	for _, row := range rows {
		steps = append(steps, checks.Inspect(row.command, "Read it."))
	}
	catalogue := checks.NewCatalogue(&checks.Check{ID: "a", Category: checks.CategoryNode, Needs: []evidence.Need{evidence.Pods},
		Fix: checks.Steps(steps...),
		Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
			return []*checks.Finding{checks.Findingf(checks.Fail, "shop/web-1", "it is down").With(evidence.Pods.Field(s).Because("no"))}, nil
		}})
	causes := checks.Diagnose(s, catalogue, checks.Source{}, checks.Program{}).Causes
	if len(causes) != 1 || len(causes[0].Fix.Steps) != len(rows) {
		t.Fatalf("the causes are %+v", causes)
	}
	for i, row := range rows {
		if got := causes[0].Fix.Steps[i].Command; got != row.want {
			t.Errorf("%q becomes %q, want %q", row.command, got, row.want)
		}
	}
}
