package redact

import (
	"bytes"
	"slices"
	"strings"
)

// The lexer: what names, operators, quotes and values consist of, and how they are passed. All rules and
// forms read a text with these functions; each gets the text and a place in it.

// Classes of bytes. What a value may hold depends on where it stands.
const (
	wordByte   = 1 << iota // letters, digits, _ and all that is not ASCII
	nameByte               // of a key or flag
	base64Byte             // of either alphabet
	tokenByte              // of a bearer token (RFC 6750)
	hexByte
	blankByte // within a line
	lineByte  // the end of a line
	madeByte  // of a value that a generator made
)

var classOf = func() (t [256]uint8) {
	for i := range t {
		c := byte(i)
		switch {
		case isAlnum(c):
			t[i] = wordByte | nameByte | base64Byte | tokenByte | madeByte
			if isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' {
				t[i] |= hexByte
			}
		case c >= 0x80:
			t[i] = wordByte
		}
	}
	for _, c := range []byte("_-.$") {
		t[c] |= nameByte
	}
	t['_'] |= wordByte
	for _, c := range []byte("+/=-_") {
		t[c] |= base64Byte
	}
	for _, c := range []byte("-._~+/=") {
		t[c] |= tokenByte
	}
	for _, c := range []byte("_-.+/=") {
		t[c] |= madeByte
	}
	t[' '], t['\t'] = blankByte, blankByte
	t['\n'], t['\r'] = lineByte, lineByte
	return t
}()

func isDigit(c byte) bool { return c-'0' < 10 }
func isLower(c byte) bool { return c-'a' < 26 }
func isUpper(c byte) bool { return c-'A' < 26 }
func isAlnum(c byte) bool { return isDigit(c) || (c|0x20)-'a' < 26 }
func isWord(c byte) bool  { return classOf[c]&wordByte != 0 }
func isBlank(c byte) bool { return classOf[c]&blankByte != 0 }
func isLine(c byte) bool  { return classOf[c]&lineByte != 0 }

// run returns where the bytes of a class end that begin at i.
func run(b []byte, i int, class uint8) int {
	for i < len(b) && classOf[b[i]]&class != 0 {
		i++
	}
	return i
}

// runBack returns where the bytes of a class begin that end before i.
func runBack(b []byte, i int, class uint8) int {
	for i > 0 && classOf[b[i-1]]&class != 0 {
		i--
	}
	return i
}

// byteAt is the byte at i, and 0 where there is none.
func byteAt(b []byte, i int) byte {
	if i < 0 || i >= len(b) {
		return 0
	}
	return b[i]
}

// isOneOf tells whether one of some signs stands at i.
func isOneOf(b []byte, i int, signs string) bool {
	return i >= 0 && i < len(b) && strings.IndexByte(signs, b[i]) >= 0
}

// wordEnds tells whether a word could not go on there.
func wordEnds(b []byte, i int) bool { return i >= len(b) || !isWord(b[i]) }

// hasFold tells whether b holds text, which is in lower case, at i.
func hasFold(b []byte, i int, text string) bool {
	if i < 0 || i+len(text) > len(b) {
		return false
	}
	for k := range len(text) {
		c := b[i+k]
		if isUpper(c) {
			c |= 0x20
		}
		if c != text[k] {
			return false
		}
	}
	return true
}

// foldAt is the first of some texts that b holds at i, and nothing without one.
func foldAt(b []byte, i int, texts ...string) string {
	for _, text := range texts {
		if hasFold(b, i, text) {
			return text
		}
	}
	return ""
}

// lineBack is where the line of i begins, and no more than n bytes before i.
func lineBack(b []byte, i, n int) int {
	lowest := max(0, i-n)
	return lowest + lineStart(b[lowest:], i-lowest)
}

// lineStart and lineEnd bound the line of i within b.
func lineStart(b []byte, i int) int {
	for i > 0 && !isLine(b[i-1]) {
		i--
	}
	return i
}

func lineEnd(b []byte, i int) int {
	for i < len(b) && !isLine(b[i]) {
		i++
	}
	return i
}

