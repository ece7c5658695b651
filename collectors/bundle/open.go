// Package bundle opens what a person hands over as a recorded node: a folder, a
// zip, a tar or a compressed tar, told apart by content and never by name.
//
// Whatever it is becomes one read-only fs.FS with clean slash paths. Nothing is
// unpacked into a folder, files are streamed, and an entry that cannot be trusted
// is left out with its reason instead of spoiling the rest. The input is taken to
// be hostile: every size, count and name in it is a claim.
package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What one source may hold. A recording of a busy node is some thousand entries
// and some hundred megabytes; these bounds only stop accidents and bombs.
const (
	maxEntries   = 200_000  // files and folders
	maxDeclared  = 4 << 30  // bytes that an archive's entries declare, together
	maxEntry     = 1 << 30  // bytes read of one file
	maxUnpacked  = 2 << 30  // bytes on disk, of all that has to be unpacked there
	maxNested    = 1 << 30  // bytes of them for one archive inside
	maxNames     = 24 << 20 // bytes of all paths together
	maxDirectory = 32 << 20 // bytes of a zip's central directory
	maxRefusals  = 1000

	maxLevels = 3   // archives around an archive that is opened
	maxMounts = 512 // archives inside that are opened; a cluster's nodes, one each
	maxTooBig = 8   // archives inside that turn out too big, before none is tried any more
)

// limits are the constants above where a test wants smaller ones.
type limits struct {
	entries                           int
	declared, entry, unpacked, nested int64
}

var standard = limits{entries: maxEntries, declared: maxDeclared, entry: maxEntry,
	unpacked: maxUnpacked, nested: maxNested}

// An Archive is an open source. Its FS may be used from several goroutines, after
// the last Mount and until Close.
type Archive struct {
	tree           *tree
	tally          *tally
	spool          *unpacking
	closes         []func() error
	mounts, tooBig int
}

// A Refusal is an entry that was left out. Name is fit to be printed.
type Refusal struct {
	Name, Reason string
}

// FS returns the tree: regular files and folders only.
func (a *Archive) FS() fs.FS { return a.tree }

// Refused returns what was left out in the order of the source, behind a fault of
// the source itself, such as where it is cut. The archives inside that nobody
// mounted come last.
func (a *Archive) Refused() []Refusal {
	all := tally{refused: slices.Clone(a.tally.refused), unnamed: a.tally.unnamed}
	a.tree.root.eachClosed(a.tree.root.mount, "", func(path string, in *mount) {
		all.refuse(path, "an archive inside the "+in.place+
			" is not opened; extract it and pass it to doctor")
	})
	if all.unnamed > 0 {
		all.refused = append(all.refused,
			Refusal{Name: "(more)", Reason: fmt.Sprintf("%d further entries were left out",
				all.unnamed)})
	}
	return all.refused
}

// Close lets go of the source and of the temporary file, if there was one.
func (a *Archive) Close() error {
	var err error
	for _, c := range slices.Backward(a.closes) {
		err = errors.Join(err, c())
	}
	a.closes = nil
	return err
}

// Open makes the tree at path readable as an fs.FS with clean slash paths.
func Open(path string) (*Archive, error) { return open(path, standard) }

func open(path string, lim limits) (*Archive, error) {
	name := printable(path)
	// Stat comes first: opening a pipe would wait for its writer.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, CannotRead(name, err)
	case info.IsDir():
		return openFolder(path, lim)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf(
			"%s is a device, a pipe or a socket; save it as a file and give doctor that", name)
	case info.Size() == 0:
		return nil, fmt.Errorf("%s is empty: request it again", name)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, CannotRead(name, err)
	}
	a, err := openStream(path, f, info.Size(), info.ModTime(), lim)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	a.closes = slices.Insert(a.closes, 0, f.Close)
	return a, nil
}

// openStream makes a tree of an archive, or of what may be a text.
func openStream(path string, r io.ReaderAt, size int64, modified time.Time, lim limits) (*Archive,
	error) {
	a, err := openArchive(path, r, size, lim, (*index).archive)
	if errors.Is(err, errNoArchive) {
		return openText(filepath.Base(path), r, size, modified, lim)
	}
	if err == nil {
		return a, nil
	}
	if plain := unpacked(r, size); len(plain) > 0 {
		name := filepath.Base(strings.TrimSuffix(path, filepath.Ext(path)))
		inner, innerErr := openArchive(name, bytes.NewReader(plain), int64(len(plain)), lim, (*index).archive)
		if errors.Is(innerErr, errNoArchive) {
			inner, innerErr = openText(name, bytes.NewReader(plain), int64(len(plain)), modified, lim)
		}
		if innerErr == nil {
			return inner, nil
		}
	}
	return nil, err
}

// A reader indexes a source of one kind, and returns what opens its files.
type reader func(x *index, r io.ReaderAt, size int64) (opener, error)

// openArchive reads from r what is called path in errors. The caller closes r.
func openArchive(path string, r io.ReaderAt, size int64, lim limits, read reader) (*Archive,
	error) {
	a := newArchive(lim)
	x := a.index("archive")
	x.name = filepath.Base(path)
	content, err := read(x, r, size)
	if err != nil {
		a.Close()
		return nil, err
	}
	a.tree.root.mount = &mount{open: content, place: x.place}
	return a, nil
}

func newArchive(lim limits) *Archive {
	s := &unpacking{left: lim.unpacked}
	return &Archive{tree: &tree{root: newRoot(), limit: lim.entry}, tally: &tally{lim: lim},
		spool: s, closes: []func() error{s.Close}}
}

func newRoot() *node { return &node{name: ".", children: map[string]*node{}} }

// index is for the source that was handed over.
func (a *Archive) index(place string) *index {
	return &index{tally: a.tally, spool: a.spool, place: place, root: a.tree.root}
}

// archive indexes whichever kind r is.
func (x *index) archive(r io.ReaderAt, size int64) (opener, error) {
	kind, err := kindOf(r, size)
	switch {
	case err != nil:
		return nil, Bare(err)
	case unpackers[kind] != nil:
		return x.tarPacked(kind, r, size)
	}
	switch kind {
	case "zip":
		return x.zip(r, size)
	case "tar":
		return x.tar(r, size)
	case "":
		return nil, errNoArchive
	default:
		return nil, fmt.Errorf(
			"it is a %s file, which doctor does not open: unpack it and give doctor what it holds",
			kind)
	}
}

var magics = []struct{ kind, magic string }{
	{"zip", "PK\x03\x04"},
	{"zip", "PK\x05\x06"}, // holds no entry
	{"zip", "PK\x07\x08"}, // once split over several disks
	{"gzip", "\x1f\x8b"},
	{"7z", "7z\xbc\xaf\x27\x1c"},
	{"rar", "Rar!\x1a\x07"},
	{"bzip2", "BZh"},
	{"xz", "\xfd7zXZ\x00"},
	{"zstd", "\x28\xb5\x2f\xfd"},
	{"cabinet", "MSCF"},
}

// kindOf names what r holds, or returns "".
func kindOf(r io.ReaderAt, size int64) (string, error) {
	head := make([]byte, min(size, tarBlock))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return "", err
	}
	return sniff(head), nil
}

// sniff names what begins with head, or returns "".
func sniff(head []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return m.kind
		}
	}
	if isTarHeader(head) {
		return "tar"
	}
	return ""
}
