package bundle

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/therootcompany/xz"
)

const tarBlock = 512

// isTarHeader tells by the checksum, because the oldest tars have no magic.
func isTarHeader(head []byte) bool {
	if len(head) < tarBlock {
		return false
	}
	if string(head[257:262]) == "ustar" {
		return true
	}
	const from, to = 148, 156 // the checksum itself counts as spaces
	want, err := strconv.ParseInt(string(bytes.Trim(head[from:to], " \x00")), 8, 64)
	if err != nil {
		return false
	}
	sum := int64(0)
	for i, c := range head[:tarBlock] {
		if from <= i && i < to {
			c = ' '
		}
		sum += int64(c)
	}
	return sum == want
}

// tar indexes a tar where it lies.
func (x *index) tar(r io.ReaderAt, size int64) (opener, error) {
	stop, err := indexTar(x, r, size)
	if err != nil {
		return nil, whole(err)
	}
	return x.ended(stop, r)
}

// ended opens the files of a tar that was read so far.
func (x *index) ended(stop tarStop, r io.ReaderAt) (opener, error) {
	if stop.fault() {
		x.refuseWhole(stop.String())
	}
	return sections(r), x.nothing()
}

// sections opens a file without a copy.
func sections(r io.ReaderAt) opener {
	return func(n *node) (io.ReadCloser, error) {
		return section{io.NewSectionReader(r, n.at, n.size)}, nil
	}
}

// A tarStop is where the reading of a tar ended before the tar did.
type tarStop struct {
	err   error // nil if it was read to its end
	more  bool  // bytes other than padding follow the end
	at    int64
	after string // name of the last entry
}

func (s tarStop) fault() bool { return s.err != nil || s.more }

func (s tarStop) String() string {
	what := "it is damaged"
	switch {
	case s.err == nil:
		what = "it goes on behind its end, and that is not read; it ends"
	case errors.Is(s.err, io.ErrUnexpectedEOF):
		what = "it is cut short"
	case errors.Is(s.err, gzip.ErrChecksum), errors.Is(s.err, zstd.ErrCRCMismatch), errors.Is(s.err, xz.ErrData):
		what = "its checksum is wrong"
	case errors.Is(s.err, errUnpacked):
		what = s.err.Error()
	}
	where := fmt.Sprintf(" at byte %d of the tar", s.at)
	if s.after != "" {
		where += ", after " + printable(s.after)
	}
	return what + where + "; request it again"
}

// indexTar adds all entries of the tar in r. Its error means that the tar as a
// whole is too big.
func indexTar(x *index, r io.ReaderAt, size int64) (tarStop, error) {
	// tar.Reader reads block by block and skips by seeking, so after Next the
	// section stands where the entry's data begins.
	section := io.NewSectionReader(r, 0, size)
	tr := tar.NewReader(section)
	last := ""
	for {
		header, err := tr.Next()
		at, _ := section.Seek(0, io.SeekCurrent) // cannot fail: a section only does sums
		switch {
		case err == io.EOF:
			return tarStop{at: min(at, size), after: last, more: goesOn(section)}, nil
		case err != nil &&
			!errors.Is(err, tar.ErrInsecurePath): // comes only under GODEBUG=tarinsecurepath=0
			return tarStop{err: err, at: min(at, size), after: last}, nil
		}
		last = header.Name
		e := tarEntry(header, at, size)
		if e.refuse == "" {
			e.refuse = otherSize(header, r, at)
		}
		if err := x.add(e); err != nil {
			return tarStop{}, err
		}
	}
}

// goesOn tells whether a tar has more than padding behind its end: another tar that
// somebody appended, or what should not be found. Padding is at most a megabyte.
func goesOn(rest io.Reader) bool {
	content, _ := io.ReadAll(io.LimitReader(rest, 1<<20+1))
	return len(content) > 1<<20 || len(bytes.Trim(content, "\x00")) > 0
}

func tarEntry(header *tar.Header, at, size int64) entry {
	// The library's name may be a piece of a megabyte of PAX records, which it would
	// keep alive.
	e := entry{name: strings.Clone(header.Name), size: header.Size, at: at,
		modified: header.ModTime}
	switch header.Typeflag {
	case tar.TypeReg:
		switch {
		case isSparse(header):
			e.refuse = "a sparse file is not read"
		case header.Size > size-at:
			e.refuse = fmt.Sprintf("the archive is cut short after %d of its %d bytes",
				max(size-at, 0), header.Size)
		}
	case tar.TypeDir:
		e.folder = true
	case tar.TypeXGlobalHeader: // a remark on the archive, such as git's commit id
		e.name, e.folder = ".", true
	case tar.TypeSymlink, tar.TypeLink:
		e.refuse = "a link is not followed"
	case tar.TypeChar, tar.TypeBlock, tar.TypeFifo:
		e.refuse = "a device or pipe is not read"
	case tar.TypeGNUSparse:
		e.refuse = "a sparse file is not read"
	default:
		e.refuse = fmt.Sprintf("an entry of tar type %q is not read", header.Typeflag)
	}
	return e
}

// otherSize tells that the size in an extended header differs from the one in the
// entry's own, which is there for programs that know no extended headers: these would
// find other entries. Only a size that the own header cannot hold may differ.
func otherSize(header *tar.Header, r io.ReaderAt, at int64) string {
	const mostInOctal = 1<<33 - 1
	if header.PAXRecords["size"] == "" || header.Size > mostInOctal || at < tarBlock {
		return ""
	}
	var field [12]byte
	if _, err := r.ReadAt(field[:], at-tarBlock+124); err != nil {
		return ""
	}
	own, err := strconv.ParseInt(string(bytes.Trim(field[:], " \x00")), 8, 64)
	if err != nil || own == header.Size {
		return "" // a number of another form is for large sizes
	}
	return fmt.Sprintf("its two headers disagree on its size: %d bytes, and %d", header.Size, own)
}

// isSparse: such a file's data lie in the tar as pieces, and its declared size is
// that of the whole, which may be a terabyte of nothing.
func isSparse(header *tar.Header) bool {
	for key := range header.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}
