// Package fleet reads many nodes at once through the Kubernetes API: each list once, whatever the
// number of nodes, split by node into evidence. What all nodes share is held once, and what is a
// node's own is held compressed, so that thousands of nodes fit into memory.
package fleet

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors/redact"
	"doctor/collectors/tree"
)

// A Fleet is the evidence of many nodes: just read, or recorded.
type Fleet struct {
	At    time.Time // when it was read
	Notes []string  // what could not be read of the whole

	names   []string
	shared  fs.FS                            // the files that all nodes have, once
	own     func(node string) (fs.FS, error) // what a node has besides
	merging func(node string) (fs.FS, error) // nil: no one else read a node
	common  map[string]tree.File             // the files of shared
	gaps    map[string]evidence.GapRecord    // and what their .gap files mean
	secrets *redact.Redactor                 // nil: of a recording
}

// Names lists the nodes in order.
func (f *Fleet) Names() []string { return f.names }

// Shared are the files that all nodes have in common, as an evidence tree.
func (f *Fleet) Shared() fs.FS { return f.shared }

// Own are the files that belong to one node alone, with those that were merged.
func (f *Fleet) Own(node string) (fs.FS, error) {
	own, err := f.own(node)
	if err != nil || f.merging == nil {
		return own, err
	}
	more, err := f.merging(node)
	if err != nil {
		return nil, fmt.Errorf("node %s: %w", evidence.Clean(node), err)
	}
	if more == nil {
		return own, nil
	}
	w := newWhole(nil, nil)
	if err := w.add(own, func(string) bool { return true }); err != nil {
		return nil, fmt.Errorf("node %s: %w", evidence.Clean(node), err)
	}
	// what the cluster says of the node, the API has said already
	if err := w.add(more, func(name string) bool {
		return name != "meta.json" && !strings.HasPrefix(name, "api/")
	}); err != nil {
		return nil, fmt.Errorf("node %s: %w", evidence.Clean(node), err)
	}
	return w.fs(), nil
}

// Secrets is what took the secrets out of all that was read.
func (f *Fleet) Secrets() *redact.Redactor { return f.secrets }

// Merge has what somebody else read of a node, such as a doctor on it, take part in its evidence.
// read is called once for each Evidence, and returns nil where it has nothing.
func (f *Fleet) Merge(read func(node string) (fs.FS, error)) { f.merging = read }

// Evidence is the whole evidence tree of a node: what all nodes share, and its own, by
// isOwn.
func (f *Fleet) Evidence(node string) (all fs.FS, isOwn func(path string) bool, err error) {
	own, err := f.Own(node)
	if err != nil {
		return nil, nil, err
	}
	w := newWhole(f.common, f.gaps)
	if err := w.add(own, func(string) bool { return true }); err != nil {
		return nil, nil, fmt.Errorf("node %s: %w", evidence.Clean(node), err)
	}
	return w.fs(), func(path string) bool {
		_, err := fs.Stat(own, path)
		return err == nil
	}, nil
}

// whole is a tree that is put together of others.
type whole struct {
	tree *tree.Tree
	gaps map[string]evidence.GapRecord
}

func newWhole(files map[string]tree.File, gaps map[string]evidence.GapRecord) *whole {
	w := &whole{tree.New(), map[string]evidence.GapRecord{}}
	for name, file := range files {
		w.tree.Add(name, file)
	}
	maps.Copy(w.gaps, gaps)
	return w
}

// add lays the files of another tree over those that are there. A file takes the place of its gap,
// and no gap takes the place of a file.
func (w *whole) add(from fs.FS, wanted func(name string) bool) error {
	files, gaps, err := contents(from)
	if err != nil {
		return err
	}
	for name, file := range files {
		if target, isGap := strings.CutSuffix(name, ".gap"); !wanted(target) ||
			isGap && w.tree.HasFile(target) {
			continue
		}
		w.tree.Remove(name + ".gap")
		w.tree.Add(name, file)
	}
	for name, g := range gaps {
		if wanted(name) && !w.tree.HasFile(name) {
			w.gaps[name] = g
		}
	}
	return nil
}

func (w *whole) fs() fs.FS {
	if content, err := json.Marshal(w.gaps); err == nil && len(w.gaps) > 0 {
		w.tree.Add(evidence.GapIndexPath, tree.File{Content: content})
	}
	return w.tree.FS()
}

// Bounds on the trees that are put together; a node's evidence has some hundred files.
const (
	maxFiles = 20_000
	maxIndex = 8 << 20
)

// contents lists the files of a tree, the index of gaps apart.
func contents(from fs.FS) (files map[string]tree.File, gaps map[string]evidence.GapRecord,
	err error) {
	files, gaps = map[string]tree.File{}, map[string]evidence.GapRecord{}
	err = fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if len(files) == maxFiles {
			return fmt.Errorf("more than %d files", maxFiles)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if name == evidence.GapIndexPath {
			content, err := evidence.ReadBounded(from, name, maxIndex)
			if err == nil {
				err = json.Unmarshal(content, &gaps)
			}
			if err != nil {
				gaps = map[string]evidence.GapRecord{} // the .gap files say the same
			}
			return nil
		}
		files[name] = tree.File{Size: info.Size(), Modified: info.ModTime(),
			Open: func() (io.ReadCloser, error) { return from.Open(name) }}
		return nil
	})
	return files, gaps, err
}

// prepare takes what all nodes share.
func (f *Fleet) prepare() (err error) {
	f.common, f.gaps, err = contents(f.shared)
	delete(f.common, "meta.json")
	slices.Sort(f.names)
	return err
}
