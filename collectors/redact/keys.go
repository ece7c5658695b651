package redact

import (
	"bytes"
	"slices"
)

const pemBegin = "-----BEGIN "

// pemRule takes private keys, in lines or in one line with escapes.
func (s *scan) pemRule(b []byte, start, end int) {
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
		!bytes.Contains(b[i:i+at], []byte("-----BEGIN")) {
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

// mostShort is where a line of a key is long that begins so far before its end.
const mostShort = 160

// pemTailRule takes the lines of a private key whose first line stands in an older file of a log.
func (s *scan) pemTailRule(b []byte, start, end int) {
	if !containsFold(b[end:lineEnd(b[:min(len(b), end+64)], end)], "private key") {
		return
	}
	lowest, from := max(s.done, start-s.back/2), start
	for line := start; line > lowest; {
		last := len(bytes.TrimRight(b[:line], "\r\n"))
		line = lineBack(b, last, layerBack)
		at := payload(b[:last], line)
		if at == last || run(b[:last], at, base64Byte) < last || last-at < 40 && start-at > mostShort { // its last lines are short
			break
		}
		from = at
	}
	s.add(from, start, "private-key", b[from:start])
}

// pemLine passes the end of a line and what a log writes before the next.
func pemLine(b []byte, i int) int {
	return skipSpace(b, nextPayload(b, i))
}

// keyRule takes the keys of PKCS and SEC 1 in base64 without armor, which begin
// with the numbers of their algorithms.
func (s *scan) keyRule(b []byte, start, end int) {
	lowest := max(0, start-32)
	from := lowest + runBack(b[lowest:], start-lowest, base64Byte)
	rest := func(b []byte, i int) (int, bool) { return foldedEnd(b, i), foldedEnd(b, i) < len(b) }
	last, ended := rest(b, start)
	if !ended && s.cut(b) {
		s.engulf(from, "private-key", rest)
	} else if last-from >= 56 {
		s.add(from, last, "private-key", b[from:last])
	}
}

// foldedEnd is where base64 ends that may be folded into lines.
func foldedEnd(b []byte, i int) int {
	for {
		end := run(b, i, base64Byte)
		next := skipQuote(b, pemLine(b, skipQuote(b, end)))
		if end-i < 32 || next == end || next >= len(b) || run(b, next, base64Byte)-next < 8 ||
			!isLineAt(b, skipQuote(b, run(b, next, base64Byte))) {
			return end
		}
		i = next
	}
}

// pemEnd returns where a key ends whose last line is missing: before the first
// line that is none of it.
func pemEnd(b []byte, i int) (int, bool) {
	last := i
	for i < len(b) {
		if among(b[i], "\"'<>") || foldAt(b, i, `\n'`, `\n"`) != "" {
			i = lineEnd(b, i) // what a page or a script has around each line
		}
		line := pemLine(b, i)
		from := skipQuote(b, line+len(foldAt(b, line, "echo ")))
		stop := run(b, from, base64Byte)
		switch {
		case stop >= len(b):
			return len(b), false
		case foldAt(b, line, "proc-type:", "dek-info:", "comment:", "version:") != "":
			stop = upTo(b, line, len(b), "\r\n\\")
		case stop-line < 16 && (stop == line || !isOneOf(b, stop, "\r\n\\\"'<>")), isBlank(b[stop]):
			return last, true
		}
		last, i = stop, stop
	}
	return last, false
}

// pemRest goes on in a key that is longer than the window.
func pemRest(b []byte, i int) (int, bool) {
	if end := bytes.Index(b[i:], []byte("-----END ")); end >= 0 {
		if close := bytes.Index(b[i+end+9:], []byte("-----")); close >= 0 {
			return i + end + 9 + close + 5, true
		}
		return i, false
	}
	for i < len(b) && (classOf[b[i]]&(base64Byte|lineByte|blankByte) != 0 || among(b[i], "\\:,")) {
		i++
	}
	if i > 128 && i == len(b) {
		return i - 128, false
	}
	return i, i < len(b)
}

// sshRule takes keys of SSH.com: ---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----.
func (s *scan) sshRule(b []byte, start, end int) {
	if last := bytes.Index(b[end:], []byte("---- END")); last >= 0 {
		last = lineEnd(b, end+last)
		s.add(start, last, "private-key", b[start:last])
	}
}

// ppkRule takes the private lines of a PuTTY key.
func (s *scan) ppkRule(b []byte, start, end int) {
	if hasFold(b, start, "private-mac") {
		i := skipBlanks(b, end)
		s.add(i, run(b, i, hexByte), "private-key", b[i:run(b, i, hexByte)])
		return
	}
	i := skipBlanks(b, nextPayload(b, lineEnd(b, end)))
	last := i
	for at := i; at < len(b); {
		stop := run(b, at, base64Byte)
		if stop == at || !isLineAt(b, stop) {
			break
		}
		last, at = stop, skipBlanks(b, nextPayload(b, stop))
	}
	if last > i {
		s.add(i, last, "private-key", b[i:last])
	}
}

// blobRule takes what DPAPI sealed, in hexadecimal digits or base64. It may be
// opened on the machine, or with a key of the domain.
func (s *scan) blobRule(b []byte, start, end int) {
	class := uint8(hexByte)
	if b[start]|0x20 == 'a' || b[start] == '7' { // also of ConvertFrom-SecureString -Key
		class = base64Byte
	}
	from := start
	rest := func(b []byte, i int) (int, bool) {
		for i < len(b) {
			c := b[i]
			switch {
			case classOf[c]&class != 0, class == hexByte && (c == ',' || c == '-' || c == 'x'):
				i++
			case isLine(c) || isBlank(c) || c == '\\':
				next := skipSpace(b, i)
				for byteAt(b, next) == '\\' {
					next = skipSpace(b, next+1)
				}
				if next >= len(b) {
					return i, false
				}
				if stop := run(b, next, class); stop-next < 16 &&
					!(stop-next == 2 && byteAt(b, stop) == ',') {
					return i, true
				}
				i = next
			default:
				return i, true
			}
		}
		return i, false
	}
	last, ended := rest(b, start)
	if !ended && s.cut(b) {
		s.engulf(from, "dpapi", rest)
		return
	}
	if last-from >= 32 && last > end {
		s.add(from, last, "dpapi", b[from:last])
	}
}

// jwtRule takes HEADER.PAYLOAD.SIGNATURE, also where a log folded it.
func (s *scan) jwtRule(b []byte, start, end int) {
	from := start
	if b[start] == '.' {
		lowest := max(0, start-s.back/2)
		from = lowest + jwtBack(b[lowest:], start-lowest)
	} else if within(b, start) {
		return
	}
	if head := b[from:start]; b[start] == '.' &&
		!hasFold(head, 0, "ey") {
		i := bytes.LastIndex(head, []byte("eyJ"))
		if i < 0 {
			return
		}
		from += i
	}
	last, dots := jwtEnd(b, from)
	if last == len(b) && s.cut(b) {
		s.engulf(from, "jwt", runOf(tokenByte))
		return
	}
	if dots >= 1 && last-from >= 24 || b[start] == '.' {
		s.add(from, last, "jwt", b[from:last])
	}
}

// jwtEnd is where the parts end that begin at i, and how many dots are in them.
func jwtEnd(b []byte, i int) (end, dots int) {
	start := i
	for i < len(b) {
		switch c := b[i]; {
		case c == '.' && (classOf[byteAt(b, i+1)]&base64Byte != 0 || byteAt(b, i+1) == '.' && dots > 0):
			dots++
		case isAlnum(c) || c == '-' || c == '_' || c == '=' && dots > 0:
		default:
			if next := pemLine(b, i); isLine(c) && i-start >= 48 && foldsOn(b, next) {
				i = next
				continue
			}
			return i, dots
		}
		i++
	}
	return i, dots
}

// foldsOn tells whether a line holds nothing but letters of a token.
func foldsOn(b []byte, i int) bool {
	end := run(b, i, tokenByte)
	return end-i >= 16 && isLineAt(b, end) && bytes.ContainsAny(b[i:end], digits) && bytes.ContainsAny(b[i:end], uppers)
}

func jwtBack(b []byte, i int) int {
	for i > 0 && (isAlnum(b[i-1]) || b[i-1] == '-' || b[i-1] == '_') {
		i--
	}
	return i
}

// bootstrapRule takes abcdef.0123456789abcdef around its dot.
func (s *scan) bootstrapRule(b []byte, dot, _ int) {
	from, end := dot-6, dot+17
	token := slices.Concat(b[from:dot], b[dot+1:end])
	switch {
	case len(bytes.Trim(token, lowers+digits)) > 0, !bytes.ContainsAny(token, lowers), !bytes.ContainsAny(token, digits),
		isWord(byteAt(b, from-1)), isOneOf(b, from-1, "-."), isWord(byteAt(b, end)), byteAt(b, end) == '-',
		byteAt(b, end) == '.' && isWord(byteAt(b, end+1)), isEventName(b[from:dot], b[dot+1:end]):
		return
	}
	if from >= 2 && b[from-1] == ':' { // K10…::abcdef.…
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
		hex[0] == '1' && among(hex[1], "6789ab")
}

// rancherToken looks around the colons at i for a token of RKE2 and k3s, which a transcript may fold: K10…::server:….
func (s *scan) rancherToken(i int) {
	b, end := s.b, nextLine(s.b, i+1)
	lowest := max(0, i-layerBack)
	from := lowest + runBack(b[lowest:], i-lowest, wordByte)
	if above := lowest + runBack(b[lowest:], runBack(b[lowest:], from-lowest, lineByte), wordByte); hasFold(b, above, "k10") {
		from = above
	}
	if hasFold(b, end, ":") && hasFold(b, from, "k10") && i-from >= 16 {
		s.hit(from, end+1, (*scan).rancherRule)
	}
}

func (s *scan) rancherRule(b []byte, from, end int) {
	at := max(skipFolded(b, end, "server:"), skipFolded(b, end, "node:"))
	if at < 0 {
		return
	}
	i := runWith(b, at, "._-+/=")
	if rest := nextLine(b, i); i > at && i-at < 32 && rest > i && run(b, rest, hexByte)-rest == 32-(i-at) { // as long as a node makes them
		i = run(b, rest, hexByte)
	}
	if i > at {
		s.learn("token", bytes.Join(bytes.Fields(b[at:i]), nil))
		s.add(from, i, "token", b[from:i])
	}
}

// skipFolded passes a text with the line ends in it, and is -1 where another one stands.
func skipFolded(b []byte, i int, text string) int {
	for k := range len(text) {
		if i = nextLine(b, i); byteAt(b, i) != text[k] {
			return -1
		}
		i++
	}
	return nextLine(b, i)
}

// hashRule takes the hashes of htpasswd and passwd.
func (s *scan) hashRule(b []byte, start, end int) {
	from := start
	if b[start] == ':' {
		from++
	}
	signs := "./$+=,"
	if foldAt(b, from, "$krb5", "scram") != "" {
		signs += ":@*-_"
	}
	i := runWith(b, end, signs)
	if i-end >= 16 && (b[from]|0x20 != 's' || bytes.ContainsAny(b[end:i], lowers)) { // SCRAM-SHA-256$4096:SALT$HASH_HERE
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
	if line := b[at:lineEnd(b[:min(len(b), at+4*nameReach)], at)]; run(line, 0, hexByte) < 32 { // (aes256-cts)  (0x…)
		at += 1 + max(-1, lastFold(line, "0x")+1)
	}
	if stop := run(b, at, hexByte); stop-at >= 32 && wordEnds(b, stop) {
		s.add(at, stop, "kerberos-key", b[at:stop])
	}
}
