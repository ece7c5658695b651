package tree

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// frozen is a tree at one moment. It is read-only and safe for concurrent use
// as far as what its files open is.
type frozen struct {
	files   map[string]File
	folders map[string]map[string]fs.DirEntry
}

func (t *frozen) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if f, ok := t.files[name]; ok {
		return f.open(name)
	}
	if t.folders[name] == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	entries, _ := t.ReadDir(name)
	return NewFolder(name, info{name: path.Base(name), folder: true}, entries), nil
}

func (t *frozen) ReadDir(name string) ([]fs.DirEntry, error) {
	folder := t.folders[name]
	if folder == nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	return slices.SortedFunc(maps.Values(folder), func(a, b fs.DirEntry) int {
		return strings.Compare(a.Name(), b.Name())
	}), nil
}

type openFolder struct {
	path    string
	info    fs.FileInfo
	entries []fs.DirEntry
}

// ErrFolder is wrapped by the error of who reads a folder as a file.
var ErrFolder = errors.New("is a folder")

// NewFolder is an open folder of a file system that holds its names in memory.
func NewFolder(path string, info fs.FileInfo, entries []fs.DirEntry) fs.ReadDirFile {
	return &openFolder{path, info, entries}
}

func (f *openFolder) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFolder) Close() error               { return nil }
func (f *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.path, Err: ErrFolder}
}

func (f *openFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 && len(f.entries) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(f.entries) {
		n = len(f.entries)
	}
	page := f.entries[:n:n]
	f.entries = f.entries[n:]
	return page, nil
}

// info describes a file or a folder of the tree.
type info struct {
	name     string
	size     int64
	modified time.Time
	folder   bool
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) IsDir() bool        { return i.folder }
func (i info) ModTime() time.Time { return i.modified }
func (i info) Sys() any           { return nil }
func (i info) Mode() fs.FileMode {
	if i.folder {
		return fs.ModeDir | 0o555
	}
	return 0o444
}