func lastFold(b []byte, text string) int {
	for i := len(b) - len(text); i >= 0; i-- {
		if hasFold(b, i, text) {
			return i
		}
	}
	return -1
}

func indexFold(b []byte, text string) int {
	for i := 0; i+len(text) <= len(b); i++ {
		if hasFold(b, i, text) {
			return i
		}
	}
	return -1
}

// runWith passes letters, digits and some signs.
func runWith(b []byte, i int, signs string) int {
	for i < len(b) && (isAlnum(b[i]) || strings.IndexByte(signs, b[i]) >= 0) {
		i++
	}
	return i
}

// skipOf passes bytes that are among some signs, and n of them at most.
func skipOf(b []byte, i, n int, signs string) int {
	for last := min(len(b), i+n); i < last && strings.IndexByte(signs, b[i]) >= 0; i++ {
	}
	return i
}

// backOf passes such bytes before i.
func backOf(b []byte, i, n int, signs string) int {
	for lowest := max(0, i-n); i > lowest && strings.IndexByte(signs, b[i-1]) >= 0; i-- {
	}
	return i
}

// upTo finds the first of some signs, and looks at n bytes at most.
func upTo(b []byte, i, n int, signs string) int {
	for last := min(len(b), i+n); i < last && strings.IndexByte(signs, b[i]) < 0; i++ {
	}
	return i
}

// runOf finds the end of a run, or how far it surely reaches.
func runOf(class uint8) func(b []byte, i int) (int, bool) {
	return func(b []byte, i int) (int, bool) {
		end := run(b, i, class)
		return end, end < len(b)
	}
}

// upToSigns finds the end of what some signs end, or how far it surely reaches.
func upToSigns(signs string) func(b []byte, i int) (int, bool) {
	return func(b []byte, i int) (int, bool) {
		end := upTo(b, i, len(b), signs)
		return end, end < len(b)
	}
}

// setOf is the set of the words in a text.
func setOf(text string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		m[word] = true
	}
	return m
}

// A lexer goes through a text and yields what settings consist of: names, separators, quotes and values.
type lexer struct {
	s *scan
	b []byte
	i int
}

// key yields a name, which may stand in quotes, and passes it with the separator behind it. Where names
// are given it is one of them.
func (x *lexer) key(separators string, names ...string) (name []byte, ok bool) {
	from := skipQuote(x.b, skipSpace(x.b, x.i))
	to := from + len(foldAt(x.b, from, names...))
	if names == nil {
		to = run(x.b, from, nameByte)
	}
	next := lexer{x.s, x.b, skipQuote(x.b, to)}
	if to == from || !next.separator(separators) {
		return nil, false
	}
	x.i = next.i
	return x.b[from:to], true
}

// separator passes one of some signs.
func (x *lexer) separator(signs string) bool {
	i := skipSpace(x.b, x.i)
	if !isOneOf(x.b, i, signs) {
		return false
	}
	x.i = i + 1
	return true
}

// value yields a value in quotes, or up to one of the stops, and passes it.
func (x *lexer) value(stops string) value {
	v := x.s.value(x.b, skipSpace(x.b, x.i), stops)
	x.i = skipQuote(x.b, v.end)
	return v
}

// value is where a value stands in the text.
type value struct {
	start, end int
	quoted     bool
	scalar     bool // of YAML, to the end of its line: no code
	open       bool // it goes on behind what may be looked at
	quote      byte
	escapes    int // backslashes before its quotes
}

// in is the text of the value.
func (v value) in(b []byte) []byte { return b[v.start:v.end] }

// whole tells of a value that is not empty and whose end was seen.
func (v value) whole() bool { return !v.open && v.end > v.start }

const plainStops = " \t\r\n\"'`;,&)]}<>|\x1b"

