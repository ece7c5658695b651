package signs

import (
	"bytes"
	"errors"
	"io"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/unexplained"
)

const bufferSize = 256 << 10

// scan streams one log through the finder. A line longer than the buffer is
// searched in pieces that overlap by the longest text, so that nothing hides at
// a seam.
func (c *scanner) scan(file, source string, r io.Reader) error {
	buf := make([]byte, max(bufferSize, 4*c.longest))
	held, line, offset := 0, 1, int64(0)
	c.here, c.inFile = c.signsOf(source), make([]*match, len(c.list))
	var begin time.Time // of the log
	var end []byte      // the last lines of the log
	defer func() {
		first := line - bytes.Count(end, newline)
		c.errors = append(c.errors, unexplained.Lines(file, end, first, c.now)...)
		total := line
		if bytes.HasSuffix(end, newline) {
			total--
		}
		c.begun[file] = begin
		ends := evidence.LastTime(end, c.now)
		for _, m := range c.inFile {
			if m != nil {
				m.lastly, m.ends = total-m.lastLine < quietLines, ends
			}
		}
	}()
	for {
		n, err := io.ReadFull(r, buf[held:])
		n += held
		last := err != nil
		chunk := buf[:n]
		if !last {
			if at := bytes.LastIndexByte(chunk, '\n'); at >= 0 {
				chunk = chunk[:at+1]
			}
		}
		if offset == 0 {
			begin = firstTime(chunk, c.now)
		}
		line = c.search(file, chunk, line, offset)
		end = lastLines(append(end, chunk...))
		if last {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return nil
			}
			return err
		}
		keep := n - len(chunk)
		if keep == 0 && chunk[len(chunk)-1] != '\n' {
			keep = min(c.longest-1, n)
		}
		offset += int64(n - keep)
		copy(buf, buf[n-keep:n])
		held = keep
	}
}

// firstTime is the time of the first line that has one, among the first ones.
func firstTime(chunk []byte, now time.Time) time.Time {
	n := 0
	for line := range bytes.Lines(chunk) {
		if at := evidence.LineTime(string(line[:min(len(line), evidence.MaxStamp)]), now); !at.IsZero() || n == 20 {
			return at
		}
		n++
	}
	return time.Time{}
}

// search looks for all texts in chunk, whose first line has the given number
// and whose first byte the given place in the log, and returns the number of
// the line after it.
func (c *scanner) search(file string, chunk []byte, line int, offset int64) int {
	at, stop := 0, -1
	c.finder.Each(chunk, func(text, from, to int) {
		if from >= at && to > stop { // else still in the same line
			start := max(bytes.LastIndexByte(chunk[at:from], '\n')+1+at, at)
			line += bytes.Count(chunk[at:start], newline)
			at, stop = start, len(chunk)
			if i := bytes.IndexByte(chunk[to:], '\n'); i >= 0 {
				stop = to + i
			}
		}
		if c.consider(text, file, line, excerpt(chunk[at:stop], from-at), chunk[:at]) {
			c.trouble = max(c.trouble, offset+int64(stop))
		}
	})
	return line + bytes.Count(chunk[at:], newline)
}

var newline = []byte{'\n'}

// excerpt keeps the part of a long line around the match.
func excerpt(line []byte, match int) []byte {
	line = bytes.TrimRight(line, "\r")
	if len(line) <= maxLine {
		return line
	}
	from := max(0, min(match-maxLine/2, len(line)-maxLine))
	return line[from : from+maxLine]
}

// lastLines cuts the beginning off what is kept of a log, at the end of a line, where it is much
// more than what is looked at.
func lastLines(text []byte) []byte {
	if len(text) < 2*unexplained.Tail {
		return text
	}
	last := text[len(text)-unexplained.Tail:]
	return text[:copy(text, last[bytes.IndexByte(last, '\n')+1:])]
}
