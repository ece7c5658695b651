package tui

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
	"doctor/checks/fleet"
	"doctor/ui"
)

// fleetModel is what the screen of a fleet shows, as data.
type fleetModel struct {
	env
	state FleetState
	ask   func() FleetState
	save  func() tea.Msg

	nodes  bool   // the list is of nodes, not of causes
	cause  string // the nodes are those of this cause
	filter string
	writes bool // the filter
	cursor int
	top    int
	at     string // what the cursor is on, also when the list changes
	from   string // the cause that the cursor was on before its nodes were listed

	saving  bool
	touched bool // the user pressed a key: the selection is theirs
	leave   FleetLeave
}

// fleetEvery is how often the state is asked for while nodes are read and judged.
const fleetEvery = 100 * time.Millisecond

// fleetSaved is how a zip came out.
type fleetSaved struct {
	said string
	err  error
}

var fleetKeys = struct{ enter, focus, back, evidence, bundle, causes, nodes key.Binding }{
	enter:    bind("enter", "on a cause its nodes, on a node its overview"),
	evidence: bind("e", "the evidence of the node, file by file"),
	bundle:   bind("b", "write the evidence of all nodes into a zip, without the secrets"),
	focus:    bind("tab", "switch between causes and nodes"),
	causes:   bind("1", "the list of causes"),
	nodes:    bind("2", "the list of nodes"),
	back:     bind("esc", "back, or clear the filter"),
}

func (m fleetModel) bindings() []key.Binding {
	return []key.Binding{fleetKeys.enter, fleetKeys.evidence, fleetKeys.bundle, fleetKeys.focus,
		fleetKeys.causes, fleetKeys.nodes, keys.filter, fleetKeys.back}
}

func (m fleetModel) typing() bool { return m.writes }

// start asks for the state until it is finished.
func (m fleetModel) start(env) func() tea.Msg {
	if m.state.Finished {
		return nil
	}
	return func() tea.Msg {
		time.Sleep(fleetEvery)
		return m.ask()
	}
}

func (m fleetModel) receive(e env, msg tea.Msg) (screen, effect) {
	switch msg := msg.(type) {
	case FleetState:
		m = m.taken(e, msg)
		return m, effect{task: m.start(e)}
	case fleetSaved:
		m.saving = false
		if msg.err != nil {
			return m, effect{say: msg.err.Error()}
		}
		return m, effect{say: msg.said}
	}
	return m, effect{}
}

func (m fleetModel) taken(e env, s FleetState) fleetModel {
	s.Report = e.voice.Fleet(s.Report)
	m.state = s
	if s.Err != nil {
		m.leave.Open = ""
	}
	return m.settled(e).(fleetModel)
}

// A fleetRow is a cause or a node in the list.
type fleetRow struct {
	key    string // by which it is found again when the list changes
	status checks.Status
	count  int // of the nodes that have the cause
	title  string
	marks  string // of a node
}

// rows are the causes, or the nodes of the cause or all nodes, that the filter leaves.
func (m fleetModel) rows() (rows []fleetRow) {
	if !m.nodes {
		for _, c := range m.state.Report.Causes {
			if holds(m.filter, append([]string{c.ID, c.Title}, c.Nodes...)...) {
				rows = append(rows, fleetRow{c.ID, c.Status, c.Count, c.Title, ""})
			}
		}
		return rows
	}
	for _, n := range m.state.Report.Nodes {
		texts := append(n.Marks(), n.Name, string(n.Verdict))
		for _, t := range n.Traits {
			if t.Name != "os" { // each of them holds "win"
				texts = append(texts, t.Value)
			}
		}
		if holds(m.filter, texts...) && (m.cause == "" ||
			slices.ContainsFunc(n.Causes, func(c fleet.NodeCause) bool { return c.ID == m.cause })) {
			rows = append(rows, fleetRow{key: n.Name, status: ui.FleetStatus(n.Verdict), title: n.Name,
				marks: strings.Join(n.Marks(), " ")})
		}
	}
	return rows
}

