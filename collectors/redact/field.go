package redact

import (
	"bytes"
	"slices"
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
	foreign  bool // in another language than English
	cell     bool // its value stands in a cell of a page or behind a bold name, as other words do
	after    int  // behind its quote and brackets
	at       int  // behind the blanks that follow
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
	forms = []func(s *scan, f field) bool{(*scan).numberedForm, (*scan).defaultForm, (*scan).tightForm, (*scan).accountForm, (*scan).promptForm, (*scan).elementForm, (*scan).attributeForm,
		(*scan).blockForm, (*scan).optionForm, (*scan).quotedThing, (*scan).reversedForm, (*scan).assignedForm,
		(*scan).givenForm, (*scan).usedForm, (*scan).argumentForm, (*scan).nextArgumentForm,
		(*scan).registryForm, (*scan).setterForm, (*scan).isForm, (*scan).textForm,
		(*scan).callForm, (*scan).tableForm, (*scan).lineForm, (*scan).wordForm,
		(*scan).phraseForm, (*scan).pairForm}
}

// nameRule judges the name around a trigger, and the value that it has.
func (s *scan) nameRule(b []byte, start, end int) {
	from, to := s.nameAround(b, start, end)
	s.judgeAt(b, start, from, to)
}

// spacedRule judges a name of words that blanks separate.
func (s *scan) spacedRule(b []byte, start, end int) {
	from, _ := s.nameAround(b, start, end)
	if isFlagAt(b, from) {
		return // --secret id=x
	}
	s.judgeAt(b, start, from, run(b[:min(len(b), start+maxName)], end, nameByte))
}

// declarations stand before the name of a class, behind which that of another may stand.
var declarations = setOf("class struct interface enum trait")

func (s *scan) judgeAt(b []byte, start, from, to int) {
	if joint := skipOf(b, to, 8, ".-$"); to <= s.named || inToken(s.b, start) || joint > to && tokenAt(b[joint:]) > 0 { // the rest of the name is gone
		return
	}
	s.named = to
	kind, t := judgeName(withoutMethod(b, from, to))
	if t == noSecret || t <= loose && from < s.dull.value || isOfPublicKey(b, from) || declarations[wordBefore(b, from)] ||
		hasFold(b, to-len("userpassword"), "userpassword(") { // of a user and a password
		return
	}
	if t <= loose {
		b = b[:min(len(b), to+maxWeak)]
	}
	s.judge(field{b: b, from: from, to: to, kind: kind, trust: t})
}

// withoutMethod is the name of a variable whose method is called: secret.assign("…").
func withoutMethod(b []byte, from, to int) []byte {
	name := b[from:to]
	if byteAt(b, to) == '(' {
		if dot := bytes.LastIndexByte(name, '.'); dot > 0 {
			switch string(bytes.ToLower(name[dot+1:])) {
			case "assign", "equals", "append", "put", "compareto", "push":
				return name[:dot]
			}
		}
	}
	return name
}

// wordRule judges a name that stands by itself in a language other than English.
func (s *scan) wordRule(b []byte, start, end int, kind string) {
	if byteAt(b, end) == '_' { // CONTRASEÑA_BD
		end = run(b, end, wordByte)
	}
	if isAlnum(byteAt(b, end)) || end <= s.named || foldAt(b, start-len("fremd"), "fremd", "haupt") != "" || hasFold(b, start-len("primär"), "primär") {
		return
	}
	s.named = end
	s.judge(field{b: b, from: start, to: end, kind: kind, trust: strong, foreign: true})
}

func (s *scan) judge(f field) {
	b, to := f.b, f.to
	if f.flag = isFlagAt(b, f.from); f.flag && bytes.IndexByte(f.text(), '$') > 0 { // -p$PASSWORD
		f.from, f.flag = f.from+bytes.IndexByte(f.text(), '$'), false
	}
	f.after = skipQuote(b, to)
	if c, n := wideAt(b, to); c == '"' || c == ']' || c == '\'' {
		f.after = to + n
	}
	f.quoted = f.after > to
	if f.after += len(foldAt(b, f.after, ">> ")); isOneOf(b, f.after, "]") || f.quoted && hasFold(b, f.after, ") = ") || byteAt(b, f.after) == '}' && isOneOf(b, f.after+1, " =") {
		f.after++ // env["PASSWORD"] = …, ${env:PASSWORD}=…
	}
	if end := skipEmphasis(b, f.after); end > f.after && f.flag {
		f.after = end // **--token** VALUE
	} else if end > f.after && hasFold(b, end, ":") {
		f.after, f.cell = end, true // **Password**: …
	}
	f.at = skipGap(b, f.after)
	if next := skipGap(b, nextPayload(b, f.at+1)); f.behind() == '\\' && isOneOf(b, next, "=:") {
		f.at = next // a line of properties that goes on
	} else if f.flag && !f.quoted && isOneOf(b, f.at, "\\^`") && f.at > f.after && isLineAt(b, f.at+1) {
		if f.at = next; skipQuote(b, next) == next && !fitsPassword(s.value(b, next, " \t\r\n").in(b)) { // a command that goes on
			return
		}
	}
	if _, ok := operatorAt(b, f.at); byteAt(b, f.from-1) == '=' && f.at > f.after && !ok && !f.flag {
		return // of a setting that is called something else: -o Preferred=password HOST
	}
	if b[f.from] == '$' && f.at > f.after && byteAt(b, f.at) == '$' { // $token $host:2377
		return
	}
	for _, form := range forms {
		if form(s, f) {
			return
		}
	}
}

