package redact

import (
	"bytes"
	"html"
	"slices"
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
	ends   string // bytes that end the text
	within string // bytes that end a value in it
	quoted bool   // it stands in quotes
	// read returns what stands at i and how many bytes it takes; 0 where it stands as it is
	read func(b []byte, i, end int) (text string, n int)
}

const (
	entities = iota
	percents
	queries // percents where a blank is written as a plus
	styles
	wides
	escapes
	printables // quoted-printable, of mail
	layerKinds
)

var decoders = [layerKinds]decoder{
	entities: {ends: "\r\n<>", read: func(b []byte, i, end int) (string, int) {
		n := entityAt(b[:end], i)
		return html.UnescapeString(string(b[i : i+n])), n
	}},
	percents: {ends: "\r\n", within: percentEnds, read: readPercent},
	queries: {ends: percentEnds + "?&=", read: func(b []byte, i, end int) (string, int) {
		if b[i] == '+' {
			return " ", 1
		}
		return readPercent(b, i, end)
	}},
	styles: {read: func(b []byte, i, end int) (string, int) {
		return "", skipStyle(b[:end], i) - i
	}},
	wides: {ends: "\r\n", read: func(b []byte, i, end int) (string, int) {
		c, n := narrow(b[i:end])
		return string([]byte{c}[:min(n, 1)]), n
	}},
	escapes: {ends: "\r\n\"", quoted: true, read: readEscape},
	printables: {read: func(b []byte, i, end int) (string, int) {
		if next := nextLine(b[:end], i+1); b[i] == '=' && next > i+1 {
			return "", next - i
		} else if b[i] == '=' && i+2 < end && classOf[b[i+1]]&classOf[b[i+2]]&hexByte != 0 {
			return string([]byte{unhex(b[i+1])<<4 | unhex(b[i+2])}), 3
		}
		return "", 0
	}},
}

const percentEnds = " \t\r\n\"'<>`|\\"

func readPercent(b []byte, i, end int) (string, int) {
	if i+2 >= end || b[i] != '%' || classOf[b[i+1]]&classOf[b[i+2]]&hexByte == 0 {
		return "", 0
	}
	if name := run(b, i+1, wordByte); byteAt(b, name) == '%' && name+1 < len(b) && classOf[byteAt(b, name+1)]&hexByte == 0 && isCapital(b[i+1:name]) { // %DB_NAME%
		return "", 0
	}
	return string([]byte{unhex(b[i+1])<<4 | unhex(b[i+2])}), 3
}

// readEscape reads what stands behind a backslash in a text of JSON or of Go.
func readEscape(b []byte, i, end int) (string, int) {
	if b[i] != '\\' || i+1 >= end {
		return "", 0
	}
	switch b[i+1] {
	case 'n':
		return "\n", 2
	case 'r':
		return "\r", 2
	case 't':
		return "\t", 2
	case '"', '\\', '/':
		return string(b[i+1 : i+2]), 2
	case 'u':
		if text, ok := unquoteJSON(b[i:min(i+6, end)]); ok {
			return string(text), 6
		}
	}
	return "", 0
}

// narrow is the sign of ASCII for the one of full width that b begins with, and how long that one is.
func narrow(b []byte) (ascii byte, n int) {
	wide, n := utf8.DecodeRune(b)
	if wide < '！' || wide > '～' {
		return 0, 0
	}
	return byte(wide - '！' + '!'), n
}

// elementRule reads the text of an element of XML by itself, before its closing tag.
func elementRule(s *scan, _ []byte, start, _ int) {
	if from := bytes.LastIndexByte(s.b[max(0, start-layerBack):start], '>') + 1; from > 0 &&
		bytes.ContainsAny(s.b[max(0, start-layerBack)+from:start], " =:") {
		s.layer(start-1, entities)
	}
}

// decodes are the rules that decode what is around a place.
var decodes [layerKinds]rule

func init() {
	for kind := range decodes {
		decodes[kind] = func(s *scan, _ []byte, start, _ int) { s.layer(start, kind) }
	}
}

// queryRule decodes the values of a query, where blanks are pluses.
func queryRule(s *scan, b []byte, start, _ int) {
	for i := start + 1; i < len(b) && i-start < layerAhead && !among(b[i], percentEnds); i++ {
		if b[i] == '+' {
			s.layer(i, queries)
		}
	}
}

// A place is what a byte of a decoded text stands for in the outer one.
type place struct{ from, to int }

// layer redacts the text around start as what it stands for.
func (s *scan) layer(start, kind int) {
	if start < s.dull.layer[kind] || s.depth >= maxDepth {
		return
	}
	d := &decoders[kind]
	b := s.see(start)
	from, lowest := start, max(0, start-min(layerBack, s.back/2))
	for from > lowest && (!among(b[from-1], d.ends) || d.escaped(b, lowest, from-1)) {
		from--
	}
	if d.quoted && b[start+1] == 'n' && byteAt(b, from-1) != '"' {
		s.dull.layer[kind] = start + 2 // a folder of Windows
		return
	}
	end := start
	for end < len(b) && end-start < layerAhead &&
		(!among(b[end], d.ends) || d.escaped(b, start, end)) {
		end++
	}
	if s.dull.layer[kind] = end; end-start == layerAhead {
		s.dull.layer[kind] -= layerBack
	}
	if d.quoted && s.at <= from && end <= s.limit() && !s.hitBetween(from, end) {
		return // few of the quoted texts in logs hold more than words
	}
	text, places := make([]byte, 0, end-from), make([]place, 0, end-from)
	for i := from; i < end; {
		plain, n := d.read(b, i, end)
		if n == 0 {
			text, places = append(text, b[i]), append(places, place{i, i + 1})
			i++
		}
		text = append(text, plain...)
		for range len(plain) {
			places = append(places, place{i, i + n})
		}
		i += n
	}
	s.inner(text, places, d.within)
}

