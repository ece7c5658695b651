package lang

import (
	"doctor/checks"
	"doctor/checks/fleet"
)

// Fleet is the report of many nodes in the language.
func (c *Catalogue) Fleet(r fleet.Report) fleet.Report {
	if c == nil {
		return r
	}
	r.Causes = changed(r.Causes, func(cause *fleet.Cause) {
		cause.Title = c.Check(&checks.Check{ID: cause.ID, Title: cause.Title}).Title
		cause.Example.Fix = c.Fix(cause.Example.Fix)
		if f := cause.Example.Finding; f.Format != "" {
			cause.Example.Message = c.Message(f)
		}
	})
	return r
}
