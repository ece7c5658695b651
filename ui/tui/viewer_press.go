package tui

import (
	"strings"
	"sync/atomic"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/ui/pager"
)

// sideways is how far a line scrolls to the side with one key.
const sideways = 16

func (v viewer) press(e env, k tea.KeyMsg) (screen, effect) {
	v.status = ""
	if v.prompt {
		return v.pressInPrompt(k)
	}
	if key.Matches(k, keys.back, keys.quit) {
		return v.back()
	}
	if v.file == nil {
		return v, effect{}
	}
	switch vk := viewerKeys; {
	case key.Matches(k, vk.search):
		v.prompt, v.typed = true, ""
	case key.Matches(k, vk.next):
		return v.search(false, false)
	case key.Matches(k, vk.previous):
		return v.search(true, false)
	case key.Matches(k, vk.cited, vk.citedUp):
		v = v.toCited(key.Matches(k, vk.citedUp))
	case key.Matches(k, vk.asText):
		v = v.turned()
	case key.Matches(k, vk.wrap):
		v.wrap, v.left = !v.wrap, 0
	case v.inTree():
		v.tree = v.pressInTree(k)
	default:
		return v.pressInText(k)
	}
	return v.next()
}

// back ends the search that runs, or the viewer.
func (v viewer) back() (screen, effect) {
	if stop := v.stop; stop != nil {
		v.stop, v.status = nil, v.T("search stopped")
		return v, effect{task: func() tea.Msg { stop.Store(true); return nil }}
	}
	do := effect{back: true}
	if v.file != nil {
		do.task = closeTask(v.file)
	}
	return v, do
}

func (v viewer) toCited(back bool) viewer {
	at, ok := v.nextCited(back)
	switch {
	case !ok && len(v.cites) > 0:
		v.status = v.T("findings cite this file, and no line of it")
	case !ok:
		v.status = v.T("no finding cites this file")
	default:
		v = v.goTo(at)
	}
	return v
}

// goTo goes to a row of the tree, or a line of the file, from 0.
func (v viewer) goTo(at int) viewer {
	if v.inTree() {
		v.tree = v.tree.show(at, v.height)
		return v
	}
	if !v.state.Done && at >= v.state.Lines-1 { // as soon as it is known
		v.waitFor, v.follow = at+1, false
		return v
	}
	return v.jump(at)
}

// turned shows the tree, or the file's own lines, at the same place.
func (v viewer) turned() viewer {
	if v.tree == nil {
		v.status = v.T("this file is not JSON")
		return v
	}
	v.left = 0
	if v.asText = !v.asText; v.asText {
		return v.goTo(v.tree.rows[v.tree.row()].Line - 1)
	}
	return v
}

func (v viewer) pressInTree(k tea.KeyMsg) *treeView {
	n, page, ok := stride(k, v.height)
	switch vk := viewerKeys; {
	case ok && page:
		return v.tree.page(n)
	case ok:
		return v.tree.move(n)
	case key.Matches(k, vk.fold):
		return v.tree.toggle()
	case key.Matches(k, vk.left):
		return v.tree.fold()
	case key.Matches(k, vk.right):
		return v.tree.unfold()
	case key.Matches(k, vk.all):
		return v.tree.all(false)
	case key.Matches(k, vk.none):
		return v.tree.all(true)
	}
	return v.tree
}

func (v viewer) pressInText(k tea.KeyMsg) (screen, effect) {
	n, page, ok := stride(k, v.height)
	switch {
	case ok && n == endless && !v.state.Done:
		v.follow, v.waitFor = true, 0
		v.cursor = max(v.count()-1, 0)
		return v, effect{task: tailTask(v.file, v.ascii)}
	case ok && n == -endless:
		v = v.jump(0)
	case ok:
		v.follow, v.waitFor = false, 0
		if page && v.wrap { // lines that are broken fill the screen sooner
			n = min(max(n, -max(v.linesOnScreen(v.top-1, -1), 1)), max(v.linesOnScreen(v.top, 1)-1, 1))
		}
		if v.cursor = max(v.cursor+n, 0); page {
			v.top = max(v.top+n, 0)
		}
	case key.Matches(k, viewerKeys.left):
		v.left = max(v.left-sideways, 0)
	case key.Matches(k, viewerKeys.right) && !v.wrap:
		if v.longest() > v.left+v.textWidth() {
			v.left += sideways
		}
	}
	return v.next()
}

