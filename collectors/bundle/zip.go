package bundle

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"sync"

	"github.com/klauspost/compress/flate"
)

// zip indexes a zip. The names are judged here and not by the library's own
// fs.FS, which drops every name with a backslash, that is, all that PowerShell
// 5.1 packs.
func (x *index) zip(r io.ReaderAt, size int64) (opener, error) {
	guard, err := newDirectoryGuard(r, size, x.lim.entries)
	if err != nil {
		return nil, whole(err)
	}
	zr, err := zip.NewReader(guard, size)
	switch {
	case errors.Is(err, errTooMany):
		return nil, whole(err)
	case err != nil &&
		// the latter comes only under GODEBUG=zipinsecurepath=0
		!errors.Is(err, zip.ErrInsecurePath):
		return nil, plainError{"it is cut short or is not a zip: request it again", err}
	}
	guard.passed = true
	zr.RegisterDecompressor(zip.Deflate, inflate)
	forged := forgedEntries(guard, zr.File)
	for i, f := range zr.File {
		e := zipEntry(f, i)
		e.refuse = cmp.Or(e.refuse, forged[i])
		if err := x.add(e); err != nil {
			return nil, whole(err)
		}
		// The index holds what matters of these; with 200,000 entries the rest adds up.
		f.Name, f.Comment, f.Extra = "", "", nil
	}
	return func(n *node) (io.ReadCloser, error) { return openZipped(zr.File[n.at]) }, x.nothing()
}

func zipEntry(f *zip.File, at int) entry {
	e := entry{name: f.Name, at: int64(at), modified: f.Modified, size: math.MaxInt64}
	if f.UncompressedSize64 < math.MaxInt64 {
		e.size = int64(f.UncompressedSize64)
	}
	mode := f.Mode()
	e.folder = mode.IsDir() && e.size == 0
	switch {
	case f.Flags&encrypted != 0:
		e.refuse = "it is encrypted; request an archive without a password"
	case mode&fs.ModeSymlink != 0:
		e.refuse = "a link is not followed"
	case !mode.IsDir() && !mode.IsRegular():
		e.refuse = "a device, pipe or socket is not read"
	}
	return e
}

// The methods that occur in zips from Windows and that the library cannot unpack.
var zipMethods = map[uint16]string{9: "Deflate64", 12: "BZIP2", 14: "LZMA", 93: "Zstandard",
	95: "XZ", 98: "PPMd", 99: "AES encryption"}

func openZipped(f *zip.File) (io.ReadCloser, error) {
	rc, err := f.Open()
	switch {
	case errors.Is(err, zip.ErrAlgorithm):
		method := cmp.Or(zipMethods[f.Method], fmt.Sprintf("method %d", f.Method))
		return nil, plainError{"it is packed with " + method +
			", which doctor does not unpack; unpack the zip and give doctor the folder", err}
	case err != nil:
		return nil, damaged(err)
	}
	return zipped{rc}, nil
}

// inflate unpacks with a faster decoder than the library's own, and uses each again:
// its window is what most of a small entry costs.
func inflate(r io.Reader) io.ReadCloser {
	d, ok := decoders.Get().(io.ReadCloser)
	if !ok {
		d = flate.NewReader(r)
	} else if err := d.(flate.Resetter).Reset(r, nil); err != nil {
		d = flate.NewReader(r)
	}
	return &inflating{d}
}

var decoders sync.Pool

type inflating struct{ decoder io.ReadCloser }

func (i *inflating) Read(p []byte) (int, error) {
	if i.decoder == nil {
		return 0, fs.ErrClosed
	}
	return i.decoder.Read(p)
}

func (i *inflating) Close() error {
	if i.decoder == nil {
		return nil
	}
	err := i.decoder.Close()
	decoders.Put(i.decoder)
	i.decoder = nil
	return err
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
	return plainError{"its data in the archive is damaged, cut short or not of the declared size",
		err}
}
