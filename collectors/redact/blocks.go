package redact

import (
	"bytes"
	"iter"
	"slices"
	"strings"
)

// nextLineValue reads a value that stands in the line behind its name.
func (s *scan) nextLineValue(f field, op operator, i, indent int, first bool) {
	b := f.b
	if op.sign == ':' && !f.quoted && s.toldBelow(f, i) {
		return
	}
	next := nextPayload(b, i)
	at := skipBlanks(b, next)
	if isLineAt(b, at) || skipWrapper(b, at) >= len(b) {
		return
	}
	switch {
	case isOneOf(b, skipWrapper(b, at), "\"'"):
		s.takeJudged(f, s.value(b, skipWrapper(b, at), plainStops), false)
	case first && op.sign == ':' && hasFold(b, at, "- "):
		s.items(f, i)
	case first && hasFold(b, at, "----"): // as kubectl describes a ConfigMap
		next = nextPayload(b, lineEnd(b, at))
		s.takeJudged(f, value{start: next, end: lineEnd(b, next)}, f.trust < strong)
	case first && at-next == indent && s.formBelow(f, at):
	case !first || at-next <= indent || op.sign == '=' && f.trust < strong || b[at] == '-' || b[at] == '#':
	case op.sign == ':' && bytes.IndexByte(b[at:lineEnd(b, at)], ':') > 0:
		for line := range linesBehind(b[:min(len(b), i+layerBack)], i) { // DBPassword: NoEcho, Default
			x := lexer{s, b, line}
			if skipBlanks(b, line)-line <= indent {
				return
			} else if _, ok := x.key(":", objectKeys...); ok {
				s.sibling(f, skipGap(b, x.i))
				return
			}
			name, named := x.key(":")
			if v := s.trimmed(x.value("\r\n"), "\r\n"); named && v.whole() && isOfGroup(f.text(), f.trust, name, v.in(b)) {
				s.take(v, f.kind)
			}
		}
	default:
		if v := s.trimmed(s.value(b, at, "\r\n"), "\r\n"); !v.open {
			s.takeJudged(f, v, f.trust < strong || moreWords(b, at) ||
				op.sign == '=' && (!settingTypes[s.path[strings.LastIndexByte(s.path, '.')+1:]] || isAssignment(v.in(b)))) // code goes on, too
		}
	}
}

// settingTypes are of files of settings, in which a value may stand below its name.
var settingTypes = setOf("ini cfg conf cnf properties")

// defaultKeys are what an object calls the value of the parameter that it describes.
var defaultKeys = []string{"value", "rawvalue", "defaultvalue", "default", "securevalue", "parametervalue", "outputvalue"}

// objectKeys are what an object that has the name of a secret calls it: {"password": {"plaintext": "VALUE"}}.
var objectKeys = append([]string{"plaintext", "cleartext", "data", "stringvalue", "s"}, defaultKeys...)

// formBelow takes the word alone in the line at i, below the name of a password that is below that of a user, in a line
// each or with a line for each value. No prompt of a shell is one.
func (s *scan) formBelow(f field, i int) bool {
	if v := bulk(f.b, f.at); v.whole() {
		s.takeJudged(f, v, false)
		return true
	}
	v := value{start: i, end: lineEnd(f.b, i)}
	if f.trust < strong || !v.whole() || moreWords(f.b, i) || isOneOf(f.b, v.end-1, "$#>:") {
		return false
	}
	above := lineBack(s.b, f.from, layerBack)
	for range 2 {
		above = lineBack(s.b, len(bytes.TrimRight(s.b[:above], "\r\n")), layerBack)
		name := s.b[payload(s.b, above):lineEnd(s.b, above)]
		if end := run(name, 0, wordByte); accountWords[strings.ToLower(string(name[:end]))] {
			s.takeJudged(f, v, false)
			return true
		}
	}
	return false
}

// items takes the items of a list of YAML, behind the line of i.
func (s *scan) items(f field, i int) {
	b := f.b
	for line := range linesBehind(b, i) {
		at := skipBlanks(b, line)
		if !hasFold(b, at, "- ") {
			return
		}
		v := s.trimmed(s.value(b, skipBlanks(b, at+1), "\r\n"), "\r\n")
		if !v.whole() || bytes.Contains(v.in(b), []byte(": ")) || b[v.end-1] == ':' {
			return // of mappings
		}
		if f.kind != "token" || run(b, v.start, tokenByte) == v.end { // tokens are also what a text consists of
			s.takeJudged(f, v, f.trust < strong)
		}
	}
}

