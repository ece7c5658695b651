package redact

import (
	"bytes"
	"html"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Layers are texts in texts: with the escapes of XML or of a URL, in base64. One
// is decoded, redacted as any text is, and what was found is taken out of the
// outer one.

const (
	layerBack  = 256     // bytes before a trigger that belong to its layer
	layerAhead = 4 << 10 // and behind
)

// A decoder reads what one format writes in place of a byte.
type decoder struct {
	ends string // bytes that end the text
	// read returns what stands at i and how many bytes it takes; 0 where it stands as it is
	read func(b []byte, i, end int) (text string, n int)
}

const (
	entities = iota
	percents
	styles
	layerKinds
)

var decoders = [layerKinds]decoder{
	entities: {"\r\n", func(b []byte, i, end int) (string, int) {
		n := entityAt(b[:end], i)
		return html.UnescapeString(string(b[i : i+n])), n
	}},
	percents: {" \t\r\n\"'<>`|\\", func(b []byte, i, end int) (string, int) {
		if i+2 < end && b[i] == '%' && classOf[b[i+1]]&classOf[b[i+2]]&hexByte != 0 {
			return string([]byte{unhex(b[i+1])<<4 | unhex(b[i+2])}), 3
		}
		if b[i] == '+' && bytes.Contains(b[max(0, i-40):min(end, i+40)], []byte("%3")) {
			return " ", 1 // in a query
		}
		return "", 0
	}},
	styles: {"\r\n", func(b []byte, i, end int) (string, int) {
		return "", skipStyle(b[:end], i) - i
	}},
}

// A layer is a decoded text. The byte i of it was made of the outer text from
// from[i] to to[i].
type layer struct {
	text     []byte
	from, to []int
}

func (l *layer) add(text string, from, to int) {
	l.text = append(l.text, text...)
	for range len(text) {
		l.from, l.to = append(l.from, from), append(l.to, to)
	}
}

func entityRule(s *scan, start, _ int)  { s.layer(start, entities) }
func percentRule(s *scan, start, _ int) { s.layer(start, percents) }
func styleRule(s *scan, start, _ int)   { s.layer(start, styles) }

// layer redacts the text around start as what it stands for.
func (s *scan) layer(start, kind int) {
	if start < s.dull.layer[kind] || s.depth >= maxDepth {
		return
	}
	d := &decoders[kind]
	b := s.see(start)
	from, lowest := start, max(0, start-min(layerBack, s.back/2))
	for from > lowest && strings.IndexByte(d.ends, b[from-1]) < 0 {
		from--
	}
	end := start
	for end < len(b) && end-start < layerAhead && strings.IndexByte(d.ends, b[end]) < 0 {
		end++
	}
	if s.dull.layer[kind] = end; end-start == layerAhead {
		s.dull.layer[kind] -= layerBack
	}
	var l layer
	for i := from; i < end; {
		if text, n := d.read(b, i, end); n > 0 {
			l.add(text, i, i+n)
			i += n
			continue
		}
		l.add(string(b[i:i+1]), i, i+1)
		i++
	}
	*s.work += int64(end - from)
	inner := &scan{pass: s.within(), b: l.text, eof: true}
	inner.found, inner.prose = s.found, s.prose
	inner.rules()
	for _, x := range inner.spans {
		start, end := l.from[x.start], l.to[min(x.end, len(l.to))-1]
		if !onlyTokens(s.b[start:end]) {
			s.spans = append(s.spans, span{start, end, x.kind, x.token, false})
		}
	}
}

// entityAt is the length of the escape of XML at i, and 0 for none.
func entityAt(b []byte, i int) int {
	if i >= len(b) || b[i] != '&' {
		return 0
	}
	end := i + 1
	for end < len(b) && end-i < 10 && (isAlnum(b[end]) || b[end] == '#') {
		end++
	}
	if end >= len(b) || b[end] != ';' {
		return 0
	}
	switch name := b[i+1 : end]; string(name) {
	case "quot", "apos", "amp", "lt", "gt", "nbsp":
	default:
		if len(name) < 2 || name[0] != '#' {
			return 0
		}
	}
	return end + 1 - i
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

func percentDecoded(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] == '%' && i+2 < len(b) && classOf[b[i+1]]&classOf[b[i+2]]&hexByte != 0 {
			out = append(out, unhex(b[i+1])<<4|unhex(b[i+2]))
			i += 2
			continue
		}
		out = append(out, b[i])
	}
	return out
}

