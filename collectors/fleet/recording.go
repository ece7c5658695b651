package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"sync"

	"github.com/klauspost/compress/flate"

	"doctor/checks/evidence"
	"doctor/collectors/tree"
)

// The folders of a recording: what all nodes share, and below the other one a folder for each node.
const (
	clusterFolder = "cluster"
	nodesFolder   = "nodes"
)

// maxNodes bounds a recording: Kubernetes supports 5,000 nodes.
const maxNodes = 20_000

// recordedBy is the source in the meta.json at the root of a recording, which is none of a node.
const recordedBy = "fleet"

// IsRecording tells whether a tree is the recording of a fleet.
func IsRecording(fsys fs.FS) bool {
	content, err := evidence.ReadBounded(fsys, "meta.json", 64<<10)
	if err != nil {
		return false
	}
	var meta evidence.Meta
	if json.Unmarshal(content, &meta) != nil || meta.Source != recordedBy {
		return false
	}
	info, err := fs.Stat(fsys, nodesFolder)
	return err == nil && info.IsDir()
}

// Open reads the recording of a fleet.
func Open(fsys fs.FS) (*Fleet, error) {
	entries, err := fs.ReadDir(fsys, nodesFolder)
	if err != nil {
		return nil, err
	}
	if len(entries) > maxNodes {
		return nil, fmt.Errorf("it holds more than %d nodes", maxNodes)
	}
	f := &Fleet{}
	if f.shared, err = fs.Sub(fsys, clusterFolder); err != nil {
		return nil, err
	}
	content, err := evidence.ReadBounded(f.shared, "meta.json", 64<<10)
	var meta evidence.Meta
	if err == nil {
		err = json.Unmarshal(content, &meta)
	}
	if err != nil {
		return nil, fmt.Errorf("%s/meta.json: %w", clusterFolder, err)
	}
	f.At = meta.CollectedAt
	for _, e := range entries {
		if e.IsDir() {
			f.names = append(f.names, e.Name())
		}
	}
	f.own = func(node string) (fs.FS, error) { return fs.Sub(fsys, path.Join(nodesFolder, node)) }
	return f, f.prepare()
}

// Record is the whole fleet as one tree: what all nodes share once, and of each node its own and
// what was merged. It is held compressed. added is called with each node that is in it.
func (f *Fleet) Record(ctx context.Context, doctor string, added func(node string)) (fs.FS, error) {
	t := tree.New()
	t.JSON("meta.json", evidence.Meta{Layout: evidence.Layout, Node: evidence.UnknownNode,
		CollectedAt: f.At, Source: recordedBy, Doctor: doctor})
	if err := addFolder(t, clusterFolder, f.shared); err != nil {
		return nil, err
	}
	for _, name := range f.names {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		own, err := f.Own(name)
		if err != nil {
			return nil, err
		}
		if err := addFolder(t, path.Join(nodesFolder, name), own); err != nil {
			return nil, err
		}
		added(name)
	}
	return t.FS(), nil
}

// addFolder copies a tree into a folder of another, compressed.
func addFolder(t *tree.Tree, folder string, from fs.FS) error {
	return fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		file, err := compressed(from, name)
		if err == nil {
			t.Add(path.Join(folder, name), file)
		}
		return err
	})
}

// writers are used again: each has tables of more than most files have bytes.
var writers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(io.Discard, flate.BestSpeed) // it refuses only a level that there is not
	return w
}}

func compressed(from fs.FS, name string) (file tree.File, err error) {
	f, err := from.Open(name)
	if err != nil {
		return file, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	content, size, err := deflated(f)
	if err != nil {
		return file, err
	}
	file.Size = size
	if info, err := f.Stat(); err == nil {
		file.Modified = info.ModTime()
	}
	file.Open = func() (io.ReadCloser, error) {
		return flate.NewReader(bytes.NewReader(content)), nil
	}
	return file, nil
}

// deflated compresses a text, and tells its size before that.
func deflated(text io.Reader) (content []byte, size int64, err error) {
	var b bytes.Buffer
	w := writers.Get().(*flate.Writer)
	defer writers.Put(w)
	w.Reset(&b)
	if size, err = io.Copy(w, text); err == nil {
		err = w.Close()
	}
	return bytes.Clone(b.Bytes()), size, err
}

// A NoNodeError says that a recording does not hold a node.
type NoNodeError struct {
	Name  string
	Names []string // that it holds
}

// Error names the node.
func (e *NoNodeError) Error() string {
	return fmt.Sprintf("it holds no recorded node called %s, but %d others; --node without a name lists them",
		evidence.Clean(e.Name), len(e.Names))
}

// Has is nil where the fleet has a node of that name.
func (f *Fleet) Has(node string) error {
	if slices.Contains(f.names, node) {
		return nil
	}
	return &NoNodeError{node, f.names}
}
