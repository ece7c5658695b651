package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"
)

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
