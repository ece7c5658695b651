package redact

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// TestNoTextTakesLong: a text made of nothing but triggers is hostile. What is
// looked at goes with its size, or it is refused; nothing here is timed.
func TestNoTextTakesLong(t *testing.T) {
	const size = 128 << 10
	look := func(text, path string) {
		t.Helper()
		p := New(Options{}).newPass(path)
		_, err := p.copy(io.Discard, strings.NewReader(text), p)
		if most := p.most(int64(len(text))) + 16*size; *p.work > most {
			t.Errorf("%.40q in %s: %d bytes were looked at of %d", text, path, *p.work, len(text))
		}
		if err != nil && !errors.Is(err, errMazy) {
			t.Errorf("%.40q in %s: %v", text, path, err)
		}
	}
	for _, piece := range []string{
		"data:\n", "data:{", "exec:\n", "auth=", "token:", "token ", "password=", ".eyJ", "eyJhbGci", "@", "://@", "LS0tLS1CRUdJTi", "-----BEGIN PRIVATE KEY-----", "curl ", "net use ", "ConvertTo-SecureString |",
		"01000000d08c9ddf", "<password>", "password: |\n", "auth: |\n  x\n", "name: x_token\nvalue: ", "Bearer ", "powershell -e ", "from-literal=a=", "$2y$", "sig=", "\\\"", "<secret:", "a.bcdefghijk7mnopq", "\\", "\"", "key=", "::server:", "Authorization: ",
	} {
		look(strings.Repeat(piece, size/len(piece)), "logs/a.log")
		look(strings.Repeat(piece, size/len(piece)), "files/a.yaml")
	}
	for _, piece := range []string{`{"value":"x"},`, `"value":"x",`, `"data":{},`, `"data":{`, `"{\"`, `"a`, `[`, `"[1]",`, `"\u003c`} {
		look("{"+strings.Repeat(piece, size/len(piece)), "a.json")
		look("["+strings.Repeat(piece, size/len(piece)), "a.json")
	}
}

func TestATextThatWouldTakeTooLongIsRefused(t *testing.T) {
	maze := strings.Repeat(strings.Repeat("token:", 5000)+"\n", 200)
	_, err := New(Options{}).Copy(io.Discard, strings.NewReader(maze), "logs/a.log")
	if err != nil && !errors.Is(err, errMazy) {
		t.Error(err)
	}
	if _, err := New(Options{}).Copy(io.Discard, strings.NewReader(strings.Repeat("I1120 10:00:00.1 1 a.go:1] token: refreshed for secret \"a\"\n", 50_000)), "logs/a.log"); err != nil {
		t.Errorf("an ordinary log: %v", err)
	}
}
