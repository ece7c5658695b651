package redact

import (
	"bytes"
	"strconv"
	"strings"
)

// Secrets in the words of protocols, of statements and of tools that ask and answer.

// rest is what the line holds from i on.
func (s *scan) rest(i int) []byte {
	b := s.see(i)
	return b[i:lineEnd(b, i)]
}

// passRule takes the password of a session of FTP, POP3 or Redis: PASS VALUE, AUTH VALUE.
func (s *scan) passRule(b []byte, start, end int) {
	if v := bulk(b, start+len("\nauth")); v.whole() { // of Redis' protocol, maybe with a user
		if next := bulk(b, v.end); next.whole() {
			v = next
		}
		s.takePassword(v)
		return
	}
	if word := string(s.b[end-len("PASS ") : end]); word != "PASS " && word != "AUTH " {
		return
	}
	v := s.value(b, end, " \t\r\n\\")
	if s.b[start] == '>' && bytes.Contains(s.b[max(0, start-layerBack):start], []byte("> USER ")) {
		s.takePassword(value{start: end, end: lineEnd(b, end)})
	} else if text := v.in(s.b); !v.open && (fitsPassword(text) || isCoined(bytes.Map(withoutSigns, text), true) && bytes.ContainsAny(text, lowers)) && !bytes.ContainsRune(text, '/') &&
		foldAt(text, 0, "digest-", "cram-", "scram-", "xoauth") == "" {
		s.takePassword(v)
	}
}

// bulk is a text as Redis' protocol writes it behind the end of a line: $9, and in the next line so many bytes.
func bulk(b []byte, i int) (v value) {
	line := nextPayload(b, i)
	if !isLine(byteAt(b, i)) || byteAt(b, line) != '$' {
		return v
	}
	size := skipOf(b, line+1, 6, digits)
	at := nextPayload(b, size)
	if n, err := strconv.Atoi(string(b[line+1 : size])); isLine(byteAt(b, size)) && err == nil && lineEnd(b, at) == at+n {
		v = value{start: at, end: at + n}
	}
	return v
}

// answerRule takes what a client of SMTP sends when it is asked for its password in base64.
func (s *scan) answerRule(b []byte, _, end int) {
	line := nextLine(b, lineEnd(b, end))
	text := bytes.TrimRight(b[line:lineEnd(b, line)], " \t\r")
	from := line + bytes.LastIndexByte(text, ' ') + 1
	if last := line + len(text); from < last && run(b, from, base64Byte) == last {
		s.add(from, last, "password", b[from:last])
	}
}

// monitorRule takes the last text of a command as Redis shows it: "AUTH" "user" "VALUE".
func (s *scan) monitorRule(_ []byte, _, end int) {
	line := bytes.TrimRight(s.rest(end), " \r")
	quote := bytes.LastIndexByte(line[:max(0, len(line)-1)], '"')
	if len(line) > 1 && line[len(line)-1] == '"' {
		s.takePassword(value{start: end + quote + 1, end: end + len(line) - 1, quoted: true, quote: '"'})
	}
}

// lapsRule takes what Windows LAPS stores: {"n":"Administrator","t":"1d8161b41c41cde","p":"VALUE"}.
func (s *scan) lapsRule(b []byte, start, end int) {
	before := s.b[max(0, start-layerBack/2):start]
	if i := bytes.LastIndexByte(before, '{'); hasFold(before, i, `{"n":"`) {
		s.takePassword(s.value(b, end-1, plainStops))
	}
}

// volumeRule takes what a driver of volumes gets: secrets:<key:"NAME" value:"VALUE" >. Names of accounts are none.
func (s *scan) volumeRule(_ []byte, _, end int) {
	b := s.b[:lineEnd(s.b[:min(len(s.b), end+layerBack)], end)]
	x := lexer{s, b, end + 1}
	key := x.value(plainStops)
	name := strings.ToLower(string(key.in(b)))
	if _, ok := x.key(":", "value"); !ok || strings.HasSuffix(name, "name") || name == "domain" || name == "userid" {
		return
	}
	if v := x.value(plainStops); !bytes.Contains(v.in(b), []byte(`\n`)) { // a document
		s.takePassword(v)
	}
}

