package tui

import (
	"fmt"
	"io"
	"strings"

	"github.com/aymanbagabas/go-osc52/v2"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
	"doctor/ui"
)

// copied reports the end of a copy command.
type copied struct {
	lines int
	err   error
}

func (c copied) String() string {
	switch {
	case c.err != nil:
		return "could not copy: " + c.err.Error()
	case c.lines == 1:
		return "copied 1 line (OSC 52)"
	}
	return fmt.Sprintf("copied %d lines (OSC 52)", c.lines)
}

// copyTo hands the text to the terminal's clipboard with OSC 52, which also
// works over ssh. A terminal that does not know the sequence ignores it and
// says nothing, so the status line names it.
func copyTo(out io.Writer, text string) tea.Cmd {
	return func() tea.Msg {
		_, err := osc52.New(text).WriteTo(out)
		return copied{strings.Count(text, "\n") + 1, err}
	}
}

// maxCopy is less than what terminals take at most for one sequence.
const maxCopy = 48 << 10

// toCopy is what the copy key takes from a result: the commands of its fix, or
// the fix's text where there are none. A name in a command came from evidence,
// and a line break in it would run the first half when pasted, so each command
// is cleaned to one line.
func toCopy(r checks.Result) string {
	lines := r.Fix.Commands
	if len(lines) == 0 {
		lines = strings.Split(r.Fix.Text, "\n")
	}
	var clean []string
	for _, l := range lines {
		if l = strings.TrimSpace(ui.Plain(strings.Map(oneSpace, l), false)); l != "" {
			clean = append(clean, l)
		}
	}
	text := strings.Join(clean, "\n")
	if len(text) > maxCopy {
		return "" // half a command is worse than none
	}
	return text
}
