package foreign

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// A Parcel is a tree with archives in it, each of which can be opened in its place.
type Parcel interface {
	FS() fs.FS
	Nested() []string       // the archives that are not opened, by path
	Mount(path string) bool // makes one a folder of its own name
}

// Search is Find in archives within archives too. An archive in the folder of a
// recorded node belongs to it and stays closed: memory dumps and error reports come
// as archives, and no evidence lies in them. Where no folder is a recording, the files are
// looked at one by one.
func Search(p Parcel) ([]Node, error) {
	for {
		nodes, err := Find(p.FS())
		if err != nil && !errors.Is(err, errNoNode) {
			return nil, err
		}
		opened := false
		for _, path := range p.Nested() {
			if !belongs(path, nodes) && p.Mount(path) {
				opened = true
			}
		}
		if opened {
			continue
		}
		if err != nil {
			if loose, why := findPieces(p.FS()); len(loose) > 0 || why != nil {
				return loose, why
			}
			if len(readManifests(p.FS()).Pods) > 0 {
				return []Node{{formatManifests, ".", evidence.UnknownNode}}, nil
			}
		}
		return nodes, err
	}
}

// belongs tells whether a path lies in the recording of one of the nodes.
func belongs(path string, nodes []Node) bool {
	return slices.ContainsFunc(nodes, func(n Node) bool {
		return n.Root == "." || strings.HasPrefix(path, n.Root+"/")
	})
}
