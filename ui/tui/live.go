package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/ui"
)

// The state of an open check stands where its verdict will, in the report that
// is drawn, so that every part of the screen finds both in one place.
const (
	StatusReading checks.Status = "reading" // its evidence
	StatusWaiting checks.Status = "waiting" // for its turn
)

func isOpen(s checks.Status) bool { return s == StatusReading || s == StatusWaiting }

// asDrawn is the report of an update with states in place of the verdicts that
// are still to come, and without whatever rests on those.
func asDrawn(u Update) checks.Report {
	r := u.Report
	if u.Done {
		return r
	}
	r.Unexplained = nil // a verdict that is to come may explain them
	r.Results = slices.Clone(r.Results)
	r.Summary = checks.Summary{}
	open := func(id string) bool { _, is := u.Open[id]; return is }
	for i := range r.Results {
		res := &r.Results[i]
		res.ExplainedBy = without(res.ExplainedBy, open)
		if open(res.ID) {
			res.Status, res.Findings, res.Gap, res.Reason, res.ExplainedBy = u.Open[res.ID], nil, "",
				"", nil
		}
		r.Summary[res.Status]++
	}
	r.Causes = nil
	for _, c := range u.Report.Causes {
		if !open(c.ID) {
			c.Consequences = without(c.Consequences, open)
			r.Causes = append(r.Causes, c)
		}
	}
	return r
}

func without(list []string, gone func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(list), gone)
}

// received takes an update in. The selection stays with its row wherever that
// goes, and the row stays on its line of the screen, unless the list is seen
// from its top: there the causes come in.
func (m model) received(u Update) model {
	if m.shown.Done && !u.Done {
		m.view.was = m.view.folds(&m.report)
	}
	m.shown, m.began, m.asked = u, true, false
	m.english, m.view.live = asDrawn(u), !u.Done
	m.report = m.Report(m.english)
	m.watch = m.watch.counted(&m.report, u.Done, u.At)
	m.view = m.fittedView()
	if u.Done && !m.touched { // nobody chose the row: begin as with any finished report
		m.at, m.top = row{}, 0
	}
	m = m.followed()
	line := m.cursor - m.top
	m.rows = rowsOf(&m.report, m.view)
	if to := find(m.rows, m.at); m.top > 0 && to >= 0 {
		m.top = max(to-line, 0)
	}
	return m
}

// followed brings the selected row along into a changed report. A cause that is
// none any more is still a check, and a check is not lost in a fold.
func (m model) followed() model {
	if m.at.id == "" {
		return m
	}
	m.at.index = slices.IndexFunc(m.report.Results, func(r checks.Result) bool {
		return r.ID == m.at.id
	})
	if m.at.kind == rowCause && !slices.ContainsFunc(m.report.Causes, func(c checks.Cause) bool {
		return c.ID == m.at.id
	}) {
		if !m.touched {
			m.at = row{}
			return m
		}
		m.at.kind = rowCheck
	}
	for range 2 { // its group, then what is well in it
		rows := rowsOf(&m.report, m.view)
		if i := find(rows, m.at); m.at.kind == rowCheck && i >= 0 && rows[i].folds() &&
			slices.Contains(rows[i].members, m.at.index) {
			m.view = m.view.set(rows[i].foldName(), true)
		}
	}
	return m
}

// folds says of every group whether it is open.
func (v view) folds(r *checks.Report) map[string]bool {
	v.filter, v.wrong = "", false
	is := map[string]bool{}
	for _, rw := range groupRows(r, v) {
		if rw.kind == rowGroup {
			is[rw.foldName()] = rw.open
		}
	}
	return is
}

// set opens or closes a fold; older views are left as they were.
func (v view) set(fold string, open bool) view {
	v.open = withFold(v.open, fold, open)
	return v
}

// withFold is a copy in which one fold is set.
func withFold(folds map[string]bool, name string, is bool) map[string]bool {
	all := map[string]bool{}
	maps.Copy(all, folds)
	all[name] = is
	return all
}

// again is the key that reads the node anew.
func (m model) again() (model, effect) {
	switch {
	case !m.live:
		m.status = m.T("a recording cannot be read again: nothing in it changes")
	case !m.shown.Done || m.asked:
		m.status = m.T("still reading; r reads again when it is done")
	default:
		m.status, m.asked = m.T("reading again"), true
		m.watch, m.reread = m.watch.anew(), m.rereadFrom()
		return m, effect{again: true}
	}
	return m, effect{}
}

// readingText names what is being read and since when, oldest first, in w cells.
func readingText(u Update, w int, say voice) string {
	var parts []string
	for _, r := range u.Reading {
		parts = append(parts,
			strings.TrimSpace(show(say.Phrase(r.Name), say.ascii)+" "+
				say.seconds(u.At.Sub(r.Since))))
	}
	if len(parts) == 0 {
		return clip(say.T("reading %s", ellipsis(say.ascii)), w, say.ascii)
	}
	for n := len(parts); n > 0; n-- {
		named := strings.Join(parts[:n], say.T(", "))
		text := say.T("reading %s", named)
		if more := len(parts) - n; more > 0 {
			text = say.T("reading %s and %d more", named, more)
		}
		if width(text) <= w {
			return text
		}
	}
	text := say.T("reading %s", parts[0])
	if len(parts) > 1 {
		text += fmt.Sprintf(" +%d", len(parts)-1)
	}
	return clip(text, w, say.ascii)
}

// seconds is how long something takes already, once that is worth a word.
func (say voice) seconds(d time.Duration) string {
	switch {
	case d < time.Second:
		return ""
	case d < 2*time.Minute:
		return say.T("%d s", d/time.Second)
	}
	return say.T("%d min", d/time.Minute)
}

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
