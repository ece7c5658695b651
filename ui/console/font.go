package console

import (
	"os"
	"strings"
)

// A font replaces the symbols that a Windows console cannot draw by others of the same width. Other
// terminals find a missing symbol in another font.
type font = *strings.Replacer

var (
	// The default fonts, Consolas and Lucida Console, have the symbols of WGL4, which lack these.
	westernFont = strings.NewReplacer("✓", "√", "✗", "×", "▸", "►", "▾", "▼", "━", "─")

	// In the fonts of a Chinese, Japanese or Korean console all symbols take two columns.
	wideFont = strings.NewReplacer("✓", "+", "✗", "x", "▸", ">", "▾", "v", "━", "-", "─", "-",
		"│", "|", "›", ">", "‹", "<", "·", "-", "→", ">", "←", "<", "…", "~")
)

// fontOf is the font that a console starts with in a code page.
func fontOf(codePage uint32) font {
	switch codePage {
	case 932, 936, 949, 950:
		return wideFont
	}
	return westernFont
}

// A fontWriter is still the terminal: who draws a screen asks it for its size.
type fontWriter struct {
	*os.File
	font font
}

// Write takes whole characters: every writer of text here writes whole lines or frames.
func (w fontWriter) Write(b []byte) (int, error) {
	if _, err := w.File.WriteString(w.font.Replace(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// WriteString is there so that nothing goes past the font.
func (w fontWriter) WriteString(s string) (int, error) { return w.Write([]byte(s)) }
