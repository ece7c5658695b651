package pager

import (
	"bytes"
	"sort"
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
