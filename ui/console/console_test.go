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
			for columns, want := range map[string]int{"": 0, "132": 132, "-5": 0, "wide": 0,
				"99999999999999999999": 0} {
				t.Setenv("COLUMNS", columns)
				if w := c.Width(); w != want {
					t.Errorf("COLUMNS=%s: width %d, want %d", columns, w, want)
				}
			}
			c.Restore()
		})
	}
}

func TestABuildServerSaysSoInCI(t *testing.T) {
	for value, want := range map[string]bool{"true": true, "1": true, "woodpecker": true,
		"": false, "false": false, "0": false} {
		if isCI(value) != want {
			t.Errorf("CI=%s: %v, want %v", value, !want, want)
		}
	}
}
