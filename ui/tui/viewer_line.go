package tui

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"doctor/ui/pager"
)

// fileLine is a line as it is shown, in pieces of known width, so that a screen
// far to the right of a long line costs no more than one at its start.
type fileLine struct {
	pieces []linePiece
	raw    string // what copying takes
	cut    bool   // the line goes on
}

type linePiece struct {
	text  string
	width int
}

// pieceBytes is short enough to be cut anew in every frame.
const pieceBytes = 1 << 10

func fileLines(list []pager.Line, ascii bool) []fileLine {
	lines := make([]fileLine, len(list))
	for i, l := range list {
		lines[i] = newFileLine(l.Text, ascii)
		lines[i].cut = l.Cut
	}
	return lines
}

func newFileLine(text string, ascii bool) fileLine {
	l := fileLine{raw: text}
	text = strings.ReplaceAll(text, "\t", "    ")
	for text != "" {
		n := len(text)
		if n > pieceBytes {
			for n = pieceBytes; n > pieceBytes-utf8.UTFMax && !utf8.RuneStart(text[n]); n-- {
			}
		}
		s := show(text[:n], ascii)
		l.pieces = append(l.pieces, linePiece{s, width(s)})
		text = text[n:]
	}
	return l
}

func (l fileLine) width() int {
	n := 0
	for _, p := range l.pieces {
		n += p.width
	}
	return n
}

// from is the text from a cell on, at least w cells of it where there are so many.
func (l fileLine) from(cell, w int) string {
	var b strings.Builder
	for _, p := range l.pieces {
		if cell >= p.width && cell > 0 {
			cell -= p.width
			continue
		}
		s := p.text
		if cell > 0 {
			s = ansi.TruncateLeft(s, cell, "")
			cell = 0
		}
		b.WriteString(s)
		if w -= width(s); w <= 0 {
			break
		}
	}
	return b.String()
}

// rows are the line broken wherever w cells are full, at most so many rows.
func (l fileLine) rows(w, most int) []string {
	w = max(w, 2)
	rest := l.from(0, w*most+w)
	rows := make([]string, 0, 1)
	for len(rows) < most {
		head := ansi.Truncate(rest, w, "")
		if head == "" || len(head) >= len(rest) {
			return append(rows, rest)
		}
		rows = append(rows, head)
		rest = rest[len(head):]
	}
	return rows
}
