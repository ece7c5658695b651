package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Bounds for configuration files. A real one has a few kilobytes.
const (
	maxConfig  = 4 << 20
	maxNesting = 200
	maxNodes   = 200_000
	// Brackets in a YAML or TOML file, nested or not.
	maxBrackets = 20_000
)

// A jsonNode is a JSON value that knows its line. Configurations in the wild
// differ in the case of their keys and give a string where a list is due, which
// Go's struct decoding either hides or refuses.
type jsonNode struct {
	line   int
	value  any // string, json.Number, bool or nil; nothing for lists and objects
	list   []*jsonNode
	fields []jsonField
	kind   byte // '{', '[' or 0
}

type jsonField struct {
	key  string
	node *jsonNode
}

// A SyntaxFault is why a JSON file does not parse.
type SyntaxFault struct {
	Line    int
	Comment bool // a comment, which JSON does not have
	Err     error
}

// Error names the line, and for a comment what to do about it.
func (f *SyntaxFault) Error() string {
	if f.Comment {
		return fmt.Sprintf("line %d: JSON has no comments; delete this one and its marker", f.Line)
	}
	return fmt.Sprintf("line %d: %v", f.Line, f.Err)
}

// Unwrap returns the decoder's own error, nil for a comment.
func (f *SyntaxFault) Unwrap() error { return f.Err }

var errNotObject = errors.New("not a JSON object")

// parseJSONObject reads a document that must be one object.
func parseJSONObject(b []byte) (*jsonNode, error) {
	if len(b) > maxConfig {
		return nil, fmt.Errorf("%d bytes are too many for a configuration", len(b))
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, &SyntaxFault{Line: 1, Err: errors.New("the file is empty")}
	}
	var whole json.RawMessage
	if err := json.Unmarshal(b, &whole); err != nil {
		return nil, syntaxFault(b, err)
	}
	r := treeReader{decoder: json.NewDecoder(bytes.NewReader(b)), text: b, line: 1}
	r.decoder.UseNumber()
	root, err := r.read(0)
	if err != nil {
		return nil, &SyntaxFault{Line: r.line, Err: err}
	}
	if root.kind != '{' {
		return nil, &SyntaxFault{Line: root.line, Err: errNotObject}
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
		f.Comment = bytes.HasPrefix(rest, []byte("#")) || bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/*"))
	}
	return f
}

type treeReader struct {
	decoder *json.Decoder
	text    []byte
	offset  int
	line    int
	nodes   int
}

func (r *treeReader) token() (json.Token, error) {
	t, err := r.decoder.Token()
	end := int(r.decoder.InputOffset())
	r.line += bytes.Count(r.text[r.offset:end], []byte("\n"))
	r.offset = end
	return t, err
}

func (r *treeReader) read(depth int) (*jsonNode, error) {
	if r.nodes++; depth > maxNesting || r.nodes > maxNodes {
		return nil, fmt.Errorf("more than %d values, or more than %d of them in each other", maxNodes, maxNesting)
	}
	t, err := r.token()
	if err != nil {
		return nil, err
	}
	n := &jsonNode{line: r.line}
	open, ok := t.(json.Delim)
	if !ok {
		n.value = t
		return n, nil
	}
	n.kind = byte(open)
	for r.decoder.More() {
		var key string
		if n.kind == '{' {
			t, err := r.token()
			if err != nil {
				return nil, err
			}
			key, _ = t.(string)
		}
		child, err := r.read(depth + 1)
		if err != nil {
			return nil, err
		}
		if n.kind == '{' {
			n.fields = append(n.fields, jsonField{key, child})
		} else {
			n.list = append(n.list, child)
		}
	}
	_, err = r.token()
	return n, err
}

// at follows keys in any case. Of several that differ in nothing but case the
// last one counts, as for the Go programs that read these files.
func (n *jsonNode) at(keys ...string) *jsonNode {
	for _, key := range keys {
		if n == nil {
			return nil
		}
		var found *jsonNode
		for _, f := range n.fields {
			if strings.EqualFold(f.key, key) {
				found = f.node
			}
		}
		n = found
	}
	return n
}

// text is a scalar as text, "" for everything else.
func (n *jsonNode) text() string {
	if n == nil {
		return ""
	}
	switch v := n.value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

func (n *jsonNode) truth() bool { return strings.EqualFold(n.text(), "true") }

func (n *jsonNode) number() int {
	i, _ := strconv.Atoi(n.text())
	return i
}

// texts is a list of scalars; a lone scalar is a list of one, as ConvertTo-Json writes it.
func (n *jsonNode) texts() []string {
	if n == nil {
		return nil
	}
	if n.kind == 0 && n.value != nil {
		return []string{n.text()}
	}
	var list []string
	for _, item := range n.list {
		list = append(list, item.text())
	}
	return list
}

// items is a list of objects; a lone object is a list of one.
func (n *jsonNode) items() []*jsonNode {
	if n == nil {
		return nil
	}
	if n.kind == '{' {
		return []*jsonNode{n}
	}
	return n.list
}

// truths is an object of booleans. The keys keep their case.
func (n *jsonNode) truths() map[string]bool {
	if n == nil || n.kind != '{' {
		return nil
	}
	m := map[string]bool{}
	for _, f := range n.fields {
		m[f.key] = f.node.truth()
	}
	return m
}

func (n *jsonNode) lineNumber() int {
	if n == nil {
		return 0
	}
	return n.line
}
