package tui

import (
	"context"
	"io"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// A base is a screen that no overview lies below: that of a fleet, or of a comparison. It also says
// when the program ends.
type base interface {
	screen
	header(e env) []line // baseHeader lines above the rule
	typed(e env) line    // what is being typed, in the footer
	counts(e env) string // the last line
}

// baseHeader is how many lines a base has above its rule.
const baseHeader = 2

// A host has the terminal for a base: it takes the keys and draws the frame that all bases share.
type host struct {
	voice
	theme         string
	base          base
	width, height int
	help          bool
	helpAt        int
	status        string // the answer to the last key, until the next
}

func newHost(b base, opt Options) host {
	return host{voice: newVoice(opt), theme: opt.Theme, base: b, width: opt.Width,
		height: opt.Height}.settled()
}

func (h host) env() env {
	return env{voice: h.voice, width: h.width,
		height: max(h.height-baseHeader-1-footerLines, 0)}
}

func (h host) settled() host {
	h.base = h.base.settled(h.env()).(base)
	h.helpAt = clamp(h.helpAt, len(h.helpLines())-h.env().height)
	return h
}

func (h host) update(msg tea.Msg) (host, effect) {
	var do effect
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		h.width, h.height = sizeOf(msg)
	case answer:
		h, do = h.did(h.base.receive(h.env(), msg.msg))
	case tea.KeyMsg:
		for _, k := range apiece(msg, h.base.typing()) {
			if h, do = h.press(k); !do.none() {
				break
			}
			h = h.settled()
		}
	}
	return h.settled(), do
}

// did takes the new value of the base.
func (h host) did(s screen, do effect) (host, effect) {
	h.base = s.(base)
	h.heard(&h.status, &do)
	return h, do
}

func (h host) press(k tea.KeyMsg) (host, effect) {
	h.status = ""
	switch {
	case k.Type == tea.KeyCtrlC:
		return h, effect{quit: true}
	case h.base.typing():
	case key.Matches(k, keys.leave):
		return h, effect{quit: true, report: true}
	case key.Matches(k, keys.redraw):
		return h, effect{redraw: true}
	case key.Matches(k, keys.suspend):
		return h, effect{suspend: true}
	case h.help:
		h.helpAt, h.help = inHelp(k, h.helpAt, h.env().height)
		return h, effect{}
	case key.Matches(k, keys.help):
		h.help, h.helpAt = true, 0
		return h, effect{}
	}
	return h.did(h.base.press(h.env(), k))
}

func (h host) helpLines() []line {
	p := page{width: max(h.width-2, 2), voice: h.voice}
	list := append(h.base.bindings(), keys.help, keys.quit, keys.leave, keys.redraw)
	if suspends {
		list = append(list, keys.suspend)
	}
	keyLines(&p, p.T("Keys of this screen"), list)
	keyLines(&p, p.T("Move"), scrollKeys())
	return p.lines
}

func (h host) frame() ([]line, int) { return h.draw(), h.width }

// draw is the whole screen: exactly h.height lines, none wider than h.width.
func (h host) draw() []line {
	return framed(h.width, h.height, h.voice, func() []line {
		e := h.env()
		title, body := h.base.title(e), h.base.body
		if h.help {
			title = h.T("help")
			body = func(env) []line { return indented(h.helpLines(), h.helpAt) }
		}
		lines := append(exactly(h.base.header(e), baseHeader), rule(title, h.width, h.ascii))
		return append(append(lines, exactly(body(e), e.height)...), h.footer(e)...)
	})
}

func (h host) footer(e env) []line {
	talk := line{{" ", plain}}
	switch {
	case h.base.typing():
		talk = append(talk, h.base.typed(e)...)
	case h.status != "":
		talk = append(talk, span{show(h.status, h.ascii), accent})
	case h.help:
		talk = append(talk, hints(helpHints(), h.width-2, h.voice)...)
	default:
		list := append(h.base.hints(), hint{"?", "help", 0}, hint{"q", "quit", 0})
		talk = append(talk, hints(list, h.width-2, h.voice)...)
	}
	counts := clip(show(h.base.counts(e), h.ascii), h.width-2, h.ascii)
	return []line{talk, {{" " + counts, faint}}}
}

// run shows the host until the user leaves, and says whether the report is to stay on the terminal.
func (h host) run(ctx context.Context, in io.Reader, out io.Writer) (host, bool, error) {
	h.width, h.height = sizeAt(out, h.width, h.height)
	p := programOf[host]{model: h.settled(), outside: newOutside(out, h.theme, nil)}
	if s, ok := h.base.(starter); ok {
		p.first = effect{task: s.start(h.env())}
	}
	p, err := p.run(ctx, in)
	return p.model, p.report, err
}
