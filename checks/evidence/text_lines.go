package evidence

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// MaxLine is how much of one line is kept. Whatever is longer is a dump, not a
// message.
const MaxLine = 64 << 10

// LineReader reads a text line by line in constant memory, whatever the length
// of a line.
//
//	lines := evidence.Lines(evidence.Text(f))
//	for lines.Next() {
//		use(lines.Number(), lines.Bytes())
//	}
type LineReader struct {
	r      *bufio.Reader
	number int
	line   []byte
	kept   []byte // room for the start of a line that is longer than r's buffer
	cut    bool
	err    error
}

// Lines returns a reader of r's lines. It does not decode: give it a Text where
// the encoding is not known.
func Lines(r io.Reader) *LineReader {
	return &LineReader{r: bufio.NewReaderSize(r, MaxLine+2)}
}

// Next goes to the next line; false means the end, or an error.
func (l *LineReader) Next() bool {
	if l.err != nil {
		return false
	}
	line, err := l.r.ReadSlice('\n')
	l.cut = false
	if errors.Is(err, bufio.ErrBufferFull) {
		l.kept = append(l.kept[:0], line...)
		line, l.cut = l.kept, true
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = l.r.ReadSlice('\n')
		}
	}
	if err != nil {
		l.err = err
		if len(line) == 0 {
			l.line = nil
			return false
		}
	}
	l.number++
	line, long := KeptLine(line)
	l.line, l.cut = line, l.cut || long
	return true
}

// KeptLine is what is kept of a line: not its end, and MaxLine bytes at most.
func KeptLine(line []byte) (kept []byte, cut bool) {
	line = bytes.TrimRight(bytes.TrimSuffix(line, []byte("\n")), "\r")
	if len(line) > MaxLine {
		return cutText(line, MaxLine), true
	}
	return line, false
}

// cutText shortens line to at most n bytes without cutting a character.
func cutText(line []byte, n int) []byte {
	for back := 0; back < utf8.UTFMax && back < n; back++ {
		if utf8.RuneStart(line[n-back]) {
			return line[:n-back]
		}
	}
	return line[:n]
}

// Number is the line's number, from 1.
func (l *LineReader) Number() int { return l.number }

// Bytes is the line without its end; it is valid until Next is called.
func (l *LineReader) Bytes() []byte { return l.line }
