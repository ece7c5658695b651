package faults

import (
	"go/build"
	"os"
	"strings"
	"testing"
)

// TestEveryCheckIsInTheProgramOfEverySystem: the go command leaves a file out by the end of its name,
// so that a check on "…_linux.go" would be missing on Windows alone.
func TestEveryCheckIsInTheProgramOfEverySystem(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, system := range []string{"windows", "linux", "darwin"} {
		b := build.Default
		b.GOOS = system
		for _, f := range files {
			if f.IsDir() || !strings.HasSuffix(f.Name(), ".go") {
				continue
			}
			if in, err := b.MatchFile(".", f.Name()); err != nil || !in {
				t.Errorf("%s: %s is left out: %v", system, f.Name(), err)
			}
		}
	}
}
