package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// What all lists of the screen share: the cursor and the first row seen, the line in which a filter
// is typed, and what a filter leaves.

// inSight brings a cursor into a list of n rows and in sight, where so many rows are seen at once.
func inSight(at, top, n, rows int) (cursor, first int) {
	at = clamp(at, n-1)
	return at, clamp(max(min(top, at), at-rows+1), n-rows)
}

// inSightOf is inSight for rows of several lines, of which room are seen at once. The height of a row
// is asked for with the row that is the first seen.
func inSightOf(at, top, n, room int, height func(at, top int) int) (cursor, first int) {
	at = clamp(at, n-1)
	top = clamp(top, at)
	fits := func(from, to int) bool {
		lines := 0
		for i := from; i <= to && lines <= room; i++ {
			lines += height(i, from)
		}
		return lines <= room
	}
	top = max(top, at-room) // every row has a line
	for top < at && !fits(top, at) {
		top++
	}
	for top > 0 && fits(top-1, n-1) { // no empty lines at the end
		top--
	}
	return at, top
}

func cursorMark(selected, ascii bool) span {
	if selected {
		return span{ownText("›", ascii) + " ", accent}
	}
	return span{"  ", plain}
}

// maxFilter is more than anyone types, and less than a pasted log.
const maxFilter = 200

// typedText is what a key makes of a line that is typed, of at most so many characters: open says
// that more may follow, and taken that the key was for the line at all.
func typedText(text string, k tea.KeyMsg, most int) (now string, open, taken bool) {
	r := []rune(text)
	switch k.Type {
	case tea.KeyEnter:
		return text, false, true
	case tea.KeyEsc:
		return "", false, true
	case tea.KeyBackspace:
		return string(r[:max(len(r)-1, 0)]), len(r) > 0, true
	case tea.KeyCtrlU:
		return "", true, true
	case tea.KeyRunes, tea.KeySpace:
		if !k.Alt {
			r = append(r, []rune(show(string(k.Runes), false))...)
		}
		return string(r[:min(len(r), most)]), true, true
	}
	return text, true, false
}

// typedLine shows the end of a line that is typed, in w cells.
func typedLine(lead, text string, w int, ascii bool) line {
	return line{{lead, accent}, {show(tail(text, w), ascii), strong}, {"_", accent}}
}

// tail is the end of a text that is being written.
func tail(s string, w int) string {
	r := []rune(s)
	for len(r) > 0 && width(string(r)) > w {
		r = r[1:]
	}
	return string(r)
}

// A filtered list is narrowed as the filter is typed.
type filtered struct {
	at, top int // into shown
	shown   []int
	filter  string
	writing bool // keys go to the filter
}

func (f filtered) typing() bool { return f.writing }

// typed is what a key does while the filter is being written.
func (f filtered) typed(k tea.KeyMsg) filtered {
	if k.Type == tea.KeyUp || k.Type == tea.KeyDown {
		n, _ := motion(k, 1)
		return f.moved(n)
	}
	f.filter, f.writing, _ = typedText(f.filter, k, maxFilter)
	return f
}

func (f filtered) moved(n int) filtered {
	f.at = clamp(f.at+n, len(f.shown)-1)
	return f
}

// typedLine shows the filter as it is typed, and how much it leaves.
func (f filtered) typedLine(e env, all int) line {
	return apart(typedLine(" /", f.filter, e.width-22, e.ascii),
		line{{e.T("%d of %d", len(f.shown), all), faint}}, e.width-1)
}

// holds says whether one of the texts holds the filter's, in any case. A leading "!" turns the answer
// around.
func holds(filter string, texts ...string) bool {
	text, invert := strings.CutPrefix(strings.ToLower(filter), "!")
	return text == "" || invert != slices.ContainsFunc(texts, func(s string) bool {
		return strings.Contains(strings.ToLower(s), text)
	})
}
