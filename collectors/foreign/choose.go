package foreign

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"doctor/checks/evidence"
)

// ErrWhich is what Choose's error wraps: whoever asked has to name another node, or one at all.
var ErrWhich = errors.New("name one of its recorded nodes")

// A WhichError wraps ErrWhich, and holds the nodes that can be named.
type WhichError struct {
	Nodes []Node
	By    string // how the user selects one: --node NAME
	why   string
}

// Error lists the nodes, each with its place.
func (e *WhichError) Error() string {
	var list strings.Builder
	WriteNodes(&list, e.Nodes[:min(len(e.Nodes), maxListed)])
	more := ""
	if len(e.Nodes) > maxListed {
		more = fmt.Sprintf("\n  and %d more", len(e.Nodes)-maxListed)
	}
	indented := strings.ReplaceAll(strings.TrimSuffix(list.String(), "\n"), "\n", "\n  ")
	return fmt.Sprintf("%s; %s with %s:\n  %s%s", e.why, ErrWhich, e.By, indented, more)
}

// Unwrap leads to ErrWhich.
func (e *WhichError) Unwrap() error { return ErrWhich }

// Names are what the nodes call themselves.
func (e *WhichError) Names() []string {
	var names []string
	for _, n := range e.Nodes {
		names = append(names, n.Name)
	}
	return names
}

// Choose returns the node of that name or in that place, or, without a name, the only
// one. Its error lists what there is.
func Choose(nodes []Node, name string) (Node, error) {
	if name == "" {
		if len(nodes) == 1 {
			return nodes[0], nil
		}
		return Node{}, which(nodes, fmt.Sprintf("it holds %d recorded nodes", len(nodes)))
	}
	var called, placed []Node
	for _, n := range nodes {
		if strings.EqualFold(n.Name, name) {
			called = append(called, n)
		}
		if n.isIn(name) {
			placed = append(placed, n)
		}
	}
	switch {
	case len(called) == 1:
		return called[0], nil
	case len(placed) == 1:
		return placed[0], nil
	case len(called) > 1:
		return Node{},
			which(called,
				fmt.Sprintf("%d of its recorded nodes are called %s; select one by PLACE",
					len(called), evidence.Clean(name)))
	}
	return Node{}, which(nodes, "it holds no recorded node called "+evidence.Clean(name))
}

// isIn compares places as they were shown, and as a person may type them.
func (n Node) isIn(place string) bool {
	place = strings.ReplaceAll(place, `\`, "/")
	if place != "." {
		place = strings.TrimSuffix(strings.TrimPrefix(place, "./"), "/")
	}
	return place == n.Root || place == evidence.Clean(n.Root)
}

const maxListed = 100

func which(nodes []Node, why string) error {
	return &WhichError{Nodes: nodes, By: "--node NAME or --node PLACE", why: why}
}

// WriteNodes writes a table of nodes.
func WriteNodes(out io.Writer, nodes []Node) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tFORMAT\tPLACE")
	for _, n := range nodes {
		fmt.Fprintf(w, "%s\t%s\t%s\n", evidence.Clean(n.Name), evidence.Clean(n.Format),
			evidence.Clean(n.Root))
	}
	return w.Flush()
}
