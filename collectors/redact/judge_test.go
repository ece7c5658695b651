package redact_test

import (
	"bytes"
	"encoding/base64"
	"html"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"doctor/checks/evidence"
	"doctor/collectors/redact"
)

// An example is a text with secrets in it, as a file of a bundle may hold it.
type example struct {
	source  string // where it comes from: gitleaks, windows, ...
	rule    string // of the source, or the class of the Windows corpus
	path    string // of the file in the evidence tree
	text    string
	secrets []string
	// bare: neither a name nor an issuer's prefix gives the secret away. These are counted apart.
	bare bool
	// other is a secret of the same rule: what both share is no secret
	other string
}

const secretPath = "logs/app/app.log"

// redacted is what a bundle holds of a file, by a redactor that has seen nothing else.
func redacted(text []byte, path string) ([]byte, error) {
	r := redact.New(redact.Options{Key: []byte("the same in each run")})
	var out bytes.Buffer
	_, err := r.Copy(&out, evidence.Text(bytes.NewReader(text)), path)
	return out.Bytes(), err
}

// secretWord are names that give a value away, whoever issued it.
var secretWord = regexp.MustCompile(
	`(?i)passw|pwd|passphrase|secret|token|api[_-]?key|access|auth|bearer|credential|private|_key|key\b`)

// issuerOnly: nothing but the name of an issuer, which is no word for a secret, stands by the value.
func (e *example) issuerOnly() bool {
	for _, secret := range e.secrets {
		if before, _, _ := strings.Cut(e.text, secret); secretWord.MatchString(before) ||
			issuer.MatchString(secret) || before == "" {
			return false
		}
	}
	return e.source != "windows" && e.source != "forms"
}

// issuer begins a value whose issuer put it there.
var issuer = regexp.MustCompile(
	`^(?:[A-Za-z0-9]{2,16}[-_.]|A[A-Z0-9]{3}[A-Z0-9]{16}|eyJ|SK|AC|EAAA|EZ[AT]K|AIza|-----BEGIN|\d+:AA|https?://)`)

// token stands where a secret was.
var token = regexp.MustCompile(`<secret:[a-z0-9:-]+>`)

// leaked returns the secret of which at least 60 % in one piece are still in the output, in any
// spelling. Around is the same text without the secrets: what is there anyway is no leak.
func (e *example) leaked(out, around []byte) string {
	out = token.ReplaceAll(out, []byte("<>")) // of "secret" and "password" the kind is no leak
	forms, innocent := spellings(out, 3), spellings(around, 3)
	for _, secret := range e.secrets {
		for _, needle := range needles(secret) {
			if e.run(needle, forms, innocent) {
				return secret
			}
		}
	}
	return ""
}

func (e *example) run(secret string, forms, innocent []string) bool {
	n := (len(secret)*6 + 9) / 10
	for i := 0; i+n <= len(secret); i++ {
		run := secret[i : i+n]
		if e.other != "" && strings.Contains(e.other, run) {
			continue
		}
		for _, form := range forms {
			if strings.Contains(form, run) && !within(innocent, run) {
				return true
			}
		}
	}
	return false
}

func within(forms []string, run string) bool {
	for _, form := range forms {
		if strings.Contains(form, run) {
			return true
		}
	}
	return false
}

// needles are the lines of a secret: one line of a private key is a leak already.
func needles(secret string) []string {
	var out []string
	secret = armor.ReplaceAllString(strings.ReplaceAll(secret, `\n`, "\n"), "\n")
	for line := range strings.FieldsFuncSeq(secret,
		func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = strings.TrimSpace(line); len(line) >= 6 {
			out = append(out, line)
		}
	}
	if len(out) > 2 { // the last line of a key can be a few characters
		out = out[:len(out)-1]
	}
	return out
}

var (
	armor      = regexp.MustCompile(`(?i)-----(?:BEGIN|END)[^\n-]*-----`)
	base64Run  = regexp.MustCompile(`[A-Za-z0-9+/_-]{16,}={0,2}`)
	ansiColor  = regexp.MustCompile("\x1b\\[[0-9;]*m")
	percentHex = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	jsonEscape = regexp.MustCompile(`\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])`)
	wrap       = regexp.MustCompile("(?:[`^\\\\]?\\r?\\n[ \\t]*)")
)

// spellings are a text and all that it says in another encoding.
func spellings(text []byte, depth int) []string {
	if s, ok := fromUTF16(text); ok {
		text = []byte(s)
	}
	s := string(text)
	out := []string{s}
	add := func(t string) {
		if t != s {
			out = append(out, t)
		}
	}
	unescaped := s
	for range depth { // JSON in JSON in JSON
		unescaped = jsonEscape.ReplaceAllStringFunc(unescaped, fromJSON)
		add(unescaped)
	}
	add(html.UnescapeString(s))
	add(percentHex.ReplaceAllStringFunc(s, fromPercent))
	add(ansiColor.ReplaceAllString(s, ""))
	add(wrap.ReplaceAllString(s, ""))
	if depth == 0 {
		return out
	}
	for _, form := range out[:len(out):len(out)] {
		for _, run := range base64Run.FindAllString(form, -1) {
			if raw, ok := fromBase64(run); ok {
				out = append(out, spellings(raw, depth-1)...)
			}
		}
	}
	return out
}

func fromBase64(run string) ([]byte, bool) {
	run = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(run), "=")
	raw, err := base64.RawStdEncoding.DecodeString(run[:len(run)-len(run)%4])
	return raw, err == nil && len(raw) > 8
}

func fromUTF16(b []byte) (string, bool) {
	zeros := bytes.Count(b[:min(len(b), 400)], []byte{0})
	if len(b) < 4 || zeros*3 < min(len(b), 400) {
		return "", false
	}
	units := make([]uint16, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		units = append(units, uint16(b[i])|uint16(b[i+1])<<8)
	}
	return strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff"), true
}

func fromJSON(escape string) string {
	switch c := escape[1]; c {
	case 'n', 'r', 't', 'b', 'f':
		return "\n"
	case 'u':
		var r rune
		for _, digit := range strings.ToLower(escape[2:]) {
			r = r<<4 | rune(strings.IndexRune("0123456789abcdef", digit))
		}
		return string(utf8.AppendRune(nil, r))
	default:
		return string(c)
	}
}

func fromPercent(escape string) string {
	const digits = "0123456789abcdef"
	e := strings.ToLower(escape)
	return string([]byte{byte(strings.IndexByte(digits, e[1])<<4 | strings.IndexByte(digits, e[2]))})
}
