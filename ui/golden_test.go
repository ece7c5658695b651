package ui

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"doctor/checks"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares an output with the file that a person has looked at.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; if the new output is right, run `go test ./ui -update`. It is now:\n%s", file, got)
	}
}

func draw(t testing.TB, format string, r checks.Report, style Style) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, format, r, style); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestText(t *testing.T) {
	for _, tt := range []struct {
		name   string
		report checks.Report
		style  Style
	}{
		{"flannel-40", flannel(), Style{Width: 40}},
		{"flannel-80", flannel(), Style{Width: 80}},
		{"flannel-100", flannel(), Style{}},
		{"flannel-120", flannel(), Style{Width: 120}},
		{"flannel-colour-40", flannel(), Style{Width: 40, Colour: true}},
		{"flannel-colour-80", flannel(), Style{Width: 80, Colour: true}},
		{"flannel-colour-120", flannel(), Style{Width: 120, Colour: true}},
		{"flannel-ascii-40", flannel(), Style{Width: 40, ASCII: true}},
		{"flannel-ascii-80", flannel(), Style{Width: 80, ASCII: true}},
		{"flannel-ascii-120", flannel(), Style{Width: 120, ASCII: true}},
		{"healthy-40", healthy(), Style{Width: 40}},
		{"healthy-80", healthy(), Style{Width: 80}},
		{"healthy-120", healthy(), Style{Width: 120}},
		{"unseen-80", unseen(), Style{Width: 80}},
		{"empty-80", blank(), Style{Width: 80}},
		{"hostile-80", hostile(attack), Style{Width: 80}},
		{"hostile-ascii-80", hostile(attack), Style{Width: 80, ASCII: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			golden(t, tt.name, draw(t, "text", tt.report, tt.style))
		})
	}
}

func TestMachineFormats(t *testing.T) {
	for _, format := range []string{"json", "junit", "markdown"} {
		for name, r := range map[string]checks.Report{"flannel": flannel(), "healthy": healthy(),
			"empty": blank(), "hostile": hostile(attack)} {
			t.Run(format+" of "+name, func(t *testing.T) {
				golden(t, name+"-"+format, draw(t, format, r, Style{}))
			})
		}
	}
}
