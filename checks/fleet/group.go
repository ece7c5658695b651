package fleet

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/sorted"
)

// Bounds on what is listed of a cause; JSON is for programs, and still no more than can be read.
const (
	maxShared   = 5
	maxOutliers = 20
	chance      = 0.05 // p·compared above it is not listed
	fewest      = 10   // nodes from which on one of them can be an outlier
)

// Group makes the fleet's report of its judged nodes.
func Group(nodes []Judged) Report {
	r := Report{Schema: Schema, Causes: []Cause{}, Outliers: []Outlier{}, Nodes: []Node{},
		Notes: []string{}}
	sorted.By(nodes, func(a, b Judged) int { return strings.Compare(a.Name, b.Name) })
	at := map[string]int{}
	for _, n := range nodes {
		r.count(n.Node)
		r.Nodes = append(r.Nodes, n.Node)
		for _, c := range n.Causes {
			i, known := at[c.ID]
			if !known {
				i = len(r.Causes)
				at[c.ID] = i
				r.Causes = append(r.Causes, Cause{ID: c.ID, Title: n.of[c.ID].Title,
					Nodes: []string{}, Shared: []Shared{}})
			}
			r.Causes[i].take(n, c)
		}
	}
	compare := newComparison(r.Nodes)
	for i := range r.Causes {
		r.Causes[i].Shared = compare.shared(r.Causes[i].Nodes)
	}
	r.Outliers = compare.outliers()
	sorted.By(r.Causes, func(a, b Cause) int {
		return cmp.Or(rank(a.Status)-rank(b.Status), b.Count-a.Count, strings.Compare(a.ID, b.ID))
	})
	sorted.By(r.Nodes, func(a, b Node) int {
		return cmp.Or(slices.Index(Verdicts, a.Verdict)-slices.Index(Verdicts, b.Verdict),
			len(b.Causes)-len(a.Causes), strings.Compare(a.Name, b.Name))
	})
	return r
}

func rank(s checks.Status) int { return slices.Index(checks.Statuses, s) }

func (r *Report) count(n Node) {
	r.Summary.Nodes++
	switch n.Verdict {
	case Faulty:
		r.Summary.Faulty++
	case Warned:
		r.Summary.Warned++
	case Unread:
		r.Summary.Unread++
	default:
		r.Summary.Healthy++
	}
	if n.NotReady() != "" {
		r.Summary.NotReady++
	}
}

// take adds a node to a cause. The example is the first of the nodes that have it worst.
func (c *Cause) take(n Judged, on NodeCause) {
	c.Nodes, c.Count = append(c.Nodes, n.Name), c.Count+1
	if c.Status != "" && rank(on.Status) >= rank(c.Status) {
		return
	}
	c.Status = on.Status
	result := n.of[on.ID]
	c.Example = Example{Node: n.Name, Message: on.Message, Fix: result.Fix}
	if len(result.Findings) > 0 {
		c.Example.Finding = result.Findings[0]
	}
}

// A comparison knows which nodes have which trait.
type comparison struct {
	traits []Trait // by name and value
	have   map[Trait]map[string]bool
	known  map[string]int // of a trait's name: how many nodes of which it is known
	judged int
}

func newComparison(nodes []Node) *comparison {
	c := &comparison{have: map[Trait]map[string]bool{}, known: map[string]int{}}
	for _, n := range nodes {
		if n.Verdict == Unread {
			continue
		}
		c.judged++
		for _, t := range n.Traits {
			if c.have[t] == nil {
				c.have[t] = map[string]bool{}
			}
			c.have[t][n.Name] = true
			c.known[t.Name]++
		}
	}
	c.traits = sorted.Of(maps.Keys(c.have), func(a, b Trait) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Value, b.Value))
	})
	return c
}

// shared lists what the nodes have in common that the others do not have as often.
func (c *comparison) shared(nodes []string) []Shared {
	list := []Shared{}
	compared := 0
	for _, t := range c.traits {
		of := c.have[t]
		if len(of) == c.judged || c.judged == len(nodes) {
			continue // all nodes have it, or all have the cause: there is nothing to compare
		}
		compared++
		s := Shared{Trait: t.Name, Value: t.Value, WithOf: len(nodes),
			OthersOf: c.judged - len(nodes)}
		for _, name := range nodes {
			if of[name] {
				s.With++
			}
		}
		s.Others = len(of) - s.With
		if s.With*s.OthersOf <= s.Others*s.WithOf {
			continue // not more frequent
		}
		s.P = Fisher(s.With, s.WithOf, s.Others, s.OthersOf)
		list = append(list, s)
	}
	list = slices.DeleteFunc(list, func(s Shared) bool { return s.P*float64(compared) > chance })
	for i := range list {
		list[i].Compared = compared
	}
	sorted.By(list, func(a, b Shared) int { return cmp.Or(cmp.Compare(a.P, b.P), b.With-a.With) })
	return list[:min(len(list), maxShared)]
}

// never are the traits in which a difference is no surprise.
var never = []string{"age", "zone", "pool"}

// outliers are the values that at most a tenth of the nodes have where four fifths have another.
func (c *comparison) outliers() []Outlier {
	list := []Outlier{}
	usual := map[string]Trait{}
	for _, t := range c.traits {
		if best, ok := usual[t.Name]; !ok || len(c.have[t]) > len(c.have[best]) {
			usual[t.Name] = t
		}
	}
	for _, t := range c.traits {
		most, n := usual[t.Name], c.known[t.Name]
		if t == most || n < fewest || slices.Contains(never, t.Name) ||
			len(c.have[t])*10 > n || len(c.have[most])*5 < n*4 {
			continue
		}
		list = append(list, Outlier{Trait: t.Name, Value: t.Value,
			Nodes: slices.Sorted(maps.Keys(c.have[t])), Usual: most.Value,
			Usuals: len(c.have[most])})
	}
	sorted.By(list, func(a, b Outlier) int { return len(a.Nodes) - len(b.Nodes) })
	return list[:min(len(list), maxOutliers)]
}
