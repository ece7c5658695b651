package tui

import (
	"context"
	"io"

	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks/fleet"
)

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
