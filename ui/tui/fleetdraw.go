package tui

import (
	"fmt"
	"slices"
	"strings"

	"doctor/checks/fleet"
	"doctor/ui"
)

// How the screen of a fleet is divided.
const (
	fleetWide    = 100 // columns from which the detail is beside the list
	fleetPreview = 6   // lines of detail below the list elsewhere
)

func (m fleetModel) wide() bool { return m.width >= fleetWide }

// listHeight is how many rows of the list are seen.
func (m fleetModel) listHeight() int {
	if m.wide() || m.height < 2*fleetPreview {
		return m.height
	}
	return m.height - fleetPreview - 1
}

func (m fleetModel) header(env) []line {
	r := m.state.Report
	r.Summary.Nodes = max(r.Summary.Nodes, m.state.Of)
	first := line{{" " + show(m.style().FleetHead(r), m.ascii), strong}}
	if !m.state.Finished {
		return []line{first, m.progress()}
	}
	second := line{{" ", plain}}
	for _, c := range m.style().FleetCounts(r.Summary) {
		if len(second) > 1 {
			second = append(second, span{ownText(" · ", m.ascii), faint})
		}
		second = append(second, span{symbol(c.Status, m.ascii) + " " + c.Text, inkOf(c.Status)})
	}
	return []line{first, second}
}

// progress says what is being read, with a bar where its end is known.
func (m fleetModel) progress() line {
	s := m.state
	done, of, text := s.Judged, s.Of, m.T("%d of %d nodes diagnosed", s.Judged, s.Of)
	if s.What != "" {
		done, of = s.Done, s.Done+s.Left
		text = m.T("reading %s", s.What)
		if s.Done > 0 {
			text = m.T("reading %s: %d of %d", s.What, done, of)
		}
	}
	const cells = 20
	full := 0
	if of > 0 {
		full = done * cells / of
	}
	return line{{" [", faint}, {strings.Repeat("#", full), accent},
		{strings.Repeat("-", cells-full), faint}, {"] ", faint}, {text, plain}}
}

// title says what is listed.
func (m fleetModel) title(env) string {
	name := m.T("causes (%d)", len(m.state.Report.Causes))
	switch {
	case m.cause != "":
		name = m.T("nodes with %s", m.cause)
	case m.nodes:
		name = m.T("nodes (%d)", len(m.state.Report.Nodes))
	}
	if m.filter != "" {
		name += " · " + m.T("filter %s", m.filter)
	}
	return name
}

func (m fleetModel) body(env) []line {
	if m.wide() {
		l := layout{body: m.height, list: m.width / 2, detail: m.width - m.width/2 - 2}
		return beside(m.list(l.list), m.detail(l.detail), l, false, m.ascii)
	}
	lines := m.list(m.width)
	if m.listHeight() < m.height {
		lines = append(exactly(lines, m.listHeight()), rule("", m.width, m.ascii))
		lines = append(lines, indented(m.detail(m.width-2), 0)...)
	}
	return lines
}

// list draws the rows that are seen in w cells.
func (m fleetModel) list(w int) []line {
	rows := m.rows()
	seen := rows[min(m.top, len(rows)):min(m.top+m.listHeight(), len(rows))]
	name := min(widest(seen, func(r fleetRow) string { return r.title }), w/2)
	digits := len(fmt.Sprint(m.state.Report.Summary.Nodes))
	var lines []line
	for i, r := range seen {
		selected := m.top+i == m.cursor
		l := line{{symbol(r.status, m.ascii) + " ", inkOf(r.status)}}
		title := show(r.title, m.ascii)
		if m.nodes {
			l = append(l, span{padded(clip(title, name, m.ascii), name), inkIf(selected)},
				span{"  " + show(r.marks, m.ascii), faint})
		} else {
			l = append(l, span{fmt.Sprintf("%*d ", digits, r.count), strong},
				span{title, inkIf(selected)})
		}
		lines = append(lines, append(line{cursorMark(selected, m.ascii)}, l.fit(w-3, m.ascii)...))
	}
	return m.orNothing(lines)
}

