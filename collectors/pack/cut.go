package pack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"doctor/checks/evidence"
)

// A cutter hands on a log without what its share does not cover. Where lines
// are left out it puts one line that says which.
type cutter struct {
	r       io.Reader
	share   share
	windows []window
	now     time.Time
	tailAt  int64 // the byte of the text where the tail begins
	endAt   int64 // and where what is kept however old it is

	buf  []byte
	held int
	err  error
	out  bytes.Buffer

	at      int64 // bytes of the text taken in
	line    int   // number of the line that comes next, in the log
	written int   // lines handed on, the marks among them
	broken  bool  // what was handed on does not end in a line's end
	marked  bool  // a mark is the last line that was handed on
	recent  bool  // a line within the time was seen, so that all that follows is
	inside  int64 // bytes handed on of the window
	window  int   // the first one that is not behind

	skipped  Cut // what is being left out
	cuts     []Cut
	lines    int   // left out in all
	bytes    int64 // left out in all
	segments []segment
}

// A segment is a run of lines that were handed on.
type segment struct{ from, to, at int }

const cutBuffer = 64 << 10

func newCutter(r io.Reader, it item, sh share, now time.Time, textSize int64) *cutter {
	c := &cutter{r: r, share: sh, windows: it.windows, now: now, line: 1,
		buf: make([]byte, cutBuffer)}
	c.tailAt = max(sh.head, textSize-sh.tail)
	c.endAt = max(c.tailAt, textSize-leastTail)
	c.recent = sh.since.IsZero()
	return c
}

func (c *cutter) Read(p []byte) (int, error) {
	for c.out.Len() == 0 {
		if c.err != nil {
			return 0, c.err
		}
		c.step()
	}
	return c.out.Read(p)
}

// step takes in a buffer full of whole lines, or a piece of a longer line.
func (c *cutter) step() {
	n, err := io.ReadFull(c.r, c.buf[c.held:])
	n += c.held
	chunk := c.buf[:n]
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		c.err = io.EOF
	case err != nil:
		c.err = err
		return
	default:
		if at := bytes.LastIndexByte(chunk, '\n'); at >= 0 {
			chunk = chunk[:at+1]
		}
	}
	c.take(chunk)
	c.held = copy(c.buf, c.buf[len(chunk):n])
	if c.err == io.EOF {
		c.endSkip()
	}
}

func (c *cutter) take(chunk []byte) {
	if len(chunk) == 0 {
		return
	}
	if c.at == 0 && !c.recent {
		c.recent = !c.hasTime(chunk) // nothing tells how old its lines are
	}
	lines := bytes.Count(chunk, newline)
	last := c.line + lines
	switch near := c.windowIn(c.line, last); {
	case c.share.all || c.at+int64(len(chunk)) <= c.share.head, c.inTail() && c.recent,
		c.at >= c.endAt:
		c.keep(chunk, lines)
	case c.at < c.share.head || near:
		c.takeLines(chunk)
	case c.at+int64(len(chunk)) <= c.tailAt, c.at+int64(len(chunk)) <= c.endAt && !c.recent &&
		!c.isRecent(chunk):
		c.skip(chunk, lines)
	default:
		c.takeLines(chunk)
	}
}

var newline = []byte{'\n'}

func (c *cutter) takeLines(chunk []byte) {
	for len(chunk) > 0 {
		line, lines := chunk, 0
		if at := bytes.IndexByte(chunk, '\n'); at >= 0 {
			line, lines = chunk[:at+1], 1
		}
		chunk = chunk[len(line):]
		keep := c.at < c.share.head || c.inWindow(len(line))
		if !keep && c.inTail() {
			c.recent = c.recent || c.isRecent(line)
			keep = c.recent || c.at >= c.endAt
		}
		if keep {
			c.keep(line, lines)
		} else {
			c.skip(line, lines)
		}
	}
}

func (c *cutter) inTail() bool { return c.at >= c.tailAt }

func (c *cutter) hasTime(chunk []byte) bool {
	for line := range bytes.Lines(chunk) {
		if !evidence.LastTime(line, c.now).IsZero() {
			return true
		}
	}
	return false
}

// windowIn tells whether a window meets the lines, and forgets those behind.
func (c *cutter) windowIn(from, to int) bool {
	for c.window < len(c.windows) && c.windows[c.window].to < from {
		c.window, c.inside = c.window+1, 0
	}
	return c.window < len(c.windows) && c.windows[c.window].from <= to
}

func (c *cutter) inWindow(size int) bool {
	if !c.windowIn(c.line, c.line) || c.inside > mostWindow {
		return false
	}
	c.inside += int64(size)
	return true
}

// isRecent tells whether a line of the chunk is within the time. Its last time
// speaks for all of it, for logs are written in order.
func (c *cutter) isRecent(chunk []byte) bool {
	at := evidence.LastTime(chunk, c.now)
	return !at.IsZero() && !at.Before(c.share.since)
}

func (c *cutter) keep(b []byte, lines int) {
	c.endSkip()
	if len(c.segments) == 0 || c.marked {
		c.segments = append(c.segments, segment{from: c.line, at: c.written + 1})
		c.marked = false
	}
	c.out.Write(b)
	c.written += lines
	c.broken = b[len(b)-1] != '\n'
	c.pass(b, lines)
	last := &c.segments[len(c.segments)-1]
	if last.to = c.line - 1; c.broken {
		last.to = c.line
	}
}

func (c *cutter) skip(b []byte, lines int) {
	if c.skipped.Bytes == 0 {
		c.skipped = Cut{From: c.line}
	}
	c.skipped.Bytes += int64(len(b))
	c.skipped.To = c.line + max(lines-1, 0)
	c.pass(b, lines)
}

func (c *cutter) pass(b []byte, lines int) {
	c.at += int64(len(b))
	c.line += lines
}

// endSkip writes the mark for what was left out until here.
func (c *cutter) endSkip() {
	cut := c.skipped
	if cut.Bytes == 0 {
		return
	}
	c.skipped = Cut{}
	if c.broken {
		c.out.WriteByte('\n')
		c.written++
		c.broken = false
	}
	fmt.Fprintf(&c.out, "%slines %d to %d here, %s]\n", evidence.LeftOut, cut.From, cut.To,
		evidence.SizeText(cut.Bytes))
	c.written++
	c.marked = true
	cut.Line = c.written
	c.lines += cut.To - cut.From + 1
	c.bytes += cut.Bytes
	if len(c.cuts) < maxCuts {
		c.cuts = append(c.cuts, cut)
	}
}

// lineIn tells which line of what was handed on is the given one of the log; 0
// where it was left out.
func lineIn(segments []segment, line int) int {
	for _, s := range segments {
		if line >= s.from && line <= s.to {
			return s.at + line - s.from
		}
	}
	return 0
}
