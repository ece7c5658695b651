package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// detailScreen is one check in full.
type detailScreen struct {
	id  string
	top int
}

func newDetail(id string) screen { return detailScreen{id: id} }

func (s detailScreen) title() string           { return s.id }
func (s detailScreen) typing() bool            { return false }
func (s detailScreen) hints() []hint           { return []hint{{"j k", "scroll", 1}} }
func (s detailScreen) bindings() []key.Binding { return nil }

func (s detailScreen) press(e env, k tea.KeyMsg) (screen, effect) {
	if n, ok := screenMotion(k, e.height); ok {
		s.top = max(s.top+n, 0)
	} else if key.Matches(k, keys.back, keys.quit) {
		return s, effect{back: true}
	}
	return s, effect{}
}

func (s detailScreen) receive(env, tea.Msg) (screen, effect) { return s, effect{} }

func (s detailScreen) settled(e env) screen {
	s.top = clamp(s.top, len(s.lines(e))-e.height)
	return s
}

func (s detailScreen) body(e env) []line { return indented(s.lines(e), s.top) }

func (s detailScreen) lines(e env) []line {
	p := page{width: min(e.width-2, readable), ascii: e.ascii}
	if res := e.report.Result(s.id); res != nil {
		resultDetail(&p, e.report, res)
	}
	return p.lines
}
