package tui

import (
	"fmt"
	"strings"

	"doctor/checks/evidence"
)

func (b browser) body(e env) []line {
	if !b.listed {
		return []line{{{" " + e.T("listing the evidence %s", ellipsis(e.ascii)), faint}}}
	}
	var lines []line
	for i := b.top; i < len(b.visible) && len(lines) < b.height; i++ {
		lines = append(lines, b.row(b.entries[b.visible[i]], i == b.cursor, e.width, e.voice))
	}
	if len(lines) == 0 {
		lines = []line{{{"  " + e.T("nothing to show"), faint}}}
	}
	return append(exactly(lines, b.height), b.foot(e))
}

// row is a name, and what is to be said of it: how large it is and what cites
// it, or why it is not there.
func (b browser) row(en treeEntry, selected bool, w int, say voice) line {
	ascii := say.ascii
	l, ink := line{cursorMark(selected, ascii)}, inkIf(selected)
	l = append(l, span{strings.Repeat(" ", min(2*en.depth, w/3)), plain})
	if en.folder {
		l = append(l, span{fold(!b.folded(en), ascii) + " ", faint})
	} else {
		l = append(l, span{"  ", plain})
	}
	if en.gap.Kind != "" {
		if !selected {
			ink = faint
		}
		sign := span{"  ? ", inkUnknown}
		if en.gap.Kind == evidence.Absent { // an answer, and no gap in what is known
			sign = span{"  ", plain}
		}
		return append(l, span{show(en.name, ascii), ink}, sign, span{show(say.Gap(en.gap), ascii),
			faint}).fit(w-1, ascii)
	}
	right := line{{fmt.Sprintf("%9s ", evidence.SizeText(en.size)), faint}}
	if en.folder && en.files == 0 {
		right = line{{" " + say.T("nothing there") + " ", faint}}
	}
	h := b.search.in[en.path]
	if h.Lines > 0 {
		right = append(line{{say.T("%d found", h.Lines), accent}}, right...)
	}
	if en.cites > 0 && (h.Lines == 0 || w >= wordsFrom) { // else the name has no room
		mark := line{{symbol(en.status, ascii) + " " + say.T("%d cited", en.cites),
			inkOf(en.status)}}
		if h.Lines > 0 {
			mark = append(mark, span{"  ", plain})
		}
		right = append(mark, right...)
	}
	l = append(l, span{show(en.name, ascii), ink})
	return apart(l.fit(w-right.width()-2, ascii), right, w)
}

// foot is what is typed, or the path under the cursor with its gap, and the counts.
func (b browser) foot(e env) line {
	files, absent, gaps := 0, 0, 0
	for _, i := range b.visible {
		switch en := b.entries[i]; {
		case en.folder && b.folded(en):
			files, gaps, absent = files+en.files, gaps+en.gaps, absent+en.absent
		case en.folder:
		case en.gap.Kind == evidence.Absent:
			absent++
		case en.gap.Kind != "":
			gaps++
		default:
			files++
		}
	}
	right := line{{e.T("%s, %s, %d absent", e.Count(files, "file"), e.Count(gaps, "gap"), absent),
		faint}, {" ", plain}}
	if b.prompt || b.filter != "" {
		left := line{{" /", accent}, {show(tail(b.filter, e.width-24), e.ascii), strong}}
		if b.search.text != "" {
			right = line{{show(b.searchLine(e), e.ascii), accent}, {" ", plain}}
			if left.width()+2+right.width() > e.width { // what was found is worth more
				return append(line{{" ", plain}}, right...).fit(e.width, e.ascii)
			}
		}
		if b.prompt {
			left = append(left, span{"_", accent})
		}
		return apart(left, right, e.width)
	}
	en, ok := b.selected()
	if !ok {
		return apart(nil, right, e.width)
	}
	left := line{{" " + show(en.path, e.ascii), faint}}
	if en.gap.Kind != "" { // the row had no room for all of it
		return line{{" " + show(e.Gap(en.gap), e.ascii), plain}}.fit(e.width, e.ascii)
	}
	return apart(left.fit(e.width-right.width()-2, e.ascii), right, e.width)
}
