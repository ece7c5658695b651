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
	from = max(runBack(b, start, nameByte), start-maxName)
	to = start
	for to < len(b) && to-start < maxName && classOf[b[to]]&nameByte != 0 {
		to++
	}
	for to > start+1 && strings.IndexByte(".-$", b[to-1]) >= 0 {
		to--
	}
	if from > 0 && b[from-1] == '\\' && from < start && strings.IndexByte("nrt", b[from]) >= 0 {
		from++
	}
	return from, to
}

// spacedNameRule takes NAME = value for names that are short.
func (s *scan) spacedNameRule(start, end int) { s.nameRule(start, end-2) }

func (s *scan) judge(b []byte, from, to int) {
	name := b[from:to]
	kind, t := judgeName(name)
	if t == noSecret {
		return
	}
	if from > 0 && (b[from-1] == '<' || b[from-1] == ':' && from > 1 && isXMLPrefix(b, from-1)) {
		s.element(b, name, to, kind, t)
		return
	}
	n := name4{b: b, from: from, to: to, kind: kind, trust: t}
	n.flag = name[0] == '-' || from > 0 && b[from-1] == '/' && (from == 1 || strings.IndexByte(" \t\"'\n[,", b[from-2]) >= 0)
	after := skipQuote(b, to)
	n.quoted = after > to
	if after < len(b) && b[after] == ']' {
		after++ // env["PASSWORD"] = …
	}
	at := skipBlanks(b, after)
	switch {
	case at >= len(b):
	case b[at] == ':' || b[at] == '=':
		s.assigned(n, at)
	case n.flag && !n.quoted && at > after:
		s.argument(n, at)
	case n.flag && (isLine(b[at]) || b[at] == ',' || n.quoted):
		s.nextArgument(n, at)
	case hasFold(b, at, "reg_"):
		s.registry(n, at)
	case from > 5 && hasFold(b, runBack(b, from, blankByte)-4, "setx") && at > after,
		from > 14 && hasFold(b, runBack(b, from, blankByte)-13, "configure set") && at > after:
		s.takeJudged(n, s.value(b, at, " \t\r\n"), false)
	case b[at] == '>' && n.quoted: // <SS N="Password">
		s.elementText(n, at+1)
	default:
		s.pair(n, at)
	}
}

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

