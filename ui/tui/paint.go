package tui

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// A span is text of one meaning; a line is what stands in one row of the screen.
type span struct {
	text string
	ink  ink
}

type line []span

func (l line) width() int {
	n := 0
	for _, s := range l {
		n += width(s.text)
	}
	return n
}

func (l line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.text)
	}
	return b.String()
}

// fit cuts a line to w cells, marking the cut.
func (l line) fit(w int, ascii bool) line {
	if l.width() <= w {
		return l
	}
	var out line
	for _, s := range l {
		have := width(s.text)
		if have > w {
			return append(out, span{clip(s.text, w, ascii), s.ink})
		}
		out = append(out, s)
		w -= have
	}
	return out
}

// pad fills a line with spaces to exactly w cells.
func (l line) pad(w int) line {
	if n := w - l.width(); n > 0 {
		return append(l[:len(l):len(l)], span{strings.Repeat(" ", n), plain})
	}
	return l
}

// apart sets two parts to the ends of a line of w cells; the right one gives
// way when there is no room for both.
func apart(left, right line, w int) line {
	if right.width() == 0 || left.width()+2+right.width() > w {
		return left
	}
	return append(left.pad(w-right.width()), right...)
}

// styles are how the inks of a theme look.
type styles map[ink]lipgloss.Style

// spans colours a part of a line.
func (s styles) spans(b *strings.Builder, l line) {
	for _, sp := range l {
		switch {
		case sp.text == "":
		case sp.ink == plain, strings.Trim(sp.text, " ") == "":
			b.WriteString(sp.text)
		default:
			b.WriteString(s[sp.ink].Render(sp.text))
		}
	}
}
