package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"doctor/checks"
	"doctor/checks/faults"
	"doctor/ui/lang"
)

func TestGoldenErrors(t *testing.T) {
	for _, size := range goldenSizes {
		for _, s := range []struct {
			name, node string
			keys       []string
		}{
			{"errors", "felix-hcsshim-panic", []string{"u"}},
			{"errors-long", "sandbox-name-reserved", []string{"u", "G"}},
			{"errors-filter", "felix-hcsshim-panic", []string{"u", "/", "h", "n", "s"}},
			{"errors-none", "healthy-flannel-overlay", []string{"u"}},
			{"errors-counted", "felix-hcsshim-panic", []string{"j"}},
			{"errors-quoted", "node-not-ready", nil},
		} {
			name := fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				golden(t, name, seen(withTasks(ofNode(t, s.node,
					Options{Width: size[0], Height: size[1]}), s.keys...)))
			})
			t.Run("zh-"+name, func(t *testing.T) {
				golden(t, "zh-"+name, seen(withTasks(inChinese(t, s.node, size), s.keys...)))
			})
		}
	}
}

// withErrors is the sample with so many errors that no check explains.
func withErrors(n int) checks.Report {
	r := sample()
	for i := range n {
		r.Unexplained = append(r.Unexplained, checks.Unexplained{Component: "kubelet",
			Text:  fmt.Sprintf("E1120 10:01:58.640211    3912 cni.go:366] error number %d", i+1),
			Count: i + 1, Last: time.Date(2026, 11, 20, 10, 1, 58, 0, time.UTC),
			Path: "logs/kubelet/kubelet.log", Line: 30 - i})
	}
	return r
}

func TestTheOverviewQuotesErrorsWhereTheCauseDoesNotExplainThem(t *testing.T) {
	for _, row := range []struct {
		name, cause   string
		height        int
		errors, quote int
	}{
		{"a cause that is a fault: they are counted", "podcidr-not-assigned", 24, 5, 0},
		{"a symptom: three are quoted", "pods-stuck-creating", 24, 5, 3},
		{"no cause: three are quoted", "", 24, 5, 3},
		{"one on a short screen", "", 15, 5, 1},
		{"all where there are fewer", "", 24, 2, 2},
		{"no row where there is none", "", 24, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := withErrors(row.errors)
			r.Causes = nil
			if row.cause != "" {
				r.Causes = []checks.Cause{{ID: row.cause}}
			}
			got := seen(finished(r, Options{Width: 80, Height: row.height}))
			if says := fmt.Sprintf("%d errors that no check explains (u)",
				row.errors); strings.Contains(got, says) != (row.errors > 0) {
				t.Errorf("want %q once there are errors:\n%s", says, got)
			}
			list, _, _ := strings.Cut(got, "  Checks\n")
			if n := strings.Count(list, "error number"); n != row.quote {
				t.Errorf("%d errors are quoted, want %d:\n%s", n, row.quote, got)
			}
			if row.quote > 0 && !strings.Contains(list, "error number 1\n") {
				t.Errorf("the first error is not among them:\n%s", got)
			}
		})
	}
}

func TestErrorsLeaveRoomForTheChecks(t *testing.T) {
	for _, size := range [][2]int{{40, 15}, {80, 24}, {120, 40}} {
		r := withErrors(10)
		r.Causes = []checks.Cause{{ID: "pods-stuck-creating"}}
		got := seen(finished(r, Options{Width: size[0], Height: size[1]}))
		if strings.Count(got, "\n") != size[1] || !strings.Contains(got, "node        ") {
			t.Errorf("%v: no group of checks is seen:\n%s", size, got)
		}
	}
}

func TestAFilterHidesTheErrorsOfTheOverview(t *testing.T) {
	m := finished(withErrors(2), Options{Width: 80, Height: 24})
	for _, keys := range [][]string{{"f"}, {"/", "subnet"}} {
		if got := seen(after(m, keys...)); strings.Contains(got, "no check explains") {
			t.Errorf("after %q:\n%s", keys, got)
		}
	}
}

func TestEnterOnTheErrorsOpensTheirScreen(t *testing.T) {
	m := after(finished(withErrors(2), Options{Width: 80, Height: 24}), "j", "j")
	if r, _ := m.selected(); r.kind != rowErrors {
		t.Fatalf("the row of the errors cannot be selected:\n%s", seen(m))
	}
	if _, do := m.update(keyMsg("c")); do.copy != "" {
		t.Errorf("c copied %q", do.copy)
	}
	if got := ruleLabel(after(m, "enter")); got != "Errors that no check explains · UTC" {
		t.Errorf("enter opened %q", got)
	}
}

func TestAnErrorOpensAtItsPlaceAndTheWayLeadsBack(t *testing.T) {
	opt := Options{Width: 80, Height: 24}
	for _, row := range []struct{ node, rule, cursor string }{
		{"node-not-ready", "logs/kubelet/kubelet.err.log", "›  22   E1118 16:26:40"},
		{"pods-stuck-creating", "api/events.json", "▾ [8]"},
	} {
		m := withTasks(ofNode(t, row.node, opt), "u", "enter")
		got := seen(m)
		line := ""
		for l := range strings.Lines(got) {
			if strings.HasPrefix(l, "›") {
				line = l
			}
		}
		if ruleLabel(m) != row.rule || !strings.Contains(line, row.cursor) {
			t.Errorf("%s: enter led to\n%s", row.node, got)
		}
		if m = withTasks(m, "esc"); !strings.HasPrefix(ruleLabel(m), "Errors") {
			t.Errorf("%s: esc led to %q", row.node, ruleLabel(m))
		}
		for _, k := range []string{"esc", "backspace", "q"} {
			if m := after(m, k); len(m.layers) != 0 {
				t.Errorf("%s: %s does not lead to the overview", row.node, k)
			}
		}
	}
}