// rsaRule takes the private numbers of a key of .NET: <RSAKeyValue><Modulus>…</Modulus>…<D>VALUE</D>.
func (s *scan) rsaRule(b []byte, _, end int) {
	b = b[:min(len(b), end+2*layerAhead)]
	for _, tag := range []string{"<P>", "<Q>", "<DP>", "<DQ>", "<InverseQ>", "<D>"} {
		if i := bytes.Index(b[end:], []byte(tag)); i >= 0 {
			at := end + i + len(tag)
			if last := run(b, at, base64Byte|lineByte|blankByte); last-at > 32 {
				s.add(at, last, "private-key", b[at:last])
			}
		}
	}
}

// promptForm takes what somebody types at a prompt, client_secret> VALUE, and what a shell answers when it is asked
// for the value of a name: PS C:\> $c.Password.
func (s *scan) promptForm(f field) bool {
	b := f.b
	end := f.after
	if f.trust >= medium && hasFold(b, f.to, "> ") && !bytes.ContainsAny(b[lineBack(b, f.from, layerBack):f.from], "<>") {
		v := s.value(b, f.to+len("> "), " \t\r\n")
		if isLineAt(b, skipBlanks(b, skipQuote(b, v.end))) {
			s.takeJudged(f, v, isDictionaryWord(v.in(b)))
		}
		return true
	}
	if byteAt(b, end) == '%' {
		end++
	}
	if !isLineAt(b, end) {
		return false
	}
	line := bytes.TrimLeft(b[payload(b[:f.to], lineBack(b, f.from, layerBack)):f.to], " ")
	asked := line[bytes.LastIndexAny(line, " >")+1:]
	if !bytes.ContainsRune(line, '>') || !hasFold(line, 0, "ps ") && !(isPath(line) && hasFold(asked, 0, "%")) || len(asked) == 0 || !among(asked[0], "$(%") {
		return false
	}
	at := skipBlanks(b, nextPayload(b, end))
	if answer := b[at:lineEnd(b, at)]; !hasFold(answer, 0, "ps ") { // the next prompt
		s.takeJudged(f, value{start: at, end: at + len(bytes.TrimRight(answer, " "))}, false)
	}
	return true
}

// csvTokenRule takes the first cell of a file of static tokens: VALUE,user,10001,"system:masters".
func (s *scan) csvTokenRule(_ []byte, start, _ int) {
	from := lineBack(s.b, start, layerBack)
	cells := bytes.Split(bytes.TrimRight(s.b[from:start], `,"`), []byte(","))
	first := cells[0][bytes.LastIndexAny(cells[0], " '\"\t>")+1:]
	if from += len(cells[0]) - len(first); len(cells) == 3 && len(first) >= 16 && run(first, 0, tokenByte) == len(first) {
		s.add(from, from+len(first), "token", first)
	}
}

// communityRule takes the names of values of the registry, which are what SNMP's clients say.
func (s *scan) communityRule(b []byte, _, end int) {
	s.commandLine(b[:lineEnd(b[:min(len(b), end+layerBack)], end)], end, "/v -name -Name") // reg add …\ValidCommunities /v VALUE
	for line, i := range linesBehind(b, end) {
		text := b[line:i]
		if at := bytes.Index(text, []byte(`"=dword:`)); at > 0 && text[0] == '"' {
			s.add(line+1, line+at, "snmp-community", text[1:at])
		} else if at := bytes.Index(text, []byte(" REG_DWORD")); at > 0 {
			name := skipBlanks(text, 0)
			last := len(bytes.TrimRight(text[:at], " "))
			s.add(line+name, line+last, "snmp-community", text[name:last])
		} else {
			return
		}
	}
}

