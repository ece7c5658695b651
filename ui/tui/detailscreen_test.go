package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks/faults"
)

// inDetail is the detail over the model.
func inDetail(t *testing.T, m model) detailScreen {
	t.Helper()
	s, _ := m.over()
	d, ok := s.(detailScreen)
	if !ok {
		t.Fatalf("the detail is not open, but %T:\n%s", s, seen(m))
	}
	return d
}

func TestDetailOpensAndCloses(t *testing.T) {
	for _, k := range []string{"enter", "tab"} {
		if m := after(small(), k); inDetail(t, m).currentStep().id != "podcidr-not-assigned" ||
			!strings.Contains(seen(m), "Restart-Service flanneld") {
			t.Fatalf("%s does not open the detail:\n%s", k, seen(m))
		}
	}
	if space := after(small(), "space"); len(space.layers) > 0 {
		t.Error("space opens a check")
	}
	for _, k := range []string{"esc", "q", "backspace"} {
		if back := after(small(), "enter", "j", k); len(back.layers) > 0 ||
			at(t, back) != "cause podcidr-not-assigned" {
			t.Errorf("%s does not go back to the list", k)
		}
	}
}

func TestTheDetailPassesAllItsText(t *testing.T) {
	m := after(finished(sample(), Options{Width: 60, Height: 14}), "enter")
	pages := seen(m)
	items := map[int]bool{}
	for range 60 {
		items[inDetail(t, m).currentStep().at] = true
		m = after(m, "j")
		pages += seen(m)
	}
	for _, text := range []string{"Restart-Service flanneld", "Explains", "issues/728",
		"spec.podCIDR is empty", "(and 17 more)"} {
		if !strings.Contains(pages, text) {
			t.Errorf("going down never shows %q", text)
		}
	}
	if n := len(inDetail(t, m).page(m.env()).items); len(items) != n || n < 5 {
		t.Errorf("going down chose %d of %d items", len(items), n)
	}
	for range 60 {
		m = after(m, "k")
	}
	if s := inDetail(t, m).currentStep(); s.scroll != 0 || s.at != 0 {
		t.Errorf("going up ends at %+v", s)
	}
	end := after(m, "G")
	if !strings.Contains(seen(end), "issues/728") ||
		inDetail(t, after(end, "g")).currentStep().scroll != 0 {
		t.Error("G and g do not go to the ends")
	}
}

func TestTheChainIsWalkedThereAndBack(t *testing.T) {
	m := small()
	walk := func(keys ...string) { m = after(m, keys...) }
	is := func(want string) {
		t.Helper()
		if got := inDetail(t, m).currentStep().id; got != want {
			t.Fatalf("at %q, want %q:\n%s", got, want, seen(m))
		}
	}
	walk("enter")
	for inDetail(t, m).page(m.env()).items[inDetail(t,
		m).currentStep().at].check != "hns-network-missing" {
		walk("tab")
	}
	chosen := inDetail(t, m).currentStep()
	walk("enter")
	is("hns-network-missing")
	if !strings.Contains(seen(m), "hns-network-missing < podcidr-not-assigned") ||
		!strings.Contains(seen(m), "backspace the way back") {
		t.Errorf("the way is not shown:\n%s", seen(m))
	}
	walk("shift+tab", "enter") // what explains it, the last of its items
	is("podcidr-not-assigned")
	walk("backspace")
	is("hns-network-missing")
	walk("backspace")
	is("podcidr-not-assigned")
	if got := inDetail(t, m).currentStep(); got != chosen {
		t.Errorf("back at %+v, want %+v", got, chosen)
	}
	walk("backspace")
	if len(m.layers) > 0 {
		t.Error("backspace at the beginning does not leave")
	}
}

func TestEnterOnEvidenceShowsIt(t *testing.T) {
	m := after(small(), "enter", "tab", "tab", "tab", "enter") // behind two steps and a place
	s, _ := m.over()
	if got := s.title(env{}); got != "logs/flanneld/flanneld.log" {
		t.Errorf("shows %q", got)
	}
	if inDetail(t, after(m, "esc")).currentStep().at != 3 {
		t.Error("back from the evidence, another item is chosen")
	}
}

func TestTheDetailTellsWhatWasLookedAt(t *testing.T) {
	for _, row := range []struct {
		id   string
		want string
	}{
		{"kubelet-removed-flag", "services.json"},
		{"hns-stale-endpoint", "hns-endpoints.json"},
	} {
		m := demo(t, "kubelet-removed-flag", 80, 200)
		m, do := m.open(newDetail(row.id))
		if do.task == nil {
			t.Fatal("nothing is looked up")
		}
		m, _ = m.update(answer{do.layer, do.task()})
		got := seen(m)
		if _, looked, ok := strings.Cut(got, "Looked at"); m.report.Result(row.id) != nil &&
			(!ok || !strings.Contains(looked, row.want)) {
			t.Errorf("%s:\n%s", row.id, got)
		}
	}
	gone := after(small(), "enter")
	rep := sample()
	rep.Results = rep.Results[1:]
	gone, _ = gone.update(Update{Report: rep, Done: true})
	if !strings.Contains(seen(gone), "no check of this name") {
		t.Errorf("of a check that went away:\n%s", seen(gone))
	}
}

// Every check's needs can be told of, on every recording, without evidence too.
func TestLookedAtKnowsEveryNeed(t *testing.T) {
	s := recorded(t, "kubelet-removed-flag")
	for _, c := range faults.Catalogue().All() {
		list := lookedAt(c, s, voice{})
		if len(list) == 0 && len(c.Needs)+len(c.Uses) > 0 {
			t.Errorf("%s: nothing", c.ID)
		}
		for _, l := range list {
			if l.name == "" {
				t.Errorf("%s: a look without a name", c.ID)
			}
		}
	}
}

func TestResizeInDetail(t *testing.T) {
	m := after(small(), "enter", "G")
	for _, size := range [][2]int{{40, 15}, {120, 40}, {200, 60}, {30, 8}, {20, 5}, {80, 24}} {
		m, _ = m.update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		if got := len(draw(m)); got != size[1] {
			t.Fatalf("at %v: %d lines", size, got)
		}
		d := inDetail(t, m)
		if s := d.currentStep(); s.scroll > max(len(d.page(m.env()).lines)-m.env().height, 0) {
			t.Errorf("at %v the detail is scrolled past its end", size)
		}
	}
}

func TestWideScreensScrollTheDetailBeside(t *testing.T) {
	m := after(finished(sample(), Options{Width: 110, Height: 20}), "tab")
	if !m.detail || len(m.layers) > 0 {
		t.Fatal("tab does not go to the detail beside the list")
	}
	if down := after(m, "j", "j"); down.scroll != 2 || at(t, down) != "cause podcidr-not-assigned" {
		t.Errorf("j scrolls to %d at %q", down.scroll, at(t, down))
	}
	if after(m, "tab").detail || after(m, "esc").detail {
		t.Error("tab or esc does not go back")
	}
	if full := after(m, "enter"); len(full.layers) != 1 {
		t.Error("enter does not open the detail in full")
	}
	narrow, _ := m.update(tea.WindowSizeMsg{Width: 80, Height: 24})
	if narrow.detail {
		t.Error("in a narrow window the keys went to a detail that is not there")
	}
}
