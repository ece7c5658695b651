package ui

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
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

func TestQuietTextHoldsCausesAndFixes(t *testing.T) {
	golden(t, "flannel-quiet-80", draw(t, "text", flannel(), Style{Width: 80, Quiet: true}))
	for name, r := range map[string]checks.Report{"healthy": healthy(), "unseen": unseen()} {
		if got := draw(t, "text", r, Style{Quiet: true}); len(got) > 0 {
			t.Errorf("%s: something is said where there is no fault: %s", name, got)
		}
	}
	r := healthy()
	r.Unexplained = []checks.Unexplained{{Text: "frobnicator is upside down", Path: "logs/other/a.log", Line: 3}}
	if got := string(draw(t, "text", r, Style{Quiet: true})); !strings.Contains(got, "frobnicator is upside down") ||
		!strings.Contains(got, "logs/other/a.log:3") {
		t.Errorf("an error that no check explains is passed over in silence: %q", got)
	}
	r = flannel()
	r.Causes = nil
	if got := draw(t, "text", r, Style{Quiet: true}); len(got) == 0 {
		t.Error("nothing is said of faults that explain each other")
	}
}

func TestWideTextHoldsEverything(t *testing.T) {
	golden(t, "flannel-wide-80", draw(t, "wide", flannel(), Style{Width: 80}))
	r := flannel()
	flat := func(s string) string { return strings.Join(strings.Fields(s), "") }
	got := flat(string(draw(t, "wide", r, Style{Width: 80})))
	hold := func(what string) {
		t.Helper()
		if !strings.Contains(got, flat(Plain(what, false))) {
			t.Errorf("%q is not there", what)
		}
	}
	for _, result := range r.Results {
		hold(string(result.Status))
		hold(result.ID + Message(&result))
		for _, f := range result.Findings {
			hold(f.Message)
			for _, b := range f.Because {
				hold(Where(b.Place()))
				hold(b.Text)
			}
		}
	}
	for _, g := range r.Gaps {
		hold(g.Path)
		hold(g.Reason)
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
