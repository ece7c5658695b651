package redact

import (
	"bytes"
	"strings"
)

// assignedForm: NAME: value and NAME=value.
func (s *scan) assignedForm(f field) bool {
	b := f.b
	f.at = skipType(b, f.at)
	op, ok := operatorAt(b, f.at)
	if !ok {
		return f.behind() == ':'
	}
	i := skipGap(b, skipEmphasis(b, op.end))
	if f.cell = f.cell || skipEmphasis(b, op.end) > op.end; f.cell {
		i = skipGap(b, skipTag(b, i)) // <b>Token</b>: <b>VALUE</b>
	}
	if end := skipTag(b, i); end > i && op.sign == ':' && shownTags[strings.ToLower(string(b[i+1:run(b, i+1, wordByte)]))] { // Token: <code>VALUE</code>
		f.cell = true
		s.elementText(f, end)
		return true
	}
	if at := skipType(b, i); at > i && b[at] == '=' { // token: string = "…"
		op.sign, i = '=', skipGap(b, at+1)
	}
	if op.sign == ':' && byteAt(b, i) == '-' && byteAt(b, f.from-2) == '$' {
		i++ // ${NAME:-VALUE}
	}
	switch {
	case i < len(b) && s.endsQuote(f, op, i):
		s.comparedBelow(f, i)
		return true
	case i >= len(b), s.isDefault(f, op, i), s.asks(f, i):
		return true
	case op.equal:
		s.compared(f, i)
		return true
	}
	s.assigned(f, op, i)
	return true
}

// asks tells of a prompt of cmd, and takes what is set where nobody answers: set /p PW=Password [VALUE]:
func (s *scan) asks(f field, i int) bool {
	before := bytes.TrimRight(f.b[lineBack(f.b, f.from, longestPrefix):f.from], "\" ")
	if !hasFold(before, len(before)-len("set /p"), "set /p") {
		return false
	}
	if open := upTo(f.b, i, layerBack, "[(\r\n"); isOneOf(f.b, open, "[(") {
		from := skipBlanks(f.b, open+1)
		at := skipLeads(f.b, from)
		s.takeJudged(f, s.value(f.b, at, " \t\r\n])\""), at == from)
	}
	return true
}

// compared takes the text in quotes that code compares with the value of a name.
func (s *scan) compared(f field, i int) {
	i = skipVerbatim(f.b, i)
	if c, _ := wideAt(f.b, i); skipQuote(f.b, i) == i && c != '"' {
		return
	}
	v := s.value(f.b, i, plainStops)
	if v.end-v.start < minKnown || f.kind != "password" && isDictionaryWord(v.in(f.b)) {
		return
	}
	if f.trust == medium {
		f.trust = strong // it is the secret itself
	}
	s.takeJudged(f, v, false)
}

// assigned reads the value behind an operator, which may go over lines.
func (s *scan) assigned(f field, op operator, i int) {
	b := f.b
	indent, first := s.beginsLine(f.from)
	i += b2i(isOneOf(b, i, "`\\") && isLineAt(b, i+1)) // PowerShell, a shell or a file of properties goes on in the next line
	if isLineAt(b, i) {
		s.nextLineValue(f, op, i, indent, first)
		return
	}
	if v, ok := s.saidWhole(f, op, i, first); ok {
		n := len(s.spans)
		if s.takeJudged(f, v, false); len(s.spans) > n {
			return
		}
	}
	if op.sign == ':' && first && (b[i] == '|' || b[i] == '>') && s.block(f, i, indent) ||
		op.sign == '=' && !f.flag && s.connection(b, f.from, i) && s.connectionField(f, i) {
		return
	}
	i += max(0, len(foldAt(b, i, "[]byte(\""))-1)
	apart := byteAt(b, f.from-1) == '\'' // '--password=''' of PowerShell
	open := i + len(foldAt(b, i, `@"`, "@'", `"""`, "'''", "<<"))
	if end := run(b, open, nameByte); b[i] == '<' && end > open {
		open = end
	}
	if open > i && !apart && isLine(byteAt(b, open)) { // @"…"@, """…""", <<EOT of Terraform
		at := skipBlanks(b, nextPayload(b, open))
		s.takeJudged(f, value{start: at, end: lineEnd(b, at)}, false)
		return
	}
	if hex := foldAt(b, i, "hex:", "hex(1):", "hex(2):", "hex(7):"); hex != "" && f.quoted { // of the registry
		s.add(i, commandEnd(b[:min(len(b), i+maxWeak)], i), f.kind, b[i:lineEnd(b, i)])
		return
	}
	if i = skipYAMLTag(b, skipVerbatim(b, i)); !apart {
		i += 2 * b2i(foldAt(b, i, `"""`, "'''") != "")
	}
	if i += b2i(hasFold(b, i, "@{")); isOneOf(b, i, "[{(") && !s.opensNothing(f, op, i) {
		s.bracketed(f, i)
		return
	}
	s.plainValue(f, op, i, first)
}

