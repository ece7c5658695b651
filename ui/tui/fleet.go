package tui

import (
	"cmp"
	"context"
	"io"
	"time"

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
	feed  FleetFeed
	opt   Options
	model fleetModel
}

// NewFleet makes the screen.
func NewFleet(feed FleetFeed, opt Options) *FleetScreen {
	return &FleetScreen{feed, opt, newFleetModel(opt)}
}

// fleetEvery is how often the state is asked for while nodes are read and judged.
const fleetEvery = 100 * time.Millisecond

// Run shows the fleet until the user leaves, or opens a node.
func (s *FleetScreen) Run(ctx context.Context, in io.Reader, out io.Writer) (FleetLeave, error) {
	if !isTerminal(out) { // it will not report its size
		s.model.width = cmp.Or(s.model.width, defaultWidth)
		s.model.height = cmp.Or(s.model.height, defaultHeight)
	}
	to := newTerminal(out, newStyles(out, s.opt.Theme))
	saving, stop := context.WithCancel(ctx)
	defer stop()
	s.model.leave = FleetLeave{}
	s.model = s.model.taken(s.feed.State())
	p := fleetProgram{ctx: saving, model: s.model, feed: s.feed, terminal: to}
	go to.paint(saving)
	last, err := to.run(ctx, p, in)
	if end, ok := last.(fleetProgram); ok {
		s.model = end.model
	}
	leave := s.model.leave
	leave.State = s.model.state
	return leave, err
}

// fleetProgram joins the model to bubbletea.
type fleetProgram struct {
	ctx      context.Context
	model    fleetModel
	feed     FleetFeed
	terminal *terminal
}

// fleetTick is the time to ask for the state.
type fleetTick struct{}

// fleetSaved is how a zip came out.
type fleetSaved struct {
	said string
	err  error
}

func (p fleetProgram) Init() tea.Cmd { return p.tick() }

func (p fleetProgram) tick() tea.Cmd {
	if p.model.state.Finished {
		return nil
	}
	return tea.Tick(fleetEvery, func(time.Time) tea.Msg { return fleetTick{} })
}

func (p fleetProgram) save() tea.Msg {
	said, err := p.feed.Save(p.ctx)
	return fleetSaved{said, err}
}

func (p fleetProgram) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case fleetTick:
		p.model = p.model.taken(p.feed.State())
		return p, p.tick()
	case tea.WindowSizeMsg:
		p.model.width, p.model.height = msg.Width, msg.Height
		if msg.Width <= 0 || msg.Height <= 0 { // what a serial console says
			p.model.width, p.model.height = defaultWidth, defaultHeight
		}
		p.model = p.model.settled()
	case fleetSaved:
		p.model.saving = false
		p.model.status = msg.said
		if msg.err != nil {
			p.model.status = msg.err.Error()
		}
	case tea.KeyMsg:
		var do fleetEffect
		for _, k := range apiece(msg, p.model.typing) {
			if p.model, do = p.model.press(k); do != fleetNothing {
				break
			}
		}
		switch do {
		case fleetQuit:
			return p, tea.Quit
		case fleetSave:
			return p, p.save
		case fleetRedraw:
			return p, tea.ClearScreen
		}
	}
	return p, nil
}

// View hands the frame to the terminal: what it returns is not drawn.
func (p fleetProgram) View() string {
	p.terminal.show(drawFleet(p.model), p.model.width)
	return ""
}
