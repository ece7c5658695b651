package redact

import (
	"bytes"
	"strings"
)

// field is the name of a setting as it stands in a text. Its value may stand in
// many places; forms lists them.
type field struct {
	b        []byte // what may be looked at
	from, to int    // the name
	kind     string
	trust    trust
	flag     bool // -name, --name, /name
	quoted   bool
	after    int // behind its quote and brackets
	at       int // behind the blanks that follow
}

func (f field) text() []byte { return f.b[f.from:f.to] }

// behind is the byte that follows a name and blanks.
func (f field) behind() byte {
	if f.at < len(f.b) {
		return f.b[f.at]
	}
	return '\n'
}

// forms read the value of a field where it may stand. The first that knows the
// form of the text has judged it.
var forms []func(s *scan, f field) bool

func init() { // a form may look into texts in which there are fields
	forms = []func(s *scan, f field) bool{(*scan).elementForm, (*scan).optionForm,
		(*scan).quotedThing, (*scan).reversedForm, (*scan).assignedForm, (*scan).givenForm, (*scan).argumentForm,
		(*scan).nextArgumentForm, (*scan).registryForm, (*scan).setterForm, (*scan).isForm,
		(*scan).textForm, (*scan).callForm, (*scan).tableForm, (*scan).lineForm, (*scan).wordForm,
		(*scan).pairForm}
}

// nameRule judges the name around a trigger, and the value that it has.
func (s *scan) nameRule(start, end int) {
	b := s.see(start)
	from, to := s.nameAround(b, start, end)
	if to <= s.named || inToken(s.b, start) {
		return
	}
	s.named = to
	kind, t := judgeName(b[from:to])
	if t == noSecret || t == weak && from < s.dull.value {
		return
	}
	if t == weak {
		b = b[:min(len(b), to+maxWeak)]
	}
	s.judge(b, from, to, kind, t)
}

// wordRule judges a name that stands by itself in a language other than English.
func (s *scan) wordRule(start, end int, kind string) {
	b := s.see(start)
	if end < len(b) && isAlnum(b[end]) || end <= s.named {
		return
	}
	s.named = end
	s.judge(b, start, end, kind, strong)
}

func (s *scan) judge(b []byte, from, to int, kind string, t trust) {
	f := field{b: b, from: from, to: to, kind: kind, trust: t}
	f.flag = b[from] == '-' || from > 0 && b[from-1] == '/' &&
		(from == 1 || strings.IndexByte(" \t\"'\n[,", b[from-2]) >= 0)
	f.after = skipQuote(b, to)
	if c, n := wideAt(b, to); c == '"' || c == ']' || c == '\'' {
		f.after = to + n
	}
	f.quoted = f.after > to
	if f.after < len(b) && (b[f.after] == ']' || b[f.after] == '}' && f.after+1 < len(b) &&
		strings.IndexByte(" =", b[f.after+1]) >= 0) {
		f.after++ // env["PASSWORD"] = …, ${env:PASSWORD}=…
	}
	f.at = skipGap(b, f.after)
	for _, form := range forms {
		if form(s, f) {
			return
		}
	}
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
	if from > 0 && b[from-1] == '\\' && from < start && strings.IndexByte("nrt", b[from]) >= 0 {
		from++
	}
	return from, to
}

// maxWeak bounds what is looked at behind a name that is seldom one of a
// secret, so that a text full of them takes no longer than others.
const maxWeak = 4 << 10

// take the value when it is a secret.
func (s *scan) takeJudged(f field, v value, prose bool) {
	if v.open && f.trust > weak {
		s.take(v, f.kind)
		return
	}
	if f.trust == weak && v.end-v.start > 256 {
		s.dull.value = v.end
	}
	if v.open || v.end <= v.start {
		return
	}
	text := unescape(s.b[v.start:v.end], v.escapes, v.quote)
	if !v.quoted && (afterWord(f.b, f.from) && isAssignment(text) || isCode(s.b, v)) {
		return // the sentence goes on with its fields: failed to get a token: status=400
	}
	if isSecret(f.text(), text, f.trust, prose) {
		s.take(v, f.kind)
	}
}

// quotedThing tells of a quoted name that is no key: the end of an address in
// quotes (Post "https://x/token": …), or what a sentence names (volume "token" : …).
func (s *scan) quotedThing(f field) bool {
	if !f.quoted || f.flag || f.from < 2 {
		return false
	}
	b := f.b
	if b[f.from-1] == '/' {
		return isAlnum(b[f.from-2]) || b[f.from-2] == '-'
	}
	quote := f.from
	for quote > 0 && (b[quote-1] == '"' || b[quote-1] == '\\') {
		quote--
	}
	if quote == f.from || !afterWord(b, quote) {
		return false
	}
	switch f.behind() {
	case ':', '=': // an object, unless its value is quoted as it is
		return skipQuote(b, skipGap(b, f.at+1)) == skipGap(b, f.at+1)
	}
	return !s.afterSetter(f)
}

