package faults_test

import (
	"bufio"
	"cmp"
	_ "embed"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/node"
	"doctor/checks/signs"
)

// leastNoticed is the share of meaningful changes, in percent, that the checks must notice; the
// short test's is that of its sample. They are what was measured, and only go up.
const leastNoticed, leastNoticedShort = 90, 80

//go:embed testdata/harmless.txt
var harmlessList string

// TestChangesOfHealthyNodesAreNoticed changes one recorded value of a healthy node at a time and
// judges the node again. What no check notices is a missing comparison, or is listed as harmless.
//
// A change is noticed where a check that was silent comes to a fail or a warn that quotes the
// place of the change: the value itself, or what is around it, which is the element of the file's
// list that it is in (one service, one pod, one HNS endpoint), the smallest object or list that
// holds it, or an object around that up to the whole file. In a text it is the line, a line of a
// mapping or table around it, or the whole file. A finding that quotes only the other side of a
// comparison does not count. As nothing else was changed, the finding is about the change.
//
// A file of the node is also removed as a whole, which its record then says. Other files are not
// removed: a recording without one is a gap, and TestACheckCannotTellWithoutItsNeeds covers gaps.
// Null, empty texts and empty lists hold no value to change.
func TestChangesOfHealthyNodesAreNoticed(t *testing.T) {
	harmless := readHarmless(t)
	var mu sync.Mutex
	score := mutationScore{unnoticed: map[string][]mutant{}}
	t.Run("recordings", func(t *testing.T) {
		for _, name := range healthyNodes {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				m := newMutated(t, name)
				for _, file := range slices.Sorted(maps.Keys(m.files)) {
					t.Run(file, func(t *testing.T) {
						t.Parallel()
						m.judgeFile(t, file, harmless, &mu, &score)
					})
				}
			})
		}
	})
	for _, h := range harmless {
		if h.used == 0 && !testing.Short() {
			t.Errorf("harmless.txt:%d: %s matches nothing: delete it", h.line, h.pattern)
		}
	}
	score.print(t)
	least := leastNoticed
	if testing.Short() {
		least = leastNoticedShort
	}
	if percent := score.percent(); score.judged == 0 || percent < float64(least) {
		t.Errorf("%.1f %% of %d changes are noticed, want at least %d %%: run with -v", percent,
			score.judged, least)
	}
}

// everyNth is how many changes the short test goes over for each one that it makes.
const everyNth = 25

// A mutatedNode is a healthy recording whose values are changed.
type mutatedNode struct {
	files   map[string]*fstest.MapFile
	base    evidence.Snapshot
	matches []evidence.SignMatch // of the unchanged recording
}

func newMutated(t *testing.T, name string) mutatedNode {
	l := load(t, name)
	m := mutatedNode{base: l.snapshot, files: map[string]*fstest.MapFile{}}
	tree := l.recording.FS()
	for _, path := range l.snapshot.Paths() {
		content, err := fs.ReadFile(tree, path)
		if err != nil {
			t.Fatal(err)
		}
		m.files[path] = &fstest.MapFile{Data: content, Mode: 0o444}
	}
	searched := map[string]bool{}
	for _, sign := range catalogueSigns() {
		if !searched[sign.Check] {
			searched[sign.Check] = true
			m.matches = append(m.matches, l.snapshot.Signs(sign.Check)...)
		}
	}
	return m
}

var catalogueSigns = sync.OnceValue(func() []evidence.Sign { return faults.Catalogue().Signs() })

// mayStandIn tells whether signs are looked for in a file, or weighed by it.
func mayStandIn(file string) bool {
	return slices.Contains([]string{"meta.json", "os.json", "events.json", "api/events.json",
		"api/pods.json", "api/node.json"}, file)
}

func (n mutatedNode) judgeFile(t *testing.T, file string, harmless []*harmlessPattern,
	mu *sync.Mutex, score *mutationScore) {
	list := mutantsOf(file, n.files[file].Data)
	if gone, ok := removal(file, n.files["files.json"].Data); ok {
		list = append(list, gone)
	}
	catalogue := faults.Catalogue()
	if file != "meta.json" && file != "files.json" {
		catalogue = catalogue.Select(func(c *checks.Check) bool {
			return c.AwaitsAny([]string{file})
		})
	}
	for i, m := range ofLongLists(list) {
		mu.Lock()
		ignored, contradicted := isHarmless(harmless, m)
		score.all++
		if contradicted {
			score.contradicted++
		} else if ignored {
			score.harmless++
		}
		mu.Unlock()
		if ignored || testing.Short() && i%everyNth != 0 {
			continue
		}
		by, elsewhere := n.noticed(m, catalogue)
		mu.Lock()
		score.judged++
		m.elsewhere = elsewhere
		if by != "" {
			score.noticed++
		} else {
			score.unnoticed[m.shape()] = append(score.unnoticed[m.shape()], m)
		}
		mu.Unlock()
	}
}

// ofLongLists leaves of values of the same shape in lists of more than three elements, in files
// whose elements are all of one kind, the first, one in the middle and the last.
func ofLongLists(list []mutant) []mutant {
	shapes := map[string][]int{}
	for i, m := range list {
		shapes[m.shape()] = append(shapes[m.shape()], i)
	}
	return slices.DeleteFunc(slices.Clone(list), func(m mutant) bool {
		alike := shapes[m.shape()]
		if len(alike) <= 3 || m.pointer == "" || !ofOneKind.MatchString(m.path) ||
			strings.Contains(m.pointer, "/conditions/") {
			return false
		}
		return !slices.ContainsFunc([]int{0, len(alike) / 2, len(alike) - 1}, func(at int) bool {
			kept := list[alike[at]]
			return kept.pointer == m.pointer && kept.named == m.named && kept.change == m.change
		})
	})
}

