package node

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf16"

	"doctor/collectors/tree"
)

// A tail is what is taken of a log: what the doctor writes in front, and the
// part of the file behind it.
type tail struct {
	head        []byte
	from, until int64
}

func (t tail) size() int64 { return int64(len(t.head)) + t.until - t.from }

// An encoding is how a log writes its text: 1 or 2 bytes a unit.
type encoding struct {
	width int64
	order binary.AppendByteOrder // of 2
	mark  string                 // in front of a copy that begins elsewhere
}

var (
	inBytes     = encoding{width: 1}
	inUTF16     = encoding{2, binary.LittleEndian, "\xff\xfe"}
	inUTF16BE   = encoding{2, binary.BigEndian, "\xfe\xff"}
	longestLine = int64(64 << 10) // that is searched for its end
)

// encodingOf tells by the start of a file. What PowerShell redirects is UTF-16,
// now and then without its mark.
func encodingOf(start []byte) encoding {
	switch {
	case bytes.HasPrefix(start, []byte(inUTF16.mark)):
		return inUTF16
	case bytes.HasPrefix(start, []byte(inUTF16BE.mark)):
		return inUTF16BE
	case len(start) < 4:
	case start[1] == 0 && start[3] == 0 && start[0] != 0:
		return inUTF16
	case start[0] == 0 && start[2] == 0 && start[1] != 0:
		return inUTF16BE
	}
	return inBytes
}

func (e encoding) encode(text string) []byte {
	if e.width == 1 {
		return []byte(text)
	}
	b := []byte(e.mark)
	for _, unit := range utf16.Encode([]rune(text)) {
		b = e.order.AppendUint16(b, unit)
	}
	return b
}

// tailOf finds the last limit bytes of a log, from the start of a line on.
func tailOf(f io.ReaderAt, size, limit int64) (tail, error) {
	if size <= limit {
		return tail{until: size}, nil
	}
	start := make([]byte, 4)
	n, err := f.ReadAt(start, 0)
	if err != nil && err != io.EOF {
		return tail{}, err
	}
	e := encodingOf(start[:n])
	from := (size - limit + e.width - 1) / e.width * e.width
	// The unit before may be the end of a line: then a line starts right here.
	near := make([]byte, min(longestLine, size-from)+e.width)
	if n, err = f.ReadAt(near, from-e.width); err != nil && err != io.EOF {
		return tail{}, err
	}
	newline := []byte("\n")
	if e.width == 2 {
		newline = e.order.AppendUint16(nil, '\n')
	}
	for at := int64(0); at+e.width <= int64(n); at += e.width {
		if bytes.Equal(near[at:at+e.width], newline) {
			from += at
			break
		}
	}
	left := fmt.Sprintf("[doctor: the %d bytes before this line are left out]\n", from)
	return tail{head: e.encode(left), from: from, until: size}, nil
}

// logCopy is the end of a log, which stays on the disk until it is read.
func logCopy(v volumes, p string, limit int64) (tree.File, error) {
	f, info, err := v.open(p)
	if err != nil {
		return tree.File{}, err
	}
	defer f.Close()
	at, ok := f.(io.ReaderAt)
	if !ok {
		return tree.File{}, fmt.Errorf("%s cannot be read from within", p)
	}
	t, err := tailOf(at, info.Size(), limit)
	if err != nil {
		return tree.File{}, err
	}
	open := func() (io.ReadCloser, error) {
		f, _, err := v.open(p)
		if err != nil {
			return nil, err
		}
		// What the program writes meanwhile is not in it: the size stands.
		part := io.NewSectionReader(f.(io.ReaderAt), t.from, t.until-t.from)
		return struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(t.head), part), f}, nil
	}
	return tree.File{Open: open, Size: t.size(), Modified: info.ModTime()}, nil
}
