package evidence

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"doctor/checks/evidence/jsontree"
)

// A Place is where a piece of evidence is: a file of the tree, in a text the
// line, in JSON the value.
type Place struct {
	Path  string
	Line  int    // of a text, from 1; 0 for all of it
	Field string // JSON Pointer (RFC 6901) into a JSON file; "" for all of it
}

// InFile is the place of a whole file.
//
//go:noinline
func InFile(path string) Place { return Place{Path: path} }

// InLine is a line of a text.
//
//go:noinline
func InLine(path string, line int) Place { return Place{Path: path, Line: line} }

// At is a value inside the place: a string is a member of an object, an int an element of a list.
//
//go:noinline
func (p Place) At(steps ...any) Place {
	for _, step := range steps {
		p.Field += jsontree.Step(step)
	}
	return p
}

// Parent is the list or object that the value is in; of all of a file, itself.
func (p Place) Parent() Place {
	p.Field = p.Field[:max(strings.LastIndexByte(p.Field, '/'), 0)]
	return p
}

// Because says what is at the place.
//
//go:noinline
func (p Place) Because(format string, args ...any) Because {
	return Because{Path: p.Path, Line: p.Line, Field: p.Field, Text: fmt.Sprintf(format, args...)}
}

// Place is where the evidence is.
func (b Because) Place() Place { return Place{Path: b.Path, Line: b.Line, Field: b.Field} }

// Element is the element of the file's list that the place is in, such as an event
// or a pod, and its number there, from 0. Of a file that is no list the number is
// -1, and the place itself is returned.
func (p Place) Element() (at Place, number int) {
	list := ""
	if strings.HasPrefix(p.Field, "/items/") {
		list = "/items"
	}
	step, _, _ := strings.Cut(strings.TrimPrefix(p.Field[len(list):], "/"), "/")
	number, err := strconv.Atoi(step)
	if err != nil {
		return p, -1
	}
	p.Field = list + jsontree.Step(number)
	return p, number
}

// SameElement tells whether two places are in one element of a list, or the same.
func SameElement(a, b Place) bool {
	a, _ = a.Element()
	b, _ = b.Element()
	return a == b
}

// Placed is embedded in what files of the tree hold several of. The decoder
// notes in it where each of them is, and copies keep it.
type Placed struct {
	in    *origin
	index int // in the list
}

// An origin is the list that elements come from, or the one object.
type origin struct {
	path   string
	prefix string // pointer to the list: "", or /items
	bare   bool   // the prefix is an object and no list
}

// Field is the place of a value inside the element, or without steps of the
// element itself. What no decoder has read is at no place.
func (p Placed) Field(steps ...any) Place {
	if p.in == nil {
		return Place{}
	}
	place := Place{Path: p.in.path, Field: p.in.prefix}
	if !p.in.bare {
		place = place.At(p.index)
	}
	return place.At(steps...)
}

// Equal makes two elements equal, for tests, that differ only in where they are.
func (Placed) Equal(Placed) bool { return true }

func (p *Placed) place(in *origin, index int) { p.in, p.index = in, index }

func (p *Placed) origin() *origin { return p.in }

// A placer is what embeds Placed.
type placer interface {
	place(in *origin, index int)
	origin() *origin
}

// placeAll notes in each element of a list where it is.
func placeAll(list reflect.Value, in *origin) {
	for i := range list.Len() {
		p, ok := list.Index(i).Addr().Interface().(placer)
		if !ok {
			return
		}
		p.place(in, i)
	}
}

// A Spot is a value in a JSON file of the node: its line, and a JSON Pointer to it.
type Spot struct {
	Line  int
	Field string
}

// At is a spot that a decoder found in the file.
func (f NodeFile) At(spot Spot) Place {
	return Place{Path: f.Path, Line: spot.Line, Field: spot.Field}
}

// Field is a value in a JSON file of the node, under the names that the file
// itself has for the steps, which differ in case. Of what is not there it is the
// place where it would be; of a file that is not JSON it is the file.
func (f NodeFile) Field(steps ...any) Place {
	text, _ := trimBOM([]byte(f.Text))
	node, err := parseJSONObject(text)
	if err != nil {
		return InFile(f.Path)
	}
	for i, step := range steps {
		var next *jsonNode
		switch step := step.(type) {
		case string:
			next = node.Lookup(step)
		case int:
			if list := node.Items(); step < len(list) {
				next = list[step]
			}
		}
		if next == nil {
			return f.At(spotOf(node)).At(steps[i:]...)
		}
		node = next
	}
	return f.At(spotOf(node))
}

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
