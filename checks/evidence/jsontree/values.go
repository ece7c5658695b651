package jsontree

import (
	"fmt"
	"strconv"
	"strings"
)

// Configurations in the wild differ in the case of their keys and give a string where a list is due,
// which Go's struct decoding either hides or refuses. A nil node is an absent value.

// Lookup follows keys in any case. Of several that differ in nothing but case the
// last one counts, as for the Go programs that read these files.
func (n *Node) Lookup(keys ...string) *Node {
	for _, key := range keys {
		if n == nil {
			return nil
		}
		var found *Node
		for _, f := range n.Fields {
			if strings.EqualFold(f.Key, key) {
				found = f.Node
			}
		}
		n = found
	}
	return n
}

// Text is a scalar as text, "" for everything else.
func (n *Node) Text() string {
	if n == nil || n.Value == nil {
		return ""
	}
	return fmt.Sprint(n.Value)
}

// Truth is whether a value is true, also where it is a text.
func (n *Node) Truth() bool { return strings.EqualFold(n.Text(), "true") }

// Number is a whole number, also where it is a text; 0 for everything else.
func (n *Node) Number() int {
	i, _ := strconv.Atoi(n.Text())
	return i
}

// Texts is a list of scalars; a lone scalar is a list of one, as ConvertTo-Json writes it.
func (n *Node) Texts() []string {
	if n == nil {
		return nil
	}
	if n.Kind == 0 && n.Value != nil {
		return []string{n.Text()}
	}
	var list []string
	for _, item := range n.List {
		list = append(list, item.Text())
	}
	return list
}

// Items is a list of objects; a lone object is a list of one.
func (n *Node) Items() []*Node {
	if n == nil {
		return nil
	}
	if n.Kind == '{' {
		return []*Node{n}
	}
	return n.List
}

// Truths is an object of booleans. The keys keep their case.
func (n *Node) Truths() map[string]bool {
	if n == nil || n.Kind != '{' {
		return nil
	}
	m := map[string]bool{}
	for _, f := range n.Fields {
		m[f.Key] = f.Node.Truth()
	}
	return m
}
