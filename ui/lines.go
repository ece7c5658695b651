package ui

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// cells measures without asking the locale, so that a report is the same
// wherever it is drawn. It counts rune by rune: where a terminal joins some into
// one picture, a line comes out shorter than its limit and never longer.
var cells = &runewidth.Condition{StrictEmojiNeutral: true}

func cellsOf(r rune) int {
	if r == '\ufe0f' { // makes a picture of the character before it, two columns wide
		return 1
	}
	return cells.RuneWidth(r)
}

func width(s string) int {
	n := 0
	for _, r := range s {
		n += cellsOf(r)
	}
	return n
}

// takeColumns returns the longest beginning of s that fits into n columns.
func takeColumns(s string, n int) string {
	used := 0
	for i, r := range s {
		if used += cellsOf(r); used > n {
			return s[:i]
		}
	}
	return s
}

// clipColumns cuts s to n columns and marks the cut.
func clipColumns(s string, n int, ascii bool) string {
	if width(s) <= n {
		return s
	}
	mark := ellipsis(ascii)
	return strings.TrimRight(takeColumns(s, max(n-len([]rune(mark)), 0)), " ") + mark
}

func ellipsis(ascii bool) string {
	if ascii {
		return "..."
	}
	return "…"
}

func pad(s string, n int) string { return s + strings.Repeat(" ", max(n-width(s), 0)) }

// shortest is the piece of a long word that is worth the end of a line.
const shortest = 16

// Wrap breaks s at spaces, and between wide characters, into a first line of
// `first` columns and further ones of `rest`, and cuts words that no line can
// hold. The first line is empty where nothing fits into it.
func Wrap(s string, first, rest int) []string {
	lines := []string{""}
	room, used := first, 0
	next := func() { lines, room, used = append(lines, ""), rest, 0 }
	for _, field := range strings.Fields(s) {
		for i, word := range breakable(field) {
			for word != "" {
				space := min(used, 1)
				if i > 0 { // nothing stood between it and what is before it
					space = 0
				}
				free := room - used - space
				piece := takeColumns(word, free)
				switch {
				case len(piece) == len(word):
				case free >= shortest && len(takeColumns(word, rest)) < len(word):
				case used > 0 || len(lines) == 1 && first < rest:
					next()
					continue
				}
				if piece == "" { // a column too few for even one character
					piece = word
				}
				lines[len(lines)-1] += " "[:space] + piece
				used += space + width(piece)
				if word = word[len(piece):]; word != "" {
					next()
				}
			}
		}
	}
	return lines
}

// Marks that no line begins with, and marks that none ends with.
const (
	closing = "，。、；：？！）》」』】〉”’…—·％,.;:?!)]}"
	opening = "（《「『【〈“‘([{"
)

// breakable parts a word where a line may end within it: beside a wide
// character, as Chinese has no spaces, but not before a mark that closes nor
// after one that opens.
func breakable(word string) []string {
	var parts []string
	from := 0
	var before rune
	for i, r := range word {
		if i > from && (cellsOf(before) == 2 || cellsOf(r) == 2) && !strings.ContainsRune(opening,
			before) && !strings.ContainsRune(closing, r) {
			parts, from = append(parts, word[from:i]), i
		}
		before = r
	}
	return append(parts, word[from:])
}

// bound keeps the first n lines and marks the cut in the last.
func bound(lines []string, n, columns int, ascii bool) []string {
	if len(lines) <= n {
		return lines
	}
	last := lines[n-1]
	if mark := ellipsis(ascii); width(last)+len([]rune(mark))+1 <= columns {
		last += " " + mark
	} else {
		last = strings.TrimRight(takeColumns(last, columns-len([]rune(mark))), " ") + mark
	}
	return append(lines[:n-1:n-1], last)
}

// flow sets items side by side and keeps each whole as long as it fits a line;
// the separator ends a line, so that a reader sees that more follows.
func flow(items []string, sep string, columns int) []string {
	var lines []string
	line := ""
	for i, item := range items {
		if i < len(items)-1 {
			if bare := width(item); bare > columns ||
				bare+width(strings.TrimRight(sep, " ")) <= columns {
				item += sep
			} else { // the line's end has to do for a separator
				item += " "
			}
		}
		if line != "" && width(line)+width(strings.TrimRight(item, " ")) > columns {
			lines, line = append(lines, strings.TrimRight(line, " ")), ""
		}
		if width(strings.TrimRight(item, " ")) > columns {
			pieces := Wrap(item, columns, columns)
			lines = append(lines, pieces[:len(pieces)-1]...)
			item = pieces[len(pieces)-1] + " "
		}
		line += item
	}
	if line = strings.TrimRight(line, " "); line != "" {
		lines = append(lines, line)
	}
	return lines
}
