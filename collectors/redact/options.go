package redact

import (
	"bytes"
	"strings"
)

// Passwords that a command of any name is given: behind -p and its kin, through a
// pipe, in a call. Only what can be little else counts.

// looksChosen tells of what somebody or something chose as a password: letters and
// digits with a sign in it, or of both cases.
func looksChosen(v []byte) bool {
	if isJumbled(v) {
		return !isPath(v) && !isPlaceholder(v) && !isComposed(v)
	}
	return len(v) >= 8 && mixed(v) && !isAssignment(v) && !isPlainValue(v) && !isPlaceholder(v) &&
		!isComposed(v) && !bytes.ContainsRune(v, '\\') && (hardWord(v) || isRandomWord(v) ||
		bytes.ContainsAny(v, "~_=+;") && bytes.ContainsAny(v, uppers))
}

// isComposed tells of a text with a variable or a command in it, of an address of
// mail and of the name of a disk of iSCSI.
func isComposed(v []byte) bool {
	if containsAny(v, []string{"$(", "${", "]("}) || hasFold(v, 0, "iqn.") {
		return true
	}
	at := bytes.IndexByte(v, '@')
	return at > 0 && bytes.IndexByte(v[at:], '.') > 1 && run(v, 0, nameByte) == at &&
		run(v, at+1, nameByte) == len(v)
}

// anyFlag looks at -p VALUE, /p:VALUE, '-pw','VALUE' of programs that no table names.
func (s *scan) anyFlag(i int) {
	b := s.b
	if i > 0 && !among(b[i-1], " \t\"'\n([,") {
		if isLower(b[i-1]) && hasFold(b, i, "-pw ") { // -pfx-pw VALUE
			s.hit(i+1, i+len("-pw"), (*scan).nameRule)
		}
		return
	}
	end := i + 2
	if b[i+1]|0x20 == 'p' && isLower(byteAt(b, end)|0x20) {
		end++ // -pw, -po, -pi
	}
	if isOneOf(b, end, " :=\"'") {
		s.hit(i, end, (*scan).flagRule)
	}
}

// userFlags give the user's name.
var userFlags = setOf("-u -x /u -user --user --username")

// isBehindUser tells of the words before a flag that they are the user's: -u ops -P, /u:ops /p. MySQL takes
// the name of a database behind -p.
func isBehindUser(line []byte) bool {
	words := bytes.Fields(line)
	n := len(words)
	if n < 2 {
		return false
	}
	flag, user := strings.ToLower(string(bytes.Trim(words[n-2], `"',`))), words[n-1]
	return userFlags[flag] && user[0] != '-' && user[0] != '/'
}

func (s *scan) flagRule(b []byte, start, end int) {
	i := skipOf(b, end, 6, " :=\"',")
	if i > end && (b[i-1] == '"' || b[i-1] == '\'') {
		i--
	}
	v := s.value(b, i, " \t\r\n\"'`;|")
	line := b[lineBack(b, start, layerBack):start]
	ofUser := containsFold(line, " -u ") // -U ops -P VALUE
	if text := v.in(b); !v.open && (looksChosen(text) || ofUser && len(text) >= 8 && isMade(text) ||
		(isBehindUser(line) || hasFold(b, start+1, "pw ")) && fitsWord(text) && len(bytes.Trim(text, digits+".:-/tcpud")) > 0) && !bytes.ContainsRune(text, ' ') && // and no ports of Docker
		!isIdentifier(text[:max(0, bytes.IndexByte(text[:len(text)-2], '='))]) && !isFileName(text) && !among(text[0], "$({[/<") && !hasFold(text, 0, "s/") && !(bytes.IndexByte(text, '/') > 0 && !bytes.ContainsAny(text, "!@#$%^&?~+=")) {
		s.takePassword(v)
	}
}

// usingRule: connect to DB user NAME using VALUE.
func (s *scan) usingRule(b []byte, start, end int) {
	v := s.value(b, skipBlanks(b, end), " \t\r\n\"'`;|")
	if v.whole() &&
		containsFold(b[max(0, start-layerBack/4):start], " user ") &&
		containsFold(b[max(0, start-layerBack/2):start], "connect ") {
		s.takePassword(v)
	}
}

