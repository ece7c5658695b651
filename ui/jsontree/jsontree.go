// Package jsontree sets a JSON document out as rows that fold, each with the
// line of the file that it comes from.
package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
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

// ErrTooLong is returned for a document of more than most rows.
var ErrTooLong = errors.New("too long to be shown as a tree")

// Parse sets out a document of at most so many rows.
func Parse(b []byte, most int) ([]Row, error) {
	p := parser{b: b, dec: json.NewDecoder(bytes.NewReader(b)), line: 1, most: most}
	p.dec.UseNumber()
	for {
		err := p.next()
		if err == io.EOF && len(p.open) == 0 && len(p.rows) > 0 {
			return p.rows, nil
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", p.line, err)
		}
	}
}

type parser struct {
	b    []byte
	dec  *json.Decoder
	seen int // bytes whose lines were counted
	line int
	rows []Row
	open []int // the rows that are not at their end
	key  string
	keyed,
	done bool
	most int
}

// next takes one token.
func (p *parser) next() error {
	tok, err := p.dec.Token()
	if err != nil {
		return err
	}
	p.count(tok)
	if p.done && len(p.open) == 0 {
		return errors.New("there is something behind the document")
	}
	if d, ok := tok.(json.Delim); ok && (d == '}' || d == ']') {
		p.rows[p.open[len(p.open)-1]].End = len(p.rows)
		p.open = p.open[:len(p.open)-1]
		return nil
	}
	if s, ok := tok.(string); ok && p.inObject() && !p.keyed {
		p.key, p.keyed = s, true
		return nil
	}
	return p.value(tok)
}

// count brings the line to where the token begins. A string holds no line break.
func (p *parser) count(json.Token) {
	end := int(p.dec.InputOffset())
	p.line += bytes.Count(p.b[p.seen:end], []byte{'\n'})
	p.seen = end
}

func (p *parser) inObject() bool {
	return len(p.open) > 0 && p.rows[p.open[len(p.open)-1]].Kind == Object
}

func (p *parser) value(tok json.Token) error {
	r := Row{Depth: len(p.open), Line: p.line, Key: p.key}
	p.key, p.keyed, p.done = "", false, true
	if len(p.open) > 0 {
		in := &p.rows[p.open[len(p.open)-1]]
		r.Item, r.Index = in.Kind == List, in.Size
		in.Size++
	}
	var pieces []string
	switch t := tok.(type) {
	case json.Delim:
		r.Kind = Object
		if t == '[' {
			r.Kind = List
		}
		p.open = append(p.open, len(p.rows))
	case string:
		if lines := strings.Split(strings.TrimSuffix(t, "\n"), "\n"); len(lines) > 1 {
			r.Kind, r.Size, pieces = Text, len(lines), lines
		} else {
			r.Value = `"` + strings.TrimSuffix(t, "\n") + `"`
		}
	case nil:
		r.Value = "null"
	default:
		r.Value = fmt.Sprint(t)
	}
	r.End = len(p.rows) + 1 + len(pieces)
	p.rows = append(p.rows, r)
	for _, s := range pieces {
		p.rows = append(p.rows, Row{Kind: Piece, Depth: r.Depth + 1, Value: strings.TrimSuffix(s, "\r"), Line: r.Line, End: len(p.rows) + 1})
	}
	if len(p.rows) > p.most {
		return ErrTooLong
	}
	return nil
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
	}
	var parts []string
	length := 0
	add := func(i int) {
		if length > most {
			return
		}
		part := Name(rows[i]) + ": "
		if rows[i].Kind == Scalar {
			part += rows[i].Value
		} else {
			part += Preview(rows, i, 0)
		}
		parts, length = append(parts, part), length+len(part)
	}
	if r.Depth > 0 && most == 0 { // within another preview
		return fmt.Sprintf("{%d}", r.Size)
	}
	telling := -1
	for i := at + 1; i < r.End && telling < 0; i = rows[i].End {
		if isName(rows[i]) {
			telling = i
		}
	}
	if telling < 0 {
		telling = metadataName(rows, at)
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
	return r.Kind == Scalar && (strings.EqualFold(r.Key, "name") || strings.EqualFold(r.Key, "path"))
}

// metadataName is the name of a Kubernetes object, or -1.
func metadataName(rows []Row, at int) int {
	if meta := Child(rows, at, "metadata"); meta >= 0 {
		return Child(rows, meta, "name")
	}
	return -1
}

// Child is the member of an object, or the item of a list by "[3]"; -1 for none.
func Child(rows []Row, at int, name string) int {
	for i := at + 1; i < rows[at].End; i = rows[i].End {
		if rows[i].Kind != Piece && strings.EqualFold(Name(rows[i]), name) {
			return i
		}
	}
	return -1
}
