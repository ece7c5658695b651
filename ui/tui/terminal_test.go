package tui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/fixtures/wait"
)

// shownOn is a terminal in its alternate screen, and what was written to it.
func shownOn(out *bytes.Buffer) *terminal {
	t := newTerminal(out, newStyles(nil, ""))
	_, _ = io.WriteString(t, ansi.SetModeAltScreenSaveCursor)
	return t
}

// sent is what the terminal is sent for a model.
func sent(t *terminal, out *bytes.Buffer, m model) string {
	out.Reset()
	t.show(draw(m), m.width)
	t.flush()
	return out.String()
}

func TestBubbleteasFramesAreNotDrawn(t *testing.T) {
	t.Parallel()
	var out transcript
	ctx, stop := context.WithTimeout(t.Context(), wait.Limit)
	defer stop()
	in, keys := io.Pipe()
	go func() {
		wait.Holds(func() bool {
			return strings.Contains(out.String(), "Paging file is too small")
		})
		time.Sleep(1300 * time.Millisecond) // its renderer ticks once a second
		keys.Write([]byte("q"))
	}()
	if _, err := Run(ctx, in, &out, Finished(sample(), evidence.Snapshot{}),
		Options{Width: 80, Height: 24}); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if n := strings.Count(text, "Paging file is too small"); n != 2 { // a cause and a check
		t.Errorf("the overview is drawn %d/2 times", n)
	}
	if strings.Contains(text, ansi.CursorHomePosition+"\r") {
		t.Error("a frame of bubbletea's renderer came through: its form changed")
	}
}

func TestNothingIsDrawnIntoTheShell(t *testing.T) {
	var out bytes.Buffer
	to := newTerminal(&out, newStyles(nil, themeNone))
	m := small()
	if got := sent(to, &out, m); got != "" {
		t.Errorf("before the alternate screen: %q", got)
	}
	_, _ = io.WriteString(to, ansi.SetModeAltScreenSaveCursor)
	if got := sent(to, &out, m); !strings.Contains(got, "Causes") {
		t.Errorf("in the alternate screen: %q", got)
	}
	if got := sent(to, &out, m); got != "" {
		t.Errorf("the same frame again: %q", got)
	}
	_, _ = io.WriteString(to, ansi.ResetModeAltScreenSaveCursor)
	if got := sent(to, &out, after(m, "j")); got != "" {
		t.Errorf("after the alternate screen: %q", got)
	}
	_, _ = io.WriteString(to, ansi.SetModeAltScreenSaveCursor)
	if got := sent(to, &out, m); !strings.Contains(got, "Causes") {
		t.Errorf("back from a suspension: %q", got)
	}
}

// TestChangesAddUp holds a screen that takes only the changes to the frame.
func TestChangesAddUp(t *testing.T) {
	for _, whole := range []bool{false, true} {
		t.Run(fmt.Sprintf("whole lines %v", whole), func(t *testing.T) { changesAddUp(t, whole) })
	}
}

func changesAddUp(t *testing.T, whole bool) {
	var out bytes.Buffer
	to := shownOn(&out)
	to.whole = whole
	m := finished(sample(), Options{Width: 100, Height: 30})
	show := newPicture(100, 30)
	for _, k := range []string{"", "j", "j", "enter", "j", "j", "j", "G", "enter", "f", "/", "s",
		"esc", "esc", "?", "G", "esc", "g", "enter", "q"} {
		if k != "" {
			m = after(m, k)
		}
		show.write(sent(to, &out, m))
		if got, want := show.text(), seen(m); got != want {
			t.Fatalf("after %q the screen shows\n%s\nwant\n%s", k, got, want)
		}
	}
}

// A picture is as much of a terminal as frames need.
type picture struct {
	cells [][]string
	x, y  int
}

func newPicture(w, h int) *picture {
	p := &picture{cells: make([][]string, h)}
	for i := range p.cells {
		p.cells[i] = make([]string, w)
	}
	return p
}

func (p *picture) write(s string) {
	var state byte
	parser := ansi.NewParser()
	for len(s) > 0 {
		seq, w, n, next := ansi.DecodeSequence(s, state, parser)
		s, state = s[n:], next
		switch cmd := ansi.Cmd(parser.Command()); {
		case w > 0:
			p.cells[p.y][p.x] = seq
			for i := 1; i < w; i++ {
				p.cells[p.y][p.x+i] = "\x00"
			}
			p.x += w
		case strings.HasSuffix(seq, "H"):
			row, _ := parser.Param(0, 1)
			col, _ := parser.Param(1, 1)
			p.x, p.y = max(col, 1)-1, max(row, 1)-1
		case seq == "\r":
			p.x = 0
		case seq == "\n":
			p.y++
		case cmd.Final() == 'K':
			clear(p.cells[p.y][p.x:])
		case cmd.Final() == 'J':
			for _, l := range p.cells {
				clear(l)
			}
		}
	}
}

