package tui

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"doctor/checks"
	"doctor/ui"
)

// A span is text of one meaning; a line is what stands in one row of the screen.
type span struct {
	text string
	ink  ink
}

type line []span

func (l line) width() int {
	n := 0
	for _, s := range l {
		n += width(s.text)
	}
	return n
}

func (l line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.text)
	}
	return b.String()
}

// fit cuts a line to w cells, marking the cut.
func (l line) fit(w int, ascii bool) line {
	if l.width() <= w {
		return l
	}
	var out line
	for _, s := range l {
		have := width(s.text)
		if have > w {
			return append(out, span{clip(s.text, w, ascii), s.ink})
		}
		out = append(out, s)
		w -= have
	}
	return out
}

// pad fills a line with spaces to exactly w cells.
func (l line) pad(w int) line {
	if n := w - l.width(); n > 0 {
		return append(l[:len(l):len(l)], span{strings.Repeat(" ", n), plain})
	}
	return l
}

// apart sets two parts to the ends of a line of w cells; the right one gives
// way when there is no room for both.
func apart(left, right line, w int) line {
	if right.width() == 0 || left.width()+2+right.width() > w {
		return left
	}
	return append(left.pad(w-right.width()), right...)
}

// styles are how the inks of a theme look.
type styles map[ink]lipgloss.Style

// spans colours a part of a line.
func (s styles) spans(b *strings.Builder, l line) {
	for _, sp := range l {
		switch {
		case sp.text == "":
		case sp.ink == plain, strings.Trim(sp.text, " ") == "":
			b.WriteString(sp.text)
		default:
			b.WriteString(s[sp.ink].Render(sp.text))
		}
	}
}

// An ink is what a span of text means; styles gives it a colour.
type ink int

const (
	plain ink = iota
	strong
	faint
	accent // where the user is: the cursor, a filter
	inkFail
	inkWarn
	inkInfo
	inkPass
	inkUnknown
	inkSkip
)

var inks = map[checks.Status]ink{
	checks.StatusFail: inkFail, checks.StatusWarn: inkWarn, checks.StatusInfo: inkInfo,
	checks.StatusPass: inkPass, checks.StatusUnknown: inkUnknown, checks.StatusSkip: inkSkip,
}

func inkOf(s checks.Status) ink {
	switch s {
	case StatusWaiting:
		return faint
	case StatusReading:
		return accent
	}
	if i, ok := inks[s]; ok {
		return i
	}
	return inkUnknown
}

// inkIf is of a text that is under the cursor, or is not.
func inkIf(selected bool) ink {
	if selected {
		return strong
	}
	return plain
}

// symbol is the sign of a verdict or of an open check, one cell wide.
func symbol(s checks.Status, ascii bool) string {
	switch {
	case s == StatusReading:
		return "~"
	case s == StatusWaiting && ascii:
		return "."
	case s == StatusWaiting:
		return "·"
	}
	return ui.Symbol(s, ascii)
}

// The themes that can be chosen. Without one, the 16 colors of the terminal's own palette are used.
const (
	themeDark         = "dark"
	themeLight        = "light"
	themeHighContrast = "high-contrast"
	themeNone         = "none"
)

// Themes lists the themes that can be chosen.
func Themes() []string { return []string{themeDark, themeLight, themeHighContrast, themeNone} }

// Theme is the theme that a flag, or else the environment, asks for: NO_COLOR, then DOCTOR_THEME,
// then what the terminal says of its background in COLORFGBG. It is "" where none of them does.
func Theme(flag string, getenv func(string) string) (string, error) {
	from, name := "--theme", flag
	if name == "" {
		if getenv("NO_COLOR") != "" {
			return themeNone, nil
		}
		from, name = "DOCTOR_THEME", getenv("DOCTOR_THEME")
	}
	if name == "" {
		return themeOfBackground(getenv("COLORFGBG")), nil
	}
	if slices.Contains(Themes(), name) {
		return name, nil
	}
	return "", fmt.Errorf("%s takes %s, not %q", from, strings.Join(Themes(), ", "),
		ui.Plain(name, true))
}

// themeOfBackground reads COLORFGBG, as in "0;15". A dark background needs no theme: the terminal's
// own palette is made for it.
func themeOfBackground(colors string) string {
	switch colors[strings.LastIndex(colors, ";")+1:] {
	case "7", "15":
		return themeLight
	}
	return ""
}

// A paint is how an ink looks: colors of the 256 that are the same in every terminal, "" for the
// terminal's own.
type paint struct {
	fore, back           string
	bold, faint, reverse bool
}

// paints are legible on what they are made for; TestThemesAreLegible holds them to it. The theme of
// high contrast brings backgrounds of its own, so it fits any terminal.
var paints = map[string]map[ink]paint{
	themeDark: {
		strong: {bold: true}, faint: {fore: "248"}, accent: {fore: "117", bold: true},
		inkFail: {fore: "210", bold: true}, inkWarn: {fore: "221", bold: true},
		inkInfo: {fore: "80"}, inkPass: {fore: "114"}, inkUnknown: {fore: "183"},
		inkSkip: {fore: "247"},
	},
	themeLight: {
		strong: {bold: true}, faint: {fore: "240"}, accent: {fore: "25", bold: true},
		inkFail: {fore: "124", bold: true}, inkWarn: {fore: "94", bold: true},
		inkInfo: {fore: "24"}, inkPass: {fore: "22"}, inkUnknown: {fore: "90"},
		inkSkip: {fore: "240"},
	},
	themeHighContrast: {
		strong: {bold: true}, faint: {}, accent: {bold: true, reverse: true},
		inkFail: {fore: "231", back: "124", bold: true},
		inkWarn: {fore: "16", back: "226", bold: true},
		inkInfo: {fore: "231", back: "18"}, inkPass: {},
		inkUnknown: {fore: "231", back: "54"}, inkSkip: {},
	},
}

func newStyles(out io.Writer, theme string) styles {
	r := lipgloss.NewRenderer(out)
	// set, so that nobody asks the terminal; no color here depends on it
	r.SetHasDarkBackground(true)
	r.SetColorProfile(termenv.ANSI256)
	chosen, ok := paints[theme]
	if !ok {
		r.SetColorProfile(termenv.ANSI)
		chosen = palettePaints(theme == themeNone)
	}
	all := styles{plain: r.NewStyle()}
	for ink, p := range chosen {
		s := r.NewStyle().Bold(p.bold).Faint(p.faint).Reverse(p.reverse)
		if p.fore != "" {
			s = s.Foreground(lipgloss.Color(p.fore))
		}
		if p.back != "" {
			s = s.Background(lipgloss.Color(p.back))
		}
		all[ink] = s
	}
	return all
}

// palettePaints are of the 16 colors that the user's terminal defines, or of none.
func palettePaints(none bool) map[ink]paint {
	all := map[ink]paint{strong: {bold: true}, faint: {faint: true}, accent: {fore: "6", bold: true}}
	for status, ink := range inks {
		all[ink] = paint{fore: fmt.Sprint(uint(ui.Colour(status))), bold: status.Fault()}
	}
	for ink, p := range all {
		if none {
			p.fore = ""
			all[ink] = p
		}
	}
	return all
}
