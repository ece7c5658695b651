package redact

import (
	"bytes"
	"strings"
)

// proseWords go on a sentence about a flag.
var proseWords = setOf(`via is has have had was were be been are must may can cannot could should would will not no and or to in of on for from with without by at as if when where which that this the a an
		flag flags switch option options argument arguments value values instead file files path required deprecated removed ignored invalid expired set unset given missing found provided specified used using needs need parameter does do
		authentication authorization auth webhook error failed string strings int bool boolean duration stringarray stringslice float bytes`)

// argumentForm: --token value.
func (s *scan) argumentForm(f field) bool {
	b := f.b
	if !f.flag || f.quoted || f.at == f.after || isLineAt(b, f.at) || b[f.at] == ',' {
		return false
	}
	v := s.value(b, f.at, " \t\r\n\"'`;|")
	v = s.beforeTag(v)
	if lead := foldAt(b, f.at, "is ", "was ", "is: ", "was: ", "set to ", "changed to "); lead != "" && skipQuote(b, f.at+len(lead)) > f.at+len(lead) {
		v = s.value(b, f.at+len(lead), plainStops) // the option --password was "VALUE"
		s.takeJudged(f, v, f.trust < strong || isDictionaryWord(v.in(s.b)))
	} else if v.end > v.start && (v.quoted || !s.isUsage(f, v) && !s.isOtherWord(f, v)) {
		s.takeJudged(f, v, false)
	}
	return true
}

// beforeTag ends a value where the element around it ends.
func (s *scan) beforeTag(v value) value {
	if i := bytes.Index(v.in(s.b), []byte("</")); i > 0 && !v.quoted {
		v.end, v.open = v.start+i, false
	}
	return v
}

// isUsage tells of the column that says what a flag is for.
func (s *scan) isUsage(f field, v value) bool {
	next := skipBlanks(f.b, v.end)
	return f.at-f.after > 1 && isUpper(f.b[f.at]) && isAlnum(byteAt(f.b, next)) &&
		isDictionaryWord(v.in(s.b))
}

// isOtherWord tells of the next flag, of a variable and of a word of a sentence about the flag.
func (s *scan) isOtherWord(f field, v value) bool {
	text := v.in(s.b)
	switch text[0] {
	case '-', '(':
		return true
	case '<':
		return hasFold(text, 1, "(")
	case '/':
		return len(text) < 12
	case '$':
		return isExpression(text)
	}
	if one, other, list := bytes.Cut(text, []byte(",")); list && isCamel(one) && isCamel(other) && !bytes.ContainsAny(text, digits) {
		return true // --auth-key accessKey,secretKey of a document
	}
	word := bytes.TrimRight(text, ".,:")
	return proseWords[strings.ToLower(string(word))] || isCmdlet(text) || f.b[f.from] != '-' && f.trust < strong && isDictionaryWord(word) || // the /token endpoint
		f.kind == "token" && len(text) < minKnown
}

// isExpression takes $x, $x.y(…) and $x[0], which a shell or PowerShell puts a value in
// place of.
func isExpression(text []byte) bool {
	end := run(text, 1, wordByte)
	return end > 1 && !isDigit(text[1]) && (end == len(text) || strings.IndexByte(".[:{();,`", text[end]) >= 0) ||
		isVariable(text)
}

// cmdletVerbs are those of cmdlets that give a value and are none.
var cmdletVerbs = setOf("get read convertto convertfrom new import invoke select join find resolve")

func isCmdlet(text []byte) bool {
	text, _, _ = bytes.Cut(text, []byte(" ")) // Read-Host -AsSecureString
	verb, noun, ok := bytes.Cut(text, []byte("-"))
	return ok && len(noun) > 2 && cmdletVerbs[string(bytes.ToLower(verb))] && (isUpper(noun[0]) || hasFold(text, 0, "read-host"))
}

// nextArgumentForm: a flag whose value is the next element of a list, in quotes, or
// in the next line of YAML.
func (s *scan) nextArgumentForm(f field) bool {
	b := f.b
	if !f.flag || f.at >= len(b) || !isLine(b[f.at]) && b[f.at] != ',' && !f.quoted {
		return false
	}
	i := skipSpace(b, f.at+b2i(b[f.at] == ','))
	if line := b[i:lineEnd(b[:min(len(b), i+layerBack)], i)]; f.quoted && containsFold(line, "default=") { // add_argument('--password', default='VALUE')
		if v := s.value(b, i+indexFold(line, "default=")+len("default="), plainStops); v.quoted {
			s.takeJudged(f, v, false)
			return true
		}
	}
	indent, first := s.beginsLine(f.from)
	if item := skipBlanks(b, i+1); byteAt(b, i) == '-' && item > i+1 { // of YAML
		i = item
	} else if next := nextPayload(b, f.at); first && isLine(b[f.at]) && i-next == indent && !moreWords(b, i) { // as kubectl describes a pod
		s.takeJudged(f, value{start: i, end: lineEnd(b, i)}, f.trust < strong)
		return true
	} else if skipQuote(b, i) == i {
		return true
	}
	if v := s.value(b, min(i, len(b)), "\r\n"); v.end > v.start && b[v.start] != '-' &&
		!(f.quoted && b[f.after-1] == '`') { // of a document
		s.takeJudged(f, s.trimmed(v, "\r\n"), false)
	}
	return true
}

