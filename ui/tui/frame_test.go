package tui

import (
	"math/rand/v2"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"doctor/checks"
	"doctor/checks/evidence"
)

var hostile = []string{
	"节点没有分配到网段，所以没有网络",
	"e\u0301\u0301\u0301\u0301\u0301\u0301tat",
	"\u0301leading accent",
	"\x1b[2J\x1b[31mred\x1b]0;title\x07\x1b[10;10Hx",
	"👩\u200d👩\u200d👧 🇩🇪 👍🏽 ☁\ufe0f ❤",
	"a\u200b\u200d\ufeff\u2060b",
	"\u202eright to left",
	"tab\there\r\nand\vthere\u2028\u0085\u009b31m",
	strings.Repeat("very-long-id-without-any-space-", 9),
	strings.Repeat("宽", 120),
	"bad \xff\xfe\xc3 utf-8",
	"हिन्दी ไทย 한국어 \u1112\u1161\u11ab עברית",
	"",
}

// hostileReport has a hostile text in each place of the sample that holds text.
func hostileReport(r *rand.Rand) checks.Report {
	text := func() string { return hostile[r.IntN(len(hostile))] }
	rep := sample()
	for range r.IntN(11) {
		rep.Unexplained = append(rep.Unexplained, checks.Unexplained{Component: text(),
			Text: text() + text(), Count: r.IntN(3), Path: text(), Line: r.IntN(3),
			Codes: []checks.DecodedCode{{Code: text(), Symbol: text(), Meaning: text()}}})
	}
	if r.IntN(2) == 0 {
		rep.Causes = nil
	}
	rep.Node = checks.NodeFacts{Name: text(), OS: text(), Build: text(), Kubelet: text(),
		Runtime: text(), Network: text()}
	rep.Source = checks.Source{Kind: text(), Name: text(), Format: text()}
	for i := range rep.Results {
		res := &rep.Results[i]
		res.Title, res.Gap, res.Reason = text(), text(), text()
		if r.IntN(8) == 0 {
			res.ID, res.Category, res.Status = text(), checks.Category(text()),
				checks.Status(text())
		}
		for j := range res.Findings {
			f := &res.Findings[j]
			f.Level, f.Subject, f.Message = text(), text(), text()
			for k := range f.Because {
				f.Because[k] = evidence.Because{Path: text(), Line: r.IntN(3), Text: text()}
			}
		}
		res.Fix = checks.Fix{Steps: []*checks.Step{
			{Kind: checks.StepRun, Text: text(), Command: text(), Impact: text()},
			{Kind: checks.StepRun, Command: text()}}}
		res.Links = []string{text()}
	}
	return rep
}

var walks = [][]string{nil, {"enter"}, {"down", "down", "down", "enter", "G"}, {"f", "down"}, {"?"},
	{"?", "G"}, {"/", "e"},
	{"/", "节", "👩\u200d👩", "enter"}, {"/", "no such thing"}, {"G", "space", "pgup"},
	{"j", "j", "enter", "tab", "ctrl+d"}, {"c"},
	{"enter", "G", "tab", "enter"}, {"enter", "tab", "tab", "tab", "tab", "enter", "shift+tab",
		"ctrl+d", "k", "backspace"}, {"j", "tab", "pgdown"}, {"w", "m"},
	{"s"}, {"s", "G"}, {"s", "enter"}, {"s", "j", "enter", "space", "G", "c"},
	{"s", "enter", "enter", "G"}, {"t"}, {"t", "/", "x", "enter", "G"},
	{"u"}, {"u", "j", "G", "pgup"}, {"u", "/", "e"}, {"u", "enter"}, {"j", "j", "j"}}

// rounds is how often a test with random inputs tries: in the quick loop less often.
func rounds(n int) int {
	if testing.Short() {
		return n / 5
	}
	return n
}

// sizes are those of a list: in the quick loop every third.
func sizes(list [][2]int) (some [][2]int) {
	for i, size := range list {
		if i%3 == 0 || !testing.Short() {
			some = append(some, size)
		}
	}
	return some
}

