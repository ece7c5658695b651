package tui

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
	"doctor/checks/diff"
	"doctor/ui"
)

// A DiffLeave is how the user left the screen of a comparison.
type DiffLeave struct {
	Open  int  // 1 or 2: the node to show; 0 where the user is done
	Print bool // the comparison is to stay on the terminal
}

// A DiffScreen shows a comparison of two nodes side by side. It stays where the user left it to look
// at one of them.
type DiffScreen struct{ host host }

// NewDiff makes the screen. All shows what changes by itself too.
func NewDiff(c diff.Comparison, all bool, opt Options) *DiffScreen {
	return &DiffScreen{newHost(diffModel{compared: c, all: all}, opt)}
}

// Run shows the comparison until the user leaves, or opens a node.
func (s *DiffScreen) Run(ctx context.Context, in io.Reader, out io.Writer) (DiffLeave, error) {
	m := s.host.base.(diffModel)
	m.open = 0
	s.host.base = m
	last, report, err := s.host.run(ctx, in, out)
	s.host = last
	return DiffLeave{Open: last.base.(diffModel).open, Print: report}, err
}

// diffModel is what the screen of a comparison shows, as data.
type diffModel struct {
	compared diff.Comparison
	all      bool // what changes by itself too
	filter   string
	writes   bool // the filter
	top      int
	open     int
}

// How values are set: side by side where each side has room for a path or an address.
const (
	sidesFrom  = 60 // columns
	mostOfSide = 8  // lines of a value
)

var diffKeys = struct{ next, previous, all, first, second, back key.Binding }{
	next:     bind("n", "to the next fault or group"),
	previous: bind("N", "to the previous fault or group"),
	all:      bind("a", "show or hide what changes by itself"),
	first:    bind("1", "the screen of node A"),
	second:   bind("2", "the screen of node B"),
	back:     bind("esc", "clear the filter"),
}

func (m diffModel) bindings() []key.Binding {
	return []key.Binding{diffKeys.next, diffKeys.previous, diffKeys.all, diffKeys.first,
		diffKeys.second, keys.filter, diffKeys.back}
}

func (m diffModel) hints() []hint {
	list := []hint{{"n", "next", 1}, {"1", "node A", 3}, {"2", "node B", 3}, {"a", "all", 4},
		{"/", "filter", 2}}
	if m.filter != "" {
		list = slices.Insert(list, 0, hint{"esc", "clear", 1})
	}
	return list
}

func (m diffModel) typing() bool { return m.writes }

func (m diffModel) typed(e env) line { return typedLine("/", m.filter, e.width-6, e.ascii) }

func (m diffModel) receive(env, tea.Msg) (screen, effect) { return m, effect{} }

func (m diffModel) press(e env, k tea.KeyMsg) (screen, effect) {
	if m.writes {
		m.filter, m.writes, _ = typedText(m.filter, k, maxFilter)
		m.top = 0
		return m, effect{}
	}
	if n, ok := motion(k, e.height); ok {
		m.top += n
		return m, effect{}
	}
	switch {
	case key.Matches(k, keys.quit):
		return m, effect{quit: true}
	case key.Matches(k, diffKeys.back):
		m.filter, m.top = "", 0
	case key.Matches(k, keys.filter):
		m.writes = true
	case key.Matches(k, diffKeys.all):
		m.all = !m.all
	case key.Matches(k, diffKeys.first, diffKeys.second):
		m.open = 1
		if key.Matches(k, diffKeys.second) {
			m.open = 2
		}
		return m, effect{quit: true}
	case key.Matches(k, diffKeys.next):
		_, heads := m.lines(e)
		if i := slices.IndexFunc(heads, func(at int) bool { return at > m.top }); i >= 0 {
			m.top = heads[i]
		}
	case key.Matches(k, diffKeys.previous):
		_, heads := m.lines(e)
		if i, _ := slices.BinarySearch(heads, m.top); i > 0 {
			m.top = heads[i-1]
		}
	}
	return m, effect{}
}

func (m diffModel) settled(e env) screen {
	lines, _ := m.lines(e)
	m.top = clamp(m.top, len(lines)-e.height)
	return m
}

func (m diffModel) header(e env) []line {
	var lines []line
	for i, n := range []diff.Node{m.compared.A, m.compared.B} {
		lines = append(lines, line{{" " + sideName(i) + "  ", strong},
			{show(strings.Join(ui.DiffFacts(n), " · "), e.ascii), plain}})
	}
	return lines
}

func sideName(i int) string { return string("AB"[i]) }