// block takes the lines of a YAML block scalar, which are indented deeper than
// their key.
func (s *scan) block(f field, at, indent int) bool {
	b := f.b
	i := skipBlanks(b, skipOf(b, at+1, len(b), "-+"+digits))
	if !isLine(byteAt(b, i)) {
		return false
	}
	_, last, ended := deeper(b, i, indent)
	start := skipBlanks(b, nextPayload(b, i))
	for start < last && isLine(b[start]) {
		start = skipBlanks(b, nextPayload(b, start))
	}
	if start >= last {
		return ended
	}
	if !ended && s.cut(b) {
		s.engulf(start, f.kind, func(b []byte, i int) (int, bool) {
			return endOfDeeper(b, i, indent)
		})
		return true
	}
	text := dedent(b[start:last])
	if isSecret(f.text(), text, f.trust, false) || f.trust >= medium && !onlyTokens(text) {
		s.add(start, last, f.kind, text)
	}
	return true
}

// deeper returns where the lines end that follow i and are indented deeper, and
// where the last of them that is not empty ends.
func deeper(b []byte, i, indent int) (end, last int, ended bool) {
	last = i
	for i < len(b) {
		line := nextPayload(b, i)
		text := skipBlanks(b, line)
		stop := lineEnd(b, text)
		if stop > text {
			if text-line <= indent {
				return line, last, true
			}
			last = stop
		}
		if stop >= len(b) {
			return len(b), last, false
		}
		i = stop
	}
	return len(b), last, false
}

// endOfDeeper goes on with a block that is longer than the window; i stands
// within a line or at its end.
func endOfDeeper(b []byte, i, indent int) (int, bool) {
	for {
		stop := lineEnd(b, i)
		if stop >= len(b) {
			return stop, false
		}
		line := nextLine(b, stop)
		text := skipBlanks(b, line)
		if text >= len(b) {
			return stop, false // not to be told yet
		}
		if !isLine(b[text]) && text-line <= indent {
			return stop, true
		}
		i = text
	}
}

// linesBehind are the lines behind that of i, up to an empty one, without what is written before their text.
func linesBehind(b []byte, i int) iter.Seq2[int, int] {
	return func(yield func(line, end int) bool) {
		for n, i := 0, lineEnd(b, i); n < mostRows; n++ {
			line := nextPayload(b, i)
			if i = lineEnd(b, line); i == line || !yield(line, i) {
				return
			}
		}
	}
}

// nextLine passes one line end.
func nextLine(b []byte, i int) int {
	if byteAt(b, i) == '\r' {
		i++
	}
	if byteAt(b, i) == '\n' {
		i++
	}
	return i
}

func skipSpaceLines(b []byte, i int) int { return run(b, i, blankByte|lineByte) }

func dedent(b []byte) []byte {
	var out []byte
	for line := range bytes.Lines(b) {
		out = append(out, bytes.TrimSpace(line)...)
		out = append(out, '\n')
	}
	return bytes.TrimSpace(out)
}

// bracketed deals with lists of values: token: [a, b], and {"value": "x"}. Other
// mappings and calls have names of their own.
func (s *scan) bracketed(f field, at int) {
	b := f.b
	line := b[at:lineEnd(b[:min(len(b), at+layerBack)], at)]
	inner := value{start: at + 2, end: at + bytes.Index(line, []byte("}}"))}
	switch {
	case b[at] == '(':
		s.tuple(f, at)
	case at+38 <= len(b) && isGUID(b[at:at+38]):
		s.takeJudged(f, value{start: at, end: at + 38}, false)
	case hasFold(b, at, "{{") && inner.whole() && !isIdentifier(inner.in(b)) && !bytes.ContainsRune(inner.in(b), ' ') && fitsPassword(inner.in(b)):
		s.takeJudged(f, inner, false) // {{VALUE}} of a wiki
	case hasFold(b, at, "{{") && s.takeDefault(f, at):
	case b[at] == '{' && isGroup(f.text()) && s.members(f, skipMore(b, at+1)):
	case b[at] == '{' && (!isGroup(f.text()) || !bytes.ContainsRune(line, '}')):
		s.valueIn(f, skipMore(b, at+1), objectKeys)
	default: // also {VALUE, VALUE}, as PowerShell lists an array
		s.listed(f, at+1)
	}
}

// listed takes the values of a list.
func (s *scan) listed(f field, i int) {
	b := f.b
	for i < len(b) {
		i = skipSpace(b, i)
		if i >= len(b) || among(b[i], "][{:") {
			return
		}
		v := s.value(b, i, plainStops)
		if v.end <= i || !v.quoted && byteAt(b, v.end) == ']' &&
			isOneOf(b, v.end+1, ":([@$") || !v.quoted && isCamelWords(v.in(b)) && isMember(append([]byte("c."), v.in(b)...), 0) { // [System.Text.Encoding]::ASCII, [PSCustomObject]@{, a link of Markdown
			return
		}
		s.takeJudged(f, v, s.prose && !v.quoted)
		if v.open {
			return
		}
		i = skipSpace(b, skipQuote(b, v.end))
		if byteAt(b, i) == ',' {
			i++
		} else if i < len(b) && b[i] != ']' && !v.quoted {
			return
		}
	}
}

