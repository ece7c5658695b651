package redact

import (
	"bytes"
	"net/url"
	"strings"
)

// besideName passes , "value" behind the name of a header.
func besideName(b []byte, i int) int {
	if !isOneOf(b, i, ",\r\n") {
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

// leastFolded is the length of the shortest token that a log wrote in a line of its own.
const leastFolded = 20

// bearerRule takes Bearer TOKEN anywhere.
func (s *scan) bearerRule(b []byte, start, end int) {
	if within(b, start) || end >= len(b) {
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
	if len(text) < 8 || byteAt(b, last) == '"' && text[len(text)-1] == '=' && len(text) < 12 ||
		!looksRandom(text) && !(len(text) >= 16 && mixed(text)) && len(text) < 20 ||
		isAssignment(text) || isObjectName(text) && !mixed(text) {
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
	if within(b, start) && !hasFold(b, end-10, "signature=") {
		return
	}
	i := runWith(b, end, "-._~+/=%")
	if i == len(b) && s.cut(b) {
		s.engulf(end, "sas", func(b []byte, i int) (int, bool) {
			n := run(b, i, tokenByte)
			return n, n < len(b) && b[n] != '%'
		})
		return
	}
	if i-end >= 12 && (mixed(b[end:i]) || bytes.IndexByte(b[end:i], '%') >= 0) {
		s.add(end, i, "sas", b[end:i])
	}
}

// urlRule takes the user of a URL, or its password, before the @.
func (s *scan) urlRule(b []byte, at, _ int) {
	from := at
	for from > max(0, s.dull.at) && at-from < 1024 && strings.IndexByte(" \t\r\n\"'<>`{}|",
		b[from-1]) < 0 {
		from--
	}
	user := from
	if i := bytes.LastIndex(b[from:at], []byte("://")); i >= 0 {
		user += i + 3
	} else if !hasDSN(b, at+1) {
		s.dull.at = at + 1
		return
	} else if i := bytes.LastIndexAny(b[from:at], "=,("); i >= 0 {
		user += i + 1
	}
	if b[user] == '[' {
		return
	}
	slash := bytes.IndexAny(b[user:at], "/?#")
	colon := bytes.IndexByte(b[user:at], ':')
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
		if text := b[user:at]; !isPlaceholder(text) && len(text) >= 16 && looksRandom(text) {
			s.add(user, at, "url-token", text)
		}
	}
}

// isExampleURL tells of a URL in a manual: user:password at a name that is reserved for
// examples.
func isExampleURL(password, host []byte) bool {
	return hasFold(password, 0, "password") && len(password) == len("password") &&
		(hasFold(host, 0, "example.com/") || hasFold(host, 0, "example.org/"))
}

// hasDSN tells whether the address of a database follows: user:password@tcp(host:3306)/x.
func hasDSN(b []byte, i int) bool {
	net := foldAt(b, i, "tcp(", "unix(", "udp(", "tcp6(", "cloudsql(", "(", "localhost:", "127.0.0.1:")
	return net != "" && !hasFold(b, i, "()")
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
