package tui

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
)

// keys are all keys of the screen; the help draws their help texts.
var keys = struct {
	up, down, top, bottom, pageUp, pageDown, halfUp, halfDown key.Binding
	enter, fold, back, focus, filter, wrong, copy, line       key.Binding
	again, watch, palette, mouse, redraw, suspend             key.Binding
	help, quit, leave, wayBack, evidence                      key.Binding
}{
	up:       bind("up k", "one line up"),
	down:     bind("down j", "one line down"),
	top:      bind("g home", "to the first line"),
	bottom:   bind("G end", "to the last line"),
	pageUp:   bind("pgup ctrl+b", "one page up"),
	pageDown: bind("pgdown ctrl+f", "one page down"),
	halfUp:   bind("ctrl+u", "half a page up"),
	halfDown: bind("ctrl+d", "half a page down"),
	enter:    bind("enter", "open the check, or fold the group"),
	fold:     bind("space", "fold or unfold the group"),
	back:     bind("esc", "back, or clear the filter and f"),
	focus:    bind("tab", "switch between list and detail"),
	filter:   bind("/", "filter as you type; ! inverts"),
	wrong:    bind("f", "only what is wrong: fail and warn"),
	copy:     bind("c", "copy the commands of the fix"),
	line:     bind("y", "copy the selected line"),
	palette:  bind(":", "all actions and checks; in a file also :LINE"),
	again:    bind("r", "read the node again, and mark what changed"),
	watch:    bind("w", "watch: read again every 10, 30, 60 s; off"),
	mouse:    bind("m", "mouse on or off: wheel scrolls, click selects"),
	redraw:   bind("ctrl+l", "redraw the screen"),
	suspend:  bind("ctrl+z", "suspend"),
	help:     bind("?", "this help"),
	quit:     bind("q", "back; on the overview quit"),
	leave:    bind("Q", "quit, and leave the report on the terminal"),
	wayBack:  bind("backspace", "back the way you came"),
	evidence: bind("enter", "open the evidence at its line"),
}

// bind makes a binding of key names parted by spaces.
func bind(names, does string) key.Binding {
	list := strings.Fields(names)
	if i := slices.Index(list, "space"); i >= 0 {
		list[i] = " " // bubbletea's name of it
	}
	return key.NewBinding(key.WithKeys(list...), key.WithHelp(names, does))
}

// suspends says that a program can be stopped and brought back.
const suspends = runtime.GOOS != "windows"

// actionKeys are what a user can do, the most useful first; a recording is not read again.
func actionKeys(live bool) []key.Binding {
	var list []key.Binding
	for _, p := range places {
		list = append(list, p.key)
	}
	list = append(list, keys.copy)
	if live {
		list = append(list, keys.again, keys.watch)
	}
	list = append(list, keys.line, keys.enter, keys.filter, keys.wrong, keys.palette, keys.help,
		keys.back, keys.quit, keys.leave, keys.mouse, keys.redraw)
	if suspends {
		list = append(list, keys.suspend)
	}
	return list
}

// moveKeys move the cursor, and fold.
func moveKeys() []key.Binding { return append(scrollKeys(), keys.fold, keys.focus) }

// scrollKeys move the cursor.
func scrollKeys() []key.Binding {
	return []key.Binding{keys.up, keys.down, keys.top, keys.bottom, keys.halfUp, keys.halfDown,
		keys.pageUp, keys.pageDown}
}

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
