package checks

import (
	"slices"
	"strings"

	"doctor/checks/sorted"
)

// An Effect is something on a node that faults break, such as starting pods or the cluster's DNS. A
// fault names what it breaks, a check names what its own fault is a sign of, and so a fault explains
// the checks that show what it breaks, without naming one of them. The catalogue declares its
// effects as it declares its checks.
type Effect struct {
	ID      string    // lower-kebab-case
	Name    string    // what is broken, as a noun
	Doc     string    // when it works, and what happens without it, in a sentence or two
	Implies []*Effect // what breaks with it
	// The services with whose end it ends: its own, or those that start it as a child. The last words of
	// one of them break it.
	EndsWith []string
}

// explanations lists for each check the faults that follow from it directly: those that it names,
// and those that show an effect that it breaks. An effect that a check judges is entered through
// that check alone: a pass or a skip of it says that the effect is intact, and ends the chain there.
func explanations(list []*Check) map[string][]string {
	judges, signs := map[*Effect]*Check{}, map[*Effect][]string{}
	for _, c := range list {
		if c.Judges != nil {
			if other := judges[c.Judges]; other != nil {
				panic("checks: " + other.ID + " and " + c.ID + " both judge the effect " +
					c.Judges.ID)
			}
			judges[c.Judges] = c
		}
		for _, e := range c.Shows {
			signs[e] = append(signs[e], c.ID)
		}
	}
	explains := map[string][]string{}
	for _, c := range list {
		follow := func(id string) {
			if id != c.ID && !slices.Contains(explains[c.ID], id) {
				explains[c.ID] = append(explains[c.ID], id)
			}
		}
		for _, id := range c.Explains {
			follow(id)
		}
		broken := slices.Clone(c.Breaks)
		if c.Judges != nil {
			broken = append(broken, c.Judges)
		}
		for i := 0; i < len(broken); i++ { // grows by what is implied, nearest first
			if judge := judges[broken[i]]; judge != nil && judge != c {
				follow(judge.ID)
				continue
			}
			for _, id := range signs[broken[i]] {
				follow(id)
			}
			for _, e := range broken[i].Implies {
				if !slices.Contains(broken, e) {
					broken = append(broken, e)
				}
			}
		}
	}
	return explains
}

// Effects lists the effects that the checks name, and those that they imply, by id.
func (c *Catalogue) Effects() []*Effect {
	var list []*Effect
	var add func(*Effect)
	add = func(e *Effect) {
		if slices.Contains(list, e) {
			return
		}
		list = append(list, e)
		for _, implied := range e.Implies {
			add(implied)
		}
	}
	for _, check := range c.All() {
		for _, e := range slices.Concat(check.Breaks, check.Signifies()) {
			add(e)
		}
	}
	sorted.By(list, func(a, b *Effect) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// Broken lists the effects that break where the check's fault is found, beside what it shows.
func (c *Check) Broken() []*Effect {
	list := slices.Clone(c.Breaks)
	if c.Judges != nil {
		list = append(list, c.Judges.Implies...)
	}
	return list
}

// Signifies lists the effects that are broken where the check's fault is found: what it judges, and
// what it is a sign of.
func (c *Check) Signifies() []*Effect {
	if c.Judges == nil {
		return c.Shows
	}
	return append([]*Effect{c.Judges}, c.Shows...)
}
