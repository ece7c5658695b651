package redact

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
)

func TestSearchFindsAKnownValueInAnyEncoding(t *testing.T) {
	const secret = `Tr0ub4"dor&3 x\y`
	r := New(Options{})
	if err := r.Learn(strings.NewReader(`{"DB_PASSWORD":"Tr0ub4\"dor&3 x\\y"}`),
		"env.json"); err != nil {
		t.Fatal(err)
	}
	var utf16 []byte
	for _, c := range []byte(secret) {
		utf16 = append(utf16, c, 0)
	}
	for name, text := range map[string]string{
		"as it is":                  "see " + secret + " there",
		"in a word":                 "xx" + secret + "yy",
		"escaped as in JSON":        `see Tr0ub4\"dor&3 x\\y`,
		"escaped as in HTML's JSON": `see Tr0ub4\"dor\u00263 x\\y`,
		"with percents":             url.QueryEscape(secret),
		"with percents and blanks":  url.PathEscape(secret),
		"base64":                    base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64, one byte behind": base64.StdEncoding.EncodeToString([]byte("a" + secret +
			"bcd")),
		"base64, two bytes behind": base64.StdEncoding.EncodeToString([]byte("ab" + secret +
			"bcd")),
		"base64 for URLs": base64.URLEncoding.EncodeToString([]byte("ab" + secret)),
		"base64 of UTF-16": base64.StdEncoding.EncodeToString(append([]byte{'a', 0},
			utf16...)),
		"hexadecimal digits":           hex.EncodeToString([]byte(secret)),
		"hexadecimal digits of UTF-16": strings.ToUpper(hex.EncodeToString(utf16)),
		"UTF-16":                       string(utf16),
		"far behind, across the buffers": strings.Repeat("filler ", 40000) +
			base64.StdEncoding.EncodeToString([]byte(secret)),
	} {
		leak, err := r.Search(iotest.OneByteReader(strings.NewReader(text)), "logs/a.log")
		if err != nil || leak == nil || leak.Kind != "password" {
			t.Errorf("%s: %v, %v", name, leak, err)
		}
		if strings.HasPrefix(name, "far") && leak != nil && leak.Offset != 280000 {
			t.Errorf("%s: found at %d", name, leak.Offset)
		}
	}
	if leak, err := r.Search(strings.NewReader("nothing of it, Tr0ub4"), "a.log"); leak != nil ||
		err != nil {
		t.Errorf("found %v, %v", leak, err)
	}
}

func TestSearchFindsAShapeThatWasNotSeen(t *testing.T) {
	for path, text := range map[string]string{"a.log": "x Bearer abcdefgh12345678ijkl",
		"a.json": `{"a":{"password":"x1"}}`, "files/C/k/token": "abc"} {
		leak, err := New(Options{}).Search(strings.NewReader(text), path)
		if err != nil || leak == nil {
			t.Errorf("%s: %v, %v", path, leak, err)
		}
		if out := copied(t, New(Options{}), text, path); path != "" {
			if leak, err := New(Options{}).Search(strings.NewReader(out), path); leak != nil ||
				err != nil {
				t.Errorf("%s: found %v, %v in %s", path, leak, err, out)
			}
		}
	}
}

func TestAValueThatWasSeenIsReplacedWhereverItStands(t *testing.T) {
	r := New(Options{Key: []byte("k")})
	if err := r.Learn(
		strings.NewReader(
			`{"DB_PASSWORD":"winter-7-garden","SHORT_PASSWORD":"ab7","COMMON_PASSWORD":"Administrator","NUMBER_TOKEN":"10.0.0.1"}`), "env.json"); err != nil {
		t.Fatal(err)
	}
	in := `tried winter-7-garden, "winter-7-garden" and winter-7-gardens; ab7 Administrator 10.0.0.1`
	got := copied(t, r, in, "logs/a.log")
	token := r.token("password", []byte("winter-7-garden"))
	want := "tried " + token + `, "` + token + `" and `
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "; ab7 Administrator 10.0.0.1") {
		t.Errorf("got %s\nwant %s…", got, want)
	}
	if other := r.Text("--password winter-7-garden"); other != "--password "+token {
		t.Errorf("the token differs: %s", other)
	}
	if len(token) != len("<secret:password:3fa2c1>") {
		t.Errorf("%s", token)
	}
}

