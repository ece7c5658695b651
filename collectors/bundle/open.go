// Package bundle opens what a person hands over as a recorded node: a folder, a
// zip, a tar or a tar.gz, told apart by content and never by name.
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
	"math"
	"os"
)

// What one source may hold. A recording of a busy node is some thousand entries
// and some hundred megabytes; these bounds only stop accidents and bombs.
const (
	maxEntries   = 200_000  // files and folders
	maxDeclared  = 4 << 30  // bytes that an archive's entries declare, together
	maxEntry     = 1 << 30  // bytes read of one file
	maxUnpacked  = 2 << 30  // bytes of a tar that a gzip may unpack to, on disk
	maxNames     = 24 << 20 // bytes of all paths together
	maxDirectory = 32 << 20 // bytes of a zip's central directory
	maxRefusals  = 1000
)

// limits are the constants above where a test wants smaller ones.
type limits struct {
	entries                   int
	declared, entry, unpacked int64
}

var standard = limits{entries: maxEntries, declared: maxDeclared, entry: maxEntry, unpacked: maxUnpacked}

// An Archive is an open source. Its FS may be used from several goroutines, and
// until Close.
type Archive struct {
	tree    *tree
	refused []Refusal
	close   func() error
}

// A Refusal is an entry that was left out. Name is fit to be printed.
type Refusal struct {
	Name, Reason string
}

// FS returns the tree: regular files and folders only.
func (a *Archive) FS() fs.FS { return a.tree }

// Refused returns what was left out in the order of the source, behind a fault of
// the source itself, such as where it is cut.
func (a *Archive) Refused() []Refusal { return a.refused }

// Close lets go of the source and of the temporary file, if there was one.
func (a *Archive) Close() error {
	if a.close == nil {
		return nil
	}
	closeSource := a.close
	a.close = nil
	return closeSource()
}

// Open makes the tree at path readable as an fs.FS with clean slash paths.
func Open(path string) (*Archive, error) { return open(path, standard) }

func open(path string, lim limits) (*Archive, error) {
	name := printable(path)
	// Stat comes first: opening a pipe would wait for its writer.
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is nothing at %s: %w", name, fs.ErrNotExist)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, bare(err))
	case info.IsDir():
		lim.declared = math.MaxInt64 // what lies in a folder is no claim
		return openFolder(path, lim)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is a device, a pipe or a socket; save it as a file and give doctor that", name)
	case info.Size() == 0:
		return nil, fmt.Errorf("%s is empty: ask for it again", name)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, bare(err))
	}
	a, err := openArchive(name, f, info.Size(), lim)
	if err != nil {
		f.Close()
		return nil, err
	}
	closeArchive := a.close
	a.close = func() error { return errors.Join(closeArchive(), f.Close()) }
	return a, nil
}

// openArchive reads from r what is called name in errors. The caller closes r.
func openArchive(name string, r io.ReaderAt, size int64, lim limits) (*Archive, error) {
	head := make([]byte, min(size, tarBlock))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", name, bare(err))
	}
	switch kind := sniff(head); kind {
	case "zip":
		return openZip(name, r, size, lim)
	case "tar":
		return openTar(name, r, size, lim)
	case "gzip":
		return openTarGzip(name, r, size, lim)
	case "":
		return nil, fmt.Errorf("%s is none of what doctor reads: a folder, or a .zip, .tar.gz, .tgz or .tar archive", name)
	default:
		return nil, fmt.Errorf("%s is a %s file, which doctor does not open: unpack it and give doctor the folder", name, kind)
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