// An operator stands between a name and its value.
type operator struct {
	sign  byte // ':' or '='
	end   int
	equal bool // compares; only a value in quotes is one
}

// operators in the order in which they are looked for.
var operators = []struct {
	text string
	sign byte
}{
	{"===", '?'}, {"!==", '?'}, {"==", '?'}, {"!=", '?'}, {":::=", '='}, {"::=", '='}, {":=", '='},
	{"=>", '='}, {"+=", '='}, {"?=", '='}, {"||=", '='}, {"->", '='}, {"|=", '='}, {".=", '='},
	{"=~", '?'}, {"::", 0}, {":~", 0}, {"=", '='}, {":", ':'}, {"：", ':'}, {"＝", '='}, {"→", '='},
	{"＞", '='}, {"-eq ", '?'}, {"-ceq ", '?'}, {"-ne ", '?'}, {"-match ", '?'}, {"-like ", '?'},
	{"[]=", '='}, {"[] =", '='},
}

func operatorAt(b []byte, i int) (op operator, ok bool) {
	if i < len(b) && b[i] == '[' { // char password[25] =
		if end := run(b, i+1, wordByte); end < len(b) && b[end] == ']' {
			i = skipGap(b, end+1)
		}
	}
	for _, o := range operators {
		if hasFold(b, i, o.text) {
			if o.sign == '?' {
				return operator{'=', i + len(o.text), true}, true
			}
			return operator{o.sign, i + len(o.text), false}, o.sign != 0
		}
	}
	return operator{}, false
}

// assignedForm: NAME: value and NAME=value.
func (s *scan) assignedForm(f field) bool {
	b := f.b
	op, ok := operatorAt(b, f.at)
	if !ok {
		return f.behind() == ':' || f.behind() == '='
	}
	i := skipGap(b, op.end)
	if i >= len(b) {
		return true
	}
	if op.equal {
		i = skipVerbatim(b, i)
		if c, _ := wideAt(b, i); skipQuote(b, i) > i || c == '"' {
			s.takeJudged(f, s.value(b, i, plainStops), false)
		}
		return true
	}
	indent, first := s.beginsLine(f.from)
	if isLine(b[i]) {
		s.nextLineValue(f, op, i, indent, first)
		return true
	}
	if op.sign == ':' && first && (b[i] == '|' || b[i] == '>') && s.block(f, i, indent) {
		return true
	}
	if op.sign == '=' && !f.flag && s.connection(b, f.from, i) && s.connectionField(f, i) {
		return true
	}
	if i+2 < len(b) && b[i] == '@' && skipQuote(b, i+1) > i+1 && isLine(b[i+2]) { // @"…"@ over lines
		at := nextLine(b, i+2)
		s.takeJudged(f, value{start: at, end: lineEnd(b, at)}, false)
		return true
	}
	if i = skipYAMLTag(b, skipVerbatim(b, i)); i < len(b) && strings.IndexByte("[{(", b[i]) >= 0 {
		s.bracketed(f, i)
		return true
	}
	if i+1 < len(b) && b[i] == '\\' && (b[i+1] == 'n' || b[i+1] == 'r') && s.escapedLine(b, i) {
		return true
	}
	s.plainValue(f, op, i, first)
	return true
}

// skipVerbatim passes the sign of a text without escapes: @"…", r"…".
func skipVerbatim(b []byte, i int) int {
	if i+1 < len(b) && strings.IndexByte("@rbfuLN", b[i]) >= 0 && (b[i+1] == '"' || b[i+1] == '\'') {
		return i + 1
	}
	return i
}

// skipYAMLTag passes !!binary and &anchor.
func skipYAMLTag(b []byte, i int) int {
	if i+2 < len(b) && b[i] == '!' && b[i+1] == '!' {
		if end := run(b, i+2, wordByte); end < len(b) && isBlank(b[end]) {
			return skipBlanks(b, end)
		}
	}
	return i
}

// nextLineValue reads a value that stands in the line behind its name.
func (s *scan) nextLineValue(f field, op operator, i, indent int, first bool) {
	b := f.b
	if next := skipSpace(b, i); isRecoveryPassword(b, next) {
		s.add(next, next+recoveryLength, f.kind, b[next:next+recoveryLength])
		return
	}
	next := nextPayload(b, i)
	at := skipBlanks(b, next)
	if at >= len(b) || isLine(b[at]) {
		return
	}
	switch {
	case f.quoted && b[at] == '"':
		s.takeJudged(f, s.value(b, at, plainStops), false)
	case !first || op.sign != ':' || at-next <= indent || b[at] == '-' || b[at] == '#':
	case hasFold(b, skipQuote(b, at), "value"):
		at = skipBlanks(b, skipQuote(b, skipQuote(b, at)+len("value")))
		if at < len(b) && b[at] == ':' {
			s.sibling(f, skipGap(b, at+1))
		}
	default:
		v := s.trimmed(s.value(b, at, "\r\n"), "\r\n")
		if end := skipBlanks(b, skipQuote(b, v.end)); v.open || v.quoted &&
			end < len(b) && !isLine(b[end]) || bytes.Contains(b[v.start:v.end], []byte(": ")) ||
			v.end > v.start && b[v.end-1] == ':' {
			return
		}
		s.takeJudged(f, v, f.trust < strong || moreWords(b, at))
	}
}

