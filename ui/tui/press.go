package tui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// apiece parts keys that were read in one go, as a held key over a slow line is.
// What is typed or pasted into the filter belongs together.
func apiece(k tea.KeyMsg, typing bool) []tea.KeyMsg {
	if k.Type != tea.KeyRunes || typing || k.Paste || len(k.Runes) < 2 {
		return []tea.KeyMsg{k}
	}
	var list []tea.KeyMsg
	for _, r := range k.Runes {
		list = append(list, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: k.Alt})
	}
	return list
}

// pressAll is keys one after the other, each on what the one before it left.
func (m model) pressAll(list []tea.KeyMsg) (model, effect) {
	var all effect
	for i, k := range list {
		if i > 0 {
			m = m.settled()
		}
		var do effect
		if m, do = m.press(k); do.quit || len(list) == 1 {
			return m, do
		}
		m.heard(&m.status, &do)
		if !do.none() {
			all.also = append(all.also, do)
		}
	}
	return m, all
}

// press is what a key does.
func (m model) press(k tea.KeyMsg) (model, effect) {
	m.status = ""
	if k.Type == tea.KeyCtrlC { // always
		return m, effect{quit: true}
	}
	if m.typing {
		m.touched = true
		return m.typed(k), effect{}
	}
	over, is := m.over()
	if is && over.typing() {
		return m.pressOver(k)
	}
	switch {
	case key.Matches(k, keys.leave):
		return m, effect{quit: true, report: true}
	case m.help:
		m.helpAt, m.help = inHelp(k, m.helpAt, m.layout().body)
		return m, effect{}
	case key.Matches(k, keys.help):
		m.help, m.helpAt = true, 0
		return m, effect{}
	}
	if m, do, ok := m.pressAnywhere(k); ok {
		return m, do
	}
	if key.Matches(k, keys.palette) {
		return m.push(newPalette(m))
	}
	if m.began {
		for _, p := range places {
			if key.Matches(k, p.key) {
				return m.open(p.open(m.env()))
			}
		}
	}
	switch {
	case key.Matches(k, keys.again):
		return m.again()
	case is:
		return m.pressOver(k)
	case key.Matches(k, keys.quit) && m.detail:
		return m.back(), effect{}
	case key.Matches(k, keys.quit):
		return m, effect{quit: true}
	}
	m.touched = true
	if key.Matches(k, keys.copy) {
		return m, m.copyFix(m.result())
	}
	return m.pressed(k)
}

// pressAnywhere takes the keys that do the same on every screen, unless a screen
// has a use of its own for them.
func (m model) pressAnywhere(k tea.KeyMsg) (model, effect, bool) {
	if over, is := m.over(); is && key.Matches(k, over.bindings()...) {
		return m, effect{}, false
	}
	var do effect
	switch {
	case key.Matches(k, keys.watch):
		m, do = m.pressWatch()
	case key.Matches(k, keys.mouse):
		m, do = m.pressMouse()
	case key.Matches(k, keys.line):
		do = m.copyLine()
	case key.Matches(k, keys.redraw):
		do = effect{redraw: true}
	case key.Matches(k, keys.suspend):
		do = effect{suspend: true}
	default:
		return m, do, false
	}
	return m, do, true
}

func (m model) pressed(k tea.KeyMsg) (model, effect) {
	if n, ok := m.steps(k); ok {
		if m.detail {
			m.scroll = max(m.scroll+n, 0)
			return m, effect{}
		}
		return m.move(n), effect{}
	}
	switch {
	case key.Matches(k, keys.enter, keys.fold):
		return m.enter(key.Matches(k, keys.enter))
	case key.Matches(k, keys.focus):
		if !m.layout().wide {
			return m.enter(true)
		}
		m.detail = !m.detail && m.cursor >= 0
	case key.Matches(k, keys.back):
		m = m.back()
	case key.Matches(k, keys.filter):
		m.typing, m.detail = true, false
	case key.Matches(k, keys.wrong):
		m.view.wrong, m.detail = !m.view.wrong, false
		if !m.view.wrong {
			m = m.unfoldedAt()
		}
	}
	return m, effect{}
}

// steps turns a key of motion into lines.
func (m model) steps(k tea.KeyMsg) (int, bool) {
	l := m.layout()
	page := l.body
	if !m.detail {
		page = l.listLines()
	}
	return motion(k, page)
}

// endless is more than any file has lines on a screen, and sums of it stay in an int.
const endless = 1 << 40

