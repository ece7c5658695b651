package redact

import (
	"strings"
)

// bootstrapRule takes abcdef.0123456789abcdef around its dot.
func (s *scan) bootstrapRule(b []byte, dot, _ int) {
	from, end := dot-6, dot+17
	letters, digits := 0, 0
	for i := from; i < end; i++ {
		switch {
		case isLower(b[i]):
			letters++
		case isDigit(b[i]):
			digits++
		case i != dot:
			return
		}
	}
	if letters == 0 || digits == 0 || from > 0 && (isWord(b[from-1]) || b[from-1] == '-' ||
		b[from-1] == '.') || end < len(b) && (isWord(b[end]) || b[end] == '-' || b[end] == '.' && end+1 < len(b) && isWord(b[end+1])) {
		return
	}
	if isEventName(b[from:dot], b[dot+1:end]) {
		return
	}
	if from >= 2 && b[from-1] == ':' && b[from-2] == ':' { // K10…::abcdef.…
		if i := runBack(b, from-2, hexByte|wordByte); hasFold(b, i, "k10") {
			from = i
		}
	}
	s.add(from, end, "bootstrap-token", b[from:end])
}

// isEventName takes the name of an event: that of its object, and the time in
// nanoseconds since 1970 in hexadecimal digits.
func isEventName(object, hex []byte) bool {
	return run(object, 0, hexByte) != len(object) && run(hex, 0, hexByte) == len(hex) &&
		hex[0] == '1' && strings.IndexByte("6789ab", hex[1]) >= 0
}

// rancherRule takes tokens of RKE2 and k3s: K10…::server:….
func (s *scan) rancherRule(b []byte, start, end int) {
	from := runBack(b, start, wordByte)
	if !hasFold(b, from, "k10") || start-from < 16 {
		return
	}
	i := runWith(b, end, "._-+/=")
	if i > end {
		s.learn("token", b[end:i])
		s.add(from, i, "token", b[from:i])
	}
}

// hashRule takes the hashes of htpasswd and passwd.
func (s *scan) hashRule(b []byte, start, end int) {
	from := start
	if b[start] == ':' {
		from++
	}
	signs := "./$+=,"
	if hasFold(b, from, "$krb5") {
		signs += ":@*-"
	}
	i := runWith(b, end, signs)
	if i-end >= 16 {
		s.add(from, i, "password-hash", b[from:i])
	}
}

// kerberosRule takes keys under the names of their ciphers.
func (s *scan) kerberosRule(b []byte, start, end int) {
	i := runWith(b[:min(len(b), end+24)], end, "-_")
	at := skipBlanks(b, skipQuote(b, i))
	if isOneOf(b, at, ":=)") {
		at = skipQuote(b, skipBlanks(b, at+1))
	}
	if stop := run(b, at, hexByte); stop-at >= 32 && wordEnds(b, stop) {
		s.add(at, stop, "kerberos-key", b[at:stop])
	}
}
