package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
)

func (m model) frame() ([]line, int) { return draw(m), m.width }

// draw is the whole screen: exactly m.height lines, none wider than m.width.
func draw(m model) []line {
	return framed(m.width, m.height, m.voice, func() []line {
		l := m.layout()
		lines := append(header(m), rule(ruleLabel(m), m.width, m.ascii))
		return append(append(lines, exactly(body(m, l), l.body)...), footer(m)...)
	})
}

// framed cuts or fills a screen to h lines of at most w cells.
func framed(w, h int, say voice, whole func() []line) []line {
	if w <= 0 || h <= 0 {
		return nil // the terminal has not told its size yet
	}
	lines := []line{{{say.T("make the window at least 30x8 (q quits)"), plain}}}
	if w >= leastWidth && h >= leastHeight {
		lines = whole()
	}
	lines = exactly(lines, h)
	for i := range lines {
		lines[i] = lines[i].fit(w, say.ascii)
	}
	return lines
}

func body(m model, l layout) []line {
	switch {
	case m.help:
		return indented(helpLines(m), m.helpAt)
	case len(m.layers) > 0:
		s, _ := m.over()
		return s.body(m.env())
	case l.wide:
		left := list(&m.report, m.rows, m.top, m.cursor, l.list, l.body, !m.detail, m.voice)
		return beside(left, from(detailOf(m, l.detail), m.scroll), l, m.detail, m.ascii)
	}
	lines := list(&m.report, m.rows, m.top, m.cursor, l.list, l.listLines(), true, m.voice)
	if l.preview > 0 {
		rw, ok := m.selected()
		lines = append(exactly(lines, l.listLines()), preview(&m.report, rw, ok, m.width, l.preview,
			m.view.card, m.voice)...)
	}
	return lines
}

// ruleLabel says how the list is narrowed, since that hides things.
func ruleLabel(m model) string {
	var parts []string
	if w := m.watch.said(m.voice); w != "" {
		parts = append(parts, w)
	}
	if s, ok := m.over(); ok {
		return strings.Join(append([]string{s.title(m.env())}, parts...), " · ")
	}
	narrowed := len(parts)
	if m.view.wrong {
		parts = append(parts, m.T("only fail and warn"))
	}
	if m.view.filter != "" {
		parts = append(parts, m.T("filter %s", m.view.filter))
	}
	if len(parts) > narrowed {
		parts = append(parts, found(m))
	}
	return strings.Join(parts, " · ")
}

// rule is a line across the screen with a name in it.
func rule(name string, w int, ascii bool) line {
	dash := ownText("─", ascii)
	if name == "" {
		return line{{strings.Repeat(dash, w), faint}}
	}
	label := clip(show(name, ascii), w-6, ascii)
	return line{{dash + " ", faint}, {label, accent},
		{" " + strings.Repeat(dash, max(w-width(label)-3, 0)), faint}}
}

// beside sets list and detail side by side; the bar between them shows who has the keys.
func beside(left, right []line, l layout, focused, ascii bool) []line {
	bar := span{ownText("│", ascii) + " ", faint}
	if focused {
		bar.ink = accent
	}
	left, right = exactly(left, l.body), exactly(right, l.body)
	lines := make([]line, l.body)
	for i := range lines {
		lines[i] = append(left[i].fit(l.list, ascii).pad(l.list),
			append(line{bar}, right[i].fit(l.detail, ascii)...)...)
	}
	return lines
}

func indented(lines []line, skip int) []line {
	var out []line
	for _, l := range from(lines, skip) {
		out = append(out, append(line{{" ", plain}}, l...))
	}
	return out
}

func from(lines []line, skip int) []line { return lines[min(skip, len(lines)):] }

// exactly cuts or fills to n lines.
func exactly(lines []line, n int) []line {
	if len(lines) >= n {
		return lines[:n]
	}
	return append(lines[:len(lines):len(lines)], make([]line, n-len(lines))...)
}

// The sizes that the screen is made for. Below the least size there is no room
// for a list worth reading.
const (
	defaultWidth, defaultHeight = 80, 24
	leastWidth, leastHeight     = 30, 8
	wideFrom                    = 100 // columns from which list and detail stand side by side
	// lines from which the header may take two and a preview is shown
	tallFrom     = 18
	previewLines = 3
)

