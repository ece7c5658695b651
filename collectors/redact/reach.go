package redact

import (
	"bytes"
	"slices"
	"strings"
)

// reach tells what ends a value in the line of its name, and whether the line is a sentence.
func (s *scan) reach(f field, op operator, i int, first bool) (stops string, prose bool) {
	switch {
	case f.flag && op.sign == '=':
		return s.flagStops(f, i), false
	case op.sign == ':' && i == op.end && isOneOf(f.b, f.from-1, ",{") && isGoField(f.b, i):
		return ",\r\n", false
	case hasFold(f.b, op.end-2, "->"), hasFold(f.b, op.end-len("│"), "│"), f.flag && i > op.end: // /token: it gives one
		return plainStops, true
	case op.sign == '=':
		return s.reachOfSetting(f, i, first, i == op.end), first && i > op.end && isShown(f.b[i:lineEnd(f.b, i)])
	case first && i > op.end:
		return s.reachInYAML(f, i)
	case !f.quoted && !f.flag && !hasFold(f.text(), 0, "x-"):
		return plainStops, f.trust < strong || s.prose && i > op.end && !(hasFold(f.b, f.from-2, ", ") && isGoField(f.b, i) || besideAccount(f, i)) || afterWord(f.b, f.from) && moreWords(f.b, i)
	}
	return plainStops, f.quoted && f.b[f.to] == '`' && moreWords(f.b, i) // a document describes it
}

// isGoField tells of a value of a structure as Go prints it: {Username:ops,Password:VALUE,ServerAddress:}, or of a list
// in a sentence, whose value is no word: user: ops, passwd: VALUE, roles: [].
func isGoField(b []byte, i int) bool {
	end := upTo(b, i, maxName, ",{}\r\n \t")
	text, next := b[i:end], skipBlanks(b, end+1)
	return byteAt(b, end) == ',' && (next == end+1 && isUpper(byteAt(b, next)) || next > end+1 && !isSaid(text) && !isCapital(text)) && byteAt(b, run(b, next, wordByte)) == ':'
}

// besideAccount tells of a password in brackets with the name of its user, and of no word that says how it is:
// (Username: ops, Password: VALUE).
func besideAccount(f field, i int) bool {
	b, line := f.b, lineBack(f.b, f.from, longestPrefix)
	open := line + bytes.LastIndexAny(b[line:f.from], "([{")
	end := upTo(b, i, maxName, ")]},; \t\r\n")
	word := strings.ToLower(string(b[i:end]))
	if f.trust < strong || open < line || !isOneOf(b, end, ")]},;") || proseWords[word] || notOfSecrets[word] || strings.HasSuffix(word, "ed") {
		return false
	}
	return slices.ContainsFunc(bytes.FieldsFunc(b[open:upTo(b, end, longestPrefix, ")]}\r\n")], func(c rune) bool { return strings.ContainsRune("([{,;", c) }), func(pair []byte) bool {
		name, _, ok := bytes.Cut(pair, []byte(":"))
		return ok && accountWords[strings.ToLower(string(bytes.TrimSpace(name)))]
	})
}

// reachOfSetting tells what ends the value behind NAME=.
func (s *scan) reachOfSetting(f field, i int, first, tight bool) string {
	b := f.b
	switch {
	case byteAt(b, f.from-1) == '[' && hasFold(b, f.to, "] => "): // of PHP, each in a line
		return " \t\r\n"[2*b2i(bytes.Count(b[lineBack(b, f.from, layerBack):lineEnd(b, i)], []byte("] => ")) == 1):]
	case tight && !f.quoted && f.from > 0 && among(b[f.from-1], "\"'") && s.quotedLine(b, i, b[f.from-1]):
		return string(b[f.from-1]) + "\r\n"
	case tight && !f.quoted && f.trust == strong && byteAt(b, f.from-1) == ',' && insideText(b, f.from): // "host:6379,password=VALUE"
		return " \t\r\n,;\"'"
	case (first || s.isSet(f.from, i)) && tight && isCapital(f.text()) && !moreSettings(b, i),
		first && !s.prose && (f.trust == strong && !tight || tight && f.kind == "password" && !moreSettings(b, i)) && // passphrase = four words of it
			!bytes.ContainsAny(b[i:lineEnd(b, i)], "\"'()[]{}$|;,"),
		first && tight && f.trust == strong && isJumbled(b[i:lineEnd(b, i)]):
		return "\r\n"
	}
	return plainStops
}

// isSet tells of a line of a script: set NAME=value, export NAME=value.
func (s *scan) isSet(from, value int) bool {
	for _, word := range []string{"set ", "export "} {
		if start := from - len(word); hasFold(s.b, start, word) {
			_, first := s.beginsLine(start)
			return first && !bytes.ContainsAny(s.b[value:lineEnd(s.b, value)], "\"'&|\\<>")
		}
	}
	return false
}

// reachInYAML is that of a line that may be one of YAML, or of a log.
func (s *scan) reachInYAML(f field, i int) (stops string, prose bool) {
	words := moreWords(f.b, i)
	if byteAt(f.b, i) != '#' && inColumn(f.b, f.at) {
		return "\r\n", false
	}
	if !s.prose && (f.kind == "password" || !words) { // a token has no blanks in it
		return "\r\n", false
	}
	return " \t\r\n,;\"'", words || s.prose && f.trust < strong && !f.quoted && !hasFold(f.text(), 0, "x-")
}

// inColumn tells of a colon that stands below or above another one, as PowerShell lists properties.
func inColumn(b []byte, colon int) bool {
	line := lineBack(b, colon, layerBack)
	above := lineBack(b, len(bytes.TrimRight(b[:line], "\r\n")), layerBack)
	below := nextLine(b, lineEnd(b[:min(len(b), colon+4*layerBack)], colon))
	for _, other := range []int{above, below} {
		if at := other + colon - line; other != line && isBlank(b[colon-1]) && hasFold(b, at, ":") && isBlank(b[at-1]) {
			return true
		}
	}
	return false
}

// quotedLine tells whether a quote before NAME=value closes in its line, with no other
// setting before.
func (s *scan) quotedLine(b []byte, i int, quote byte) bool {
	end := upTo(b, i, len(b), string(quote)+"\r\n")
	for at := i; at < end; at++ {
		if name := runBack(b[:at], at, wordByte); b[at] == '=' && name > i && name < at && among(b[name-1], " ;,&") {
			return false
		}
	}
	_, rest, more := bytes.Cut(b[i:end], []byte(";"))
	return byteAt(b, end) == quote && (!more || len(rest) > 4)
}

// opensNothing tells of a value whose first sign is a bracket that nothing closes: "PASSWORD=[jx4Kc".
func (s *scan) opensNothing(f field, op operator, i int) bool {
	b, quote := f.b, byteAt(f.b, f.from-1)
	if op.sign != '=' || i != op.end || f.trust != strong || !among(quote, "\"'") || !s.quotedLine(b, i, quote) {
		return false
	}
	closing := map[byte]byte{'[': ']', '{': '}', '(': ')'}[b[i]]
	return bytes.IndexByte(b[i:upTo(b, i, len(b), string(quote))], closing) < 0
}
