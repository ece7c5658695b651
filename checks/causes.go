package checks

import (
	"cmp"
	"slices"
)

// How causes are found and ordered, for a person to follow:
//
//  1. A fault is a check that came to fail or warn.
//  2. A fault is explained by another fault whose check names it in Explains,
//     directly or through checks that could not tell; a check that passed or
//     was skipped breaks the chain.
//  3. The faults that nothing explains are the causes.
//  4. Those that fail, or explain a failure, come before those that only warn;
//     among them, those that explain more.
//  5. Then failures before warnings, and state before text: a log line may be old.
//  6. Then the order of the catalogue, so that the same evidence gives the same report.
func findCauses(results []Result, list []*Check) []Cause {
	g := graph{status: map[string]Status{}, explains: map[string][]string{}}
	for i, c := range list {
		g.status[c.ID] = results[i].Status
		g.explains[c.ID] = c.Explains
	}
	for _, c := range All() {
		if _, ran := g.status[c.ID]; !ran { // not selected: it did not look, so it may still link two that did
			g.status[c.ID], g.explains[c.ID] = StatusUnknown, c.Explains
		}
	}
	consequences := map[string][]string{}
	for i := range results {
		r := &results[i]
		if !g.fault(r.ID) {
			continue
		}
		for _, id := range g.follows(r.ID) {
			consequences[r.ID] = append(consequences[r.ID], id)
			at := slices.IndexFunc(results, func(o Result) bool { return o.ID == id })
			results[at].ExplainedBy = append(results[at].ExplainedBy, r.ID)
		}
	}
	causes := []Cause{}
	for _, r := range results {
		if g.fault(r.ID) && len(r.ExplainedBy) == 0 {
			causes = append(causes, Cause{r.ID, orEmpty(consequences[r.ID])})
		}
	}
	slices.SortStableFunc(causes, func(a, b Cause) int {
		return cmp.Or(
			cmp.Compare(g.worst(a), g.worst(b)),
			cmp.Compare(len(b.Consequences), len(a.Consequences)),
			cmp.Compare(slices.Index(Statuses, g.status[a.ID]), slices.Index(Statuses, g.status[b.ID])),
			cmp.Compare(weight(results, b.ID), weight(results, a.ID)),
		)
	})
	return causes
}

type graph struct {
	status   map[string]Status
	explains map[string][]string
}

func (g graph) fault(id string) bool {
	return g.status[id] == StatusFail || g.status[id] == StatusWarn
}

// worst is the place in Statuses of the worst verdict among a cause and its consequences.
func (g graph) worst(c Cause) int {
	worst := slices.Index(Statuses, g.status[c.ID])
	for _, id := range c.Consequences {
		worst = min(worst, slices.Index(Statuses, g.status[id]))
	}
	return worst
}

// follows lists the faults that id explains, nearest first.
func (g graph) follows(id string) []string {
	var found []string
	seen := map[string]bool{id: true}
	for queue := []string{id}; len(queue) > 0; queue = queue[1:] {
		for _, next := range g.explains[queue[0]] {
			if seen[next] {
				continue
			}
			seen[next] = true
			if g.fault(next) {
				found = append(found, next)
			}
			if g.fault(next) || g.status[next] == StatusUnknown {
				queue = append(queue, next)
			}
		}
	}
	return found
}

// weight prefers a fault that state shows over one that only a log tells of.
func weight(results []Result, id string) int {
	for _, r := range results {
		if r.ID == id {
			for _, f := range r.Findings {
				if f.Basis != ByText {
					return 1
				}
			}
		}
	}
	return 0
}
