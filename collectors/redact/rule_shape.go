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
	if i >= len(b) || b[i] != ':' && b[i] != '=' {
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
		for _, word := range []string{"bearer", "basic", "digest", "negotiate", "ntlm", "token", "aws4-hmac-sha256", "apikey"} {
			if hasFold(b, i, word) && i+len(word) < len(b) && isBlank(b[i+len(word)]) {
				scheme = skipBlanks(b, i+len(word)) - i
			}
		}
	}
	at := i + scheme
	stops := "\r\n\"'\\]`"
	if !cookie && scheme == 0 || scheme > 0 && !hasFold(b, i, "digest") && !hasFold(b, i, "aws4") {
		stops += " \t,;)}"
	}
	v := s.value(b, at, stops)
	text := s.b[v.start:v.end]
	if isPlaceholder(text) || scheme == 0 && !cookie && !looksRandom(text) || cookie && bytes.IndexByte(text, '=') < 0 {
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
		s.known.add(kind, s.token(kind, value), value)
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
	if i == end {
		return
	}
	last := run(b, i, tokenByte)
	text := bytes.TrimRight(b[i:last], ".,")
	if len(text) < 8 || last == len(b) && s.cut(b) {
		if last == len(b) && s.cut(b) {
			s.engulf(i, "bearer", func(b []byte, i int) (int, bool) { n := run(b, i, tokenByte); return n, n < len(b) })
		}
		return
	}
	if last < len(b) && b[last] == '"' && text[len(text)-1] == '=' && len(text) < 12 || !looksRandom(text) && !(len(text) >= 16 && mixed(text)) && len(text) < 20 {
		return
	}
	if isObjectName(text) && !mixed(text) || proseWords[strings.ToLower(string(text))] {
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
	if upper := bytes.ToUpper(label[:stop]); !bytes.Contains(upper, []byte("PRIVATE KEY")) && !bytes.Contains(upper, []byte("STATIC KEY")) {
		return
	}
	i := end + stop + 5
	if at := bytes.Index(b[i:], []byte("-----END ")); at >= 0 && !bytes.Contains(b[i:i+at], []byte("-----BEGIN")) && pemBody(b[i:i+at]) {
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
		case hasFold(b, line, "proc-type:") || hasFold(b, line, "dek-info:") || hasFold(b, line, "comment:"):
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
	for i < len(b) && (classOf[b[i]]&(base64Byte|lineByte|blankByte) != 0 || b[i] == '\\' || b[i] == ':' || b[i] == ',') {
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
	b := s.see(start)
	from, last := max(runBack(b, start, base64Byte), start-s.back/2), run(b, start, base64Byte)
	if from > start-s.back/2 && start-from >= 64 || hasFold(b, start, "ls0t") || hasFold(b, start, "ey") || hasFold(b, start, "ew") {
		from = start
	}
	if from < start && b[from-1+1] == '=' {
		from = start
	}
	if last == len(b) && s.cut(b) {
		if head, err := decode64(b[start : start+(last-start)/4*4]); err == nil && isKeptSecret(head) {
			s.engulf(start, encodedKind(head), func(b []byte, i int) (int, bool) { n := run(b, i, base64Byte); return n, n < len(b) })
		}
		return
	}
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
	return bytes.Contains(plain, []byte("PRIVATE KEY-----")) || bytes.Contains(plain, []byte("client-key-data")) || bytes.Contains(plain, []byte(`"auths"`)) ||
		bytes.Contains(plain, []byte("kind: Config")) && (bytes.Contains(plain, []byte("token:")) || bytes.Contains(plain, []byte("password:")))
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
		from = max(start-s.back/2, jwtBack(b, start))
	} else if start > 0 && classOf[b[start-1]]&part != 0 && b[start-1] != '=' {
		return
	}
	if !bytes.HasPrefix(b[from:], []byte("eyJ")) {
		if i := bytes.LastIndex(b[from:start], []byte("eyJ")); b[start] == '.' && i >= 0 && start-from-i >= 8 {
			from += i
		} else {
			return
		}
	}
	i, dots := from, 0
	for i < len(b) {
		c := b[i]
		if c == '.' && i+1 < len(b) && (isAlnum(b[i+1]) || b[i+1] == '-' || b[i+1] == '_' || b[i+1] == '.' && dots > 0) {
			dots++
		} else if !isAlnum(c) && c != '-' && c != '_' && !(c == '=' && dots > 0) {
			break
		}
		i++
	}
	if i == len(b) && s.cut(b) {
		s.engulf(from, "jwt", func(b []byte, i int) (int, bool) { n := run(b, i, tokenByte); return n, n < len(b) })
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

// awsRule takes the ids of access keys.
func (s *scan) awsRule(start, end int) {
	b := s.see(start)
	if !wordStarts(b, start) || !isUpper(b[start]) {
		return
	}
	i := end
	for i < len(b) && (isUpper(b[i]) || isDigit(b[i])) {
		i++
	}
	if i-start == 20 && wordEnds(b, i) {
		s.add(start, i, "access-key", b[start:i])
	}
}

// signatureRule takes the signature of a SAS URL and its kin.
func (s *scan) signatureRule(start, end int) {
	b := s.see(start)
	if c := byte('?'); start > 0 {
		c = b[start-1]
		if isAlnum(c) || c == '_' {
			return
		}
	}
	i := end
	for i < len(b) && (classOf[b[i]]&tokenByte != 0 || b[i] == '%') {
		i++
	}
	if i == len(b) && s.cut(b) {
		s.engulf(end, "sas", func(b []byte, i int) (int, bool) { n := run(b, i, tokenByte); return n, n < len(b) && b[n] != '%' })
		return
	}
	if i-end >= 16 && (mixed(b[end:i]) || bytes.IndexByte(b[end:i], '%') >= 0) {
		s.add(end, i, "sas", b[end:i])
	}
}

// prefixes of tokens that tell their issuer.
var prefixes = []struct {
	text, kind string
	least      int // bytes behind the prefix
}{
	{"AIzaSy", "api-key", 33}, {"ghp_", "token", 30}, {"gho_", "token", 30}, {"ghu_", "token", 30}, {"ghs_", "token", 30}, {"ghr_", "token", 30},
	{"github_pat_", "token", 40}, {"glpat-", "token", 20}, {"gldt-", "token", 20}, {"glrt-", "token", 20}, {"glcbt-", "token", 20}, {"glptt-", "token", 40}, {"xoxb-", "token", 20}, {"xoxp-", "token", 20},
	{"xoxa-", "token", 20}, {"xoxr-", "token", 20}, {"xoxs-", "token", 20}, {"xoxe-", "token", 20}, {"xoxe.xox", "token", 20}, {"xapp-", "token", 20}, {"npm_", "token", 36}, {"sk_live_", "api-key", 16}, {"rk_live_", "api-key", 16}, {"sk_test_", "api-key", 16},
	{"ya29.", "token", 20}, {"dckr_pat_", "token", 20}, {"dckr_oat_", "token", 20}, {"hvs.", "token", 20}, {"hvb.", "token", 20}, {"pypi-", "token", 50}, {"dop_v1_", "token", 40}, {"doo_v1_", "token", 40},
	{"glsa_", "token", 30}, {"glc_", "token", 30}, {"shpat_", "token", 30}, {"sk-ant-", "api-key", 30}, {"sk-proj-", "api-key", 30}, {"age-secret-key-1", "private-key", 50}, {"hooks.slack.com/services/", "url-secret", 30}, {"dapi", "token", 32}, {"nvapi-", "token", 40},
	{"eyjrijoi", "token", 40}, {"hf_", "token", 30}, {"acr-", "token", 60},
}

func prefixTexts() []string {
	var list []string
	for _, p := range prefixes {
		if len(p.text) >= 4 {
			list = append(list, strings.ToLower(p.text))
		}
	}
	return list
}

func (s *scan) prefixRule(start, end int) {
	b := s.see(start)
	if !wordStarts(b, start) {
		return
	}
	for _, p := range prefixes {
		if len(p.text) != end-start || !hasFold(b, start, strings.ToLower(p.text)) {
			continue
		}
		i := end
		for i < len(b) && (isAlnum(b[i]) || b[i] == '_' || b[i] == '-' || b[i] == '.' || b[i] == '/' && p.kind == "url-secret" || b[i] == '=') {
			i++
		}
		if i = end + len(bytes.TrimRight(b[end:i], ".")); i-end >= p.least && mixed(b[end:i]) {
			from := start
			if p.kind == "url-secret" {
				from = end
			}
			s.add(from, i, p.kind, b[from:i])
		}
		return
	}
}

// bootstrapRule takes abcdef.0123456789abcdef around its dot.
func (s *scan) bootstrapRule(dot, _ int) {
	b := s.see(dot)
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
	if letters == 0 || digits == 0 || from > 0 && (isWord(b[from-1]) || b[from-1] == '-' || b[from-1] == '.') && !escapedBefore(b, from) || end < len(b) && (isWord(b[end]) || b[end] == '-' || b[end] == '.' && end+1 < len(b) && isWord(b[end+1])) {
		return
	}
	if isEventName(b[from:dot], b[dot+1:end]) {
		return
	}
	for from >= 2 && b[from-1] == ':' && b[from-2] == ':' { // K10…::abcdef.…
		if i := runBack(b, from-2, hexByte|wordByte); hasFold(b, i, "k10") {
			from = i
		}
		break
	}
	s.add(from, end, "bootstrap-token", b[from:end])
}

func escapedBefore(b []byte, i int) bool {
	return i > 1 && strings.IndexByte("nrt", b[i-1]) >= 0 && b[i-2] == '\\'
}

// isEventName takes the name of an event: that of its object, and the time in
// nanoseconds since 1970 in hexadecimal digits.
func isEventName(object, hex []byte) bool {
	return run(object, 0, hexByte) != len(object) && run(hex, 0, hexByte) == len(hex) && hex[0] == '1' && strings.IndexByte("6789ab", hex[1]) >= 0
}

// rancherRule takes tokens of RKE2 and k3s: K10…::server:….
func (s *scan) rancherRule(start, end int) {
	b := s.see(start)
	from := runBack(b, start, wordByte)
	if !hasFold(b, from, "k10") || start-from < 16 {
		return
	}
	i := end
	for i < len(b) && (isAlnum(b[i]) || strings.IndexByte("._-+/=", b[i]) >= 0) {
		i++
	}
	if i > end {
		s.learn("token", b[end:i])
		s.add(from, i, "token", b[from:i])
	}
}

// urlRule takes the user of a URL, or its password, before the @.
func (s *scan) urlRule(at, _ int) {
	b := s.see(at)
	from := at
	for from > 0 && at-from < 1024 && strings.IndexByte(" \t\r\n\"'<>`{}|", b[from-1]) < 0 {
		from--
	}
	i := bytes.LastIndex(b[from:at], []byte("://"))
	if i < 0 {
		return
	}
	user := from + i + 3
	if user == at || at+1 >= len(b) || !isAlnum(b[at+1]) && b[at+1] != '[' && b[at+1] != '$' && b[at+1] != '%' && b[at+1] != '<' {
		return
	}
	slash := bytes.IndexAny(b[user:at], "/?#")
	colon := bytes.IndexByte(b[user:at], ':')
	if slash >= 0 && (colon < 0 || slash < colon) {
		return
	}
	if slash >= 0 && !plainPassword(b[user+colon+1:at]) {
		return
	}
	if colon < 0 {
		if text := b[user:at]; !isPlaceholder(text) && len(text) >= 16 && looksRandom(text) {
			s.add(user, at, "url-token", text)
		}
		return
	}
	password := b[user+colon+1 : at]
	if isPlaceholder(password) {
		return
	}
	if plain := percentDecoded(password); len(plain) != len(password) {
		s.learn("url-password", plain)
		s.add(user+colon+1, at, "url-password", plain)
		return
	}
	s.add(user+colon+1, at, "url-password", password)
}

// plainPassword tells of text with a slash before an @ that it is no port with a path.
func plainPassword(text []byte) bool {
	i := bytes.IndexAny(text, "/?#")
	return i > 0 && run(text[:i], 0, wordByte) >= 0 && !allDigits(text[:i])
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

func percentDecoded(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] == '%' && i+2 < len(b) && classOf[b[i+1]]&classOf[b[i+2]]&hexByte != 0 {
			out = append(out, unhex(b[i+1])<<4|unhex(b[i+2]))
			i += 2
			continue
		}
		out = append(out, b[i])
	}
	return out
}

func unhex(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// azureRule takes the client secrets of Azure: three letters, 8Q~ and more.
func (s *scan) azureRule(at, _ int) {
	b := s.see(at)
	from, end := at-5, at+1
	if !isDigit(b[at-2]) {
		return
	}
	for end < len(b) && (isAlnum(b[end]) || strings.IndexByte("_-.~", b[end]) >= 0) {
		end++
	}
	end = at + len(bytes.TrimRight(b[at:end], "."))
	if end-at >= 30 && end-at <= 42 && (from == 0 || !isWord(b[from-1])) {
		s.add(from, end, "client-secret", b[from:end])
	}
}

// storageRule takes the key of a storage account: 86 letters of base64 and ==.
func (s *scan) storageRule(at, _ int) {
	b := s.see(at)
	end := at + 2
	from := at
	for from > 0 && at-from < 90 && (isAlnum(b[from-1]) || b[from-1] == '+' || b[from-1] == '/') {
		from--
	}
	if at-from != 86 || !mixed(b[from:at]) || end < len(b) && (isAlnum(b[end]) || b[end] == '=') || from > 6 && (hasFold(b, from-7, "sha512-") || hasFold(b, from-7, "sha512:")) {
		return
	}
	s.add(from, end, "access-key", b[from:end])
}
