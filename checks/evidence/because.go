package evidence

import (
	"strings"
)

// MaxText bounds, in bytes, each text of a report that may have come from evidence.
const MaxText = 600

// Shown is a text as a report holds it: clean and bounded.
func Shown(s string) string { return Clip(Clean(s), MaxText) }

// Clip bounds a text that came from evidence; the whole line is in the evidence itself.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + " …"
}

// Because is a piece of evidence that something rests on.
type Because struct {
	Path string `json:"path"` // in the evidence tree
	Line int    `json:"line"` // from 1; 0 where the text names the field
	Text string `json:"text"` // the line, or the field and its value; bounded, without control characters
}
