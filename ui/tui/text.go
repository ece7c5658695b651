package tui

import (
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/ui"
	"doctor/ui/lang"
)

// maxText bounds one piece of text on screen; the whole is in the evidence.
const maxText = 8 << 10

// show makes one line of a text from the report that every terminal draws as
// wide as it is measured here.
func show(s string, ascii bool) string {
	if len(s) > maxText {
		s = s[:maxText]
	}
	s = ui.Plain(strings.Map(oneSpace, strings.ToValidUTF8(s, "?")), ascii)
	if ascii {
		return s // and spelt out, so that nothing of the evidence gets lost
	}
	s = strings.Map(dropUnseen, s)
	if ansi.StringWidth(s) == ansi.StringWidthWc(s) && !strings.ContainsFunc(s, unicode.IsMark) {
		return s
	}
	return settleClusters(s)
}

// oneSpace makes all of Unicode's spaces the plain one: they look the same, and differ in width.
func oneSpace(c rune) rune {
	if unicode.IsSpace(c) {
		return ' '
	}
	return c
}

// dropUnseen drops what has no width of its own but changes that of its
// neighbours, or the direction of the line: joiners, selectors, overrides.
func dropUnseen(c rune) rune {
	if unicode.In(c, unicode.Cf, unicode.Variation_Selector) {
		return -1
	}
	return c
}

// maxMarks is how many accents one character may carry before they smear over the lines around.
const maxMarks = 2

// settleClusters keeps of every character only what terminals that count whole
// characters and those that count code points agree on.
func settleClusters(s string) string {
	var b strings.Builder
	for s != "" {
		cluster, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		s = s[len(cluster):]
		agreed := w == ansi.StringWidthWc(cluster)
		marks := 0
		for i, c := range cluster {
			switch {
			case unicode.IsMark(c):
				if marks++; (b.Len() == 0 && i == 0) || marks > maxMarks {
					continue
				}
			case i > 0 && !agreed:
				continue
			}
			b.WriteRune(c)
		}
	}
	return b.String()
}

// drawn spells the screen's own glyphs in ASCII, each as wide as before.
var drawn = strings.NewReplacer("·", "-", "─", "-", "│", "|", "›", ">", "▸", "+", "▾", "-")

// ownText is a text of the screen itself.
func ownText(s string, ascii bool) string {
	if ascii {
		return drawn.Replace(s)
	}
	return s
}

func width(s string) int { return ansi.StringWidth(s) }

// clip cuts a plain text to a display width and marks the cut.
func clip(s string, w int, ascii bool) string {
	tail := ellipsis(ascii)
	if w <= width(tail) {
		tail = ""
	}
	return ansi.Truncate(s, max(w, 0), tail)
}

func ellipsis(ascii bool) string {
	if ascii {
		return "..."
	}
	return "…"
}

// wrapped is a plain text in lines behind a lead, of at most w cells without it.
func wrapped(lead, text string, w int, ink ink) []line {
	var lines []line
	for _, part := range wrap(text, w) {
		lines = append(lines, line{{lead + part, ink}})
	}
	return lines
}

// wrap breaks a plain text into lines of at most w cells. Nothing has no lines.
func wrap(s string, w int) []string {
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	w = max(w, 2) // room for one wide character
	return ui.Wrap(s, w, w)
}

// A voice is how the screen says everything: in which language, and with which
// letters. What stands in the catalogue is looked up where it is drawn; the
// nil catalogue is English.
type voice struct {
	*lang.Catalogue
	ascii bool
}

// newVoice: Chinese has no letters in ASCII, and so is not spoken there.
func newVoice(opt Options) voice {
	if opt.ASCII {
		return voice{ascii: true}
	}
	return voice{Catalogue: opt.Lang}
}

func (say voice) style() ui.Style { return ui.Style{ASCII: say.ascii, Lang: say.Catalogue} }

// padded fills a word with spaces to a width in cells.
func padded(s string, w int) string { return s + strings.Repeat(" ", max(w-width(s), 0)) }

// statusWidth is the room for the word of a verdict, and two spaces.
func (say voice) statusWidth() int {
	list := append(slices.Clone(checks.Statuses), StatusReading, StatusWaiting)
	return widest(list, say.Status) + 2
}

// groupName is the width of the longest category.
func (say voice) groupName() int { return widest(checks.Categories, say.Category) }

func widest[T any](list []T, text func(T) string) int {
	n := 0
	for _, s := range list {
		n = max(n, width(text(s)))
	}
	return n
}

// A page is text set in lines of at most width cells, for the detail and the help.
type page struct {
	lines []line
	items []item // what leads on, in the order of the lines
	width int
	voice
}

// An item is a line that leads on: to a check, or to a line of the evidence.
type item struct {
	first int // its line of the page
	check string
	place evidence.Place // what a finding rests on
	path  string         // else a file
	step  int            // or a step of the fix, from 1: it is for copying
}

// leads says that the next line leads on.
func (p *page) leads(to item) {
	to.first = len(p.lines)
	p.items = append(p.items, to)
}

// under is the page below a list, in h lines of w cells: a rule with a name, and what has room.
func (p *page) under(name string, w, h int) []line {
	lines := []line{rule(name, w, p.ascii)}
	return append(lines, indented(p.lines[:max(min(h-1, len(p.lines)), 0)], 0)...)
}

func (p *page) blank() {
	if len(p.lines) > 0 {
		p.lines = append(p.lines, nil)
	}
}

// heading begins a part of the page.
func (p *page) heading(text string) {
	p.blank()
	p.text("", text, strong)
}

// text sets paragraphs behind a lead; the lines after the first are indented to it.
func (p *page) text(lead, text string, ink ink) { p.led(span{lead, faint}, text, ink) }

func (p *page) led(lead span, text string, ink ink) {
	lead.text = show(lead.text, p.ascii)
	indent := min(width(lead.text), p.width/2)
	lead.text = clip(lead.text, indent, p.ascii)
	for _, paragraph := range strings.Split(text, "\n") {
		for _, s := range wrap(show(paragraph, p.ascii), p.width-indent) {
			p.lines = append(p.lines, line{lead, {s, ink}})
			lead.text = strings.Repeat(" ", indent)
		}
	}
}
