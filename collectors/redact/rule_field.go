package redact

import (
	"bytes"
	"html"
	"strings"
)

// field takes the value of a field of a connection string: in braces, as ODBC
// has it, in quotes, which are doubled within, or up to the next semicolon that
// ends no entity of XML.
func (s *scan) field(n name4, i int) bool {
	b := n.b
	v := value{start: i, end: i}
	switch b[i] {
	case '{':
		v.start++
		end := doubledEnd(b, v.start, '}')
		if end < 0 {
			return false
		}
		v.end = end
	case '"', '\'':
		v.start++
		end := doubledEnd(b, v.start, b[i])
		if end < 0 || end+1 < len(b) && strings.IndexByte("; \"'\r\n\\`)]}<", b[end+1]) < 0 {
			return false
		}
		v.end = end
	case '\\':
		if skipQuote(b, i) > i {
			return false
		}
		v.end = s.fieldEnd(b, n.from, i)
	case '&':
		v.end = s.fieldEnd(b, n.from, i)
		if quote := entityQuote(b, i); quote != "" {
			v.start += len(quote)
			if end := bytes.Index(b[v.start:min(len(b), v.start+512)], []byte(quote)); end >= 0 {
				v.end = v.start + end
			}
		}
	default:
		if tokenAt(b[i:]) > 0 {
			return true
		}
		v.end = s.fieldEnd(b, n.from, i)
		if v.open = v.end == len(b) && s.cut(b); v.open {
			s.takeJudged(n, v, false)
			return true
		}
	}
	if *s.work += int64(v.end - i); v.end-i > s.ahead/2 {
		return false
	}
	v = s.trimmed(v, ";\r\n")
	text := s.b[v.start:v.end]
	if v.end > v.start && isSecret(n.text(), text, n.trust, false) {
		s.add(v.start, v.end, n.kind, []byte(html.UnescapeString(string(unescape(text, 0, '"')))))
	}
	return true
}

const recoveryLength = 55

// isRecoveryPassword takes that of a BitLocker volume: eight times six digits.
func isRecoveryPassword(b []byte, i int) bool {
	if i+recoveryLength > len(b) {
		return false
	}
	for k, c := range b[i : i+recoveryLength] {
		if k%7 == 6 && c != '-' || k%7 != 6 && !isDigit(c) {
			return false
		}
	}
	return true
}

// alone tells whether a name is the first word of its line.
func (s *scan) alone(name int) bool {
	_, first := s.beginsLine(name)
	return first
}

// doubledEnd finds the byte that closes a text in which it stands doubled.
func doubledEnd(b []byte, i int, c byte) int {
	for ; i < len(b) && !isLine(b[i]); i++ {
		if b[i] != c {
			continue
		}
		if i+1 >= len(b) || b[i+1] != c {
			return i
		}
		i++
	}
	return -1
}

// fieldEnd finds where a field's value ends that has no quotes. A quote ends it
// that is the one before the connection string, and any other when no further
// field follows.
func (s *scan) fieldEnd(b []byte, name, i int) int {
	outer := s.outerQuote(name)
	quote := -1
	for end := i; end < len(b); end++ {
		switch c := b[end]; {
		case isLine(c):
			if quote >= 0 {
				return quote
			}
			return end
		case c == ';' && !isEntity(b, i, end):
			if rest := b[end+1:]; quote >= 0 && len(rest) > 0 &&
				!isField(rest[:min(len(rest), 64)]) {
				return quote
			}
			return end
		case c == '<' && quote < 0 && tokenAt(b[end:]) == 0 && hasFold(b, end, "</"):
			return end
		case c == outer:
			return end - slashesBefore(b, i, end)
		case (c == '"' || c == '\'') && quote < 0:
			quote = end - slashesBefore(b, i, end)
		}
	}
	if quote >= 0 && outer != 0 {
		return quote
	}
	return len(b)
}

// outerQuote is the quote that stands before the fields of a connection string.
func (s *scan) outerQuote(name int) byte {
	before := s.b[max(0, name-256):name]
	if i := bytes.LastIndexAny(before, "\"'\r\n"); i >= 0 && !isLine(before[i]) {
		return before[i]
	}
	return 0
}

func slashesBefore(b []byte, from, i int) int {
	n := 0
	for i-n > from && b[i-n-1] == '\\' {
		n++
	}
	return n
}

// entityQuote returns the quote of XML that stands at i.
func entityQuote(b []byte, i int) string {
	for _, quote := range []string{"&quot;", "&#34;", "&apos;", "&#39;"} {
		if hasFold(b, i, quote) {
			return quote
		}
	}
	return ""
}

// isEntity tells whether a semicolon ends &quot; or &#34;.
func isEntity(b []byte, from, semicolon int) bool {
	i := semicolon
	for i > from && semicolon-i < 8 && (isAlnum(b[i-1]) || b[i-1] == '#') {
		i--
	}
	return i < semicolon && i > from && b[i-1] == '&'
}

// percent takes the value of name%3Dvalue, in a URL that stands in another.
func (s *scan) percent(n name4, at int) {
	b := n.b
	i := at + 3
	next := "%26"
	if hasFold(b, at, "%253d") {
		i, next = at+5, "%2526"
	}
	end := i
	for end < len(b) && (classOf[b[end]]&tokenByte != 0 || b[end] == '%' &&
		!hasFold(b, end, next)) {
		end++
	}
	if text := percentDecoded(b[i:end]); isSecret(n.text(), text, n.trust, false) {
		s.learn(n.kind, text)
		s.take(value{start: i, end: end, open: end == len(b) && s.cut(b)}, n.kind)
	}
}

// skipStyle passes what colours a terminal: ESC [ 36 m.
func skipStyle(b []byte, i int) int {
	for i+2 < len(b) && b[i] == 0x1b && b[i+1] == '[' {
		end := i + 2
		for end < len(b) && (isDigit(b[end]) || b[end] == ';') {
			end++
		}
		if end >= len(b) || b[end] != 'm' {
			return i
		}
		i = end + 1
	}
	return i
}

// styleEnd returns where such a sequence ends whose last bytes were taken for the
// beginning of a name.
func (s *scan) styleEnd(from, start int) int {
	end := from
	for end < start && isDigit(s.b[end]) {
		end++
	}
	if end >= start || s.b[end] != 'm' {
		return from
	}
	i := from
	for i > 0 && from-i < 8 && (s.b[i-1] == ';' || isDigit(s.b[i-1])) {
		i--
	}
	if i >= 2 && s.b[i-1] == '[' && s.b[i-2] == 0x1b {
		return end + 1
	}
	return from
}
