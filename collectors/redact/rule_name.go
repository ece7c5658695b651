package redact

import (
	"bytes"
	"strings"
)

// nameRule judges the name around a trigger, and the value that it has: behind
// a colon or an equals sign, behind a blank when it is a flag, in an element of
// XML, in a sibling called value, behind a type of the registry.
func (s *scan) nameRule(start, end int) {
	b := s.see(start)
	from, to := s.nameAround(b, start, end)
	if to <= s.named || inToken(s.b, start) {
		return
	}
	s.named = to
	s.judge(b, from, to)
}

// nameAround widens a trigger to the whole name.
func (s *scan) nameAround(b []byte, start, end int) (from, to int) {
	for start < end && classOf[b[start]]&nameByte == 0 {
		start++ // a trigger may begin with what stands before the name
	}
	lowest := max(0, start-maxName)
	from = lowest + runBack(b[lowest:], start-lowest, nameByte)
	to = start
	for to < len(b) && to-start < maxName && classOf[b[to]]&nameByte != 0 {
		to++
	}
	for to > start+1 && strings.IndexByte(".-$", b[to-1]) >= 0 {
		to--
	}
	if style := s.styleEnd(from, start); style > from {
		from = style
	}
	if from > 0 && b[from-1] == '\\' && from < start && strings.IndexByte("nrt", b[from]) >= 0 {
		from++
	}
	return from, to
}

func (s *scan) judge(b []byte, from, to int) {
	name := b[from:to]
	kind, t := judgeName(name)
	if t == noSecret {
		return
	}
	if t == weak {
		if from < s.dull.value {
			return
		}
		b = b[:min(len(b), to+maxWeak)]
	}
	if from > 0 && (b[from-1] == '<' || b[from-1] == ':' && from > 1 && isXMLPrefix(b, from-1)) {
		s.element(b, name, to, kind, t)
		return
	}
	n := name4{b: b, from: from, to: to, kind: kind, trust: t}
	n.flag = name[0] == '-' || from > 0 && b[from-1] == '/' &&
		(from == 1 || strings.IndexByte(" \t\"'\n[,", b[from-2]) >= 0)
	after := skipQuote(b, skipStyle(b, to))
	n.quoted = after > skipStyle(b, to)
	if after < len(b) && b[after] == ']' {
		after++ // env["PASSWORD"] = …
	}
	at := skipBlanks(b, after)
	switch {
	case at >= len(b):
	case n.quoted && !n.flag && quotesThing(b, from):
	case b[at] == ':' || b[at] == '=':
		s.assigned(n, at)
	case n.flag && !n.quoted && at > after:
		s.argument(n, at)
	case n.flag && (isLine(b[at]) || b[at] == ',' || n.quoted):
		s.nextArgument(n, at)
	case hasFold(b, at, "reg_"):
		s.registry(n, at)
	case from >= 5 && hasFold(b, runBack(b, from, blankByte)-4, "setx") && at > after,
		from >= 14 && hasFold(b, runBack(b, from, blankByte)-13, "configure set") && at > after:
		s.takeJudged(n, s.value(b, at, " \t\r\n"), false)
	case hasFold(b, to, "%3d") || hasFold(b, to, "%253d"):
		s.percent(n, to)
	case kind == "snmp-community" && at > after, name[0]|0x20 == 'b' &&
		hasFold(b, from, "bindpw ") && s.alone(from),
		// in files whose lines are a name and its value
		len(name) == 3 && hasFold(b, from-3, " : psk"):
		s.takeJudged(n, s.value(b, at, plainStops), false)
	case t == strong && hasFold(b, to, " is "):
		s.takeJudged(n, s.value(b, to+4, plainStops), true)
	case b[at] == '>' && n.quoted: // <SS N="Password">
		s.elementText(n, at+1)
	default:
		s.pair(n, at)
	}
}

// maxWeak bounds what is looked at behind a name that is seldom one of a
// secret, so that a text full of them takes no longer than others.
const maxWeak = 4 << 10

// name4 is a name with where it stands and what it means.
type name4 struct {
	b        []byte
	from, to int
	kind     string
	trust    trust
	flag     bool
	quoted   bool
}

func (n name4) text() []byte { return n.b[n.from:n.to] }

