package bundle_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	cryptorand "crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/tools/txtar"
)

// A seed is one secret that stands somewhere in a seeded node. Each run draws the same, so that a run
// that was green stays green; DOCTOR_DRAW=N draws others.
type seed struct {
	name   string   // the placeholder, and the file where it first stands
	values []string // what of it must not be found anywhere
}

// A planted file is one that seeds were put into.
type planted struct {
	path         string
	keep         []string // harmless words of it, which must survive
	mayBeLeftOut bool     // it is a secret as a whole
}

// A seeding draws seeds and puts them into a node's files.
type seeding struct {
	t      testing.TB
	rnd    *rand.ChaCha8
	known  map[string]string // the named ones
	seeds  []seed
	files  []planted
	keeps  []string // of the file in work
	inFile string
}

var placeholder = regexp.MustCompile(`«([^»|:]+)(?::([^»|]+))?((?:\|[^»|]+)*)»`)

// plant writes the seeded files of testdata into a node's folder.
func plant(t testing.TB, dir string) *seeding {
	t.Helper()
	s := &seeding{t: t, rnd: rand.NewChaCha8(sha256.Sum256([]byte(os.Getenv("DOCTOR_DRAW")))),
		known: map[string]string{}}
	for _, name := range []string{"facts", "files", "logs", "spellings"} {
		archive, err := txtar.ParseFile(filepath.Join("testdata", "seeded", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			path, how, _ := strings.Cut(f.Name, " [")
			s.keeps, s.inFile = nil, path
			text := placeholder.ReplaceAllStringFunc(string(f.Data), s.grow)
			s.write(dir, path, how, text)
		}
	}
	s.write(dir, "logs/app/endless.log", "", s.endless())
	return s
}

// write puts a file into the folder in the encoding that its brackets name.
func (s *seeding) write(dir, path, how, text string) {
	if strings.Contains(how, "crlf") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	content := encoded(text, how)
	name := filepath.Join(dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(name, content, 0o644); err != nil {
		s.t.Fatal(err)
	}
	s.files = append(s.files, planted{path, s.keeps, strings.Contains(how, "may-be-left-out")})
}

// encoded writes a text as Windows would, under the name of its encoding.
func encoded(text, how string) []byte {
	switch {
	case strings.Contains(how,
		"utf-16-appended"): // as PowerShell's >> does to a log of another program
		ours, appended, _ := strings.Cut(text, "=====")
		return append([]byte(ours), utf16le(appended)...)
	case strings.Contains(how, "utf-16-no-bom"):
		return utf16le(text)
	case strings.Contains(how, "utf-16-big"):
		out := utf16le("\ufeff" + text)
		for i := 0; i < len(out); i += 2 {
			out[i], out[i+1] = out[i+1], out[i]
		}
		return out
	case strings.Contains(how, "utf-16"):
		return utf16le("\ufeff" + text)
	case strings.Contains(how, "utf-8-bom"):
		return []byte("\ufeff" + text)
	case strings.Contains(how, "latin-1"):
		var out []byte
		for _, r := range text {
			out = append(out, byte(r))
		}
		return out
	}
	return []byte(text)
}

// endless is one line of 3 MB in which secrets of several shapes lie across
// each place where a reader's buffer could end.
func (s *seeding) endless() string {
	s.keeps, s.inFile = nil, "logs/app/endless.log"
	shapes := []string{" password=«pw»;", " Authorization: Bearer «jwt» ", " AccountKey=«b64x64»;",
		" https://u:«word»@h/ ", ` {"client_secret":"«azsecret»"} `, " --token «bootstrap» "}
	var b strings.Builder
	for i, edge := range []int{4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10,
		512 << 10, 1 << 20, 2 << 20, 3 << 20} {
		for j := range 3 {
			at := edge + j*200
			secret := placeholder.ReplaceAllStringFunc(shapes[(i+j)%len(shapes)], s.grow)
			// the edge lies near the secret's end, its middle, …
			for b.Len() < at-len(secret)+4+8*j {
				b.WriteString("lorem ipsum "[b.Len()%12 : b.Len()%12+1])
			}
			b.WriteString(secret)
		}
	}
	return b.String() + placeholder.ReplaceAllStringFunc(" «keep»", s.grow)
}

// grow is what stands in a placeholder's place.
func (s *seeding) grow(text string) string {
	m := placeholder.FindStringSubmatch(text)
	kind, name, key := m[1], m[2], m[1]+":"+m[2]
	if kind == "keep" {
		word := "keep" + s.letters(12, "abcdefghijklmnopqrstuvwxyz")
		s.keeps = append(s.keeps, word)
		return word
	}
	value, known := s.known[key]
	if !known {
		value = s.draw(kind)
		if name != "" {
			s.known[key] = value
		}
	}
	written := value
	for _, how := range strings.Split(m[3], "|")[1:] {
		written = s.encode(written, how)
	}
	if !known && kind != "uuid-public" {
		s.seeds = append(s.seeds,
			seed{fmt.Sprintf("%s in %s (seed %d)", text, s.inFile, len(s.seeds)+1),
				append(secretParts(kind, value), secretParts("", written)...)})
	}
	return written
}

const (
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower = "abcdefghijklmnopqrstuvwxyz"
	digit = "0123456789"
)

var sized = regexp.MustCompile(`^(alnum|hex|upper|b64url|b64x)(\d+)$`)

func (s *seeding) draw(kind string) string {
	if m := sized.FindStringSubmatch(kind); m != nil {
		n, _ := strconv.Atoi(m[2])
		switch m[1] {
		case "alnum":
			return s.letters(n, upper+lower+digit)
		case "hex":
			return s.letters(n, "0123456789abcdef")
		case "upper":
			return s.letters(n, upper+digit)
		case "b64url":
			return s.letters(n, upper+lower+digit+"-_")
		case "b64x":
			return base64.StdEncoding.EncodeToString(s.random(n))
		}
	}
	switch kind {
	case "pw": // as a generator makes it
		return s.letters(5, upper+lower+digit) + s.letters(1, "!._~-") + s.letters(10, upper+lower+digit)
	case "pwx": // with all that has to be escaped somewhere
		return s.letters(6, lower) + `"&<` + s.letters(5, upper+digit) + `\@'/` + s.letters(6,
			lower+digit) + `%+`
	case "dashed": // which reads like the name of a PowerShell command
		return s.letters(1, upper) + s.letters(5, lower) + "-" + s.letters(2, upper) + s.letters(7, lower)
	case "word": // as a person makes it
		return strings.ToUpper(s.letters(1, lower)) + s.letters(1, "aeiou") + s.letters(1, "rnmlstk") +
			s.letters(1, "aeiou") + s.letters(1, "bdgkmptv") + s.letters(1, "aeiou") + s.letters(1,
			"rnlsx") + s.letters(4, digit)
	case "uuid", "uuid-public":
		h := s.letters(32, "0123456789abcdef")
		return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]
	case "azsecret":
		return s.letters(3, upper+lower+digit) + "8Q~" + s.letters(34, upper+lower+digit+"_-.~")
	case "aws40":
		return s.letters(40, upper+lower+digit+"/+")
	case "akia":
		return "AKIA" + s.letters(16, upper+"234567")
	case "bootstrap":
		return s.letters(6, lower+digit) + "." + s.letters(16, lower+digit)
	case "jwt":
		part := base64.RawURLEncoding.EncodeToString
		return part([]byte(`{"alg":"RS256","kid":"`+s.letters(20, upper+lower)+`"}`)) + "." +
			part([]byte(`{"iss":"kubernetes/serviceaccount","sub":"`+s.letters(60, lower)+`"}`)) +
			"." + part(s.random(256))
	case "basic":
		return base64.StdEncoding.EncodeToString([]byte("pull:" + s.letters(18, upper+lower+digit)))
	case "dockerconfig64":
		return base64.StdEncoding.EncodeToString([]byte(`{"auths":{"r.example":{"auth":"` +
			s.draw("basic") + `"}}}`))
	case "dpapihex":
		return "01000000d08c9ddf0115d1118c7a00c04fc297eb01000000" + s.letters(400, "0123456789abcdef")
	case "dpapi64":
		return base64.StdEncoding.EncodeToString(
			append([]byte(
				"\x01\x00\x00\x00\xd0\x8c\x9d\xdf\x01\x15\xd1\x11\x8c\x7a\x00\xc0\x4f\xc2\x97\xeb"),
				s.random(180)...))
	case "kubeconfig64":
		return base64.StdEncoding.EncodeToString(
			[]byte("apiVersion: v1\nkind: Config\nusers:\n- name: x\n  user:\n    token: " +
				s.draw("jwt") + "\n"))
	case "prodkey":
		return strings.Join([]string{s.letters(5, upper), s.letters(5, upper), s.letters(5, upper),
			s.letters(5, upper), s.letters(5, upper)}, "-")
	case "pem64-rsa", "pem64-ec":
		return base64.StdEncoding.EncodeToString([]byte(s.draw(strings.Replace(kind, "64", "", 1)) +
			"\n"))
	}
	return s.key(kind)
}

// key is a private key in PEM, without the line end behind it.
func (s *seeding) key(kind string) string {
	block := &pem.Block{}
	switch kind {
	case "pem-rsa":
		k, err := rsa.GenerateKey(cryptorand.Reader, 2048)
		if err != nil {
			s.t.Fatal(err)
		}
		block.Type, block.Bytes = "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(k)
	case "pem-ec", "pem-pkcs8":
		k, err := ecdsa.GenerateKey(elliptic.P256(), cryptorand.Reader)
		if err != nil {
			s.t.Fatal(err)
		}
		block.Type = "EC PRIVATE KEY"
		if block.Bytes, err = x509.MarshalECPrivateKey(k); kind == "pem-pkcs8" {
			block.Type = "PRIVATE KEY"
			block.Bytes, err = x509.MarshalPKCS8PrivateKey(k)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	case "pem-openssh":
		block.Type, block.Bytes = "OPENSSH PRIVATE KEY", append([]byte("openssh-key-v1\x00"),
			s.random(300)...)
	case "pem-encrypted":
		block.Type, block.Bytes = "RSA PRIVATE KEY", s.random(600)
		block.Headers = map[string]string{"Proc-Type": "4,ENCRYPTED",
			"DEK-Info": "AES-256-CBC," + s.letters(32, digit)}
	default:
		s.t.Fatalf("no seed is called %q", kind)
	}
	return strings.TrimSpace(string(pem.EncodeToMemory(block)))
}

// encode writes a seed as the format around it does.
func (s *seeding) encode(value, how string) string {
	switch how {
	case "json":
		return jsonEscaped(value)
	case "url":
		return url.QueryEscape(value)
	case "amp": // as Go writes JSON
		return strings.NewReplacer("&", `\u0026`, "<", `\u003c`, ">",
			`\u003e`).Replace(jsonEscaped(value))
	case "b64url":
		return base64.RawURLEncoding.EncodeToString([]byte(value))
	case "xml":
		return xmlEscaped(value)
	case "b64":
		return base64.StdEncoding.EncodeToString([]byte(value))
	case "admin16": // as Windows hides the administrator's password in an answer file
		return base64.StdEncoding.EncodeToString(utf16le(value + "AdministratorPassword"))
	case "fold6":
		return strings.Join(regexp.MustCompile(`.{1,76}`).FindAllString(value, -1), "\n      ")
	case "indent":
		return strings.ReplaceAll(value, "\n", "\n  ")
	case "semis":
		return strings.ReplaceAll(value, `"`, `""`)
	}
	s.t.Fatalf("no encoding is called %q", how)
	return ""
}

// secretParts is what of a seed must not be found: all of it, and pieces, for
// half a secret is a leak too.
func secretParts(kind, value string) []string {
	switch {
	case kind == "bootstrap":
		return secretParts("", value[7:]) // what stands before the dot is its public name
	case kind == "basic":
		clear, _ := base64.StdEncoding.DecodeString(value)
		return append(secretParts("", value), secretParts("", string(clear[5:]))...)
	case strings.HasPrefix(kind, "dpapi"): // each begins alike
		return secretParts("", value[56:])
	case kind == "jwt":
		header := strings.IndexByte(value, '.')
		return secretParts("", value[header+1:])
	}
	if strings.Contains(value, "-----BEGIN") {
		var parts []string
		for _, line := range strings.Fields(strings.ReplaceAll(value, `\n`, "\n")) {
			if len(line) > 30 {
				parts = append(parts, secretParts("", line)...)
			}
		}
		return parts
	}
	parts := []string{value}
	if len(value) >= 40 {
		// not its beginning, where formats say what they are
		for i := 24; i+16 <= len(value); i += 16 {
			parts = append(parts, value[i:i+16])
		}
	} else if len(value) > 10 {
		parts = append(parts, value[:8], value[len(value)-8:])
	}
	return parts
}

// spellings are the ways in which a text could have come through.
func spellings(text string) [][]byte {
	all := []string{text, url.QueryEscape(text), url.PathEscape(text),
		strings.ToLower(url.QueryEscape(text)), jsonEscaped(text),
		strings.Trim(strconv.QuoteToASCII(text), `"`),
		strings.NewReplacer("&", `\u0026`, "<", `\u003c`, ">", `\u003e`).Replace(jsonEscaped(text)),
		xmlEscaped(text), hex.EncodeToString([]byte(text)),
		string(utf16le(text)), string(utf16le(text)[1:])} // the last is big-endian too
	for shift := range 3 {
		encoded := base64.StdEncoding.EncodeToString(append(make([]byte, shift), text...))
		// what does not depend on its neighbours
		whole := encoded[(shift*8+5)/6 : (shift+len(text))*8/6]
		all = append(all, whole, strings.NewReplacer("+", "-", "/", "_").Replace(whole))
	}
	var out [][]byte
	for _, s := range all {
		if len(s) >= 8 {
			out = append(out, []byte(s))
		}
	}
	return out
}

func jsonEscaped(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string has a form in JSON
	return jsonInside(b.String())
}

func xmlEscaped(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a buffer takes all
	return b.String()
}

func utf16le(text string) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune(text)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return out
}

func (s *seeding) random(n int) []byte {
	b := make([]byte, n)
	_, _ = s.rnd.Read(b) // it never fails
	return b
}

func (s *seeding) letters(n int, from string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = from[s.rnd.Uint64()%uint64(len(from))]
	}
	return string(b)
}

// jsonInside is a JSON string without the quotes around it.
func jsonInside(text string) string {
	text = strings.TrimSpace(text)
	return text[1 : len(text)-1]
}