// isDefault tells of what a shell takes where a variable is not set: ${TOKEN:?not set}.
func (s *scan) isDefault(f field, op operator, i int) bool {
	return byteAt(f.b, f.from-1) == '{' && isOneOf(f.b, op.end, "?+")
}

// plainValue reads a value in the line of its name.
func (s *scan) plainValue(f field, op operator, i int, first bool) {
	tight := i == op.end
	stops, prose := s.reach(f, op, i, first)
	v := s.value(f.b, i, stops)
	if end := 1 + bytes.IndexByte(v.in(s.b), '>'); !v.quoted && end > 1 && isBlank(byteAt(s.b, v.start+end)) && isMarked(v.in(s.b)[:end]) {
		return // NAME=<password> command
	}
	if inner, ok := s.templateDefault(v); ok {
		v = inner
	} else if hasFold(s.b, v.start, "{{") && s.takeDefault(f, v.start) {
		return
	}
	if v.quoted {
		prose = prose && !s.isStatement(f, op, v, first)
	} else {
		if isOneOf(s.b, v.end, ")}]>&,;<\"'|") && (first || f.trust == strong && !tight &&
			!bytes.ContainsAny(f.b[lineBack(f.b, f.from, layerBack):f.from], "\"'`<{[(&?=")) && !isCode(s.b, v) {
			v = s.wholeWord(v)
		}
		v, prose = s.trimmed(v, stops), prose || f.cell
		v.scalar = first && !f.quoted && op.sign == ':' && !tight
		if f.trust >= medium {
			s.otherwise(f, v)
		}
	}
	text := v.in(s.b)
	if !v.quoted && (isVariableOf(f, op, text, tight) || s.isCommandOf(f, v) || !tight && isNamedInWords(s.b, v)) || isSecretsKey(f, op, text) || isOwnName(f.text(), text) &&
		!v.quoted {
		return
	}
	if isGUID(text) {
		prose = false
	}
	s.takeJudged(f, v, prose)
	for listed := hasFold(f.b, f.from-2, ", "); listed && v.quoted && hasFold(f.b, skipQuote(f.b, v.end), ", \""); { // const a, b = "…", "…"
		v = s.value(f.b, skipQuote(f.b, v.end)+2, plainStops)
		s.takeJudged(f, v, true)
	}
	for _, arrow := range []string{" -> ", " => "} { // as a plan of Terraform changes it
		if end := skipQuote(f.b, v.end); v.quoted && hasFold(f.b, end, arrow) {
			s.takeJudged(f, s.value(f.b, end+len(arrow), plainStops), true)
		}
	}
}

// isStatement tells that a text in quotes is the value of its name, and no word of a sentence.
func (s *scan) isStatement(f field, op operator, v value, first bool) bool {
	end := skipQuote(f.b, v.end)
	next := skipBlanks(f.b, end)
	return f.quoted || v.quote == '`' || // of Markdown
		isOneOf(f.b, next, ";,}") || // { User: "ops", Password: "VALUE" }
		first && isLineAt(f.b, end+b2i(byteAt(f.b, end) == ','))
}

// otherwise takes the text in quotes that code takes where an expression gives nothing: getenv("X") ||
// "VALUE".
func (s *scan) otherwise(f field, v value) {
	b := f.b
	line := b[v.start:lineEnd(b[:min(len(b), v.start+layerBack)], v.start)]
	if v.open {
		return
	}
	if inner, ok := s.wrapped(b, v); ok {
		s.takeJudged(f, inner, false)
	}
	for _, mark := range []string{"|| ", "?? ", "?: ", " or ", " : ", "else {", " else ", ":- ", "default=", ") { ", ", "} {
		at := bytes.LastIndex(line, []byte(mark))
		if call := v.in(b); at < 0 || mark == ", " && !containsFold(call, "env") { // getenv("NAME", "VALUE")
			continue
		}
		other := s.value(b, skipBlanks(b, v.start+at+len(mark)), plainStops)
		if other.quoted && other.whole() && (fitsPassword(other.in(b)) || mark == ") { ") { // of Ruby
			s.takeJudged(f, other, false)
		}
	}
}

// getters are in the names of calls whose text says where a secret is, and is none.
var getters = strings.Fields("get env find look read load fetch resolve query param select name path url file format match replace split index key field print error")