// registryForm: NAME REG_SZ value.
func (s *scan) registryForm(f field) bool {
	if !hasFold(f.b, f.at, "reg_") {
		return false
	}
	i := skipBlanks(f.b, run(f.b, f.at, wordByte))
	s.takeJudged(f, value{start: i, end: lineEnd(f.b, i)}, false)
	return true
}

// isWords say that what follows a name is its value.
var isWords = []string{" is ", " was ", " are ", "是", "为", "為", "は", " ist ", " lautet ", " est ", " es ",
	" é ", " è ", " to ", " = ", " used ", " jest ", " je ", " är ", " er ", " set to ", " changed to ", " reset to ", " — ", " – ", " auf ", " para ", " на ", "는", "은", "설정은", " - ", " property. its value is ", " property. its current value is ", " changed from "}

// skipLeads passes what a sentence says before the value itself.
func skipLeads(b []byte, i int) int {
	for _, lead := range []string{"set to ", "be ", "value ", "now ", "jetzt ", "nun ", "maintenant ", "ahora ", "this: ", "changed to ", "changed from ", "by default ", "default: ", "default:", "default ", ": ", "\" + "} {
		if hasFold(b, i, lead) {
			i += len(lead)
		}
	}
	return i
}

// isForm: the password is VALUE.
func (s *scan) isForm(f field) bool {
	if otherwise := foldAt(f.b, f.to, " || ", " ?? "); otherwise != "" { // env.TOKEN || 'VALUE'
		v := s.value(f.b, f.to+len(otherwise), plainStops)
		if v.quoted && !isDictionaryWord(v.in(s.b)) {
			s.takeJudged(f, v, false)
			return true
		}
	}
	for _, word := range isWords {
		if !hasFold(f.b, f.to, word) {
			continue
		}
		i := skipLeads(f.b, skipTag(f.b, skipGap(f.b, f.to+len(word))))
		v := s.value(f.b, i, plainStops)
		v.end = v.start + len(bytes.TrimSuffix(bytes.TrimRight(v.in(s.b), ".:"), []byte("**")))
		n := len(s.spans)
		s.takeJudged(f, v, !v.quoted)
		if len(s.spans) > n {
			s.changedTo(f, v)
			return true
		} else if s.toldLater(f, i) {
			return true
		}
	}
	c, _ := wideAt(f.b, f.to)
	return f.foreign && c == 0 && byteAt(f.b, f.to) >= 0x80 && s.toldLater(f, f.to) // 密码默认是"VALUE"
}

// toldLater takes a value in quotes up to two words behind the one that says that it follows, in letters of whatever
// language: lautet standardmäßig "VALUE", est par défaut "VALUE".
func (s *scan) toldLater(f field, i int) bool {
	for range 3 {
		end := i
		for c, _ := wideAt(f.b, end); c == 0 && end-i < 32 && (isLower(byteAt(f.b, end)|0x20) || byteAt(f.b, end) >= 0x80); c, _ = wideAt(f.b, end) {
			end++
		}
		v := s.value(f.b, end, plainStops)
		if v.quoted && v.quote != '`' && v.whole() && f.trust == strong && fitsPassword(v.in(f.b)) {
			s.takeJudged(f, v, false)
			return true
		} else if end == i || proseWords[strings.ToLower(string(f.b[i:end]))] { // is stored in "NAME"
			return false
		}
		i = skipGap(f.b, end)
	}
	return false
}

// textForm: with password "VALUE".
func (s *scan) textForm(f field) bool {
	c, _ := wideAt(f.b, f.at)
	if f.quoted || f.flag || f.at > f.after+2 || f.at == f.after && c == 0 ||
		skipQuote(f.b, f.at) == f.at && c != '"' || isLineAt(f.b, f.at) ||
		byteAt(f.b, f.from-1) == f.b[f.at] { // 'Bearer ' + $token
		return false
	}
	v := s.value(f.b, f.at, plainStops)
	if line := f.b[lineBack(f.b, f.from, layerBack):f.from]; !v.whole() || bytes.LastIndex(line, []byte("{{")) > bytes.LastIndex(line, []byte("}}")) {
		return false // {{ if hasKey .Values.passwords "NAME" }}
	}
	if inner, ok := s.templateDefault(v); ok {
		v = inner
	}
	text := v.in(s.b)
	chosen := f.trust >= medium && (looksChosen(text) || isGUID(text))
	if hasFold(f.text(), 0, "pass") && len(f.text()) == len("pass") && proseWords[wordBefore(f.b, f.from)] {
		f.trust = medium // to pass something: does not pass "secrets"
		chosen = false
	}
	switch {
	case text[0] == '-' || foldAt(f.text(), 0, "set-", "get-", "new-", "reset-", "create_", "get_", "make_") != "":
	default:
		s.takeJudged(f, v, !chosen && f.trust < strong)
	}
	return true
}

