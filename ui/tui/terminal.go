package tui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// A terminal is what the screen is written to. Bubbletea sets its modes and
// gives them back; the frames are drawn here, for three reasons. Nothing wakes
// up while nothing changes: bubbletea's renderer looks 60 times a second for
// something to do, which is 4 % of a processor over ssh and under Wine. A frame
// is out at once, and is only what changed, to the span. And who draws waits
// for a terminal that takes nothing, while keys and updates are taken on.
type terminal struct {
	out    io.Writer
	styles styles
	wake   chan struct{}
	whole  bool // lines are drawn as a whole

	next atomic.Pointer[frame] // what is to be shown

	mu    sync.Mutex // one write at a time
	on    bool       // the alternate screen is shown: frames may be drawn
	frame            // what is on it
	known bool       // and nothing else is
}

// A frame is what fills the screen.
type frame struct {
	lines []line
	width int
}

// frameRate is for bubbletea's renderer, which has nothing to do here.
const frameRate = 1

func newTerminal(out io.Writer, s styles) *terminal {
	t := &terminal{out: out, styles: s, wake: make(chan struct{}, 1),
		whole: runtime.GOOS == "windows"}
	t.next.Store(&frame{})
	return t
}

// Write takes what bubbletea and the clipboard write. Bubbletea's own frames
// are left out: in the alternate screen each begins with the way home, and is
// more than that.
func (t *terminal) Write(b []byte) (int, error) {
	if len(b) > len(ansi.CursorHomePosition) &&
		bytes.HasPrefix(b, []byte(ansi.CursorHomePosition)) {
		return len(b), nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch string(b) {
	case ansi.SetModeAltScreenSaveCursor:
		t.on, t.known = true, false
		t.poke()
	case ansi.EraseEntireScreen:
		t.known = false
		t.poke()
	case ansi.ResetModeAltScreenSaveCursor:
		t.on = false // whoever draws now would draw into the user's shell
	}
	return t.out.Write(b)
}

// show hands a frame over. Frames that newer ones overtake are not drawn.
func (t *terminal) show(lines []line, width int) {
	t.next.Store(&frame{lines, width})
	t.poke()
}

func (t *terminal) poke() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// paint draws what is handed over until the context ends.
func (t *terminal) paint(ctx context.Context) {
	for {
		select {
		case <-t.wake:
			t.flush()
		case <-ctx.Done():
			return
		}
	}
}

func (t *terminal) flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.on {
		return
	}
	next := t.next.Load()
	var b strings.Builder
	if !t.known || len(next.lines) != len(t.lines) || next.width != t.width {
		b.WriteString(ansi.EraseEntireScreen)
		t.lines = make([]line, len(next.lines))
	}
	t.styles.change(&b, t.lines, next.lines, next.width, t.whole)
	if b.Len() > 0 {
		if _, err := io.WriteString(t.out, b.String()); err != nil {
			t.known = false
			return
		}
	}
	t.frame, t.known = *next, true
}

// change writes what makes the lines of the screen others: of each line what comes after its first
// spans that stay. Consoles that keep count of the cursor by lines and line ends, as Wine's does,
// get whole lines, from the top down.
func (s styles) change(b *strings.Builder, was, is []line, width int, whole bool) {
	row := -1 // where the cursor of such a console is
	for i := range is {
		was, is := was[i].trimmed(), is[i].trimmed()
		at := 0
		for at < len(was) && at < len(is) && was[at] == is[at] {
			at++
		}
		if at == len(was) && at == len(is) {
			continue
		}
		shown := min(was.width(), width)
		if whole {
			if row < 0 {
				b.WriteString(ansi.CursorHomePosition)
			}
			b.WriteString(strings.Repeat("\r\n", i-max(row, 0)))
			at, row, shown = 0, i, width
		} else {
			b.WriteString(ansi.CursorPosition(is[:at].width()+1, i+1))
		}
		s.spans(b, is[at:])
		if is.width() < shown {
			b.WriteString(ansi.EraseLineRight)
		}
	}
	if row >= 0 {
		b.WriteString("\r")
	}
}

// trimmed is the line without the empty spans, and without the spaces at its
// end, which are on an erased line already.
func (l line) trimmed() line {
	var out line
	for _, s := range l {
		if s.text != "" {
			out = append(out, s)
		}
	}
	for n := len(out); n > 0; n-- {
		last := &out[n-1]
		if last.text = strings.TrimRight(last.text, " "); last.text != "" {
			break
		}
		out = out[:n-1]
	}
	return out
}

// onFile is a terminal that is a file, as bubbletea asks for to set its modes.
type onFile struct {
	term.File
	*terminal
}

func (f onFile) Write(b []byte) (int, error) { return f.terminal.Write(b) }

// run shows a program until it or the context ends, and returns the context's error where that did.
func (t *terminal) run(ctx context.Context, p tea.Model, in io.Reader) (tea.Model, error) {
	var out io.Writer = t
	if f, ok := t.out.(term.File); ok {
		out = onFile{f, t}
	}
	last, err := tea.NewProgram(p, tea.WithContext(ctx), tea.WithInput(in),
		tea.WithOutput(out), tea.WithAltScreen(), tea.WithFPS(frameRate),
		// the context ends with a signal; of two that do, one waits for the other for ever
		tea.WithoutSignalHandler()).Run()
	switch {
	case err == nil:
		return last, nil
	case ctx.Err() != nil:
		return last, ctx.Err()
	}
	return last, fmt.Errorf("the screen stopped: %w; plain text is there with -o text", err)
}
