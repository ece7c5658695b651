package tui

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"doctor/ui"
)

// maxText bounds one piece of text on screen; the whole is in the evidence.
const maxText = 8 << 10

// show makes one line of a text from the report that every terminal draws as
// wide as it is measured here.
func show(s string, ascii bool) string {
	if len(s) > maxText {
		s = s[:maxText]
	}
	s = ui.Plain(strings.Map(oneSpace, strings.ToValidUTF8(s, "?")), ascii)
	if ascii {
		return s // and spelt out, so that nothing of the evidence gets lost
	}
	s = strings.Map(dropUnseen, s)
	if ansi.StringWidth(s) == ansi.StringWidthWc(s) && !strings.ContainsFunc(s, unicode.IsMark) {
		return s
	}
	return settleClusters(s)
}

// oneSpace makes all of Unicode's spaces the plain one: they look the same, and differ in width.
func oneSpace(c rune) rune {
	if unicode.IsSpace(c) {
		return ' '
	}
	return c
}

// dropUnseen drops what has no width of its own but changes that of its
// neighbours, or the direction of the line: joiners, selectors, overrides.
func dropUnseen(c rune) rune {
	if unicode.In(c, unicode.Cf, unicode.Variation_Selector) {
		return -1
	}
	return c
}

// maxMarks is how many accents one character may carry before they smear over the lines around.
const maxMarks = 2

// settleClusters keeps of every character only what terminals that count whole
// characters and those that count code points agree on.
func settleClusters(s string) string {
	var b strings.Builder
	for s != "" {
		cluster, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		s = s[len(cluster):]
		agreed := w == ansi.StringWidthWc(cluster)
		marks := 0
		for i, c := range cluster {
			switch {
			case unicode.IsMark(c):
				if marks++; (b.Len() == 0 && i == 0) || marks > maxMarks {
					continue
				}
			case i > 0 && !agreed:
				continue
			}
			b.WriteRune(c)
		}
	}
	return b.String()
}

// drawn spells the screen's own glyphs in ASCII, each as wide as before.
var drawn = strings.NewReplacer("·", "-", "─", "-", "│", "|", "›", ">", "▸", "+", "▾", "-")

// ownText is a text of the screen itself.
func ownText(s string, ascii bool) string {
	if ascii {
		return drawn.Replace(s)
	}
	return s
}

func width(s string) int { return ansi.StringWidth(s) }

// clip cuts a plain text to a display width and marks the cut.
func clip(s string, w int, ascii bool) string {
	tail := ellipsis(ascii)
	if w <= width(tail) {
		tail = ""
	}
	return ansi.Truncate(s, max(w, 0), tail)
}

func ellipsis(ascii bool) string {
	if ascii {
		return "..."
	}
	return "…"
}

// wrapped is a plain text in lines behind a lead, of at most w cells without it.
func wrapped(lead, text string, w int, ink ink) []line {
	var lines []line
	for _, part := range wrap(text, w) {
		lines = append(lines, line{{lead + part, ink}})
	}
	return lines
}

// wrap breaks a plain text into lines of at most w cells. Nothing has no lines.
func wrap(s string, w int) []string {
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	w = max(w, 2) // room for one wide character
	return ui.Wrap(s, w, w)
}
