// These tests measure what the redactor lets through and what it marks wrongly, with examples that
// were written without looking at its rules: generated from gitleaks' rules, read from the test suites
// of other scanners, and corpora of its own about Windows nodes. `make leaks` prints the tables; the
// tests hold today's figures as bounds that may only shrink.

package redact_test

import (
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

var (
	all  = flag.Bool("leaks", false, "measure everything and print the tables: make leaks")
	show = flag.String("leaks.show", "", "print what leaks of this source, rule or context (or \"all\")")
)

// A count is of examples of one row of a table.
type count struct{ seeded, leaked int }

type tally map[string]*count

func (t tally) add(row string, leaked bool) {
	if t[row] == nil {
		t[row] = &count{}
	}
	t[row].seeded++
	if leaked {
		t[row].leaked++
	}
}

// Results are what was measured. A row of a source and of a rule counts each example once, in its
// plain context.
type results struct {
	sources, issuers, bare, rules, contexts tally
	failed                                  []string
}

// measure redacts each example in its contexts, each with a redactor of its own.
func measure(t testing.TB, examples []example, every bool) results {
	t.Helper()
	r := results{tally{}, tally{}, tally{}, tally{}, tally{}, nil}
	for i := range examples {
		e := &examples[i]
		for j, c := range contexts {
			// The quick run takes each example plain and in one more context.
			if !every && c.name != plainContext && (i+j)%(len(contexts)-1) != 0 {
				continue
			}
			r.measure(t, e, c)
		}
	}
	return r
}

func (r *results) measure(t testing.TB, e *example, c context) {
	text := c.write(e.text, e.secrets)
	if text == "" {
		return
	}
	path := e.path
	if c.path != "" {
		path = c.path
	}
	around := c.write(blanked(e), nil)
	if e.leaked([]byte(text), []byte(around)) == "" {
		if c.name != plainContext {
			return // some contexts hide a secret from this judge as well: they prove nothing
		}
		r.failed = append(r.failed, fmt.Sprintf("%s %s, %s: the secret is not found in the input\n%s",
			e.source, e.rule, c.name, e.text))
		return
	}
	out, err := redacted([]byte(text), path)
	if err != nil {
		t.Fatalf("%s: %v\n%s", e.rule, err, text)
	}
	leak := e.leaked(out, []byte(around)) != ""
	if leak && (*show == "all" || *show == e.source || *show == e.rule || *show == c.name ||
		strings.HasSuffix(*show, " "+e.source) || strings.HasSuffix(*show, " "+c.name)) {
		fmt.Printf("--- %s, %s, %s: %q is left\n%s=>\n%s", e.source, e.rule, c.name,
			e.leaked(out, []byte(around)), text, out)
	}
	if e.bare {
		if c.name == plainContext {
			r.bare.add(e.source, leak)
		}
		return
	}
	r.contexts.add(c.name, leak)
	if c.name == plainContext {
		r.sources.add(e.source, leak)
		if e.issuerOnly() {
			r.issuers.add(e.source, leak)
		}
		r.rules.add(e.source+" "+e.rule, leak)
	}
}

// blanked is the text without its secrets.
func blanked(e *example) string {
	text := e.text
	for i, secret := range e.secrets {
		h := fnv.New32a()
		fmt.Fprint(h, i)
		text = strings.ReplaceAll(text, secret, fmt.Sprint("-", h.Sum32(), "-"))
	}
	return text
}

func (t tally) print(title string, order []string) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%s\tseeded\tleaked\t%%\t\n", title)
	for _, row := range order {
		if c := t[row]; c != nil {
			fmt.Fprintf(w, "%s\t%d\t%d\t%.1f\t\n", row, c.seeded, c.leaked,
				100*float64(c.leaked)/float64(c.seeded))
		}
	}
	w.Flush()
	fmt.Println()
}

func (t tally) worst(n int) []string {
	rows := slices.Sorted(maps.Keys(t))
	slices.SortStableFunc(rows, func(a, b string) int { return t[b].leaked - t[a].leaked })
	return rows[:min(n, len(rows))]
}