func (p *picture) text() string {
	var b strings.Builder
	for _, l := range p.cells {
		var t strings.Builder
		for _, c := range l {
			switch c {
			case "":
				t.WriteByte(' ')
			case "\x00":
			default:
				t.WriteString(c)
			}
		}
		b.WriteString(strings.TrimRight(t.String(), " ") + "\n")
	}
	return b.String()
}

// stuck is a terminal that takes nothing, as after ctrl+s.
type stuck struct {
	release chan struct{}
	transcript
}

func (s *stuck) Write(b []byte) (int, error) {
	if len(b) > 40 { // frames; the modes are set before it stops
		<-s.release
	}
	return s.transcript.Write(b)
}

// doneHeaderText is on the screen once a report is whole.
const doneHeaderText = "10:02 UTC"

// TestAStalledTerminalHoldsNobodyUp: all updates are taken while the terminal takes nothing.
func TestAStalledTerminalHoldsNobodyUp(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), wait.Limit)
	defer stop()
	in, keys := io.Pipe()
	defer keys.Close()
	out := &stuck{release: make(chan struct{})}
	updates := make(chan Update)
	var ended sync.WaitGroup
	var last Leave
	ended.Go(func() {
		last, _ = Run(ctx, in, out, Feed{Updates: updates}, Options{Width: 80, Height: 24})
	})
	for i := range 201 {
		u := live(i % 9)
		if i == 200 {
			u = live(whole)
		}
		select {
		case updates <- u:
		case <-ctx.Done():
			t.Fatalf("update %d waits for the terminal", i)
		}
	}
	close(out.release)
	out.until(t, doneHeaderText)
	keys.Write([]byte("Q"))
	ended.Wait()
	if !last.Done || !last.Print {
		t.Errorf("after it went on: done %v, report wanted %v", last.Done, last.Print)
	}
}

// many is a report with as many checks as the catalogue has.
func many() checks.Report {
	r := sample()
	all := faults.Catalogue().All()
	for i := len(r.Results); i < len(all); i++ {
		r.Results = append(r.Results, checks.Result{ID: all[i].ID, Title: all[i].Title,
			Category: all[i].Category, Status: checks.StatusUnknown,
			Gap: "denied: run as Administrator", Missing: evidence.NeedsAdministrator.Gap(),
			Fix: sample().Results[0].Fix})
	}
	return r
}

const (
	frameTime   = 16 * time.Millisecond
	cursorBytes = 1 << 10
)

// TestAMovedCursorIsCheap states the figures: what a key costs at 120x40 with
// all checks in the list.
func TestAMovedCursorIsCheap(t *testing.T) {
	var out bytes.Buffer
	to := shownOn(&out)
	m := finished(many(), Options{Width: 120, Height: 40})
	whole := len(sent(to, &out, m))
	most, sum, worst := 0, 0, time.Duration(0)
	const keys = 100
	for range keys {
		start := time.Now()
		m = after(m, "j")
		n := len(sent(to, &out, m))
		worst = max(worst, time.Since(start))
		most, sum = max(most, n), sum+n
	}
	t.Logf("%d checks at 120x40: a moved cursor is %d bytes on average and %d at most, and takes %v at most", len(m.report.Results), sum/keys, most, worst)
	if sum/keys > cursorBytes || most > whole {
		t.Errorf("a moved cursor is %d bytes on average and %d at most, want up to %d, and a whole frame of %d where the list scrolls", sum/keys, most, cursorBytes, whole)
	}
}

// BenchmarkKeyToFrame holds the time from a key to its frame in the list, and
// in a detail of a recorded node, with all checks.
func BenchmarkKeyToFrame(b *testing.B) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		for _, at := range []struct {
			name  string
			first string
			keys  []string
		}{{"list", "g", []string{"j", "j", "j", "j", "k"}},
			{"detail", "enter", []string{"j", "j", "j", "j", "G", "g"}}} {
			b.Run(fmt.Sprintf("%s-%dx%d", at.name, size[0], size[1]), func(b *testing.B) {
				var out bytes.Buffer
				to := shownOn(&out)
				m := after(demo(b, "kubelet-removed-flag", size[0], size[1]), at.first)
				bytes := 0
				for i := 0; b.Loop(); i++ {
					m = after(m, at.keys[i%len(at.keys)])
					bytes += len(sent(to, &out, m))
				}
				b.ReportMetric(float64(bytes)/float64(b.N), "bytes/key")
				if each := b.Elapsed() / time.Duration(b.N); each > frameTime {
					b.Errorf("%v from a key to its frame, want less than %v", each, frameTime)
				}
			})
		}
	}
}
