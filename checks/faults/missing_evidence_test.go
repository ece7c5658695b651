package faults_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/fixtures"
)

// TestAHealthyNodeStaysHealthyWhateverIsMissing takes each piece of evidence away from a healthy
// node, and gives each piece alone: what was not looked at is no fault, and what stands in for it
// must not convict.
func TestAHealthyNodeStaysHealthyWhateverIsMissing(t *testing.T) {
	for _, name := range fixtures.Names() {
		if !strings.HasPrefix(name, "healthy-") || testing.Short() && !slices.Contains(healthyNodes, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newMutated(t, name)
			whole := n.troubles(t, n.files)
			for path := range n.files {
				if path == "meta.json" {
					continue
				}
				less := maps.Clone(n.files)
				delete(less, path)
				alone := map[string]*fstest.MapFile{"meta.json": n.files["meta.json"], path: n.files[path]}
				for what, files := range map[string]map[string]*fstest.MapFile{"without": less, "only": alone} {
					for _, trouble := range n.troubles(t, files) {
						if !slices.Contains(whole, trouble) {
							t.Errorf("%s %s: %s", what, path, trouble)
						}
					}
				}
			}
			n.someOfIt(t, whole)
		})
	}
}

// someOfIt gives pieces of the evidence by chance: support teams get what a collector found.
func (n mutatedNode) someOfIt(t *testing.T, whole []string) {
	paths := slices.Sorted(maps.Keys(n.files))
	random := rand.New(rand.NewPCG(1, uint64(len(paths))))
	for range 20 {
		files := map[string]*fstest.MapFile{"meta.json": n.files["meta.json"]}
		for _, i := range random.Perm(len(paths))[:2+random.IntN(len(paths)-2)] {
			files[paths[i]] = n.files[paths[i]]
		}
		for _, trouble := range n.troubles(t, files) {
			if !slices.Contains(whole, trouble) {
				t.Errorf("only %s: %s", strings.Join(slices.Sorted(maps.Keys(files)), ", "), trouble)
			}
		}
	}
}

// troubles are the checks that come to a fail or a warn over these files of the node.
func (n mutatedNode) troubles(t *testing.T, files map[string]*fstest.MapFile) (ids []string) {
	s, err := evidence.Load(fstest.MapFS(files))
	if err != nil {
		t.Fatal(err)
	}
	var kept []evidence.SignMatch
	for _, m := range n.matches {
		if files[m.Path] != nil {
			kept = append(kept, m)
		}
	}
	for _, r := range diagnose(s.WithScan(evidence.LogScan{Matches: kept})).Results {
		if r.Status == checks.StatusFail || r.Status == checks.StatusWarn {
			ids = append(ids, r.ID)
		}
	}
	return ids
}
