package redact

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

var paths = []string{"logs/kubelet/a.log", "files/C/k/a.yaml", "api/a.json", "files/C/k/token",
	"files/C/unattend.xml", "x.gap"}

// FuzzRedactingTwiceChangesNothing: what was learnt and redacted stays as it is.
func FuzzRedactingTwiceChangesNothing(f *testing.F) {
	for i := range paths {
		f.Add([]byte(shapes), uint8(i))
	}
	f.Add([]byte("AuthoriZAtion:Pass=AA"), uint8(0))
	f.Add([]byte("Authorization:Bearer00  -token AAA=00"), uint8(0))
	f.Add([]byte("PASWORD 0 00A0000A:0000000A"), uint8(0))
	f.Add([]byte("000000 AuthoriZAtion:000000A 00000000000A"), uint8(0))
	text, _ := fixed().Samples()
	f.Add([]byte(text), uint8(0))
	f.Add([]byte(`{"a":"{\"password\":\"x y\"}","args":["--token","x1"]}`), uint8(2))
	f.Add([]byte("password=<secret:token:abcdef>x \"token\": \"a\\\"\" {\"b\":\"p\\u0061ss=x\"}"),
		uint8(2))
	f.Fuzz(func(t *testing.T, content []byte, at uint8) {
		path := paths[int(at)%len(paths)]
		r := New(Options{Key: []byte("k")})
		if r.Learn(bytes.NewReader(content), path) != nil {
			return
		}
		var once, twice bytes.Buffer
		if _, err := r.Copy(&once, bytes.NewReader(content), path); err != nil {
			t.Fatal(err)
		}
		if path == "api/a.json" && json.Valid(content) && !json.Valid(once.Bytes()) {
			t.Errorf("no JSON any more: %q\nfrom %q", once.Bytes(), content)
		}
		if _, err := r.Copy(&twice, bytes.NewReader(once.Bytes()), path); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Errorf("%s: %q\nonce  %q\ntwice %q", path, content, once.Bytes(), twice.Bytes())
		}
	})
}

// FuzzNothingPlantedSurvives: each kind of secret is taken out whatever stands
// in the lines around it.
func FuzzNothingPlantedSurvives(f *testing.F) {
	f.Add("before", "after", uint8(3))
	f.Add("{\"a\": \"b", "<x>", uint8(7))
	f.Add("exec:\n  env:", "---", uint8(1))
	f.Add("<secret:token:abcdef>", "token:", uint8(1))
	f.Fuzz(func(t *testing.T, before, after string, at uint8) {
		r := New(Options{})
		text, values := r.Samples()
		text = before + "\n" + text + after
		path := paths[int(at)%2]
		var out bytes.Buffer
		if _, err := r.Copy(&out, strings.NewReader(text), path); err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			if strings.Contains(out.String(), v) {
				t.Errorf("%q is left in\n%s", v, out.String())
			}
		}
	})
}

// FuzzAnyTextIsRead: whatever stands in a file, it is learnt, copied and searched to its end.
func FuzzAnyTextIsRead(f *testing.F) {
	for i, text := range []string{"password: <}", "token=<]);", "auth=[", "pwd=%", "key: @", "pass=$",
		"{\"token\":\"<},\"}", "dbpass=x", "dbPass1: y", "passwd: dbpass", "<password><}</password>", "password=<>]", "secret: {{", "Authorization: <]"} {
		f.Add([]byte(text), uint8(i))
	}
	f.Fuzz(func(t *testing.T, content []byte, at uint8) {
		path := paths[int(at)%len(paths)]
		r := New(Options{})
		if r.Learn(bytes.NewReader(content), path) != nil {
			return
		}
		var out bytes.Buffer
		if _, err := r.Copy(&out, bytes.NewReader(content), path); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Search(bytes.NewReader(out.Bytes()), path); err != nil {
			t.Fatal(err)
		}
	})
}
