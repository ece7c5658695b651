// Package jsontree sets a JSON document out as rows that fold, each with the
// line of the file that it comes from.
package jsontree

import (
	"fmt"
	"strings"

	"doctor/checks/evidence/jsontree"
)

// Kind is what a row stands for.
type Kind int8

// A text is a string of several lines, and a piece is one of them: a
// configuration file inside of an object.
const (
	Scalar Kind = iota
	Object
	List
	Text
	Piece
)

// A Row is one value of the document. The rows inside of it follow it, up to End.
type Row struct {
	Kind  Kind
	Depth int
	Key   string // "" for an item of a list and for a piece
	Index int    // of an item in its list
	Item  bool   // it is an item of a list
	Value string // of a scalar: as JSON spells it, but for escapes in a string
	Size  int    // how many values it holds itself
	Line  int    // in the file, from 1
	End   int    // the row after the last inside of it
}

// Folds tells whether there is something inside.
func (r Row) Folds() bool { return r.Size > 0 }

// Parse sets out a document of at most so many rows.
func Parse(b []byte, most int) ([]Row, error) {
	root, err := jsontree.Parse(b, most)
	if err != nil {
		return nil, err
	}
	rows := add(nil, root, Row{})
	if len(rows) > most { // with the lines of its texts
		return nil, jsontree.ErrTooLarge
	}
	return rows, nil
}

// add appends the rows of a value. r is what is known of its own: how deep and where it stands.
func add(rows []Row, n *jsontree.Node, r Row) []Row {
	at := len(rows)
	r.Line = n.Line
	var pieces []string
	switch v := n.Value.(type) {
	case string:
		if lines := strings.Split(strings.TrimSuffix(v, "\n"), "\n"); len(lines) > 1 {
			r.Kind, r.Size, pieces = Text, len(lines), lines
		} else {
			r.Value = `"` + lines[0] + `"`
		}
	case nil:
		r.Value = "null"
	default:
		r.Value = fmt.Sprint(v)
	}
	switch n.Kind {
	case '{':
		r.Kind, r.Size, r.Value = Object, len(n.Fields), ""
	case '[':
		r.Kind, r.Size, r.Value = List, len(n.List), ""
	}
	rows = append(rows, r)
	for _, s := range pieces {
		rows = append(rows, Row{Kind: Piece, Depth: r.Depth + 1, Value: strings.TrimSuffix(s, "\r"),
			Line: n.Line, End: len(rows) + 1})
	}
	for _, f := range n.Fields {
		rows = add(rows, f.Node, Row{Depth: r.Depth + 1, Key: f.Key})
	}
	for i, item := range n.List {
		rows = add(rows, item, Row{Depth: r.Depth + 1, Item: true, Index: i})
	}
	rows[at].End = len(rows)
	return rows
}

// Name is what a row is called: its key, or its place in a list.
func Name(r Row) string {
	if r.Item {
		return fmt.Sprintf("[%d]", r.Index)
	}
	return r.Key
}

// Preview is a folded row in few words, its telling members first.
func Preview(rows []Row, at, most int) string {
	r := rows[at]
	switch {
	case r.Kind == Text:
		return fmt.Sprintf("%d lines", r.Size)
	case r.Kind == Object && r.Size == 0:
		return "{}"
	case r.Kind == List && r.Size == 0:
		return "[]"
	case r.Kind == List:
		return fmt.Sprintf("[%d]", r.Size)
	case r.Depth > 0 && most == 0: // within another preview
		return fmt.Sprintf("{%d}", r.Size)
	}
	var parts []string
	length := 0
	add := func(i int) {
		part := Name(rows[i]) + ": "
		if rows[i].Kind == Scalar {
			part += rows[i].Value
		} else {
			part += Preview(rows, i, 0)
		}
		parts, length = append(parts, part), length+len(part)
	}
	telling := -1
	for i := at + 1; i < r.End && telling < 0; i = rows[i].End {
		if isName(rows[i]) {
			telling = i
		}
	}
	if meta := Child(rows, at, "metadata"); telling < 0 && meta >= 0 { // of a Kubernetes object
		telling = Child(rows, meta, "name")
	}
	if telling >= 0 {
		add(telling)
	}
	for i := at + 1; i < r.End && length <= most; i = rows[i].End {
		if i != telling {
			add(i)
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func isName(r Row) bool {
	return r.Kind == Scalar && (strings.EqualFold(r.Key, "name") ||
		strings.EqualFold(r.Key, "path"))
}

// Child is the member of an object, or the item of a list by "[3]"; -1 for none.
func Child(rows []Row, at int, name string) int {
	return child(rows, at, func(own string) bool { return strings.EqualFold(own, name) })
}

func child(rows []Row, at int, is func(name string) bool) int {
	for i := at + 1; i < rows[at].End; i = rows[i].End {
		if rows[i].Kind != Piece && is(Name(rows[i])) {
			return i
		}
	}
	return -1
}
