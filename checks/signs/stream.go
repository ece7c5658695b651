package signs

import (
	"bytes"
	"errors"
	"io"
)

const bufferSize = 256 << 10

// scan streams one log through the automaton. A line longer than the buffer is
// searched in pieces that overlap by the longest text, so that nothing hides at
// a seam.
func (c *scanner) scan(file, source string, r io.Reader) error {
	buf := make([]byte, max(bufferSize, 4*c.longest))
	held, line := 0, 1
	for {
		n, err := io.ReadFull(r, buf[held:])
		n += held
		end := err != nil
		chunk := buf[:n]
		if !end {
			if at := bytes.LastIndexByte(chunk, '\n'); at >= 0 {
				chunk = chunk[:at+1]
			}
		}
		line = c.search(file, source, chunk, line)
		if end {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return nil
			}
			return err
		}
		keep := n - len(chunk)
		if keep == 0 && chunk[len(chunk)-1] != '\n' {
			keep = min(c.longest-1, n)
		}
		copy(buf, buf[n-keep:n])
		held = keep
	}
}

// search looks for all texts in chunk, whose first line has the given number,
// and returns the number of the line after it.
func (c *scanner) search(file, source string, chunk []byte, line int) int {
	at := 0
	for iter := c.finder.IterOverlappingByte(chunk); ; {
		m := iter.Next()
		if m == nil {
			break
		}
		start := bytes.LastIndexByte(chunk[:m.Start()], '\n') + 1
		if start > at {
			line += bytes.Count(chunk[at:start], newline)
			at = start
		}
		stop := len(chunk)
		if i := bytes.IndexByte(chunk[m.End():], '\n'); i >= 0 {
			stop = m.End() + i
		}
		c.consider(m.Pattern(), source, file, line, excerpt(chunk[start:stop], m.Start()-start))
	}
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