func isLineAt(b []byte, i int) bool { return i >= len(b) || isLine(b[i]) }

// callForm: Setenv("NAME", "VALUE"), headers.Add("NAME", "VALUE"), and rows that
// hold a name and its value: "NAME","VALUE".
func (s *scan) callForm(f field) bool {
	b := f.b
	i, ok := secondText(f)
	if !ok {
		return false
	}
	v := s.value(b, i, plainStops)
	behind := skipGap(b, skipQuote(b, v.end))
	if v.end > v.start+2 && isOneOf(b, v.start, "\"'") && b[v.start] == b[v.end-1] {
		v.start, v.end = v.start+1, v.end-1 // '"VALUE"', which is to be quoted where it goes
	}
	open := max(0, backOf(b, f.from, f.from, "\"'`\\ ")-1)
	switch {
	case b[open] == ',' && foldAt(f.text(), 0, "reset", "set", "change") != "" && isTitled(v.in(b)): // a list of rights
		return true
	case isSnake(v.in(b)) && bytes.IndexByte(f.text(), '_') > 0 &&
		(b[open] != '(' || byteAt(b, open-1) == '@'): // a list of names
		return true
	case foldAt(b, runBack(b, open, nameByte), "lookup", "getenvironmentvariable") != "" && !fitsPassword(v.in(b)): // of what is somewhere else
		return true
	case b[open] == '(' || b[open] == ':' && b[f.at] == ';' || b[open] == '{' && (!f.quoted || byteAt(b, behind) == '}' && isOneOf(b, runBack(b, open, blankByte|lineByte)-1, "{,(=>")) || b[open] == '<' || f.trust == strong && hasFold(b, 1+bytes.LastIndexByte(b[:f.from], '"'), "hk") || b[open] == ',' && byteAt(b, behind) == ')':
		s.takeJudged(f, v, f.trust < strong && !s.callSets(open))
		return true
	case isLineAt(b, behind):
		n := len(s.spans)
		if (b[open] == ',' || b[f.at] == ';') && s.tableForm(f) && len(s.spans) > n {
			return true // it was the heading of a table
		}
		s.takeJudged(f, v, f.trust < strong)
		return len(s.spans) > n // else it may be the heading of a table
	}
	if text := v.in(b); !v.open && (isGenerated(text) || looksChosen(text)) {
		s.takeJudged(f, v, false)
		return true
	}
	return false
}

// secondText is where a text in quotes begins behind a name in quotes: 'NAME', 'VALUE' and 'NAME' 'VALUE'.
func secondText(f field) (i int, ok bool) {
	b := f.b
	if i = f.at; i >= len(b) || f.from < 1 {
		return 0, false
	}
	if i = f.at; byteAt(b, f.from-1) == '{' && byteAt(b, i) == ',' { // {password,<<"VALUE">>} of Erlang
		i = skipWrapper(b, skipGap(b, i+1))
		return i, byteAt(b, i) == '"'
	}
	switch {
	case f.quoted && hasFold(b, i, ">>,"): // {<<"password">>, <<"VALUE">>}
		i = skipWrapper(b, skipGap(b, i+len(">>,")))
	case !f.quoted && (f.at == f.after || b[i] != ',') && !isConstantName(f): // and no pwd ,"VALUE"
		return 0, false
	case b[i] == ',', b[i] == ';' && isOneOf(b, i+1, "\"'"):
		i = skipGap(b, i+1)
		i += len(foldAt(b, i, "with: ", ":with => ")) // fill_in "password", with: "VALUE"
	case hasFold(b, i, ";s:"): // as PHP writes an array
		i = run(b, i+len(";s:"), hexByte) + 1
	case i == f.after || b[i] != b[f.from-1]:
		return 0, false
	}
	return i, skipQuote(b, i) > i && !hasFold(b, skipQuote(b, i), "value")
}

// isConstantName tells of a constant or a symbol that code sets: CURLOPT_PASSWORD, :api_key.
func isConstantName(f field) bool {
	return isCapital(f.text()) && bytes.IndexByte(f.text(), '_') > 0 || byteAt(f.b, f.from-1) == ':' && (f.from < 2 || isBlank(f.b[f.from-2]))
}