// insertRule takes the cell of INSERT INTO x (login, password) VALUES ('ops', 'VALUE').
func (s *scan) insertRule(b []byte, start, end int) {
	before := s.b[max(0, start-4*layerBack):start]
	open, close := bytes.LastIndexByte(before, '('), bytes.LastIndexByte(before, ')')
	if open < 0 || close < open || !containsFold(before[max(0, open-layerBack/2):open], "insert ") {
		return
	}
	x := lexer{s, b, end}
	for name := range bytes.SplitSeq(before[open+1:close], []byte(",")) {
		v := x.value(plainStops)
		name = bytes.Trim(name, " \t\r\n\"`[]'")
		if kind, t := judgeName(name); v.quoted {
			s.takeJudged(field{b: b, from: start, to: start, kind: kind, trust: t}, v, false)
		}
		if !x.separator(",") {
			return
		}
	}
}

// askedRule takes what a script of expect sends when it is asked: expect "assword:", send "VALUE\r".
func (s *scan) askedRule(b []byte, _, end int) {
	if at := indexFold(b[end:min(len(b), end+layerBack/2)], `send "`); at >= 0 {
		v := s.value(b, end+at+len(`send "`)-1, plainStops)
		v.end = v.start + len(bytes.TrimSuffix(bytes.TrimSuffix(v.in(b), []byte(`\r`)), []byte(`\n`)))
		s.takePassword(v)
	}
}

// shownRule takes what a command shows of a Secret in the next line: kubectl get secret x -o jsonpath='{.data.token}'.
func (s *scan) shownRule(b []byte, start, end int) {
	from := lineBack(s.b, start, layerBack)
	last := lineEnd(b, end)
	at := skipBlanks(b, nextPayload(b, last))
	line, text := s.b[from:last], bytes.TrimRight(b[at:lineEnd(b[:min(len(b), at+maxWeak)], at)], "% \t\r")
	ofKube := b[start]|0x20 == 'j'
	if ofKube && (!containsFold(line, " secret") || !containsFold(line, "data")) || bytes.ContainsAny(text, " \t") || bytes.ContainsAny(b[end:last], ">|") && !containsFold(line, "base64 -") ||
		containsAny(bytes.ToLower(b[end:last]), []string{"crt", "cert", "user", " > "}) {
		return
	}
	if fitsWord(text) || isMade(text) {
		s.takePassword(value{start: at, end: at + len(text)})
	}
}

// accountRule takes VALUE of user:VALUE: login=USER:VALUE of squid, [host]:587 USER:VALUE of Postfix, and what PowerShell
// could not take for a credential: Cannot convert the "USER:VALUE" value.
func (s *scan) accountRule(b []byte, _, end int) {
	v := s.value(b, skipBlanks(s.b, end), " \t\r\n\"'")
	if text := v.in(s.b); !v.open && bytes.IndexByte(text, ':') > 0 {
		if i := bytes.LastIndexByte(text, ':'); !bytes.ContainsAny(text[:i], "`[({<$/") && !hasFold(text, i, "://") && (fitsWord(text[i+1:]) || mixed(text[i+1:])) {
			s.takePassword(value{start: v.start + i + 1, end: v.end})
		}
	}
}

// keyNameRule takes the key behind its name: nsupdate -y hmac-sha256:NAME:VALUE.
func (s *scan) keyNameRule(b []byte, _, end int) {
	i := run(b, end, nameByte)
	if last := run(b, i+1, base64Byte); byteAt(b, i) == ':' && last-i > 16 {
		s.add(i+1, last, "key", b[i+1:last])
	}
}

// newValueRule takes what a tool set a password to: New value: VALUE.
func (s *scan) newValueRule(b []byte, start, end int) {
	v := s.value(b, end, " \t\r\n")
	before := s.b[max(0, start-layerBack/2):start]
	name := before[lastFold(before, "modifying ")+len("modifying "):] // NAME property of Windows Installer
	if _, t := judgeName(name[:run(name, 0, nameByte)]); !v.open && (containsFold(before, "password") || v.quoted && t >= medium) {
		s.takePassword(v)
	}
}

