package evidence

import (
	"slices"
	"strings"
	"sync"
)

// A Need is evidence that a check may depend on: a Kind, a File, the Logs of a
// component, a fact worked out from several of them, or Any of several.
type Need interface {
	// Gap says why the need is not met in s; it is the zero Gap where it is.
	Gap(s Snapshot) Gap
	// Paths are the evidence paths that could meet the need; a path that ends
	// with a slash stands for everything below it.
	Paths() []string
}

type anyOf []Need

// Any is met as soon as one of the alternatives is.
//
//go:noinline
func Any(alternatives ...Need) Need { return anyOf(alternatives) }

func (a anyOf) Gap(s Snapshot) Gap {
	var first Gap
	for _, n := range a {
		g := n.Gap(s)
		if g.Kind == "" {
			return Gap{}
		}
		// A refusal or a hang tells the reader more than "was not collected".
		if first.Kind == "" || first.Kind == NotCollected && g.Kind != NotCollected {
			first = g
		}
	}
	return first
}

func (a anyOf) Paths() []string {
	var paths []string
	for _, n := range a {
		paths = append(paths, n.Paths()...)
	}
	return paths
}

// Names says what would meet the need: by the name of a fact that has one, else by its paths.
func Names(n Need) []string {
	var names []string
	Each(n, func(n Need) {
		if named, ok := n.(interface{ Name() string }); ok {
			names = append(names, named.Name())
		} else {
			names = append(names, n.Paths()...)
		}
	})
	return Unique(names)
}

// Covers tells whether one of the needs answers for path.
func Covers(needs []Need, path string) bool {
	return slices.ContainsFunc(anyOf(needs).Paths(), func(p string) bool { return matches(p, path) })
}

func matches(pattern, path string) bool {
	if strings.HasSuffix(pattern, "/") {
		return len(path) >= len(pattern) && strings.EqualFold(path[:len(pattern)], pattern)
	}
	return strings.EqualFold(pattern, path)
}

// Overlap tells whether two evidence paths name the same file, or one lies in
// the folder that the other names with a slash at its end.
func Overlap(a, b string) bool { return matches(a, b) || matches(b, a) }

// Each calls do for the need, or for each of its alternatives.
func Each(n Need, do func(Need)) {
	if list, ok := n.(anyOf); ok {
		for _, alternative := range list {
			Each(alternative, do)
		}
		return
	}
	do(n)
}

// A Trace remembers which evidence was read, so that a check can be held to what it declares: an
// undeclared read of something that is not there looks like health.
type Trace struct{ seen sync.Map }

// Traced returns the snapshot with its reads noted in tr.
func (s Snapshot) Traced(tr *Trace) Snapshot {
	s.trace = tr
	return s
}

// Seen lists what was read, in order.
func (tr *Trace) Seen() []string {
	var list []string
	for path := range tr.seen.Range {
		list = append(list, path.(string))
	}
	slices.Sort(list)
	return list
}

func (s Snapshot) note(path string) {
	if s.trace != nil {
		s.trace.seen.Store(path, true)
	}
}
