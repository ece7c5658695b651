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
	const size = 64 << 10
	look := func(text, path string) {
		t.Helper()
		p := New(Options{}).newPass(path)
		p.spare = 0
		if _, err := p.copy(io.Discard, strings.NewReader(text), p); err != nil {
			t.Errorf("%.40q in %s: %v", text, path, err)
		}
		if *p.work > p.most(size) {
			t.Errorf("%.40q in %s: %d bytes were looked at of %d", text, path, *p.work, len(text))
		}
	}
	for _, piece := range []string{
		"data:\n", "data:{", "exec:\n", "auth=", "token:", "token ", "password=", ".eyJ",
		"eyJhbGci", "@", "://@", "LS0tLS1CRUdJTi", "-----BEGIN PRIVATE KEY-----", "curl ",
		"net use ", "ConvertTo-SecureString |",
		"01000000d08c9ddf", "<password>", "password: |\n", "auth: |\n  x\n",
		"name: x_token\nvalue: ", "Bearer ", "powershell -e ", "from-literal=a=", "$2y$", "sig=",
		"\\\"", "<secret:", "a.bcdefghijk7mnopq", "\\", "\"", "key=", "::server:",
		"Authorization: ", "a,password,b\n", "-----END PRIVATE KEY-----\n", "a1B2\n-----END PRIVATE KEY-----\n",
		"<key>", "</key>", "id/pw ", "id/pw a/", "/token/", "a-", "key - ", "password(", "A_PWD, \"", "name: key\n",
		"Password\n", "- curl\n", "passwords : {", "username ", "a=[passwords]\n", "[passwords]=x\n", "##vso[task.setvariable ", "::set-env name=", " - curl\n", "password:\n----\n", `password=""x`, "password:\n a: b\n",
		"x stdout P a\n", "K10abcdefabcdefabc::\n", "Password : a1b2\n           c\n", "net user \"a\" \"", "[password] => a ", "password=$'\\'", "enter password:\n",
	} {
		look(strings.Repeat(piece, size/len(piece)), "logs/a.log")
		look(strings.Repeat(piece, size/len(piece)), "files/a.yaml")
	}
	for _, piece := range []string{`{"value":"x"},`, `"value":"x",`, `"data":{},`, `"data":{`,
		`"{\"`, `"a`, `[`, `"[1]",`, `"\u003c`} {
		look("{"+strings.Repeat(piece, size/len(piece)), "a.json")
		look("["+strings.Repeat(piece, size/len(piece)), "a.json")
	}
}

// TestATextThatWouldTakeTooLongIsRefused: a line of names, each in the value of the one before, is
// looked at over and over. The limit grows with the text, so that an ordinary log never meets it.
func TestATextThatWouldTakeTooLongIsRefused(t *testing.T) {
	copied := func(text string) error {
		p := New(Options{}).newPass("logs/a.log")
		p.spare = 0
		_, err := p.copy(io.Discard, strings.NewReader(text), p)
		return err
	}
	if err := copied(strings.Repeat("token:", 500) + "\n"); !errors.Is(err, errMazy) {
		t.Errorf("a maze: %v", err)
	}
	if err := copied(
		strings.Repeat("I1120 10:00:00.1 1 a.go:1] token: refreshed for secret \"a\"\n",
			5000)); err != nil {
		t.Errorf("an ordinary log: %v", err)
	}
	if p := New(Options{}).newPass("logs/a.log"); p.most(0) != spareWork ||
		p.within().most(1) != spareWork+64 {
		t.Errorf("a file has %d bytes to spare, and a document in it %d", p.most(0),
			p.within().most(1))
	}
}
