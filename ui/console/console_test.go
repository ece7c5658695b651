package console

import (
	"os"
	"testing"
)

func TestStreamsThatAreNoTerminals(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	closed, _, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for _, row := range []struct {
		name    string
		in, out *os.File
	}{
		{"pipes", r, w},
		{"closed files", closed, closed},
		{"no files at all", nil, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := Open(row.in, row.out)
			c.EnterScreen()
			c.EnterText()
			if c.Screen() || c.Colour() || c.Terminal() {
				t.Errorf("screen %v, colour %v, terminal %v", c.Screen(), c.Colour(), c.Terminal())
			}
			if w, h := c.Size(); w != 0 || h != 0 {
				t.Errorf("size %dx%d", w, h)
			}
			c.Restore()
		})
	}
}
