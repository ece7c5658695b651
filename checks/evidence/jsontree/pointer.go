package jsontree

import (
	"fmt"
	"strconv"
	"strings"
)

// Pointer is the JSON Pointer (RFC 6901) to the node in its document.
func (n *Node) Pointer() string {
	if n.Parent == nil {
		return ""
	}
	for _, f := range n.Parent.Fields {
		if f.Node == n {
			return n.Parent.Pointer() + Step(f.Key)
		}
	}
	for i, item := range n.Parent.List {
		if item == n {
			return n.Parent.Pointer() + Step(i)
		}
	}
	return ""
}

var escapes = strings.NewReplacer("~", "~0", "/", "~1")

// Step is the part of a JSON Pointer that leads to a member, by its name, or to an element of a
// list, by its number.
func Step(step any) string {
	switch step := step.(type) {
	case string:
		return "/" + escapes.Replace(step)
	case int:
		return "/" + strconv.Itoa(step)
	}
	panic(fmt.Sprintf("a step of a JSON Pointer is a string or an int, not %T", step))
}

var unescapes = strings.NewReplacer("~1", "/", "~0", "~")

// Steps are the names and numbers of a JSON Pointer, from the outermost value on.
func Steps(pointer string) []string {
	if pointer == "" {
		return nil
	}
	steps := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i := range steps {
		steps[i] = unescapes.Replace(steps[i])
	}
	return steps
}

// Find follows a JSON Pointer by exact names, else by names in any other case, as evidence is read.
func (n *Node) Find(pointer string) (found *Node, ok bool) {
	for _, step := range Steps(pointer) {
		next := n.child(step)
		if next == nil {
			return n, false
		}
		n = next
	}
	return n, true
}

func (n *Node) child(step string) *Node {
	if n.Kind == '[' {
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.List) {
			return n.List[i]
		}
		return nil
	}
	var found *Node
	for _, f := range n.Fields {
		if f.Key == step {
			return f.Node
		}
		if strings.EqualFold(f.Key, step) {
			found = f.Node
		}
	}
	return found
}
