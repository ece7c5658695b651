package redact

import (
	"io"
	"strings"
	"testing"
)

// A node's evidence is many small files, which are redacted side by side.
func TestASmallTextTakesNoWholeWindow(t *testing.T) {
	in := &input{src: strings.NewReader("a small text")}
	if err := in.fill(windowSize); err != nil || !in.eof || string(in.b) != "a small text" {
		t.Errorf("%v, at the end %t: %q", err, in.eof, in.b)
	}
	if cap(in.b) > 64 {
		t.Errorf("it takes %d bytes", cap(in.b))
	}
}

// A file of an archive does not say how much is left of it.
func TestASmallFileTakesNoWholeWindow(t *testing.T) {
	text := strings.Repeat("0123456789", 2000)
	in := &input{src: io.MultiReader(strings.NewReader(text))}
	if err := in.fill(windowSize); err != nil || !in.eof || string(in.b) != text {
		t.Errorf("%v, at the end %t, %d bytes", err, in.eof, len(in.b))
	}
	if cap(in.b) > 4*len(text) {
		t.Errorf("it takes %d bytes", cap(in.b))
	}
}

// empty gives nothing for some reads, as a pipe may, and then the text.
type empty struct {
	reads int
	text  io.Reader
}

func (e *empty) Read(b []byte) (int, error) {
	if e.reads--; e.reads >= 0 {
		return 0, nil
	}
	return e.text.Read(b)
}

func TestASourceMayHaveNothingForAWhile(t *testing.T) {
	for _, row := range []struct {
		reads int
		err   error
	}{{100, nil}, {101, io.ErrNoProgress}} {
		in := &input{src: &empty{row.reads, strings.NewReader("text")}}
		if err := in.fill(windowSize); err != row.err || err == nil && string(in.b) != "text" {
			t.Errorf("%d reads: %v, %q", row.reads, err, in.b)
		}
	}
}
