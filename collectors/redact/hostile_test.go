package redact

import (
	"io"
	"strings"
	"testing"
	"time"
)

// TestNoTextTakesLong: a text made of nothing but triggers is hostile, and is
// still read in a time that goes with its size.
func TestNoTextTakesLong(t *testing.T) {
	const size = 128 << 10
	for _, piece := range []string{
		"data:\n", "data:{", "exec:\n", "auth=", "token:", "token ", "password=", ".eyJ", "eyJhbGci", "@", "://@", "LS0tLS1CRUdJTi", "-----BEGIN PRIVATE KEY-----", "curl ", "net use ", "ConvertTo-SecureString |",
		"01000000d08c9ddf", "<password>", "password: |\n", "auth: |\n  x\n", "name: x_token\nvalue: ", "Bearer ", "powershell -e ", "from-literal=a=", "$2y$", "sig=", "\\\"", "<secret:", "a.bcdefghijk7mnopq", "\\", "\"", "key=", "::server:", "Authorization: ",
	} {
		for _, path := range []string{"logs/a.log", "files/a.yaml"} {
			start := time.Now()
			if _, err := New(Options{}).Copy(io.Discard, strings.NewReader(strings.Repeat(piece, size/len(piece))), path); err != nil {
				t.Errorf("%q: %v", piece, err)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%q in %s took %v", piece, path, took)
			}
		}
	}
	for _, piece := range []string{`{"value":"x"},`, `"value":"x",`, `"data":{},`, `"data":{`, `"{\"`, `"a`, `[`, `"[1]",`, `"\u003c`} {
		for _, open := range []string{"{", "["} {
			start := time.Now()
			if _, err := New(Options{}).Copy(io.Discard, strings.NewReader(open+strings.Repeat(piece, size/len(piece))), "a.json"); err != nil {
				t.Errorf("%q: %v", piece, err)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%q took %v", piece, took)
			}
		}
	}
}
