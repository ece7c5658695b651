// Package jsontree parses JSON into values that know their line. Configurations are judged by it,
// and the screen shows documents by it.
package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// A Node is one value. Fields keep their order, also those of the same key.
type Node struct {
	Line   int  // in the file, from 1
	Kind   byte // '{', '[' or 0
	Value  any  // of a scalar: string, json.Number, bool or nil
	List   []*Node
	Fields []Field
	Parent *Node // nil of the document itself
}

// A Field is a member of an object.
type Field struct {
	Key  string
	Node *Node
}

// A SyntaxFault is why a document does not parse.
type SyntaxFault struct {
	Line    int
	Comment bool // a comment, which JSON does not have
	Err     error
}

// Error names the line, and for a comment what to do about it.
func (f *SyntaxFault) Error() string {
	if f.Comment {
		return fmt.Sprintf("line %d: JSON allows no comments; delete this one and its marker", f.Line)
	}
	return fmt.Sprintf("line %d: %v", f.Line, f.Err)
}

// Unwrap returns the decoder's own error, nil for a comment.
func (f *SyntaxFault) Unwrap() error { return f.Err }

// ErrTooLarge is within the SyntaxFault of a document with more values than asked for, or with too
// many in each other.
var ErrTooLarge = errors.New("too many values, or too many of them in each other")

const maxNesting = 200

// Parse reads a document of at most so many values. Its errors are a *SyntaxFault.
func Parse(b []byte, most int) (*Node, error) {
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, &SyntaxFault{Line: 1, Err: errors.New("the file is empty")}
	}
	var whole json.RawMessage // a Decoder takes some documents that are none
	if err := json.Unmarshal(b, &whole); err != nil {
		return nil, syntaxFault(b, err)
	}
	p := parser{decoder: json.NewDecoder(bytes.NewReader(b)), text: b, line: 1, left: most}
	p.decoder.UseNumber()
	root := p.value(nil, 0)
	if p.left < 0 {
		return nil, &SyntaxFault{Line: p.line, Err: ErrTooLarge}
	}
	return root, nil
}

func syntaxFault(b []byte, err error) *SyntaxFault {
	f := &SyntaxFault{Line: 1, Err: err}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at := min(max(int(syntax.Offset)-1, 0), len(b)) // the offset is just behind the culprit
		f.Line += bytes.Count(b[:at], []byte("\n"))
		rest := b[at:]
		f.Comment = bytes.HasPrefix(rest, []byte("#")) || bytes.HasPrefix(rest, []byte("//")) ||
			bytes.HasPrefix(rest, []byte("/*"))
	}
	return f
}

type parser struct {
	decoder *json.Decoder
	text    []byte
	offset  int // of text whose lines were counted
	line    int
	left    int // values that may still come
}

// token reads the next one of a document that is valid, and brings the line to it. A string holds no
// line break.
func (p *parser) token() json.Token {
	t, _ := p.decoder.Token()
	end := int(p.decoder.InputOffset())
	p.line += bytes.Count(p.text[p.offset:end], []byte("\n"))
	p.offset = end
	return t
}

// value is the next value, of which there may be one less then. Of too many in each other none is left.
func (p *parser) value(in *Node, depth int) *Node {
	if p.left--; depth > maxNesting {
		p.left = -1
	}
	if p.left < 0 {
		return nil
	}
	t := p.token()
	n := &Node{Line: p.line, Parent: in}
	open, ok := t.(json.Delim)
	if !ok {
		n.Value = t
		return n
	}
	n.Kind = byte(open)
	for p.left >= 0 && p.decoder.More() {
		if n.Kind == '{' {
			key, _ := p.token().(string)
			n.Fields = append(n.Fields, Field{key, p.value(n, depth+1)})
		} else {
			n.List = append(n.List, p.value(n, depth+1))
		}
	}
	if p.left >= 0 {
		p.token()
	}
	return n
}