func (m diffModel) title(e env) string {
	title := ui.DiffHeadline(m.compared, e.Catalogue)
	if title == "" {
		title = e.T("Differences (%d)", len(m.shown()))
	}
	if m.filter != "" {
		title += " · " + e.T("filter %s", m.filter)
	}
	return title
}

func (m diffModel) counts(e env) string {
	warnings := 0
	for _, v := range m.compared.Verdicts {
		if worse, _ := ui.WorseSide(v); worse == checks.StatusWarn {
			warnings++
		}
	}
	text := e.Count(len(m.compared.Verdicts)-warnings, "fault")
	if warnings > 0 {
		text += " · " + e.Count(warnings, "warning")
	}
	if hidden := len(m.compared.Differences) - len(m.shown()); hidden > 0 && m.filter == "" {
		text += " · " + e.T("%d hidden, which change by themselves", hidden)
	}
	if n := len(m.compared.Uncompared); n > 0 {
		text += " · " + e.T("not compared, because only one node has them: %d", n)
	}
	return text
}

// shown are the differences that are listed, by their places in the comparison.
func (m diffModel) shown() map[int]bool {
	shown := map[int]bool{}
	for i, d := range m.compared.Differences {
		if d.Group == diff.Rest && len(d.Explains) == 0 && !m.all {
			continue
		}
		texts := slices.Concat([]string{ui.DiffPlace(d, " "), string(d.Group)}, d.Explains, d.A, d.B)
		if holds(m.filter, texts...) {
			shown[i] = true
		}
	}
	return shown
}

func (m diffModel) body(e env) []line {
	lines, _ := m.lines(e)
	return lines[clamp(m.top, len(lines)):]
}

// lines are the whole comparison, and the lines at which a fault or a group begins.
func (m diffModel) lines(e env) (lines []line, heads []int) {
	p := page{width: max(e.width-1, 2), voice: e.voice}
	shown := m.shown()
	for _, v := range m.compared.Verdicts {
		list := slices.DeleteFunc(slices.Clone(v.Differences), func(i int) bool {
			return !shown[i] || m.compared.Differences[i].Explains[0] != v.ID // shown once
		})
		if len(list) == 0 && !holds(m.filter, v.ID, v.Title, v.Message) {
			continue
		}
		p.blank()
		heads = append(heads, len(p.lines))
		status, side := ui.WorseSide(v)
		p.led(span{" " + symbol(status, e.ascii) + " ", inkOf(status)}, v.Title, strong)
		p.text("   ", side+": "+v.Message, plain)
		for _, i := range list {
			p.difference(m.compared.Differences[i])
		}
	}
	for _, g := range diff.Groups {
		first := true
		for i, d := range m.compared.Differences {
			if d.Group != g || !shown[i] || len(d.Explains) > 0 {
				continue
			}
			if first {
				p.blank()
				heads = append(heads, len(p.lines))
				p.text(" ", e.Word(ui.DiffHeadings[g]), strong)
				first = false
			}
			p.difference(d)
		}
	}
	if len(p.lines) == 0 && m.filter != "" {
		p.text("  ", e.T("nothing fits the filter"), faint)
	}
	return p.lines, heads
}

// difference sets the values of both nodes side by side below the name of the field.
func (p *page) difference(d diff.Difference) {
	p.text("   ", ui.DiffPlace(d, " · "), faint)
	sides, inks, room := [2][]string{}, [2]ink{plain, plain}, p.width-8
	if p.width >= sidesFrom {
		room = (p.width - 11) / 2
	}
	for i, values := range [][]string{d.A, d.B} {
		text := ui.DiffValues(values, p.Catalogue)
		if len(values) == 0 {
			text, inks[i] = p.T("(nothing)"), faint
		}
		sides[i] = wrap(show(text, p.ascii), room)
		if len(sides[i]) > mostOfSide {
			sides[i] = append(sides[i][:mostOfSide], ellipsis(p.ascii))
		}
	}
	if p.width < sidesFrom {
		for i, side := range sides {
			for j, text := range side {
				lead := "       "
				if j == 0 {
					lead = "     " + sideName(i) + " "
				}
				p.lines = append(p.lines, line{{lead, accent}, {text, inks[i]}})
			}
		}
		return
	}
	leads := [2]string{"   " + sideName(0) + " ", sideName(1) + " "} // of the first lines
	for i := range max(len(sides[0]), len(sides[1])) {
		var cells [2]string
		for j, side := range sides {
			if i < len(side) {
				cells[j] = side[i]
			}
		}
		p.lines = append(p.lines, line{{leads[0], accent}, {padded(cells[0], room), inks[0]},
			{ownText(" │ ", p.ascii), faint}, {leads[1], accent}, {cells[1], inks[1]}})
		leads = [2]string{"     ", "  "}
	}
}
