package bundle

import (
	"archive/zip"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"doctor/checks/sorted"
)

// forgedEntries returns, by place, why entries of a zip are not to be believed. The
// library goes by the central directory alone. Each entry has a second header at its
// data: where the two disagree, another program reads another archive. And where the
// data of two entries lie inside each other, the archive was made to swell.
func forgedEntries(g *directoryGuard, files []*zip.File) map[int]string {
	reasons := map[int]string{}
	var spans []span
	for i, f := range files {
		if f.CompressedSize64 == 0 && f.UncompressedSize64 == 0 {
			continue // has no data
		}
		header, start, err := readLocal(g, f)
		if err != nil {
			continue // reading the entry says what is wrong with it
		}
		if reason := header.differs(f); reason != "" {
			reasons[i] = reason
		}
		end := int64(math.MaxInt64)
		if length := header.length(); f.CompressedSize64 < uint64(math.MaxInt64-start-length) {
			end = start + length + int64(f.CompressedSize64)
		}
		spans = append(spans, span{i, start, end})
	}
	sorted.By(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), a.entry-b.entry)
	})
	last := span{}
	for _, s := range spans {
		if s.start < last.end {
			if reasons[s.entry] == "" {
				reasons[s.entry] = "its data lie inside those of " +
					printable(files[last.entry].Name) +
					", as in an archive made to swell; the first is kept"
			}
			continue
		}
		last = s
	}
	return reasons
}

// A span is the part of a zip that an entry takes, its header at the data included.
type span struct {
	entry      int
	start, end int64
}

// localHeader is what stands before an entry's data.
type localHeader struct {
	flags, method    uint16
	packed, unpacked uint32
	name             string
	extra            int64
}

const (
	localLen = 30

	encrypted    = 1 << 0 // bits of the general purpose flags
	sizesFollow  = 1 << 3
	sizesInExtra = math.MaxUint32
)

// readLocal also tells where the header lies. The library does not say, but it reads
// from there through the guard.
func readLocal(g *directoryGuard, f *zip.File) (h localHeader, at int64, err error) {
	var fixed []byte
	g.watch = func(p []byte, off int64) { fixed, at = p, off }
	_, err = f.DataOffset()
	g.watch = nil
	if err != nil || len(fixed) != localLen {
		return h, 0, cmp.Or(err, io.ErrUnexpectedEOF)
	}
	le := binary.LittleEndian
	name := make([]byte, le.Uint16(fixed[26:]))
	if _, err := g.ReadAt(name, at+localLen); err != nil {
		return h, 0, err
	}
	return localHeader{le.Uint16(fixed[6:]), le.Uint16(fixed[8:]), le.Uint32(fixed[18:]),
		le.Uint32(fixed[22:]), string(name), int64(le.Uint16(fixed[28:]))}, at, nil
}

func (h localHeader) length() int64 { return localLen + int64(len(h.name)) + h.extra }

func (h localHeader) differs(f *zip.File) string {
	what := ""
	switch {
	case (h.flags^f.Flags)&encrypted != 0:
		what = "whether it is encrypted"
	case h.method != f.Method:
		what = "how it is packed"
	case h.flags&sizesFollow == 0 && h.unpacked != sizesInExtra &&
		uint64(h.unpacked) != f.UncompressedSize64,
		h.flags&sizesFollow == 0 && h.packed != sizesInExtra &&
			uint64(h.packed) != f.CompressedSize64:
		what = "its size"
	case h.name != f.Name && strings.ReplaceAll(h.name, `\`, "/") != strings.ReplaceAll(f.Name, `\`,
		"/"):
		what = fmt.Sprintf("its name, which is %s there", printable(h.name))
	default:
		return ""
	}
	return "the archive's list and the entry itself disagree on " + what
}
