package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
)

func at(t *testing.T, m model) string {
	t.Helper()
	r, ok := m.selected()
	switch {
	case !ok:
		return ""
	case r.folds():
		return r.foldName()
	case r.kind == rowCause:
		return "cause " + m.report.Results[r.index].ID
	}
	return m.report.Results[r.index].ID
}

func small() model { return finished(sample(), Options{Width: 80, Height: 24}) }

func TestKeysMoveTheCursor(t *testing.T) {
	for _, row := range []struct {
		name string
		keys []string
		want string
	}{
		{"the first cause is selected at the start", nil, "cause podcidr-not-assigned"},
		{"j goes down", []string{"j"}, "cause paging-file-too-small"},
		{"down skips blank lines and headings", []string{"down", "down"}, "node"},
		{"k goes up", []string{"j", "j", "k"}, "cause paging-file-too-small"},
		{"up stops at the first row", []string{"up", "up"}, "cause podcidr-not-assigned"},
		{"G goes to the last row", []string{"G"}, "storage"},
		{"end too, and down stops there", []string{"end", "down"}, "storage"},
		{"g goes back to the first", []string{"G", "g"}, "cause podcidr-not-assigned"},
		{"home too", []string{"G", "home"}, "cause podcidr-not-assigned"},
		{"page down goes a screenful of rows", []string{"pgdown"}, "dns/without-passive"},
		{"page up comes back", []string{"pgdown", "pgup"}, "cause podcidr-not-assigned"},
		{"ctrl+d goes half of it", []string{"ctrl+d"}, "podcidr-not-assigned"},
		{"keys read in one go are keys one by one", []string{"jjjk"}, "node"},
		{"ctrl+u comes back", []string{"ctrl+d", "ctrl+u"}, "cause podcidr-not-assigned"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := at(t, after(small(), row.keys...)); got != row.want {
				t.Errorf("at %q, want %q", got, row.want)
			}
		})
	}
}

func TestEnterAndSpaceFold(t *testing.T) {
	for _, k := range []string{"enter", "space"} {
		m := after(small(), "j", "j") // the group node, which is open
		folded := after(m, k)
		if len(folded.rows) != len(m.rows)-2 || at(t, folded) != "node" {
			t.Errorf("%s: %d rows at %q, want %d at node", k, len(folded.rows), at(t, folded),
				len(m.rows)-2)
		}
		if again := after(folded, k); len(again.rows) != len(m.rows) {
			t.Errorf("%s twice: %d rows, want %d", k, len(again.rows), len(m.rows))
		}
		if m.view.open != nil {
			t.Error("the older model was changed")
		}
	}
	rest := after(small(), "j", "j", "j", "j")
	if at(t, rest) != "node/rest" {
		t.Fatalf("at %q", at(t, rest))
	}
	if got := len(after(rest, "enter").rows) - len(rest.rows); got != 4 {
		t.Errorf("unfolding the rest adds %d rows, want 4", got)
	}
}

func TestGroupsThatAreWellAreFolded(t *testing.T) {
	for _, r := range small().rows {
		if r.kind != rowGroup {
			continue
		}
		well := r.category == checks.CategoryComponents || r.category == checks.CategoryImages ||
			r.category == checks.CategoryStorage
		if r.open == well {
			t.Errorf("group %s is open: %v", r.category, r.open)
		}
	}
}

func TestFilter(t *testing.T) {
	ids := func(m model) string {
		var list []string
		for _, r := range m.rows {
			if r.kind == rowCheck {
				list = append(list, m.report.Results[r.index].ID)
			}
		}
		return strings.Join(list, " ")
	}
	for _, row := range []struct{ name, text, want string }{
		{"matches an id in any case", "ENV-MISS", "flannel-subnet-env-missing"},
		{"matches a title", "outlives", "hns-stale-endpoint"},
		{"matches a message", "1.0 gib", "paging-file-too-small"},
		{"matches a gap", "passive", "dns-suffix-missing"},
		{"matches the reason of a skip", "not Calico", "calico-vswitch-timeout"},
		{"shows nothing when nothing matches", "zebra", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := ids(after(small(), "/", row.text)); got != row.want {
				t.Errorf("%q shows %q, want %q", row.text, got, row.want)
			}
		})
	}
	all := len(sample().Results)
	if got := len(strings.Fields(ids(after(small(), "/", "!", "sound")))); got != all-31 {
		t.Errorf("!sound shows %d checks, want the %d others", got, all-31)
	}
	if got := len(strings.Fields(ids(after(small(), "/", "!")))); got == 0 {
		t.Error("! alone hides everything")
	}
}