// value reads the value that begins at i: in quotes, which may be escaped, or
// up to one of the bytes in stops.
func (s *scan) value(b []byte, i int, stops string) value {
	q := i
	for q < len(b) && b[q] == '\\' {
		q++
	}
	if isOneOf(b, q, "\"'`") {
		return s.quotedValue(b, q, q-i)
	}
	if c, n := wideAt(b, i); c == '"' || c == '\'' {
		return s.wideValue(b, i+n)
	}
	v := value{start: i}
	if n := tokenAt(b[i:]); n > 0 {
		v.end = i + n
		return v
	}
	v.end = i
	for v.end < len(b) && strings.IndexByte(stops, b[v.end]) < 0 {
		if n := tokenAt(b[v.end:]); n > 0 {
			v.end += n
			continue
		}
		if b[v.end] == '\\' && v.end+1 < len(b) && s.escapedEnd(b, v.end) {
			break
		}
		if c, _ := wideAt(b, v.end); c != 0 && strings.IndexByte("\"'),;. ]>", c) >= 0 {
			break
		}
		v.end++
	}
	*s.work += int64(v.end - i)
	v.open = v.end == len(b) && s.cut(b)
	return v
}

// wideValue reads up to a quote of print.
func (s *scan) wideValue(b []byte, i int) value {
	end := i
	for end < len(b) && !isLine(b[end]) {
		if c, _ := wideAt(b, end); c == '"' || c == '\'' {
			break
		}
		end++
	}
	*s.work += int64(end - i)
	start := skipGap(b[:end], i) // « VALUE »
	return value{start: start, end: start + len(bytes.TrimRight(b[start:end], " \u00a0")), quoted: true}
}

// cut tells that b ends where the window does and not where the file does.
func (s *scan) cut(b []byte) bool { return !s.eof || len(b) < len(s.b) }

// escapedEnd tells whether the backslash at i begins what ends a value: a quote,
// a line's end, an ampersand as JSON has it, the zero between strings of the
// registry.
func (s *scan) escapedEnd(b []byte, i int) bool {
	switch b[i+1] {
	case '"':
		return true
	case 'n':
		return s.escapedLine(b, i)
	case 'u':
		return hasFold(b, i, `\u0026`) && isField(b[i+6:min(len(b), i+70)])
	case '0':
		return i+2 >= len(b) || isLine(b[i+2]) || hasFold(b, i, `\0\0`) ||
			isField(b[i+2:min(len(b), i+70)])
	}
	return false
}

// escapedLine tells whether \n at i is a line's end within a quoted text, and no
// part of a Windows path or a password.
func (s *scan) escapedLine(b []byte, i int) bool {
	j := i + 2
	if j >= len(b) || !isAlnum(b[j]) {
		return true
	}
	name := run(b, j, nameByte)
	return isLower(b[j]) && byteAt(b, name) == ':'
}

// quotedValue reads up to the quote that is escaped as the first at q is.
func (s *scan) quotedValue(b []byte, q, escapes int) value {
	v := value{start: q + 1, quoted: true, quote: b[q], escapes: escapes}
	if hasFold(b, q, "`\"") { // in a text of PowerShell in quotes
		if n := bytes.Index(b[q+2:lineEnd(b, q)], []byte("`\"")); n >= 0 {
			v.start, v.end = q+2, q+2+n
			return v
		}
	}
	end, ended := closing(b, q+1, v.quote, escapes)
	v.end, v.open = end, !ended && s.cut(b)
	return v
}

// closing finds the quote that closes a text, or that of the text around it.
func closing(b []byte, i int, quote byte, escapes int) (int, bool) {
	slashes := 0
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\':
			slashes++
			continue
		case c == quote && (closes(slashes, escapes) || oddPath(b, i, quote, escapes, slashes) ||
			quote == '\'' && escapes == 0):
			return i - min(slashes, escapes), true
		case c == quote && slashes < escapes, c == '"' && slashes < escapes:
			return i - slashes, true
		case isLine(c) && quote != '`':
			return i, true
		}
		slashes = 0
	}
	return len(b), false
}

// closes tells whether a quote behind so many backslashes closes a text whose
// first quote had escapes of them.
func closes(slashes, escapes int) bool {
	if escapes == 0 {
		return slashes%2 == 0
	}
	return slashes%2 == 1 && closes((slashes-1)/2, (escapes-1)/2)
}

// oddPath takes the quote behind a path that ends in a backslash, which no
// program escapes on Windows: "C:\k\".
func oddPath(b []byte, i int, quote byte, escapes, slashes int) bool {
	return escapes == 0 && slashes == 1 && quote == '"' && isLineAt(b, i+1)
}

