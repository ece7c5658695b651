// Package tui shows a finished report on the whole screen.
//
// The rules of this screen:
//
//   - The model holds data only, and update is a function of it and a message.
//     What must happen outside (quit, copy) is returned as an effect.
//   - Drawing is free functions from data and a size to lines, one part of the
//     screen per file. A line is plain text in spans, and is coloured last, so
//     clipping never meets an escape sequence.
//   - Whatever the report says passes through show before it is measured.
//   - Symbol, word and colour agree, and colour is never the only carrier.
//   - A frame has exactly the height of the terminal and is never wider.
package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
	_ "doctor/ui/tui/quiet"
)

// Options say how the screen is drawn.
type Options struct {
	ASCII    bool // nothing but bytes below 0x80
	NoColour bool // weights (bold, faint) stay; NO_COLOR in the environment does the same
	Width    int  // the size until the terminal tells its own
	Height   int
}

// Run shows the report until the user leaves, and gives the terminal back as it
// was. It returns the context's error when the context ended it.
func Run(ctx context.Context, in io.Reader, out io.Writer, r checks.Report, opt Options) error {
	opt.NoColour = opt.NoColour || os.Getenv("NO_COLOR") != ""
	if !isTerminal(out) { // nobody will tell the size
		opt.Width, opt.Height = cmp.Or(opt.Width, defaultWidth), cmp.Or(opt.Height, defaultHeight)
	}
	out = oneWriter(out)
	p := program{model: newModel(r, opt), out: out, styles: newStyles(out, opt.NoColour)}
	_, err := tea.NewProgram(p, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithAltScreen()).Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, tea.ErrInterrupted):
		return nil // a signal in place of the key is still the user leaving
	}
	return fmt.Errorf("the screen stopped: %w; plain text is there with -o text", err)
}
