package redact

import (
	"bytes"
	"net/url"
)

// schemes of Authorization headers, behind which their credentials stand.
var schemes = []string{"bearer", "basic", "digest", "negotiate", "ntlm", "token",
	"aws4-hmac-sha256", "apikey", "api-key", "key", "splunk", "sharedkey", "sharedaccesssignature", "oauth"}

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
	if v = s.value(b, at, stops); isOneOf(b, v.start, "[({") && isOneOf(b, v.end, "])}") { // Bearer [REDACTED]
		v.end++
	}
	for next := skipFold(b, v.end); cookie && isLine(byteAt(b, v.end)) && next > nextLine(b, v.end) && b[v.end-1] == ';'; next = skipFold(b, v.end) {
		v.end = upTo(b, next, len(b), stops)
	}
	return v, stops
}

// isCredentials judges the value of a header. Without a scheme anything may stand there.
func isCredentials(text []byte, cookie, scheme bool) bool {
	if len(text) > 0 && among(text[len(text)-1], "{(") || isPlaceholder(text) || scheme && text[0] == '$' && isIdentifier(text[1:]) {
		return false
	}
	if cookie {
		return bytes.ContainsRune(text, '=')
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
	if err == nil && bytes.Count(plain, []byte{0}) == 2 || last-end >= 16 {
		s.add(end, last, "basic-auth", b[end:last])
	}
}

// basicRule takes the base64 of a user and a password behind the scheme's name.
func (s *scan) basicRule(b []byte, start, end int) {
	last := run(b, end, base64Byte)
	if within(b, start) || last == len(b) && s.cut(b) || !isAuthPair(b[end:last]) {
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
	if among(b[end-1], ":\"\\,'") {
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
	if i = skipFold(b, op.end); byteAt(b, i) == '[' { // as Go prints a map of headers
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
		if end := i + len(word); hasFold(b, i, word) && skipFold(b, end) > end {
			return skipFold(b, end) - i
		}
	}
	word := run(b, i, nameByte)
	at := skipFold(b, word)
	text := b[at:run(b, at, tokenByte)]
	if at > word && word-i >= 3 && bytes.HasPrefix(b[at:], []byte(tokenStart)) {
		return at - i
	}
	if word-i < 3 || at == word || len(text) < 12 || !isGUID(text) &&
		!(mixed(text) && looksRandom(text)) {
		return 0
	}
	return at - i
}

// codeRule takes the code of an address that lets in whoever knows it.
func (s *scan) codeRule(b []byte, start, end int) {
	last := runWith(b, end, "-._~+/=%")
	if last-end >= 20 && mixed(b[end:last]) {
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

// besideName passes , "value" behind the name of a header.
func besideName(b []byte, i int) int {
	next := i // name="Authorization" value="…"
	if isOneOf(b, i, ",\r\n") {
		next = skipQuote(b, skipSpace(b, i+1))
	} else if !hasFold(b, i, "value=") {
		return i
	}
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

// leastFolded is the length of the shortest token that a log wrote in a line of its own.
const leastFolded = 20

// bearerRule takes Bearer TOKEN anywhere.
func (s *scan) bearerRule(b []byte, start, end int) {
	if end >= len(b) {
		return
	}
	i := s.behindBearer(b, end)
	if i < 0 {
		return
	}
	last := run(b, i, tokenByte)
	if last == len(b) && s.cut(b) {
		s.engulf(i, "bearer", runOf(tokenByte))
		return
	}
	text := bytes.TrimRight(b[i:last], ".,")
	if len(text) < 8 || text[len(text)-1] == '=' && len(text) < 12 ||
		!looksRandom(text) && !(len(text) >= 16 && mixed(text)) ||
		isAssignment(text) {
		return
	}
	s.add(i, i+len(text), "bearer", text)
}

// behindBearer is where the token stands: behind blanks, in a line of its own where a log wrote it there,
// or as websockets have it. It is -1 where there is none.
func (s *scan) behindBearer(b []byte, end int) int {
	if protocol := ".authorization.k8s.io."; hasFold(b, end, protocol) {
		return end + len(protocol)
	}
	if i := skipBlanks(b, end); i > end {
		return i
	}
	if isLineAt(b, end) {
		i := skipBlanks(b, nextPayload(b, end))
		if last := run(b, i, tokenByte); last-i >= leastFolded && isLineAt(b, last) && isGenerated(b[i:last]) {
			return i
		}
	}
	return -1
}

// signatureRule takes the signature of a SAS URL and its kin.
func (s *scan) signatureRule(b []byte, start, end int) {
	i := runWith(b, end, "-._~+/=%")
	if i == len(b) && s.cut(b) {
		s.engulf(end, "sas", func(b []byte, i int) (int, bool) {
			n := run(b, i, tokenByte)
			return n, n < len(b) && b[n] != '%'
		})
		return
	}
	if i-end >= 12 && mixed(b[end:i]) {
		s.add(end, i, "sas", b[end:i])
	}
}

// urlRule takes the user of a URL, or its password, before the @.
func (s *scan) urlRule(b []byte, at, _ int) {
	from := at
	for from > max(0, s.dull.at) && at-from < 1024 && !among(b[from-1], " \t\r\n\"'<>`{}|") {
		from--
	}
	colon := from + len(b[from:at]) - len(bytes.TrimLeft(b[from:at], "_*"))                               // of Markdown
	if before := b[max(0, from-nameReach):max(0, from-1)]; b[colon] == ':' && isOneOf(b, from-1, ">}`") { // ://<user>:VALUE@
		before = bytes.TrimRight(before[:1+bytes.LastIndexAny(before, "<{`")], "<{`$_* ")
		if bytes.HasSuffix(before, []byte("://")) {
			s.urlPassword(colon+1, at)
		}
		return
	}
	user := from
	if i := bytes.LastIndex(b[from:at], []byte("://")); i >= 0 {
		user += i + 3
	} else if login := loginName(b[from:at]); login > 0 && !hasFold(b, at+1, "sha256:") {
		s.takePassword(value{start: from + login, end: at}) // CORP/ops:VALUE@h1
		return
	} else if i := namedURL(b, from, at); i > 0 {
		user = i
	} else if !hasDSN(b, at+1) && !hasService(b[from:at], b[at+1:]) {
		s.dull.at = at + 1
		return
	} else if i := bytes.LastIndexAny(b[from:at], "=,("); i >= 0 {
		user += i + 1
	}
	if end := run(b, user+1, wordByte); b[user] == '[' && hasFold(b, end, ":") && byteAt(b, at+1) == ']' {
		user++ // http://[user:VALUE@]h1
	} else if b[user] == '[' && !hasFold(b, end, "]:") { // [user]:VALUE@ of a manual, and no [fd00::1]
		return
	}
	slash := bytes.IndexAny(b[user:at], "/?#")
	colon = bytes.IndexByte(b[user:at], ':')
	switch {
	case slash >= 0 && (colon < 0 || slash < colon),
		slash >= 0 && !plainPassword(b[user+colon+1:at]):
	case colon >= 0:
		if text := b[user : user+colon]; len(text) >= 32 && isMade(text) { // https://TOKEN:x-oauth-basic@github.com
			s.add(user, user+colon, "url-token", text)
		}
		if !isExampleURL(b[user+colon+1:at], b[at+1:]) {
			s.urlPassword(user+colon+1, at)
		}
	default:
		if text := b[user:at]; !isPlaceholder(text) && len(text) >= 16 && (looksRandom(text) || isGUID(text)) {
			s.add(user, at, "url-token", text)
		}
	}
}

// loginName is how long DOMAIN/USER: is where a password stands behind it, and 0 elsewhere.
func loginName(text []byte) int {
	slash := run(text, 0, nameByte)
	colon := run(text, min(len(text), slash+1), nameByte)
	if slash == 0 || byteAt(text, slash) != '/' || byteAt(text, colon) != ':' || bytes.ContainsAny(text[colon:], "[({") || !fitsWord(text[colon+1:]) && !isGUID(text[colon+1:]) {
		return 0
	}
	return colon + 1
}

// isExampleURL tells of a URL in a manual: user:password at a name that is reserved for
// examples.
func isExampleURL(password, host []byte) bool {
	return hasFold(password, 0, "password") && len(password) == len("password") &&
		hasFold(host, 0, "example.com/")
}

// namedURL is where USER:VALUE begins before the @ where the name of the setting says that it is an address: GOVC_URL=USER:VALUE@h1.
func namedURL(b []byte, from, at int) int {
	user := from + 1 + bytes.IndexByte(b[from:at], '=')
	name := backOf(b, user, 5, " \"'=:")
	login, password, ok := bytes.Cut(b[user:at], []byte(":"))
	if !ok || at-from > 2*maxName || foldAt(b, name-3, "url", "uri", "dsn") == "" || run(login, 0, nameByte) != len(login) || !mixed(password) || foldAt(login, 0, "mailto", "sip", "xmpp", "npm") != "" || hasFold(b, at+1, "sha256:") || name == user {
		return 0
	}
	return user
}

// hasDSN tells whether the address of a database follows: user:password@tcp(host:3306)/x.
func hasDSN(b []byte, i int) bool {
	net := foldAt(b, i, "tcp(", "unix(", "udp(", "tcp6(", "cloudsql(", "(", "localhost:", "127.0.0.1:")
	return net != "" && !hasFold(b, i, "()")
}

// hasService tells of a login at a host and its port: admin:VALUE@db.internal:3306. The digest of an image
// stands behind a tag in the same way.
func hasService(login, b []byte) bool {
	user, password, ok := bytes.Cut(login, []byte(":"))
	host := run(b, 0, nameByte)
	port := skipOf(b, min(len(b), host+1), 6, digits)
	return ok && len(user) > 1 && isIdentifier(user) && mixed(password) &&
		bytes.IndexByte(b[:host], '.') > 0 && port-host > 2
}

func (s *scan) urlPassword(start, end int) {
	password := s.b[start:end]
	if isPlaceholder(password) {
		return
	}
	if plain, err := url.PathUnescape(string(password)); err == nil {
		password = []byte(plain)
	}
	s.add(start, end, "url-password", password)
}

// plainPassword tells of text with a slash before an @ that it is no port with a path.
func plainPassword(text []byte) bool {
	i := bytes.IndexAny(text, "/?#")
	return i > 0 && !allDigits(text[:i])
}

func allDigits(b []byte) bool { return len(bytes.Trim(b, digits)) == 0 }
