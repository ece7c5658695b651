package ui

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
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
