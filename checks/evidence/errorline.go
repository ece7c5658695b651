package evidence

import "time"

// An ErrorLine is a line of a log that says that something is wrong, and how often the log has such
// a line: one that differs in numbers, names and addresses only counts as the same.
type ErrorLine struct {
	Path     string    `json:"path"`
	Line     int       `json:"line"`     // of the first, from 1
	LastLine int       `json:"lastLine"` // of the last
	Count    int       `json:"count"`
	First    time.Time `json:"first,omitzero"` // its time, where the line has one
	Last     time.Time `json:"last,omitzero"`
	Level    string    `json:"level"` // fatal, error, warning, or word: it sounds like an error
	Text     string    `json:"text"`  // of the last, bounded
	// Whether the log ends with it, or within a few lines: it may be the last words of a process.
	AtEnd bool `json:"atEnd,omitempty"`
}

// ErrorLines is errorlines.json: the lines with errors that the logs had while they were whole.
var ErrorLines = listKind[ErrorLine]("errorlines.json")

// ErrorLines returns the lines with errors of all logs.
func (s Snapshot) ErrorLines() []ErrorLine { return s.known().errorLines }