// wrapped is the text in quotes that code hands to a call: encode("VALUE"), Secret(value="VALUE").
func (s *scan) wrapped(b []byte, v value) (inner value, ok bool) {
	call := v.in(b)
	open := bytes.IndexByte(call, '(')
	if v.quoted || open < 2 || open < len(call)-1 && call[len(call)-1] != '=' || !isOneOf(b, v.end, "\"'") ||
		containsAny(bytes.ToLower(call[:open]), getters) {
		return v, false
	}
	inner = s.value(b, v.end, plainStops)
	return inner, inner.whole() && fitsPassword(inner.in(b))
}

// isVariableOf tells of what code puts where a value would stand: Get-Secret, "token": copyFlag, and
// user, password = credentials.
func isVariableOf(f field, op operator, text []byte, tight bool) bool {
	name := bytes.TrimRight(text, ",")
	if isCmdlet(name) || f.b[f.from] == '$' && !tight && (isVerbNoun(name) || hasFold(name, 0, "get-") || hasFold(f.b, op.end-2, ":=")) || // also of a template
		f.quoted && isIdentifier(name) && isCamel(name) && !bytes.ContainsAny(name, digits) {
		return true
	}
	_, t := judgeName(text)
	called := isOneOf(f.b, op.end+len(text), "),") && bytes.ContainsRune(f.b[lineBack(f.b, f.from, layerBack):f.from], '(') // connect(user=username, passwd=password)
	return t > noSecret && op.sign == '=' && (!tight || called) && isDictionaryWord(text)
}

// isNamedInWords tells of plain words that say what is to stand there: Password = client secret.
func isNamedInWords(b []byte, v value) bool {
	if byteAt(b, v.end) != ' ' || len(bytes.Trim(v.in(b), lowers)) > 0 {
		return false
	}
	end := skipOf(b, v.end+1, maxName, lowers)
	_, t := judgeName(b[v.end+1 : end])
	return t >= medium && (isLineAt(b, end) || isOneOf(b, end, ".,;)<\""))
}

// isSecretsKey tells of the name of a key within a Secret: UserSecretKey = "userName" of code, and secretKey: db-password below the
// name of the Secret.
func isSecretsKey(f field, op operator, text []byte) bool {
	if _, t := judgeName(text); op.sign == ':' && f.kind == "access-key" && t > noSecret && isObjectName(text) {
		line := lineBack(f.b, f.from, layerBack)
		above := bytes.TrimRight(f.b[lineBack(f.b, max(0, line-1), layerBack):line], " \t\r\n")
		return containsFold(above, "secret: ") || containsFold(above, "secretname: ") || containsFold(above, "secretref: ")
	}
	return f.kind == "access-key" && op.sign == '=' && len(f.text()) > len("SecretKey") && isUpper(f.text()[0]) && bytes.HasSuffix(f.text(), []byte("SecretKey")) &&
		isDictionaryWord(bytes.ReplaceAll(text, []byte("."), nil)) && !bytes.ContainsAny(text, digits)
}

// sourceTypes are of code, in which a text stands in quotes.
var sourceTypes = setOf("go cs java js ts py rs kt cpp c h scala swift")

// isCommandOf tells of what a script of PowerShell runs: $token = az account get-access-token --query x. A
// text would stand in quotes there.
func (s *scan) isCommandOf(f field, v value) bool {
	text := v.in(s.b)
	if _, ext, _ := strings.Cut(s.path, "."); sourceTypes[ext] && byteAt(f.b, v.start-1) == ' ' && (bytes.HasSuffix(f.b[:v.start], []byte(":= ")) ||
		isIdentifier(bytes.ReplaceAll(bytes.TrimRight(text, ","), []byte("."), nil)) && !bytes.ContainsAny(text, digits) &&
			(f.trust < strong && isOneOf(f.b, runBack(f.b, v.start, blankByte)-1, "=") || isOneOf(f.b, v.end-1, ","))) {
		return true // token = encoding, Token: refresh, of Go
	}
	if f.b[f.from] != '$' || !strings.HasSuffix(s.path, ".ps1") || !isDictionaryWord(text) || bytes.ContainsAny(text, digits) {
		return false
	}
	return bytes.Contains(f.b[v.end:lineEnd(f.b[:min(len(f.b), v.end+layerBack)], v.end)], []byte(" --")) || hasFold(text, 0, "get") && isCamelWords(text)
}

// templateDefault is what a template takes where nothing is set: #{ENV['T'] || 'VALUE'}.
func (s *scan) templateDefault(v value) (value, bool) {
	b := v.in(s.b)
	if v.open || !isTemplate(append(bytes.Clone(b), ' ')) {
		return v, false
	}
	if end := run(b, min(2, len(b)), nameByte); b[0] == '$' && byteAt(b, end) == ':' && bytes.ContainsAny(b[2:end], "_.") && !isOneOf(b, end+1, "-=?+$#{}") {
		return s.value(s.b, v.start+end+1, "}\r\n\"'"), true // ${DB_PW:VALUE} of Spring
	}
	for _, mark := range []string{"|| ", ":-", "{{ \""} {
		i := bytes.Index(b, []byte(mark))
		if i < 0 {
			continue
		}
		at := v.start + i + len(mark) - b2i(mark[0] == '{') // {{ "VALUE" + x }}
		inner := s.value(s.b[:v.end], at, plainStops)
		if text := inner.in(s.b); isGUID(text) || looksChosen(text) || isGenerated(text) {
			return inner, true
		}
	}
	return v, false
}

