package bundle

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"strings"
	"time"

	"doctor/checks/sorted"
	memtree "doctor/collectors/tree"
)

// A node is one file or folder of a tree, and its own fs.FileInfo.
type node struct {
	name     string
	size, at int64 // at is where the source finds the content
	modified time.Time
	children map[string]*node // by sameName; nil for a file
	mount    *mount           // of a folder that is a source of its own
	sight    sight
}

// sight tells whether the tree shows a node. An archive inside is not shown
// before it is opened: read as text it would be noise.
type sight byte

const (
	shown sight = iota
	closed
	refused // could not be opened
)

// An opener opens a file of a source.
type opener func(*node) (io.ReadCloser, error)

// A mount is what the files below a folder are read from, as far as the next mount.
type mount struct {
	open  opener
	place string // "archive" or "folder"
	level int    // archives around it
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

func (n *node) sorted() []*node {
	return sorted.Of(maps.Values(n.children), func(a, b *node) int {
		return cmp.Compare(a.name, b.name)
	})
}

// list returns what is to be seen in a folder, sorted by name.
func (n *node) list() []fs.DirEntry {
	entries := make([]fs.DirEntry, 0, len(n.children))
	for _, child := range n.sorted() {
		if child.sight == shown {
			entries = append(entries, fs.FileInfoToDirEntry(child))
		}
	}
	return entries
}

// eachClosed goes over the archives below n that are not opened, by path.
func (n *node) eachClosed(at *mount, dir string, do func(path string, in *mount)) {
	for _, child := range n.sorted() {
		switch path := dir + child.name; {
		case child.sight == closed:
			do(path, at)
		case child.mount != nil:
			child.eachClosed(child.mount, path+"/", do)
		case child.IsDir():
			child.eachClosed(at, path+"/", do)
		}
	}
}

// A tree is the fs.FS of every source. It holds names and places, never content.
type tree struct {
	root  *node
	limit int64 // bytes that may be read of one file
}

// lookup finds a node, shown or not, and what it is read from.
func (t *tree) lookup(path string) (*node, *mount) {
	n, from := t.root, t.root.mount
	if path == "." {
		return n, from
	}
	for part := range strings.SplitSeq(path, "/") {
		if n = n.children[sameName(part)]; n == nil || n.name != part {
			return nil, nil
		}
		if n.mount != nil {
			from = n.mount
		}
	}
	return n, from
}

func (t *tree) find(op, path string) (*node, *mount, error) {
	if !fs.ValidPath(path) {
		return nil, nil, &fs.PathError{Op: op, Path: path, Err: fs.ErrInvalid}
	}
	n, from := t.lookup(path)
	if n == nil || n.sight != shown {
		return nil, nil, &fs.PathError{Op: op, Path: path, Err: fs.ErrNotExist}
	}
	return n, from, nil
}

// Open opens a file for one pass of streaming, or a folder for listing.
func (t *tree) Open(path string) (fs.File, error) {
	n, from, err := t.find("open", path)
	if err != nil {
		return nil, err
	}
	if n.IsDir() {
		return memtree.NewFolder(path, n, n.list()), nil
	}
	content, err := from.open(n)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	f := &file{node: n, path: path, content: content, limit: t.limit}
	if at, ok := content.(io.ReaderAt); ok {
		return placed{f, at}, nil
	}
	return f, nil
}

// Stat returns what the source says of a path, without opening it.
func (t *tree) Stat(path string) (fs.FileInfo, error) {
	n, _, err := t.find("stat", path)
	if err != nil {
		return nil, err // not n: a nil *node would make a non-nil FileInfo
	}
	return n, nil
}

// ReadDir lists a folder, sorted by name.
func (t *tree) ReadDir(path string) ([]fs.DirEntry, error) {
	n, _, err := t.find("readdir", path)
	if err != nil {
		return nil, err
	}
	if !n.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: path, Err: errNoFolder}
	}
	return n.list(), nil
}

var errNoFolder = errors.New("not a folder")

// A file streams one entry, and stops at the limit whatever the entry declares.
type file struct {
	node    *node
	path    string
	content io.ReadCloser
	limit   int64
	read    int64
	err     error // sticky
}

func (f *file) Stat() (fs.FileInfo, error) { return f.node, nil }
func (f *file) Close() error               { return f.content.Close() }

func (f *file) tooLarge() error {
	return fmt.Errorf("it is larger than %s, the most that doctor reads of one file",
		bytesText(f.limit))
}

func (f *file) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.content.Read(p)
	if f.read += int64(n); f.read > f.limit {
		n -= int(f.read - f.limit)
		err = f.tooLarge()
	}
	if err != nil && err != io.EOF {
		err = &fs.PathError{Op: "read", Path: f.path, Err: err}
	}
	f.err = err
	return n, err
}

// A placed file can be read from the middle as well: a log of a folder is paged
// through at its place.
type placed struct {
	*file
	at io.ReaderAt
}

func (p placed) ReadAt(b []byte, off int64) (int, error) {
	if room := p.limit - off; int64(len(b)) > room {
		n, err := p.at.ReadAt(b[:max(room, 0)], off)
		if err == nil {
			err = p.tooLarge()
		}
		return n, err
	}
	return p.at.ReadAt(b, off)
}
