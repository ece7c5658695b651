// Package console knows what the terminal at hand can do, and gives it back as
// it was.
//
// On Windows the settings of a console belong to its window and not to the
// program: what is left switched on, or off, stays so for the shell that the
// user returns to. Bubbletea puts back what it changed itself, to what it found;
// this package puts back what was there before either of them.
package console

import (
	"errors"
	"io"
	"os"
	"sync"

	"github.com/charmbracelet/x/term"
)

// ErrNoClipboard says that the system has no clipboard that the user of this terminal sees.
var ErrNoClipboard = errors.New("the system has no clipboard for this terminal")

// A Console is the terminal that the program was started in, or what stands in
// its place.
type Console struct {
	able    abilities
	in, out stream
	mu      sync.Mutex // Restore is also called by whoever handles signals
}

// Open looks at the two streams. It changes nothing that lasts.
func Open(in, out *os.File) *Console {
	c := &Console{in: openStream(in), out: openStream(out)}
	f := factsOf(c.out)
	f.in, f.out = c.in.terminal, c.out.terminal
	f.term, f.ci = os.Getenv("TERM"), isCI(os.Getenv("CI"))
	_, f.noColour = os.LookupEnv("NO_COLOR")
	c.able = f.abilities()
	return c
}

// Screen says whether a full screen may be shown.
func (c *Console) Screen() bool { return c.able.screen }

// Colour says whether output may be coloured, and is to be.
func (c *Console) Colour() bool { return c.able.colour }

// ASCII says that nothing beyond ASCII arrives as it was meant.
func (c *Console) ASCII() bool { return c.able.ascii }

// Output is where text for people goes: the terminal, with symbols that its font has.
func (c *Console) Output() io.Writer {
	if c.able.font == nil {
		return c.out.file
	}
	return fontWriter{c.out.file, c.able.font}
}

// Terminal says whether output goes to a terminal.
func (c *Console) Terminal() bool { return c.out.terminal }

// Keyboard says whether input comes from a terminal.
func (c *Console) Keyboard() bool { return c.in.terminal }

// Width is how many columns a line of output may have: the terminal's, or elsewhere what COLUMNS
// says; 0 where neither is known.
func (c *Console) Width() int {
	if !c.out.terminal {
		return columnsOf(os.Getenv("COLUMNS"))
	}
	width, _, _ := term.GetSize(c.out.file.Fd())
	return width
}

// EnterScreen readies the console for a full screen.
func (c *Console) EnterScreen() { c.enter(c.able.screen) }

// EnterText readies the console for a run that writes text.
func (c *Console) EnterText() { c.enter(c.able.colour) }

// enter lets sequences through where they will be written, and keeps a click
// from stopping the program. Neither is worth an error: what cannot be had was
// left out of the abilities.
func (c *Console) enter(sequences bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.in.terminal && c.out.terminal {
		_ = c.in.change(undisturbed)
	}
	if c.out.terminal && sequences {
		_ = c.out.change(withSequences)
	}
}

// Restore puts the modes of the console back as Open found them. It may be
// called at any time, from anywhere, and again.
func (c *Console) Restore() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range []stream{c.in, c.out} {
		if s.terminal {
			_ = s.change(func(mode) mode { return s.was })
		}
	}
}

// A stream is one of the two, with the mode that it had at first.
type stream struct {
	file     *os.File
	terminal bool
	was      mode
}

func openStream(f *os.File) stream {
	s := stream{file: f, terminal: f != nil && term.IsTerminal(f.Fd())}
	if s.terminal {
		var err error
		s.was, err = modeOf(f)
		s.terminal = err == nil // what cannot be given back is not taken
	}
	return s
}

// change sets another mode, and leaves the terminal alone where it is the same:
// a process in the background is stopped for less.
func (s stream) change(to func(mode) mode) error {
	now, err := modeOf(s.file)
	if err != nil {
		return err
	}
	if next := to(now); next != now {
		return setMode(s.file, next)
	}
	return nil
}
