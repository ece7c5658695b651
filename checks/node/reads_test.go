package node

import (
	"slices"
	"testing"

	"doctor/checks/evidence"
	"doctor/fixtures"
)

// TestFactPathsNamesAllThatFactsAreLearntFrom: a live run calls a verdict open
// while anything that the node's facts rest on is still being read.
func TestFactPathsNamesAllThatFactsAreLearntFrom(t *testing.T) {
	used := map[string]bool{}
	for _, name := range fixtures.Names() {
		r, err := fixtures.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := evidence.Load(r.FS())
		if err != nil {
			t.Fatal(err)
		}
		var tr evidence.Trace
		learnNode(s.Traced(&tr))
		for _, path := range tr.Seen() {
			at := slices.IndexFunc(FactPaths, func(p string) bool {
				return evidence.Overlap(p, path)
			})
			if at < 0 {
				t.Fatalf("%s: the facts are learnt from %s, which factPaths does not name", name,
					path)
			}
			used[FactPaths[at]] = true
		}
	}
	for _, path := range FactPaths {
		// read without a trace
		if !used[path] && path != evidence.SignMatches.Path() && path != "files.json" {
			t.Errorf("factPaths names %s, from which no fact is learnt", path)
		}
	}
}
