package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"doctor/checks/evidence/jsontree"
)

// Bounds for configuration files. A real one has a few kilobytes.
const (
	maxConfig  = 4 << 20
	maxNesting = 200
	maxNodes   = 200_000
	// Brackets in a YAML or TOML file, nested or not.
	maxBrackets = 20_000
)

// A jsonNode is a JSON value that knows its line; a nil one is absent. Configurations in the wild
// differ in the case of their keys and give a string where a list is due, which Go's struct decoding
// either hides or refuses.
type jsonNode jsontree.Node

// A SyntaxFault is why a JSON file does not parse.
type SyntaxFault = jsontree.SyntaxFault

var errNotObject = errors.New("not a JSON object")

// parseJSONObject reads a document that must be one object.
func parseJSONObject(b []byte) (*jsonNode, error) {
	if len(b) > maxConfig {
		return nil, fmt.Errorf("%d bytes are too many for a configuration", len(b))
	}
	root, err := jsontree.Parse(b, maxNodes)
	switch {
	case errors.Is(err, jsontree.ErrTooLarge):
		return nil, fmt.Errorf("%w: more than doctor takes of a configuration", err)
	case err != nil:
		return nil, err
	case root.Kind != '{':
		return nil, &SyntaxFault{Line: root.Line, Err: errNotObject}
	}
	return (*jsonNode)(root), nil
}

// lookup follows keys in any case. Of several that differ in nothing but case the
// last one counts, as for the Go programs that read these files.
func (n *jsonNode) lookup(keys ...string) *jsonNode {
	for _, key := range keys {
		if n == nil {
			return nil
		}
		var found *jsonNode
		for _, f := range n.Fields {
			if strings.EqualFold(f.Key, key) {
				found = (*jsonNode)(f.Node)
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
	switch v := n.Value.(type) {
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
	if n.Kind == 0 && n.Value != nil {
		return []string{n.text()}
	}
	var list []string
	for _, item := range n.List {
		list = append(list, (*jsonNode)(item).text())
	}
	return list
}

// items is a list of objects; a lone object is a list of one.
func (n *jsonNode) items() []*jsonNode {
	if n == nil {
		return nil
	}
	if n.Kind == '{' {
		return []*jsonNode{n}
	}
	var list []*jsonNode
	for _, item := range n.List {
		list = append(list, (*jsonNode)(item))
	}
	return list
}

// truths is an object of booleans. The keys keep their case.
func (n *jsonNode) truths() map[string]bool {
	if n == nil || n.Kind != '{' {
		return nil
	}
	m := map[string]bool{}
	for _, f := range n.Fields {
		m[f.Key] = (*jsonNode)(f.Node).truth()
	}
	return m
}

func (n *jsonNode) spot() Spot {
	if n == nil {
		return Spot{}
	}
	return Spot{n.Line, (*jsontree.Node)(n).Pointer()}
}
