package bundle

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
)

// openZip indexes a zip. The names are judged here and not by the library's own
// fs.FS, which drops every name with a backslash, that is, all that PowerShell
// 5.1 packs.
func openZip(name string, r io.ReaderAt, size int64, lim limits) (*Archive, error) {
	guard, err := newDirectoryGuard(r, size, lim.entries)
	if err != nil {
		return nil, whole(name, err)
	}
	zr, err := zip.NewReader(guard, size)
	switch {
	case errors.Is(err, errTooMany):
		return nil, whole(name, err)
	case err != nil && !errors.Is(err, zip.ErrInsecurePath): // the latter comes only under GODEBUG=zipinsecurepath=0
		return nil, fmt.Errorf("%s is cut short or is not a zip: ask for it again (%w)", name, err)
	}
	guard.passed = true
	x := newIndex("archive", lim)
	for i, f := range zr.File {
		if err := x.add(zipEntry(f, i)); err != nil {
			return nil, whole(name, err)
		}
		// The index holds what matters of these; with 200,000 entries the rest adds up.
		f.Name, f.Comment, f.Extra = "", "", nil
	}
	if err := x.nothing(name); err != nil {
		return nil, err
	}
	content := func(n *node) (io.ReadCloser, error) { return openZipped(zr.File[n.at]) }
	return x.archive(content, func() error { return nil }), nil
}

func zipEntry(f *zip.File, at int) entry {
	const encrypted = 1 << 0 // bit of the general purpose flags
	e := entry{name: f.Name, at: int64(at), modified: f.Modified, size: math.MaxInt64}
	if f.UncompressedSize64 < math.MaxInt64 {
		e.size = int64(f.UncompressedSize64)
	}
	mode := f.Mode()
	e.folder = mode.IsDir() && e.size == 0
	switch {
	case f.Flags&encrypted != 0:
		e.refuse = "it is encrypted; ask for the archive without a password"
	case mode&fs.ModeSymlink != 0:
		e.refuse = "a link is not followed"
	case !mode.IsDir() && !mode.IsRegular():
		e.refuse = "a device, pipe or socket is not read"
	}
	return e
}

// The methods that occur in zips from Windows and that the library cannot unpack.
var zipMethods = map[uint16]string{9: "Deflate64", 12: "BZIP2", 14: "LZMA", 93: "Zstandard", 95: "XZ", 98: "PPMd"}

func openZipped(f *zip.File) (io.ReadCloser, error) {
	rc, err := f.Open()
	switch {
	case errors.Is(err, zip.ErrAlgorithm):
		method := zipMethods[f.Method]
		if method == "" {
			method = fmt.Sprintf("method %d", f.Method)
		}
		return nil, fmt.Errorf("it is packed with %s, which doctor does not unpack; unpack the zip and give doctor the folder (%w)", method, err)
	case err != nil:
		return nil, damaged(err)
	}
	return zipped{rc}, nil
}

// zipped gives the library's errors, such as "zip: not a valid zip file" for one
// entry that unpacks to more than it declared, a meaning for the reader.
type zipped struct{ io.ReadCloser }

func (z zipped) Read(p []byte) (int, error) {
	n, err := z.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = damaged(err)
	}
	return n, err
}

func damaged(err error) error {
	return fmt.Errorf("its data in the archive is damaged, cut short or not of the declared size (%w)", err)
}
