package bundle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// A directoryGuard stands between a zip and archive/zip, which keeps every header
// of the central directory that it comes across, however many there are. The
// guard ends that reading at the limits; afterwards it only passes bytes on.
type directoryGuard struct {
	r       io.ReaderAt
	headers int   // still allowed
	bytes   int64 // still allowed
	entries int   // the limit, for the error
	passed  bool
	watch   func(p []byte, off int64) // sees what is read, if it is not nil
}

// newDirectoryGuard refuses at once a directory that claims too much, because
// archive/zip makes room for what is claimed.
func newDirectoryGuard(r io.ReaderAt, size int64, entries int) (*directoryGuard, error) {
	claimed, err := claimedEntries(r, size)
	if err != nil {
		return nil, err
	}
	if claimed > uint64(entries) {
		return nil, fmt.Errorf("%w: it claims %d, and doctor opens at most %d", errTooMany, claimed,
			entries)
	}
	// Looking for the directory's end reads the last 65 KiB twice, headers included.
	const again = 2 * maxEndRecord
	return &directoryGuard{r: r, headers: entries + again/minHeader, bytes: maxDirectory + again,
		entries: entries}, nil
}

const (
	headerSign = "PK\x01\x02"
	minHeader  = 46

	endSign      = "PK\x05\x06"
	endLen       = 22
	maxEndRecord = 65 << 10 // with the archive's comment

	locatorSign = "PK\x06\x07"
	locatorLen  = 20
	end64Sign   = "PK\x06\x06"
	end64Len    = 56
)

func (g *directoryGuard) ReadAt(p []byte, off int64) (int, error) {
	n, err := g.r.ReadAt(p, off)
	if g.watch != nil {
		g.watch(p[:n], off)
	}
	if g.passed {
		return n, err
	}
	// A header that straddles two reads goes uncounted. That lets a few percent
	// through; the index counts exactly.
	g.headers -= bytes.Count(p[:n], []byte(headerSign))
	g.bytes -= int64(n)
	switch {
	case g.headers < 0:
		return 0, fmt.Errorf("%w: it holds more than %d", errTooMany, g.entries)
	case g.bytes < 0:
		return 0, fmt.Errorf("%w: the list of them takes more than %s", errTooMany,
			bytesText(maxDirectory))
	}
	return n, err
}

// claimedEntries returns the largest count that an end record of the central
// directory gives, or 0 where there is none: archive/zip then says so.
func claimedEntries(r io.ReaderAt, size int64) (uint64, error) {
	tail := make([]byte, min(size, maxEndRecord))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return 0, err
	}
	if len(tail) < endLen {
		return 0, nil
	}
	at := bytes.LastIndex(tail[:len(tail)-endLen+len(endSign)], []byte(endSign))
	if at < 0 {
		return 0, nil
	}
	claimed := uint64(binary.LittleEndian.Uint16(tail[at+10:]))
	locator := make([]byte, locatorLen)
	if !readSigned(r, locator, size-int64(len(tail))+int64(at)-locatorLen, locatorSign) {
		return claimed, nil
	}
	end64 := make([]byte, end64Len)
	if !readSigned(r, end64, int64(binary.LittleEndian.Uint64(locator[8:])), end64Sign) {
		return claimed, nil
	}
	return max(claimed, binary.LittleEndian.Uint64(end64[32:])), nil
}

// readSigned fills p from off and tells whether that could be done and begins with sign.
func readSigned(r io.ReaderAt, p []byte, off int64, sign string) bool {
	if off < 0 {
		return false
	}
	n, _ := r.ReadAt(p, off)
	return n == len(p) && bytes.HasPrefix(p, []byte(sign))
}