// isFlagAt tells of -name, --name and /name.
func isFlagAt(b []byte, from int) bool {
	if b[from] != '-' {
		return byteAt(b, from-1) == '/' &&
			(from == 1 || among(b[from-2], " \t\"'\n[,"))
	}
	i := from
	for byteAt(b, i) == '-' {
		i++
	}
	return i-from <= 2 && isAlnum(byteAt(b, i))
}

// nameAround widens a trigger to the whole name.
func (s *scan) nameAround(b []byte, start, end int) (from, to int) {
	for start < end && classOf[b[start]]&nameByte == 0 {
		start++ // a trigger may begin with what stands before the name
	}
	lowest := max(0, start-maxName)
	from = lowest + runBack(b[lowest:], start-lowest, nameByte)
	to = start
	for to < len(b) && to-start < maxName && classOf[b[to]]&nameByte != 0 && !hasFold(b, to, "....") {
		to++
	}
	for to > start+1 && among(b[to-1], ".-$") {
		to--
	}
	return from, to
}

// maxWeak bounds what is looked at behind a name that is seldom one of a
// secret, so that a text full of them takes no longer than others.
const maxWeak = 4 << 10

// takeJudged takes the value when it is a secret.
func (s *scan) takeJudged(f field, v value, prose bool) {
	if v.open && (f.trust >= medium || isGenerated(v.in(s.b))) {
		s.take(v, f.kind)
		return
	}
	if f.trust <= loose && v.end-v.start > 256 {
		s.dull.value = v.end
	}
	if !v.whole() {
		return
	}
	if f.trust == loose {
		if f.trust = weak; v.quoted || fitsWord(v.in(s.b)) || isGUID(v.in(s.b)) {
			f.trust = medium
		}
	}
	text := unescape(v.in(s.b), v.escapes, v.quote)
	if token := bytes.Index(text, []byte(tokenStart)); isRepeated(f.text(), text) || s.isNoValue(f, v, text) || isOneOf(text, token-1, ":='\"") { // pw:'TOKEN
		return
	}
	inQuotes := v.quoted && !prose || isOneOf(f.b, f.from-1, "\"'")
	if fits(f.kind, text) && (isSecret(f.text(), text, f.trust, prose) || inQuotes && isPin(f.kind, f.text(), f.trust, text)) {
		s.take(v, f.kind)
		s.goesOn(f, v)
		return
	}
	if colon := bytes.IndexByte(text, ':'); (f.kind == "credential" || f.kind == "registry-auth") && colon > 0 && v.escapes == 0 && // ops:VALUE
		isIdentifier(text[:colon]) && (looksChosen(text[colon+1:]) || isCoined(text[colon+1:], true) || isPassphrase(text[colon+1:])) {
		s.take(value{start: v.start + colon + 1, end: v.end}, "password")
	}
}

// goesOn takes the rest of a value that code joins of more texts, "VALUE" + "VALUE", or that PowerShell folds in a list.
func (s *scan) goesOn(f field, v value) {
	b, whole := f.b, slices.Clone(v.in(f.b))
	switch {
	case hasFold(b, f.at, ": ") && isBlank(b[f.at-1]):
		s.foldedLines(f, v)
	case v.quoted && !isLineAt(b, v.end):
		for last := v; ; whole = append(whole, last.in(b)...) {
			end := skipQuote(b, last.end)
			sign := skipMore(b, end)
			at := skipMore(b, skipOf(b, sign, 3, "+.&_ "))
			last = s.value(b, at, plainStops)
			text := last.in(b)
			if len(whole) > maxWeak || !last.quoted || !last.whole() || last.quote != v.quote || isPlaceholder(text) || text[0] == '\\' || bytes.ContainsRune(text, ' ') && !bytes.ContainsRune(whole, ' ') ||
				at == sign && !isOneOf(b, runBack(b, at, blankByte)-1, "+.&") && column(b, at) != column(b, v.start-1) || hasFold(b, end, ". ") { // of a sentence
				break
			}
			s.take(last, f.kind)
		}
	}
	if len(whole) > v.end-v.start {
		s.learn(f.kind, whole)
	}
}

