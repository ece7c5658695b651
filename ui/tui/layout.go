package tui

import tea "github.com/charmbracelet/bubbletea"

// The sizes that the screen is made for. Below the least size there is no room
// for a list worth reading.
const (
	defaultWidth, defaultHeight = 80, 24
	leastWidth, leastHeight     = 30, 8
	wideFrom                    = 100 // columns from which list and detail stand side by side
	// lines from which the header may take two and a preview is shown
	tallFrom     = 18
	previewLines = 3
)

// A layout says how many cells each part of the screen has.
type layout struct {
	width, height int
	wide          bool
	list, detail  int // widths; both the whole width where they take turns
	body          int // lines between header and footer
	preview       int // lines of the body that the preview takes from the list, its rule included
}

func layoutOf(w, h, headerLines int) layout {
	l := layout{width: w, height: h, list: w, detail: w}
	l.wide = w >= wideFrom
	l.body = max(h-headerLines-1-footerLines, 1)
	switch {
	case l.wide:
		l.list = max(min(w*48/100, 64), w-readable-len(" | ")-1) // what the detail has no use for
		l.detail = w - l.list - len(" | ")
	case h >= tallFrom:
		l.preview = previewLines + 1
	}
	return l
}

// listLines is how many rows of the list are seen at once.
func (l layout) listLines() int { return max(l.body-l.preview, 1) }

// sizeOf is what a terminal says of its size. A serial console knows none.
func sizeOf(msg tea.WindowSizeMsg) (width, height int) {
	if msg.Width <= 0 || msg.Height <= 0 {
		return defaultWidth, defaultHeight
	}
	return msg.Width, msg.Height
}