func isXMLPrefix(b []byte, colon int) bool {
	i := runBack(b, colon, wordByte)
	return i > 0 && b[i-1] == '<'
}

// isAssignment tells of name=value.
func isAssignment(v []byte) bool {
	i := bytes.IndexByte(v, '=')
	return i > 1 && i < len(v)-1 && v[i+1] != '=' && isIdentifier(v[:i]) && !mixed(v[:i])
}

// quotesThing tells of a quoted name that is no key: the end of an address in
// quotes (Post "https://x/token": …), or what a sentence names (volume "token" : …).
func quotesThing(b []byte, from int) bool {
	if from < 2 {
		return false
	}
	if b[from-1] == '/' {
		return isAlnum(b[from-2]) || b[from-2] == '-'
	}
	quote := from
	for quote > 0 && (b[quote-1] == '"' || b[quote-1] == '\\') {
		quote--
	}
	return quote < from && afterWord(b, quote)
}

// takeJudged takes the value when it is a secret.
func (s *scan) takeJudged(n name4, v value, prose bool) {
	if v.open && n.trust > weak {
		s.take(v, n.kind)
		return
	}
	if n.trust == weak && v.end-v.start > 256 {
		s.dull.value = v.end
	}
	if v.open {
		return
	}
	text := unescape(s.b[v.start:v.end], v.escapes, v.quote)
	if !v.quoted && afterWord(n.b, n.from) && isAssignment(text) {
		return // the sentence goes on with its fields: failed to get a token: status=400
	}
	if isSecret(n.text(), text, n.trust, prose) {
		s.take(v, n.kind)
	}
}

// assigned deals with NAME: value and NAME=value.
func (s *scan) assigned(n name4, at int) {
	b := n.b
	sep, i := b[at], at+1
	switch {
	case i < len(b) && (b[i] == '=' && sep == ':' || b[i] == '>' && sep == '='):
		i++
		sep = '='
	case i < len(b) && b[i] == sep, i < len(b) && b[i] == '~': // a comparison, a scope
		return
	}
	tight := i < len(b) && !isBlank(b[i])
	i = skipStyle(b, skipBlanks(b, i))
	if i >= len(b) {
		return
	}
	indent, first := s.beginsLine(n.from)
	if isLine(b[i]) {
		if next := skipSpace(b, i); isRecoveryPassword(b, next) {
			s.add(next, next+recoveryLength, n.kind, b[next:next+recoveryLength])
		} else if n.quoted && sep == ':' && next < len(b) && b[next] == '"' {
			s.takeJudged(n, s.value(b, next, plainStops), false)
		}
		return
	}
	if sep == ':' && first && (b[i] == '|' || b[i] == '>') && s.block(n, i, indent) {
		return
	}
	if sep == '=' && !n.flag && s.connection(b, n.from, i) && s.field(n, i) {
		return
	}
	if b[i] == '[' || b[i] == '{' || b[i] == '(' {
		s.bracketed(n, i)
		return
	}
	if b[i] == '\\' && i+1 < len(b) && (b[i+1] == 'n' || b[i+1] == 'r') && s.escapedLine(b, i) {
		return
	}
	stops := plainStops
	inProse := false
	switch {
	case n.flag && sep == '=':
		stops = " \t\r\n\"'`"
		if s.inQuotes(n.from) {
			stops = "\"\r\n"
			if !s.wholeArgument(n, i) {
				stops = " \t\r\n\"'`"
			}
		}
	case sep == '=' && first && tight && isCapital(n.text()):
		stops = "\r\n"
	case sep == ':' && first && !tight && !s.prose:
		stops = "\r\n"
		if n.trust < strong && moreWords(b, i) { // a token has no blanks in it
			stops, inProse = " \t\r\n,;\"'", true
		}
	case sep == ':' && first && !tight:
		stops = " \t\r\n,;\"'"
		inProse = n.trust < strong || moreWords(b, i)
	case sep == ':' && !n.quoted && !n.flag && !hasFold(n.text(), 0, "x-"):
		inProse = s.prose && (!tight || n.trust < strong) || n.trust < strong ||
			afterWord(b, n.from) && moreWords(b, i)
	}
	v := s.value(b, i, stops)
	if !v.quoted {
		v = s.trimmed(v, stops)
	} else if sep == '=' || n.quoted {
		inProse = false
	}
	if !v.quoted && isCmdlet(s.b[v.start:v.end]) {
		return
	}
	s.takeJudged(n, v, inProse)
}

