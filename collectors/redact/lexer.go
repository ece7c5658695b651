package redact

import (
	"bytes"
	"slices"
)

// The lexer: what names, operators, quotes and values consist of, and how they are passed. All rules and
// forms read a text with these functions; each gets the text and a place in it.

// A lexer goes through a text and yields what settings consist of: names, separators, quotes and values.
type lexer struct {
	s *scan
	b []byte
	i int
}

// key yields a name, which may stand in quotes, and passes it with the separator behind it. Where names
// are given it is one of them.
func (x *lexer) key(separators string, names ...string) (name []byte, ok bool) {
	from := skipQuote(x.b, skipSpace(x.b, x.i))
	to := from + len(foldAt(x.b, from, names...))
	if names == nil {
		to = run(x.b, from, nameByte)
	}
	next := lexer{x.s, x.b, skipQuote(x.b, to)}
	if to == from || !next.separator(separators) {
		return nil, false
	}
	x.i = next.i
	return x.b[from:to], true
}

// separator passes one of some signs.
func (x *lexer) separator(signs string) bool {
	i := skipSpace(x.b, x.i)
	if !isOneOf(x.b, i, signs) {
		return false
	}
	x.i = i + 1
	return true
}

// value yields a value in quotes, or up to one of the stops, and passes it.
func (x *lexer) value(stops string) value {
	v := x.s.value(x.b, skipSpace(x.b, x.i), stops)
	x.i = skipQuote(x.b, v.end)
	return v
}

// value is where a value stands in the text.
type value struct {
	start, end int
	quoted     bool
	scalar     bool // of YAML, to the end of its line: no code
	open       bool // it goes on behind what may be looked at
	quote      byte
	escapes    int // backslashes before its quotes
}

// in is the text of the value.
func (v value) in(b []byte) []byte { return b[v.start:v.end] }

// whole tells of a value that is not empty and whose end was seen.
func (v value) whole() bool { return !v.open && v.end > v.start }

const plainStops = " \t\r\n\"'`;,&)]}<>|\x1b"

// value reads the value that begins at i: in quotes, which may be escaped, or
// up to one of the bytes in stops.
func (s *scan) value(b []byte, i int, stops string) value {
	i = min(i, len(b))
	q := i
	for byteAt(b, q) == '\\' {
		q++
	}
	if isOneOf(b, q, "\"'`") {
		return s.quotedValue(b, q, q-i)
	}
	if c, n := wideAt(b, i); c == '"' || c == '\'' {
		return s.wideValue(b, i+n)
	}
	v := value{start: i}
	if n := tokenAt(b[i:]); n > 0 {
		v.end = i + n
		return v
	}
	v.end = i
	for v.end < len(b) && (!among(b[v.end], stops) || isUnopened(b, i, v.end)) {
		if n := tokenAt(b[v.end:]); n > 0 {
			v.end += n
			continue
		}
		if b[v.end] == '\\' && s.escapedEnd(b, v.end) {
			break
		}
		if c, _ := wideAt(b, v.end); c != 0 && among(c, "\"'),;. ]>([") {
			break
		}
		v.end++
	}
	if v.end > i && b[v.end-1] == '[' && foldAt(b, v.end, `\r]`, `\n]`, "\r]", "\n]") != "" { // VALUE[\r][\n] of a wire log
		v.end--
	}
	*s.work += int64(v.end - i)
	v.open = v.end == len(b) && s.cut(b)
	return v
}

// isUnopened tells of a bracket within a value that begins at start, which nothing in its line opened: a)b.
func isUnopened(b []byte, start, i int) bool {
	return b[i] == ')' && i > start && i-start < layerBack/4 && isAlnum(byteAt(b, i+1)) && bytes.IndexByte(b[lineBack(b, start, layerBack):i], '(') < 0
}

// wideValue reads up to a quote of print.
func (s *scan) wideValue(b []byte, i int) value {
	end := i
	for !isLineAt(b, end) {
		if c, _ := wideAt(b, end); c == '"' || c == '\'' {
			break
		}
		end++
	}
	*s.work += int64(end - i)
	start := skipGap(b[:end], i) // « VALUE »
	return value{start: start, end: start + len(bytes.TrimRight(b[start:end], " \u00a0")), quoted: true}
}

// cut tells that b ends where the window does and not where the file does.
func (s *scan) cut(b []byte) bool { return !s.eof || len(b) < len(s.b) }

// escapedEnd tells whether the backslash at i begins what ends a value: a quote,
// a line's end, an ampersand as JSON has it, the zero between strings of the
// registry.
func (s *scan) escapedEnd(b []byte, i int) bool {
	switch byteAt(b, i+1) {
	case '"':
		return true
	case 'n', 'r':
		return s.escapedLine(b, i)
	case 'u':
		return hasFold(b, i, `\u0026`) && isField(b[i+6:min(len(b), i+70)])
	case '0':
		return isLineAt(b, i+2) || hasFold(b, i, `\0\0`) ||
			isField(b[i+2:min(len(b), i+70)])
	}
	return false
}

// escapedLine tells whether \n or \r at i is a line's end within a quoted text, and no
// part of a Windows path or a password.
func (s *scan) escapedLine(b []byte, i int) bool {
	j := i + 2
	if j >= len(b) || !isAlnum(b[j]) {
		return true
	}
	name := run(b, j, nameByte)
	return isLower(b[j]) && byteAt(b, name) == ':'
}