// plainValue reads a value in the line of its name.
func (s *scan) plainValue(f field, op operator, i int, first bool) {
	b := f.b
	tight := i == op.end
	stops, prose := plainStops, false
	switch {
	case f.flag && op.sign == '=':
		stops = s.flagStops(f, i)
	case op.sign == '=' && tight && !f.quoted && f.from > 0 && strings.IndexByte("\"'", b[f.from-1]) >= 0 &&
		s.quotedLine(b, i, b[f.from-1]):
		stops = string(b[f.from-1]) + "\r\n"
	case op.sign == '=' && first && tight && isCapital(f.text()):
		stops = "\r\n"
	case op.sign == ':' && first && !tight && !s.prose:
		stops = "\r\n"
		if f.trust < strong && moreWords(b, i) { // a token has no blanks in it
			stops, prose = " \t\r\n,;\"'", true
		}
	case op.sign == ':' && first && !tight:
		stops = " \t\r\n,;\"'"
		prose = f.trust < strong && !hasFold(f.text(), 0, "x-") || moreWords(b, i)
	case op.sign == ':' && !f.quoted && !f.flag && !hasFold(f.text(), 0, "x-"):
		prose = s.prose && (!tight || f.trust < strong) || f.trust < strong ||
			afterWord(b, f.from) && moreWords(b, i)
	}
	v := s.value(b, i, stops)
	if !v.quoted {
		v = s.trimmed(v, stops)
	} else if op.sign == '=' || f.quoted {
		prose = false
	}
	if !v.quoted && isCmdlet(s.b[v.start:v.end]) {
		return
	}
	if isGUID(s.b[v.start:v.end]) && f.trust > weak {
		prose = false
	}
	s.takeJudged(f, v, prose)
}

// quotedLine tells whether a quote before NAME=value closes in its line, with no other
// setting before.
func (s *scan) quotedLine(b []byte, i int, quote byte) bool {
	end := i
	for end < len(b) && b[end] != quote && !isLine(b[end]) {
		end++
	}
	return end < len(b) && b[end] == quote && bytes.IndexByte(b[i:end], '=') < 0 &&
		bytes.IndexByte(b[i:end], ';') < 0 && bytes.IndexByte(b[i:end], '&') < 0
}

// flagStops are what ends the value of --name=value.
func (s *scan) flagStops(f field, at int) string {
	if f.from > 0 && s.b[f.from-1] == '"' { // the quotes hold the flag with its value
		end, ok := closing(f.b, at, '"', 0)
		if ok && end < len(f.b) && f.b[end] == '"' && !bytes.Contains(f.b[at:end], []byte(" -")) {
			return "\"\r\n"
		}
	}
	return " \t\r\n\"'`"
}

// trimmed takes comments and blanks off the end of a value that has no quotes.
func (s *scan) trimmed(v value, stops string) value {
	if v.open || v.quoted {
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
	return !bytes.ContainsAny(name, lowers)
}

// bracketed deals with lists of values: token: [a, b], and {"value": "x"}. Other
// mappings and calls have names of their own.
func (s *scan) bracketed(f field, at int) {
	b := f.b
	if b[at] == '{' {
		i := skipQuote(b, skipSpace(b, at+1))
		if hasFold(b, i, "value") {
			i = skipBlanks(b, skipQuote(b, i+len("value")))
			if i < len(b) && (b[i] == ':' || b[i] == '=') {
				s.sibling(f, skipSpace(b, i+1))
			}
		}
		return
	}
	if b[at] != '[' {
		return
	}
	for i := at + 1; i < len(b); {
		i = skipSpace(b, i)
		if i >= len(b) || b[i] == ']' || b[i] == '[' || b[i] == '{' || b[i] == ':' {
			return
		}
		v := s.value(b, i, plainStops)
		if v.end <= i || !v.quoted && v.end < len(b) && b[v.end] == ']' && v.end+1 < len(b) &&
			b[v.end+1] == ':' { // [System.Text.Encoding]::ASCII
			return
		}
		s.takeJudged(f, v, s.prose && !v.quoted)
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

// isAssignment tells of name=value.
func isAssignment(v []byte) bool {
	i := bytes.IndexByte(v, '=')
	return i > 1 && i < len(v)-1 && v[i+1] != '=' && isIdentifier(v[:i]) && !mixed(v[:i])
}