// motion is how many lines a key moves where a page has so many. The ends are endless lines away:
// what moves stops there.
func motion(k tea.KeyMsg, page int) (n int, ok bool) {
	n, _, ok = stride(k, page)
	return n, ok
}

// stride is motion, and says whether the view moves with the cursor.
func stride(k tea.KeyMsg, page int) (n int, paged, ok bool) {
	for _, s := range []struct {
		up, down key.Binding
		lines    int
		paged    bool
	}{
		{keys.up, keys.down, 1, false}, {keys.top, keys.bottom, endless, false},
		{keys.pageUp, keys.pageDown, max(page-1, 1), true},
		{keys.halfUp, keys.halfDown, max(page/2, 1), true},
	} {
		switch {
		case key.Matches(k, s.up):
			return -s.lines, s.paged, true
		case key.Matches(k, s.down):
			return s.lines, s.paged, true
		}
	}
	return 0, false, false
}

func (m model) enter(opens bool) (model, effect) {
	r, ok := m.selected()
	switch {
	case !ok:
	case r.folds():
		return m.toggle(r), effect{}
	case opens && r.kind == rowErrors:
		return m.open(newErrors(m.env()))
	case opens:
		return m.open(newDetail(r.id))
	}
	return m, effect{}
}

// back undoes one thing: the detail, then the filter, then f.
func (m model) back() model {
	switch {
	case m.detail:
		m.detail = false
	case m.view.filter != "":
		m.view.filter = ""
		m = m.unfoldedAt()
	case m.view.wrong:
		m.view.wrong = false
		m = m.unfoldedAt()
	}
	return m
}

// unfoldedAt opens the folds around the selected row, so that the cursor stays on it when a filter
// is cleared. A row that nobody selected is not looked for.
func (m model) unfoldedAt() model {
	if m.at.id == "" || m.at.kind != rowCheck || m.cursor < 0 {
		return m
	}
	return m.followed()
}

// typed is what a key does while the filter is being written.
func (m model) typed(k tea.KeyMsg) model {
	if k.Type == tea.KeyUp || k.Type == tea.KeyDown {
		n, _ := motion(k, 1)
		return m.move(n)
	}
	before := m.view.filter
	m.view.filter, m.typing, _ = typedText(before, k, maxFilter)
	if m.view.filter == "" && before != "" {
		m = m.unfoldedAt()
	}
	return m
}

// wheelLines is how far one notch of the wheel goes.
const wheelLines = 3

// A clicker is a screen that takes clicks, on a line of its body.
type clicker interface {
	click(e env, y int) (screen, effect)
}

func (m model) pressMouse() (model, effect) {
	m.mouse = !m.mouse
	if m.status = m.T("the mouse is the terminal's again"); m.mouse {
		m.status = m.T("mouse on: the wheel scrolls, a click selects; m turns it off")
	}
	return m, effect{mouse: true, mouseOn: m.mouse}
}

// pointed is what the mouse did: the wheel is as many keys, so that every screen knows it.
func (m model) pointed(e tea.MouseMsg) (model, effect) {
	switch {
	case e.Action != tea.MouseActionPress:
	case e.Button == tea.MouseButtonWheelUp, e.Button == tea.MouseButtonWheelDown:
		k := tea.KeyMsg{Type: tea.KeyDown}
		if e.Button == tea.MouseButtonWheelUp {
			k.Type = tea.KeyUp
		}
		return m.pressAll(slices.Repeat([]tea.KeyMsg{k}, wheelLines))
	case e.Button == tea.MouseButtonLeft:
		return m.clicked(e.X, e.Y-len(header(m))-1)
	}
	return m, effect{}
}

// clicked is a click at a place of the body: it selects, and opens what is selected.
func (m model) clicked(x, y int) (model, effect) {
	l := m.layout()
	if y < 0 || y >= l.body || m.help || m.typing {
		return m, effect{}
	}
	m.status, m.touched = "", true
	if over, is := m.over(); is {
		if c, can := over.(clicker); can {
			s, do := c.click(m.env(), y)
			return m.ran(len(m.layers)-1, s, do)
		}
		return m, effect{}
	}
	if l.wide && x > l.list {
		m.detail = m.cursor >= 0
		return m, effect{}
	}
	at := m.top + y
	if y >= l.listLines() || at >= len(m.rows) {
		return m, effect{}
	}
	at = cardHead(m.rows, at)
	switch {
	case !m.rows[at].selectable():
	case at == m.cursor:
		return m.enter(true)
	default:
		m.detail = false
		m = m.selectRow(at)
	}
	return m, effect{}
}
