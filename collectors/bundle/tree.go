package bundle

import (
	"cmp"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"
)

// A node is one file or folder of a tree, and its own fs.FileInfo.
type node struct {
	name     string
	size, at int64 // at is where the source finds the content
	modified time.Time
	children map[string]*node // nil for a file
}

func (n *node) Name() string       { return n.name }
func (n *node) Size() int64        { return n.size }
func (n *node) ModTime() time.Time { return n.modified }
func (n *node) IsDir() bool        { return n.children != nil }
func (n *node) Sys() any           { return nil }

func (n *node) Mode() fs.FileMode {
	if n.IsDir() {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// list returns what lies in a folder, sorted by name.
func (n *node) list() []fs.DirEntry {
	nodes := slices.SortedFunc(maps.Values(n.children), func(a, b *node) int { return cmp.Compare(a.name, b.name) })
	entries := make([]fs.DirEntry, len(nodes))
	for i, child := range nodes {
		entries[i] = fs.FileInfoToDirEntry(child)
	}
	return entries
}

// A tree is the fs.FS of every source. It holds names and places, never content.
type tree struct {
	root  *node
	limit int64 // bytes that may be read of one file
	open  func(*node) (io.ReadCloser, error)
}

func (t *tree) find(op, path string) (*node, error) {
	if !fs.ValidPath(path) {
		return nil, &fs.PathError{Op: op, Path: path, Err: fs.ErrInvalid}
	}
	n := t.root
	if path == "." {
		return n, nil
	}
	for part := range strings.SplitSeq(path, "/") {
		if n = n.children[part]; n == nil {
			return nil, &fs.PathError{Op: op, Path: path, Err: fs.ErrNotExist}
		}
	}
	return n, nil
}

// Open opens a file for one pass of streaming, or a folder for listing.
func (t *tree) Open(path string) (fs.File, error) {
	n, err := t.find("open", path)
	if err != nil {
		return nil, err
	}
	if n.IsDir() {
		return &folder{node: n, path: path, left: n.list()}, nil
	}
	content, err := t.open(n)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return &file{node: n, path: path, content: content, limit: t.limit}, nil
}

// Stat returns what the source says of a path, without opening it.
func (t *tree) Stat(path string) (fs.FileInfo, error) {
	n, err := t.find("stat", path)
	if err != nil {
		return nil, err // not n: a nil *node would make a non-nil FileInfo
	}
	return n, nil
}

// ReadDir lists a folder, sorted by name.
func (t *tree) ReadDir(path string) ([]fs.DirEntry, error) {
	n, err := t.find("readdir", path)
	if err != nil {
		return nil, err
	}
	if !n.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: path, Err: errNoFolder}
	}
	return n.list(), nil
}
