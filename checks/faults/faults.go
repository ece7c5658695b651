// Package faults is the catalogue: what can be wrong with a Windows node of
// Kubernetes. A file is called after the id of its check and holds that check
// alone; what several checks share is in the files that hold no check.
package faults

import (
	"slices"
	"strings"
	"sync"

	"doctor/checks"
	"doctor/checks/regressions"
)

var registered []*checks.Check

// register adds a check to the catalogue. The paragraphs of its documentation are wrapped in the
// source, for whoever reads a change; where they are shown, the width decides.
func register(c *checks.Check) *checks.Check {
	paragraphs := strings.Split(c.Doc, "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = strings.Join(strings.Fields(p), " ")
	}
	c.Doc = strings.Join(paragraphs, "\n\n")
	if breaksPods(c) {
		c.Run = aboutAgents(c.Run)
	}
	registered = append(registered, c)
	return c
}

// Catalogue returns all checks: those of this package, and the rows of the table of regressions.
var Catalogue = sync.OnceValue(func() *checks.Catalogue {
	own := checks.NewCatalogue(registered...)
	effects := map[string]*checks.Effect{}
	for _, e := range own.Effects() {
		effects[e.ID] = e
	}
	rows := regressions.Checks(regressions.Resolver{Check: own.ByID,
		Effect: func(id string) *checks.Effect { return effects[id] }})
	return checks.NewCatalogue(append(slices.Clone(registered), rows...)...)
})

// checkOf returns the check with that id, for a Run that weighs its own signs.
//
//go:noinline
func checkOf(id string) *checks.Check { return Catalogue().ByID(id) }

// fixOf returns a copy of the fix of the check with that id, for a Run that makes it fit the node.
//
//go:noinline
func fixOf(id string) checks.Fix { return checkOf(id).Fix.Clone() }