// defaultForm: NAME | default "VALUE" and default "VALUE" NAME of a template.
func (s *scan) defaultForm(f field) bool {
	if f.behind() != '|' && !isOneOf(f.b, f.from-2, "\"'`") {
		return false
	}
	line := lineBack(f.b, f.from, layerBack)
	open := bytes.LastIndex(f.b[line:f.from], []byte("{{"))
	return open >= 0 && !bytes.Contains(f.b[line+open:f.from], []byte("}}")) && s.takeDefault(f, line+open)
}

// takeDefault takes the default of the template that opens at i.
func (s *scan) takeDefault(f field, i int) bool {
	line := f.b[i:lineEnd(f.b[:min(len(f.b), i+layerBack)], i)]
	at := indexFold(line[:max(0, bytes.Index(line, []byte("}}")))], "default") + len("default")
	v := s.value(f.b, skipOf(f.b, i+at, 2, " ("), plainStops)
	if at < len("default") || !v.quoted || !v.whole() || f.trust < strong && !fitsPassword(v.in(f.b)) {
		return false
	}
	s.takeJudged(f, v, false)
	return true
}

// wholeWord takes the rest of a word of a line of its own, where signs in it look like
// the end of a value: m{{h}o)p.
func (s *scan) wholeWord(v value) value {
	b := s.b
	if v.open {
		return v
	}
	end := upTo(b, v.end, v.start+128-v.end, " \t\r\n")
	rest := bytes.TrimRight(b[v.end:end], ",;'\"`")
	if next := skipBlanks(b, end); !isLineAt(b, next) && (!isJumbled(b[v.start:end]) || bytes.ContainsAny(b[v.end:end], "\"'`(")) || len(rest) < 4 ||
		!bytes.ContainsAny(rest, lowers+uppers+digits) && !isScrambled(rest) || isPlaceholder(v.in(b)) ||
		(bytes.ContainsRune(rest, '(') || isIdentifier(rest[1:max(1, bytes.IndexByte(rest, '='))])) && !isScrambled(b[v.start:end]) || bytes.Contains(rest, []byte(tokenStart)) {
		return v
	}
	v.end += len(rest)
	return v
}

// isScrambled tells of a word with more kinds of signs than code has in one.
func isScrambled(v []byte) bool {
	kinds := 0
	for _, c := range []byte("{}()[]<>$@!?*^~-_:") {
		kinds += min(1, bytes.Count(v, []byte{c}))
	}
	return kinds >= 6
}

// isOwnName tells of a value that only repeats its name: RHSM_PASS=pass, password: password.
func isOwnName(name, v []byte) bool {
	v = bytes.TrimRight(v, ",;")
	if dot := bytes.LastIndexByte(v, '.'); dot > 0 && bytes.EqualFold(v[dot+1:], name) { // advapi32.CryptGenKey
		return true
	}
	if bytes.Count(v, []byte("/")) == 2 { // namespace/secret/password
		v = v[bytes.LastIndexByte(v, '/')+1:]
	}
	return len(v) >= 3 && hasFold(name, len(name)-len(v), lowerASCII(string(v)))
}

// trimmed takes comments and blanks off the end of a value that has no quotes.
func (s *scan) trimmed(v value, stops string) value {
	if v.open || v.quoted {
		return v
	}
	text := v.in(s.b)
	if !among(' ', stops) {
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

// isAssignment tells of name=value.
func isAssignment(v []byte) bool {
	i := bytes.IndexByte(v, '=')
	return i > 1 && i < len(v)-1 && v[i+1] != '=' && isIdentifier(v[:i]) && !mixed(v[:i]) &&
		!isJumbled(v)
}

// moreSettings tells of A=x B=y in one line, as shells have it.
func moreSettings(b []byte, i int) bool {
	line := b[i:lineEnd(b, i)]
	_, rest, ok := bytes.Cut(line, []byte(" "))
	return ok && (bytes.IndexByte(rest, '=') > 0 || bytes.HasSuffix(line, []byte("\\")))
}

// flagStops are what ends the value of --name=value.
func (s *scan) flagStops(f field, at int) string {
	if byteAt(s.b, f.from-1) == '"' { // the quotes hold the flag with its value
		if _, ok := closing(f.b, at, '"', 0); ok {
			return "\"\r\n"
		}
	}
	return " \t\r\n\"'`"
}
