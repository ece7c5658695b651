package foreign

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
)

const (
	maxDump      = 64 << 20 // bytes of a dump of HNS; 5,000 nodes are some 40 MiB
	maxText      = 8 << 20  // bytes of any other file; a node of 250 pods has an ip.txt of 2 MiB
	maxOriginals = 100_000  // files of one recording that are listed in its tree
)

// A source is the folder of another tool's recording, or a folder in it.
type source struct {
	fsys  fs.FS
	root  string
	names listing
	texts map[string]textFile // what was read, by lower-case name

	placed map[string]bool // what the output holds under a name of the layout, by its place in fsys
}

// A textFile is one source file as UTF-8 with bare line feeds, or the reason why it could not be read.
type textFile struct {
	name    string // as stored
	content string
	missing bool
	blank   bool // there, and empty
	gap     evidence.Gap
}

func openSource(fsys fs.FS, root string) (*source, error) {
	entries, err := fs.ReadDir(fsys, root)
	if err != nil {
		return nil, err
	}
	return &source{fsys: fsys, root: root, names: newListing(root, entries),
		texts: map[string]textFile{}, placed: map[string]bool{}}, nil
}

// folder is a folder of the recording, whatever case its path is written in. One
// that is not there is empty.
func (s *source) folder(dir string) *source {
	at := s
	for part := range strings.SplitSeq(dir, "/") {
		next := &source{fsys: at.fsys, root: path.Join(at.root, part), texts: map[string]textFile{},
			placed: at.placed}
		for _, stored := range at.names.folders {
			if strings.EqualFold(stored, part) {
				next.root = path.Join(at.root, stored)
				if entries, err := fs.ReadDir(at.fsys, next.root); err == nil {
					next.names = newListing(next.root, entries)
				}
				break
			}
		}
		at = next
	}
	return at
}

// at is where a file of the folder is in fsys, whatever case its name is written in; "" where there is
// none.
func (s *source) at(name string) string {
	if stored, ok := s.names.files[strings.ToLower(name)]; ok {
		return path.Join(s.root, stored)
	}
	return ""
}

func (s *source) stat(name string) (fs.FileInfo, error) {
	if at := s.at(name); at != "" {
		return fs.Stat(s.fsys, at)
	}
	return nil, fs.ErrNotExist
}

// text reads a file of the folder, whatever case its name is written in.
//
//go:noinline
func (s *source) text(name string) textFile { return s.readText(name, maxText) }

func (s *source) readText(name string, limit int64) textFile {
	key := strings.ToLower(name)
	if t, ok := s.texts[key]; ok {
		return t
	}
	t := textFile{name: name}
	if stored, ok := s.names.files[key]; !ok {
		t.missing = true
		t.gap = missingf("%s is not in the folder", name)
	} else if content, err := readBounded(s.fsys, path.Join(s.root, stored), limit); err != nil {
		t.name, t.gap = stored, brokenf("%s: %v", stored, err)
	} else {
		t.name, t.content = stored, plainLines(string(evidence.DecodeText(content)))
	}
	s.texts[key] = t
	return t
}

// plainLines undoes CR LF, and the CR CR LF that ipconfig writes into a pipe.
func plainLines(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	s = strings.ReplaceAll(s, "\r\r\n", "\n")
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

func (t textFile) empty() bool { return t.gap.Kind == "" && strings.TrimSpace(t.content) == "" }

// newest is the latest time at which one of the named files was written. Archives
// that keep no times give 1979 or 1980, and a broken clock gives anything.
func (s *source) newest(names ...string) time.Time {
	var newest time.Time
	for _, name := range names {
		if info, err := s.stat(name); err == nil && plausible(info.ModTime()) {
			newest = later(newest, info.ModTime())
		}
	}
	return newest.UTC()
}

// later is the later one of two times.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// plausible tells times of recordings from the zeros of file formats: there were
// no Kubernetes nodes on Windows before 2016.
func plausible(t time.Time) bool { return t.Year() >= 2016 && t.Year() < 2100 }

func readBounded(fsys fs.FS, name string, limit int64) ([]byte, error) {
	content, err := evidence.ReadBounded(fsys, name, limit)
	if errors.Is(err, evidence.ErrTooLarge) {
		return nil, fmt.Errorf("it is larger than %d KiB", limit>>10)
	}
	return content, err
}

// gapf makes a gap of one clean line.
//
//go:noinline
func gapf(kind, format string, args ...any) evidence.Gap {
	return evidence.ToolOutput.OfKind(kind, append([]any{format}, args...)...)
}

// missingf is the gap of what was not collected.
//
//go:noinline
func missingf(format string, args ...any) evidence.Gap {
	return gapf(evidence.NotCollected, format, args...)
}

// brokenf is the gap of what was collected and does not show what it should.
//
//go:noinline
func brokenf(format string, args ...any) evidence.Gap {
	return gapf(evidence.Error, format, args...)
}

// otherwise is the gap of a text in which there is nothing of what it should show, where it has no
// gap of its own. The format takes the name and the first line.
func (t textFile) otherwise(format string) evidence.Gap {
	if t.gap.Kind != "" {
		return t.gap
	}
	return brokenf(format, t.name, clip(firstLine(t.content)))
}

// also makes the sentence of a gap of gapf longer.
func also(g evidence.Gap, format string, args ...any) evidence.Gap {
	var all []any
	for i := range evidence.Holes(g.Args[0]) {
		all = append(all, g.Args[1+i])
	}
	return gapf(g.Kind, g.Args[0]+format, append(all, args...)...)
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

func sortedValues(m map[string]string) []string { return slices.Sorted(maps.Values(m)) }

// hollow tells a file that is not there or holds nothing but a byte order mark.
func (s *source) hollow(name string) bool {
	info, err := s.stat(name)
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() <= int64(len("\ufeff\r\n"))
}
