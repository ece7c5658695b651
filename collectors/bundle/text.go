package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"doctor/collectors/evtx"
)

// Bounds of a single text.
const (
	maxPasted = 64 << 20 // bytes of standard input, which is kept in memory
	textHead  = 4 << 10  // bytes that show whether a file is text
)

var errNoArchive = errors.New(
	"it is no folder and no archive that doctor reads; `doctor explain formats` lists them")

// openText makes a tree of one file: a log, an output that somebody saved without any tool, or an
// event log of Windows.
func openText(name string, r io.ReaderAt, size int64, modified time.Time, lim limits) (*Archive,
	error) {
	head := make([]byte, min(size, textHead))
	if n, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, Bare(err)
	} else if !isText(head[:n]) && !bytes.HasPrefix(head, []byte(evtx.Magic)) {
		return nil, errNoArchive
	}
	a := newArchive(lim)
	x := a.index("archive")
	if clean, _, reason := cleanName(name); reason != "" || isArchiveName(clean) || clean == "." {
		// as it is called, as far as a file of a tree can be
		name = "text of " + strings.Map(func(r rune) rune {
			if unicode.IsControl(r) || strings.ContainsRune(`:/\\`, r) {
				return '_'
			}
			return r
		}, name) + ".txt"
	}
	if err := x.add(entry{name: name, size: size, modified: modified}); err != nil {
		a.Close()
		return nil, err
	}
	a.tree.root.mount = &mount{open: sections(r), place: "archive"}
	return a, nil
}

// isText tells text in any encoding of Windows from binary files: those hold zeros, and only
// UTF-16 may, in each second byte.
func isText(head []byte) bool {
	zeros := bytes.Count(head, []byte{0})
	if zeros == 0 {
		return true
	}
	if bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff}) {
		return true
	}
	var places [2]int
	for i, b := range head {
		if b == 0 {
			places[i%2]++
		}
	}
	return min(places[0], places[1]) == 0 && zeros*4 > len(head)
}

// Read makes what a stream holds readable as Open does for a file: an archive, or the text that
// somebody pasted, which becomes a file of the given name.
func Read(r io.Reader, name string) (*Archive, error) {
	content, err := io.ReadAll(io.LimitReader(r, maxPasted+1))
	switch {
	case err != nil:
		return nil, CannotRead(name, err)
	case len(content) > maxPasted:
		return nil, fmt.Errorf("standard input holds more than %s; save it as a file and give doctor that",
			bytesText(maxPasted))
	case len(bytes.TrimSpace(content)) == 0:
		return nil, errors.New("standard input is empty; paste a log or the output of a command into it")
	}
	a, err := openStream(name, bytes.NewReader(content), int64(len(content)), time.Time{}, standard)
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	return a, nil
}