// pipeRule: echo VALUE | docker login --password-stdin.
func (s *scan) pipeRule(b []byte, start, _ int) {
	encoded := hasFold(b, start, " base64") // echo -n USER:VALUE | base64
	b = s.b[:len(b)]
	from := lineBack(b, start, min(layerBack, s.back/2))
	i, word := lastFold(b[from:start], "echo "), "echo "
	if i < 0 {
		i, word = lastFold(b[from:start], "printf "), "printf "
	}
	if i < 0 {
		return
	}
	i = skipBlanks(b, from+i+len(word))
	for hasFold(b, i, "-") { // -n, -ne
		i = skipBlanks(b, run(b, i+1, wordByte))
	}
	v := s.value(b[:start], i, " \t\r\n\"'`;|")
	if next := skipBlanks(b, skipQuote(b, v.end)); next < start && b[next] != '|' { // printf 'ops:%s' VALUE
		v = s.value(b[:start], next, " \t\r\n\"'`;|")
	}
	if bytes.Contains(v.in(b), []byte(":$(")) {
		return // a command says it
	}
	if bar := skipBlanks(b, skipQuote(b, v.end)); bar < start && b[bar] == '|' {
		if text := v.in(b); encoded {
			if colon := bytes.IndexByte(text, ':') + 1; !bytes.ContainsAny(text, "{ ") && foldAt(b, start+len(" base64 "), "-d", "--d") == "" {
				s.takePassword(value{start: v.start + colon, end: v.end})
			}
			return
		}
		s.takePassword(v)
	}
}

// chpasswdRule: echo USER:VALUE | chpasswd, and cloud-init's chpasswd: {list: "USER:VALUE"}.
func (s *scan) chpasswdRule(b []byte, start, end int) {
	at := indexFold(b[end:min(len(b), end+layerBack/2)], "list:")
	if at < 0 {
		s.pipeRule(b, start, end)
		return
	}
	i := skipBlanks(b, end+at+len("list:"))
	if skipQuote(b, i) > i {
		s.takeAccount(s.value(b, i, plainStops))
		return
	}
	for line, last := range linesBehind(b, i) { // a block of lines
		if i = skipBlanks(b, line); i == line || bytes.Contains(b[i:last], []byte(": ")) {
			return
		}
		s.takeAccount(value{start: i, end: last})
	}
}

// takeAccount takes VALUE of USER:VALUE.
func (s *scan) takeAccount(v value) {
	if colon := bytes.IndexByte(v.in(s.b), ':'); colon > 0 && !v.open {
		v.start += colon + 1
		s.takePassword(v)
	}
}

// apiKeyMethodRule takes the parameter of a call over WebSockets, as TrueNAS has them.
func (s *scan) apiKeyMethodRule(b []byte, start, end int) {
	i := indexFold(b[end:min(len(b), end+layerBack/2)], "params")
	if i < 0 {
		return
	}
	i = skipOf(b, end+i+len("params"), len(b), "\"'\\: [\t\r\n")
	if v := s.value(b, i, plainStops); v.whole() && isGenerated(v.in(b)) {
		s.take(v, "api-key")
	}
}

// secretCallRule takes what stands in quotes behind an opening bracket: the part
// behind the user's name, when there is one.
func (s *scan) secretCallRule(b []byte, start, end int) {
	x := lexer{s, b, end}
	v := x.value(plainStops)
	if !v.quoted || !v.whole() {
		return
	}
	colon := bytes.IndexByte(v.in(b), ':')
	switch {
	case hasFold(b, end-len("getbytes("), "getbytes("):
		v.start += colon + 1 // of the user, or of nobody
		if text := v.in(b); colon < 0 || !fitsPassword(text) && !isMade(text) {
			return
		}
	case v.end-v.start < 12, hasFold(b, v.start, "ivborw0kggo"): // a picture
		return
	}
	s.takePassword(v)
}

// callers are what a call's name begins with that is given a secret.
var callers = []string{"set", "with", "use", "change", "reset", "password", "passwd", "pwd", "secret",
	"token", "std::string", "assign", "equals", "append", "put", "compareto", "push"}

// givenForm: setPassword("VALUE"), string secret("VALUE").
func (s *scan) givenForm(f field) bool {
	b := f.b
	if f.quoted || f.behind() != '(' || f.at > f.after {
		return false
	}
	i := skipBlanks(b, f.at+1)
	name := bytes.ToLower(f.text())
	name = name[bytes.LastIndexByte(name, '.')+1:]
	for _, caller := range callers {
		if bytes.HasPrefix(name, []byte(caller)) && skipQuote(b, i) > i {
			v := s.value(b, i, plainStops)
			if text := v.in(b); f.trust == strong && (caller == "set" || !isObjectName(text) || isPassphrase(text)) || isGenerated(text) || len(text) >= leastWorded && isMade(text) {
				s.takeJudged(f, v, false)
			}
			return true
		}
	}
	return false
}

