package redact

import (
	"bytes"
	"strings"
)

// headerRule takes Authorization and Cookie headers with their whole value.
func (s *scan) headerRule(start, end int) {
	b := s.see(start)
	i := run(b, end, nameByte)
	if b[end-1] == ':' || b[end-1] == '"' || b[end-1] == '\\' {
		i = start + 6
	}
	if i-start > 13 || !wordStarts(b, start) {
		return
	}
	i = skipBlanks(b, skipQuote(b, i))
	if i = besideName(b, i); i >= len(b) || b[i] != ':' && b[i] != '=' {
		return
	}
	i = skipBlanks(b, i+1)
	if i < len(b) && b[i] == '[' { // as Go prints a map of headers
		i = skipBlanks(b, i+1)
	}
	i = skipQuote(b, i)
	cookie := b[start]|0x20 == 'c'
	scheme := 0
	if !cookie {
		for _, word := range []string{"bearer", "basic", "digest", "negotiate", "ntlm", "token",
			"aws4-hmac-sha256", "apikey"} {
			if hasFold(b, i, word) && i+len(word) < len(b) && isBlank(b[i+len(word)]) {
				scheme = skipBlanks(b, i+len(word)) - i
			}
		}
	}
	if scheme == 0 && !cookie {
		scheme = schemeOf(b, i)
	}
	at := i + scheme
	stops := "\r\n\"'\\]`"
	if !cookie && scheme == 0 || scheme > 0 && !hasFold(b, i, "digest") && !hasFold(b, i, "aws4") {
		stops += " \t,;)}"
	}
	v := s.value(b, at, stops)
	text := s.b[v.start:v.end]
	if isPlaceholder(text) || scheme == 0 && !cookie && !looksRandom(text) || cookie &&
		bytes.IndexByte(text, '=') < 0 {
		return
	}
	kind := "authorization"
	switch {
	case cookie:
		kind = "cookie"
	case hasFold(b, i, "bearer"):
		kind = "bearer"
	case hasFold(b, i, "basic"):
		kind = "basic-auth"
		if i := bytes.IndexByte(s.plainText(text), ':'); i >= 0 {
			s.learn("password", s.plainText(text)[i+1:])
		}
	}
	s.take(s.trimmed(v, stops), kind)
}

// schemeOf passes the word of an issuer before what can only be its token:
// Authorization: Splunk 708e7e39-….
func schemeOf(b []byte, i int) int {
	word := i
	for word < len(b) && word-i < 24 && isAlnum(b[word]) && !isDigit(b[word]) {
		word++
	}
	at := skipBlanks(b, word)
	text := b[at:run(b, at, tokenByte)]
	if word-i < 3 || at == word || len(text) < 16 || !isGUID(text) &&
		!(mixed(text) && looksRandom(text)) {
		return 0
	}
	return at - i
}

// besideName passes , "value" behind the name of a header.
func besideName(b []byte, i int) int {
	if i >= len(b) || b[i] != ',' && !isLine(b[i]) {
		return i
	}
	next := skipQuote(b, skipSpace(b, i+1))
	if !hasFold(b, next, "value") {
		return i
	}
	return skipBlanks(b, skipQuote(b, next+5))
}

// plainText is what stands in base64, and nothing when it is no text.
func (s *scan) plainText(v []byte) []byte {
	if !isAuthPair(v) {
		return nil
	}
	plain, _ := decode64(v)
	return plain
}

// learn remembers a value that stands nowhere by itself.
func (s *scan) learn(kind string, value []byte) {
	if len(value) > 0 && !isPlaceholder(value) {
		s.note(kind, value)
	}
}

// bearerRule takes Bearer TOKEN anywhere.
func (s *scan) bearerRule(start, end int) {
	b := s.see(start)
	if !wordStarts(b, start) || end >= len(b) {
		return
	}
	i := skipBlanks(b, end)
	if i == end && hasFold(b, i, "%20") {
		i += 3
	}
	if protocol := ".authorization.k8s.io."; hasFold(b, end, protocol) { // of a websocket
		i = end + len(protocol)
		if plain, err := decode64(b[i:run(b, i, base64Byte)]); err == nil && len(plain) >= 16 {
			s.learn("bearer", plain)
		}
	}
	if i == end {
		return
	}
	last := run(b, i, tokenByte)
	text := bytes.TrimRight(b[i:last], ".,")
	if len(text) < 8 || last == len(b) && s.cut(b) {
		if last == len(b) && s.cut(b) {
			s.engulf(i, "bearer", func(b []byte, i int) (int, bool) {
				n := run(b, i, tokenByte)
				return n, n < len(b)
			})
		}
		return
	}
	if last < len(b) && b[last] == '"' && text[len(text)-1] == '=' && len(text) < 12 ||
		!looksRandom(text) && !(len(text) >= 16 && mixed(text)) && len(text) < 20 {
		return
	}
	if isAssignment(text) || isObjectName(text) && !mixed(text) ||
		proseWords[strings.ToLower(string(text))] {
		return
	}
	s.add(i, i+len(text), "bearer", text)
}