// partRule takes the part of a form that a browser sends: name="password", an empty line, VALUE.
func (s *scan) partRule(b []byte, _, end int) {
	name := run(b, end, nameByte)
	kind, t := judgeName(b[end:name])
	at := nextLine(b, lineEnd(b, name))
	if at = nextLine(b, skipBlanks(b, at)); at > name {
		s.takeJudged(field{b: b, from: end, to: name, kind: kind, trust: t}, value{start: at, end: lineEnd(b, at)}, false)
	}
}

// loginRule takes the second word of a client of IMAP: a001 LOGIN ops "VALUE".
func (s *scan) loginRule(_ []byte, start, end int) {
	if !bytes.Contains(s.b[start:end], []byte("LOGIN ")) {
		return
	}
	list := words(s, s.b[:end+len(s.rest(end))], end)
	if len(list) == 2 && (list[1].quoted || fitsPassword(s.b[list[1].start:list[1].end])) {
		s.takePassword(list[1])
	}
}

// plainLoginRule takes the users of a broker of Kafka: PlainLoginModule required user_NAME="VALUE" …;
func (s *scan) plainLoginRule(b []byte, _, end int) {
	b = b[:min(len(b), end+2*layerBack)]
	if stop := bytes.IndexByte(b[end:], ';'); stop >= 0 {
		b = b[:end+stop]
	}
	for i := end; ; {
		at := indexFold(b[i:], "user_")
		if at < 0 {
			return
		}
		i = run(b, i+at, nameByte)
		if byteAt(b, i) == '=' {
			s.takePassword(s.value(b, i+1, " \t\r\n\"'"))
		}
	}
}

// setVariable takes what a pipeline sets a variable to: ##vso[task.setvariable variable=NAME;issecret=true]VALUE of Azure,
// ::set-output name=NAME::VALUE of GitHub.
func (s *scan) setVariable(b []byte, end int, key, closing string) {
	options, _, ok := bytes.Cut(b[end:lineEnd(b[:min(len(b), end+layerBack)], end)], []byte(closing))
	at := indexFold(options, key)
	if at < 0 {
		return
	}
	name := end + at + len(key)
	f := field{b: b, from: name, to: run(b, name, nameByte), kind: "secret", trust: strong}
	if !containsFold(options, "issecret=true") {
		f.kind, f.trust = judgeName(f.text())
	}
	if start := end + len(options) + len(closing); ok && f.to < start && f.trust > noSecret {
		s.takeJudged(f, value{start: start, end: lineEnd(b, end)}, false)
	}
}

// sectionRule takes the values of a section: NAME=VALUE of [Passwords], NAME=USER:VALUE of [Credentials].
func (s *scan) sectionRule(b []byte, start, end int) {
	take := s.takePassword
	if b[start+1]|0x20 == 'c' {
		take = s.takeAccount
	}
	for line, i := range linesBehind(b, end) {
		equal := bytes.IndexByte(b[line:i], '=')
		if equal < 0 || b[line] == '[' || payload(s.b[:start], lineBack(s.b, start, longestPrefix)) < start {
			return
		}
		take(value{start: line + equal + 1, end: i})
	}
}

// serverRule takes the key in the block of a router: tacacs server NAME, and below it key 7 VALUE.
func (s *scan) serverRule(b []byte, _, end int) {
	for line, last := range linesBehind(b, end) {
		at := skipBlanks(b, line)
		if at == line {
			return
		} else if !hasFold(b, at, "key ") {
			continue
		}
		if list := behindKeyWord(b, words(s, b[:last], at+len("key ")), false); len(list) == 1 && !isNoKey(b, list[0]) {
			s.takePassword(list[0])
		}
	}
}

// resultRule takes what the provider random of Terraform made, in its state: "type": "random_password", … "result": "VALUE".
func (s *scan) resultRule(b []byte, _, end int) {
	if at := indexFold(b[end:min(len(b), end+4*layerBack)], `"result"`); at >= 0 {
		x := lexer{s, b, end + at}
		if _, ok := x.key(":"); ok {
			s.takePassword(x.value(plainStops))
		}
	}
}
