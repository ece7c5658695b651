package tui

import (
	"cmp"
	"io"
	"os"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/term"

	"doctor/ui/console"
)

// program joins the model to bubbletea: it turns effects into commands and
// lines into coloured text.
type program struct {
	outside
	model   model
	updates <-chan Update
	report  bool   // stays on the terminal
	first   effect // of how the screen begins
}

// outside is what effects reach.
type outside struct {
	terminal  *terminal
	clipboard clipboard
	again     func()
}

func newOutside(out io.Writer, theme string, again func()) outside {
	to := newTerminal(out, newStyles(out, theme))
	return outside{to, clipboard{system: console.SetClipboard, out: to,
		takes: takesClipboard(os.Getenv)}, again}
}

func (p program) Init() tea.Cmd {
	return tea.Batch(append(p.commands(p.first), p.next)...)
}

// ended reports that no update will come any more.
type ended struct{}

func (p program) next() tea.Msg {
	if u, ok := <-p.updates; ok {
		return u
	}
	return ended{}
}

func (p outside) readAgain() tea.Msg {
	p.again()
	return nil
}

func (p program) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m, do := p.model.update(msg)
	p.model = m
	if do.quit {
		p.report = do.report
		return p, tea.Quit
	}
	list := p.commands(do)
	if _, ok := msg.(Update); ok {
		list = append(list, p.next)
	}
	return p, tea.Batch(list...)
}

// commands are what an effect is to bubbletea.
func (p outside) commands(do effect) []tea.Cmd {
	var list []tea.Cmd
	if do.task != nil {
		list = append(list, func() tea.Msg { return answer{do.layer, do.task()} })
	}
	if do.copy != "" {
		list = append(list, p.clipboard.copy(do.copy, cmp.Or(do.copyAs, "copy")))
	}
	if do.again {
		list = append(list, p.readAgain)
	}
	if do.wait > 0 {
		list = append(list, tea.Tick(do.wait, func(time.Time) tea.Msg { return do.due }))
	}
	if do.redraw {
		list = append(list, tea.ClearScreen)
	}
	switch {
	case do.mouse && do.mouseOn:
		list = append(list, tea.EnableMouseCellMotion)
	case do.mouse:
		list = append(list, tea.DisableMouse)
	case do.suspend && suspends:
		list = append(list, tea.Suspend)
	}
	for _, other := range do.also {
		list = append(list, p.commands(other)...)
	}
	return list
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
