package redact

import (
	"bytes"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// Base64 that holds a secret, wherever it stands.

// leastEncoded is the length of the shortest base64 that is decoded: it may hold
// a name and a value.
const leastEncoded = 24

// encodings finds runs of leastLoud letters and digits or more. A place is looked at from its end, so
// that most of a text is jumped over.
func (s *scan) encodings(from, limit int) {
	b := s.b
	for i := from; i < limit && i+leastLoud <= len(b); {
		last := i + leastLoud - 1
		for last >= i && classOf[b[last]]&base64Byte != 0 {
			last--
		}
		if last >= i {
			i = last + 1
			continue
		}
		lowest := max(0, i-s.back/2)
		start := lowest + runBack(b[lowest:], i-lowest, base64Byte)
		end := run(b[:min(len(b), i+s.ahead)], i, base64Byte)
		s.worded(start, end)
		s.prefixed(start, end)
		if n := end - 55; n >= start && isRecoveryPassword(b[n:end]) {
			s.hitSecret(n, end, "password")
		}
		start += bytes.LastIndexByte(bytes.TrimRight(b[start:end], "="), '=') + 1 // CONFIG_B64=…
		switch {
		case end-start < leastEncoded:
		case azureKey(b[start:end]) >= 0:
			s.hitSecret(start+azureKey(b[start:end]), end, "access-key")
		case end > s.done && isText64(b[start:end]):
			s.hit(max(start, s.done), end, (*scan).encodedRule)
		}
		i = end
	}
}

// isRecoveryPassword tells of that of BitLocker: eight groups of six digits.
func isRecoveryPassword(v []byte) bool {
	for i, c := range v {
		if (c == '-') != (i%7 == 6) || c != '-' && !isDigit(c) {
			return false
		}
	}
	return true
}

// prefixed takes what some issuer makes that no list has: a short name, and behind a dash or an
// underscore a long tail of digits and of letters of both cases.
func (s *scan) prefixed(start, end int) {
	const leastTail, mostTail, mostPrefix = 32, 128, 24
	run := bytes.TrimRight(s.b[start:end], "=")
	from := bytes.LastIndexAny(run, "/+=") + 1
	if byteAt(s.b, start+from-1) == '\\' { // \n or \u003a
		from = min(from+1+4*b2i(byteAt(run, from) == 'u'), len(run))
	}
	tail := bytes.LastIndexAny(run, "-_") + 1
	if len(run)-tail < leastTail || len(run)-tail > mostTail || tail-from < 3 || tail-from > mostPrefix {
		return
	}
	prefix, value := run[from:tail], run[tail:]
	if !isLower(prefix[0]|0x20) || hasFold(prefix, 0, "sha") || !bytes.ContainsAny(value, lowers) ||
		!bytes.ContainsAny(value, uppers) || !bytes.ContainsAny(value, digits) || !isGenerated(value) ||
		!s.valueEnds(s.b, end) {
		return
	}
	s.hitSecret(start+from, start+len(run), "token")
}

// value64 are the six bits that each letter of base64 stands for; 64 for none.
var value64 = func() (t [256]byte) {
	for i := range t {
		t[i] = 64
	}
	for i, c := range []byte(uppers + lowers + digits + "+/") {
		t[c] = byte(i)
	}
	t['-'], t['_'] = 62, 63
	return t
}()

// isText64 tells by its beginning whether base64 holds text, which has capitals then. What stands
// before may be no part of it.
func isText64(b []byte) bool {
	if !bytes.ContainsAny(b[:leastEncoded], uppers) {
		return false
	}
	for shift := range 4 {
		if isTextAt(b[shift : leastEncoded-4+shift]) {
			return true
		}
	}
	return false
}

// isTextAt tells whether groups of four letters hold text.
func isTextAt(b []byte) bool {
	var plain [leastEncoded]byte
	n := 0
	for ; len(b) >= 4; b = b[4:] {
		bits := uint32(0)
		for _, c := range b[:4] {
			if value64[c] == 64 {
				return false
			}
			bits = bits<<6 | uint32(value64[c])
		}
		plain[n], plain[n+1], plain[n+2] = byte(bits>>16), byte(bits>>8), byte(bits)
		n += 3
	}
	return isPlainText(plain[:n])
}

// isPlainText tells of letters, digits and signs, in UTF-8 that may be cut or in two bytes each.
func isPlainText(b []byte) bool {
	printable := 0
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c >= ' ' && c < 0x7f || c == '\n' || c == '\r' || c == '\t' || c == 0x1b:
			printable++
		case c == 0 && i%2 == 1:
		case c >= 0x80:
			_, n := utf8.DecodeRune(b[i:])
			if !utf8.FullRune(b[i:]) {
				n = len(b) - i
			} else if n == 1 {
				return false
			}
			printable += n
			i += n - 1
		default:
			return false
		}
	}
	return 2*printable >= len(b)
}

// encodedRule takes base64 that holds a secret: a private key, the accounts of
// registries, any text with a name and its value.
func (s *scan) encodedRule(b []byte, start, _ int) {
	if start < s.dull.base64 || s.depth >= maxDepth {
		return
	}
	end := run(b, start, base64Byte)
	s.dull.base64 = end
	*s.work += int64(end - start)
	if end == len(b) && s.cut(b) {
		if kind := s.encodedKind(b[start : start+(end-start)/4*4]); kind != "" {
			s.engulf(start, kind, runOf(base64Byte))
		}
		return
	}
	for _, last := range slices.Compact([]int{foldedEnd(b, start), end}) { // of mail, whose lines end anywhere
		for shift := range 4 {
			if from := start + shift; from < end {
				if kind := s.encodedKind(b[from:last]); kind != "" {
					s.add(start, last, kind, b[start:last])
					s.dull.base64 = last
					return
				}
			}
		}
	}
}

// encodedKind is the kind of the first secret in base64, and nothing without one.
func (s *scan) encodedKind(text []byte) string {
	plain, _ := decode64(text)
	if len(plain) < 12 || !isPlainText(plain[:12]) {
		return ""
	}
	plain = fromUTF16(plain)
	if bytes.Contains(plain, []byte("client-key-data")) {
		return "kubeconfig"
	}
	if !utf8.Valid(plain) {
		return ""
	}
	inner := &scan{pass: s.within(), b: plain, eof: true}
	inner.found, inner.prose = s.found, true
	if inner.rules(); len(inner.spans) == 0 {
		return ""
	}
	return inner.spans[0].kind
}

// fromUTF16 makes one byte of two where each second is zero.
func fromUTF16(plain []byte) []byte {
	if len(plain) < 4 || plain[1] != 0 || plain[3] != 0 {
		return plain
	}
	units := make([]uint16, 0, len(plain)/2)
	for i := 0; i+1 < len(plain); i += 2 {
		units = append(units, uint16(plain[i])|uint16(plain[i+1])<<8)
	}
	return []byte(string(utf16.Decode(units)))
}
