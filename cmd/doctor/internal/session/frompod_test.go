package session

import (
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"doctor/checks/evidence"
	"doctor/fixtures"
)

func TestAPodIsAskedWhatTheNodeIsAsked(t *testing.T) {
	r, err := fixtures.Open("healthy-flannel-overlay")
	if err != nil {
		t.Fatal(err)
	}
	s, err := evidence.Load(r.FS())
	if err != nil {
		t.Fatal(err)
	}
	plan, err := podPlan(s, "shop/web-1", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"www.msftconnecttest.com", "www.msftconnecttest.com:80",
		"10.96.0.10:53"} {
		if !slices.Contains(plan.Targets, want) {
			t.Errorf("the pod is not asked for %s, but for %v", want, plan.Targets)
		}
	}
	if plan.Pod != "shop/web-1" || !slices.Contains(plan.Names, "kubernetes.default") {
		t.Errorf("%s resolves %v", plan.Pod, plan.Names)
	}
	empty, err := evidence.Load(
		fixtures.Tree(
			txtar.Parse(
				[]byte("-- meta.json --\n{\"layout\":\"evidence/v1\",\"node\":\"win-1\"}\n"))))
	if err != nil {
		t.Fatal(err)
	}
	plan, err = podPlan(empty, "shop/web-1", []string{"10.1.2.3:80"})
	if err != nil || !slices.Equal(plan.Targets, []string{"10.1.2.3", "10.1.2.3:80"}) {
		t.Errorf("of a node that nothing is known of, %v is asked (%v)", plan.Targets, err)
	}
}