// blockForm takes the value of a variable of Terraform: variable "token" { default = "…" }.
func (s *scan) blockForm(f field) bool {
	b := f.b
	if !f.quoted || byteAt(b, f.at) != '{' {
		return false
	}
	end := min(len(b), f.at+layerBack)
	if brace := bytes.IndexByte(b[f.at:end], '}'); brace > 0 {
		end = f.at + brace
	}
	for _, name := range []string{"default", "value"} { // of a variable, and of an output
		at := indexFold(b[f.at:end], name)
		i := skipBlanks(b, f.at+at+len(name))
		if at < 0 || byteAt(b, i) != '=' {
			continue
		}
		if v := s.value(b, skipBlanks(b, i+1), plainStops); v.quoted || name == "default" {
			s.takeJudged(f, v, false)
		}
		return true
	}
	return containsFold(b[f.at:end], "default")
}

// callSets tells whether the call whose bracket stands at open sets something.
func (s *scan) callSets(open int) bool {
	b := s.b
	from := runBack(b[:open], open, nameByte)
	call := bytes.ToLower(b[max(from, open-40):open])
	return containsAny(call, []string{"set", "add", "put", "header", "with", "env", "append", "insert", "property", "field",
		"define", "param", "option", "config"})
}

// lineForm: a line that holds a name and its value and nothing else, as the
// configurations of many programs do, and lists of names with values.
func (s *scan) lineForm(f field) bool {
	b := f.b
	symbol := byteAt(b, f.from-1) == ':' // :password VALUE
	_, first := s.beginsLine(f.from - b2i(symbol))
	if !first && s.isGiven(f) {
		symbol, first = true, true
	}
	if first && isLine(f.behind()) && s.formBelow(f, nextPayload(b, f.at)) {
		return true
	}
	if !first || f.quoted || f.at == f.after || isLineAt(b, f.at) {
		return false
	}
	line := b[:lineEnd(b, f.at)]
	v := s.value(b, f.at, " \t\r\n"+plainStops[4:4+3*b2i(symbol)])
	rest := skipBlanks(b, skipQuote(b, v.end))
	alone := rest >= len(line) || symbol && skipQuote(b, v.end) > v.end || among(b[rest], "#;")
	text := v.in(b)
	wide := f.at-f.after > 1 || b[f.after] == '\t'
	switch {
	case f.foreign && !looksChosen(text), isTypeName(text): // a version
		return false
	case f.kind == "snmp-community", foldAt(f.text(), 0, "bindpw", "requirepass") != "":
		s.takeJudged(f, v, false)
		return true
	case !alone || len(text) == 0 || isObjectName(text) && f.trust < strong:
		return false
	}
	n := len(s.spans)
	s.takeJudged(f, v, !symbol && !v.quoted && (s.prose && !wide || f.trust < strong) && !hardWord(text) && !isGUID(text) ||
		!symbol && s.prose && isDictionaryWord(text))
	return len(s.spans) > n || text[0] != '(' || text[len(text)-1] != ')' // password (VALUE)
}

// tightForm: NAME,VALUE in a line of CSV, and NAME\tVALUE as a program quotes a tab, in no path.
func (s *scan) tightForm(f field) bool {
	b := f.b
	sep := foldAt(b, f.to, ",", ";", `\t`)
	if sep == "" || len(sep) == 2 && byteAt(b, f.from-1) == '\\' && b[f.from] != 'n' || hasFold(b, f.to+1, "default:") {
		return false
	} else if _, first := s.beginsLine(f.from); len(sep) == 1 && !first {
		return false
	}
	v := s.value(b, f.to+len(sep), " \t\r\n,;\"'")
	text, _, more := bytes.Cut(v.in(b), []byte(`\t`))
	if v.end = v.start + len(text); !(more || len(sep) == 2 || isLineAt(b, v.end)) || !tellsAlone(f.trust, text) {
		return false
	}
	s.takeJudged(f, v, false)
	return true
}

// isGiven tells of set NAME VALUE of a console, and of OWNER/password-again password VALUE of debconf.
func (s *scan) isGiven(f field) bool {
	before := bytes.Fields(s.b[lineBack(s.b, f.from, longestPrefix):f.from])
	if len(before) == 0 || f.trust < strong || byteAt(s.b, f.from-1) != ' ' {
		return false
	}
	switch word := string(before[len(before)-1]); strings.ToLower(word) {
	case "set", "setg":
		return len(before) == 1 || bytes.HasSuffix(before[len(before)-2], []byte(">"))
	default:
		return strings.Contains(word, "/") && strings.Contains(word, "pass") && bytes.EqualFold(f.text(), []byte("password"))
	}
}

// isDictionaryWord takes what may be a heading or a state beside a name: Required.
func isDictionaryWord(text []byte) bool {
	return len(text) < 20 && run(text, 0, wordByte) == len(text) && !mixed(text)
}
