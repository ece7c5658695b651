package redact

import (
	"bytes"
	"strings"
)

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
	if i := runBack(b, start, wordByte); start-i > 0 && !hasFold(b, end-10, "signature=") &&
		!endsEscape(b, i, start) {
		return
	}
	next := "%00" // which no URL holds
	if hasFold(b, end-3, "%3d") {
		next = "%26"
	} else if hasFold(b, end-5, "%253d") {
		next = "%2526"
	}
	i := end
	for i < len(b) && (classOf[b[i]]&tokenByte != 0 || b[i] == '%' && !hasFold(b, i, next)) {
		i++
	}
	if i == len(b) && s.cut(b) {
		s.engulf(end, "sas", func(b []byte, i int) (int, bool) {
			n := run(b, i, tokenByte)
			return n, n < len(b) && b[n] != '%'
		})
		return
	}
	if i-end >= 16 && (mixed(b[end:i]) || bytes.IndexByte(b[end:i], '%') >= 0) {
		s.add(end, i, "sas", b[end:i])
	}
}

// endsEscape tells whether what stands right before a name, b[i:name], is an
// ampersand or a question mark that had to be escaped: \u0026, %26, %3F.
func endsEscape(b []byte, i, name int) bool {
	switch {
	case i > 0 && b[i-1] == '\\':
		return hasFold(b, i, "u0026") && name == i+5
	case i > 0 && b[i-1] == '%':
		return name == i+2 && (hasFold(b, i, "26") || hasFold(b, i, "3f")) || name == i+4 &&
			(hasFold(b, i, "2526") || hasFold(b, i, "253f"))
	}
	return false
}

// prefixes of tokens that tell their issuer.
var prefixes = []struct {
	text, kind string
	least      int // bytes behind the prefix
}{
	{"AIzaSy", "api-key", 33}, {"ghp_", "token", 30}, {"gho_", "token", 30}, {"ghu_", "token", 30},
	{"ghs_", "token", 30}, {"ghr_", "token", 30},
	{"github_pat_", "token", 40}, {"glpat-", "token", 20}, {"gldt-", "token", 20},
	{"glrt-", "token", 20}, {"glcbt-", "token", 20}, {"glptt-", "token", 40},
	{"xoxb-", "token", 20}, {"xoxp-", "token", 20},
	{"xoxa-", "token", 20}, {"xoxr-", "token", 20}, {"xoxs-", "token", 20}, {"xoxe-", "token", 20},
	{"xoxe.xox", "token", 20}, {"xoxo-", "token", 20}, {"xapp-", "token", 20},
	{"npm_", "token", 36}, {"sk_live_", "api-key", 16}, {"rk_live_", "api-key", 16},
	{"sk_test_", "api-key", 16},
	{"ya29.", "token", 20}, {"dckr_pat_", "token", 20}, {"dckr_oat_", "token", 20},
	{"hvs.", "token", 20}, {"hvb.", "token", 20}, {"pypi-", "token", 50}, {"dop_v1_", "token", 40},
	{"doo_v1_", "token", 40},
	{"glsa_", "token", 30}, {"glc_", "token", 30}, {"shpat_", "token", 30},
	{"sk-ant-", "api-key", 30}, {"sk-proj-", "api-key", 30}, {"age-secret-key-1", "private-key",
		50}, {"hooks.slack.com/services/", "url-secret", 30}, {"nvapi-", "token", 40},
	{"eyjrijoi", "token", 40}, {"hf_", "token", 30},
	{"gloas-", "token", 40}, {"glsoat-", "token", 20}, {"glagent-", "token", 40},
	{"glimt-", "token", 20}, {"dor_v1_", "token", 40}, {"xkeysib-", "api-key", 40},
	{"dt0c01.", "token", 60}, {"dt0s01.", "token", 60}, {"dt0s02.", "token", 60},
	{"NRAK-", "api-key", 24}, {"AKCp", "api-key", 60}, {"cmVmdGtuO", "token", 40},
	{"sntrys_", "token", 40}, {"sntryu_", "token", 40}, {"SG.", "api-key", 60},
	{"sha256~", "token", 40}, {"GOCSPX-", "client-secret", 20}, {"SWMTKN-1-", "token", 40},
	{"k8s-aws-v1.", "token", 40}, {"tskey-", "token", 20}, {"ATATT3x", "token", 60},
	{"ATCTT3x", "token", 60}, {"ops_eyJ", "token", 80}, {"HRKU-AA", "api-key", 40},
	{"hooks.slack.com/workflows/", "url-secret", 30}, {"hooks.slack.com/triggers/", "url-secret",
		30}, {"webhook.office.com/webhookb2/", "url-secret", 60},
	{"discord.com/api/webhooks/", "url-secret", 40},
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
		for i < len(b) && (isAlnum(b[i]) || b[i] == '_' || b[i] == '-' || b[i] == '.' ||
			(b[i] == '/' || b[i] == '@') && p.kind == "url-secret" || b[i] == '=') {
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
	if letters == 0 || digits == 0 || from > 0 && (isWord(b[from-1]) || b[from-1] == '-' ||
		b[from-1] == '.') && !escapedBefore(b, from) || end < len(b) &&
		(isWord(b[end]) || b[end] == '-' || b[end] == '.' && end+1 < len(b) && isWord(b[end+1])) {
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

func escapedBefore(b []byte, i int) bool {
	return i > 1 && strings.IndexByte("nrt", b[i-1]) >= 0 && b[i-2] == '\\'
}

// isEventName takes the name of an event: that of its object, and the time in
// nanoseconds since 1970 in hexadecimal digits.
func isEventName(object, hex []byte) bool {
	return run(object, 0, hexByte) != len(object) && run(hex, 0, hexByte) == len(hex) &&
		hex[0] == '1' && strings.IndexByte("6789ab", hex[1]) >= 0
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
	for from > max(0, s.dull.at) && at-from < 1024 && strings.IndexByte(" \t\r\n\"'<>`{}|",
		b[from-1]) < 0 {
		from--
	}
	i := bytes.LastIndex(b[from:at], []byte("://"))
	if i < 0 {
		s.dull.at = at + 1
		return
	}
	user := from + i + 3
	if user == at || b[user] == '[' || at+1 >= len(b) || !isAlnum(b[at+1]) && b[at+1] != '[' &&
		b[at+1] != '$' && b[at+1] != '%' && b[at+1] != '<' {
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
	if at-from != 86 || !mixed(b[from:at]) || end < len(b) && (isAlnum(b[end]) || b[end] == '=') ||
		from > 6 && (hasFold(b, from-7, "sha512-") || hasFold(b, from-7, "sha512:")) {
		return
	}
	s.add(from, end, "access-key", b[from:end])
}
