package redact

import (
	"io"
	"slices"
)

// input is a window over a file. b[:done] was dealt with and is kept as context.
type input struct {
	src  io.Reader
	b    []byte
	base int64 // of b[0] in the file
	eof  bool
}

// firstRead holds most files of a node; what is longer doubles it.
const firstRead = 8 << 10

// fill reads until b holds n bytes or the file ends.
func (in *input) fill(n int) error {
	room := n - len(in.b)
	if text, ok := in.src.(interface{ Len() int }); ok {
		room = min(room, text.Len()+1) // the byte behind it shows the end
	}
	for empty := 0; len(in.b) < n && !in.eof; {
		if len(in.b) == cap(in.b) { // a small file takes no whole window
			in.b = slices.Grow(in.b, max(1, min(room, n-len(in.b), max(len(in.b), firstRead))))
		}
		m, err := in.src.Read(in.b[len(in.b):min(n, cap(in.b))])
		in.b = in.b[:len(in.b)+m]
		if err == io.EOF {
			in.eof = true
		} else if err != nil {
			return err
		}
		if m > 0 {
			empty = 0
		} else if empty++; empty > 100 {
			return io.ErrNoProgress
		}
	}
	return nil
}

// drop forgets the first n bytes.
func (in *input) drop(n int) {
	in.b = in.b[:copy(in.b, in.b[n:])]
	in.base += int64(n)
}
