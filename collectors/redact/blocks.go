package redact

import (
	"bytes"
)

// block takes the lines of a YAML block scalar, which are indented deeper than
// their key.
func (s *scan) block(f field, at, indent int) bool {
	b := f.b
	i := at + 1
	for i < len(b) && (b[i] == '-' || b[i] == '+' || isDigit(b[i])) {
		i++
	}
	i = skipBlanks(b, i)
	if i < len(b) && b[i] == '#' {
		i = lineEnd(b, i)
	}
	if i >= len(b) || !isLine(b[i]) {
		return false
	}
	_, last, ended := deeper(b, i, indent)
	start := skipBlanks(b, nextPayload(b, i))
	for start < last && isLine(b[start]) {
		start = skipBlanks(b, nextPayload(b, start))
	}
	if start >= last {
		return ended
	}
	if !ended && s.cut(b) {
		s.engulf(start, f.kind, func(b []byte, i int) (int, bool) {
			return endOfDeeper(b, i, indent)
		})
		return true
	}
	text := dedent(b[start:last])
	if isSecret(f.text(), text, f.trust, false) || f.trust >= medium &&
		bytes.IndexByte(text, '\n') >= 0 && !onlyTokens(text) {
		s.add(start, last, f.kind, text)
	}
	return true
}

// deeper returns where the lines end that follow i and are indented deeper, and
// where the last of them that is not empty ends.
func deeper(b []byte, i, indent int) (end, last int, ended bool) {
	last = i
	for i < len(b) {
		line := nextPayload(b, i)
		text := skipBlanks(b, line)
		stop := lineEnd(b, text)
		if stop > text {
			if text-line <= indent {
				return line, last, true
			}
			last = stop
		}
		if stop >= len(b) {
			return len(b), last, false
		}
		i = stop
	}
	return len(b), last, false
}

// endOfDeeper goes on with a block that is longer than the window; i stands
// within a line or at its end.
func endOfDeeper(b []byte, i, indent int) (int, bool) {
	for {
		stop := lineEnd(b, i)
		if stop >= len(b) {
			return stop, false
		}
		line := nextLine(b, stop)
		text := skipBlanks(b, line)
		if text >= len(b) {
			return stop, false // not to be told yet
		}
		if !isLine(b[text]) && text-line <= indent {
			return stop, true
		}
		i = text
	}
}

// nextLine passes one line end.
func nextLine(b []byte, i int) int {
	if i < len(b) && b[i] == '\r' {
		i++
	}
	if i < len(b) && b[i] == '\n' {
		i++
	}
	return i
}

func skipSpaceLines(b []byte, i int) int { return run(b, i, blankByte|lineByte) }

func dedent(b []byte) []byte {
	var out []byte
	for line := range bytes.Lines(b) {
		out = append(out, bytes.TrimSpace(line)...)
		out = append(out, '\n')
	}
	return bytes.TrimSpace(out)
}