func TestAKeyHasOneTokenHoweverItIsWritten(t *testing.T) {
	r := New(Options{Key: []byte("k")})
	const pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nq8YHk2mZ5h3gVbXw0n==\n-----END RSA PRIVATE KEY-----\n"
	inJSON := strings.ReplaceAll(pem, "\n", `\n`)
	want := r.token("private-key", []byte(pem))
	for path, text := range map[string]string{
		"a.txt": pem, "a.log": `x="` + inJSON + `"`, "a.json": `{"k":"` + inJSON + `"}`,
		"a.yaml": "client-key-data: " + base64.StdEncoding.EncodeToString([]byte(pem)),
		"b.yaml": "key: |\n    " + strings.ReplaceAll(pem, "\n", "\n    "),
	} {
		if got := copied(t, r, text, path); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func TestTooManySecretsAreAnError(t *testing.T) {
	var b strings.Builder
	for i := range maxKnown + 1 {
		fmt.Fprintf(&b, "password=sw0rdfish%06d\n", i)
	}
	r := New(Options{})
	if _, err := r.Copy(io.Discard, strings.NewReader(b.String()), "logs/a.log"); !errors.Is(err,
		ErrTooMany) {
		t.Errorf("got %v", err)
	}
}

// A log that shows a fresh token in each line is taken all the same: the search
// of what was written goes by their shape then.
func TestThousandsOfTokensAreNoReasonToLeaveALogOut(t *testing.T) {
	var in, out strings.Builder
	for i := range maxKnown + 100 {
		sum := sha256.Sum256(fmt.Append(nil, i))
		fmt.Fprintf(&in,
			"I1120 10:00:00.1 1 a.go:1] GET https://x.blob.core.windows.net/a?sv=1&sig=%s\n",
			url.QueryEscape(base64.StdEncoding.EncodeToString(sum[:])))
	}
	r := New(Options{})
	if _, err := r.Copy(&out, strings.NewReader(in.String()), "logs/a.log"); err != nil ||
		!r.Overflowed() {
		t.Errorf("overflowed is %v: %v", r.Overflowed(), err)
	}
	if leak, err := r.Search(strings.NewReader(out.String()), "logs/a.log"); leak != nil ||
		err != nil {
		t.Errorf("what was written holds %+v, %v", leak, err)
	}
	if leak, _ := r.Search(strings.NewReader(in.String()), "logs/a.log"); leak == nil {
		t.Error("nothing was found in what was read")
	}
}

func TestAnErrorOfTheSourceIsHandedOn(t *testing.T) {
	oops := errors.New("oops")
	for _, path := range []string{"a.log", "a.json", "files/C/k/token"} {
		src := io.MultiReader(strings.NewReader(`{"password":"hunter2hunter2"}`),
			iotest.ErrReader(oops))
		if _, err := New(Options{}).Copy(io.Discard, src, path); !errors.Is(err, oops) {
			t.Errorf("%s: got %v", path, err)
		}
		if _, err := New(Options{}).Copy(full{}, endless(`{"password":"x7","a":"`, 1<<20, `"}`),
			path); err == nil {
			t.Errorf("%s: a full disk is no error", path)
		}
		if _, err := New(Options{}).Search(iotest.ErrReader(oops), path); !errors.Is(err, oops) {
			t.Errorf("%s: search: %v", path, err)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestSeveralFilesAtOnce(t *testing.T) {
	r := New(Options{})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			text := strings.Repeat(fmt.Sprintf("password=sw0rdfish%d and sw0rdfish%d\n", i,
				(i+1)%8), 2000)
			var out bytes.Buffer
			if _, err := r.Copy(&out, strings.NewReader(text), "logs/a.log"); err != nil {
				t.Error(err)
			}
			if strings.Contains(out.String(), fmt.Sprintf("sw0rdfish%d ", i)) {
				t.Error("a password is left")
			}
			r.Search(strings.NewReader(text), "logs/a.log")
		})
	}
	all.Wait()
}

// wholeLines is a Masker that gets whole lines, as it was promised.
type wholeLines struct{ t *testing.T }

func (w wholeLines) Append(dst, text []byte) []byte {
	if len(text) == 0 || text[len(text)-1] != '\n' {
		w.t.Errorf("a line is cut: %.80q", text)
	}
	return append(dst, text...)
}

func TestAMaskerGetsWholeLines(t *testing.T) {
	r := New(Options{Names: wholeLines{t}})
	copied(t, r, strings.Repeat("a line, with words of win-1\n", 40000), "a.log")
}

// shout masks names for tests.
type shout struct{}

func (shout) Append(dst, text []byte) []byte {
	return append(dst, bytes.ReplaceAll(text, []byte("win-1"), []byte("NODE"))...)
}

func TestNamesAreMaskedBehindTheSecrets(t *testing.T) {
	r := New(Options{Plain: true, Names: shout{}})
	long := strings.Repeat("line of win-1\n", 20000)
	for _, row := range []struct{ path, in, want string }{
		{"a.log", "win-1 password=hunter2 win-1", "NODE password=<secret:password> NODE"},
		{"a.json", `{"win-1":["a\\win-1\u00e9","é"],"n":1}`, `{"NODE":["a\\NODEé","é"],"n":1}`},
		{"a.log", long, strings.ReplaceAll(long, "win-1", "NODE")},
		{"a.json", `{"log":"` + strings.ReplaceAll(long, "\n", `\n`) + `"}`,
			`{"log":"` + strings.ReplaceAll(strings.ReplaceAll(long, "\n", `\n`), "win-1", "NODE") +
				`"}`},
	} {
		if got := copied(t, r, row.in, row.path); got != row.want {
			t.Errorf("%s: got %.300q\nwant %.300q", row.path, got, row.want)
		}
	}
	if got := r.Text("win-1 token=abcdef1234"); got != "NODE token=<secret:token>" {
		t.Errorf("got %s", got)
	}
}