// take adds a value as a secret.
func (s *scan) take(v value, kind string) {
	if v.open {
		s.engulf(v.start, kind, v.ending())
		return
	}
	s.add(v.start, v.end, kind, unescape(v.in(s.b), v.escapes, v.quote))
}

// ending tells where the rest of a long value ends.
func (v value) ending() func(b []byte, i int) (int, bool) {
	if v.quoted {
		return func(b []byte, i int) (int, bool) {
			end, ended := closing(b, i, v.quote, v.escapes)
			if !ended { // backslashes at the edge belong to what follows
				for end > i && b[end-1] == '\\' && end > len(b)-16 {
					end--
				}
			}
			return end, ended
		}
	}
	return upToSigns(plainStops)
}

// unescape undoes what the quotes of a text in JSON asked for.
func unescape(b []byte, escapes int, quote byte) []byte {
	if quote == '\'' || quote == '`' || quote == 0 {
		return b
	}
	for n := escapes; ; n /= 2 {
		plain, ok := unquoteJSON(b)
		if !ok || len(plain) == len(b) {
			return b
		}
		b = plain
		if n == 0 {
			return b
		}
	}
}

// skipBlanks passes blanks, and skipSpace line ends too, also escaped ones.
func skipBlanks(b []byte, i int) int { return run(b, i, blankByte) }

func skipSpace(b []byte, i int) int {
	for i < len(b) {
		switch {
		case isBlank(b[i]) || isLine(b[i]):
			i++
		case b[i] == '\\' && i+1 < len(b) && (b[i+1] == 'n' || b[i+1] == 'r' || b[i+1] == 't'):
			i += 2
		default:
			return i
		}
	}
	return i
}

// skipQuote passes a quote with the backslashes before it.
func skipQuote(b []byte, i int) int {
	j := i
	for j < len(b) && b[j] == '\\' {
		j++
	}
	if j < len(b) && (b[j] == '"' || b[j] == '\'' || b[j] == '`') {
		return j + 1
	}
	return i
}

// skipEmphasis passes what ends a bold text: ** of Markdown, </b> of a page.
func skipEmphasis(b []byte, i int) int {
	if hasFold(b, i, "</") {
		return skipTag(b, i)
	}
	end := i
	for end < len(b) && end-i < 2 && b[end] == '*' {
		end++
	}
	if end < len(b) && end > i && (isBlank(b[end]) || b[end] == ':') {
		return end
	}
	return i
}

// skipType passes the type between the name of a variable and its operator, and what a program
// adds where it asks once more: Password (again): …
func skipType(b []byte, i int) int {
	if word := foldAt(b, i, "(again)", "(confirm)", "(repeat)", "(retype)", "(verify)"); word != "" {
		return skipBlanks(b, i+len(word))
	}
	end := runWith(b[:min(len(b), i+16)], i, "[]*_:&")
	at := skipBlanks(b, end)
	if at == end || byteAt(b, at) != '=' && !hasFold(b, at, ":=") {
		return i
	}
	switch strings.ToLower(strings.Trim(string(b[i:end]), "[]*&")) {
	case "string", "str", "std::string", "byte", "char", "const", "text", "varchar", "any":
		return at
	}
	return i
}

// wrappers are calls around a text that is a secret, and not the name of one.
var wrappers = strings.Fields("sensitive some enc string str just ok secretstring text securestring")

// skipWrapper passes what programs write around a value: Sensitive('…'), Some("…"), ENC(…), {AES}…, <<"…">>,
// (string) (len=14) "…".
func skipWrapper(b []byte, i int) int {
	if hasFold(b, i, `<<"`) {
		return i + len("<<")
	}
	if dump := "(string) (len="; hasFold(b, i, dump) {
		if end := run(b, i+len(dump), hexByte); hasFold(b, end, `) "`) {
			return end + len(") ")
		}
	}
	if byteAt(b, i) == '{' { // {cipher}, {SSHA512}, {xor}
		end := run(b, i+1, nameByte)
		if end > i+2 && byteAt(b, end) == '}' && run(b, end+1, base64Byte)-end > 8 {
			return end + 1
		}
		return i
	}
	end := run(b, i, wordByte)
	if end == i || end+2 >= len(b) || b[end] != '(' || !slices.Contains(wrappers, strings.ToLower(string(b[i:end]))) {
		return i
	}
	if skipQuote(b, end+1) > end+1 || run(b, end+1, base64Byte)-end > 12 {
		return end + 1
	}
	return i
}