func (r *results) print() {
	sum := &count{}
	for _, c := range r.sources {
		sum.seeded, sum.leaked = sum.seeded+c.seeded, sum.leaked+c.leaked
	}
	rows := append(slices.Sorted(maps.Keys(r.sources)), "all")
	r.sources["all"] = sum
	r.sources.print("named or prefixed", rows)
	delete(r.sources, "all")
	r.issuers.print("of these only an issuer's name", slices.Sorted(maps.Keys(r.issuers)))
	if len(r.bare) > 0 {
		r.bare.print("bare", slices.Sorted(maps.Keys(r.bare)))
	}
	var names []string
	for _, c := range contexts {
		names = append(names, c.name)
	}
	r.contexts.print("context", names)
	r.rules.print("worst rules", r.rules.worst(10))
}

// The bounds are what leaked when they were last written: they may only become smaller.
const boundsFile = "testdata/bounds.txt"

var update = flag.Bool("update", false, "write smaller bounds to "+boundsFile)

// TestNoMoreLeaks holds what leaks of the corpora of this repository, plain and each in one other
// context.
func TestNoMoreLeaks(t *testing.T) {
	holdBounds(t, "own", measure(t, fromTables(t, 1), false))
}

// TestNoMoreLeaksOfGitleaks holds what leaks of examples made from the rules of gitleaks.
func TestNoMoreLeaksOfGitleaks(t *testing.T) {
	if testing.Short() {
		t.Skip("redacts thousands of texts; run `make test`")
	}
	holdBounds(t, "gitleaks", measure(t, fromGitleaks(t, 2), false))
}

func holdBounds(t *testing.T, corpus string, r results) {
	t.Helper()
	for _, f := range r.failed {
		t.Error(f)
	}
	got := tally{}
	for name, part := range map[string]tally{"source": r.sources, "context": r.contexts} {
		for row, c := range part {
			got[fmt.Sprintf("%s: %s %s", corpus, name, row)] = c
		}
	}
	for _, row := range slices.Sorted(maps.Keys(got)) {
		holdsBound(t, row, *got[row])
	}
}

// holdsBound compares with the bound of a row, or lowers it where the test is to update.
func holdsBound(t *testing.T, row string, got count) bool {
	t.Helper()
	bounds := readBounds(t)
	bound, ok := bounds[row]
	switch {
	case *update && (!ok || got.leaked < bound.leaked || got.seeded != bound.seeded):
		bounds[row] = got
		writeBounds(t, bounds)
	case !ok || got.seeded != bound.seeded:
		t.Errorf("%s: there are %d examples, the bound is of %d; write it with -update", row,
			got.seeded, bound.seeded)
		return false
	case got.leaked > bound.leaked:
		t.Errorf("%s: %d of %d, at most %d before; `make leaks SHOW=%q` shows them", row, got.leaked,
			got.seeded, bound.leaked, row)
		return false
	case got.leaked < bound.leaked:
		t.Logf("%s: %d of %d; lower the bound of %d with -update", row, got.leaked, got.seeded,
			bound.leaked)
	}
	return true
}

func readBounds(t testing.TB) map[string]count {
	t.Helper()
	content, err := os.ReadFile(boundsFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	bounds := map[string]count{}
	for line := range strings.Lines(string(content)) {
		var c count
		if _, err := fmt.Sscanf(line, "%d of %d", &c.leaked, &c.seeded); err != nil {
			t.Fatalf("%s: %q: %v", boundsFile, line, err)
		}
		_, row, _ := strings.Cut(strings.TrimSpace(line), ": ")
		bounds[row] = c
	}
	return bounds
}

func writeBounds(t testing.TB, bounds map[string]count) {
	t.Helper()
	var b strings.Builder
	for _, row := range slices.Sorted(maps.Keys(bounds)) {
		fmt.Fprintf(&b, "%d of %d: %s\n", bounds[row].leaked, bounds[row].seeded, row)
	}
	if err := os.WriteFile(boundsFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestLeaks prints the tables of make leaks.
func TestLeaks(t *testing.T) {
	if !*all {
		t.Skip("measures for minutes; run `make leaks`")
	}
	examples := slices.Concat(fromGitleaks(t, 4), fromTables(t, 2), fromSuites(t))
	r := measure(t, examples, true)
	r.print()
	printWrong(t)
	for _, f := range r.failed {
		t.Log(f)
	}
}

// TestSuites prints what leaks of other scanners' suites alone.
func TestSuites(t *testing.T) {
	if suitesDir == "" {
		t.Skip("DOCTOR_LEAK_SUITES names no folder with their copies")
	}
	r := measure(t, fromSuites(t), false)
	r.print()
	for _, f := range r.failed {
		t.Log(f)
	}
}
