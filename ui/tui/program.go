package tui

import (
	"io"
	"sync"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/term"
)

// program joins the model to bubbletea: it turns effects into commands and
// lines into coloured text.
type program struct {
	model  model
	out    io.Writer
	styles styles

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
		return p, copyTo(p.out, do.copy)
	case do.again:
		return p, p.readAgain
	}
	return p, nil
}

func (p program) View() string { return p.styles.frame(draw(p.model)) }

type descriptor interface{ Fd() uintptr }

func isTerminal(out io.Writer) bool {
	f, ok := out.(descriptor)
	return ok && term.IsTerminal(f.Fd())
}

// oneWriter makes writes from the renderer and from the clipboard command
// follow each other. A file does so by itself, and must stay what it is:
// bubbletea looks for the terminal behind it.
func oneWriter(out io.Writer) io.Writer {
	if _, ok := out.(descriptor); ok {
		return out
	}
	return &locked{out: out}
}

type locked struct {
	mu  sync.Mutex
	out io.Writer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(b)
}
