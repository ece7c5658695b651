package redact

import (
	"bytes"
)

// secureStringRule takes the texts that are made into a SecureString.
func (s *scan) secureStringRule(b []byte, start, end int) {
	if !hasFold(b, start-10, "convertto-") {
		return
	}
	from := lineBack(b, start, s.back/2)
	piped := b[from : from+max(0, bytes.LastIndexByte(b[from:start], '|'))]
	q := lastQuoted(piped)
	s.takePassword(value{start: from + q.start, end: from + q.end, quoted: true, quote: q.quote})
	line := b[:lineEnd(b[:min(len(b), end+s.back)], end)]
	if bound := `): name="string"; value="`; hasFold(line, end, bound) { // as a transcript has it
		s.takePassword(s.value(b, end+len(bound)-1, plainStops))
		return
	}
	if !isBlank(byteAt(b, end)) {
		return // only named
	}
	for i := skipBlanks(line, end); i < len(line); i = skipBlanks(line, i) {
		if line[i] == '-' {
			i = run(line, i+1, wordByte)
			continue
		}
		if among(line[i], "(|;)}") {
			return
		}
		v := s.value(b, i, plainStops)
		if v.quoted || !isDictionaryWord(v.in(b)) || containsFold(line[end:], " -a") {
			s.takePassword(v)
		}
		return
	}
}

// takePassword takes a value that can be nothing else.
func (s *scan) takePassword(v value) {
	if v.open {
		s.take(v, "password")
	} else if text := v.in(s.b); !v.quoted && len(text) > 1 && text[0] == '$' && isExpression(text) {
		s.takeVariable(v)
	} else if !isPlaceholder(text) && !isPath(text) && !isOtherText(text) && entityAt(s.b, v.start) != len(text)+1 {
		s.take(v, "password")
	}
}

// takeVariable takes what a variable was set to right before it is used as a password:
// $p='VALUE'; net user ops $p.
func (s *scan) takeVariable(use value) {
	b := s.b
	lowest := max(0, use.start-min(layerBack, s.back/2))
	name := b[use.start:run(b[:use.end], use.start+1, wordByte)]
	i := bytes.LastIndex(b[lowest:use.start-1], name)
	if i < 0 {
		return
	}
	at := skipBlanks(b, lowest+i+len(name))
	if at >= use.start || b[at] != '=' {
		return
	}
	if v := s.value(b, skipBlanks(b, at+1), plainStops); v.quoted && v.end < use.start {
		s.take(v, "password")
	}
}

// lastQuoted is the text in quotes at the end of a line.
func lastQuoted(b []byte) value {
	b = bytes.TrimRight(b, " \t)")
	if len(b) < 2 {
		return value{}
	}
	q := b[len(b)-1]
	if !among(q, "\"'") {
		return value{}
	}
	i := bytes.LastIndexByte(b[:len(b)-1], q)
	for i > 1 && b[i-1] == q && isAlnum(b[i+1]) { // one quote of the value
		i = bytes.LastIndexByte(b[:i-1], q)
	}
	if i < 0 {
		return value{}
	}
	return value{start: i + 1, end: len(b) - 1, quote: q}
}

// credentialRule takes NetworkCredential("user", "password").
func (s *scan) credentialRule(b []byte, start, end int) {
	x := lexer{s, b, end}
	user := x.value(plainStops)
	more := x.separator(",")
	if more && (bytes.IndexByte(user.in(b), ':') > 1 || !user.quoted && hasFold(b, start, "getconnection") || hasFold(b, start-len("clientsecret"), "clientsecret")) { // an address, a tenant
		x.value(plainStops)
		more = x.separator(",")
	}
	if more && hasFold(b, start-len("usernamepassword"), "usernamepassword") { // of Python, whose first one is a client; .NET has more behind the password
		second := x.i
		x.value(plainStops)
		if !x.separator(",") || skipQuote(b, skipBlanks(b, x.i)) == skipBlanks(b, x.i) {
			x.i = second
		}
	}
	if more {
		if v := x.value(plainStops); v.quoted {
			s.takePassword(v)
		}
	}
}

// argument takes the n-th argument of a call that is given a password there: LogonUser("ops", "CORP", "VALUE",
// []byte("VALUE")), Encoding.UTF8.GetBytes("VALUE").
func argument(from, to int) rule {
	return func(s *scan, b []byte, _, end int) {
		x := lexer{s, b, end - b2i(isOneOf(b, end-1, `"'`))}
		for n := 0; n <= to; n++ {
			x.i = skipVerbatim(b, skipBlanks(b, x.i))
			x.i += len(foldAt(b, x.i, "[]byte("))
			v := x.value(plainStops)
			if call := bytes.ToLower(v.in(b)); !v.quoted && bytes.HasSuffix(call, []byte("(")) && (containsAny(call, []string{"getbytes", "bytes("}) || !containsAny(call, getters)) {
				v = s.value(b, v.end, plainStops)
			}
			if text := v.in(b); n >= from && v.quoted && v.whole() && !isDictionaryWord(text) && !bytes.HasSuffix(text, []byte(": ")) {
				s.takePassword(v)
			}
			if !x.separator(",") {
				return
			}
		}
	}
}

// encodedCommandRule drops the argument of powershell -EncodedCommand whole.
func (s *scan) encodedCommandRule(b []byte, start, end int) {
	line := b[:lineEnd(b[:min(len(b), start+s.back/4)], start)]
	i := start
	if b[start]|0x20 == 'p' {
		if i = encodedFlag(line, end); i < 0 {
			return
		}
	}
	i = skipBlanks(b, skipQuote(b, skipBlanks(b, i)))
	i = skipQuote(b, run(b, i+1, wordByte))
	at := skipSpace(b, i)
	at = skipQuote(b, at)
	stop := run(b, at, base64Byte)
	if stop == len(b) && s.cut(b) && stop-at > 256 {
		s.engulf(at, "encoded-command", runOf(base64Byte))
		return
	}
	if text := b[at:stop]; stop-at >= 8 && text[0] != '-' && len(text)%4 == 0 && isUTF16(text) {
		s.addFaint(at, stop, "encoded-command", text)
		if plain, err := decode64(text); err == nil && s.depth < maxDepth {
			s.within().text(fromUTF16(plain)) // for the values in it
		}
	}
}

// encodedFlag finds -e, -ec and longer forms among a command's arguments.
func encodedFlag(line []byte, i int) int {
	for ; i+1 < len(line); i++ {
		if among(line[i], "-/") && line[i+1]|0x20 == 'e' {
			if end := run(line, i+1, wordByte); isEncodedFlag(string(line[i:end])) {
				return i
			}
		}
	}
	return -1
}

func isUTF16(text []byte) bool {
	plain, err := decode64(text)
	if err != nil || len(plain) < 4 {
		return false
	}
	zeros := 0
	for i := 1; i < len(plain); i += 2 {
		zeros += b2i(plain[i] == 0)
	}
	return zeros*4 >= len(plain)
}
