package fleet_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/fleet"
)

// The values are those of R's fisher.test and of the exact sum of hypergeometric probabilities.
func TestFisher(t *testing.T) {
	for _, c := range []struct {
		name                           string
		with, withOf, others, othersOf int
		want                           float64
	}{
		{"Fisher's tea tasting", 3, 4, 1, 4, 0.4857142857},
		{"Wikipedia's dieters", 1, 10, 11, 14, 0.0027594561852},
		{"the convictions of twins in R's manual", 10, 13, 2, 17, 0.0005367241},
		{"the example of scipy's manual", 6, 8, 1, 5, 0.1025641026},
		{"all of five and none of five", 5, 5, 0, 5, 2.0 / 252},
		{"no difference", 5, 10, 50, 100, 1},
		{"a trait that all have", 4, 4, 9, 9, 1},
		{"nobody has the cause", 0, 0, 3, 9, 1},
		{"counts that cannot be", 5, 4, 0, 9, 1},
		{"a large fleet", 300, 300, 0, 700, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := fleet.Fisher(c.with, c.withOf, c.others, c.othersOf)
			if math.Abs(got-c.want) > 1e-9 {
				t.Errorf("p is %.10f, not %.10f", got, c.want)
			}
			if turned := fleet.Fisher(c.others, c.othersOf, c.with, c.withOf); math.Abs(turned-
				got) > 1e-9 {
				t.Errorf("with the rows exchanged p is %.10f", turned)
			}
		})
	}
}

// node is a judged node with causes of these ids; warnings begin with !.
func node(name, build, zone string, causes ...string) fleet.Judged {
	r := checks.Report{Summary: checks.Summary{}, Node: checks.NodeFacts{Name: name, Build: build}}
	for _, id := range causes {
		status := checks.StatusFail
		if id[0] == '!' {
			id, status = id[1:], checks.StatusWarn
		}
		r.Summary[status]++
		r.Results = append(r.Results, checks.Result{ID: id, Title: "Title of " + id, Status: status,
			Findings: []checks.ReportFinding{{Message: id + " on " + name}}})
		if status == checks.StatusFail {
			r.Causes = append(r.Causes, checks.Cause{ID: id, Title: "Title of " + id,
				Message: id + " on " + name})
		}
	}
	j := fleet.Judge(name, r, evidence.Snapshot{})
	// what a Node object says is in no snapshot here
	j.Unread, j.Ready, j.Verdict = "", "True", fleet.Healthy
	switch {
	case r.Summary[checks.StatusFail] > 0:
		j.Verdict = fleet.Faulty
	case len(causes) > 0:
		j.Verdict = fleet.Warned
	}
	j.Traits = append(j.Traits, fleet.Trait{Name: "zone", Value: zone})
	return j
}

// nodes are n nodes, of which the first sick ones have the build and the causes.
func nodes(n, sick int, causes ...string) []fleet.Judged {
	var list []fleet.Judged
	for i := range n {
		zone := fmt.Sprintf("zone-%d", i%2)
		if i < sick {
			list = append(list, node(fmt.Sprintf("win-%02d", i), "10.0.20348.1", zone, causes...))
		} else {
			list = append(list, node(fmt.Sprintf("win-%02d", i), "10.0.20348.2", zone))
		}
	}
	return list
}

func TestTheSameCauseOnManyNodesIsOne(t *testing.T) {
	list := append(nodes(12, 5, "b", "!w"), node("win-90", "10.0.20348.2", "zone-0", "a", "b"),
		node("win-91", "10.0.20348.2", "zone-1", "!b"))
	slices.Reverse(list) // the order in which nodes are judged is chance
	r := fleet.Group(list)
	type row struct {
		ID     string
		Status checks.Status
		Count  int
		On     string
	}
	var got []row
	for _, c := range r.Causes {
		got = append(got, row{c.ID, c.Status, c.Count, c.Example.Node})
		if len(c.Nodes) != c.Count || !slices.IsSorted(c.Nodes) {
			t.Errorf("the nodes of %s are %v", c.ID, c.Nodes)
		}
	}
	want := []row{{"b", "fail", 7, "win-00"}, {"a", "fail", 1, "win-90"}, {"w", "warn", 5, "win-00"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if want := (fleet.Summary{Nodes: 14, Faulty: 6, Warned: 1, Healthy: 7}); r.Summary != want {
		t.Errorf("the summary is %+v", r.Summary)
	}
	if r.Nodes[0].Name != "win-00" || r.Nodes[len(r.Nodes)-1].Verdict != fleet.Healthy {
		t.Errorf("the nodes begin with %s and end with a %s", r.Nodes[0].Name,
			r.Nodes[len(r.Nodes)-1].Verdict)
	}
}

func TestWhatNodesShare(t *testing.T) {
	for _, c := range []struct {
		name  string
		nodes []fleet.Judged
		want  []fleet.Shared // p and the number of comparisons apart
	}{
		{"the update of all sick nodes and of no other", nodes(20, 8, "x"),
			[]fleet.Shared{{Trait: "update", Value: "10.0.20348.1", With: 8, WithOf: 8, OthersOf: 12}}},
		{"two of three nodes are too few for anything", nodes(3, 2, "x"), []fleet.Shared{}},
		{"what all nodes have tells nothing", nodes(20, 20, "x"), []fleet.Shared{}},
		{"a zone that sick and well share equally is not listed", func() []fleet.Judged {
			list := nodes(20, 0)
			for i := range 8 {
				list[i] = node(list[i].Name, "10.0.20348.2", fmt.Sprintf("zone-%d", i%2), "x")
			}
			return list
		}(), []fleet.Shared{}},
		{"a node that was not read is in no count", append(nodes(20, 8, "x"),
			fleet.Failed("win-99", "no answer")),
			[]fleet.Shared{{Trait: "update", Value: "10.0.20348.1", With: 8, WithOf: 8, OthersOf: 12}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := fleet.Group(c.nodes).Causes[0].Shared
			for i := range got {
				if got[i].P*float64(got[i].Compared) > 0.05 || got[i].P <= 0 {
					t.Errorf("p is %g of %d", got[i].P, got[i].Compared)
				}
				got[i].P, got[i].Compared = 0, 0
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOutliers(t *testing.T) {
	for _, c := range []struct {
		name  string
		nodes []fleet.Judged
		want  []string
	}{
		{"one node of twenty with another update", nodes(20, 1), []string{"win-00"}},
		{"two of twenty", nodes(20, 2), []string{"win-00", "win-01"}},
		{"three of twenty are too many", nodes(20, 3), nil},
		{"one of nine: too few nodes to say what is usual", nodes(9, 1), nil},
		{"all the same", nodes(20, 0), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, o := range fleet.Group(c.nodes).Outliers {
				if o.Trait != "update" || o.Usual != "10.0.20348.2" ||
					o.Usuals != 20-len(o.Nodes) {
					t.Errorf("the outlier is %+v", o)
				}
				got = append(got, o.Nodes...)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("the outliers are %v, not %v", got, c.want)
			}
		})
	}
}

func TestANodeThatCannotBeJudged(t *testing.T) {
	r := fleet.Group([]fleet.Judged{fleet.Failed("win-1", "the tree is \x1b[31mbroken")})
	n := r.Nodes[0]
	if r.Summary.Unread != 1 || n.Verdict != fleet.Unread || n.Unread != "the tree is broken" ||
		!slices.Equal(n.Marks(), []string{"the tree is broken"}) {
		t.Errorf("%+v of %+v", n, r.Summary)
	}
}