// takeJudged takes the value when it is a secret.
func (s *scan) takeJudged(n name4, v value, prose bool) {
	if v.open && n.trust > weak {
		s.take(v, n.kind)
		return
	}
	text := unescape(s.b[v.start:v.end], v.escapes, v.quote)
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
	i = skipBlanks(b, i)
	if i >= len(b) {
		return
	}
	indent, first := s.beginsLine(n.from)
	if isLine(b[i]) {
		if next := skipSpace(b, i); n.quoted && sep == ':' && next < len(b) && b[next] == '"' {
			s.takeJudged(n, s.value(b, next, plainStops), false)
		}
		return
	}
	if sep == ':' && first && (b[i] == '|' || b[i] == '>') && s.block(n, i, indent) {
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
	case sep == '=' && s.connection(b, n.from, i):
		stops = ";\"'\r\n"
	case sep == '=' && first && tight && isCapital(n.text()):
		stops = "\r\n"
	case sep == ':' && first && !tight && !s.prose:
		stops = "\r\n"
	case sep == ':' && first && !tight:
		stops = " \t\r\n,;\"'"
		inProse = n.trust < strong || moreWords(b, i)
	case sep == ':' && !n.quoted && !n.flag && !hasFold(n.text(), 0, "x-"):
		inProse = s.prose && (!tight || n.trust < strong) || n.trust < strong
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
		if c := s.b[from-1]; !isBlank(c) && c != '-' && c != '"' && c != '\'' && c != '?' && c != '$' {
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
	return i >= 0 && bytes.IndexByte(after[i:], '=') > 0 && bytes.IndexByte(bytes.TrimLeft(after[i+1:], " "), ' ') != 0 && isField(after[i+1:])
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

// proseWords go on a sentence about a flag.
var proseWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`is has have had was were be been are must may can cannot could should would will not no and or to in of on for from with without by at as if when where which that this the a an
		flag flags option options argument arguments value values instead file files path required deprecated removed ignored invalid expired set unset given missing found provided specified used using needs need parameter does do
		authentication authorization auth webhook error failed`) {
		m[w] = true
	}
	return m
}()

// argument deals with --token value.
func (s *scan) argument(n name4, at int) {
	v := s.value(n.b, at, " \t\r\n\"'`;|")
	if v.end <= v.start || !v.quoted && (n.b[at] == '-' || n.b[at] == '/' && v.end-v.start < 12) {
		return
	}
	if text := s.b[v.start:v.end]; !v.quoted && (proseWords[strings.ToLower(string(bytes.TrimRight(text, ".,:")))] || text[0] == '(' || text[0] == '$' && isVariable(text) || isCmdlet(text)) {
		return
	}
	s.takeJudged(n, v, false)
}

// isCmdlet takes Get-Content, which gives the value and is none.
func isCmdlet(text []byte) bool {
	verb, noun, ok := bytes.Cut(text, []byte("-"))
	return ok && len(verb) > 2 && isUpper(verb[0]) && len(noun) > 2 && isUpper(noun[0]) && isIdentifier(verb) && isIdentifier(noun) && !mixed(noun)
}

// nextArgument deals with a flag whose value is the next element of a list: in
// quotes, or in the next line of YAML.
func (s *scan) nextArgument(n name4, at int) {
	b := n.b
	i := at
	if b[i] == ',' {
		i++
	}
	i = skipSpace(b, i)
	if i < len(b) && b[i] == '-' {
		if next := skipBlanks(b, i+1); next == i+1 {
			return
		} else {
			i = next
		}
	} else if i < len(b) && skipQuote(b, i) == i {
		return
	}
	if i >= len(b) {
		return
	}
	v := s.value(b, i, "\r\n")
	if v.end > v.start && b[v.start] != '-' {
		s.takeJudged(n, s.trimmed(v, "\r\n"), false)
	}
}

// registry deals with NAME REG_SZ value.
func (s *scan) registry(n name4, at int) {
	i := skipBlanks(n.b, run(n.b, at, wordByte))
	s.takeJudged(n, value{start: i, end: lineEnd(n.b, i)}, false)
}

// pair deals with name: NAME beside value: x, in either order.
func (s *scan) pair(n name4, at int) {
	b := n.b
	i := skipSpace(b, at)
	if i < len(b) && (b[i] == ',' || b[i] == ';') {
		i = skipSpace(b, i+1)
	}
	i = skipQuote(b, i)
	if hasFold(b, i, "value") {
		i = skipBlanks(b, skipQuote(b, i+5))
		if i < len(b) && (b[i] == ':' || b[i] == '=') {
			s.sibling(n, skipSpace(b, i+1))
		}
		return
	}
	if i < len(b) && at > n.to && b[at] == ',' && s.afterCall(n.from) {
		s.takeJudged(n, s.value(b, skipBlanks(b, at+1), plainStops), false)
		return
	}
	s.siblingBefore(n)
}

// sibling takes the value at i, which is named by a sibling.
func (s *scan) sibling(n name4, i int) {
	if i >= len(n.b) || n.b[i] == '{' || n.b[i] == '[' {
		return
	}
	stops := "\r\n"
	if n.quoted || s.prose {
		stops = plainStops
	}
	s.takeJudged(n, s.trimmed(s.value(n.b, i, stops), stops), false)
}

// afterCall tells whether the name is the first argument of a call that sets a variable.
func (s *scan) afterCall(name int) bool {
	before := s.b[max(0, name-40):name]
	return bytes.Contains(bytes.ToLower(before), []byte("setenvironmentvariable("))
}

// siblingBefore looks for value: x right before name: NAME.
func (s *scan) siblingBefore(n name4) {
	from := max(s.done, n.from-s.back/2)
	if from >= n.from {
		return
	}
	before := s.b[from:n.from]
	key := lastFold(before, "value")
	if key < 0 {
		return
	}
	i := from + key + 5
	i = skipBlanks(n.b, skipQuote(n.b, i))
	if i >= n.from || n.b[i] != ':' && n.b[i] != '=' {
		return
	}
	i = skipSpace(n.b, i+1)
	v := s.trimmed(s.value(n.b, i, "\r\n,"), "\r\n")
	if v.end > n.from {
		v = s.value(n.b, i, plainStops)
	}
	if v.end >= n.from || v.open {
		return
	}
	rest := skipSpace(n.b, skipQuote(n.b, v.end))
	for rest < n.from && (n.b[rest] == ',' || n.b[rest] == '-' || isBlank(n.b[rest])) {
		rest++
	}
	rest = skipQuote(n.b, skipSpace(n.b, rest))
	if !hasFold(n.b, rest, "name") && !hasFold(n.b, rest, "key\"") {
		return
	}
	rest = skipBlanks(n.b, skipQuote(n.b, rest+4))
	if rest < n.from && (n.b[rest] == ':' || n.b[rest] == '=') && skipQuote(n.b, skipBlanks(n.b, rest+1)) == n.from {
		s.takeJudged(n, v, false)
	}
}

func lastFold(b []byte, text string) int {
	for i := len(b) - len(text); i >= 0; i-- {
		if hasFold(b, i, text) {
			return i
		}
	}
	return -1
}
