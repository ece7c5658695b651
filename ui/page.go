package ui

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/mattn/go-runewidth"
	"github.com/muesli/termenv"

	"doctor/checks"
	"doctor/ui/lang"
)

// A page collects lines of text. Layout is reckoned on plain text, and colour is
// laid over it last, so that a page has the same lines with and without it.
type page struct {
	style   Style
	columns int
	gutter  int // where text begins, right of the labels
	paint   *lipgloss.Renderer
	lang    *lang.Catalogue
	limits  limits
	wide    bool // everything is shown
	b       strings.Builder
}

func newPage(style Style) *page {
	p := &page{style: style, columns: style.columns(), gutter: 9,
		paint: lipgloss.NewRenderer(io.Discard), lang: style.lang(),
		limits: brief}
	if p.narrow() {
		p.gutter = 7
	}
	p.paint.SetColorProfile(termenv.Ascii)
	if style.Colour {
		p.paint.SetColorProfile(termenv.ANSI)
	}
	return p
}

func (p *page) narrow() bool { return p.columns < 60 }

// room is how wide text may be right of the labels.
func (p *page) room() int { return p.columns - p.gutter }

// A pen colours a text; a nil pen leaves it as it is.
type pen func(string) string

func (p *page) pen(s lipgloss.Style) pen {
	return func(text string) string {
		if text == "" || !p.style.Colour {
			return text
		}
		return s.Render(text)
	}
}

func (p *page) bold() pen    { return p.pen(p.paint.NewStyle().Bold(true)) }
func (p *page) faint() pen   { return p.pen(p.paint.NewStyle().Faint(true)) }
func (p *page) command() pen { return p.pen(p.paint.NewStyle().Foreground(lipgloss.ANSIColor(6))) }

func (p *page) verdict(s checks.Status) pen {
	return p.pen(p.paint.NewStyle().Bold(s == checks.StatusFail).Foreground(Colour(s)))
}

func (w pen) on(s string) string {
	if w == nil {
		return s
	}
	return w(s)
}

func (p *page) line(parts ...string) {
	p.b.WriteString(strings.TrimRight(strings.Join(parts, ""), " "))
	p.b.WriteByte('\n')
}

func (p *page) blank() { p.b.WriteByte('\n') }

// block sets lines right of a label that stands in the gutter of the first.
func (p *page) block(label string, labelPen pen, lines []string, textPen pen) {
	for _, l := range lines {
		p.line(labelPen.on(label), strings.Repeat(" ", max(p.gutter-width(label), 0)),
			textPen.on(l))
		label = ""
	}
}

// prose wraps a text right of a label.
func (p *page) prose(label string, labelPen pen, text string, textPen pen) {
	p.block(label, labelPen, Wrap(text, p.room(), p.room()), textPen)
}

// para wraps a text over all columns.
func (p *page) para(text string, pen pen) { p.indented(0, text, pen) }

func (p *page) indented(by int, text string, pen pen) {
	for _, l := range Wrap(text, p.columns-by, p.columns-by) {
		p.line(strings.Repeat(" ", by), pen.on(l))
	}
}

// dash joins what stands side by side in a line.
func (p *page) dash() string { return Plain(" · ", p.style.ASCII) }

func (p *page) mark(s checks.Status) string { return Symbol(s, p.style.ASCII) }

func (p *page) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, p.b.String())
	return err
}

// cells measures without asking the locale, so that a report is the same
// wherever it is drawn. It counts rune by rune: where a terminal joins some into
// one picture, a line comes out shorter than its limit and never longer.
var cells = &runewidth.Condition{StrictEmojiNeutral: true}

func cellsOf(r rune) int {
	if r == '\ufe0f' { // makes a picture of the character before it, two columns wide
		return 1
	}
	return cells.RuneWidth(r)
}

func width(s string) int {
	n := 0
	for _, r := range s {
		n += cellsOf(r)
	}
	return n
}

// takeColumns returns the longest beginning of s that fits into n columns.
func takeColumns(s string, n int) string {
	used := 0
	for i, r := range s {
		if used += cellsOf(r); used > n {
			return s[:i]
		}
	}
	return s
}

