// Package diff compares two nodes, or one node at two times, by what their evidence means. Objects
// are matched by their names in the field (an HNS network by name, a load balancer by VIP and port, a
// service by name, a file by path and parsed content), never by GUID, and what must differ between
// two nodes (names, addresses, podCIDRs, MACs, times) is set aside. It reads evidence and decides
// nothing by the words of a report.
package diff

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/sorted"
)

// Schema is the name and version of a Comparison as JSON.
const Schema = "doctor.diff/v1"

// A Side is one of the two nodes.
type Side struct {
	Name   string // as the user named it
	Report checks.Report
	Paths  []string                          // of its evidence
	Gap    func(path string) evidence.Gap    // why a path is not there
	Read   func(path string) ([]byte, error) // text without secrets
}

// A Group says what a difference is of, and so where it is shown.
type Group string

// The groups, in the order in which they are shown.
const (
	Versions      Group = "versions"
	Configuration Group = "configuration"
	State         Group = "state"
	Rest          Group = "rest" // changes by itself, and says little
)

// Groups lists them in the order in which they are shown.
var Groups = []Group{Versions, Configuration, State, Rest}

// A Comparison is what two nodes do not have in common.
type Comparison struct {
	Schema string         `json:"schema"`
	Doctor checks.Program `json:"doctor"`
	A      Node           `json:"a"`
	B      Node           `json:"b"`
	// Whether there is a fault or a difference that is not of the group rest.
	Differs bool `json:"differs"`
	// Faults and warnings that only one of the nodes has, with the differences that their evidence
	// points at.
	Verdicts    []Verdict    `json:"verdicts"`
	Differences []Difference `json:"differences"` // Those that explain a fault come first.
	// Evidence that only one of the nodes has: nothing follows from it.
	Uncompared []Uncompared `json:"uncompared"`
	// How many files of evidence were compared, beside those of the group rest. From 0 nothing
	// follows: it does not say that the nodes are alike.
	Compared int `json:"compared"`
}

// A Node is one side of a comparison.
type Node struct {
	Source      string           `json:"source"` // As it was named.
	CollectedAt string           `json:"collectedAt"`
	Facts       checks.NodeFacts `json:"node"`
}

// A Verdict is a check that found something on one node alone.
type Verdict struct {
	ID      string        `json:"id"`
	Title   string        `json:"title"`
	A       checks.Status `json:"a"`
	B       checks.Status `json:"b"`
	Message string        `json:"message"` // Of the first finding.
	// Places in differences.
	Differences []int `json:"differences"`
}

// A Difference is one field of one object whose values are not the same.
type Difference struct {
	Group  Group  `json:"group"`
	Path   string `json:"path"`   // Of the evidence.
	Object string `json:"object"` // What it is of: a service, an HNS network. May be empty.
	Field  string `json:"field"`  // Empty where the object is only on one node.
	// Values that only this node has; a list where several can stand side by side. Empty where there
	// is none.
	A []string `json:"a"`
	B []string `json:"b"`
	// Ids of the faults whose evidence is here.
	Explains []string `json:"explains"`

	pointers [2][]string // of the values and of what holds them, in each side's file
	lines    [2][]int
}

// Uncompared is evidence that only one node has.
type Uncompared struct {
	Path string `json:"path"`
	Only string `json:"only"` // The node that has it: a or b.
	Gap  string `json:"gap"`  // Why the other has none.
}

// Compare compares two nodes.
func Compare(a, b Side, program checks.Program) Comparison {
	c := Comparison{Schema: Schema, Doctor: program, A: nodeOf(a), B: nodeOf(b),
		Verdicts: []Verdict{}, Differences: []Difference{}, Uncompared: []Uncompared{}}
	known := [2]identity{identify(a), identify(b)}
	for _, doc := range documents {
		for _, path := range doc.paths(a, b) {
			c.compareFile(doc, path, [2]Side{a, b}, known)
		}
	}
	c.judge(a.Report, b.Report)
	c.order()
	c.Differs = len(c.Verdicts) > 0 || slices.ContainsFunc(c.Differences,
		func(d Difference) bool { return d.Group != Rest })
	return c
}

func nodeOf(s Side) Node {
	n := Node{Source: s.Name, Facts: s.Report.Node}
	if at := s.Report.CollectedAt; !at.IsZero() {
		n.CollectedAt = at.UTC().Format("2006-01-02T15:04:05Z")
	}
	return n
}

