package tui

import (
	"cmp"
	"context"
	"io"
	"os"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/term"

	"doctor/ui/console"
)

// program shows a node.
type program = programOf[model]

// A programOf joins a model, or a host, to bubbletea: it turns effects into commands and lines into
// coloured text.
type programOf[M framer[M]] struct {
	outside
	model   M
	updates <-chan Update // nil where none will come
	report  bool          // stays on the terminal
	first   effect        // of how the screen begins
}

// A framer is what can be on the whole screen.
type framer[M any] interface {
	update(msg tea.Msg) (M, effect)
	frame() (lines []line, width int)
}

// run shows the program until the user leaves, and returns it as it was then.
func (p programOf[M]) run(ctx context.Context, in io.Reader) (programOf[M], error) {
	painting, stop := context.WithCancel(ctx)
	defer stop()
	go p.terminal.paint(painting)
	last, err := p.terminal.run(ctx, p, in)
	if end, ok := last.(programOf[M]); ok {
		p = end
	}
	return p, err
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

func (p programOf[M]) Init() tea.Cmd {
	list := p.commands(p.first)
	if p.updates != nil {
		list = append(list, p.next)
	}
	return tea.Batch(list...)
}

// ended reports that no update will come any more.
type ended struct{}

func (p programOf[M]) next() tea.Msg {
	if u, ok := <-p.updates; ok {
		return u
	}
	return ended{}
}

func (p programOf[M]) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
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
		list = append(list, func() tea.Msg { p.again(); return nil })
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
func (p programOf[M]) View() string {
	p.terminal.show(p.model.frame())
	return ""
}

// sizeAt is the size to begin with, where out is no terminal that will tell its own.
func sizeAt(out io.Writer, width, height int) (int, int) {
	if f, ok := out.(term.File); ok && term.IsTerminal(f.Fd()) {
		return width, height
	}
	return cmp.Or(width, defaultWidth), cmp.Or(height, defaultHeight)
}
