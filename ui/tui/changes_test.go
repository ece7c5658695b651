package tui

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
)

// turned is the whole report some seconds later, with other verdicts.
func turned(after time.Duration, to map[string]checks.Status) Update {
	u := live(whole)
	u.At = began.Add(after)
	for i := range u.Report.Results {
		res := &u.Report.Results[i]
		if s, ok := to[res.ID]; ok {
			u.Report.Summary[res.Status]--
			res.Status = s
			u.Report.Summary[s]++
		}
	}
	return u
}

func TestWhatChangedIsMarked(t *testing.T) {
	worse := map[string]checks.Status{"dns-sound-1": checks.StatusFail,
		"images-sound-2": checks.StatusUnknown}
	m := after(startLive(100, 60, nothing(), live(whole)), "r")
	m = send(m, live(0), live(2), turned(time.Minute, worse))
	golden(t, "changed-100x60", seen(m))
	small, _ := m.update(tea.WindowSizeMsg{Width: 40, Height: 15})
	golden(t, "changed-40x15", seen(small))
	if got := seen(m); !strings.Contains(got, "2 changed") {
		t.Error("the footer does not count them")
	}
	d, _ := m.open(newDetail("dns-sound-1"))
	if !strings.Contains(seen(d), "changed: it was pass before") {
		t.Errorf("the detail does not say so:\n%s", seen(d))
	}
	back := send(after(m, "r"), live(0), live(whole))
	if got := back.watch.changed["dns-sound-1"]; got != checks.StatusFail ||
		!strings.Contains(seen(back), "was fail") {
		t.Errorf("well again, it is marked as having been %q", got)
	}
	calm := send(after(back, "r"), live(0), live(whole))
	if !strings.Contains(seen(calm), "no verdict changed") || strings.Contains(seen(calm), "*") {
		t.Errorf("nothing changed, and it says so:\n%s", seen(calm))
	}
	if first := startLive(80, 24, nothing(), live(2), live(whole)); len(first.watch.changed) > 0 {
		t.Error("the first reading changes nothing")
	}
}

func TestWatchGoesThroughItsTimes(t *testing.T) {
	m := startLive(80, 24, live(whole))
	for _, want := range []time.Duration{10 * time.Second, 30 * time.Second, time.Minute, 0,
		10 * time.Second} {
		var do effect
		m, do = m.update(keyMsg("w"))
		if m.watch.every != want || do.wait != want {
			t.Errorf("every %v, waits %v; want %v", m.watch.every, do.wait, want)
		}
		if shows := strings.Contains(seen(m), "watching every"); shows != (want > 0) {
			t.Errorf("at %v the screen shows that it watches: %v", want, shows)
		}
	}
	if m, do := small().update(keyMsg("w")); !do.none() ||
		!strings.Contains(m.status, "recording") {
		t.Errorf("a recording is watched: %q", m.status)
	}
	if m, do := startLive(80, 24, live(1)).update(keyMsg("w")); do.wait != 0 || m.watch.every == 0 {
		t.Error("while reading, a wait begins")
	}
}

func TestWatchingReadsAgain(t *testing.T) {
	m := startLive(80, 24, live(whole))
	m, first := m.update(keyMsg("w"))
	m, second := m.update(keyMsg("w"))
	m, do := m.update(first.due)
	if do.again {
		t.Error("a wait that another one replaced reads again")
	}
	m, do = m.update(second.due)
	if !do.again {
		t.Fatal("the end of a wait does not read again")
	}
	if _, do = m.update(second.due); do.again {
		t.Error("it reads again while it reads")
	}
	before := seen(m)
	if m = send(m, live(0), live(2)); seen(m) != before || !m.shown.Done {
		t.Errorf("while it is read for the watch the screen changes:\n%s", seen(m))
	}
	m, do = m.update(turned(time.Minute,
		map[string]checks.Status{"dns-sound-1": checks.StatusFail}))
	if do.wait != 30*time.Second {
		t.Errorf("afterwards it waits %v", do.wait)
	}
	if got := seen(m); !strings.Contains(got, "last change 10:03:00 UTC") ||
		!strings.Contains(got, "1 changed") {
		t.Errorf("the change is not told:\n%s", got)
	}
	m, do = m.update(do.due)
	m, _ = m.update(turned(2*time.Minute,
		map[string]checks.Status{"dns-sound-1": checks.StatusFail}))
	if got := seen(m); !do.again || !strings.Contains(got, "last change 10:03:00 UTC") ||
		!strings.Contains(got, "1 changed") {
		t.Errorf("without another change, the last is not told:\n%s", got)
	}
	m, _ = m.update(keyMsg("w"))
	m, do = m.update(keyMsg("w"))
	if m.watch.every != 0 || do.wait != 0 {
		t.Error("it is still watching")
	}
}

