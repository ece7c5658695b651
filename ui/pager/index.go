package pager

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sort"

	"doctor/checks/evidence"
)

// An index knows where some of the lines begin. Its marks lie at least so many
// bytes apart, and when there are too many of them, that distance doubles: it
// stays small however long the text is, and however short its lines are.
type index struct {
	marks  []mark
	apart  int64
	end    int64 // bytes seen
	breaks int   // line breaks seen
	open   bool  // the last line has no break
}

// A mark is a place where a line begins.
type mark struct {
	off  int64
	line int // from 0
}

const (
	firstApart = 16 << 10
	maxMarks   = 1 << 16
)

func newIndex() index { return index{marks: []mark{{}}, apart: firstApart} }

func (x *index) lines() int {
	if x.open {
		return x.breaks + 1
	}
	return x.breaks
}

// add notes the next bytes of the text.
func (x *index) add(b []byte) {
	if len(b) == 0 {
		return
	}
	x.open = b[len(b)-1] != '\n'
	for len(b) > 0 {
		// a break from here on is worth a mark
		due := x.marks[len(x.marks)-1].off + x.apart - x.end - 1
		if due >= int64(len(b)) {
			x.pass(b)
			return
		}
		if due > 0 {
			x.pass(b[:due])
			b = b[due:]
		}
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			x.end += int64(len(b))
			return
		}
		x.end += int64(i) + 1
		x.breaks++
		b = b[i+1:]
		x.mark()
	}
}

func (x *index) pass(b []byte) {
	x.breaks += bytes.Count(b, []byte{'\n'})
	x.end += int64(len(b))
}

func (x *index) mark() {
	x.marks = append(x.marks, mark{x.end, x.breaks})
	if len(x.marks) <= maxMarks {
		return
	}
	x.apart *= 2
	kept := make([]mark, 1, maxMarks) // a new list: readers hold the old one
	for _, m := range x.marks {
		if m.off-kept[len(kept)-1].off >= x.apart {
			kept = append(kept, m)
		}
	}
	x.marks = kept
}

// before is the last mark at or before a line.
func (x index) before(line int) mark {
	return x.marks[sort.Search(len(x.marks), func(i int) bool { return x.marks[i].line > line })-1]
}

// at is the last mark at or before a byte.
func (x index) at(off int64) mark {
	return x.marks[sort.Search(len(x.marks), func(i int) bool { return x.marks[i].off > off })-1]
}

// A Line is one line of the text, without its end.
type Line struct {
	Text string
	Cut  bool // the line is longer than evidence.MaxLine
}

// Page returns up to n lines from a line on, the first being 1, as far as they are known.
func (f *File) Page(from, n int) ([]Line, error) {
	f.mu.Lock()
	x := f.index
	f.mu.Unlock()
	from = max(from, 1) - 1
	n = min(n, x.lines()-from)
	if n <= 0 {
		return nil, nil
	}
	at := x.before(from)
	r := bufio.NewReaderSize(f.reader(at.off), evidence.MaxLine+2)
	var page []Line
	for line := at.line; len(page) < n; line++ {
		b, err := r.ReadSlice('\n')
		ahead := errors.Is(err, bufio.ErrBufferFull) // its end may still be ahead
		if line >= from && (ahead || err == nil || err == io.EOF) {
			page = append(page, lineOf(b))
		}
		if ahead { // the way to the end of a long line may be long
			if next := x.before(line + 1); next.line == line+1 {
				r.Reset(f.reader(next.off))
				continue
			}
			err = skipLine(r)
		}
		if err != nil {
			return page, ended(err)
		}
	}
	return page, nil
}

func lineOf(b []byte) Line {
	b, cut := evidence.KeptLine(b)
	return Line{string(b), cut}
}

func skipLine(r *bufio.Reader) error {
	for {
		_, err := r.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// tail is how much of the end is read for Tail.
const tail = 256 << 10

// Tail returns up to n of the last lines before their numbers are known, where
// the end can be read at once and looks like what was read so far.
func (f *File) Tail(n int) []Line {
	f.mu.Lock()
	size, plain := f.state.Size, f.plain == f.index.end
	f.mu.Unlock()
	if f.at == nil || !plain || size == 0 {
		return nil
	}
	b := make([]byte, min(size, tail))
	got, err := f.at.ReadAt(b, size-int64(len(b)))
	// UTF-16 from some place on
	if b = b[:got]; err != nil && err != io.EOF || bytes.IndexByte(b, 0) >= 0 {
		return nil
	}
	if int64(len(b)) < size {
		_, b, _ = bytes.Cut(b, []byte{'\n'}) // the first is a piece of a line
	}
	b = bytes.TrimSuffix(evidence.DecodeText(b), []byte{'\n'})
	if len(b) == 0 {
		return nil
	}
	all := bytes.Split(b, []byte{'\n'})
	var lines []Line
	for _, l := range all[max(len(all)-n, 0):] {
		lines = append(lines, lineOf(l))
	}
	return lines
}
