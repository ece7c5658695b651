package tui

import "strings"

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
