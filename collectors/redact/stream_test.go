package redact

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// shapes is a text that holds secrets of many kinds, some over several lines.
const shapes = "I1120 09:00:00 1 a.go:1] Authorization: Bearer abcdefgh12345678ijkl \"x\"\n" +
	"join --token abcdef.0123456789abcdef --v 4\n" +
	"- name: DB_PASSWORD\n  value: hunter2hunter2\n- value: other9other9\n  name: API_TOKEN\nx: y\n" +
	"-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7\nq8YHk2mZ5h3gVbXw0n\n-----END RSA PRIVATE KEY-----\n" +
	"token: |\n  first7line\n  second7line\nserver: x\n" +
	"<Password>\r\n  <Value>UABhAHMAcwA3</Value>\r\n</Password>\r\n" +
	"see hunter2hunter2, and https://u:p4ssp4ss@host.example/x?sv=1&sig=abcdefghijklmnop7890%3D\n" +
	"got eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrOHMifQ.c2lnbmF0dXJl7 for it\n" +
	"cs=\"Server=x;Password=a b!c;Encrypt=True\" body={\\\"password\\\":\\\"hun ter2\\\"}\n" +
	"apiVersion: v1\ndata:\n  a: aHVudGVyMg==\nkind: Secret\n"

// small makes the windows small, so that every edge is met.
func small(r *Redactor, path string, window int) *pass {
	p := r.newPass(path)
	p.window, p.ahead, p.back, p.context = window, 300, 200, 200
	return p
}

func through(t *testing.T, p *pass, src io.Reader) string {
	t.Helper()
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	if err := p.run(w, src); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	return out.String()
}

func TestASecretAcrossAnEdgeIsCaught(t *testing.T) {
	r := fixed()
	text := strings.Repeat("I1120 filler \"line\" n=1\n", 11) + shapes +
		strings.Repeat("more filler\n", 40)
	r.Learn(strings.NewReader(text), "files/a.yaml")
	want := through(t, small(r, "files/a.yaml", 1<<20), strings.NewReader(text))
	for _, value := range []string{"hunter2", "other9", "abcdefgh1234", "0123456789abcdef", "MIIE",
		"q8YH", "first7", "second7", "UABh", "p4ss", "abcdefghijklmnop", "eyJ", "a b!c", "hun ter2",
		"aHVu"} {
		if strings.Contains(want, value) {
			t.Errorf("%q is left in\n%s", value, want)
		}
	}
	for window := 720; window < 1700; window++ {
		if got := through(t, small(r, "files/a.yaml", window),
			strings.NewReader(text)); got != want {
			t.Fatalf("a window of %d bytes: got\n%s\nwant\n%s", window, got, want)
		}
	}
	for n := 1; n < 60; n++ {
		if got := through(t, small(r, "files/a.yaml", 900), &chunks{strings.NewReader(text),
			n}); got != want {
			t.Fatalf("%d bytes at a time: got\n%s", n, got)
		}
	}
	if got := through(t, r.newPass("files/a.yaml"),
		iotest.DataErrReader(strings.NewReader(text))); got != want {
		t.Errorf("the usual window: got\n%s", got)
	}
}

// chunks gives n bytes at a time.
type chunks struct {
	r io.Reader
	n int
}

func (c *chunks) Read(b []byte) (int, error) { return c.r.Read(b[:min(len(b), c.n)]) }

func TestJSONAcrossEdges(t *testing.T) {
	quotedShapes, _ := json.Marshal(shapes)
	text := `{"items":[{"filler":[1,2,3,"` + strings.Repeat("x ", 50) +
		`"],"env":[{"value":"hunter2hunter2","name":"DB_PASSWORD"}],"args":["--token","abc7abc7"],"log":` + string(quotedShapes) + `,"token":"` + strings.Repeat("s3cret", 600) + `"},{"after":"hunter2hunter2"}]}`
	r := fixed()
	r.Learn(strings.NewReader(text), "a.json")
	for window := 720; window < 1100; window += 3 {
		got := through(t, small(r, "a.json", window), &chunks{strings.NewReader(text), 7})
		if !json.Valid([]byte(got)) {
			t.Fatalf("window %d: no JSON:\n%s", window, got)
		}
		for _, value := range []string{"hunter2", "other9", "abcdefgh1234", "0123456789abcdef",
			"MIIE", "q8YH", "first7", "UABh", "p4ss", "eyJ", "a b!c", "s3cret", "abc7abc7"} {
			if strings.Contains(got, value) {
				t.Fatalf("window %d: %q is left in\n%s", window, value, got)
			}
		}
	}
}