func TestFilterIsTypedKeptAndCleared(t *testing.T) {
	m := after(small(), "/", "s", "space", "q", "?", "c", "f")
	if !m.typing || m.view.filter != "s q?cf" || m.help || m.view.wrong {
		t.Fatalf("typing gives filter %q, typing %v", m.view.filter, m.typing)
	}
	m = after(m, "backspace", "backspace", "backspace")
	if m.view.filter != "s q" {
		t.Errorf("backspace leaves %q", m.view.filter)
	}
	if after(m, "ctrl+u").view.filter != "" {
		t.Error("ctrl+u does not empty the filter")
	}
	if gone := after(m, "esc"); gone.typing || gone.view.filter != "" {
		t.Error("esc does not clear the filter")
	}
	kept := after(small(), "/", "subnet", "enter")
	if kept.typing || kept.view.filter != "subnet" {
		t.Error("enter does not keep the filter")
	}
	if !strings.Contains(seen(kept), "filter subnet") {
		t.Error("a kept filter is not shown")
	}
	if after(kept, "esc").view.filter != "" {
		t.Error("esc does not clear a kept filter")
	}
	if got := at(t, after(small(), "j", "/", "zebra",
		"esc")); got != "cause paging-file-too-small" {
		t.Errorf("after a filter that hid it the cursor is at %q", got)
	}
	if got := after(small(), "/", strings.Repeat("x", 5000)); len(got.view.filter) != maxFilter {
		t.Errorf("a pasted filter has %d bytes", len(got.view.filter))
	}
}

func TestOnlyWhatIsWrong(t *testing.T) {
	m := after(small(), "f")
	for _, r := range m.rows {
		if r.kind == rowCheck && !m.report.Results[r.index].Status.Fault() {
			t.Errorf("f shows %s", m.report.Results[r.index].ID)
		}
	}
	if len(after(m, "f").rows) != len(small().rows) ||
		len(after(m, "esc").rows) != len(small().rows) {
		t.Error("f again, or esc, does not show all")
	}
	rep := sample()
	rep.Causes, rep.Results = nil, rep.Results[len(rep.Results)-31:]
	rep.Summary = map[checks.Status]int{checks.StatusPass: 31}
	well := after(finished(rep, Options{Width: 80, Height: 24}), "f")
	if !strings.Contains(seen(well), "no fault found") {
		t.Errorf("a sound node shows:\n%s", seen(well))
	}
}

func TestHelpOpensAndCloses(t *testing.T) {
	m := after(small(), "?")
	if !m.help {
		t.Fatal("? does not open the help")
	}
	if first := seen(m); !strings.Contains(first, places[0].key.Help().Desc) ||
		strings.Contains(first, keys.up.Help().Desc) {
		t.Errorf("the help does not open with what can be done:\n%s", first)
	}
	if !strings.Contains(seen(m), "q esc close help") {
		t.Errorf("the footer of the help does not say what q does:\n%s", seen(m))
	}
	all := seen(m) + seen(after(m, "pgdown")) + seen(after(m, "G"))
	for _, b := range append(actionKeys(false), moveKeys()...) {
		if !strings.Contains(all, b.Help().Desc) {
			t.Errorf("the help does not say that a key does: %s", b.Help().Desc)
		}
	}
	for _, k := range []string{"?", "esc"} {
		if after(m, k).help {
			t.Errorf("%s does not close the help", k)
		}
	}
	if got := at(t, after(m, "j", "j", "esc")); got != "cause podcidr-not-assigned" {
		t.Errorf("keys in the help moved the cursor to %q", got)
	}
}

func TestQuit(t *testing.T) {
	for _, keys := range [][]string{{"q"}, {"ctrl+c"}, {"Q"}, {"enter", "q", "q"}, {"?", "q", "q"},
		{"enter", "Q"}, {"/", "ctrl+c"}} {
		var out tea.Model = program{model: small()}
		var cmd tea.Cmd
		for _, k := range keys {
			out, cmd = out.Update(keyMsg(k))
		}
		if cmd == nil {
			t.Errorf("%q does not quit", keys)
		} else if _, ok := cmd().(tea.QuitMsg); !ok {
			t.Errorf("%q gives %T", keys, cmd())
		}
	}
	if _, cmd := (program{model: after(small(), "/")}).Update(keyMsg("q")); cmd != nil {
		t.Error("q in the filter quits")
	}
}
