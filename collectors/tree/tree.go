// Package tree holds an evidence tree that is being made: small files in
// memory, and large ones that stay where they are and are opened when they are
// read. Several collectors write to one tree at the same time.
package tree

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"path"
	"sync"
	"time"

	"doctor/checks/evidence"
)

// A File is content, or a way to open it.
type File struct {
	Content  []byte
	Open     func() (io.ReadCloser, error) // instead of Content
	Size     int64                         // of what Open gives
	Modified time.Time
}

// A Tree grows. Its zero value is not usable; New makes one.
type Tree struct {
	mu    sync.Mutex
	files map[string]File
	gaps  map[string]evidence.GapRecord
	stale bool // gaps.json does not hold all of gaps
	clean func(content []byte, path string) ([]byte, error)
}

// New returns an empty tree.
func New() *Tree {
	return Cleaned(func(content []byte, _ string) ([]byte, error) { return content, nil })
}

// Cleaned returns an empty tree in which content is kept only as clean returns
// it: without its secrets. Files that are opened later are not content.
func Cleaned(clean func(content []byte, path string) ([]byte, error)) *Tree {
	return &Tree{files: map[string]File{}, gaps: map[string]evidence.GapRecord{}, clean: clean}
}

// Add puts a file at a path, in place of what was there.
func (t *Tree) Add(name string, f File) {
	if f.Open == nil {
		content, err := t.clean(f.Content, name)
		if err != nil {
			why := evidence.NotRedacted.Gap(err)
			t.put(name, gapFile(why), why)
			return
		}
		f.Content = content
	}
	t.put(name, f, evidence.Gap{})
}

// put stores a file, or with why the gap in its place.
func (t *Tree) put(name string, f File, why evidence.Gap) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if why.Kind != "" {
		t.gaps[name], t.stale = why.Record(), true
		name += ".gap"
	}
	t.files[name] = f
}

// JSON writes a value of the layout.
func (t *Tree) JSON(name string, v any) {
	content, err := encode(v)
	if err != nil {
		t.Gap(name, evidence.Reported.OfKind(evidence.Error, err))
		return
	}
	t.Add(name, File{Content: content})
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// Gap says why a file of the layout is not there: in a line for people, and in
// the index for programs.
func (t *Tree) Gap(name string, why evidence.Gap) {
	content, err := t.clean(gapFile(why).Content, name+".gap")
	if err != nil {
		why = evidence.NotRedacted.Gap(err)
		content = gapFile(why).Content
	}
	t.put(name, File{Content: content}, why)
}

func gapFile(why evidence.Gap) File { return File{Content: []byte(why.String() + "\n")} }

// index writes what the gaps are. Their arguments quote what was read, so they
// are cleaned as every other content is.
func (t *Tree) index() {
	if !t.stale {
		return
	}
	t.stale = false
	content, err := encode(t.gaps)
	if err == nil {
		content, err = t.clean(content, evidence.GapIndexPath)
	}
	if err != nil { // the .gap files say the same
		delete(t.files, evidence.GapIndexPath)
		return
	}
	t.files[evidence.GapIndexPath] = File{Content: content}
}

// Has tells whether the file, or its gap, is written.
func (t *Tree) Has(name string) bool { return t.HasFile(name) || t.HasFile(name+".gap") }

// HasFile tells whether the file itself is written, and not only its gap.
func (t *Tree) HasFile(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, file := t.files[name]
	return file
}

// Remove takes a file, or its gap, out again.
func (t *Tree) Remove(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.files, name)
	if _, gap := t.gaps[name]; gap {
		delete(t.files, name+".gap")
		delete(t.gaps, name)
		t.stale = true
	}
}

// Keep takes over what another tree holds, but for the paths that are left out. Its content has lost
// its secrets already.
func (t *Tree) Keep(from *Tree, out func(path string) bool) {
	from.mu.Lock()
	files, gaps := maps.Clone(from.files), maps.Clone(from.gaps)
	from.mu.Unlock()
	maps.DeleteFunc(files, func(name string, _ File) bool { return out(name) })
	maps.DeleteFunc(gaps, func(name string, _ evidence.GapRecord) bool { return out(name) })
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.Copy(t.files, files)
	maps.Copy(t.gaps, gaps)
	t.stale = t.stale || len(gaps) > 0
}

// FS is the tree as it stands now. What is added later is not in it.
func (t *Tree) FS() fs.FS {
	t.mu.Lock()
	t.index()
	f := &frozen{files: maps.Clone(t.files), folders: map[string]map[string]fs.DirEntry{".": {}}}
	t.mu.Unlock()
	for name, file := range f.files {
		entry := fs.FileInfoToDirEntry(file.info(name))
		for dir := path.Dir(name); ; dir = path.Dir(dir) {
			known := f.folders[dir] != nil
			if !known {
				f.folders[dir] = map[string]fs.DirEntry{}
			}
			f.folders[dir][entry.Name()] = entry
			if known || dir == "." {
				break
			}
			entry = fs.FileInfoToDirEntry(info{name: path.Base(dir), folder: true})
		}
	}
	return f
}

func (f File) info(name string) info {
	size := f.Size
	if f.Open == nil {
		size = int64(len(f.Content))
	}
	return info{name: path.Base(name), size: size, modified: f.Modified}
}

func (f File) open(name string) (fs.File, error) {
	if f.Open == nil {
		return &openFile{io.NopCloser(bytes.NewReader(f.Content)), f.info(name)}, nil
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	return &openFile{r, f.info(name)}, nil
}

type openFile struct {
	io.ReadCloser
	info info
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
