package evidence

import (
	"slices"
	"sync"
)

// A Trace remembers which evidence was read, so that a check can be held to
// what it declares: an undeclared read of something that is not there looks
// like health.
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
