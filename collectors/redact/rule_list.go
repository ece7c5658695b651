package redact

import (
	"bytes"
	"strings"
)

// proseWords go on a sentence about a flag.
var proseWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`via is has have had was were be been are must may can cannot could should would will not no and or to in of on for from with without by at as if when where which that this the a an
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
	if text := s.b[v.start:v.end]; !v.quoted &&
		(proseWords[strings.ToLower(string(bytes.TrimRight(text, ".,:")))] || text[0] == '(' ||
			text[0] == '$' && isVariable(text) || isCmdlet(text)) {
		return
	}
	s.takeJudged(n, v, false)
}

// isCmdlet takes Get-Content, which gives the value and is none.
func isCmdlet(text []byte) bool {
	verb, noun, ok := bytes.Cut(text, []byte("-"))
	switch string(bytes.ToLower(verb)) {
	case "get", "read", "convertto", "convertfrom", "new", "import", "invoke", "select", "join",
		"find", "resolve":
		return ok && len(noun) > 2 && isUpper(noun[0]) && isIdentifier(noun)
	}
	return false
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
	if n.b[i] == '|' || n.b[i] == '>' {
		key := runBack(n.b, i, blankByte) - len("value:")
		if indent, first := s.beginsLine(max(0, key)); first && s.block(n, i, indent) {
			return
		}
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
	switch {
	case hasFold(n.b, rest, "name"):
		rest += 4
	case hasFold(n.b, rest, "key"):
		rest += 3
	default:
		return
	}
	rest = skipBlanks(n.b, skipQuote(n.b, rest))
	if rest < n.from && (n.b[rest] == ':' || n.b[rest] == '=') &&
		skipQuote(n.b, skipBlanks(n.b, rest+1)) == n.from {
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
