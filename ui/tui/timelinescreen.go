package tui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/ui/timeline"
)

// timelineScreen is everything that has a moment, newest last. It opens at the
// first bad minute: that is what whoever was woken up asks first.
type timelineScreen struct {
	filtered                    // shown are entries
	all      *timeline.Timeline // nil until it is made; never written to
	only     string             // a component
	here     int                // the entry that was selected last, also while a filter hides all
	touched  bool               // the place is the user's
}

// madeTimeline is what the task brings.
type madeTimeline struct{ all *timeline.Timeline }

func newTimeline(env) screen { return timelineScreen{} }

// start makes the timeline beside the screen: it reads evidence.
func (t timelineScreen) start(e env) func() tea.Msg {
	s, r, say := e.evidence, *e.english, e.Catalogue
	return func() tea.Msg { return madeTimeline{timeline.In(say, s, &r)} }
}

func (t timelineScreen) title(e env) string {
	switch {
	case t.all == nil:
		return e.T("Timeline")
	case t.only != "" || t.filter != "":
		return e.T("Timeline · UTC · %d of %d entries", len(t.shown), len(t.all.Entries))
	case t.all.LeftOut > 0:
		return e.T("Timeline · UTC · the newest %d of %d entries", len(t.all.Entries),
			len(t.all.Entries)+t.all.LeftOut)
	case t.all.Untold:
		return e.T("Timeline · UTC · %d entries · none has a start time", len(t.all.Entries))
	}
	return e.T("Timeline · UTC · %d entries", len(t.all.Entries))
}

func (t timelineScreen) hints() []hint {
	list := []hint{{"enter", "evidence", 1}, {"/", "filter", 2}, {"tab", "component", 2},
		{"n", "next bad", 3}}
	if t.all != nil && t.all.FirstBad >= 0 {
		list = append(list, hint{"B", "where it began", 2})
	}
	return list
}

