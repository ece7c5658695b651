package redact

import (
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
