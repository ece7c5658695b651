// Package foreign finds the recorded nodes in a tree, whoever recorded them, and
// gives each as a tree in doctor's own layout, evidence/v1.
//
// Another tool's folder is converted in memory. Only what it surely holds becomes
// evidence; everything else of the layout becomes a gap that says what would have
// answered. "The tool did not ask" must never read as "the node does not have it".
package foreign

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

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
		out.notCopied()
		if err := out.addOriginals(src); err != nil {
			return nil, fmt.Errorf("%s: %w", evidence.Clean(n.Root), err)
		}
		return out.FS(), nil
	}
	if n.Format == formatManifests {
		m := readManifests(fsys)
		return m.FS()
	}
	if isLoose(n.Format) {
		out := &output{tree.New()}
		if err := convertPieces(fsys, n, out); err != nil {
			return nil, fmt.Errorf("%s: %w", evidence.Clean(n.Root), err)
		}
		return out.FS(), nil
	}
	if strings.HasPrefix(n.Format, layoutPrefix) {
		return fs.Sub(fsys, n.Root)
	}
	return nil, fmt.Errorf("%s is no format that doctor reads", evidence.Clean(n.Format))
}

// folderName is a node's name where the recording itself tells none. A folder may be
// an archive that was opened in its place.
func folderName(root string) string {
	name := evidence.Clean(path.Base(root))
	for _, end := range []string{".zip", ".tar.gz", ".tgz", ".tar"} {
		name = strings.TrimSuffix(name, end)
	}
	if root != "." && name != "" {
		return name
	}
	return evidence.UnknownNode
}
