package unexplained_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/signs"
	"doctor/checks/unexplained"
	"doctor/fixtures"
	_ "doctor/fixtures/platforms"
	_ "doctor/fixtures/threads"
)

var update = flag.Bool("update", false, "write normal.txt from the normal logs")

// TestNormalKindsAreThoseOfHealthyNodes holds normal.txt to the normal logs and to the logs and
// events of the healthy recordings.
func TestNormalKindsAreThoseOfHealthyNodes(t *testing.T) {
	var kinds []string
	files, err := filepath.Glob("../../fixtures/normal/*.log")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d normal logs, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// an excerpt has a line and what is indented below it as one
		for _, form := range [][]byte{text, bytes.ReplaceAll(text, []byte("\n\t"), []byte(" "))} {
			for _, l := range unexplained.Lines("logs/x/x.log", form, 1, time.Now()) {
				kinds = append(kinds, unexplained.Kind(l.Text))
			}
		}
	}
	for _, name := range fixtures.Names() {
		if !strings.HasPrefix(name, "healthy-") {
			continue
		}
		recording, err := fixtures.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := evidence.Load(recording.FS())
		if err != nil {
			t.Fatal(err)
		}
		any := evidence.Sign{Check: "x", Text: "no log has this text"}
		s, _ = signs.Record(s, []evidence.Sign{any})
		for _, text := range unexplained.Texts(s) {
			kinds = append(kinds, unexplained.Kind(text))
		}
	}
	slices.Sort(kinds)
	want := strings.Join(slices.Compact(kinds), "\n") + "\n"
	if *update {
		if err := os.WriteFile("normal.txt", []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have, err := os.ReadFile("normal.txt"); err != nil || string(have) != want {
		t.Error("normal.txt differs from the healthy nodes; run `go test ./checks/unexplained -update`")
	}
}
