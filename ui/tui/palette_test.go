package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"doctor/ui/lang"
)

func TestThePaletteRunsWhatIsTyped(t *testing.T) {
	for _, row := range []struct {
		name string
		keys []string
		want string // on the screen after it
	}{
		{"an action by its name", []string{":", "timeline", "enter"}, "Timeline · UTC"},
		{"an action by its key", []string{":", "e", "enter"}, "─ evidence"},
		{"an action of the screen below it", []string{"e", ":", "unfold every", "enter"},
			"flanneld.log"},
		{"an action on the selected row", []string{":", "enter"}, "By symptom"},
		{"a check by its id", []string{":", "paging-file", "enter"}, "─ paging-file-too-small"},
		{"a check by its title", []string{":", "no pod cidr", "enter"}, "─ podcidr-not-assigned"},
		{"a check by letters of its id", []string{":", "pgftoo", "enter"},
			"─ paging-file-too-small"},
		{"the second of what matches", []string{":", "network-sound-", "down", "enter"},
			"─ network-sound-2"},
		{"a number in a file", []string{"e", "/", "flanneld.l", "enter", "enter", ":", "299",
			"enter"}, "line 299 of 300"},
		{"a check while a file is open", []string{"e", "/", "flanneld.l", "enter", "enter", ":",
			"paging-file", "enter"}, "─ paging-file-too-small"},
		{"a number where there is no file", []string{":", "299", "enter"},
			"no action and no check matches 299"},
		{"a line that cannot be", []string{"e", "/", "flanneld.l", "enter", "enter", ":", "0",
			"enter"}, "lines are counted from 1"},
		{"unknown text", []string{":", "zebra", "enter"}, "no action and no check matches zebra"},
		{"esc goes back", []string{"t", ":", "zebra", "esc"}, "Timeline · UTC"},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := withEvidence(t, sample(), sampleFiles(), Options{Width: 100, Height: 30})
			if got := seen(through(m, row.keys...)); !strings.Contains(got, row.want) {
				t.Errorf("%q does not lead to %q:\n%s", row.keys, row.want, got)
			}
		})
	}
}

func TestThePaletteHoldsEveryActionAndCheck(t *testing.T) {
	m := through(withEvidence(t, sample(), sampleFiles(), Options{Width: 100, Height: 30}), "e",
		":")
	over, _ := m.over()
	have := map[string]bool{}
	for _, c := range over.(palette).found(m.env()) {
		have[c.english] = true
		if c.check == nil && c.press.String() == "" {
			t.Errorf("%s presses no key", c.english)
		}
	}
	for _, b := range append(append(actionKeys(false), moveKeys()...), browser{}.bindings()...) {
		if d := b.Help().Desc; !have[d] && d != keys.palette.Help().Desc {
			t.Errorf("the palette lacks the action %q", d)
		}
	}
	for _, r := range m.report.Results {
		if !have[r.ID] {
			t.Errorf("the palette lacks the check %s", r.ID)
		}
	}
}

func TestAClickInThePaletteSelectsAndRuns(t *testing.T) {
	m := through(withEvidence(t, sample(), sampleFiles(), Options{Width: 100, Height: 30}), ":",
		"timeline")
	click := tea.MouseMsg{Action: tea.MouseActionPress, Button: tea.MouseButtonLeft, X: 5,
		Y: len(header(m)) + 2}
	m, do := m.update(click)
	if m = carriedOut(m, do); !strings.Contains(seen(m), "Timeline · UTC") {
		t.Errorf("a click on the selected entry leads to:\n%s", seen(m))
	}
}

func TestThePaletteIsSearchedInBothLanguages(t *testing.T) {
	for _, typed := range []string{"timeline", "时间线"} {
		m := ofNode(t, "podcidr-not-assigned", Options{Width: 100, Height: 30,
			Lang: lang.Of("zh", nil)})
		if got := seen(through(m, ":", typed, "enter")); !strings.Contains(got, "时间线 · UTC") {
			t.Errorf("%s leads to:\n%s", typed, got)
		}
	}
}

func TestClearingAFilterKeepsTheCursor(t *testing.T) {
	for _, row := range []struct {
		name string
		keys []string
	}{
		{"esc while typing", []string{"/", "env-miss", "down", "esc"}},
		{"esc after enter", []string{"/", "env-miss", "enter", "j", "esc"}},
		{"ctrl+u", []string{"/", "env-miss", "down", "ctrl+u"}},
		{"f again", []string{"f", "G", "f"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			last := len(row.keys) - 1
			before := after(small(), row.keys[:last]...)
			if m := after(before, row.keys[last]); at(t, m) != at(t, before) {
				t.Errorf("the cursor went from %s to %s", at(t, before), at(t, m))
			}
		})
	}
	folded := after(small(), "/", "components-sound-4", "down", "enter", "esc")
	if got := at(t, folded); got != "components-sound-4" {
		t.Errorf("a check of a folded group is not kept: the cursor is on %s", got)
	}
	m := withEvidence(t, sample(), sampleFiles(), Options{Width: 80, Height: 24})
	m = through(m, "e", "-", "/", "flanneld.l", "enter", "esc")
	if got := cursorLine(m); !strings.HasPrefix(got, "flanneld.log") {
		t.Errorf("in the evidence the cursor is on %q\n%s", got, seen(m))
	}
	m = through(ofNode(t, "hns-network-missing", Options{Width: 100, Height: 30}), "t", "/",
		"proxy",
		"enter", "j")
	before := strings.TrimLeft(cursorLine(m), "0123456789: ")
	if got := cursorLine(through(m, "esc")); !strings.Contains(got, before) {
		t.Errorf("in the timeline the cursor went from %q to %q", before, got)
	}
}
