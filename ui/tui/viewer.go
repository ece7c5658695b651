package tui

import (
	"fmt"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// viewer is a piece of evidence at a line.
type viewer struct {
	path string
	line int
}

func newViewer(path string, line int) screen { return viewer{path, line} }

func (v viewer) title() string           { return v.path }
func (v viewer) typing() bool            { return false }
func (v viewer) hints() []hint           { return nil }
func (v viewer) bindings() []key.Binding { return nil }

func (v viewer) press(e env, k tea.KeyMsg) (screen, effect) {
	return v, effect{back: key.Matches(k, keys.back, keys.quit)}
}
func (v viewer) receive(env, tea.Msg) (screen, effect) { return v, effect{} }
func (v viewer) settled(env) screen                    { return v }
func (v viewer) body(e env) []line {
	return []line{{{show(fmt.Sprintf(" %s line %d", v.path, v.line), e.ascii), plain}}}
}
