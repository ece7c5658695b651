package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestWhatWasCopiedIsFoundToBeClean: whatever stands in whatever, a file that was
// learnt and copied holds nothing that a search finds: not the inner value where
// the outer one was replaced, and not the other way round. NESTED_FOR=5m goes on
// with texts that were never seen.
func TestWhatWasCopiedIsFoundToBeClean(t *testing.T) {
	long, _ := time.ParseDuration(os.Getenv("NESTED_FOR"))
	for n := uint64(0); n < 1000; n++ {
		checkNested(t, 1, n)
	}
	seed, until := rand.Uint64(), time.Now().Add(long)
	for n := uint64(0); time.Now().Before(until) && !t.Failed(); n++ {
		checkNested(t, seed, n)
	}
	// Texts that found something once.
	for _, at := range [][2]uint64{{11289663963951216887, 3579}, {14099379349725744519, 124},
		{7806570540817207972, 1070}, {18260854029196801905, 1220}, {5948193718221069104, 844},
		{17390097987145429349, 13164}, {1214836516737319443, 9565}, {3178121488621290059, 8148},
		{14950197682670895321, 21360}, {6410073607111709736, 5177}, {1068776384034748368, 17976},
		{12124491374374625630, 19249}, {17539610782339229239, 29109}, {85, 8}, {37, 595}} {
		checkNested(t, at[0], at[1])
	}
}

func FuzzWhatWasCopiedIsFoundToBeClean(f *testing.F) {
	for n := range uint64(20) {
		f.Add(n, n)
	}
	f.Fuzz(func(t *testing.T, seed, n uint64) { checkNested(t, seed, n) })
}

func checkNested(t *testing.T, seed, n uint64) {
	g := &nesting{Rand: rand.New(rand.NewPCG(seed, n))}
	r := New(Options{})
	type file struct{ path, text string }
	var files []file
	for range 1 + g.IntN(2) {
		path := paths[g.IntN(len(paths)-1)]
		if path == "files/C/k/token" {
			path = "env.json"
		}
		text := g.file(strings.HasSuffix(path, ".json"))
		files = append(files, file{path, text})
		if err := r.Learn(strings.NewReader(text), path); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files {
		var out bytes.Buffer
		if _, err := r.Copy(&out, strings.NewReader(f.text), f.path); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.path, ".json") && !json.Valid(out.Bytes()) {
			t.Errorf("seed %d %d: %s: no JSON any more: %s\nfrom %s", seed, n, f.path, out.String(),
				f.text)
		}
		if leak, err := r.Search(bytes.NewReader(out.Bytes()), f.path); leak != nil || err != nil {
			t.Errorf("seed %d %d: %s: found %v %v in\n%s\nmade of\n%s", seed, n, f.path, leak, err,
				out.String(), f.text)
		}
	}
}

// nesting makes texts in which secrets stand in their surroundings, these in
// others, and all next to each other.
type nesting struct {
	*rand.Rand
	values []string
}

func pick[T any](g *nesting, list []T) T { return list[g.IntN(len(list))] }

// value is a secret, drawn or seen before.
func (g *nesting) value() string {
	if len(g.values) > 0 && g.IntN(4) == 0 {
		return pick(g, g.values)
	}
	from, n := pick(g, []string{"abcdefghijklmnopqrstuvwxyz", lowers + digits,
		lowers + uppers + digits, "0123456789abcdef", lowers + uppers + digits + "!-._~",
		lowers + digits + `"&<\@'/%+;: =$(){}[]`, digits}),
		pick(g, []int{1, 4, 6, 8, 10, 12, 16, 20, 32, 40, 64})
	b := make([]byte, n)
	for i := range b {
		b[i] = from[g.IntN(len(from))]
	}
	v := string(b)
	switch g.IntN(16) {
	case 0:
		v = "npm_" + v
	case 1:
		v = "eyJhbGciOiJSUzI1NiJ9." + v
	case 2:
		v = base64.StdEncoding.EncodeToString([]byte("me:" + v))
	case 3:
		v = "-----BEGIN PRIVATE KEY-----\n" + v + "\n-----END PRIVATE KEY-----"
	case 4:
		v = strings.ToUpper(v[:1]) + "anaba" + strconv.Itoa(1000+g.IntN(9000))
	}
	g.values = append(g.values, v)
	return v
}

