package checks

import (
	"cmp"
	"slices"

	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/sorted"
)

// A Catalogue is a set of checks that know of each other, or a selection of
// such a set. It is read-only and safe for concurrent use.
type Catalogue struct {
	list  []*Check // those to run: by category, then id
	whole *Catalogue
	byID  map[string]*Check // of the whole

	// of the whole: ids of the faults that follow directly from a check, or from the end of a service
	explains map[string][]string
	services []string // with whose end an effect ends
}

// NewCatalogue puts checks into one catalogue, and works out who explains whom.
// It panics where two of them share an id or judge the same effect, which only
// a programmer can cause.
func NewCatalogue(list ...*Check) *Catalogue {
	c := &Catalogue{list: slices.Clone(list), byID: map[string]*Check{}}
	c.whole = c
	for _, check := range list {
		if c.byID[check.ID] != nil {
			panic("checks: two checks are called " + check.ID)
		}
		c.byID[check.ID] = check
	}
	sorted.By(c.list, func(a, b *Check) int {
		return cmp.Or(cmp.Compare(slices.Index(Categories, a.Category),
			slices.Index(Categories, b.Category)), cmp.Compare(a.ID, b.ID))
	})
	ends := map[string]*Check{}
	explaining := slices.Clone(c.list)
	for _, e := range c.Effects() {
		for _, service := range e.EndsWith {
			if ends[service] == nil {
				ends[service] = &Check{ID: service}
				explaining, c.services = append(explaining, ends[service]), append(c.services, service)
			}
			ends[service].Breaks = append(ends[service].Breaks, e)
		}
	}
	c.explains = explanations(explaining)
	return c
}

// Select returns the checks for which keep is true. Those left out do not run,
// and still link the causes and consequences of those that do.
func (c *Catalogue) Select(keep func(*Check) bool) *Catalogue {
	selected := &Catalogue{whole: c.whole, byID: c.byID, explains: c.explains, services: c.services}
	for _, check := range c.list {
		if keep(check) {
			selected.list = append(selected.list, check)
		}
	}
	return selected
}

// Only selects the checks with these ids.
func (c *Catalogue) Only(ids ...string) *Catalogue {
	return c.Select(func(check *Check) bool { return slices.Contains(ids, check.ID) })
}

// Linters selects the checks that judge manifests.
func (c *Catalogue) Linters() *Catalogue {
	return c.Select(func(check *Check) bool { return check.Lints })
}

// All lists the checks by category, then id. The zero Catalogue and nil hold none.
func (c *Catalogue) All() []*Check {
	if c == nil {
		return nil
	}
	return c.list
}

// ByID returns the check with that id, selected or not, or nil.
func (c *Catalogue) ByID(id string) *Check {
	if c == nil {
		return nil
	}
	return c.byID[id]
}

// Explains lists the faults that follow directly from the check with that id: those that it names,
// then those that show what it breaks, nearest first.
func (c *Catalogue) Explains(id string) []string {
	if c == nil {
		return nil
	}
	return c.explains[id]
}

// Signs lists the texts of the checks in the form that the scanner takes, those from
// which facts about the node are learned, and those that show how much of a log is there.
func (c *Catalogue) Signs() []evidence.Sign {
	signs := slices.Concat(node.FactSigns, node.VoiceSigns)
	for _, check := range c.All() {
		for _, s := range check.Signs {
			for _, text := range append([]string{s.Text}, s.Or...) {
				signs = append(signs, evidence.Sign{Check: check.ID, Text: text, Also: s.Also,
					Not: s.Not, In: s.In, Until: s.Until, Lasts: s.Lasts,
					Innocent: s.ConfirmOnly && s.Level == Info})
			}
		}
	}
	return signs
}
