package tui

import (
	"maps"
	"slices"
	"time"

	"doctor/checks"
	"doctor/ui"
)

// What changes is counted from one reading on: the one that was shown when the
// user asked for another, or began to watch.

// watchTimes are what the watch key goes through.
var watchTimes = []time.Duration{0, 10 * time.Second, 30 * time.Second, time.Minute}

// watch is how the node is read again and again, and what that brought.
type watch struct {
	every  time.Duration // 0 where it is not
	number int           // of the wait; a wait that another one replaced does nothing
	quiet  bool          // it is being read for this: the last report stays until the next is whole

	from     map[string]checks.Status // the verdicts that changes are counted from
	last     map[string]checks.Status // those of the last whole reading
	changed  map[string]checks.Status // those that differ now, as they were
	changeAt time.Time                // when a whole reading last brought another verdict
}

// due reports the end of a wait.
type due struct{ number int }

func verdicts(r *checks.Report) map[string]checks.Status {
	all := make(map[string]checks.Status, len(r.Results))
	for i := range r.Results {
		if s := r.Results[i].Status; !isOpen(s) {
			all[r.Results[i].ID] = s
		}
	}
	return all
}

// counted takes a report in.
func (w watch) counted(r *checks.Report, done bool, at time.Time) watch {
	now := verdicts(r)
	w.changed = map[string]checks.Status{}
	for id, s := range now {
		if was, ok := w.from[id]; ok && was != s {
			w.changed[id] = was
		}
	}
	if !done {
		return w
	}
	if w.from == nil {
		w.from = now
	}
	if w.last != nil && !maps.Equal(w.last, now) {
		w.changeAt = at
	}
	w.last, w.quiet = now, false
	return w
}

// anew counts changes from the last whole reading on.
func (w watch) anew() watch {
	w.from, w.changed = w.last, nil
	return w
}

// outcome says how many verdicts changed.
func (w watch) outcome(say voice) string {
	switch n := len(w.changed); n {
	case 0:
		return say.T("read again: no verdict changed")
	case 1:
		return say.T("read again: 1 verdict changed, marked with *")
	default:
		return say.T("read again: %d verdicts changed, marked with *", n)
	}
}

// said is what the rule above the list says.
func (w watch) said(say voice) string {
	switch every := w.every / time.Second; {
	case w.every == 0:
		return ""
	case w.changeAt.IsZero():
		return say.T("watching every %d s, no change yet", every)
	default:
		return say.T("watching every %d s, last change %s UTC", every,
			w.changeAt.UTC().Format("15:04:05"))
	}
}

// pressWatch is the watch key.
func (m model) pressWatch() (model, effect) {
	if !m.live {
		m.status = m.T("a recording cannot be watched: nothing in it changes")
		return m, effect{}
	}
	next := (slices.Index(watchTimes, m.watch.every) + 1) % len(watchTimes)
	if m.watch.every == 0 {
		m.watch = m.watch.anew()
		m.watch.changeAt = time.Time{}
	}
	m.watch.every = watchTimes[next]
	if m.status = m.T("no longer watching"); m.watch.every > 0 {
		m.status = m.T("the node is read again every %d s; w changes that",
			m.watch.every/time.Second)
	}
	return m.waiting()
}

// waiting begins a wait where the node is watched and not being read.
func (m model) waiting() (model, effect) {
	m.watch.number++
	if m.watch.every == 0 || m.reading() || m.asked {
		return m, effect{}
	}
	return m, effect{wait: m.watch.every, due: due{m.watch.number}}
}

// waited reads the node again at the end of a wait.
func (m model) waited(d due) (model, effect) {
	if d.number != m.watch.number || m.watch.every == 0 || m.reading() || m.asked {
		return m, effect{}
	}
	m.asked, m.watch.quiet = true, true
	return m, effect{again: true}
}

// A reread is a reading that the user asked for, and the check that was on the screen then.
type reread struct {
	on      bool
	id      string // "" where no check was shown in full
	message string // what its fault was
}

// rereadFrom notes what is on the screen before the node is read again.
func (m model) rereadFrom() reread {
	r := reread{on: true}
	over, _ := m.over()
	if d, is := over.(detailScreen); is {
		if res := m.report.Result(d.currentStep().id); res != nil && res.Status.Fault() {
			r.id, r.message = res.ID, ui.Message(res)
		}
	}
	return r
}

// outcomeOfReread says what came of the fault on the screen, or how many verdicts changed.
func (m model) outcomeOfReread() string {
	res := m.report.Result(m.reread.id)
	switch {
	case m.reread.id == "" || res == nil:
		return m.watch.outcome(m.voice)
	case res.Status == checks.StatusPass || res.Status == checks.StatusInfo:
		return m.T("read again: fixed")
	case !res.Status.Fault():
		return m.T("read again: this check could not run")
	case ui.Message(res) == m.reread.message:
		return m.T("read again: still there")
	}
	return m.T("read again: changed")
}