const pemBegin = "-----BEGIN "

// pemRule takes private keys, in lines or in one line with escapes.
func (s *scan) pemRule(start, end int) {
	b := s.see(start)
	label := b[end:min(len(b), end+96)]
	stop := bytes.Index(label, []byte("-----"))
	if stop < 0 {
		return
	}
	if upper := bytes.ToUpper(label[:stop]); !bytes.Contains(upper, []byte("PRIVATE KEY")) &&
		!bytes.Contains(upper, []byte("STATIC KEY")) {
		return
	}
	i := end + stop + 5
	if at := bytes.Index(b[i:], []byte("-----END ")); at >= 0 &&
		!bytes.Contains(b[i:i+at], []byte("-----BEGIN")) && pemBody(b[i:i+at]) {
		if close := bytes.Index(b[i+at+9:], []byte("-----")); close >= 0 && close < 96 {
			last := i + at + 9 + close + 5
			s.add(start, last, "private-key", b[start:last])
			return
		}
	}
	last, ended := pemEnd(b, i)
	if !ended && s.cut(b) {
		s.engulf(start, "private-key", pemRest)
		return
	}
	s.add(start, last, "private-key", b[start:last])
}

// pemBody tells whether text may stand between the lines of a key.
func pemBody(b []byte) bool {
	spaces := 0
	for _, c := range b {
		if c == ' ' || c == '\t' {
			spaces++
		}
	}
	return spaces*2 < len(b)+16
}

// pemEnd returns where a key ends whose last line is missing: before the first
// line that is none of it.
func pemEnd(b []byte, i int) (int, bool) {
	last := i
	for i < len(b) {
		line := skipSpace(b, i)
		stop := run(b, line, base64Byte)
		switch {
		case stop >= len(b):
			return len(b), false
		case hasFold(b, line, "proc-type:") || hasFold(b, line, "dek-info:") ||
			hasFold(b, line, "comment:"):
			stop = line
			for stop < len(b) && !isLine(b[stop]) && b[stop] != '\\' {
				stop++
			}
		case stop-line < 16 && (stop == line || !pemLineEnds(b, stop)), isBlank(b[stop]):
			return last, true
		}
		last, i = stop, stop
	}
	return last, false
}

func pemLineEnds(b []byte, i int) bool { return isLine(b[i]) || b[i] == '\\' || b[i] == '"' }

// pemRest goes on in a key that is longer than the window.
func pemRest(b []byte, i int) (int, bool) {
	if end := bytes.Index(b[i:], []byte("-----END ")); end >= 0 {
		if close := bytes.Index(b[i+end+9:], []byte("-----")); close >= 0 {
			return i + end + 9 + close + 5, true
		}
		return i, false
	}
	for i < len(b) && (classOf[b[i]]&(base64Byte|lineByte|blankByte) != 0 || b[i] == '\\' ||
		b[i] == ':' || b[i] == ',') {
		i++
	}
	if i > 128 && i == len(b) {
		return i - 128, false
	}
	return i, i < len(b)
}

// sshRule takes keys of SSH.com: ---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----.
func (s *scan) sshRule(start, end int) {
	b := s.see(start)
	if !hasFold(b, end, " encrypted private") {
		return
	}
	last := bytes.Index(b[end:], []byte("---- END"))
	if last < 0 {
		return
	}
	last = lineEnd(b, end+last)
	s.add(start, last, "private-key", b[start:last])
}