var timelineKeys = struct{ next, previous, begin, component, back, number key.Binding }{
	next:      bind("n", "to the next entry that is bad"),
	previous:  bind("N", "to the one before"),
	begin:     bind("B", "to the first bad minute"),
	component: bind("tab", "one component after the other"),
	back:      bind("shift+tab", "the component before"),
	number: key.NewBinding(key.WithKeys("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
		key.WithHelp("1…9 0", "one component; 0 for all")),
}

func (t timelineScreen) bindings() []key.Binding {
	k := timelineKeys
	return []key.Binding{keys.evidence, k.begin, k.next, k.previous, k.component, k.back, k.number,
		keys.filter}
}

func (t timelineScreen) receive(e env, msg tea.Msg) (screen, effect) {
	switch msg := msg.(type) {
	case Update:
		if !msg.Done {
			return t, effect{}
		}
		return t, effect{task: t.start(e)} // until its answer comes, what was there is shown
	case madeTimeline:
		return t.with(msg.all), effect{}
	}
	return t, effect{}
}

// with takes a new timeline in and keeps the place: the same moment, or the
// first bad one while the user has not moved.
func (t timelineScreen) with(all *timeline.Timeline) timelineScreen {
	var moment timeline.Entry
	if i, ok := t.selected(); ok {
		moment = t.all.Entries[i]
	}
	t.all = all
	if !t.touched {
		t.shown = all.Select(t.only, t.filter)
		return t.begin()
	}
	return t.chosen(func(i int) bool { return !all.Entries[i].At.Before(moment.At) })
}

// chosen filters anew and goes to the first entry for which is holds, else to the last.
func (t timelineScreen) chosen(is func(entry int) bool) timelineScreen {
	t.shown = t.all.Select(t.only, t.filter)
	if t.at = slices.IndexFunc(t.shown, is); t.at < 0 {
		t.at = len(t.shown) - 1
	}
	return t
}

// begin goes to the first bad minute, where that is known and shown, else to the end.
func (t timelineScreen) begin() timelineScreen {
	t.at = len(t.shown) - 1
	if at := slices.Index(t.shown, t.all.FirstBad); at >= 0 {
		t.at, t.top = at, max(at-leadIn, 0)
	}
	return t
}

// leadIn is how much of what came before the first bad minute is seen with it.
const leadIn = 4

func (t timelineScreen) selected() (int, bool) {
	if t.all == nil || t.at < 0 || t.at >= len(t.shown) {
		return 0, false
	}
	return t.shown[t.at], true
}

func (t timelineScreen) press(e env, k tea.KeyMsg) (screen, effect) {
	if t.writing {
		before := t.filter
		if t.filtered = t.typed(k); t.filter != before {
			t = t.narrowed(t.only, t.filter)
		}
		return t, effect{}
	}
	if key.Matches(k, keys.back, keys.quit) {
		if t.filter == "" && t.only == "" || key.Matches(k, keys.quit) {
			return t, effect{back: true}
		}
		return t.narrowed("", ""), effect{}
	}
	if t.all == nil {
		return t, effect{}
	}
	t.touched = true
	if n, ok := motion(k, t.rows(e)); ok {
		t.filtered = t.moved(n)
		return t, effect{}
	}
	switch s := k.String(); {
	case key.Matches(k, keys.enter):
		if i, ok := t.selected(); ok {
			return t, effect{open: newViewerAt(t.all.Entries[i].Place)}
		}
	case key.Matches(k, keys.filter):
		t.writing = true
	case key.Matches(k, timelineKeys.begin):
		return t.narrowed("", "").begin(), effect{}
	case key.Matches(k, timelineKeys.next):
		return t.bad(1), effect{}
	case key.Matches(k, timelineKeys.previous):
		return t.bad(-1), effect{}
	case key.Matches(k, timelineKeys.component):
		return t.component(1), effect{}
	case key.Matches(k, timelineKeys.back):
		return t.component(-1), effect{}
	case key.Matches(k, timelineKeys.number):
		if n := int(s[0] - '1'); s == "0" {
			return t.narrowed("", t.filter), effect{}
		} else if n < len(t.all.Components) {
			return t.narrowed(t.all.Components[n].Name, t.filter), effect{}
		}
	}
	return t, effect{}
}

// narrowed shows one component, and what holds the filter; the moment stays.
func (t timelineScreen) narrowed(only, filter string) timelineScreen {
	if i, ok := t.selected(); ok {
		t.here = i
	}
	t.only, t.filter = only, filter
	if t.all == nil {
		return t
	}
	return t.chosen(func(i int) bool { return i >= t.here })
}

// component goes n components on; all of them stand before the first.
func (t timelineScreen) component(n int) timelineScreen {
	at := 1 + slices.IndexFunc(t.all.Components, func(c timeline.Component) bool {
		return c.Name == t.only
	})
	count := len(t.all.Components) + 1
	if at = (at + n + count) % count; at == 0 {
		return t.narrowed("", t.filter)
	}
	return t.narrowed(t.all.Components[at-1].Name, t.filter)
}

// bad goes to the next entry that is bad, in a direction.
func (t timelineScreen) bad(step int) timelineScreen {
	for at := t.at + step; at >= 0 && at < len(t.shown); at += step {
		if t.all.Entries[t.shown[at]].Bad() {
			t.at = at
			break
		}
	}
	return t
}

// timelineBelow is how many lines the selected entry has below the list, its rule included.
const timelineBelow = 4

// rows is how many lines the list has.
func (t timelineScreen) rows(e env) int {
	rows := e.height - 1 // the components
	if e.height >= 11 {
		rows -= timelineBelow
	}
	return max(rows, 1)
}

func (t timelineScreen) settled(e env) screen {
	if t.all == nil {
		t.at, t.top = 0, 0
		return t
	}
	t.at, t.top = inSightOf(t.at, t.top, len(t.shown), t.rows(e), func(at, top int) int {
		return 1 + len(t.heads(at, top))
	})
	return t
}
