package tui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks/fleet"
)

// fleetModel is what the screen of a fleet shows, as data.
type fleetModel struct {
	voice
	state         FleetState
	width, height int

	nodes  bool   // the list is of nodes, not of causes
	cause  string // the nodes are those of this cause
	filter string
	typing bool
	help   bool
	cursor int
	top    int
	scroll int    // of the help
	at     string // what the cursor is on, also when the list changes
	from   string // the cause that the cursor was on before its nodes were listed

	status  string
	saving  bool
	touched bool // the user pressed a key: the selection is theirs
	leave   FleetLeave
}

// fleetEffect is what must happen outside of the model.
type fleetEffect int

const (
	fleetNothing fleetEffect = iota
	fleetQuit
	fleetSave
	fleetRedraw
)

var fleetKeys = struct{ evidence, bundle, causes, nodes key.Binding }{
	evidence: bind("e", "the evidence of the node, file by file"),
	bundle:   bind("b", "write the evidence of all nodes into a zip, without the secrets"),
	causes:   bind("1", "the list of causes"),
	nodes:    bind("2", "the list of nodes"),
}

func newFleetModel(opt Options) fleetModel {
	return fleetModel{voice: newVoice(opt), width: opt.Width, height: opt.Height}
}

func (m fleetModel) taken(s FleetState) fleetModel {
	s.Report = m.voice.Fleet(s.Report)
	m.state = s
	if s.Err != nil {
		m.leave.Open = ""
	}
	return m.settled()
}

// causeRows are the causes that the filter leaves.
func (m fleetModel) causeRows() []fleet.Cause {
	return slices.DeleteFunc(slices.Clone(m.state.Report.Causes), func(c fleet.Cause) bool {
		return !holds(m.filter, append([]string{c.ID, c.Title}, c.Nodes...)...)
	})
}

// nodeRows are the nodes of the cause, or all of them, that the filter leaves.
func (m fleetModel) nodeRows() []fleet.Node {
	return slices.DeleteFunc(slices.Clone(m.state.Report.Nodes), func(n fleet.Node) bool {
		texts := append(n.Marks(), n.Name, string(n.Verdict))
		of := m.cause == ""
		for _, c := range n.Causes {
			of = of || c.ID == m.cause
		}
		for _, t := range n.Traits {
			if t.Name != "os" { // each of them holds "win"
				texts = append(texts, t.Value)
			}
		}
		return !of || !holds(m.filter, texts...)
	})
}

// keysOf are the names by which rows are found again when the list changes.
func (m fleetModel) keysOf() []string {
	var list []string
	if m.nodes {
		for _, n := range m.nodeRows() {
			list = append(list, n.Name)
		}
		return list
	}
	for _, c := range m.causeRows() {
		list = append(list, c.ID)
	}
	return list
}

// settled brings cursor and scroll in line with the list.
func (m fleetModel) settled() fleetModel {
	rows := m.keysOf()
	if i := slices.Index(rows, m.at); i >= 0 && m.touched {
		m.cursor = i
	}
	m.cursor, m.top = inSight(m.cursor, m.top, len(rows), max(m.listHeight(), 1))
	m.at = ""
	if m.cursor < len(rows) {
		m.at = rows[m.cursor]
	}
	m.scroll = clamp(m.scroll, len(m.helpLines())-m.body())
	return m
}

// press is what a key does.
func (m fleetModel) press(k tea.KeyMsg) (fleetModel, fleetEffect) {
	m.status, m.touched = "", true
	do := fleetNothing
	switch {
	case k.Type == tea.KeyCtrlC:
		return m, fleetQuit
	case m.typing:
		m.filter, m.typing, _ = typedText(m.filter, k, maxFilter)
		return m.settled(), do
	case key.Matches(k, keys.leave):
		m.leave = FleetLeave{Print: m.state.Finished}
		return m, fleetQuit
	case m.help:
		if n, ok := motion(k, m.body()); ok {
			m.scroll = max(m.scroll+n, 0)
		} else if key.Matches(k, keys.help, keys.back, keys.quit, keys.enter) {
			m.help = false
		}
		return m.settled(), do
	}
	if n, ok := motion(k, m.listHeight()); ok {
		rows := m.keysOf()
		if m.cursor = clamp(m.cursor+n, len(rows)-1); m.cursor < len(rows) {
			m.at = rows[m.cursor]
		}
		return m.settled(), do
	}
	switch {
	case key.Matches(k, keys.help):
		m.help, m.scroll = true, 0
	case key.Matches(k, keys.quit):
		if m.cause == "" {
			return m, fleetQuit
		}
		m = m.listed(false)
	case key.Matches(k, keys.back):
		switch {
		case m.filter != "":
			m.filter = ""
		case m.nodes:
			m = m.listed(false)
		}
	case key.Matches(k, keys.filter):
		m.typing = true
	case key.Matches(k, keys.focus):
		m = m.listed(!m.nodes)
	case key.Matches(k, fleetKeys.causes):
		m = m.listed(false)
	case key.Matches(k, fleetKeys.nodes):
		m = m.listed(true)
	case key.Matches(k, keys.enter):
		if m.nodes {
			return m.open(m.at, false)
		}
		if m.at != "" {
			m.cause, m.from = m.at, m.at
			m.nodes, m.filter, m.cursor, m.top, m.at = true, "", 0, 0, ""
		}
	case key.Matches(k, fleetKeys.evidence):
		return m.open(m.nodeAt(), true)
	case key.Matches(k, fleetKeys.bundle):
		return m.bundled()
	case key.Matches(k, keys.redraw):
		do = fleetRedraw
	}
	return m.settled(), do
}

// listed shows the list of all nodes, or that of the causes.
func (m fleetModel) listed(nodes bool) fleetModel {
	m.nodes, m.filter, m.cursor, m.top, m.at = nodes, "", 0, 0, ""
	if !nodes {
		m.at = m.from
	}
	m.cause = ""
	return m
}

// nodeAt is the node under the cursor, or the example of the cause.
func (m fleetModel) nodeAt() string {
	if m.nodes {
		return m.at
	}
	for _, c := range m.state.Report.Causes {
		if c.ID == m.at {
			return c.Example.Node
		}
	}
	return ""
}

func (m fleetModel) open(node string, evidence bool) (fleetModel, fleetEffect) {
	if node == "" {
		return m, fleetNothing
	}
	m.leave = FleetLeave{Open: node, Evidence: evidence}
	return m, fleetQuit
}

func (m fleetModel) bundled() (fleetModel, fleetEffect) {
	switch {
	case m.saving:
		m.status = m.T("the zip is being written")
	case !m.state.Finished:
		m.status = m.T("wait until all nodes are read")
	default:
		m.saving, m.status = true, m.T("writing the evidence of all nodes")
		return m, fleetSave
	}
	return m, fleetNothing
}
