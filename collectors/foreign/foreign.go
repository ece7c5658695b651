// Package foreign finds the recorded nodes in a tree, whoever recorded them, and
// gives each as a tree in doctor's own layout, evidence/v1.
//
// Another tool's folder is converted in memory. Only what it surely holds becomes
// evidence; everything else of the layout becomes a gap that says what would have
// answered. "The tool did not ask" must never read as "the node does not have it".
package foreign

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"text/tabwriter"

	"doctor/checks/evidence"
	"doctor/collectors/tree"
)

// A Node is one recorded node in a tree.
type Node struct {
	Format string // evidence/v1, sdn-collectlogs, eks-log-collector, …
	Root   string // its folder
	Name   string // what the node calls itself, or the folder's name, or "unknown"
}

// A format is another tool's way to record a node.
type format struct {
	name      string
	marks     string                    // what it is recognised by, in words for people
	recognise func(folder listing) bool // by the names in a folder alone
	// tells folders that belong to the recording: no nodes of their own
	inside   func(child string) bool
	nodeName func(src *source) string       // "" where the recording does not tell
	convert  func(src *source, out *output) // writes the layout's files
	// tells files of its folder that it knows, where others are read as single files; nil where none are
	knows func(file string) bool
}

// formats is asked in order, and the first that knows a folder has it.
var formats = []format{aks, eks, rke2, antctl, collectlogs, capz}

// A Format is a layout that Find recognizes, and by what.
type Format struct{ Name, Marks string }

// Formats lists the layouts that Find recognizes, doctor's own first.
func Formats() []Format {
	list := []Format{{evidence.Layout, ownMarks}}
	for _, f := range formats {
		list = append(list, Format{f.name, f.marks})
	}
	return append(list, looseFormats...)
}

const ownMarks = `doctor's own evidence (a meta.json with "layout": "evidence/v1")`

// Evidence returns the node's recording in the layout evidence/v1: a doctor's own
// as it is, another tool's converted. The tree reads from fsys as long as it is used.
func (n Node) Evidence(fsys fs.FS) (fs.FS, error) {
	for _, f := range formats {
		if f.name != n.Format {
			continue
		}
		src, err := openSource(fsys, n.Root)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", evidence.Clean(n.Root), err)
		}
		out := &output{tree.New()}
		f.convert(src, out)
		out.addEventLogs(src.fsys, src.root)
		if f.knows != nil {
			out.beside(fsys, n, func(file string) bool {
				rel, in := strings.CutPrefix(file, strings.TrimPrefix(n.Root+"/", "./"))
				return in && f.knows(rel)
			})
		}
		if err := out.addOriginals(src); err != nil {
			return nil, fmt.Errorf("%s: %w", evidence.Clean(n.Root), err)
		}
		out.notCopied()
		return out.FS(), nil
	}
	if n.Format == formatManifests {
		m := readManifests(fsys)
		return m.FS()
	}
	if isLoose(n.Format) {
		out := &output{tree.New()}
		if err := convertPieces(fsys, n, scanPieces(fsys), out); err != nil {
			return nil, fmt.Errorf("%s: %w", evidence.Clean(n.Root), err)
		}
		return out.FS(), nil
	}
	if strings.HasPrefix(n.Format, layoutPrefix) {
		return fs.Sub(fsys, n.Root)
	}
	return nil, fmt.Errorf("%s is no format that doctor reads", evidence.Clean(n.Format))
}

// archiveEnd is the end of the names of archives that package bundle opens.
var archiveEnd = regexp.MustCompile(`(?:\.zip|\.tar|\.tar\.(?:gz|xz|zst|bz2)|\.tgz|\.txz|\.tzst|\.tbz2)$`)

// folderName is a node's name where the recording itself tells none. A folder may be
// an archive that was opened in its place.
func folderName(root string) string {
	name := archiveEnd.ReplaceAllString(evidence.Clean(path.Base(root)), "")
	if root != "." && name != "" {
		return name
	}
	return evidence.UnknownNode
}

// A WhichError is Choose's: whoever asked has to name another node, or one at all. It holds those that
// can be named.
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
	return fmt.Sprintf("%s; name one of its recorded nodes with %s:\n  %s%s", e.why, e.By, indented, more)
}

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
