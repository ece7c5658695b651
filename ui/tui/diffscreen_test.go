package tui

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"doctor/checks"
	"doctor/checks/diff"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/ui/lang"
)

// comparedDemos compares two recorded nodes, each judged as its own screen shows it.
func comparedDemos(t *testing.T, a, b string, l *lang.Catalogue) diff.Comparison {
	t.Helper()
	var sides [2]diff.Side
	for i, name := range []string{a, b} {
		r, s := diagnosed(t, name)
		sides[i] = diff.Side{Name: "demo:" + name, Report: l.Report(r), Paths: s.Paths(), Gap: s.GapAt,
			Read: func(path string) ([]byte, error) {
				f, err := s.Open(path)
				if err != nil {
					return nil, err
				}
				defer f.Close()
				return io.ReadAll(evidence.Text(f))
			}}
	}
	return diff.Compare(sides[0], sides[1], checks.Program{})
}

func TestGoldenDiff(t *testing.T) {
	for _, size := range goldenSizes {
		for _, s := range []struct {
			name string
			keys []string
		}{
			{"diff", nil},
			{"diff-next", []string{"n", "n"}},
			{"diff-filter", []string{"/", "d", "n", "s"}},
			{"diff-help", []string{"?"}},
		} {
			for _, l := range []*lang.Catalogue{nil, lang.Of("zh", faults.Catalogue())} {
				name := fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1])
				if l != nil {
					name = "zh-" + name
				}
				t.Run(name, func(t *testing.T) {
					c := comparedDemos(t, "healthy-calico", "outboundnat-exception-missing", l)
					h := newHost(diffModel{compared: c}, Options{Width: size[0], Height: size[1], Lang: l})
					h, _ = hostAfter(t, h, s.keys...)
					golden(t, name, seenOn(h))
				})
			}
		}
	}
}

// hostileDiff has a text of each kind that a screen must not pass on as it is.
func hostileDiff() diff.Comparison {
	long := strings.Repeat("10.0.0.0/8 ", 400)
	return diff.Comparison{Differs: true, Compared: 2,
		A: diff.Node{Source: "a\x1b[2J.zip"}, B: diff.Node{Source: strings.Repeat("b", 300)},
		Verdicts: []diff.Verdict{{ID: "some-fault", Title: "Title\x1b]0;x\x07", A: checks.StatusPass,
			B: checks.StatusFail, Message: long, Differences: []int{0}}},
		Differences: []diff.Difference{
			{Group: diff.State, Path: "p\x1b[31m", Field: long, A: []string{long, "\x1b[2J"}, B: []string{},
				Explains: []string{"some-fault"}},
			{Group: diff.Versions, Path: "os.json", Field: "ubr", A: []string{"2700"}, B: []string{"2762"}},
			{Group: diff.Rest, Path: "memory.json", Field: "totalBytes", A: []string{"1"}, B: []string{"2"}},
		}}
}

func TestAWarningIsNoFault(t *testing.T) {
	c := diff.Comparison{Verdicts: []diff.Verdict{{A: checks.StatusFail, B: checks.StatusPass},
		{A: checks.StatusPass, B: checks.StatusWarn}, {A: checks.StatusWarn, B: checks.StatusUnknown}}}
	if got := (diffModel{compared: c}).counts(env{}); got != "1 fault · 2 warnings" {
		t.Errorf("the comparison says %q", got)
	}
}

func TestAComparisonFillsItsScreenAndNoMore(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 15}, {30, 8}, {20, 5}} {
		for _, keys := range [][]string{nil, {"G"}, {"a"}, {"?"}, {"/", "x"}, {"n", "N"}} {
			for _, ascii := range []bool{false, true} {
				h, _ := hostAfter(t, newHost(diffModel{compared: hostileDiff()},
					Options{Width: size[0], Height: size[1], ASCII: ascii}), keys...)
				lines := h.draw()
				if len(lines) != size[1] {
					t.Errorf("%v after %v: %d lines", size, keys, len(lines))
				}
				for _, l := range lines {
					if l.width() > size[0] || strings.ContainsAny(l.String(), "\x1b\x07") ||
						ascii && strings.ContainsFunc(l.String(), func(r rune) bool { return r > 0x7e }) {
						t.Errorf("%v after %v: %q", size, keys, l)
					}
				}
			}
		}
	}
}

func TestKeysOfAComparison(t *testing.T) {
	for _, row := range []struct {
		name        string
		keys        []string
		has, hasNot string
	}{
		{"what changes by itself is hidden", nil, "1 hidden, which change by themselves", "totalBytes"},
		{"a shows it", []string{"a"}, "totalBytes", "hidden"},
		{"a filter leaves what holds it", []string{"/", "2", "7", "6", "2", "enter"}, "ubr", "Title"},
		{"escape brings the rest back", []string{"/", "2", "7", "6", "2", "enter", "esc"}, "Title", "filter 2762"},
		{"a filter that nothing fits says so", []string{"/", "x", "x", "x"}, "nothing fits the filter", "ubr"},
	} {
		t.Run(row.name, func(t *testing.T) {
			h, _ := hostAfter(t, newHost(diffModel{compared: hostileDiff()}, Options{Width: 80, Height: 200}),
				row.keys...)
			if text := seenOn(h); !strings.Contains(text, row.has) || strings.Contains(text, row.hasNot) {
				t.Errorf("want %q and not %q in\n%s", row.has, row.hasNot, text)
			}
		})
	}
	for _, row := range []struct {
		key    string
		open   int
		report bool
	}{{"1", 1, false}, {"2", 2, false}, {"q", 0, false}, {"Q", 0, true}} {
		h, do := hostAfter(t, newHost(diffModel{compared: hostileDiff()}, Options{Width: 80, Height: 24}), row.key)
		if open := h.base.(diffModel).open; !do.quit || open != row.open || do.report != row.report {
			t.Errorf("%s: quit %v, opens %d, report %v", row.key, do.quit, open, do.report)
		}
	}
}