func (c *Comparison) compareFile(doc *document, path string, sides [2]Side, known [2]identity) {
	var flat [2]*flattened
	for i, s := range sides {
		if !slices.Contains(s.Paths, path) {
			continue
		}
		text, err := s.Read(path)
		if err != nil {
			continue // a gap, as if it were not there
		}
		flat[i] = doc.flatten(path, text, known[i])
	}
	switch {
	case flat[0] != nil && flat[1] != nil:
		if doc.group != Rest {
			c.Compared++
		}
		c.Differences = append(c.Differences, compareFlat(doc, path, flat)...)
	case flat[0] != nil:
		c.uncompared(doc, path, "a", sides[1])
	case flat[1] != nil:
		c.uncompared(doc, path, "b", sides[0])
	}
}

// uncompared notes a file that one node does not have. A copied file is compared by files.json, which
// tells a file that is absent from one that was not looked for.
func (c *Comparison) uncompared(doc *document, path, only string, other Side) {
	if doc.group == Rest || strings.HasPrefix(path, "files/") {
		return
	}
	c.Uncompared = append(c.Uncompared, Uncompared{Path: path, Only: only, Gap: other.Gap(path).Reason()})
}

// judge finds the checks that found something on one node alone, and the differences that show why.
func (c *Comparison) judge(a, b checks.Report) {
	other := map[string]checks.Result{}
	for _, r := range b.Results {
		other[r.ID] = r
	}
	for _, ra := range a.Results {
		rb, ok := other[ra.ID]
		if !ok || ra.Status.Fault() == rb.Status.Fault() {
			continue
		}
		side, bad := 0, ra
		if rb.Status.Fault() {
			side, bad = 1, rb
		}
		v := Verdict{ID: ra.ID, Title: ra.Title, A: ra.Status, B: rb.Status, Differences: []int{}}
		if len(bad.Findings) > 0 {
			v.Message = bad.Findings[0].Message
		}
		for i := range c.Differences {
			if d := &c.Differences[i]; d.shows(bad, side) {
				d.Explains = append(d.Explains, ra.ID)
			}
		}
		c.Verdicts = append(c.Verdicts, v)
	}
	causes := map[string]int{}
	for _, r := range []checks.Report{b, a} {
		for i, cause := range r.Causes {
			causes[cause.ID] = len(r.Causes) - i
		}
	}
	sorted.By(c.Verdicts, func(x, y Verdict) int { return causes[y.ID] - causes[x.ID] })
}

// shows tells whether a finding's evidence is what differs here.
func (d *Difference) shows(r checks.Result, side int) bool {
	for _, f := range r.Findings {
		for _, b := range f.Because {
			if b.Path != d.Path {
				continue
			}
			// Where all of a file is meant, an object that is missing from it shows the fault.
			whole := b.Field == "" && b.Line == 0
			if whole && (d.Field == "" || strings.HasPrefix(d.Path, "files/")) || b.Line > 0 && slices.Contains(d.lines[side], b.Line) {
				return true
			}
			for _, pointer := range d.pointers[side] {
				if b.Field != "" && (within(pointer, b.Field) || within(b.Field, pointer) && pointer != "") {
					return true
				}
			}
		}
	}
	return false
}

// within tells whether one JSON Pointer leads to or into what the other points at.
func within(pointer, outer string) bool {
	rest, ok := strings.CutPrefix(pointer, outer)
	return ok && (rest == "" || rest[0] == '/')
}

// order puts what explains a fault first, then the groups, each as the files come.
func (c *Comparison) order() {
	sorted.By(c.Differences, func(x, y Difference) int {
		return cmp.Or(min(len(y.Explains), 1)-min(len(x.Explains), 1),
			slices.Index(Groups, x.Group)-slices.Index(Groups, y.Group))
	})
	for i := range c.Differences {
		d := &c.Differences[i]
		explains := []string{}
		for j := range c.Verdicts {
			if slices.Contains(d.Explains, c.Verdicts[j].ID) {
				c.Verdicts[j].Differences = append(c.Verdicts[j].Differences, i)
				explains = append(explains, c.Verdicts[j].ID)
			}
		}
		d.Explains = explains // in the order of the verdicts
	}
}
