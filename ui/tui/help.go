package tui

import (
	"fmt"
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
)

// helpLines are all keys and signs, in as many lines as it takes: first what can be done here, and
// the keys of movement last, which most users know.
func helpLines(m model) []line {
	p := page{width: max(m.width-2, 2), voice: m.voice}
	if s, ok := m.over(); ok {
		keyLines(&p, p.T("Keys of this screen"), s.bindings())
		keyLines(&p, p.T("Keys of the overview and of all screens"), actionKeys(m.live))
	} else {
		keyLines(&p, p.T("What you can do"), actionKeys(m.live))
	}
	keyLines(&p, p.T("Move"), moveKeys())
	p.heading(p.T("Signs"))
	signs := byWeight
	if m.live {
		signs = slices.Concat(byWeight, []checks.Status{StatusReading, StatusWaiting})
	}
	for _, s := range signs {
		p.led(span{"  " + symbol(s, m.ascii) + " " + padded(p.Status(s), 13), inkOf(s)},
			p.Word(meaning[s]), plain)
	}
	if m.live {
		p.led(span{"  * " + padded(p.T("changed"), 13), accent},
			p.T("another verdict than before the node was read again"), plain)
	}
	return p.lines
}

func keyLines(p *page, heading string, list []key.Binding) {
	p.heading(heading)
	for _, b := range list {
		h := b.Help()
		p.led(span{fmt.Sprintf("  %-14s ", h.Key), accent}, p.Word(h.Desc), plain)
	}
}

// inHelp is what a key does in the help, of which a page has so many lines: it scrolls, or closes it.
func inHelp(k tea.KeyMsg, at, page int) (now int, open bool) {
	n, scrolls := motion(k, page)
	return at + n, scrolls || !key.Matches(k, keys.help, keys.back, keys.quit, keys.enter)
}

var meaning = map[checks.Status]string{
	checks.StatusFail:    "a fault",
	checks.StatusWarn:    "a risk, or a smaller fault",
	checks.StatusInfo:    "normal on Windows, or a known regression",
	checks.StatusPass:    "checked, no fault found",
	checks.StatusUnknown: "could not run; the check shows why",
	checks.StatusSkip:    "does not apply to this node",
	StatusReading:        "no verdict yet: its evidence is being read",
	StatusWaiting:        "no verdict yet: it waits for its evidence",
}
