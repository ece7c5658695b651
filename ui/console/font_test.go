package console

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestSymbolsKeepTheirWidth(t *testing.T) {
	const symbols = "✓✗▸▾━─│›‹·→←…"
	for _, row := range []struct {
		name     string
		codePage uint32
		want     string
	}{
		{"a console of the West has the symbols of WGL4", 437, "√×►▼──│›‹·→←…"},
		{"a console in UTF-8 has the same fonts", 65001, "√×►▼──│›‹·→←…"},
		{"a Chinese console draws symbols two columns wide, letters of ASCII one", 936,
			"+x>v--|><-><~"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := fontOf(row.codePage).Replace(symbols)
			if got != row.want {
				t.Errorf("%s, want %s", got, row.want)
			}
			if ansi.StringWidth(got) != ansi.StringWidth(symbols) {
				t.Errorf("%s is not as wide as %s", got, symbols)
			}
			if got := fontOf(row.codePage).Replace("节点 Größe"); got != "节点 Größe" {
				t.Errorf("words became %s", got)
			}
		})
	}
}

func TestAFontWriterTellsWhatItTook(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "console"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := fontWriter{f, westernFont}
	n, err := w.WriteString("✗ no")
	if err != nil || n != len("✗ no") {
		t.Errorf("%d bytes, %v", n, err)
	}
	if got, _ := os.ReadFile(f.Name()); string(got) != "× no" {
		t.Errorf("wrote %s", got)
	}
}
