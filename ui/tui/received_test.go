package tui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"doctor/checks/evidence"

	"doctor/checks"
	"doctor/fixtures/wait"
)

func send(m model, updates ...Update) model {
	for _, u := range updates {
		m, _ = m.update(u)
	}
	return m
}

// lineOf is the line of the list on which the cursor stands.
func lineOf(m model) int { return m.cursor - m.top }

func TestOpenChecksShowNoVerdict(t *testing.T) {
	m := startLive(120, 200, live(1))
	for _, res := range m.report.Results {
		_, open := m.shown.Open[res.ID]
		if open != isOpen(res.Status) || open && len(res.Findings)+len(res.Gap)+len(res.Reason)+
			len(res.ExplainedBy) > 0 {
			t.Errorf("%s, open: %v, is drawn as %+v", res.ID, open, res)
		}
	}
	var causes []string
	for _, c := range m.report.Causes {
		causes = append(causes, fmt.Sprint(c.ID, c.Consequences))
	}
	want := []string{"podcidr-not-assigned[pods-stuck-creating]", "paging-file-too-small[]"}
	if !slices.Equal(causes, want) {
		t.Errorf("causes %s, want %s", causes, want)
	}
	for id, state := range m.shown.Open {
		want := map[checks.Status]string{StatusWaiting: "waits for its evidence",
			StatusReading: "evidence is being read"}[state]
		m.at = row{kind: rowCheck, id: id}
		if m = m.settled(); at(t, m) != id || !strings.Contains(seen(after(m, "enter")), want) {
			t.Errorf("the detail of %s does not say %q", id, want)
		}
	}
	hidden := live(0)
	hidden.Report.Results[0].Status = checks.StatusFail
	if got := seen(startLive(80, 24, hidden)); strings.Contains(got, "fail  ") ||
		!strings.Contains(got, "no fault found so far") {
		t.Errorf("a verdict or a cause is shown of a check that waits:\n%s", got)
	}
	if got := after(startLive(80, 24, hidden), "f"); !strings.Contains(seen(got),
		"no fault found so far") {
		t.Errorf("f shows:\n%s", seen(got))
	}
}

func TestUpdatesAreNotChangedByTheScreen(t *testing.T) {
	u := live(1)
	before := fmt.Sprint(u)
	m := after(startLive(80, 24, u), "j", "j", "f", "f")
	if fmt.Sprint(u) != before {
		t.Error("the update was changed")
	}
	if fmt.Sprint(m.shown) != before {
		t.Error("what Run gives back is not the update that came")
	}
}

func TestRowsKeepTheirPlacesWhileReading(t *testing.T) {
	order := func(m model) (ids []string) {
		for _, r := range m.rows {
			if r.kind == rowCheck {
				ids = append(ids, r.id)
			}
		}
		return ids
	}
	m := startLive(80, 24, nothing())
	first := order(m)
	if len(first) != len(sample().Results) {
		t.Errorf("%d rows for %d checks", len(first), len(sample().Results))
	}
	for n := 1; n < 9; n++ {
		if m = send(m, live(n)); !slices.Equal(order(m), first) {
			t.Errorf("with %d verdicts a category, the order is\n%s, it was\n%s", n, order(m),
				first)
		}
	}
	done := order(startLive(80, 24, live(whole)))
	if m = send(m, live(whole)); !slices.Equal(order(m), done) || slices.Equal(done, first) {
		t.Error("the list does not settle into the usual order")
	}
}

func TestTheSelectionStaysWithItsRow(t *testing.T) {
	for _, row := range []struct {
		name  string
		keys  []string
		after []Update
		want  string
	}{
		{"nobody moved: the first row, while causes come in above it", nil, []Update{live(1)},
			"node"},
		{"nobody moved: the first cause when all is done", nil, []Update{live(1), live(whole)},
			"cause podcidr-not-assigned"},
		{"a check while it is read", []string{"j", "j"}, []Update{live(1), live(2)},
			"node-sound-1"},
		{"a check that goes into a fold of what is well, which opens", []string{"j", "j"},
			[]Update{live(whole)}, "node-sound-1"},
		{"a check of a group that is well, which stays open", []string{"j", "j", "j", "j", "j", "j",
			"j"}, []Update{live(whole)}, "components-sound-1"},
		{"a group", []string{"j", "j", "j", "j", "j", "j"}, []Update{live(2), live(whole)},
			"components"},
		{"a check in its detail", []string{"j", "j", "enter"}, []Update{live(whole)},
			"node-sound-1"},
		{"a filtered check", []string{"/", "sound-3", "enter", "j", "j", "j"},
			[]Update{live(3), live(whole)}, "components-sound-3"},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := after(startLive(80, 24, nothing()), row.keys...)
			detail := m.detail
			if m = send(m, row.after...); at(t, m) != row.want || m.detail != detail {
				t.Errorf("at %q, detail %v; want %q, %v", at(t, m), m.detail, row.want, detail)
			}
		})
	}
}