// atTail shows the end of the file, whose numbers are not known yet.
func (v viewer) atTail() viewer {
	v.follow = false
	v.cursor = len(v.win.lines) - 1
	v.top = max(v.cursor-v.height+1, 0)
	return v
}

// pressInPrompt is what a key does while a text is typed.
func (v viewer) pressInPrompt(k tea.KeyMsg) (screen, effect) {
	v.typed, v.prompt, _ = typedText(v.typed, k, maxFilter)
	if k.Type == tea.KeyEnter {
		if v.typed != "" {
			v.query, v.across = v.typed, false
		}
		return v.search(false, true)
	}
	return v.next()
}

// toLine goes to a line by its number, from 1.
func (v viewer) toLine(n int) (screen, effect) {
	switch {
	case v.file == nil:
	case v.inTree():
		if row := v.tree.atLine(n); row >= 0 {
			v = v.goTo(row)
		}
	default:
		v = v.goTo(n - 1)
	}
	return v.next()
}

// search looks for the text from the cursor on; here says that the line under
// the cursor counts too.
func (v viewer) search(back, here bool) (screen, effect) {
	if v.query == "" {
		v.status = v.T("search for something first, with /")
		return v, effect{}
	}
	if v.stop != nil {
		v.status = v.T("still searching; esc stops it")
		return v, effect{}
	}
	at := v.cursor
	if v.inTree() {
		at = v.tree.row()
	}
	if !here {
		at++
		if back {
			at -= 2
		}
	}
	v.backwards = back
	if v.across && back && !v.inTree() && at < 0 {
		return v, effect{nextFile: true, nextBack: true}
	}
	v.stop = &atomic.Bool{}
	if v.inTree() {
		return v, effect{task: searchTreeTask(v.tree.rows, v.stop,
			pager.Query{Text: v.query, From: at, Back: back})}
	}
	q, atEnd := pager.Query{Text: v.query, From: at + 1, Back: back}, v.win.tail
	if atEnd {
		q.From = 1
		if back {
			q.From = endless
		}
	}
	if q.From < 1 { // above the first line comes the last
		q.From, atEnd = endless, true
	}
	return v, effect{task: searchTask(v.file, v.stop, q, atEnd, !v.across)}
}

func (v viewer) takeFound(f fileFound) viewer {
	if !f.tree {
		v = v.progressed(f.state)
	}
	switch {
	case f.err != nil:
		v.status = v.T("the search broke off: %v", f.err)
	case f.line == 0:
		v.status = v.T("not found: %s", v.query)
	case f.tree != v.inTree():
	default:
		if f.wrapped {
			v.status = v.T("found beyond the other end of the file")
		}
		v = v.goTo(f.line - 1)
		v.reveal = true
	}
	return v
}

// revealed scrolls to the side where what was found lies there.
func (v viewer) revealed() viewer {
	i := v.cursor - v.win.from
	if !v.reveal || v.waitFor > 0 || i < 0 || i >= len(v.win.lines) {
		return v
	}
	v.reveal = false
	l := v.win.lines[i]
	text := l.from(0, l.width())
	at := strings.Index(pager.Fold(text), pager.Fold(v.query))
	if at < 0 || v.wrap {
		return v
	}
	from, to := width(text[:at]), width(text[:at+len(v.query)])
	if w := v.textWidth(); from < v.left || to > v.left+w-1 {
		v.left = max(from-w/3, 0)
		if to < w {
			v.left = 0
		}
	}
	return v
}
