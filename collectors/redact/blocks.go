package redact

import (
	"bytes"
)

// nextLineValue reads a value that stands in the line behind its name.
func (s *scan) nextLineValue(f field, op operator, i, indent int, first bool) {
	b := f.b
	next := nextPayload(b, i)
	at := skipBlanks(b, next)
	if at >= len(b) || isLine(b[at]) || skipWrapper(b, at) >= len(b) {
		if f.trust == strong {
			s.toldBelow(f, i) // behind an empty line
		}
		return
	}
	switch {
	case f.quoted && b[skipWrapper(b, at)] == '"': // or string(12) "…", as PHP prints it
		s.takeJudged(f, s.value(b, skipWrapper(b, at), plainStops), false)
	case first && op.sign == ':' && at-next >= indent && hasFold(b, at, "- "):
		s.items(f, next)
	case !first || op.sign != ':' || at-next <= indent || b[at] == '-' || b[at] == '#':
	case hasFold(b, skipQuote(b, at), "value"):
		at = skipBlanks(b, skipQuote(b, skipQuote(b, at)+len("value")))
		if byteAt(b, at) == ':' {
			s.sibling(f, skipGap(b, at+1))
		}
	default:
		v := s.trimmed(s.value(b, at, "\r\n"), "\r\n")
		if isAllOfLine(b, v) {
			s.takeJudged(f, v, f.trust < strong || moreWords(b, at))
		}
	}
}

// isAllOfLine tells of a value that stands alone in its line and is no key of another one.
func isAllOfLine(b []byte, v value) bool {
	end := skipBlanks(b, skipQuote(b, v.end))
	text := v.in(b)
	return !v.open && (!v.quoted || isLineAt(b, end)) && !bytes.Contains(text, []byte(": ")) && !bytes.HasSuffix(text, []byte(":"))
}

// items takes the items of a list of YAML, whose first line begins at i.
func (s *scan) items(f field, i int) {
	b := f.b
	for range mostRows {
		at := skipBlanks(b, i)
		end := lineEnd(b, at)
		if !hasFold(b, at, "- ") {
			return
		}
		v := s.trimmed(s.value(b, skipBlanks(b, at+1), "\r\n"), "\r\n")
		if !v.whole() || bytes.Contains(v.in(b), []byte(": ")) || b[v.end-1] == ':' {
			return // of mappings
		}
		if f.kind != "token" || run(b, v.start, tokenByte) == v.end { // tokens are also what a text consists of
			s.takeJudged(f, v, f.trust < strong)
		}
		i = nextPayload(b, end)
	}
}

// block takes the lines of a YAML block scalar, which are indented deeper than
// their key.
func (s *scan) block(f field, at, indent int) bool {
	b := f.b
	i := skipBlanks(b, skipOf(b, at+1, len(b), "-+"+digits))
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
	if byteAt(b, i) == '\r' {
		i++
	}
	if byteAt(b, i) == '\n' {
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