func TestReadingAgainFollowsWhatWasSelected(t *testing.T) {
	for _, row := range []struct {
		name string
		keys []string
		busy string
		done string
	}{
		{"nobody moved: from the top, and back", []string{"r"}, "node",
			"cause podcidr-not-assigned"},
		{"a cause is a check while it has no verdict", []string{"j", "r"}, "paging-file-too-small",
			"paging-file-too-small"},
		{"a check", []string{"j", "j", "j", "r"}, "paging-file-too-small", "paging-file-too-small"},
		{"the fold of what is well is part of its group", []string{"j", "j", "j", "j", "r"}, "node",
			"node"},
		{"a group that was folded stays so", []string{"j", "j", "j", "j", "j", "r"}, "components",
			"components"},
		{"a cause in its detail", []string{"enter", "r"}, "podcidr-not-assigned",
			"podcidr-not-assigned"},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := after(startLive(80, 24, live(whole)), row.keys...)
			busy := send(m, live(0))
			if got := at(t, busy); got != row.busy {
				t.Errorf("while reading at %q, want %q", got, row.busy)
			}
			if got := at(t, send(busy, live(1), live(whole))); got != row.done {
				t.Errorf("when done at %q, want %q", got, row.done)
			}
			for _, r := range busy.rows {
				if r.category == checks.CategoryImages && r.open {
					t.Error("a folded group opens by itself")
				}
			}
		})
	}
}

func TestTheSelectedRowStaysOnItsLine(t *testing.T) {
	m := after(startLive(80, 24, nothing()), "pgdown", "pgdown")
	if m.top == 0 {
		t.Fatal("the list did not scroll")
	}
	line, here := lineOf(m), at(t, m)
	for n := 1; n < 9; n++ {
		if m = send(m, live(n)); lineOf(m) != line || at(t, m) != here {
			t.Errorf("with %d verdicts a category the cursor is on line %d at %s, it was on %d at %s", n, lineOf(m), at(t, m), line, here)
		}
	}
	if m := after(startLive(80, 24, nothing()), "j"); send(m, live(1)).top != 0 {
		t.Error("the causes come in out of sight")
	}
}

func TestReadAgain(t *testing.T) {
	for _, row := range []struct {
		name string
		m    model
		keys []string
		does bool
		says string
	}{
		{"a live node that is done", startLive(80, 24, live(whole)), []string{"r"}, true,
			"reading again"},
		{"in the detail too", startLive(80, 24, live(whole)), []string{"enter", "r"}, true,
			"reading again"},
		{"not twice before the first update", startLive(80, 24, live(whole)), []string{"r", "r"},
			false, "still reading"},
		{"not while reading", startLive(80, 24, halfRead()), []string{"r"}, false, "still reading"},
		{"not before the first update", startLive(80, 24), []string{"r"}, false, "still reading"},
		{"not of a recording", small(), []string{"r"}, false, "a recording cannot be read again"},
		{"not while a filter is typed", startLive(80, 24, live(whole)), []string{"/", "r"}, false,
			""},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := after(row.m, row.keys[:len(row.keys)-1]...)
			m, do := m.update(keyMsg("r"))
			if do.again != row.does || !strings.Contains(m.status, row.says) || row.says == "" &&
				m.status != "" {
				t.Errorf("again %v, says %q; want %v, %q", do.again, m.status, row.does, row.says)
			}
		})
	}
	called := make(chan bool, 1)
	p := program{model: startLive(80, 24, live(whole)), outside: outside{again: func() { called <- true }}}
	_, cmd := p.Update(keyMsg("r"))
	if len(called) > 0 || cmd == nil {
		t.Fatal("r must give a command, and update must not call")
	}
	if cmd(); len(called) != 1 {
		t.Error("the command does not read again")
	}
	if strings.Contains(seen(after(small(), "?", "G")), "again") || strings.Contains(seen(small()),
		"again") {
		t.Error("a recording offers to be read again")
	}
	if strings.Contains(seen(startLive(120, 40, halfRead())), "again") {
		t.Error("r is offered while it does nothing")
	}
}

