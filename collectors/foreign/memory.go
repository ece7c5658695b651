package foreign

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// tree freezes the output and works out its folders.
func (o *output) tree() fs.FS {
	t := &memory{files: o.files, folders: map[string]map[string]fs.DirEntry{".": {}}}
	for name, f := range o.files {
		entry := fs.FileInfoToDirEntry(f.info)
		for dir := path.Dir(name); ; dir = path.Dir(dir) {
			known := t.folders[dir] != nil
			if !known {
				t.folders[dir] = map[string]fs.DirEntry{}
			}
			t.folders[dir][entry.Name()] = entry
			if known || dir == "." {
				break
			}
			entry = fs.FileInfoToDirEntry(fileInfo{name: path.Base(dir), folder: true})
		}
	}
	return t
}

// memory is the finished tree. It is read-only and safe for concurrent use as far
// as the source is.
type memory struct {
	files   map[string]*stored
	folders map[string]map[string]fs.DirEntry
}

func (m *memory) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if f := m.files[name]; f != nil {
		if f.src != nil {
			return f.src.Open(f.at)
		}
		return &openFile{Reader: bytes.NewReader(f.content), info: f.info}, nil
	}
	if m.folders[name] == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	entries, _ := m.ReadDir(name)
	return &openFolder{entries: entries, info: fileInfo{name: path.Base(name), folder: true}}, nil
}

func (m *memory) ReadDir(name string) ([]fs.DirEntry, error) {
	folder := m.folders[name]
	if folder == nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	return slices.SortedFunc(maps.Values(folder), func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) }), nil
}

type openFile struct {
	*bytes.Reader
	info fs.FileInfo
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

type openFolder struct {
	entries []fs.DirEntry
	info    fileInfo
}

func (f *openFolder) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFolder) Close() error               { return nil }
func (f *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.info.name, Err: errors.New("is a folder")}
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

// fileInfo describes what was made here, which has no time of its own.
type fileInfo struct {
	name   string
	size   int64
	folder bool
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) IsDir() bool        { return i.folder }
func (i fileInfo) ModTime() time.Time { return time.Time{} }
func (i fileInfo) Sys() any           { return nil }
func (i fileInfo) Mode() fs.FileMode {
	if i.folder {
		return fs.ModeDir | 0o555
	}
	return 0o444
}
