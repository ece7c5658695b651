package tui

import (
	"io"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/term"
)

// program joins the model to bubbletea: it turns effects into commands and
// lines into coloured text.
type program struct {
	model    model
	terminal *terminal

	updates <-chan Update
	again   func()
	report  bool // stays on the terminal
}

func (p program) Init() tea.Cmd { return p.next }

// ended reports that no update will come any more.
type ended struct{}

func (p program) next() tea.Msg {
	if u, ok := <-p.updates; ok {
		return u
	}
	return ended{}
}

func (p program) readAgain() tea.Msg {
	p.again()
	return nil
}

func (p program) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m, do := p.model.update(msg)
	p.model = m
	if _, ok := msg.(Update); ok {
		return p, p.next
	}
	switch {
	case do.quit:
		p.report = do.report
		return p, tea.Quit
	case do.task != nil:
		return p, func() tea.Msg { return answer{do.layer, do.task()} }
	case do.copy != "":
		return p, copyTo(p.terminal, do.copy)
	case do.again:
		return p, p.readAgain
	}
	return p, nil
}

// View hands the frame to the terminal: what it returns is not drawn.
func (p program) View() string {
	p.terminal.show(draw(p.model), p.model.width)
	return ""
}

type descriptor interface{ Fd() uintptr }

func isTerminal(out io.Writer) bool {
	f, ok := out.(descriptor)
	return ok && term.IsTerminal(f.Fd())
}
