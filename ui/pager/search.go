package pager

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"doctor/checks/evidence"
)

// A Query asks for the nearest line that holds a text, in any case.
type Query struct {
	Text string
	From int  // the first line that is looked at, from 1
	Back bool // towards the first line
}

// errStopped is what a search that was stopped returns.
var errStopped = errors.New("the search was stopped")

// Search returns the number of the line, or 0 where there is none. It reads on
// where the text is not known to its end, and asks stop now and then.
func (f *File) Search(q Query, stop func() bool) (int, error) {
	needle := foldAll(q.Text)
	if len(needle) == 0 || len(needle) > chunk/2 {
		return 0, nil
	}
	s := seeker{f: f, needle: needle, runes: !ascii(needle), exact: caseless(q.Text), stop: stop,
		buf: make([]byte, chunk), folded: make([]byte, chunk)}
	from, search := max(q.From, 1), s.forward
	if q.Back {
		from, search = from+1, s.back // with the line itself
	}
	at, err := f.offset(from)
	if err == nil {
		at, err = search(at)
	}
	if at < 0 || err != nil {
		return 0, err
	}
	return f.lineAt(at)
}

type seeker struct {
	f           *File
	needle      []byte
	runes       bool // the needle has characters outside of ASCII
	exact       bool // it has none that come in two cases, as in Chinese
	stop        func() bool
	buf, folded []byte
}

// step is how long a search reads on before it looks at what came.
const step = 50 * time.Millisecond

func (s *seeker) forward(off int64) (int64, error) {
	for {
		if s.stop() {
			return -1, errStopped
		}
		before := s.f.State() // asked before the read: what comes after it is not missed
		n, err := s.readAt(off)
		if err != nil {
			return -1, err
		}
		if i := bytes.Index(s.folded[:n], s.needle); i >= 0 {
			return off + int64(i), nil
		}
		if n == chunk {
			off += int64(n - len(s.needle) + 1)
			continue
		}
		if before.Done {
			return -1, nil
		}
		s.f.Step(step)
	}
}

func (s *seeker) back(end int64) (int64, error) {
	for {
		if s.stop() {
			return -1, errStopped
		}
		from := max(end-chunk, 0)
		n, err := s.readAt(from)
		if err != nil {
			return -1, err
		}
		n = min(n, int(end-from))
		if i := bytes.LastIndex(s.folded[:n], s.needle); i >= 0 {
			return from + int64(i), nil
		}
		if from == 0 {
			return -1, nil
		}
		end = from + int64(len(s.needle)) - 1
	}
}

// readAt fills a chunk as far as there is text, and folds it.
func (s *seeker) readAt(off int64) (int, error) {
	n, err := io.ReadFull(s.f.reader(off), s.buf)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return n, err
	}
	if s.exact {
		s.folded = s.buf
		return n, nil
	}
	fold(s.folded, s.buf[:n], s.runes)
	return n, nil
}

// offset is where a line begins, or the end of what is known.
func (f *File) offset(line int) (int64, error) {
	f.mu.Lock()
	x := f.index
	f.mu.Unlock()
	if line > x.lines() {
		return x.end, nil
	}
	at := x.before(line - 1)
	r := bufio.NewReaderSize(f.reader(at.off), firstApart)
	for at.line < line-1 {
		b, err := r.ReadSlice('\n')
		at.off += int64(len(b))
		if err == nil {
			at.line++
		} else if err != bufio.ErrBufferFull {
			return x.end, ended(err)
		}
	}
	return at.off, nil
}

// lineAt is the number of the line that a byte is part of.
func (f *File) lineAt(off int64) (int, error) {
	f.mu.Lock()
	at := f.index.at(off)
	f.mu.Unlock()
	line := at.line + 1
	buf := make([]byte, firstApart)
	for at.off < off {
		n, err := f.readAt(buf[:min(int64(len(buf)), off-at.off)], at.off)
		if n == 0 {
			return line, ended(err)
		}
		line += bytes.Count(buf[:n], []byte{'\n'})
		at.off += int64(n)
	}
	return line, nil
}

func ended(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

func ascii(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c >= utf8.RuneSelf })
}

func caseless(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.SimpleFold(r) != r || unicode.ToLower(r) != r
	})
}

func foldAll(s string) []byte {
	b := make([]byte, len(s))
	fold(b, []byte(s), true)
	return b
}

// fold writes b in lower case to to, every byte at its place; a character that
// takes another number of bytes in lower case stays as it is.
func fold(to, b []byte, runes bool) {
	to = to[:len(b)]
	i := 0
	for ; i+8 <= len(b); i += 8 {
		binary.LittleEndian.PutUint64(to[i:], lower(binary.LittleEndian.Uint64(b[i:])))
	}
	for ; i < len(b); i++ {
		to[i] = byte(lower(uint64(b[i])))
	}
	if !runes {
		return
	}
	for i := 0; i < len(b); {
		if i+8 <= len(b) && binary.LittleEndian.Uint64(b[i:])&(0x80*each) == 0 {
			i += 8
			continue
		}
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		if l := unicode.ToLower(r); l != r && utf8.RuneLen(l) == size {
			utf8.EncodeRune(to[i:], l)
		}
		i += size
	}
}

const each = 0x0101010101010101

// lower turns the capital letters among eight bytes into small ones.
func lower(x uint64) uint64 {
	low := x & (0x7f * each)
	fromA, beyondZ := low+(0x80-'A')*each, low+(0x7f-'Z')*each // the high bit of a byte tells
	return x | (fromA^beyondZ)&^x&(0x80*each)>>2
}

// Fold is a text as a search sees it; every byte keeps its place.
func Fold(s string) string { return string(foldAll(s)) }

// Hits are the lines of a file that hold a text, counted from 1.
type Hits struct {
	Lines       int // how many
	First, Last int
}

// Scan counts the lines that hold a text, in any case, as Search finds them. It reads the source
// once from its start to its end, keeps no more than two chunks of it, and asks stop after each.
func Scan(src io.Reader, text string, stop func() bool) (Hits, error) {
	var hits Hits
	needle := foldAll(text)
	if len(needle) == 0 || len(needle) > chunk/2 {
		return hits, nil
	}
	runes, exact := !ascii(needle), caseless(text)
	r, buf, folded := evidence.Text(src), make([]byte, chunk), make([]byte, chunk)
	if exact {
		folded = buf
	}
	line, kept := 1, 0 // the line at the start of the buffer, and what is in it from before
	for {
		if stop() {
			return hits, errStopped
		}
		n, err := io.ReadFull(r, buf[kept:])
		n += kept
		if !exact {
			fold(folded, buf[:n], runes)
		}
		at := 0
		for {
			i := bytes.Index(folded[at:n], needle)
			if i < 0 {
				break
			}
			line += bytes.Count(folded[at:at+i], newline)
			at += i
			hits.add(line)
			end := bytes.IndexByte(folded[at:n], '\n')
			if end < 0 { // the line goes on in the next chunk
				at += len(needle)
				continue
			}
			at += end + 1
			line++
		}
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return hits, nil
		default:
			return hits, err
		}
		from := max(at, n-len(needle)+1) // what may begin in this chunk and end in the next
		line += bytes.Count(folded[at:from], newline)
		kept = copy(buf, buf[from:n])
	}
}

var newline = []byte{'\n'}

func (h *Hits) add(line int) {
	if h.Last == line {
		return
	}
	if h.Lines++; h.First == 0 {
		h.First = line
	}
	h.Last = line
}