// valueIn takes the value of an object whose first key is at i: {"type":"SecureString","value":"x"}.
func (s *scan) valueIn(f field, i int, keys []string) bool {
	x := lexer{s, f.b, i}
	for range 4 {
		name, ok := x.key(":=")
		if !ok {
			return false
		}
		if slices.Contains(keys, strings.ToLower(string(name))) {
			s.sibling(f, skipSpace(x.b, x.i))
			return true
		}
		if inner := skipBlanks(x.b, x.i); byteAt(x.b, inner) == '{' { // "metadata": {…}
			x.i = min(upTo(x.b, inner, layerBack, "}\r\n")+1, len(x.b))
		} else {
			x.value(plainStops)
		}
		if !isLineAt(x.b, x.i) && !x.separator(",") {
			return false
		}
		x.i = skipMore(x.b, x.i)
	}
	return false
}

// skipMore passes blanks, and where a line ends what is written before the next: also the sign of a line that was removed.
func skipMore(b []byte, i int) int {
	if i = skipBlanks(b, i); isLine(byteAt(b, i)) {
		i = nextPayload(b, i)
		i = skipBlanks(b, i+len(foldAt(b, i, "-  ")))
	}
	return skipSpace(b, i)
}

// tuple takes the second of two values in brackets: auth = ('user', 'VALUE').
func (s *scan) tuple(f field, at int) {
	x := lexer{s, f.b, at + 1}
	user := x.value(plainStops)
	if !user.quoted || isLineAt(f.b, skipBlanks(f.b, at+1)) {
		return
	}
	if user.open || !x.separator(",") {
		s.takeJudged(f, user, false) // ("VALUE")
	} else if v := x.value(plainStops); v.quoted && !v.open && (f.kind == "registry-auth" || f.kind == "basic-auth" || looksChosen(v.in(x.b)) || isCoined(v.in(x.b), false)) {
		s.takePassword(v)
	}
}

// Names that stand in one setting and their values in another: name: NAME, value: x.

// pairForm: name: NAME beside value: x, in either order.
func (s *scan) pairForm(f field) bool {
	b := f.b
	i := skipMore(b, f.at)
	if end := lineEnd(b[:min(len(b), i+layerBack)], i); hasFold(b, i-2, "# ") { // a comment of YAML
		i = skipMore(b, end)
	}
	if isOneOf(b, i, ",;") {
		if i = skipSpace(b, i+1); !isLineAt(b, i) {
			i = skipBlanks(b, payload(b, i))
		}
	}
	x := lexer{s, b, i}
	if dot := run(b, i, nameByte); byteAt(b, dot) == '[' { // env[0].name=NAME,env[0].value=VALUE of Helm
		x.i = run(b, dot+1, hexByte) + len("].")
	}
	if _, ok := x.key(":=", "value", "parametervalue", "outputvalue"); ok {
		s.sibling(f, skipSpace(b, x.i))
		return true
	}
	before := b[max(0, f.from-len(`variable: "`)):f.from]
	named := f.quoted && f.behind() == ',' || containsFold(before, "name: ") || containsFold(before, "variable: ")
	if !named || !s.valueIn(f, i, defaultKeys) { // {"name":"NAME","type":"x","value":"y"}
		s.siblingBefore(f)
	}
	return true
}

// sibling takes the value at i, which is named by a sibling.
func (s *scan) sibling(f field, i int) {
	b := f.b
	if i >= len(b) || among(b[i], "{[") {
		return
	}
	if b[i] == '|' || b[i] == '>' {
		key := runBack(b, i, blankByte) - len("value:")
		if indent, first := s.beginsLine(max(0, key)); first && s.block(f, i, indent) {
			return
		}
	}
	stops := "\r\n"
	if f.quoted || s.prose || bytes.IndexByte(b[i:lineEnd(b, i)], '}') > 0 {
		stops = plainStops
	}
	s.takeJudged(f, s.trimmed(s.value(b, i, stops), stops), false)
}

// siblingBefore looks for value: x right before name: NAME.
func (s *scan) siblingBefore(f field) {
	from := max(s.done, f.from-s.back/2)
	if from >= f.from {
		return
	}
	b := f.b
	key := lastFold(b[from:f.from], "value")
	if key < 0 {
		return
	}
	x := lexer{s, b, from + key}
	if _, ok := x.key(":=", "value"); !ok || x.i > f.from {
		return
	}
	i := skipSpace(b, x.i)
	v := s.trimmed(s.value(b, i, "\r\n,"), "\r\n")
	if nameBehind(b, v.end, f.from) {
		s.takeJudged(f, v, false)
	}
}

// nameBehind tells whether name: or key: is all that stands between two places.
func nameBehind(b []byte, i, name int) bool {
	i = skipOf(b[:name], skipMore(b, skipQuote(b, i)), name, ",- \t")
	x := lexer{b: b, i: i}
	if _, ok := x.key(":=", "name", "key"); !ok {
		return false
	}
	i = skipQuote(b, skipBlanks(b, x.i))
	for i < name && (classOf[b[i]]&nameByte != 0 || b[i] == ':') { // Twilio:AuthToken
		i++
	}
	return i == name
}