// afterWord tells of a name that goes on a sentence, and is no key of a list.
func afterWord(b []byte, at int) bool {
	before := bytes.TrimRight(b[:at], " ")
	return len(before) > 0 && len(before) < at && isAlnum(before[len(before)-1])
}

// trimmed takes comments and blanks off the end of a value that has no quotes.
func (s *scan) trimmed(v value, stops string) value {
	if v.open {
		return v
	}
	text := s.b[v.start:v.end]
	if strings.IndexByte(stops, ' ') < 0 {
		if i := bytes.Index(text, []byte(" #")); i > 0 {
			text = text[:i]
		}
	}
	v.end = v.start + len(bytes.TrimRight(text, " \t"))
	return v
}

func isCapital(name []byte) bool {
	for _, c := range name {
		if isLower(c) {
			return false
		}
	}
	return true
}

func moreWords(b []byte, i int) bool {
	line := bytes.TrimSpace(b[i:lineEnd(b, i)])
	return bytes.ContainsAny(line, " \t")
}

// beginsLine tells whether nothing but quotes and dashes of lists stand before
// a name in its line, and how far it is indented.
func (s *scan) beginsLine(i int) (indent int, first bool) {
	from := i
	for from > 0 && i-from < 256 && !isLine(s.b[from-1]) {
		if c := s.b[from-1]; !isBlank(c) && c != '-' && c != '"' && c != '\'' && c != '?' &&
			c != '$' {
			return 0, false
		}
		from--
	}
	for i > from && (s.b[i-1] == '"' || s.b[i-1] == '\'') {
		i--
	}
	return i - from, i-from < 256
}

// connection tells whether NAME=value is a field of a connection string: what
// separates the fields is a semicolon.
func (s *scan) connection(b []byte, name, at int) bool {
	before := s.b[max(0, name-256):name]
	if i := bytes.LastIndexAny(before, "\"'\r\n"); i >= 0 {
		before = before[i+1:]
	}
	after := b[at:min(len(b), at+512)]
	if i := bytes.IndexAny(after, "\"'\r\n"); i >= 0 {
		after = after[:i]
	}
	if i := bytes.LastIndexByte(before, ';'); i >= 0 && bytes.IndexByte(before[:i], '=') >= 0 {
		return bytes.IndexByte(before[i:], '\\') < 0
	}
	i := bytes.IndexByte(after, ';')
	return i >= 0 && bytes.IndexByte(after[i:], '=') > 0 &&
		bytes.IndexByte(bytes.TrimLeft(after[i+1:], " "), ' ') != 0 && isField(after[i+1:])
}

// isField tells whether text begins like the next field of a connection string.
func isField(text []byte) bool {
	text = bytes.TrimLeft(text, " ")
	i := bytes.IndexByte(text, '=')
	return i > 0 && i < 40 && run(text[:i], 0, nameByte|blankByte) == i
}

// inQuotes tells whether the byte before a flag is a quote, so that the quotes
// hold the flag with its value.
func (s *scan) inQuotes(name int) bool { return name > 0 && s.b[name-1] == '"' }

// wholeArgument tells whether a quote closes what began before the flag, on the same line.
func (s *scan) wholeArgument(n name4, at int) bool {
	end, ok := closing(n.b, at, '"', 0)
	return ok && end < len(n.b) && n.b[end] == '"' && !bytes.Contains(n.b[at:end], []byte(" -"))
}

// bracketed deals with lists of values: token: [a, b]. Mappings and calls have
// names of their own.
func (s *scan) bracketed(n name4, at int) {
	b := n.b
	if b[at] != '[' {
		return
	}
	for i := at + 1; i < len(b); {
		i = skipSpace(b, i)
		if i >= len(b) || b[i] == ']' || b[i] == '[' || b[i] == '{' {
			return
		}
		v := s.value(b, i, plainStops)
		if v.end <= i {
			return
		}
		s.takeJudged(n, v, s.prose && !v.quoted)
		if v.open {
			return
		}
		i = skipSpace(b, skipQuote(b, v.end))
		if i < len(b) && b[i] == ',' {
			i++
		} else if i < len(b) && b[i] != ']' && !v.quoted {
			return
		}
	}
}
