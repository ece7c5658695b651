package tui

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"doctor/checks/evidence"
	"doctor/ui/pager"
)

func (v viewer) body(e env) []line {
	switch {
	case v.gap.Kind != "":
		return v.gapBody(e)
	case v.file == nil:
		return []line{{{" " + e.T("opening %s", ellipsis(e.ascii)), faint}}}
	}
	lines := v.textBody(e.ascii)
	if v.inTree() {
		lines = v.treeBody(e.ascii)
	}
	return append(exactly(lines, v.height), v.foot(e.ascii))
}

// gapBody says why there is nothing to see.
func (v viewer) gapBody(e env) []line {
	p := page{width: min(e.width-2, readable), voice: e.voice}
	p.text("", p.T("There is nothing at this path:"), strong)
	p.text("", p.Gap(v.gap), plain)
	return indented(p.lines, 0)
}

// numberWidth is how many cells the line numbers take.
func (v viewer) numberWidth() int {
	n := v.state.Lines
	if v.inTree() {
		n = v.tree.rows[len(v.tree.rows)-1].Line
	}
	return max(len(strconv.Itoa(n)), 3)
}

// textWidth is what the lines themselves have: behind cursor, number and sign.
func (v viewer) textWidth() int { return max(v.width-v.numberWidth()-5, 2) }

// gutter is what stands before a line, and how the line itself is drawn. The sign of a finding tells
// its verdict.
func (v viewer) gutter(number string, at int, selected, ascii bool) (line, ink) {
	l := line{cursorMark(selected, ascii)}
	l = append(l, span{fmt.Sprintf("%*s ", v.numberWidth(), number), faint})
	if c, ok := v.citeAt(at); ok {
		return append(l, span{symbol(c.status, ascii) + " ", inkOf(c.status)}), inkOf(c.status)
	}
	return append(l, span{"  ", plain}), inkIf(selected)
}

func (v viewer) textBody(ascii bool) []line {
	w := v.textWidth()
	var lines []line
	for at := v.seen.top; at < v.count() && len(lines) < v.height; at++ {
		if at < v.win.from || at >= v.win.from+len(v.win.lines) {
			lines = append(lines, line{})
			continue
		}
		number := strconv.Itoa(at + 1)
		if v.win.tail {
			number = "."
		}
		selected := at == v.seen.cursor
		head, ink := v.gutter(number, at, selected, ascii)
		for i, text := range v.rowsOf(v.win.lines[at-v.win.from], w, v.height-len(lines)) {
			if i > 0 {
				head = line{{strings.Repeat(" ", v.numberWidth()+5), plain}}
			}
			lines = append(lines, append(head, v.marked(text, ink)...))
		}
	}
	if len(lines) == 0 && v.state.Done {
		lines = []line{{{"  " + v.T("the file is empty"), faint}}}
	}
	return lines
}

// rowsOf is a line as it is seen: broken into rows, or a part of it with signs
// where it goes on.
func (v viewer) rowsOf(l fileLine, w, most int) []string {
	if v.wrap {
		return l.rows(w, most)
	}
	text := ansi.Truncate(l.from(v.left, w), w, "")
	if rest := l.width() - v.left - w; rest > 0 || l.cut && rest == 0 {
		text = clip(text, w-1, v.ascii) // room for the sign
		text = strings.TrimSuffix(text, ellipsis(v.ascii)) + ownText("›", v.ascii)
	}
	return []string{text}
}

// marked sets the searched text apart.
func (v viewer) marked(text string, ink ink) line {
	needle, folded := pager.Fold(v.query), pager.Fold(text)
	var l line
	for needle != "" {
		i := strings.Index(folded, needle)
		if i < 0 {
			break
		}
		end := i + len(needle)
		l = append(l, span{text[:i], ink}, span{text[i:end], accent})
		text, folded = text[end:], folded[end:]
	}
	return append(l, span{text, ink})
}

