package evidence

import (
	"path"
	"slices"
	"strings"
	"time"

	"doctor/checks/errcode"
)

// A Sign is a text that betrays a fault.
type Sign struct {
	Check string   // id of the check that it belongs to
	Text  string   // matched as it stands, in any case
	Also  []string // texts that must stand in the same line too
	Not   []string // texts that must not stand in it
	In    []string // where to look: log components, or the sources below; all of them where empty

	Until []string      // texts of a log or an event that say that it is over, where one comes later
	Lasts time.Duration // in a log: what is shorter is the ordinary course of a start

	Innocent bool // it says nothing of a fault: where it is found, the log may be well
}

// Fits tells whether the sign looks in the source, and whether the line has its texts.
func (s Sign) Fits(source, line string) bool {
	return s.LooksIn(source) && s.Likes(strings.ToLower(line))
}

// LooksIn tells whether the sign looks in the source.
func (s Sign) LooksIn(source string) bool {
	return len(s.In) == 0 || slices.ContainsFunc(s.In, func(in string) bool {
		return SameLog(in, source)
	})
}

// Likes tells whether the line, which is in lower case, has the sign's texts and none that it must
// not have. A message of Windows may be in another language or only a number there.
func (s Sign) Likes(lower string) bool {
	holds := func(text string) bool {
		return strings.Contains(lower, strings.ToLower(text)) || errcode.Shows(lower, text)
	}
	return holds(s.Text) && !slices.ContainsFunc(s.Also, func(also string) bool {
		return !holds(also)
	}) && !slices.ContainsFunc(s.Not, holds)
}

// The sources of signs that are no log component.
const (
	InEvents    = "events"     // Windows event log excerpts, events.json
	InPodEvents = "pod-events" // Kubernetes events of this node, api/events.json
	InPods      = "pods"       // container states in api/pods.json
	InNode      = "node"       // conditions of the Node object
)

// NodeRegistered is what a kubelet says that has reached the API server. A sign that it ends is over,
// too, where the Node object has a later heartbeat.
const NodeRegistered = "Successfully registered node"

// A SignMatch is one sign's finds in one file: the first, the time of the last, and how many.
type SignMatch struct {
	Check string    `json:"id"`   // of the check
	Text  string    `json:"sign"` // the sign's text
	Path  string    `json:"path"`
	Line  int       `json:"line"`            // from 1; 0 in JSON
	Field string    `json:"field,omitempty"` // JSON Pointer into a JSON file
	Time  time.Time `json:"time,omitzero"`   // of the line, where it has one
	Found string    `json:"text"`            // the whole line, bounded
	More  int       `json:"more"`            // how many lines more have it
	Last  time.Time `json:"last,omitzero"`   // the time of the last of them

	// The beginning of the last line, where there are more, and its number.
	Tail     string `json:"tail,omitempty"`
	LastLine int    `json:"lastLine,omitempty"`
	// Why it is history: the node has booted since, or the log is well since.
	Over string `json:"over,omitempty"`
	// The log does not go on with it for long, as at a start. It is history where something later is recorded.
	Brief bool `json:"brief,omitempty"`
}

// SignMatches is signs.json: what a scan found where all of the logs were.
var SignMatches = listKind[SignMatch]("signs.json")

// Place is where the first find is.
func (m SignMatch) Place() Place { return Place{Path: m.Path, Line: m.Line, Field: m.Field} }

// Source is where the match stands, as Sign.In names it.
func (m SignMatch) Source() string {
	switch m.Path {
	case WindowsEvents.Path():
		return InEvents
	case PodEvents.Path():
		return InPodEvents
	case Pods.Path():
		return InPods
	case Node.Path():
		return InNode
	}
	return LogComponent(m.Path)
}

// LogComponent is the component that writes a log: the name of its folder below
// logs/, or of the file that lies there alone.
func LogComponent(file string) string {
	parts := strings.Split(file, "/")
	if len(parts) < 3 {
		return strings.TrimSuffix(path.Base(file), path.Ext(file))
	}
	return parts[1]
}

// Signs returns what the logs betray for a check. It is empty where no log was
// read, so an empty answer is never a sign of health.
//
//go:noinline
func (s Snapshot) Signs(check string) []SignMatch { return s.known().signs[check] }

// An UnsearchedLog is one that a scan did not get to the end of: that a sign was
// not found in it says nothing.
type UnsearchedLog struct{ Path, Why string }

// String is the path and the reason, separated by a colon.
func (u UnsearchedLog) String() string { return u.Path + ": " + u.Why }

// Unsearched lists the logs that were not searched to their end.
func (s Snapshot) Unsearched() []UnsearchedLog { return s.known().unsearched }

// A LogScan is what a search of logs found, and what it did not get to.
type LogScan struct {
	Matches    []SignMatch
	Errors     []ErrorLine
	Unsearched []UnsearchedLog
}

// WithScan returns the snapshot with what a scan found, and did not get to, recorded in it.
func (s Snapshot) WithScan(scan LogScan) Snapshot {
	t := s.withoutMemo()
	t.unsearched, t.errorLines, t.signs = scan.Unsearched, scan.Errors, map[string][]SignMatch{}
	for _, m := range scan.Matches {
		t.signs[m.Check] = append(t.signs[m.Check], m)
	}
	return Snapshot{tree: t, trace: s.trace}
}
