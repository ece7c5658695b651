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
