package maskname

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/fixtures"
)

// masked writes a tree as a bundle would hold it: text as UTF-8, names masked in
// contents and in paths.
func masked(t *testing.T, n *Names, fsys fs.FS) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(fsys, p)
		if err != nil {
			return err
		}
		out[string(n.Append(nil, []byte(p)))] = &fstest.MapFile{Data: n.Append(nil,
			evidence.DecodeText(b))}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func load(t *testing.T, fsys fs.FS) evidence.Snapshot {
	t.Helper()
	s, err := evidence.Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// outcome is what must survive: the verdict of each check, and the causes.
func outcome(s evidence.Snapshot) map[string]string {
	list := faults.Catalogue()
	s, _ = signs.Record(s, list.Signs())
	r := checks.Diagnose(s, list, checks.Source{}, checks.Program{})
	out := map[string]string{}
	for _, res := range r.Results {
		out[res.ID] = string(res.Status)
	}
	for _, c := range r.Causes {
		out["cause "+c.ID] = strings.Join(c.Consequences, " ")
	}
	return out
}

func TestTheDiagnosisSurvivesTheMasks(t *testing.T) {
	for i, name := range fixtures.Names() {
		if i%14 != 0 && testing.Short() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := fixtures.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			plain := load(t, r.FS())
			n := New([]byte("key of " + name))
			n.Learn(plain)
			tree := masked(t, n, r.FS())
			want, got := outcome(plain), outcome(load(t, tree))
			for id := range maps.Collect(maps.All(want)) {
				if want[id] != got[id] {
					t.Errorf("%s is %q, and %q masked", id, want[id], got[id])
				}
			}
			for id := range got {
				if _, ok := want[id]; !ok {
					t.Errorf("%s is new, once masked: %s", id, got[id])
				}
			}
			holdsNoName(t, n, plain, tree)
			again := masked(t, n, tree)
			for p, f := range tree {
				if a, ok := again[p]; !ok || string(a.Data) != string(f.Data) {
					t.Errorf("%s differs when it is masked twice", p)
				}
			}
			if testing.Verbose() {
				t.Log(n.Counts(), n.Unmasked())
			}
		})
	}
}

// holdsNoName searches the masked tree for the names that the evidence states.
func holdsNoName(t *testing.T, n *Names, s evidence.Snapshot, tree fstest.MapFS) {
	t.Helper()
	nodes := []string{s.Meta().Node}
	for _, o := range append(evidence.Nodes.In(s), evidence.Node.In(s)) {
		nodes = append(nodes, o.Metadata.Name)
	}
	for _, p := range slices.Sorted(maps.Keys(tree)) {
		low := strings.ToLower(string(tree[p].Data))
		for _, name := range nodes {
			if name != "" && n.unsearchable(strings.ToLower(name)) == "" &&
				holdsWord(low, strings.ToLower(name)) {
				t.Errorf("%s still holds %s", p, name)
			}
		}
	}
}

// holdsWord tells whether a text holds a name between word boundaries.
func holdsWord(text, name string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(name)
		if (start == 0 || !isAlnum[text[start-1]]) && startsWord([]byte(text), start) &&
			endsWord([]byte(text), end) {
			return true
		}
		at = start + 1
	}
}
