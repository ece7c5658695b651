package redact

import (
	"bytes"
	"strings"
)

// schemes of Authorization headers, behind which their credentials stand.
var schemes = []string{"bearer", "basic", "digest", "negotiate", "ntlm", "token",
	"aws4-hmac-sha256", "apikey", "api-key", "key", "sharedkey", "sharedaccesssignature", "oauth"}

// headerRule takes Authorization and Cookie headers with their whole value.
func (s *scan) headerRule(b []byte, start, end int) {
	i, ok := headerValue(b, start, end)
	if !ok {
		return
	}
	cookie := b[start]|0x20 == 'c'
	scheme := 0
	if !cookie {
		scheme = schemeOf(b, i)
	}
	at := i + scheme
	if scheme > 0 && skipQuote(b, at) > at {
		return // "Bearer " + token
	}
	v, stops := s.credentials(b, start, i, at, cookie)
	if text := v.in(s.b); (scheme > 0 || !isCode(s.b, v)) && isCredentials(text, cookie, scheme > 0) {
		s.take(s.trimmed(v, stops), s.headerKind(b[i:], cookie, text))
	}
}

// credentials are what stands behind the scheme, which for some schemes is a list.
func (s *scan) credentials(b []byte, start, i, at int, cookie bool) (v value, stops string) {
	stops = "\r\n\"'\\]`"
	switch {
	case cookie:
	case isListScheme(b, i):
		stops = "\r\n" // response="…"
		if b[i-1] == '"' || b[i-1] == '\'' {
			v = s.quotedValue(b, i-1, slashesBefore(b, start, i-1))
			v.start = at
			return v, stops
		}
	default:
		stops += " \t,;)}"
	}
	return s.value(b, at, stops), stops
}

// isCredentials judges the value of a header. Without a scheme anything may stand there.
func isCredentials(text []byte, cookie, scheme bool) bool {
	if len(text) > 0 && strings.IndexByte("{(", text[len(text)-1]) >= 0 || isPlaceholder(text) || scheme && text[0] == '$' && isIdentifier(text[1:]) {
		return false
	}
	if cookie {
		return bytes.IndexByte(text, '=') >= 0
	}
	return scheme || !bytes.Contains(text, []byte(tokenStart)) &&
		(looksRandom(text) || isGUID(text) || hardWord(text))
}

// isListScheme tells of the schemes whose credentials are a list with commas and blanks.
func isListScheme(b []byte, i int) bool {
	return hasFold(b, i, "digest") || hasFold(b, i, "aws4") || hasFold(b, i, "oauth ")
}

// plainRule takes what a client of SMTP or IMAP logs in with: AUTH PLAIN VALUE, AUTH XOAUTH2 VALUE.
func (s *scan) plainRule(b []byte, start, end int) {
	last := run(b, end, base64Byte)
	plain, err := decode64(b[end:last])
	if err == nil && bytes.Count(plain, []byte{0}) == 2 || last-end >= 16 && hasFold(b, end-len("xoauth2 "), "xoauth2 ") {
		s.add(end, last, "basic-auth", b[end:last])
	}
}

// basicRule takes the base64 of a user and a password behind the scheme's name.
func (s *scan) basicRule(b []byte, start, end int) {
	last := run(b, end, base64Byte)
	if within(b, start) || last == len(b) && s.cut(b) || last-end < 8 || !isAuthPair(b[end:last]) {
		return
	}
	if i := bytes.IndexByte(s.plainText(b[end:last]), ':'); i > 0 {
		s.learn("password", s.plainText(b[end:last])[i+1:])
		s.add(end, last, "basic-auth", b[end:last])
	}
}

// headerValue is where the value of a header begins whose name is at start.
func headerValue(b []byte, start, end int) (int, bool) {
	i := run(b, end, nameByte)
	if strings.IndexByte(":\"\\,'", b[end-1]) >= 0 {
		i = start + len("cookie")
	}
	if i-start > len("authorization") || within(b, start) {
		return 0, false
	}
	i = besideName(b, skipGap(b, skipQuote(b, i)))
	op, ok := operatorAt(b, i)
	if !ok || op.equal {
		return 0, false
	}
	if i = skipGap(b, op.end); byteAt(b, i) == '[' { // as Go prints a map of headers
		i = skipGap(b, i+1)
	}
	if n := entityAt(b, i); n > 0 {
		return i + n, true
	}
	return skipQuote(b, i), true
}

func (s *scan) headerKind(b []byte, cookie bool, text []byte) string {
	switch {
	case cookie:
		return "cookie"
	case hasFold(b, 0, "bearer"):
		return "bearer"
	case hasFold(b, 0, "basic"):
		if i := bytes.IndexByte(s.plainText(text), ':'); i >= 0 {
			s.learn("password", s.plainText(text)[i+1:])
		}
		return "basic-auth"
	}
	return "authorization"
}

// schemeOf passes a scheme, or the word of an issuer before what can only be its
// token: Authorization: Splunk 708e7e39-….
func schemeOf(b []byte, i int) int {
	for _, word := range schemes {
		if end := i + len(word); hasFold(b, i, word) && isBlank(byteAt(b, end)) {
			return skipBlanks(b, end) - i
		}
	}
	word := run(b, i, nameByte)
	at := skipBlanks(b, word)
	text := b[at:run(b, at, tokenByte)]
	if at > word && word-i >= 3 && bytes.HasPrefix(b[at:], []byte(tokenStart)) {
		return at - i
	}
	if word-i < 3 || word-i > 24 || at == word || len(text) < 12 || !isGUID(text) &&
		!(mixed(text) && looksRandom(text)) {
		return 0
	}
	return at - i
}

// codeRule takes the code of an address that lets in whoever knows it.
func (s *scan) codeRule(b []byte, start, end int) {
	last := runWith(b, end, "-._~+/=%")
	if last-end >= 20 && mixed(b[end:last]) && (!isGUID(b[end:last]) || b[start+1] == 'k') {
		s.add(end, last, "url-secret", b[end:last])
	}
}

// webhookRule takes the rest of an address to which anybody may post.
func (s *scan) webhookRule(b []byte, start, end int) {
	last := runWith(b, end, "_-.@/=+:")
	last = end + len(bytes.TrimRight(b[end:last], ".:"))
	dot := bytes.LastIndexByte(b[:last], '.')
	if last-end >= 20 && mixed(b[end:last]) && !(fileTypes[string(b[dot+1:last])] && !hasFold(b, end-len("import/"), "import/")) { // manifests of Rancher
		s.add(end, last, "url-secret", b[end:last])
	}
}