// quotedValue reads up to the quote that is escaped as the first at q is.
func (s *scan) quotedValue(b []byte, q, escapes int) value {
	v := value{start: q + 1, quoted: true, quote: b[q], escapes: escapes}
	mark, next := foldAt(b, q, "`\"", `""`), byteAt(b, q+2) // in a text in quotes, of PowerShell or of others
	if mark != "" && (mark[0] == '`' || next > ' ' && !among(next, plainStops+".")) {
		if n := bytes.Index(b[q+2:lineEnd(b[:min(len(b), q+2+layerBack)], q)], []byte(mark)); n >= 0 {
			v.start, v.end = q+2, q+2+n
			return v
		}
	}
	end, ended := closing(b, q+1, v.quote, escapes)
	v.end, v.open = end, !ended && s.cut(b)
	return v
}

// closing finds the quote that closes a text, or that of the text around it.
func closing(b []byte, i int, quote byte, escapes int) (int, bool) {
	slashes, from := 0, i
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\':
			slashes++
			continue
		case c == quote && escapes == 0 && slashes == 0 && i > from && byteAt(b, i+1) == quote && (isAlnum(byteAt(b, i+2)) || isOneOf(b, i+2, "*!@#$%^&?~_")):
			i++ // one quote, as PowerShell, SQL and VB write it, or two texts that a shell joins
		case c == quote && (closes(slashes, escapes) || oddPath(b, i, quote, escapes, slashes) ||
			quote == '\'' && escapes == 0 && byteAt(b, from-2) != '$'):
			return i - min(slashes, escapes), true
		case c == '"' && slashes < escapes:
			return i - slashes, true
		case isLine(c) && quote != '`':
			return i, true
		}
		slashes = 0
	}
	return len(b), false
}

// closes tells whether a quote behind so many backslashes closes a text whose
// first quote had escapes of them.
func closes(slashes, escapes int) bool {
	if escapes == 0 {
		return slashes%2 == 0
	}
	return slashes%2 == 1 && closes((slashes-1)/2, (escapes-1)/2)
}

// oddPath takes the quote behind a path that ends in a backslash, which no
// program escapes on Windows: "C:\k\".
func oddPath(b []byte, i int, quote byte, escapes, slashes int) bool {
	return escapes == 0 && slashes == 1 && quote == '"' && isLineAt(b, i+1)
}

// take adds a value as a secret.
func (s *scan) take(v value, kind string) {
	if v.open {
		s.engulf(v.start, kind, v.ending())
		return
	}
	s.add(v.start, v.end, kind, unescape(v.in(s.b), v.escapes, v.quote))
	if isLineAt(s.b, v.end) && !(v.quoted && v.escapes == 0 && s.overLines(v, kind)) && column(s.b, v.end) >= leastColumns {
		s.cutOff(v, kind)
	}
}

// mostBroken are the lines over which a text in quotes goes.
const mostBroken = 8

// overLines takes the rest of a text in quotes that a log or YAML broke into lines, up to the quote that closes it.
func (s *scan) overLines(v value, kind string) bool {
	b, whole := s.see(v.start), bytes.TrimRight(v.in(s.b), `\`)
	spaced := bytes.ContainsRune(whole, ' ')
	var rows []value
	for line, end := range linesBehind(b, v.end) {
		row := value{start: skipBlanks(b, line)}
		row.end = upTo(b[:end], row.start, maxName, string(v.quote))
		closed, text := row.end < end, bytes.TrimRight(row.in(b), `\`)
		if len(text) == 0 || len(text) == maxName || !spaced && bytes.ContainsRune(text, ' ') || len(rows) == mostBroken || end == len(b) && s.cut(b) {
			break
		}
		rows, whole = append(rows, row), slices.Concat(whole, text)
		if closed && !isOneOf(text, len(text)-1, "=:([{,") && s.valueEnds(b, row.end+1) { // it opens no other text
			for _, row := range rows {
				s.add(row.start, row.end, kind, row.in(b))
			}
			s.learn(kind, whole)
			return true
		}
	}
	return false
}

// leastColumns are those of a console.
const leastColumns = 80

// cutOff takes the rest of a value that a console cut at its last column.
func (s *scan) cutOff(v value, kind string) {
	b, whole := s.see(v.start), v.in(s.b)
	rest := value{start: nextLine(b, min(v.end, len(b)))}
	rest.end = run(b, rest.start, tokenByte)
	text := rest.in(b)
	ofRancher := len(whole)-1-bytes.LastIndexByte(whole, ':')+len(text) == 54
	if rest.whole() && s.valueEnds(b, rest.end) && !(rest.end == len(b) && s.cut(b)) && (ofRancher || len(text) >= leastWorded && isGenerated(text)) {
		s.add(rest.start, rest.end, kind, text)
		s.learn(kind, slices.Concat(whole, text))
	}
}

// ending tells where the rest of a long value ends.
func (v value) ending() func(b []byte, i int) (int, bool) {
	if v.quoted {
		return func(b []byte, i int) (int, bool) {
			end, ended := closing(b, i, v.quote, v.escapes)
			if !ended { // backslashes at the edge belong to what follows
				for end > i && b[end-1] == '\\' && end > len(b)-16 {
					end--
				}
			}
			return end, ended
		}
	}
	return upToSigns(plainStops)
}

// unescape undoes what the quotes of a text in JSON asked for.
func unescape(b []byte, escapes int, quote byte) []byte {
	if quote == '\'' || quote == '`' || quote == 0 {
		return b
	}
	for n := escapes; ; n /= 2 {
		plain, ok := unquoteJSON(b)
		if !ok || len(plain) == len(b) {
			return b
		}
		b = plain
		if n == 0 {
			return b
		}
	}
}
