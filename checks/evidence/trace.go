package evidence

import (
	"maps"
	"slices"
	"sync"
)

// A Trace remembers which evidence was read, so that a check can be held to
// what it declares: an undeclared read of something that is not there looks
// like health.
type Trace struct {
	mu   sync.Mutex
	seen map[string]bool
}

// Traced returns the snapshot with its reads noted in tr.
func (s Snapshot) Traced(tr *Trace) Snapshot {
	s.trace = tr
	return s
}

// Seen lists what was read, in order.
func (tr *Trace) Seen() []string {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return slices.Sorted(maps.Keys(tr.seen))
}

func (s Snapshot) note(path string) {
	if s.trace == nil {
		return
	}
	s.trace.mu.Lock()
	defer s.trace.mu.Unlock()
	if s.trace.seen == nil {
		s.trace.seen = map[string]bool{}
	}
	s.trace.seen[path] = true
}