func TestEveryFrameFitsTheTerminal(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	check := func(rep checks.Report, w, h int, keys []string) {
		t.Helper()
		m := after(finished(rep, Options{Width: w, Height: h, ASCII: r.IntN(3) == 0}), keys...)
		lines := draw(m)
		if len(lines) != h {
			t.Fatalf("%dx%d after %q: %d lines", w, h, keys, len(lines))
		}
		s := newStyles(nil, "")
		for i, l := range strings.Split(s.frame(lines), "\n") {
			if n := lipgloss.Width(l); n > w {
				t.Fatalf("%dx%d after %q: line %d takes %d cells: %q", w, h, keys, i, n, l)
			}
			text := ansi.Strip(l)
			if n := ansi.StringWidthWc(text); n > w {
				t.Fatalf("%dx%d after %q: line %d takes %d cells where code points are counted: %q",
					w, h, keys, i, n, text)
			}
			if text != lines[i].String() {
				t.Fatalf("%dx%d after %q: line %d carries a sequence that is not the screen's: %q",
					w, h, keys, i, l)
			}
			if strings.ContainsFunc(text, func(c rune) bool {
				return c < 0x20 || c >= 0x7f && c < 0xa0 || m.ascii && c >= 0x80
			}) {
				t.Fatalf("%dx%d after %q: line %d holds a character that does not belong: %q", w, h,
					keys, i, text)
			}
		}
	}
	for range rounds(400) {
		rep := sample()
		if r.IntN(4) > 0 {
			rep = hostileReport(r)
		}
		check(rep, 20+r.IntN(181), 5+r.IntN(56), walks[r.IntN(len(walks))])
	}
	for _, keys := range walks {
		for _, size := range sizes([][2]int{{1, 1}, {20, 5}, {29, 8}, {30, 8}, {30, 7}, {40, 15},
			{80, 24}, {99, 24}, {100, 24}, {200, 60}}) {
			check(hostileReport(r), size[0], size[1], keys)
			check(checks.Report{}, size[0], size[1], keys)
		}
	}
}

func TestAsciiSpellsOutWhatItCannotDraw(t *testing.T) {
	rep := sample()
	rep.Results[0].Title = "网 fehlt"
	got := seen(finished(rep, Options{ASCII: true, Width: 80, Height: 24}))
	if !strings.Contains(got, "7f51") || !strings.Contains(got, "fehlt") {
		t.Errorf("the title lost its characters:\n%s", got)
	}
}

func TestTinyTerminalGetsAHint(t *testing.T) {
	for _, size := range [][2]int{{29, 20}, {80, 7}} {
		got := seen(finished(sample(), Options{Width: size[0], Height: size[1]}))
		if !strings.HasPrefix(got, "make the window at least") {
			t.Errorf("%dx%d shows:\n%s", size[0], size[1], got)
		}
	}
}

func TestColoursAreTheSixteenAndNoColourHasNone(t *testing.T) {
	lines := draw(finished(sample(), Options{Width: 120, Height: 40}))
	coloured := newStyles(nil, "").frame(lines)
	for _, deep := range []string{"38;2", "38;5", "48;", "\x1b]"} {
		if strings.Contains(coloured, deep) {
			t.Errorf("the screen holds %q", deep)
		}
	}
	if !strings.Contains(coloured, "31m") {
		t.Error("a failure is not red")
	}
	for _, seq := range strings.Split(newStyles(nil, themeNone).frame(lines), "\x1b[")[1:] {
		code, _, _ := strings.Cut(seq, "m")
		if code != "" && code != "0" && code != "1" && code != "2" {
			t.Errorf("without colour the screen still sends %q", code)
		}
	}
}

func TestNothingIsDrawnBeforeTheSizeIsKnown(t *testing.T) {
	p := program{model: finished(sample(), Options{})}
	if got := draw(p.model); got != nil {
		t.Errorf("drew %q", got)
	}
	next, _ := p.Update(tea.WindowSizeMsg{})
	if m := next.(program).model; m.width != 80 || m.height != 24 {
		t.Errorf("a terminal of 0x0 is drawn at %dx%d, want 80x24", m.width, m.height)
	}
}

// frame colours the lines of a screen.
func (s styles) frame(lines []line) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		s.spans(&b, l)
	}
	return b.String()
}