// column is how far a place is from the beginning of its line.
func column(b []byte, i int) int { return i - lineBack(b, i, layerBack) }

// foldedLines takes the lines on which a value goes on below its first letter, as PowerShell folds what is too long.
func (s *scan) foldedLines(f field, v value) {
	column := v.start - payload(f.b[:v.start], lineBack(f.b, v.start, layerBack))
	for line, i := range linesBehind(f.b, v.end) {
		at := skipBlanks(f.b, line)
		if !isLineAt(f.b, v.end) || at-line != column || moreWords(f.b, at) || i == len(f.b) && s.cut(f.b) {
			return
		}
		v = value{start: at, end: i}
		s.take(v, f.kind)
	}
}

// isPin tells of a token of digits alone, which stands in quotes as no number does.
func isPin(kind string, name []byte, t trust, v []byte) bool {
	return kind == "token" && t == medium && allDigits(v) && !sameByte(v)
}

// isNoValue tells of what stands where a value would and is something else.
func (s *scan) isNoValue(f field, v value, text []byte) bool {
	if v.quote == '`' && bytes.ContainsRune(text, ' ') {
		return true // a command in Markdown
	}
	if v.quoted {
		return hasFold(f.b, skipQuote(f.b, v.end), " value=") // <add key="NAME" value="…"/>
	}
	switch {
	case isNamedAfter(f, text), bytes.HasPrefix(text, []byte("}}")), // the template ends in which the name stands
		bytes.HasPrefix(text, []byte("--")) && !among(f.behind(), "=:"),  // the next flag
		bytes.Contains(text, []byte(" (")) && containsFold(text, f.kind), // Password: the password (plain text)
		text[0] == '$' && isExpression(text) && !bytes.ContainsAny(text, digits),
		!(f.flag && f.trust == strong) && afterWord(f.b, f.from) && isAssignment(text): // the sentence goes on with its fields: failed to get a token: status=400
		return true
	}
	literal := v.scalar && (isIdentifier(text) || isOneOf(text, len(text)-1, "([{") && isDigit(byteAt(text, len(text)-2)) && bytes.ContainsAny(text, uppers)) || // VALUE278(
		byteAt(f.b, v.start-1) == '=' && f.trust == strong && isJumbled(text) && bytes.ContainsAny(text, digits)
	return !literal && isCode(s.b, v)
}

// fits tells whether a value can be of its kind: a key is no command, no path and no word.
func fits(kind string, v []byte) bool {
	switch kind {
	case "private-key":
		return !sameByte(v) && !fileTypes[string(v[bytes.LastIndexByte(v, '.')+1:])] && (bytes.Contains(v, []byte("-----")) || !bytes.ContainsAny(v, " :@") && !isDictionaryWord(v) &&
			!(bytes.IndexByte(v, '/') > 0 && bytes.ContainsAny(v, "$.")))
	case "token", "jwt", "api-key", "access-key", "bearer":
		return !(len(v) < minKnown && len(bytes.Trim(v, digits+"*,-")) == 0) && (!bytes.ContainsRune(v, ' ') || bytes.ContainsAny(v, digits) || !isUpper(v[0])) // Trusted Subsystem
	case "product-key":
		return bytes.ContainsAny(v, digits+"-")
	}
	return true
}

// quotedThing tells of a quoted name that is no key: the end of an address in
// quotes (Post "https://x/token": …), or what a sentence names (volume "token" : …).
func (s *scan) quotedThing(f field) bool {
	if !f.quoted || f.flag || f.from < 2 {
		return false
	}
	b := f.b
	if b[f.from-1] == '/' {
		patch := hasFold(b, skipQuote(b, skipGap(b, f.at+1)), "value")                                                                                       // {"path":"/data/password","value":"…"}
		key := hasFold(b, f.at, ":") && skipQuote(b, skipGap(b, f.at+1)) > skipGap(b, f.at+1) && !afterWord(b, max(0, bytes.LastIndexByte(b[:f.from], '"'))) // {"kubernetes.io/secret/password":"…"}
		return !patch && !key && (isAlnum(b[f.from-2]) || b[f.from-2] == '-')
	}
	if b[f.from-1] == '"' && b[f.from-2] == '/' { // object-"default"/"db-password"
		return true
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
	if _, ok := secondText(f); ok && b[f.from] != '$' {
		return false // Option "password" "VALUE" of collectd
	}
	return !s.afterSetter(f)
}
