package checks

import (
	"cmp"
	"slices"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
)

// How causes are found and ordered, for a person to follow:
//
//  1. A fault is a check that came to fail or warn.
//  2. A fault is explained by another fault that breaks what it shows, or that
//     names it in Explains (effects.go; a finding can name more), directly or through checks that could
//     not tell; a check that passed or was skipped breaks the chain. A fault that quotes the same line
//     or value as each finding of a symptom explains that symptom. A fault whose text a service ended
//     with explains what ends with the service (lastwords.go), and never the other way round.
//  3. The faults that nothing explains are the causes; two that do not explain
//     each other are two causes.
//  4. Symptoms come after all other causes: they never cause anything.
//  5. A failure that explains others comes before warnings: a warning says what may happen, and
//     not what has happened. Beside a failure, a warning with no failure behind it is no cause;
//     one about the spec of a pod is none beside a symptom that failed, either.
//  6. What blocks most comes first: the cause with the most failures behind it, its own included.
//  7. Then state before text: a log line may be old, state is how things are.
//  8. Then what was seen last; state is as fresh as the recording.
//  9. Then failures before warnings, more consequences before fewer, and what breaks something for
//     others before what does not.
//  10. Then what stands first in the same text, where no time tells them apart: people name first what
//     they met first.
//  11. Then the order of the catalogue, so that the same evidence gives the same report.
func findCauses(results []Result, catalogue *Catalogue, shown map[string]proof) []Cause {
	g := graph{status: map[string]Status{}, explains: map[string][]string{},
		symptom: map[string]bool{}}
	for i, c := range catalogue.All() {
		g.symptom[c.ID] = c.Symptom
		g.status[c.ID] = results[i].Status
		g.explains[c.ID] = slices.Concat(catalogue.Explains(c.ID), shown[c.ID].explains)
	}
	for _, c := range catalogue.whole.All() {
		// not selected: it did not look, so it may still link two that did
		if _, ran := g.status[c.ID]; !ran {
			g.status[c.ID], g.explains[c.ID] = StatusUnknown, catalogue.Explains(c.ID)
		}
	}
	for _, symptom := range results {
		if !g.symptom[symptom.ID] || !g.fault(symptom.ID) {
			continue
		}
		for _, r := range results {
			if !g.symptom[r.ID] && g.fault(r.ID) && shown[r.ID].covers(shown[symptom.ID]) {
				g.explains[r.ID] = append(g.explains[r.ID], symptom.ID)
			}
		}
	}
	consequences := map[string][]string{}
	for i := range results {
		r := &results[i]
		if !g.fault(r.ID) {
			continue
		}
		for _, id := range g.follows(r.ID) {
			if shown[id].ends && slices.Contains(g.follows(id), r.ID) {
				continue // what does not run because the service has ended did not end it
			}
			consequences[r.ID] = append(consequences[r.ID], id)
			at := slices.IndexFunc(results, func(o Result) bool { return o.ID == id })
			results[at].ExplainedBy = append(results[at].ExplainedBy, r.ID)
		}
	}
	causes := []Cause{}
	for _, r := range results {
		if g.fault(r.ID) && len(r.ExplainedBy) == 0 {
			causes = append(causes, Cause{ID: r.ID,
				Consequences: orEmpty(consequences[r.ID])})
		}
	}
	if slices.ContainsFunc(causes, func(c Cause) bool {
		return g.status[c.ID] == StatusFail && !g.symptom[c.ID]
	}) {
		causes = slices.DeleteFunc(causes, func(c Cause) bool { return g.blocks(c) == 0 })
	} else if slices.ContainsFunc(causes, func(c Cause) bool { return g.status[c.ID] == StatusFail }) {
		causes = slices.DeleteFunc(causes, func(c Cause) bool { return catalogue.ByID(c.ID).Lints && g.blocks(c) == 0 })
	}
	sorted.By(causes, func(a, b Cause) int {
		x, y := shown[a.ID], shown[b.ID]
		return cmp.Or(
			sorted.Last(g.symptom[a.ID], g.symptom[b.ID]),
			sorted.Last(!g.explainsFailures(a), !g.explainsFailures(b)),
			cmp.Compare(g.blocks(b), g.blocks(a)),
			sorted.Last(!x.state, !y.state),
			y.seen.Compare(x.seen),
			sorted.Last(g.status[a.ID] != StatusFail, g.status[b.ID] != StatusFail),
			cmp.Compare(len(b.Consequences), len(a.Consequences)),
			sorted.Last(!g.breaks(catalogue.ByID(a.ID)), !g.breaks(catalogue.ByID(b.ID))),
			x.compareLines(y),
		)
	})
	return causes
}

// A proof is what a fault rests on: state, or text that was last seen then.
type proof struct {
	state    bool
	seen     time.Time
	first    evidence.Because // of text
	explains []string
	quotes   [][]evidence.Place // of each finding
	ends     bool               // a service ended with it
}

// ending adds what follows from the end of these services.
func (p proof) ending(catalogue *Catalogue, services []string) proof {
	for _, service := range services {
		p.explains, p.ends = append(p.explains, catalogue.Explains(service)...), true
	}
	return p
}

// covers tells whether p quotes something of each finding of the other.
func (p proof) covers(other proof) bool {
	return len(other.quotes) > 0 && !slices.ContainsFunc(other.quotes, func(finding []evidence.Place) bool {
		return !slices.ContainsFunc(finding, func(place evidence.Place) bool {
			return slices.ContainsFunc(p.quotes, func(own []evidence.Place) bool { return slices.Contains(own, place) })
		})
	})
}

// compareLines compares where two texts without times stand in one file.
func (p proof) compareLines(other proof) int {
	if p.state || other.state || !p.seen.IsZero() || p.first.Path != other.first.Path {
		return 0
	}
	return cmp.Compare(p.first.Line, other.first.Line)
}

// proofOf takes the best of the findings that make it a fault.
func proofOf(findings []*Finding, now time.Time) proof {
	var p proof
	for _, f := range findings {
		switch {
		case f.Level == Info:
			continue
		case f.Basis != ByText:
			p.state, p.seen = true, now
		case f.seen.After(p.seen):
			p.seen = f.seen
		}
		if len(f.Because) > 0 && (p.first.Path == "" || p.first.Path == f.Because[0].Path && f.Because[0].Line < p.first.Line) {
			p.first = f.Because[0]
		}
		p.explains = append(p.explains, f.Explains...)
		var quotes []evidence.Place
		for _, b := range f.Because {
			quotes = append(quotes, b.Place())
		}
		p.quotes = append(p.quotes, quotes)
	}
	return p
}

// explainsFailures tells whether a cause is a failure with another failure behind it.
func (g graph) explainsFailures(c Cause) bool {
	return g.status[c.ID] == StatusFail && g.blocks(c) > 1
}

// breaks tells whether a fault breaks something for others; of a warning, whether it can explain another fault.
func (g graph) breaks(c *Check) bool {
	return len(c.Breaks) > 0 || g.status[c.ID] == StatusWarn && len(g.explains[c.ID]) > 0
}

// blocks counts the failures behind a cause, its own included.
func (g graph) blocks(c Cause) int {
	n := 0
	for _, id := range append([]string{c.ID}, c.Consequences...) {
		if g.status[id] == StatusFail {
			n++
		}
	}
	return n
}

type graph struct {
	status   map[string]Status
	explains map[string][]string
	symptom  map[string]bool
}

func (g graph) fault(id string) bool {
	return g.status[id] == StatusFail || g.status[id] == StatusWarn
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