// A layout says how many cells each part of the screen has.
type layout struct {
	width, height int
	wide          bool
	list, detail  int // widths; both the whole width where they take turns
	body          int // lines between header and footer
	preview       int // lines of the body that the preview takes from the list, its rule included
}

func layoutOf(w, h, headerLines int) layout {
	l := layout{width: w, height: h, list: w, detail: w}
	l.wide = w >= wideFrom
	l.body = max(h-headerLines-1-footerLines, 1)
	switch {
	case l.wide:
		l.list = max(min(w*48/100, 64), w-readable-len(" | ")-1) // what the detail has no use for
		l.detail = w - l.list - len(" | ")
	case h >= tallFrom:
		l.preview = previewLines + 1
	}
	return l
}

// listLines is how many rows of the list are seen at once.
func (l layout) listLines() int { return max(l.body-l.preview, 1) }

// sizeOf is what a terminal says of its size. A serial console knows none.
func sizeOf(msg tea.WindowSizeMsg) (width, height int) {
	if msg.Width <= 0 || msg.Height <= 0 {
		return defaultWidth, defaultHeight
	}
	return msg.Width, msg.Height
}

// header is the node, and what is being read of it.
func header(m model) []line {
	if m.reading() {
		return liveHeader(m)
	}
	return doneHeader(&m.report, m.width, m.height, m.voice)
}

// liveHeader has as many lines from the first frame to the last, so that the
// list stays where it is.
func liveHeader(m model) []line {
	facts, now := m.style().NodeFacts(m.report), ""
	if len(m.shown.Reading) > 0 || len(facts) > 0 {
		now = readingText(m.shown, m.width-2, m.voice)
	}
	node := line{{" ", plain}, {m.T("reading this node %s", ellipsis(m.ascii)), strong}}
	if len(facts) > 0 {
		l, _ := packed(facts, 1<<20, true, m.ascii)
		node = append(line{{" ", plain}}, l...)
	}
	if m.height >= tallFrom {
		return []line{node.fit(m.width, m.ascii), {{" ", plain}, {now, accent}}}
	}
	if len(m.shown.Reading) > 0 { // there is no room for both
		node = line{{" ", plain}, {now, accent}}
	}
	return []line{node.fit(m.width, m.ascii)}
}

// doneHeader is the node in one line, or in two where one is too narrow and the
// screen is tall enough.
func doneHeader(r *checks.Report, w, h int, say voice) []line {
	ascii := say.ascii
	var lines []line
	rest := say.style().NodeFacts(*r)
	if r.Node.Name == "" {
		rest = slices.Insert(rest, 0, say.T("node without a name"))
	}
	for len(lines) == 0 || (len(rest) > 0) {
		var l line
		room := w - 1
		if len(lines) == 1 || h < tallFrom {
			room = 1 << 20 // the last line takes all, and is cut where the screen ends
		}
		l, rest = packed(rest, room, len(lines) == 0, ascii)
		lines = append(lines, append(line{{" ", plain}}, l...).fit(w, ascii))
	}
	last := len(lines) - 1
	origin := say.style().Origin(*r)
	for n := len(origin); n > 0; n-- { // the time alone where the place has no room
		right := line{{show(say.style().Clauses(origin[:n]), ascii), faint}, {" ", plain}}
		if l := apart(lines[last], right, w); l.width() > lines[last].width() {
			lines[last] = l
			return lines
		}
	}
	if len(lines) == 1 && h >= tallFrom && len(origin) > 0 {
		second := line{{" " + show(say.style().Clauses(origin), ascii), faint}}
		lines = append(lines, second.fit(w, ascii))
	}
	return lines
}

// packed takes as many facts as a line holds, and at least one.
func packed(list []string, w int, named, ascii bool) (line, []string) {
	var l line
	for i, f := range list {
		next := span{show(f, ascii), plain}
		if i == 0 && named {
			next.ink = strong
		}
		add := line{next}
		if i > 0 {
			add = line{{ownText(" · ", ascii), faint}, next}
		}
		if i > 0 && l.width()+add.width() > w {
			return l, list[i:]
		}
		l = append(l, add...)
	}
	return l, nil
}