func (v viewer) treeBody(ascii bool) []line {
	t, w := v.tree, v.textWidth()
	var lines []line
	last, end := 0, 0
	for i := t.top; i < len(t.visible) && (len(lines) < v.height || i <= t.cursor); i++ {
		at := t.visible[i]
		number, selected := "", i == t.cursor
		if n := t.rows[at].Line; n != last || selected {
			number, last = strconv.Itoa(n), n
		}
		l, ink := v.gutter(number, at, selected, ascii)
		for _, s := range treeLine(t, at, w, ascii).fit(w, ascii) {
			if s.ink == plain || ink != inkIf(selected) { // what is cited has one ink
				s.ink = ink
			}
			if s.ink != faint {
				l = append(l, v.marked(s.text, s.ink)...)
			} else {
				l = append(l, s)
			}
		}
		lines = append(lines, l)
		if selected && v.wrap { // the whole of one value at a time
			for _, text := range v.restOfRow(at, w) {
				lines = append(lines, line{{strings.Repeat(" ", v.numberWidth()+5), plain},
					{text, strong}})
			}
			end = len(lines)
		}
	}
	return from(lines, max(end-v.height, 0))
}

// restOfRow is what of a long value the row itself has no room for.
func (v viewer) restOfRow(at, w int) []string {
	full := treeLine(v.tree, at, w, v.ascii).String()
	if width(full) <= w {
		return nil
	}
	cut := strings.TrimSuffix(clip(full, w, v.ascii), ellipsis(v.ascii))
	indent := min(2*v.tree.rows[at].Depth+2, w/2)
	var rest []string
	for _, s := range (fileLine{pieces: []linePiece{{full[len(cut):],
		width(full[len(cut):])}}}).rows(w-indent, v.height-1) {
		rest = append(rest, strings.Repeat(" ", indent)+s)
	}
	return rest
}

// foot is the viewer's last line: what is typed, what came of the last key, or
// what a finding says of the line, and where in the file that is.
func (v viewer) foot(ascii bool) line {
	right := line{{v.position(), faint}, {" ", plain}}
	var left line
	switch {
	case v.prompt:
		left = typedLine(" /", v.typed, v.width-6, ascii)
	case v.stop != nil:
		before, after, _ := strings.Cut(v.T("searching for %s %s (esc stops)", "\x00",
			ellipsis(ascii)), "\x00")
		left = line{{" " + before, accent}, {show(v.query, ascii), strong}, {after, accent}}
	case v.status != "":
		left = line{{" " + show(v.status, ascii), accent}}
	default:
		at := v.seen.cursor
		if v.inTree() {
			at = v.tree.row()
		}
		if c, ok := v.citeAt(at); ok {
			left = line{{" " + symbol(c.status, ascii) + " " + v.Status(c.status) + "  ",
				inkOf(c.status)}, {show(c.message, ascii), plain}}
		}
	}
	room := v.width - right.width() - 2
	if v.width < wordsFrom && len(left) > 0 { // there is no room for both
		return left.fit(v.width, ascii)
	}
	return apart(append(left.fit(room, ascii), span{"", plain}), right, v.width)
}

// position is where the cursor is, and how much of the file is read.
func (v viewer) position() string {
	s := v.state
	progress := ""
	if !s.Done {
		progress = v.T("reading %s", evidence.SizeText(s.Read))
		if s.Size > 0 {
			progress = v.T("reading %s of %s", evidence.SizeText(s.Read), evidence.SizeText(s.Size))
		}
	}
	switch {
	case v.inTree():
		return v.T("line %d of %d", v.tree.rows[v.tree.row()].Line, s.Lines)
	case v.win.tail:
		return v.T("the end, counting lines, %s", progress)
	case !s.Done:
		return v.T("line %d, %s", v.seen.cursor+1, progress)
	case v.left > 0:
		return v.T("line %d of %d, column %d", v.seen.cursor+1, s.Lines, v.left+1)
	}
	return v.T("line %d of %d", min(v.seen.cursor+1, s.Lines), s.Lines)
}

// longest is the width of the longest line that is seen.
func (v viewer) longest() int {
	n := 0
	for at := v.seen.top; at < v.seen.top+v.height; at++ {
		if i := at - v.win.from; i >= 0 && i < len(v.win.lines) {
			n = max(n, v.win.lines[i].width())
		}
	}
	return n
}

// linesOnScreen is how many lines fill the screen from one on, downwards with the step 1 and upwards
// with -1.
func (v viewer) linesOnScreen(from, step int) int {
	n := 0
	for rows := 0; rows < v.height && from >= 0 && from < v.count(); n++ {
		rows += v.rowsAt(from)
		from += step
	}
	return n
}

// rowsAt is how many rows of the screen a line takes.
func (v viewer) rowsAt(at int) int {
	if i := at - v.win.from; v.wrap && i >= 0 && i < len(v.win.lines) {
		return len(v.win.lines[i].rows(v.textWidth(), v.height))
	}
	return 1
}