// clipColumns cuts s to n columns and marks the cut.
func clipColumns(s string, n int, ascii bool) string {
	if width(s) <= n {
		return s
	}
	mark := ellipsis(ascii)
	return strings.TrimRight(takeColumns(s, max(n-len([]rune(mark)), 0)), " ") + mark
}

func ellipsis(ascii bool) string {
	if ascii {
		return "..."
	}
	return "…"
}

func pad(s string, n int) string { return s + strings.Repeat(" ", max(n-width(s), 0)) }

// shortest is the piece of a long word that is worth the end of a line.
const shortest = 16

// Wrap breaks s at spaces, and between wide characters, into a first line of
// `first` columns and further ones of `rest`, and cuts words that no line can
// hold. The first line is empty where nothing fits into it.
func Wrap(s string, first, rest int) []string {
	lines := []string{""}
	room, used := first, 0
	next := func() { lines, room, used = append(lines, ""), rest, 0 }
	for _, field := range strings.Fields(s) {
		for i, word := range breakable(field) {
			for word != "" {
				space := min(used, 1)
				if i > 0 { // nothing stood between it and what is before it
					space = 0
				}
				free := room - used - space
				piece := takeColumns(word, free)
				switch {
				case len(piece) == len(word):
				case free >= shortest && len(takeColumns(word, rest)) < len(word):
				case used > 0 || len(lines) == 1 && first < rest:
					next()
					continue
				}
				if piece == "" { // a column too few for even one character
					piece = word
				}
				lines[len(lines)-1] += " "[:space] + piece
				used += space + width(piece)
				if word = word[len(piece):]; word != "" {
					next()
				}
			}
		}
	}
	return lines
}

// Marks that no line begins with, and marks that none ends with.
const (
	closing = "，。、；：？！）》」』】〉”’…—·％,.;:?!)]}"
	opening = "（《「『【〈“‘([{"
)

// breakable parts a word where a line may end within it: beside a wide
// character, as Chinese has no spaces, but not before a mark that closes nor
// after one that opens.
func breakable(word string) []string {
	var parts []string
	from := 0
	var before rune
	for i, r := range word {
		if i > from && (cellsOf(before) == 2 || cellsOf(r) == 2) && !strings.ContainsRune(opening,
			before) && !strings.ContainsRune(closing, r) {
			parts, from = append(parts, word[from:i]), i
		}
		before = r
	}
	return append(parts, word[from:])
}

// bound keeps the first n lines and marks the cut in the last.
func bound(lines []string, n, columns int, ascii bool) []string {
	if len(lines) <= n {
		return lines
	}
	last := lines[n-1]
	if mark := ellipsis(ascii); width(last)+len([]rune(mark))+1 <= columns {
		last += " " + mark
	} else {
		last = strings.TrimRight(takeColumns(last, columns-len([]rune(mark))), " ") + mark
	}
	return append(lines[:n-1:n-1], last)
}

// flow sets items side by side and keeps each whole as long as it fits a line;
// the separator ends a line, so that a reader sees that more follows.
func flow(items []string, sep string, columns int) []string {
	var lines []string
	line := ""
	for i, item := range items {
		if i < len(items)-1 {
			if bare := width(item); bare > columns ||
				bare+width(strings.TrimRight(sep, " ")) <= columns {
				item += sep
			} else { // the line's end has to do for a separator
				item += " "
			}
		}
		if line != "" && width(line)+width(strings.TrimRight(item, " ")) > columns {
			lines, line = append(lines, strings.TrimRight(line, " ")), ""
		}
		if width(strings.TrimRight(item, " ")) > columns {
			pieces := Wrap(item, columns, columns)
			lines = append(lines, pieces[:len(pieces)-1]...)
			item = pieces[len(pieces)-1] + " "
		}
		line += item
	}
	if line = strings.TrimRight(line, " "); line != "" {
		lines = append(lines, line)
	}
	return lines
}