// ppkRule takes the private lines of a PuTTY key.
func (s *scan) ppkRule(start, end int) {
	b := s.see(start)
	if hasFold(b, start, "private-mac") {
		i := skipBlanks(b, end)
		s.add(i, run(b, i, hexByte), "private-key", b[i:run(b, i, hexByte)])
		return
	}
	i := skipSpaceLines(b, lineEnd(b, end))
	last := i
	for at := i; at < len(b); {
		stop := run(b, at, base64Byte)
		if stop == at || stop < len(b) && !isLine(b[stop]) {
			break
		}
		last, at = stop, skipSpaceLines(b, stop)
	}
	if last > i {
		s.add(i, last, "private-key", b[i:last])
	}
}

// encodedRule takes base64 that holds a private key, a kubeconfig or the
// accounts of registries.
func (s *scan) encodedRule(start, end int) {
	if start < s.dull.base64 {
		return
	}
	b := s.see(start)
	lowest := max(0, start-s.back/2)
	from, last := lowest+runBack(b[lowest:], start-lowest, base64Byte), run(b, start, base64Byte)
	if from > start-s.back/2 && start-from >= 64 || hasFold(b, start, "ls0t") ||
		hasFold(b, start, "ey") || hasFold(b, start, "ew") {
		from = start
	}
	if from < start && b[from-1+1] == '=' {
		from = start
	}
	if last == len(b) && s.cut(b) {
		s.dull.base64 = start + s.ahead/2
		if head, err := decode64(b[start : start+(last-start)/4*4]); err == nil &&
			isKeptSecret(head) {
			s.engulf(start, encodedKind(head), func(b []byte, i int) (int, bool) {
				n := run(b, i, base64Byte)
				return n, n < len(b)
			})
		}
		return
	}
	s.dull.base64 = last
	text := b[from:last]
	if hasFold(b, start, "0tls") || hasFold(b, start, "0tlu") { // in the middle of four letters
		for cut := range 4 {
			if plain, _ := decode64(b[from+cut : last]); isKeptSecret(plain) {
				s.add(from, last, encodedKind(plain), text)
				return
			}
		}
		return
	}
	if plain, _ := decode64(text); isKeptSecret(plain) {
		s.add(from, last, encodedKind(plain), text)
	}
}

func isKeptSecret(plain []byte) bool {
	return bytes.Contains(plain, []byte("PRIVATE KEY-----")) ||
		bytes.Contains(plain, []byte("client-key-data")) ||
		bytes.Contains(plain, []byte(`"auths"`)) ||
		bytes.Contains(plain, []byte("kind: Config")) && (bytes.Contains(plain, []byte("token:")) ||
			bytes.Contains(plain, []byte("password:")))
}

func encodedKind(plain []byte) string {
	switch {
	case bytes.Contains(plain, []byte("PRIVATE KEY-----")):
		return "private-key"
	case bytes.Contains(plain, []byte(`"auths"`)):
		return "registry-auth"
	}
	return "kubeconfig"
}

// jwtRule takes HEADER.PAYLOAD.SIGNATURE.
func (s *scan) jwtRule(start, end int) {
	b := s.see(start)
	const part = base64Byte
	from := start
	if b[start] == '.' {
		lowest := max(0, start-s.back/2)
		from = lowest + jwtBack(b[lowest:], start-lowest)
	} else if start > 0 && classOf[b[start-1]]&part != 0 && b[start-1] != '=' {
		return
	}
	if !bytes.HasPrefix(b[from:], []byte("eyJ")) {
		if i := bytes.LastIndex(b[from:start], []byte("eyJ")); b[start] == '.' && i >= 0 &&
			start-from-i >= 8 {
			from += i
		} else {
			return
		}
	}
	i, dots := from, 0
	for i < len(b) {
		c := b[i]
		if c == '.' && i+1 < len(b) && (isAlnum(b[i+1]) || b[i+1] == '-' || b[i+1] == '_' ||
			b[i+1] == '.' && dots > 0) {
			dots++
		} else if !isAlnum(c) && c != '-' && c != '_' && !(c == '=' && dots > 0) {
			break
		}
		i++
	}
	if i == len(b) && s.cut(b) {
		s.engulf(from, "jwt", func(b []byte, i int) (int, bool) {
			n := run(b, i, tokenByte)
			return n, n < len(b)
		})
		return
	}
	if dots >= 1 && i-from >= 24 || b[start] == '.' {
		s.add(from, i, "jwt", b[from:i])
	}
}

func jwtBack(b []byte, i int) int {
	for i > 0 && (isAlnum(b[i-1]) || b[i-1] == '-' || b[i-1] == '_') {
		i--
	}
	return i
}
