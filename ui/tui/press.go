package tui

import (
	"math"
	"unicode/utf8"

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
		if do.say != "" {
			m.status, do.say = m.Word(do.say), ""
		}
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
		if key.Matches(k, keys.quit) {
			m.help = false
			return m, effect{}
		}
		return m.pressInHelp(k), effect{}
	case key.Matches(k, keys.help):
		m.help, m.helpAt = true, 0
		return m, effect{}
	}
	if m, do, ok := m.pressAnywhere(k); ok {
		return m, do
	}
	if key.Matches(k, keys.palette) {
		return m.push(newPalette(m)), effect{}
	}
	if m.began {
		for _, p := range places {
			if key.Matches(k, p.key) {
				return m.open(p.open(m.env()))
			}
		}
	}
	if is {
		if key.Matches(k, keys.again) {
			return m.again()
		}
		return m.pressOver(k)
	}
	if key.Matches(k, keys.quit) {
		if m.detail {
			return m.back(), effect{}
		}
		return m, effect{quit: true}
	}
	if key.Matches(k, keys.again) {
		return m.again()
	}
	m.touched = true
	if key.Matches(k, keys.copy) {
		res, ok := m.result()
		if !ok {
			return m, m.copyFix(nil)
		}
		return m, m.copyFix(&res)
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

// steps turns a key of motion into lines. The ends are far away: what moves
// stops there. A list holds less than this, and sums of it stay in an int.
func (m model) steps(k tea.KeyMsg) (int, bool) {
	l := m.layout()
	page := l.body
	if !m.detail && !m.help {
		page = l.listLines()
	}
	return motion(k, page)
}

// motion is how many lines a key moves where a page has so many.
func motion(k tea.KeyMsg, page int) (int, bool) {
	const far = math.MaxInt32 / 2
	switch {
	case key.Matches(k, keys.up):
		return -1, true
	case key.Matches(k, keys.down):
		return 1, true
	case key.Matches(k, keys.top):
		return -far, true
	case key.Matches(k, keys.bottom):
		return far, true
	case key.Matches(k, keys.pageUp):
		return -max(page-1, 1), true
	case key.Matches(k, keys.pageDown):
		return max(page-1, 1), true
	case key.Matches(k, keys.halfUp):
		return -max(page/2, 1), true
	case key.Matches(k, keys.halfDown):
		return max(page/2, 1), true
	}
	return 0, false
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

func (m model) pressInHelp(k tea.KeyMsg) model {
	if n, ok := m.steps(k); ok {
		m.helpAt = max(m.helpAt+n, 0)
	} else if key.Matches(k, keys.help, keys.back, keys.enter) {
		m.help = false
	}
	return m
}

// maxFilter is more than anyone types, and less than a pasted log.
const maxFilter = 200

// typed is what a key does while the filter is being written.
func (m model) typed(k tea.KeyMsg) model {
	f := m.view.filter
	switch k.Type {
	case tea.KeyEnter:
		m.typing = false
	case tea.KeyEsc:
		m.typing, f = false, ""
	case tea.KeyBackspace:
		if f == "" {
			m.typing = false
		}
		_, n := utf8.DecodeLastRuneInString(f)
		f = f[:len(f)-n]
	case tea.KeyCtrlU:
		f = ""
	case tea.KeyUp:
		return m.move(-1)
	case tea.KeyDown:
		return m.move(1)
	case tea.KeyRunes, tea.KeySpace:
		if k.Alt {
			break
		}
		f += show(string(k.Runes), false)
		if r := []rune(f); len(r) > maxFilter {
			f = string(r[:maxFilter])
		}
	}
	cleared := f == "" && m.view.filter != ""
	m.view.filter = f
	if cleared {
		m = m.unfoldedAt()
	}
	return m
}
