package evidence

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// findUTF16 finds where UTF-16 begins in 8-bit text: at a stretch in which every
// other byte is NUL. A single NUL, or many in a row as a crash leaves them in a
// log, are no UTF-16. The mode is eightBit where there is none before end.
func findUTF16(b []byte, end int, fresh, final bool) (at int, mode textMode) {
	last := min(end+1, len(b)) // the character before end may have its NUL at end
	for i := 0; i < last; {
		k := bytes.IndexByte(b[i:last], 0)
		if k < 0 {
			break
		}
		i += k
		if at, mode := runAt(b, i, final); mode != eightBit && at <= end {
			return runStart(b, at, fresh), mode
		}
		for i < last && b[i] == 0 {
			i++
		}
	}
	return 0, eightBit
}

// runAt tells whether the NUL at i is the first one of UTF-16 text.
func runAt(b []byte, i int, final bool) (at int, mode textMode) {
	switch {
	case i >= 2 && b[i-2] == 0xfe && b[i-1] == 0xff:
		if pairs(b[i:], 0, 1, false) {
			return i - 2, utf16BE
		}
	case i == 0 || b[i-1] == 0 || b[i-1] == '\n': // nothing before it that the NUL could belong to
		if pairs(b[i:], 0, 3, final) {
			return i, utf16BE
		}
	case i >= 3 && b[i-3] == 0xff && b[i-2] == 0xfe:
		return i - 3, utf16LE
	case pairs(b[i-1:], 1, 3, final):
		return i - 1, utf16LE
	}
	return 0, eightBit
}

// pairs tells whether b begins with that many pairs of a NUL, at index zero of
// the pair, and something else. With ends, two do where they end a line or b.
func pairs(b []byte, zero, want int, ends bool) bool {
	n := 0
	for n < want && 2*n+1 < len(b) && b[2*n+zero] == 0 && b[2*n+1-zero] != 0 {
		n++
	}
	return n == want || n == 2 && (b[1-zero] == '\r' && b[3-zero] == '\n' || ends && len(b) == 4)
}

// runStart moves the start of UTF-16 back to the start of its line, where that
// holds characters without a NUL, as Chinese does.
func runStart(b []byte, at int, fresh bool) int {
	line := bytes.LastIndexByte(b[:at], '\n') + 1
	if line == 0 && !fresh || (at-line)%2 != 0 || utf8.Valid(b[line:at]) {
		return at
	}
	return line
}

// utf16 decodes up to where 8-bit text begins; n is 0 where it begins at once.
func (d *textDecoder) utf16(dst, b []byte, final bool) (text []byte, n int) {
	end := len(b)
	if !final {
		end -= textAhead
	}
	low, high := 0, 1
	if d.mode == utf16BE {
		low, high = 1, 0
	}
	i := 0
	for ; i+1 < end; d.switched = false {
		lo, hi := b[i+low], b[i+high]
		if hi == 0 {
			if lo < utf8.RuneSelf {
				dst = append(dst, lo)
			} else {
				dst = utf8.AppendRune(dst, rune(lo))
			}
			d.lineStart = lo == '\n'
			i += 2
			continue
		}
		if lo == '\r' && hi == '\n' && low == 0 && i+2 < len(b) && b[i+2] == 0 {
			// A program in text mode made two bytes of the line feed of a UTF-16 stream.
			dst = append(dst, '\n')
			d.lineStart = true
			i += 3
			continue
		}
		if !d.switched && isEightBit(b[i:], d.lineStart, final) {
			d.mode = eightBit
			return dst, i
		}
		if lo == 0 && pairs(b[i:], low, 4, false) {
			// One byte too many or too few: get back in step.
			if low == 1 {
				dst = utf8.AppendRune(dst, rune(hi))
			}
			i++
			continue
		}
		r := rune(hi)<<8 | rune(lo)
		i += 2
		d.lineStart = false
		switch {
		case r == 0xfeff: // a byte order mark in the middle: two files were joined
			continue
		case r == 0xfffe:
			d.mode, low, high = utf16LE+utf16BE-d.mode, high, low
			continue
		case utf16.IsSurrogate(r):
			if i+1 < len(b) {
				r = utf16.DecodeRune(r, rune(b[i+high])<<8|rune(b[i+low]))
				if r != utf8.RuneError {
					i += 2
				}
			} else {
				r = utf8.RuneError
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	if final && i+1 == len(b) {
		if b[i] == 0 {
			i++
		} else {
			d.mode = eightBit
		}
	}
	return dst, i
}

// isEightBit tells whether b, met in UTF-16 text, begins with 8-bit text. As
// UTF-16, printable ASCII would be rare Chinese, so 32 such bytes are never
// that; at the start of a line a line end in single bytes says the same.
func isEightBit(b []byte, lineStart, final bool) bool {
	n := 0
	for n < len(b) && n < 32 && isPlain(b[n]) {
		n++
	}
	if n == 32 {
		return true
	}
	if !lineStart {
		return false
	}
	if final && n == len(b) && (n >= 16 || n%2 == 1) {
		return true
	}
	line := b[:min(len(b), textAhead-2)]
	lf := bytes.IndexByte(line, '\n')
	return lf >= 1 && line[lf-1] == '\r' && bytes.IndexByte(line[:lf], 0) < 0 &&
		(lf+1 == len(b) || b[lf+1] != 0)
}

func isPlain(c byte) bool {
	return ' ' <= c && c <= '~' || c == '\n' || c == '\r' || c == '\t'
}