// inner redacts a decoded text, and takes what was found out of the outer one, up to what ends a value
// there.
func (s *scan) inner(text []byte, places []place, ends string) {
	*s.work += int64(len(text))
	inner := &scan{pass: s.within(), b: text, eof: true}
	inner.found, inner.prose = s.found, s.prose
	inner.rules()
	for _, x := range inner.spans {
		start, end := places[x.start].from, places[min(x.end, len(text))-1].to
		if i := bytes.IndexAny(s.b[start:end], ends); i > 0 {
			end = start + i
		}
		if !onlyTokens(s.b[start:end]) {
			s.spans = append(s.spans, span{start, end, x.kind, x.token, false})
		}
	}
}

// framedRule reads the lines that stand behind the same words, as a program's message has them around
// each line of what it quotes: 错误：…，请重试。
func framedRule(s *scan, b []byte, start, end int) {
	if start < s.dull.framed || s.depth >= maxDepth {
		return
	}
	line := lineBack(b, start, min(layerBack, s.back/2))
	words, closing := b[line:end], []byte(nil)
	if stop := lineEnd(b, end); stop > end {
		if i := bytes.LastIndex(b[end:stop], []byte("，")); i >= 0 {
			closing = b[end+i : stop]
		}
	}
	var pieces []value
	for bytes.HasPrefix(b[line:], words) && line-start < layerAhead {
		stop := lineEnd(b, line)
		pieces = append(pieces, value{start: line + len(words), end: line + len(bytes.TrimSuffix(b[line:stop], closing))})
		line = nextLine(b, stop)
		if s.dull.framed = stop; line == stop {
			break
		}
	}
	s.inPieces(pieces, "\n")
}

// dumpedRule reads the rows of a debugger, each with an address before its text: 000001d2`f3c01fe0  "…".
func dumpedRule(s *scan, b []byte, start, _ int) {
	if start < s.dull.framed || s.depth >= maxDepth {
		return
	}
	var pieces []value
	for line := lineBack(b, start, layerBack); line-start < layerAhead; {
		open, stop := runWith(b, line, "`:<>+ \t"), lineEnd(b, line)
		last := bytes.LastIndexByte(b[line:stop], '"') + line
		if open == line || byteAt(b, open) != '"' || last <= open {
			break
		}
		pieces = append(pieces, value{start: open + 1, end: last})
		s.dull.framed, line = stop, nextLine(b, stop)
	}
	s.inPieces(pieces, "")
}

// inPieces redacts what two pieces of the text or more make up, with a sign behind each.
func (s *scan) inPieces(pieces []value, sign string) {
	var text []byte
	var places []place
	for _, x := range pieces {
		text = append(append(text, x.in(s.b)...), sign...)
		for i := range x.end - x.start + len(sign) {
			places = append(places, place{x.start + i, x.start + i + 1})
		}
	}
	if len(pieces) > 1 {
		s.inner(text, places, "")
	}
}

// partialRule reads a line that the kubelet's runtime cut into two: stdout P …, and the rest behind stdout F.
func partialRule(s *scan, b []byte, start, end int) {
	behindTime := func(line int) int { return upTo(b, line, longestPrefix, " \r\n") + 1 }
	stop := lineEnd(b, end)
	rest := behindTime(nextLine(b, stop))
	mark := foldAt(b, rest, "stdout f ", "stdout p ", "stderr f ", "stderr p ")
	if rest += len(mark); mark == "" || s.depth >= maxDepth || behindTime(lineBack(b, start, longestPrefix)) != start {
		return
	}
	s.inPieces([]value{{start: max(end, stop-layerAhead), end: stop}, {start: rest, end: min(lineEnd(b, rest), rest+layerAhead)}}, "")
}

// hitBetween tells whether a rule other than those of layers looks at a text.
func (s *scan) hitBetween(from, end int) bool {
	i, _ := slices.BinarySearchFunc(s.hits, from, func(h hit, at int) int { return h.start - at })
	for i < len(s.hits) && s.hits[i].start < end && s.hits[i].layer {
		i++
	}
	return i < len(s.hits) && s.hits[i].start < end
}

// escaped tells of a quote within quotes.
func (d *decoder) escaped(b []byte, lowest, i int) bool {
	return d.quoted && b[i] == '"' && slashesBefore(b, lowest, i)%2 == 1
}

// entityAt is the length of the escape of XML at i, and 0 for none.
func entityAt(b []byte, i int) int {
	if byteAt(b, i) != '&' {
		return 0
	}
	end := runWith(b[:min(len(b), i+10)], i+1, "#")
	if byteAt(b, end) != ';' {
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

// isEntity tells whether a semicolon ends &quot; or &#34;.
func isEntity(b []byte, from, semicolon int) bool {
	i := semicolon
	for i > from && semicolon-i < 8 && (isAlnum(b[i-1]) || b[i-1] == '#') {
		i--
	}
	return i < semicolon && i > from && b[i-1] == '&'
}

func unhex(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
