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

// ClipMiddle bounds an error: who says it is at its beginning, and the reason at its end, behind the
// names of all that handed it on.
func ClipMiddle(s string, n int) string {
	const mark = " … "
	if len(s) <= n {
		return s
	}
	head, tail := n/3, s[len(s)-(n-n/3-len(mark)):]
	if at := strings.IndexByte(tail, ' '); at >= 0 && at < len(tail)/2 {
		tail = tail[at+1:] // the rest of a word
	}
	return strings.ToValidUTF8(strings.TrimRight(s[:head], " ")+mark+tail, "")
}

// Because is a piece of evidence that something rests on.
type Because struct {
	Path string `json:"path"` // in the evidence tree
	// of a text, from 1; 0 in JSON of the tree, and where all of the file is meant
	Line int `json:"line"`
	// JSON Pointer (RFC 6901) into the JSON file at the path; left out where all of it is meant
	Field string `json:"field,omitempty"`
	// the line, or what is at the field; bounded, without control characters
	Text string `json:"text"`
	// how many lines more of the file have it; the text says so too
	More int `json:"more,omitempty"`
}

// Shown is the piece of evidence as a report holds it. A pointer is as long as
// the names of the file make it: cut, it would point elsewhere.
func (b Because) Shown() Because {
	b.Path, b.Text = Shown(b.Path), Shown(b.Text)
	if b.Field != Shown(b.Field) {
		b.Field = ""
	}
	return b
}
