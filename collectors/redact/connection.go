package redact

import (
	"bytes"
	"html"
)

// connection tells whether NAME=value is a field of a connection string: what
// separates the fields is a semicolon.
func (s *scan) connection(b []byte, name, at int) bool {
	before := s.b[max(0, name-256):name]
	before = before[bytes.LastIndexAny(before, "\"'\r\n")+1:]
	after := b[at:upTo(b, at, 512, "\"'\r\n")]
	if i := bytes.LastIndexByte(before, ';'); i == 0 && among(byteAt(s.b, name-len(before)-1), "\"'") && among(byteAt(s.b, name-len(before)-2), " \t(+&=,") || bytes.Contains(before[:max(0, i)], []byte("=")) { // also "…" + ";Password=VALUE"
		return !bytes.ContainsRune(before[i:], '\\')
	}
	_, next, _ := bytes.Cut(after, []byte(";"))
	return isField(next)
}

// isField tells whether text begins like the next field of a connection string.
func isField(text []byte) bool {
	text = bytes.TrimLeft(text, " ")
	i := bytes.IndexByte(text, '=')
	return i > 0 && i < 40 && run(text[:i], 0, nameByte|blankByte) == i
}

// connectionField takes the value of a field of a connection string: in braces, as
// ODBC has it, in quotes, which are doubled within, or up to the next semicolon
// that ends no entity of XML.
func (s *scan) connectionField(f field, i int) bool {
	b := f.b
	if tokenAt(b[i:]) > 0 {
		return true
	}
	v, ok := s.enclosed(f, i)
	if !ok {
		return false
	}
	if v.open {
		s.takeJudged(f, v, false)
		return true
	}
	if *s.work += int64(v.end - i); v.end-i > s.ahead/2 {
		return false
	}
	v = s.trimmed(v, ";\r\n")
	text := v.in(s.b)
	if b[i] == '{' && isOwnName(f.text(), text) {
		return true // Password={password}
	}
	if isSecret(f.text(), text, f.trust, false) {
		s.add(v.start, v.end, f.kind, []byte(html.UnescapeString(string(unescape(text, 0, '"')))))
	}
	return true
}

// enclosed finds the ends of a field's value by what it begins with.
func (s *scan) enclosed(f field, i int) (v value, ok bool) {
	b := f.b
	switch c := b[i]; c {
	case '{', '"', '\'':
		close := c
		if c == '{' {
			close = '}'
		}
		end := doubledEnd(b, i+1, close)
		return value{start: i + 1, end: end}, end >= 0 && (c == '{' || end+1 >= len(b))
	case '\\':
		if skipQuote(b, i) > i {
			return v, false
		}
		return value{start: i, end: s.fieldEnd(b, f.from, i)}, true
	case '&':
		v = value{start: i, end: s.fieldEnd(b, f.from, i)}
		if quote := foldAt(b, i, "&quot;", "&#34;", "&apos;", "&#39;"); quote != "" {
			v.start += len(quote)
			if end := bytes.Index(b[v.start:min(len(b), v.start+512)], []byte(quote)); end >= 0 {
				v.end = v.start + end
			}
		}
		return v, true
	}
	v = value{start: i, end: s.fieldEnd(b, f.from, i)}
	v.open = v.end == len(b) && s.cut(b)
	return v, true
}

// doubledEnd finds the byte that closes a text in which it stands doubled.
func doubledEnd(b []byte, i int, c byte) int {
	for ; i < len(b) && !isLine(b[i]); i++ {
		if b[i] != c {
			continue
		}
		if byteAt(b, i+1) != c {
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
	if c := byteAt(before, bytes.LastIndexAny(before, "\"'\r\n")); !isLine(c) {
		return c
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