var ofOneKind = regexp.MustCompile(`^api/.*s\.json$|^cri\.json|^hns-|^events\.json|^files\.json`)

// noticed is the check that notices the change, or "", and then elsewhere is one that finds
// something and does not quote the place of the change.
func (n mutatedNode) noticed(m mutant, catalogue *checks.Catalogue) (by, elsewhere string) {
	files := maps.Clone(n.files)
	if m.gone {
		delete(files, m.path)
		files["files.json"] = &fstest.MapFile{Data: m.content, Mode: 0o444}
	} else {
		files[m.path] = &fstest.MapFile{Data: m.content, Mode: 0o444}
	}
	s, err := evidence.Load(fstest.MapFS(files))
	if err != nil {
		return err.Error(), ""
	}
	if mayStandIn(m.path) {
		s, _ = signs.Record(s, catalogueSigns())
	} else {
		s = s.WithScan(evidence.LogScan{Matches: n.matches})
	}
	for _, c := range catalogue.All() {
		for _, f := range stateFindings(s, c) {
			switch {
			case f.Level <= checks.Info:
			case slices.ContainsFunc(f.Because, m.isAt):
				return c.ID, ""
			default:
				elsewhere = c.ID
			}
		}
	}
	return "", elsewhere
}

// stateFindings are what a check finds in the state. It is the part of a diagnosis that a change
// of state can alter; to fill in fixes and to order causes would take most of the time.
func stateFindings(s evidence.Snapshot, c *checks.Check) (findings []*checks.Finding) {
	defer func() {
		if recover() != nil {
			findings = nil // a check that panics is unknown
		}
	}()
	if c.Run == nil || c.Applies != nil && c.Applies(node.About(s)) != nil ||
		slices.ContainsFunc(c.Needs, func(n evidence.Need) bool { return n.Gap(s).Kind != "" }) {
		return nil
	}
	findings, err := c.Run(s)
	if err != nil {
		return nil
	}
	return findings
}

// isAt tells whether a finding quotes the place of the change.
func (m mutant) isAt(b evidence.Because) bool {
	if m.gone && b.Path == "files.json" {
		return true
	}
	if !strings.EqualFold(b.Path, m.path) {
		return false
	}
	if m.gone || b.Field == "" && b.Line == 0 {
		return true
	}
	if m.pointer == "" {
		return b.Line == m.line || slices.Contains(m.blocks, b.Line)
	}
	around := evidence.Place{Path: m.path, Field: m.pointer}.Parent().Field
	return b.Field == "" && b.Line > 0 || within(m.pointer, b.Field) || within(b.Field, around) ||
		evidence.SameElement(evidence.Place{Field: b.Field}, evidence.Place{Field: m.pointer})
}

// within tells whether a JSON Pointer leads into what the other one points to.
func within(pointer, outer string) bool {
	return pointer == outer || strings.HasPrefix(pointer, outer+"/")
}

// A harmlessPattern is a line of testdata/harmless.txt.
type harmlessPattern struct {
	pattern string
	line    int
	match   *regexp.Regexp
	used    int
	against bool // other evidence of the same moment contradicts the change
}

// readHarmless reads "pattern: reason" lines. In a pattern, * stands for a step of the pointer or
// a part of one, and ** for any number of steps. Where a reason begins with "contradicted by",
// another piece of evidence of the same moment shows that there is no fault, and checks believe it;
// these are counted apart.
func readHarmless(t *testing.T) []*harmlessPattern {
	var list []*harmlessPattern
	lines := bufio.NewScanner(strings.NewReader(harmlessList))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		pattern, reason, ok := strings.Cut(line, ": ")
		if !ok || len(reason) < 10 {
			t.Fatalf("harmless.txt:%d: want PATTERN: REASON", n)
		}
		expr := regexp.QuoteMeta(pattern)
		expr = strings.ReplaceAll(expr, `\*\*`, `.*`)
		expr = regexp.MustCompile(`\\\*`).ReplaceAllString(expr, `[^/]*`)
		list = append(list, &harmlessPattern{pattern: pattern, line: n,
			against: strings.HasPrefix(reason, "contradicted by "),
			match:   regexp.MustCompile("^" + expr + "$")})
	}
	return list
}

func isHarmless(list []*harmlessPattern, m mutant) (ignored, contradicted bool) {
	for _, h := range list {
		if h.match.MatchString(m.place()) {
			h.used++
			contradicted = contradicted || h.against && !ignored
			ignored = true
		}
	}
	return ignored, contradicted
}

// A mutationScore counts changes.
type mutationScore struct {
	all, harmless, contradicted int // changes
	judged, noticed             int
	unnoticed                   map[string][]mutant
}

func (s mutationScore) percent() float64 { return 100 * float64(s.noticed) / float64(s.judged) }

func (s mutationScore) print(t *testing.T) {
	fmt.Printf("evidence mutation: %d of %d changes noticed, %.1f %% (of %d; %d are harmless, "+
		"%d contradicted by other evidence)\n", s.noticed, s.judged, s.percent(), s.all, s.harmless,
		s.contradicted)
	shapes := slices.SortedFunc(maps.Keys(s.unnoticed), func(a, b string) int {
		return cmp.Or(len(s.unnoticed[b])-len(s.unnoticed[a]), cmp.Compare(a, b))
	})
	for _, shape := range shapes {
		list := s.unnoticed[shape]
		t.Logf("unnoticed: %4d %s, such as %s", len(list), shape, list[0])
		for _, m := range list {
			if m.elsewhere != "" {
				t.Logf("  %s finds something and quotes another place: %s", m.elsewhere, m)
			}
		}
	}
}
