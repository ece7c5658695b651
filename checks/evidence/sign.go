package evidence

import "time"

// A Sign is a text that betrays a fault.
type Sign struct {
	Check string   // id of the check that it belongs to
	Text  string   // matched as it stands, in any case
	Also  []string // texts that must stand in the same line too
	In    []string // where to look: log components, or the sources below; all of them where empty
}

// The sources of signs that are no log component.
const (
	InEvents    = "events"     // Windows event log excerpts, events.json
	InPodEvents = "pod-events" // Kubernetes events of this node, api/events.json
	InPods      = "pods"       // container states in api/pods.json
	InNode      = "node"       // conditions of the Node object
)

// A SignMatch is one sign's finds in one file: the first and the last line, and how many.
type SignMatch struct {
	Sign  int       `json:"-"`    // index of the sign among those of its check
	Check string    `json:"id"`   // the check
	Text  string    `json:"sign"` // the sign's text
	Path  string    `json:"path"`
	Line  int       `json:"line"` // from 1; the element's number in a JSON list
	Time  time.Time `json:"time,omitzero"`
	Found string    `json:"text"` // the whole line, bounded
	Count int       `json:"count"`
	Last  time.Time `json:"last,omitzero"` // time of the last match
}

// Signs returns what the logs betray for a check. It is empty where no log was
// read, so an empty answer is never a sign of health.
func (s Snapshot) Signs(check string) []SignMatch {
	if s.tree == nil {
		return nil
	}
	return s.signs[check]
}

// WithSigns returns the snapshot with the matches of a scan recorded in it.
func (s Snapshot) WithSigns(matches []SignMatch) Snapshot {
	t := &tree{fsys: s.fsys, meta: s.meta, paths: s.paths, records: s.records, hidden: s.hidden, memo: map[any]*once{}}
	t.signs = map[string][]SignMatch{}
	for _, m := range matches {
		t.signs[m.Check] = append(t.signs[m.Check], m)
	}
	return Snapshot{tree: t, trace: s.trace}
}