var nestedNames = []string{"password", "DB_PASSWORD", "NPM_AUTH", "token", "ACCESS_TOKEN", "secret",
	"client-secret", "auth", "credentials", "key", "tls_key", "MODE", "pwd", "apiKey",
	"Authorization", "value", "name", "cookie", "url", "SECRET_KEY_BASE", "connectionString", "msg",
	"args", "data", "exec", "p", "_authToken", "InstrumentationKey"}

var nestedShapes = []string{
	"N=§", "N: §", "--N=§", "--N §", `N="§"`, `"N":"§"`, `"N": "§", "M": "§"`, "N='§'",
	"https://me:§@host/x?N=§&a=b", "https://host/x?sv=1&sig=§", "//registry.example/:N=§",
	"Server=s;User ID=u;N=§;Encrypt=True", "Authorization: Bearer §", "Authorization: Basic §",
	"<N>§</N>", `<add key="N" value="§" />`, `<add value="§" key="N"/>`, "name: N\n  value: §",
	`{"name":"N","value":"§"}`, `{"value":"§","name":"N"}`, "net use Z: \\\\h\\s § /user:me",
	"curl -u me:§ https://x", "docker login -u x -p § r", "N: |\n    §\n", "-N\n- §\n",
	"- --N\n- §\n", "§", "§ §", "§§", "N § M §", "map[N:[§] M:§]", "{N:§ M:§}", "N=§,M=§;N=§",
	"x§y", "Bearer §", "$env:N = \"§\"", "N => §", "N§", "§@host", "kind: Secret\ndata:\n  N: §\n",
	"exec:\n  env:\n  - name: N\n    value: §\n", "powershell -enc §", "N :§", "export N='§'",
	"N REG_SZ §", "Cookie: a=§; b=§", "ConvertTo-SecureString '§' -AsPlainText", `password is §`,
	"N=\x1b[0m§", "N%3D§%26M%3D§", "K10abcdef0123456789::server:§", "Pwd={§};", "sqlcmd -P §",
}

// piece is a shape with values in it, or with other pieces.
func (g *nesting) piece(depth int) string {
	var b strings.Builder
	for _, c := range pick(g, nestedShapes) {
		switch c {
		case 'N', 'M':
			if c == 'M' || g.IntN(8) > 0 {
				b.WriteString(pick(g, nestedNames))
			} else {
				b.WriteString("N")
			}
		case '§':
			if depth > 0 && g.IntN(3) > 0 {
				b.WriteString(g.wrapped(g.piece(depth - 1)))
			} else {
				b.WriteString(g.value())
			}
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// wrapped writes a text as another format holds it.
func (g *nesting) wrapped(text string) string {
	switch g.IntN(8) {
	case 0:
		quoted, _ := json.Marshal(text)
		return string(quoted[1 : len(quoted)-1])
	case 1:
		return strconv.Quote(text)
	case 2:
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(text))
		return b.String()
	case 3:
		return `{"` + pick(g, nestedNames) + `":` + quoteText(text) + `}`
	case 4:
		return strings.ReplaceAll(text, "\n", " ")
	}
	return text
}

func quoteText(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

func (g *nesting) file(isJSON bool) string {
	var b strings.Builder
	if isJSON {
		b.WriteString(g.object(2))
		return b.String()
	}
	for range 1 + g.IntN(3) {
		b.WriteString(pick(g, []string{"", "I1120 09:00:00.000001    4242 a.go:1] ", "  ", "x ",
			"- ", `time="x" msg=`}))
		b.WriteString(g.piece(g.IntN(3)))
		b.WriteString(pick(g, []string{"\n", " ", "", ";", "\r\n"}))
	}
	return b.String()
}

func (g *nesting) object(depth int) string {
	switch kind := g.IntN(4); {
	case depth > 0 && kind == 0:
		var list []string
		for range g.IntN(4) {
			list = append(list, fmt.Sprintf("%s:%s", quoteText(pick(g, nestedNames)),
				g.object(depth-1)))
		}
		return "{" + strings.Join(list, pick(g, []string{",", ", ", ",\n"})) + "}"
	case depth > 0 && kind == 1:
		var list []string
		for range g.IntN(6) {
			list = append(list, g.object(depth-1))
		}
		return "[" + strings.Join(list, pick(g, []string{",", ", "})) + "]"
	case kind == 2:
		return quoteText(pick(g, []string{"--", "-", "/", "", "curl", "docker", "login", "-p", "-u",
			"use", "net"}) + pick(g, nestedNames))
	}
	if g.IntN(3) == 0 {
		return quoteText(g.value())
	}
	return quoteText(g.piece(g.IntN(3)))
}