// orNothing says why a list is empty.
func (m fleetModel) orNothing(lines []line) []line {
	if len(lines) > 0 {
		return lines
	}
	switch s := m.state; {
	case s.Err != nil:
		return wrapped("  ", show(s.Err.Error(), m.ascii), m.width-4, inkFail)
	case m.filter != "":
		return []line{{{"  " + m.T("nothing fits the filter"), faint}}}
	case !s.Finished:
		return nil
	case s.Report.Summary.Nodes == 0:
		return []line{{{"  " + m.T("The cluster has no Windows node."), plain}}}
	}
	return []line{{{"  " + m.T("No fault found on any node."), inkPass}}}
}

// detail is what is beside or below the list: of the selected cause, or of the selected node.
func (m fleetModel) detail(w int) []line {
	var lines []line
	put := func(ink ink, text string) {
		lines = append(lines, wrapped("", show(text, m.ascii), w-1, ink)...)
	}
	if m.nodes {
		i := slices.IndexFunc(m.state.Report.Nodes, func(n fleet.Node) bool { return n.Name == m.at })
		if i < 0 {
			return nil
		}
		n := m.state.Report.Nodes[i]
		put(strong, n.Name)
		for _, c := range n.Causes {
			put(inkOf(c.Status), symbol(c.Status, m.ascii)+" "+c.ID)
			put(plain, m.messageOf(n, c))
		}
		var traits []string
		for _, t := range n.Traits {
			traits = append(traits, m.style().Trait(t.Name)+" "+t.Value)
		}
		put(faint, strings.Join(traits, " · "))
		return lines
	}
	i := slices.IndexFunc(m.state.Report.Causes, func(c fleet.Cause) bool { return c.ID == m.at })
	if i < 0 {
		return nil
	}
	c := m.state.Report.Causes[i]
	put(inkOf(c.Status), m.T("%d of %d nodes", c.Count, m.state.Report.Summary.Nodes)+"  "+c.ID)
	for _, s := range c.Shared {
		put(accent, m.style().Shared(s))
	}
	put(plain, c.Example.Node+": "+c.Example.Message)
	const names = 30
	put(faint, strings.Join(c.Nodes[:min(len(c.Nodes), names)], " "))
	for i := range c.Example.Fix.Steps {
		for _, l := range m.style().StepLines(c.Example.Fix, i) {
			if l.Kind == ui.StepCommand {
				lines = append(lines, line{{"  " + show(l.Text, m.ascii), accent}})
				continue
			}
			put(plain, l.Text)
		}
	}
	return lines
}

// messageOf is what was found on the node: in the language of the screen where it is the example.
func (m fleetModel) messageOf(n fleet.Node, c fleet.NodeCause) string {
	for _, cause := range m.state.Report.Causes {
		if cause.ID == c.ID && cause.Example.Node == n.Name {
			return cause.Example.Message
		}
	}
	return c.Message
}

func (m fleetModel) hints() []hint {
	other := hint{"tab", "nodes", 3}
	if m.nodes {
		other = hint{"tab", "causes", 3}
	}
	list := []hint{{"enter", "open", 1}, other, {"e", "evidence", 4}, {"b", "bundle", 5},
		{"/", "filter", 2}}
	if m.filter != "" || m.nodes {
		list = slices.Insert(list, 1, hint{"esc", "back", 2})
	}
	return list
}

func (m fleetModel) typed(e env) line { return typedLine("/", m.filter, e.width-6, e.ascii) }

func (m fleetModel) counts(e env) string {
	n := len(m.rows())
	text := e.T("%d of %d", min(m.cursor+1, n), n)
	if notes := m.state.Report.Notes; len(notes) > 0 {
		text += " · " + notes[0]
	}
	return text
}
