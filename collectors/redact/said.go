package redact

import (
	"bytes"
	"strings"
)

// What a text says to people: the name of a secret stands in it, and the value behind it, or nothing.

// saidWhole is the word that ends the text in which it is said, whatever signs are in it: print("Password: a,b(c"),
// <p>Password: a,b(c</p>, (password: a,b(c).
func (s *scan) saidWhole(f field, op operator, i int, first bool) (v value, ok bool) {
	b := f.b
	from := lineBack(b, f.from, layerBack)
	open := from + bytes.LastIndexAny(b[from:f.from], "\"'`>(")
	stops, behind := " \t\r\n\x1b", ""
	switch {
	case f.quoted || f.flag || f.trust < strong || op.sign != ':' || op.end-f.at == 1 && !isBlank(byteAt(b, i-1)), !first && bytes.ContainsAny(b[max(from, open):f.from], "{["):
		return v, false
	case first, open < from:
		first = true
	case b[open] == '>':
		stops, behind = stops+"<", "<"
	case b[open] == '(':
		behind = ")"
	case bytes.Count(b[from:open+1], b[open:open+1])%2 == 1:
		stops, behind = stops+string(b[open]), string(b[open])
	default:
		return v, false
	}
	v = value{start: i, end: upTo(b, i, maxName, stops)}
	if v.end-i >= maxName || v.end == len(b) && s.cut(b) || tokenAt(b[i:]) > 0 {
		return v, false
	} else if behind == ")" {
		v.end = i + len(bytes.TrimRight(v.in(b), ".,;")) - 1
	}
	if behind != "" && !isOneOf(b, v.end, behind) || first && !isLineAt(b, skipBlanks(b, skipStyle(b, v.end))) ||
		isOneOf(b, i, "[{(") && isOneOf(b, v.end-1, ")}]") {
		return v, false
	}
	text := bytes.TrimRight(v.in(b), "\\")
	text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte(`\n`)), []byte(`\r`))
	v.end = i + len(text)
	return v, fitsWhole(text) && !isPlainValue(text) && !isPlaceholder(text)
}

// fitsWhole tells a word that may be a secret with all of its signs from a call, a template and a sentence.
func fitsWhole(text []byte) bool {
	name := run(text, 0, nameByte)
	called := name > 1 && isOneOf(text, name, "([{") && (!isDigit(text[name-1]) || bytes.ContainsRune(text, ')'))
	filled := bytes.ContainsRune(text, '{') && bytes.ContainsRune(text, '}')
	foreign := bytes.ContainsFunc(text, func(c rune) bool { return c >= 0x80 })
	if len(text) < 8 || called || filled || foreign || isOneOf(text, 0, "\"'`<") {
		return false
	}
	parts := bytes.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(",;()-_.~", c) })
	return looksChosen(text) || bytes.ContainsAny(text, ",;()") && isCoined(bytes.Join(parts, nil), true)
}

// endsQuote tells of a quote that closes the text in which the name stands: expect("New password:"), 'Heslo: ' . $x,
// "&pwd=" + x.
func (s *scan) endsQuote(f field, op operator, i int) bool {
	b := f.b
	if f.quoted || f.flag || !isOneOf(b, i, "\"'") {
		return false
	}
	joined := i == op.end && op.sign == ':' || isLineAt(b, i+1) || among(b[i+1], " \t.,);+&%|}]\\")
	if b[i] == '"' {
		return joined && insideText(b, f.from)
	}
	line := b[lineBack(b, f.from, layerBack):f.from]
	open := bytes.LastIndexByte(line, '\'')
	return i == op.end && op.sign == ':' && byteAt(b, f.from-1) == '\'' || // startswith('X-Token:')
		joined && open >= 0 && bytes.Count(line, []byte("'"))%2 == 1 && !isWord(byteAt(line, open-1)) && !bytes.ContainsAny(line[open:], `"`)
}

// comparedBelow takes what is compared with the answer to a question: print("Password: "), n = input(), if n == "VALUE".
func (s *scan) comparedBelow(f field, i int) {
	from := lineBack(f.b, f.from, longestPrefix)
	near := f.b[from:min(len(f.b), i+longestPrefix)]
	at := bytes.Index(near[i-from:], []byte("== "))
	if at += i - from + len("== "); at < i-from+len("== ") || !containsAny(bytes.ToLower(near[:at]), []string{"input(", "gets", "readline(", "read-host", "scanner", "getpass(", "prompt("}) {
		return
	}
	if v := s.value(f.b, from+at, plainStops); v.quoted && v.whole() && fitsWord(v.in(f.b)) {
		s.takeJudged(f, v, false)
	}
}