func TestTheProgramWaitsAndPoints(t *testing.T) {
	p := program{model: startLive(80, 24, live(whole))}
	if list := p.commands(effect{wait: time.Millisecond, due: due{7}}); len(list) != 1 ||
		list[0]() != (due{7}) {
		t.Error("a wait does not come due")
	}
	is := func(do effect, want tea.Cmd) {
		t.Helper()
		list := p.commands(do)
		if want == nil {
			if len(list) > 0 {
				t.Errorf("%+v does %T", do, list[0]())
			}
			return
		}
		if len(list) != 1 || list[0]() != want() {
			t.Errorf("%+v does something else", do)
		}
	}
	m, on := p.model.update(keyMsg("m"))
	is(on, tea.EnableMouseCellMotion)
	if _, again := m.update(tea.ResumeMsg{}); true {
		is(again, tea.EnableMouseCellMotion)
	}
	_, off := m.update(keyMsg("m"))
	is(off, tea.DisableMouse)
	_, anew := m.update(keyMsg("ctrl+l"))
	is(anew, tea.ClearScreen)
	_, stop := m.update(keyMsg("ctrl+z"))
	if suspends {
		is(stop, tea.Suspend)
	} else {
		is(stop, nil)
	}
}

func click(x, y int) tea.MouseMsg {
	return tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft}
}

func TestTheMouse(t *testing.T) {
	wheel := tea.MouseMsg{Action: tea.MouseActionPress, Button: tea.MouseButtonWheelDown}
	m, _ := small().update(wheel)
	if got := at(t, m); got != at(t, after(small(), "j", "j", "j")) {
		t.Errorf("the wheel goes to %q", got)
	}
	y := func(m model, text string) int {
		for i, l := range strings.Split(seen(m), "\n") {
			if strings.Contains(l, text) {
				return i
			}
		}
		t.Fatalf("no %q on the screen", text)
		return 0
	}
	for _, row := range []struct{ name, text, want string }{
		{"a cause", "Paging file is too small", "cause paging-file-too-small"},
		{"a line of its card", "the paging file holds", "cause paging-file-too-small"},
		{"a group", "▸ components", "components"},
		{"a heading", "Checks", "cause podcidr-not-assigned"},
		{"the preview", "spec.podCIDR is empty", "cause podcidr-not-assigned"},
		{"the header", "win-1", "cause podcidr-not-assigned"},
	} {
		t.Run("on "+row.name, func(t *testing.T) {
			m, _ := small().update(click(5, y(small(), row.text)))
			if got := at(t, m); got != row.want || len(m.layers) > 0 {
				t.Errorf("at %q with %d screens open, want %q", got, len(m.layers), row.want)
			}
		})
	}
	cause := y(small(), "Node has no pod CIDR")
	m, _ = small().update(click(5, cause))
	evidence := y(m, "logs/flanneld/flanneld.log:41")
	m, _ = m.update(click(5, evidence))
	if inDetail(t, m).currentStep().at != 3 { // behind two steps and a place
		t.Error("a click in the detail chooses nothing")
	}
	if m, _ = m.update(click(5, evidence)); len(m.layers) != 2 {
		t.Error("a click on what is chosen does not go on")
	}
	if wide, _ := finished(sample(), Options{Width: 120, Height: 40}).update(click(100,
		12)); !wide.detail {
		t.Error("a click beside the list does not go there")
	}
}