// skipVerbatim passes the sign of a text without escapes: @"…", r"…".
func skipVerbatim(b []byte, i int) int {
	i = skipWrapper(b, i)
	if i+1 < len(b) && strings.IndexByte("@rbfuLN", b[i]) >= 0 && (b[i+1] == '"' || b[i+1] == '\'') {
		return i + 1
	}
	return i
}

// skipYAMLTag passes !!binary and &anchor.
func skipYAMLTag(b []byte, i int) int {
	name := i + len(foldAt(b, i, "!!", "&"))
	if end := run(b, name, wordByte); name > i && end > name && isBlank(byteAt(b, end)) && b[skipBlanks(b, end)-1] != '/' {
		return skipBlanks(b, end)
	}
	return i
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
	{"=~ ", '?'}, {":: ", ':'}, {"::", 0}, {":~", 0}, {"=", '='}, {":", ':'}, {"：", ':'}, {"＝", '='}, {"→", '='},
	{"＞", '='}, {"-eq ", '?'}, {"-ceq ", '?'}, {"-ne ", '?'}, {"-match ", '?'}, {"-like ", '?'},
	{"[]=", '='}, {"[] =", '='}, {"....", ':'}, {"│", ':'},
}

func operatorAt(b []byte, i int) (op operator, ok bool) {
	if byteAt(b, i) == '[' { // char password[25] =
		if end := run(b, i+1, wordByte); byteAt(b, end) == ']' {
			i = skipGap(b, end+1)
		}
	}
	for _, o := range operators {
		if hasFold(b, i, o.text) {
			if o.sign == '?' {
				return operator{'=', i + len(o.text), true}, true
			}
			end := i + len(o.text)
			for o.text == "...." && end < len(b) && b[end] == '.' {
				end++
			}
			return operator{o.sign, end, false}, o.sign != 0
		}
	}
	return operator{}, false
}

// skipStyle passes what colors a terminal: ESC [ 36 m.
func skipStyle(b []byte, i int) int {
	for i+2 < len(b) && b[i] == 0x1b && b[i+1] == '[' {
		end := skipOf(b, i+2, len(b), digits+";")
		if !isOneOf(b, end, "mK") {
			return i
		}
		i = end + 1
	}
	return i
}

// wideSigns are the signs of Chinese and Japanese text and the quotes of print that
// stand where ASCII has one.
var wideSigns = []struct {
	text  string
	ascii byte
}{
	{"：", ':'}, {"＝", '='}, {"“", '"'}, {"”", '"'}, {"„", '"'}, {"「", '"'}, {"」", '"'},
	{"『", '"'}, {"』", '"'}, {"‘", '\''}, {"’", '\''}, {"«", '"'}, {"»", '"'}, {"　", ' '},
	{"\u00a0", ' '}, {"【", '['}, {"】", ']'}, {"（", '('}, {"）", ')'}, {"，", ','}, {"；", ';'},
	{"。", '.'}, {"、", ','}, {"＞", '>'}, {"→", '>'},
}

// wideAt tells for what a sign of more than a byte stands, and how long it is.
func wideAt(b []byte, i int) (ascii byte, n int) {
	if i >= len(b) || b[i] < 0x80 {
		return 0, 0
	}
	for _, w := range wideSigns {
		if len(b)-i >= len(w.text) && string(b[i:i+len(w.text)]) == w.text {
			return w.ascii, len(w.text)
		}
	}
	return 0, 0
}

// skipGap passes blanks of any width.
func skipGap(b []byte, i int) int {
	for {
		next := skipBlanks(b, i)
		if c, n := wideAt(b, next); c == ' ' {
			next += n
		}
		if next == i {
			return i
		}
		i = next
	}
}
