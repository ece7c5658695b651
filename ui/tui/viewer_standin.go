package tui

import (
	"fmt"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// newViewer stands in for the evidence viewer until that is there.
func newViewer(path string, line int) screen { return viewerStandIn{path, line} }

type viewerStandIn struct {
	path string
	line int
}

func (v viewerStandIn) title() string                               { return v.path }
func (v viewerStandIn) hints() []hint                               { return nil }
func (v viewerStandIn) bindings() []key.Binding                     { return nil }
func (v viewerStandIn) typing() bool                                { return false }
func (v viewerStandIn) receive(e env, msg tea.Msg) (screen, effect) { return v, effect{} }
func (v viewerStandIn) settled(e env) screen                        { return v }
func (v viewerStandIn) press(e env, k tea.KeyMsg) (screen, effect) {
	return v, effect{back: key.Matches(k, keys.back, keys.quit)}
}

func (v viewerStandIn) body(e env) []line {
	return []line{{{show(fmt.Sprintf("%s:%d", v.path, v.line), e.ascii), plain}}}
}