// endless gives a start, then n bytes of the same letter, then an end.
func endless(start string, n int64, end string) io.Reader {
	return io.MultiReader(strings.NewReader(start), io.LimitReader(letters{}, n),
		strings.NewReader(end))
}

type letters struct{}

func (letters) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'Q'
	}
	return len(b), nil
}

func TestASecretLongerThanTheWindowIsSwallowedToItsEnd(t *testing.T) {
	const long = 3 << 20
	for _, row := range []struct{ name, path, start, end, want string }{
		{"a bearer token", "a.log", "x Bearer a1", " after\n", "x Bearer <secret:bearer> after\n"},
		{"a password in quotes", "a.log", `x password="a1`, "\" after\n",
			"x password=\"<secret:password>\" after\n"},
		{"a password in an argument", "a.log", `x --password=a1`, " after\n",
			"x --password=<secret:password> after\n"},
		{"a private key without lines", "a.log", "-----BEGIN PRIVATE KEY-----\n",
			"\n-----END PRIVATE KEY-----\nafter\n", "<secret:private-key>\nafter\n"},
		{"a block of YAML", "a.yaml", "token: |\n  a1", "\n  b\nafter: x\n",
			"token: |\n  <secret:token>\nafter: x\n"},
		{"a string of JSON", "a.json", `{"password":"a1`, `","x":1}`,
			`{"password":"<secret:password>","x":1}`},
		{"a secret in a string of JSON", "a.json", `{"log":"x --password=a1`, ` y","x":1}`,
			`{"log":"x --password=<secret:password> y","x":1}`},
		{"a file that is a secret", "files/C/k/token", "a1", "\n", "<secret:token>\n"},
		{"an element of XML", "a.xml", "<Password>a1", "</Password>",
			"<Password><secret:password></Password>"},
		{"a token of three parts", "a.log", "x eyJhbGciOiJSUzI1NiJ9.a1", " after\n", "x <secret:jwt> after\n"},
		{"the signature of a URL", "a.log", "x?sv=1&sig=a1", "&se=1\n", "x?sv=1&sig=<secret:sas>&se=1\n"},
		{"a password in single quotes", "a.log", "x password='a1", "' after\n", "x password='<secret:password>' after\n"},
		{"a password in text in JSON", "a.log", `x {\"password\":\"a1`, `\",\"b\":1}`,
			`x {\"password\":\"<secret:password>\",\"b\":1}`},
		{"a command in base64", "a.log", "powershell -EncodedCommand a1", " after\n",
			"powershell -EncodedCommand <secret:encoded-command> after\n"},
		{"a field of a connection", "a.log", `x="Server=h;Password=a1`, `;User=x"`,
			`x="Server=h;Password=<secret:password>;User=x"`},
		{"a key without its first line", "a.log", "x MIGHAgEAMBMGByqGSM49AgEGa1", " after\n",
			"x <secret:private-key> after\n"},
		{"a key in one line", "a.log", `x "-----BEGIN PRIVATE KEY-----\na1`, `\n-----END PRIVATE KEY-----\n" after`,
			`x "<secret:private-key>\n" after`},
		{"a blob of DPAPI", "a.txt", "x 01000000d08c9ddf0115d1118c7a00c04fc297eb", "",
			"x <secret:dpapi>QQ"},
	} {
		t.Run(row.name, func(t *testing.T) {
			want := row.want
			src := endless(row.start, long, row.end)
			if strings.HasSuffix(want, "QQ") { // no hexadecimal digit
				src = io.MultiReader(strings.NewReader(row.start),
					strings.NewReader(strings.Repeat("0a", long/2)), strings.NewReader("QQ"))
			}
			var out bytes.Buffer
			if _, err := fixed().Copy(&out, src, row.path); err != nil || out.String() != want {
				t.Errorf("%v, got %.300q\nwant %q", err, out.String(), want)
			}
		})
	}
}

func TestALongLineNeedsNoMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	counts, err := New(Options{}).Copy(io.Discard, endless("x ", 200<<20, " password=hunter2 y\n"),
		"logs/a.log")
	runtime.ReadMemStats(&after)
	if err != nil || counts["password"] != 1 {
		t.Errorf("%v, %v", counts, err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 8<<20 {
		t.Errorf("%d bytes were taken", got)
	}
}

func TestNULBytesHideNothing(t *testing.T) {
	if got := copied(t, fixed(), "\x00\x00password=hunter2\x00 \x00--token abc123\x00",
		"logs/a.log"); strings.Contains(got, "hunter2") || strings.Contains(got, "abc123") {
		t.Errorf("got %q", got)
	}
}
