package evidence

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// A decision about the encoding looks at most textAhead bytes past the ones
// that it is about, so a chunk is always longer than that until the end.
const (
	textChunk = 64 << 10
	textAhead = 256
)

// Text returns r's content as UTF-8, whatever Windows wrote: UTF-8, UTF-16 of either order, or a
// code page, with or without a byte order mark. The encoding may change midway, because ">>" of
// Windows PowerShell appends UTF-16 to any file and everything else appends bytes to UTF-16.
//
// A line that is not valid UTF-8 is decoded by itself, so that one bad byte
// spoils one line. Bytes that are valid pass untouched, NULs included. The same
// content gives the same text however r cuts it up, in bounded memory.
func Text(r io.Reader) io.Reader {
	return &textReader{src: r, dec: newTextDecoder()}
}

// DecodeText does to b what Text does to a stream; it returns b itself where
// that is UTF-8 without a byte order mark already.
func DecodeText(b []byte) []byte {
	if !HasBOM(b) && bytes.IndexByte(b, 0) < 0 && utf8.Valid(b) {
		return b
	}
	out := make([]byte, 0, len(b)+len(b)/4)
	t := textReader{src: bytes.NewReader(b), dec: newTextDecoder()}
	for t.next() {
		out = append(out, t.out...)
	}
	return out
}

type textReader struct {
	src  io.Reader
	err  error  // what src ended with
	buf  []byte // room for raw
	raw  []byte // read, not decoded yet
	out  []byte // decoded, not handed out yet; may lie in buf
	room []byte // room for text that differs from its source
	dec  textDecoder
}

func (t *textReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(t.out) == 0 && !t.next() {
		return 0, t.err
	}
	n := copy(p, t.out)
	t.out = t.out[n:]
	return n, nil
}

// next decodes until there is something to hand out; false means the end.
func (t *textReader) next() bool {
	t.out = nil
	for len(t.out) == 0 {
		t.fill()
		if len(t.raw) == 0 {
			return false
		}
		// A full chunk is never the last one, whether src has told of its end by now or not.
		out, n := t.dec.step(t.room[:0], t.raw, len(t.raw) < len(t.buf))
		if len(out) > 0 && &out[0] != &t.raw[0] {
			t.room = out
		}
		t.out, t.raw = out, t.raw[n:]
	}
	return true
}

// fill reads until the chunk is full: decisions must not hang on how many bytes
// one Read happens to return.
func (t *textReader) fill() {
	if t.err != nil {
		return
	}
	if t.buf == nil {
		t.buf = make([]byte, textChunk)
	}
	n := copy(t.buf, t.raw)
	for idle := 0; n < len(t.buf) && t.err == nil; {
		var k int
		k, t.err = t.src.Read(t.buf[n:])
		n += k
		if idle++; k > 0 {
			idle = 0
		} else if idle > 100 && t.err == nil {
			t.err = io.ErrNoProgress
		}
	}
	t.raw = t.buf[:n]
}

type textMode byte

const (
	eightBit textMode = iota
	utf16LE
	utf16BE
)

// textDecoder knows what the bytes decoded so far were.
type textDecoder struct {
	mode      textMode
	fresh     bool // nothing was decoded yet
	switched  bool // the mode is UTF-16 since just now, and no unit was decoded in it
	lineStart bool // in UTF-16: a line begins here
	pages     pageVotes
}

func newTextDecoder() textDecoder { return textDecoder{fresh: true, lineStart: true} }

// step decodes some bytes at the start of b and returns the text and how many they were, at least
// one. The text is appended to dst or is a part of b. Unless final, b is a full chunk.
func (d *textDecoder) step(dst, b []byte, final bool) (text []byte, n int) {
	if d.fresh {
		if mode, n := byteOrderMark(b); n > 0 {
			d.fresh, d.mode = false, mode
			return nil, n
		}
	}
	fresh := d.fresh
	d.fresh = false
	if d.mode == eightBit {
		if text, n := d.eightBit(dst, b, fresh, final); n > 0 {
			return text, n
		}
	}
	if text, n := d.utf16(dst, b, final); n > 0 {
		return text, n
	}
	return d.eightBit(dst, b, false, final)
}

// HasBOM tells whether a text begins with a byte order mark.
func HasBOM(b []byte) bool {
	_, n := byteOrderMark(b)
	return n > 0
}

func byteOrderMark(b []byte) (textMode, int) {
	switch {
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		return eightBit, 3
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		return utf16LE, 2
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		return utf16BE, 2
	}
	return eightBit, 0
}

// eightBit decodes up to where UTF-16 begins; n is 0 where it begins at once.
func (d *textDecoder) eightBit(dst, b []byte, fresh, final bool) (text []byte, n int) {
	end := len(b)
	if !final {
		end = runeStart(b, len(b)-textAhead)
	}
	at, mode := findUTF16(b, end, fresh, final)
	if mode != eightBit {
		end, d.mode, d.switched, d.lineStart = at, mode, true, true
	}
	if utf8.Valid(b[:end]) {
		return b[:end], end
	}
	if mode == eightBit && !final {
		end = lastBreak(b[:end])
	}
	return d.pages.decode(dst, b[:end]), end
}

// runeStart moves end back so that it does not cut a UTF-8 sequence.
func runeStart(b []byte, end int) int {
	for back := 1; back < utf8.UTFMax && back < end; back++ {
		if c := b[end-back]; c >= 0xc0 {
			if r, size := utf8.DecodeRune(b[end-back:]); r != utf8.RuneError && size > back {
				return end - back
			}
			break
		}
	}
	return end
}

// lastBreak returns where the last line ends, or else the last byte that is
// part of no character of any code page.
func lastBreak(b []byte) int {
	if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
		return i + 1
	}
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < '0' {
			return i + 1
		}
	}
	return len(b)
}

// MaxLine is how much of one line is kept. Whatever is longer is a dump, not a message.
const MaxLine = 64 << 10

// LineReader reads a text line by line in constant memory, whatever the length of a line.
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