func unhex(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// leastEncoded is the length of the shortest base64 that is decoded: it may hold
// a name and a value.
const leastEncoded = 24

// encodings finds base64. Each run of leastEncoded letters or more meets one of the
// places that are looked at.
func (s *scan) encodings(from, limit int) {
	b := s.b
	for i := from; i < limit; i += leastEncoded {
		if classOf[b[i]]&base64Byte == 0 {
			continue
		}
		lowest := max(0, i-s.back/2)
		start := lowest + runBack(b[lowest:], i-lowest, base64Byte)
		end := run(b[:min(len(b), i+s.ahead)], i, base64Byte)
		switch {
		case end-start < leastEncoded:
		case isAzureKey(b[start:end]):
			s.hit(start, end, func(s *scan, start, end int) {
				s.add(start, end, "access-key", s.b[start:end])
			})
		case isText64(b[start:end]):
			s.hit(max(start, s.done), end, (*scan).encodedRule)
		}
		i += (end - i) / leastEncoded * leastEncoded
	}
}

// value64 are the six bits that each letter of base64 stands for; 64 for none.
var value64 = func() (t [256]byte) {
	for i := range t {
		t[i] = 64
	}
	for i, c := range []byte(uppers + lowers + digits + "+/") {
		t[c] = byte(i)
	}
	t['-'], t['_'] = 62, 63
	return t
}()

// isText64 tells by its beginning whether base64 holds text, which has letters of
// both cases then. What stands before may be no part of it.
func isText64(b []byte) bool {
	var lower, upper bool
	for _, c := range b[:leastEncoded] {
		lower, upper = lower || isLower(c), upper || isUpper(c)
	}
	if !lower || !upper {
		return false
	}
	for shift := range 4 {
		if isTextAt(b[shift : leastEncoded-4+shift]) {
			return true
		}
	}
	return false
}

// isTextAt tells whether groups of four letters hold text.
func isTextAt(b []byte) bool {
	var plain [leastEncoded]byte
	n := 0
	for ; len(b) >= 4; b = b[4:] {
		bits := uint32(0)
		for _, c := range b[:4] {
			if value64[c] == 64 {
				return false
			}
			bits = bits<<6 | uint32(value64[c])
		}
		plain[n], plain[n+1], plain[n+2] = byte(bits>>16), byte(bits>>8), byte(bits)
		n += 3
	}
	return isPlainText(plain[:n])
}

// isPlainText tells of letters, digits and signs, one byte each or two.
func isPlainText(b []byte) bool {
	printable := 0
	for i, c := range b {
		switch {
		case c >= ' ' && c < 0x7f || c == '\n' || c == '\r' || c == '\t':
			printable++
		case c == 0 && i%2 == 1:
		default:
			return false
		}
	}
	return 2*printable >= len(b)
}

// encodedRule takes base64 that holds a secret: a private key, the accounts of
// registries, any text with a name and its value.
func (s *scan) encodedRule(start, _ int) {
	if start < s.dull.base64 || s.depth >= maxDepth {
		return
	}
	b := s.see(start)
	end := run(b, start, base64Byte)
	s.dull.base64 = end
	*s.work += int64(end - start)
	if end == len(b) && s.cut(b) {
		if kind := s.encodedKind(b[start : start+(end-start)/4*4]); kind != "" {
			s.engulf(start, kind, func(b []byte, i int) (int, bool) {
				n := run(b, i, base64Byte)
				return n, n < len(b)
			})
		}
		return
	}
	for shift := range 4 {
		if from := start + shift; from < end {
			if kind := s.encodedKind(b[from:end]); kind != "" {
				s.add(start, end, kind, b[start:end])
				return
			}
		}
	}
}

// encodedKind is the kind of the first secret in base64, and nothing without one.
func (s *scan) encodedKind(text []byte) string {
	plain, _ := decode64(text)
	if len(plain) < 12 || !isPlainText(plain[:12]) {
		return ""
	}
	plain = fromUTF16(plain)
	if bytes.Contains(plain, []byte("PRIVATE KEY-----")) {
		return "private-key"
	}
	if bytes.Contains(plain, []byte("client-key-data")) {
		return "kubeconfig"
	}
	if bytes.Contains(plain, []byte(`"auths"`)) {
		return "registry-auth"
	}
	if !utf8.Valid(plain) {
		return ""
	}
	inner := &scan{pass: s.within(), b: plain, eof: true}
	inner.found, inner.prose = s.found, true
	if inner.rules(); len(inner.spans) == 0 {
		return ""
	}
	return inner.spans[0].kind
}

// fromUTF16 makes one byte of two where each second is zero.
func fromUTF16(plain []byte) []byte {
	if len(plain) < 4 || plain[1] != 0 || plain[3] != 0 {
		return plain
	}
	units := make([]uint16, 0, len(plain)/2)
	for i := 0; i+1 < len(plain); i += 2 {
		units = append(units, uint16(plain[i])|uint16(plain[i+1])<<8)
	}
	return []byte(string(utf16.Decode(units)))
}
