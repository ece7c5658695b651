package lang

import (
	"slices"

	"doctor/checks"
	"doctor/checks/fleet"
)

// Fleet is the report of many nodes in the language.
func (c *Catalogue) Fleet(r fleet.Report) fleet.Report {
	if c == nil {
		return r
	}
	r.Causes = slices.Clone(r.Causes)
	for i := range r.Causes {
		cause := &r.Causes[i]
		cause.Title = c.Check(&checks.Check{ID: cause.ID, Title: cause.Title}).Title
		cause.Example.Fix = c.Fix(cause.Example.Fix)
		if f := cause.Example.Finding; f.Format != "" {
			cause.Example.Message = c.Message(f)
		}
	}
	return r
}
