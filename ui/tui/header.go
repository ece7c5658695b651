package tui

import (
	"slices"

	"doctor/checks"
)

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
