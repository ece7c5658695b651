package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks/netmap"
)

// mapScreen draws the network of the node as a tree: adapter, vSwitch, HNS networks, endpoints and
// pods, and below them each Service with its VIPs, load balancers and backends. What is missing or
// wrong stands where it belongs.
type mapScreen struct {
	drawn netmap.Map
	top   int
}

func newMap(e env) screen { return mapScreen{drawn: netmap.Of(e.evidence, e.english)} }

func (s mapScreen) title(e env) string { return e.T("Network map") }

func (s mapScreen) hints() []hint { return []hint{{"n", "next", 2}} }

var nextOnMap = bind("n", "to the next thing that is missing or wrong")

func (s mapScreen) bindings() []key.Binding { return []key.Binding{nextOnMap, keys.wayBack} }

func (s mapScreen) typing() bool { return false }

func (s mapScreen) receive(e env, msg tea.Msg) (screen, effect) {
	if u, is := msg.(Update); is && u.Done {
		s.drawn = netmap.Of(e.evidence, e.english)
	}
	return s, effect{}
}

func (s mapScreen) press(e env, k tea.KeyMsg) (screen, effect) {
	if n, ok := motion(k, max(e.height-1, 1)); ok {
		s.top += n
		return s, effect{}
	}
	switch {
	case key.Matches(k, keys.back, keys.quit, keys.wayBack):
		return s, effect{back: true}
	case key.Matches(k, nextOnMap):
		_, marked := s.lines(e)
		if len(marked) > 0 {
			i := slices.IndexFunc(marked, func(at int) bool { return at > s.top })
			s.top = marked[max(i, 0)]
		}
	}
	return s, effect{}
}

func (s mapScreen) settled(e env) screen {
	lines, _ := s.lines(e)
	s.top = clamp(s.top, len(lines)-e.height)
	return s
}

func (s mapScreen) body(e env) []line {
	lines, _ := s.lines(e)
	return lines[clamp(s.top, len(lines)):]
}

// lines are the whole map, and the places of what is marked in it.
func (s mapScreen) lines(e env) (lines []line, marked []int) {
	p := page{width: min(e.width-2, readable), voice: e.voice}
	var draw func(b *netmap.Box, depth int)
	draw = func(b *netmap.Box, depth int) {
		indent := " " + strings.Repeat("  ", depth)
		for _, policy := range b.Edge {
			if policy.State != "" {
				marked = append(marked, len(p.lines))
				p.text(indent+"| ", policy.Text+": "+e.Word(string(policy.State)), inkFail)
				continue
			}
			p.text(indent+"| ", policy.Text, faint)
		}
		text := b.Kind
		if b.Name != "" {
			text += "  " + b.Name
		}
		if b.State == "" {
			p.text(indent, text, plain)
		} else {
			marked = append(marked, len(p.lines))
			p.text(indent+"! ", text+": "+e.Word(string(b.State)), inkFail)
			if b.Note != "" {
				p.text(indent+"  ", b.Note, plain)
			}
		}
		for _, in := range b.Inside {
			draw(in, depth+1)
		}
		if b.More > 0 {
			p.text(indent+"  ", e.T("and %d more", b.More), faint)
		}
	}
	for i, boxes := range [][]*netmap.Box{s.drawn.Network, s.drawn.Services} {
		if i > 0 && len(boxes) > 0 && len(p.lines) > 0 {
			p.lines = append(p.lines, line{})
		}
		for _, b := range boxes {
			draw(b, 0)
		}
	}
	if len(p.lines) == 0 {
		p.text(" ", e.T("The evidence shows no network: no adapters, HNS networks or Services were read."), plain)
	}
	return p.lines, marked
}
