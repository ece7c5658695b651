// Package symptom leads from what a person sees to what is behind it: each
// symptom is a question as it is asked, the checks that bear on it in the order
// in which one would try them, and what to try when none of them found it.
//
// A symptom judges nothing itself. It puts the verdicts of a finished report in
// an order, and ends with an answer.
package symptom

import (
	"slices"
	"sync"

	"doctor/checks"
)

// A Symptom is what somebody says is wrong.
type Symptom struct {
	ID       string // lower-kebab-case, final
	Question string // as it is asked
	// entries of the Kubernetes Windows troubleshooting FAQ; each belongs to one symptom
	FAQ    []int
	Shows  []string // the checks that see the symptom itself, in whatever cause
	Checks []string // cheap and likely first
	// effects and categories: checks of no other symptom that break one of these, or belong to
	// one, come after Checks
	Breaks     []string
	Categories []checks.Category
	Next       []Step // when nothing was found, in order
}

// A Step is something to ask or to try. Commands may hold {node}.
type Step struct {
	Text     string
	Commands []string
	Impact   string // what it costs, where it changes anything
}

// ByID returns the symptom of that id.
func ByID(id string) (Symptom, bool) {
	for _, s := range all {
		if s.ID == id {
			return s, true
		}
	}
	return Symptom{}, false
}

// named are the checks that some symptom names.
var named = sync.OnceValue(func() map[string]bool {
	ids := map[string]bool{}
	for _, s := range all {
		for _, id := range s.Checks {
			ids[id] = true
		}
	}
	return ids
})

// leadsTo tells whether a check that no symptom names belongs to this one.
func (s Symptom) leadsTo(id string, category checks.Category, breaks []*checks.Effect) bool {
	return !named()[id] && !slices.Contains(unnoticed, id) &&
		(slices.Contains(s.Categories, category) ||
			slices.ContainsFunc(breaks, func(e *checks.Effect) bool {
				return slices.Contains(s.Breaks, e.ID)
			}))
}

// Outcome is what one check has to say about a symptom.
type Outcome int

// The outcomes, the most telling first.
const (
	Fault    Outcome = iota // fail or warn
	Normal                  // found; normal on Windows
	Open                    // the verdict is still to come
	Unknown                 // could not run
	RuledOut                // looked, and it is not that
	Skipped                 // does not arise on this node, or did not run
)

var outcomes = map[checks.Status]Outcome{checks.StatusFail: Fault, checks.StatusWarn: Fault,
	checks.StatusInfo: Normal, checks.StatusUnknown: Unknown, checks.StatusPass: RuledOut,
	checks.StatusSkip: Skipped}

func outcomeOf(r *checks.Result) Outcome {
	if r.Status == checks.StatusInfo && r.Category == checks.CategoryVersions {
		return RuledOut // the version has a known regression, and the node no sign of it
	}
	if outcome, ok := outcomes[r.Status]; ok {
		return outcome
	}
	return Open // a state that a screen puts in a verdict's place
}
