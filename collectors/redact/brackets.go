package redact

import (
	"bytes"
	"strings"
)

// bracketed deals with lists of values: token: [a, b], and {"value": "x"}. Other
// mappings and calls have names of their own.
func (s *scan) bracketed(f field, at int) {
	b := f.b
	if b[at] == '(' {
		s.tuple(f, at)
		return
	}
	if b[at] == '{' {
		if at+38 <= len(b) && isGUID(b[at:at+38]) {
			s.takeJudged(f, value{start: at, end: at + 38}, false)
			return
		}
		s.valueIn(f, skipMore(b, at+1))
		return
	}
	if b[at] == '[' {
		s.listed(f, at+1)
	}
}

// listed takes the values of a list.
func (s *scan) listed(f field, i int) {
	b := f.b
	for i < len(b) {
		i = skipSpace(b, i)
		if i >= len(b) || strings.IndexByte("][{:", b[i]) >= 0 {
			return
		}
		v := s.value(b, i, plainStops)
		if v.end <= i || !v.quoted && v.end+1 < len(b) && b[v.end] == ']' &&
			strings.IndexByte(":([@", b[v.end+1]) >= 0 { // [System.Text.Encoding]::ASCII, [PSCustomObject]@{, a link of Markdown
			return
		}
		s.takeJudged(f, v, s.prose && !v.quoted)
		if v.open {
			return
		}
		i = skipSpace(b, skipQuote(b, v.end))
		if byteAt(b, i) == ',' {
			i++
		} else if i < len(b) && b[i] != ']' && !v.quoted {
			return
		}
	}
}

// valueIn takes the value of an object whose first key is at i: {"type":"SecureString","value":"x"}.
func (s *scan) valueIn(f field, i int) {
	b := f.b
	for range 4 {
		key := skipQuote(b, i)
		colon := skipBlanks(b, skipQuote(b, run(b, key, nameByte)))
		if key == len(b) || !isOneOf(b, colon, ":=") {
			return
		}
		at := skipSpace(b, colon+1)
		if name := b[key:run(b, key, nameByte)]; bytes.EqualFold(name, []byte("value")) || hasFold(name, 0, "inline") {
			s.sibling(f, at)
			return
		}
		if i = skipBlanks(b, skipQuote(b, s.value(b, at, plainStops).end)); byteAt(b, i) != ',' {
			return
		}
		i = skipMore(b, i+1)
	}
}

// skipMore passes blanks, and where a line ends what is written before the next.
func skipMore(b []byte, i int) int {
	if i = skipBlanks(b, i); isLine(byteAt(b, i)) {
		i = skipBlanks(b, nextPayload(b, i))
	}
	return skipSpace(b, i)
}

// tuple takes the second of two values in brackets: auth = ('user', 'VALUE').
func (s *scan) tuple(f field, at int) {
	b := f.b
	i := skipBlanks(b, at+1)
	if skipQuote(b, i) == i {
		return
	}
	user := s.value(b, i, plainStops)
	i = skipBlanks(b, skipQuote(b, user.end))
	if user.open || byteAt(b, i) != ',' {
		s.takeJudged(f, user, false) // ("VALUE")
		return
	}
	if i = skipBlanks(b, i+1); skipQuote(b, i) > i {
		if v := s.value(b, i, plainStops); !v.open && (looksChosen(v.in(b)) || isCoined(v.in(b), false)) {
			s.take(v, "password")
		}
	}
}