// settled brings cursor and scroll in line with the list.
func (m fleetModel) settled(e env) screen {
	m.env = e
	rows := m.rows()
	i := slices.IndexFunc(rows, func(r fleetRow) bool { return r.key == m.at })
	if i >= 0 && m.touched {
		m.cursor = i
	}
	m.cursor, m.top = inSight(m.cursor, m.top, len(rows), max(m.listHeight(), 1))
	m.at = ""
	if m.cursor < len(rows) {
		m.at = rows[m.cursor].key
	}
	return m
}

func (m fleetModel) press(e env, k tea.KeyMsg) (screen, effect) {
	m.touched = true
	if m.writes {
		m.filter, m.writes, _ = typedText(m.filter, k, maxFilter)
		return m, effect{}
	}
	if n, ok := motion(k, m.listHeight()); ok {
		rows := m.rows()
		if m.cursor = clamp(m.cursor+n, len(rows)-1); m.cursor < len(rows) {
			m.at = rows[m.cursor].key
		}
		return m, effect{}
	}
	switch {
	case key.Matches(k, keys.quit):
		if m.cause == "" {
			return m, effect{quit: true}
		}
		m = m.listed(false)
	case key.Matches(k, fleetKeys.back):
		switch {
		case m.filter != "":
			m.filter = ""
		case m.nodes:
			m = m.listed(false)
		}
	case key.Matches(k, keys.filter):
		m.writes = true
	case key.Matches(k, fleetKeys.focus):
		m = m.listed(!m.nodes)
	case key.Matches(k, fleetKeys.causes):
		m = m.listed(false)
	case key.Matches(k, fleetKeys.nodes):
		m = m.listed(true)
	case key.Matches(k, fleetKeys.enter):
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
	}
	return m, effect{}
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

func (m fleetModel) open(node string, evidence bool) (screen, effect) {
	if node == "" {
		return m, effect{}
	}
	m.leave = FleetLeave{Open: node, Evidence: evidence}
	return m, effect{quit: true}
}

func (m fleetModel) bundled() (screen, effect) {
	switch {
	case m.saving:
		return m, effect{say: "the zip is being written"}
	case !m.state.Finished:
		return m, effect{say: "wait until all nodes are read"}
	}
	m.saving = true
	return m, effect{say: "writing the evidence of all nodes", task: m.save}
}

// A FleetState is what is known of a fleet at one moment.
type FleetState struct {
	Report     fleet.Report // of the nodes that are judged
	What       string       // is being read now; "" once the nodes are judged
	Done, Left int          // objects of it
	Judged, Of int          // nodes
	Finished   bool
	Err        error // why nothing could be read
}

// A FleetFeed is asked for the state again and again until it is finished: the screen holds up nobody.
type FleetFeed struct {
	State func() FleetState
	// Save writes the evidence of all nodes into a zip, and returns what to say of it.
	Save func(ctx context.Context) (string, error)
}

// A FleetLeave is how the user left the screen of a fleet.
type FleetLeave struct {
	State    FleetState
	Open     string // the node to show; "" where the user is done
	Evidence bool   // its evidence rather than its overview
	Print    bool   // the report is to stay on the terminal
}

// A FleetScreen shows a fleet. It stays where the user left it to look at a node.
type FleetScreen struct {
	feed FleetFeed
	host host
}

// NewFleet makes the screen.
func NewFleet(feed FleetFeed, opt Options) *FleetScreen {
	return &FleetScreen{feed, newHost(fleetModel{ask: feed.State}, opt)}
}

// Run shows the fleet until the user leaves, or opens a node.
func (s *FleetScreen) Run(ctx context.Context, in io.Reader, out io.Writer) (FleetLeave, error) {
	saving, stop := context.WithCancel(ctx)
	defer stop()
	m := s.host.base.(fleetModel)
	m.leave = FleetLeave{}
	m.save = func() tea.Msg {
		said, err := s.feed.Save(saving)
		return fleetSaved{said, err}
	}
	s.host.base = m.taken(s.host.env(), s.feed.State())
	last, report, err := s.host.run(ctx, in, out)
	s.host, m = last, last.base.(fleetModel)
	leave := m.leave
	leave.State, leave.Print = m.state, report && m.state.Finished
	return leave, err
}