// reversedForm: "VALUE" -eq $password.
func (s *scan) reversedForm(f field) bool {
	b := s.b
	lowest := max(0, f.from-min(layerBack, s.back/2))
	before := bytes.TrimRight(b[lowest:f.from], "$ ")
	if i := lastFold(before, " is "); i > 0 && len(before)-i < 24 && len(bytes.Trim(before[i:], lowers+" ")) == 0 && isOneOf(before, i-1, "\"'`") && f.trust == strong { // `VALUE` is our password
		v := value{start: lowest + 1 + bytes.LastIndexByte(before[:i-1], before[i-1]), end: lowest + i - 1, quoted: true, quote: before[i-1]}
		if v.start > lowest && v.whole() && tells(strong, v.in(s.b), true) {
			s.takeJudged(f, v, false)
			return true
		}
	}
	for _, op := range []string{"===", "!==", "==", "!=", "-eq", "-ne", "-ceq"} {
		head, ok := bytes.CutSuffix(before, []byte(op))
		if !ok {
			continue
		}
		head = bytes.TrimRight(head, " ")
		if q := lastQuoted(head); q.end > q.start {
			s.takeJudged(f, value{start: lowest + q.start, end: lowest + q.end, quoted: true,
				quote: q.quote}, false)
			return true
		}
	}
	return false
}

// setters set what is named behind them to what follows the name.
var setters = strings.Fields(`setx configure_set config_set secrets_set secret_set set-variable setenv
	setenv( putenv meta-data_set git_config config_--global npm_set set_-x setx_/m launchctl_setenv user-secrets_set
	credential_set pip_config_set params_set variable_set set-item_env: new-item_env: si_env: env_set variables_set nssm_set appsettings_set settings_add
	setproperty add_header proxy_set_header set_header append_header requestheader setvar var_set`)

// setterOptions come before the value in what sets a name: reg add … /v NAME … /d
// VALUE, Set-ItemProperty … -Name NAME -Value VALUE.
var setterOptions = []string{" /d ", " -value ", " --value ", " --body ", " -b ", " -v ", " -notepropertyvalue ", " --value=",
	" --secret-string ", " --data "}

// optionForm: the value that an option behind the name gives to it.
func (s *scan) optionForm(f field) bool {
	b := f.b
	if hasFold(f.text(), 0, "htpasswd") { // whose -B is another one
		return false
	}
	if containsFold(b[max(0, f.from-len("-name '")):f.from], "-name ") { // -Value VALUE -Name NAME
		line := lineBack(b, f.from, layerBack)
		if i := lastFold(b[line:f.from], " -value "); i >= 0 {
			s.takeJudged(f, s.value(b, line+i+len(" -value "), " \t\r\n\"'`;|"), false)
			return true
		}
	}
	if f.at == f.after || !isOneOf(b, f.at, "-/") {
		return false
	}
	end := lineEnd(b[:min(len(b), f.after+layerBack)], f.after)
	for i := f.at - 1; i < end; i++ {
		for _, option := range setterOptions {
			if !hasFold(b, i, option) {
				continue
			}
			v := s.beforeTag(s.value(b, skipGap(b, i+len(option)), " \t\r\n\"'`;|"))
			if v.end > v.start && b[v.start] != '-' {
				s.takeJudged(f, v, false)
				return true
			}
		}
	}
	return false
}

// setterForm: the value that a command gives to the name.
func (s *scan) setterForm(f field) bool {
	b := f.b
	if f.at == f.after || !s.afterSetter(f) {
		return false
	}
	v := s.value(b, f.at, " \t\r\n\"'`;|")
	if byteAt(b, v.start) != '-' && (byteAt(b, v.start) != '$' || !isExpression(v.in(b))) {
		s.takeJudged(f, v, false)
	}
	return true
}

// afterSetter tells whether the words before a name set it.
func (s *scan) afterSetter(f field) bool {
	before := bytes.ToLower(s.b[max(0, f.from-40):f.from])
	before = before[bytes.LastIndexByte(before, '\n')+1:]
	for bytes.HasSuffix(before, []byte(":")) && !bytes.HasSuffix(before, []byte("env:")) { // user-secrets set "Smtp:Password"
		before = before[:runBack(before, len(before)-1, nameByte)]
	}
	before = bytes.ReplaceAll(bytes.TrimRight(before, " \t\"'`\\(%"), []byte(" "), []byte("_"))
	before = bytes.ReplaceAll(before, []byte(".exe_"), []byte("_"))
	for _, setter := range setters {
		if bytes.HasSuffix(before, []byte(setter)) {
			i := len(before) - len(setter)
			return i == 0 || !isAlnum(before[i-1])
		}
	}
	return bytes.Contains(before, []byte("env:\\")) || f.from >= 4 && string(s.b[f.from-4:f.from]) == "ENV " || // of a Dockerfile
		s.afterItem(f)
}

// afterItem tells of what sets a value of the registry: sp HKLM:\SOFTWARE\X NAME VALUE.
func (s *scan) afterItem(f field) bool {
	line := bytes.TrimRight(s.b[lineBack(s.b, f.from, layerBack):f.from], " '\"")
	key := bytes.LastIndexByte(line, ' ') + 1
	if !hasFold(line, key, "hk") || !bytes.ContainsRune(line[key:], ':') {
		return false
	}
	command := bytes.ToLower(line[:key])
	return bytes.Contains(command, []byte("itemproperty ")) || hasFold(command, 0, "sp ") ||
		bytes.Contains(command, []byte(" sp "))
}