func TestReadingText(t *testing.T) {
	list := []Reading{reading("HNS networks", 0), reading("event logs", 2*time.Second),
		reading("files", 2900*time.Millisecond), reading("disks", -3*time.Minute),
		reading("clock", time.Hour)}
	at := began.Add(3 * time.Second)
	for _, row := range []struct {
		name  string
		n, w  int
		ascii bool
		want  string
	}{
		{"all of it where there is room", 5, 80, false,
			"reading HNS networks 3 s, event logs 1 s, files, disks 3 min, clock"},
		{"the oldest, and how many more", 5, 60, false,
			"reading HNS networks 3 s, event logs 1 s, files and 2 more"},
		{"the oldest alone", 5, 38, false, "reading HNS networks 3 s and 4 more"},
		{"a bare number where words have no room", 5, 30, false, "reading HNS networks 3 s +4"},
		{"cut where nothing has room", 5, 16, false, "reading HNS net…"},
		{"nothing that could be named", 0, 20, true, "reading ..."},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := readingText(Update{Reading: list[:row.n], At: at}, row.w,
				voice{ascii: row.ascii}); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}

// Whatever comes, in whatever order, and whatever the user does meanwhile: a
// frame has the height of the terminal, and the list has its cursor.
func TestAnyOrderOfUpdatesAndKeys(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 3))
	keys := []string{"j", "k", "G", "g", "pgdown", "enter", "space", "esc", "tab", "f", "r", "?",
		"/", "s", "c"}
	for range rounds(60) {
		w, h := 30+r.IntN(120), 8+r.IntN(40)
		m := newModel(Options{Width: w, Height: h, ASCII: r.IntN(2) == 0}, true)
		for range 60 {
			if r.IntN(2) == 0 {
				m = after(m, keys[r.IntN(len(keys))])
			} else {
				u := []Update{nothing(), halfRead(), live(r.IntN(9)), live(whole), {},
					{Done: true}}[r.IntN(6)]
				if r.IntN(3) == 0 {
					u.Report = hostileReport(r)
					u.Reading = append(u.Reading, Reading{hostile[r.IntN(len(hostile))], began})
				}
				m = send(m, u)
			}
			lines := draw(m)
			if len(lines) != h {
				t.Fatalf("%dx%d: %d lines", w, h, len(lines))
			}
			for i, l := range lines {
				if l.width() > w {
					t.Fatalf("%dx%d: line %d takes %d cells: %q", w, h, i, l.width(), l)
				}
			}
			if _, ok := m.selected(); !ok && slices.ContainsFunc(m.rows, row.selectable) {
				t.Fatal("rows, and none is selected")
			}
		}
	}
}

// slow is a terminal that takes its time.
type slow struct{ transcript }

func (s *slow) Write(b []byte) (int, error) {
	time.Sleep(30 * time.Millisecond)
	return s.transcript.Write(b)
}

// TestASlowTerminalShowsTheLastUpdate: what it is too slow for is left out, and the last one is not.
// That nobody waits for it is held by TestAStalledTerminalHoldsNobodyUp.
func TestASlowTerminalShowsTheLastUpdate(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithTimeout(t.Context(), wait.Limit)
	defer stop()
	in, keys := io.Pipe()
	updates := make(chan Update)
	var out slow
	go func() {
		for i := range 100 {
			updates <- live(i % 9)
		}
		updates <- live(whole)
		close(updates)
		wait.Holds(func() bool { return out.take(doneHeaderText) })
		keys.Write([]byte("q"))
	}()
	shown, err := Run(ctx, in, &out, Feed{Updates: updates}, Options{Width: 80, Height: 24})
	if err != nil || !shown.Done {
		t.Errorf("shown last: done %v, error %v", shown.Done, err)
	}
}

func TestRunTellsWhatItShowedLast(t *testing.T) {
	for _, row := range []struct {
		name string
		feed func() Feed
		want func(Update) bool
	}{
		{"nothing came", func() Feed {
			return Feed{}
		}, func(u Update) bool { return !u.Done && len(u.Report.Results) == 0 }},
		{"the user left while the node was read", func() Feed {
			updates := make(chan Update, 1)
			updates <- halfRead()
			return Feed{Updates: updates}
		}, func(u Update) bool { return !u.Done && len(u.Open) > 0 }},
		{"a finished report", func() Feed {
			return Finished(sample(), evidence.Snapshot{})
		}, func(u Update) bool { return u.Done && len(u.Report.Causes) == 2 }},
	} {
		t.Run(row.name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), wait.Limit)
			defer stop()
			shown, err := Run(ctx, strings.NewReader("q"), &bytes.Buffer{}, row.feed(), Options{})
			if err != nil || !row.want(shown.Update) {
				t.Errorf("done %v, %d open, error %v", shown.Done, len(shown.Open), err)
			}
		})
	}
}

func TestAFeedThatStopsEarlySaysSo(t *testing.T) {
	m, _ := startLive(80, 24, halfRead()).update(ended{})
	if !strings.Contains(seen(m), "stopped before its end") {
		t.Errorf("says %q", m.status)
	}
	if m, _ := startLive(80, 24, live(whole)).update(ended{}); m.status != "" {
		t.Errorf("of a whole report it says %q", m.status)
	}
}