func TestTheWholeLineOfAnErrorIsCopied(t *testing.T) {
	m := after(finished(withErrors(3), Options{Width: 80, Height: 24}), "u", "j")
	_, do := m.update(keyMsg("y"))
	if want := "E1120 10:01:58.640211    3912 cni.go:366] error number 2"; do.copy != want {
		t.Errorf("copied %q, want %q", do.copy, want)
	}
	_, do = after(finished(sample(), Options{Width: 80, Height: 24}), "u").update(keyMsg("y"))
	if do.copy != "" {
		t.Errorf("copied %q where there is no error", do.copy)
	}
}

func TestErrorsAreFilteredAndTheSelectedOneStays(t *testing.T) {
	m := after(finished(withErrors(3), Options{Width: 80, Height: 24}), "u", "G")
	chosen := func(m model) string {
		u, _ := m.layers[0].screen.(errorScreen).selected()
		return u.Text[strings.LastIndex(u.Text, " ")+1:]
	}
	for _, row := range []struct {
		typed, chosen string
		shown         int
	}{
		{"", "3", 3}, {"number 2", "2", 1}, {"!number 2", "3", 2}, {"KUBELET", "3", 3},
		{"kubelet.log", "3", 3},
	} {
		got := after(m, "/", row.typed, "enter")
		if n := len(got.layers[0].screen.(errorScreen).shown); n != row.shown ||
			chosen(got) != row.chosen {
			t.Errorf("%q shows %d with %s selected, want %d with %s", row.typed, n, chosen(got),
				row.shown, row.chosen)
		}
	}
	if got := seen(after(m, "/", "zebra")); !strings.Contains(got, "no error matches") {
		t.Errorf("nothing says that nothing matches:\n%s", got)
	}
	kept := after(m, "/", "number 2", "enter")
	if got := ruleLabel(kept); got != "filter number 2 · 1 of 3" {
		t.Errorf("a kept filter is shown as %q", got)
	}
	kept = after(kept, "esc")
	if len(kept.layers) != 1 || len(kept.layers[0].screen.(errorScreen).shown) != 3 {
		t.Error("esc does not clear the filter before it leads back")
	}
}

func TestErrorsComeWithTheFinishedReportAndKeepTheirPlace(t *testing.T) {
	r := withErrors(3)
	open := map[string]checks.Status{r.Results[0].ID: StatusWaiting}
	m := newModel(Options{Width: 80, Height: 24, Catalogue: faults.Catalogue()}, true)
	m, _ = m.update(Update{Report: r, Open: open})
	if got := seen(m); strings.Contains(got, "no check explains") {
		t.Errorf("errors are shown before all verdicts are known:\n%s", got)
	}
	m = after(m, "u")
	if got := seen(m); !strings.Contains(got, "as soon as the whole node is read") {
		t.Errorf("nothing says that they are to come:\n%s", got)
	}
	m, _ = m.update(Update{Report: r, Done: true})
	m = after(m, "j", "j")
	m, _ = m.update(Update{Report: r, Open: open}) // it is read again
	if got := seen(m); !strings.Contains(got, "error number 3") {
		t.Errorf("the list is gone while the node is read again:\n%s", got)
	}
	renewed := withErrors(3)
	renewed.Unexplained = renewed.Unexplained[1:]
	m, _ = m.update(Update{Report: renewed, Done: true})
	if u, _ := m.layers[0].screen.(errorScreen).selected(); !strings.HasSuffix(u.Text, "3") {
		t.Errorf("the cursor went to %q", u.Text)
	}
}

func TestAClickSelectsAnErrorAndOpensTheSelectedOne(t *testing.T) {
	m := after(finished(withErrors(3), Options{Width: 80, Height: 24}), "u")
	at := 0
	for i, l := range strings.Split(seen(m), "\n") {
		if strings.Contains(l, "error number 2") {
			at = i
		}
	}
	m, _ = m.update(click(5, at))
	if u, _ := m.layers[0].screen.(errorScreen).selected(); !strings.HasSuffix(u.Text, "2") {
		t.Errorf("the click selected %q", u.Text)
	}
	if m, _ = m.update(click(5, at)); len(m.layers) != 2 {
		t.Error("a click on the selected one does not open it")
	}
}

func TestTheReasonsOfAnErrorAreInChinese(t *testing.T) {
	got := seen(after(ofNode(t, "node-not-ready", Options{Width: 80, Height: 24,
		Lang: lang.Of("zh", faults.Catalogue())}), "u"))
	if !strings.Contains(got, "问题开始时首次出现") || strings.Contains(got, "trouble") {
		t.Errorf("the reason is not in Chinese:\n%s", got)
	}
}
