// Package timeline puts everything in a node's evidence that has a moment into
// one list, newest last, and marks the minute in which the fault at hand began.
//
// It judges nothing anew: what is bad is what the report's faults rest on, and
// what Windows or the cluster itself calls an error.
package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/sorted"
	"doctor/ui/lang"
)

// Kind is what sort of thing happened.
type Kind string

// The kinds.
const (
	Log     Kind = "log"     // a line that betrays a fault
	Event   Kind = "event"   // of Windows
	Boot    Kind = "boot"    // Windows started, stopped or was told to
	Service Kind = "service" // a service came, went or was changed
	Process Kind = "process" // a component's process started
	Update  Kind = "update"  // of Windows
	Pod     Kind = "pod"
	Node    Kind = "node"
	File    Kind = "file" // a file of the node was changed
	Cert    Kind = "certificate"
	Now     Kind = "recorded" // the moment of the recording
)

// An Entry is one moment.
type Entry struct {
	At             time.Time
	Last           time.Time // the last of several alike
	More           int       // how many more alike there are
	Kind           Kind
	Component      string        // kubelet, containerd, hns, …; pods, node, windows, updates, files
	Level          checks.Status // fail, warn, pass; "" where it is neither good nor bad
	Text           string
	evidence.Place // as findings cite it
	Checks         []string
	Over           string // why it is history

	subject string // the pod that it is about
	linked  bool   // a fault rests on it
	changed bool   // somebody changed a setting: it stays as it was set
	counted bool   // the last of several alike, which the first of them counts
}

// Bad tells whether something went wrong there.
func (e *Entry) Bad() bool {
	return e.Over == "" && e.Level.Fault()
}

// A Component is one that entries are about, and how many.
type Component struct {
	Name  string
	Count int
}

// A Timeline is all entries in order.
type Timeline struct {
	Entries    []Entry
	Components []Component // those with most entries first
	// the entry with which the fault began; -1 where the evidence does not tell
	FirstBad int
	Cause    string // the cause that began there
	LeftOut  int    // the oldest, where there were too many
	Untold   bool   // something is wrong, and the evidence does not tell since when

	texts []string // of the entries, in small letters
}

// maxEntries bounds a timeline. What faults rest on is kept in any case.
const maxEntries = 100_000

// maxText bounds one entry, in bytes.
const maxText = 600

// In makes the timeline of a report, and of the evidence that it was made from, in a language; the
// report is in English.
func In(l *lang.Catalogue, s evidence.Snapshot, r *checks.Report) *Timeline {
	b := &builder{said: l, s: s, r: r, now: s.Now(), at: map[evidence.Place]int{},
		faults: map[string]*checks.Result{}}
	if b.now.IsZero() {
		b.now = r.CollectedAt
	}
	for i := range r.Results {
		if res := &r.Results[i]; res.Status.Fault() {
			b.faults[res.ID] = res
		}
	}
	b.windowsEvents()
	b.machine()
	b.clusterEvents()
	b.nodeObject()
	b.pods()
	b.signs()
	b.findings()
	if len(b.list) > 0 {
		b.add(Entry{At: b.now, Kind: Now, Component: "windows", Text: b.said.T("this was recorded"),
			Place: evidence.InFile("meta.json")})
	}
	return b.finish()
}

type builder struct {
	said   *lang.Catalogue
	s      evidence.Snapshot
	r      *checks.Report
	now    time.Time
	list   []Entry
	at     map[evidence.Place]int // into list
	faults map[string]*checks.Result
}

// add takes an entry in; one without a time is none.
func (b *builder) add(e Entry) {
	if e.At.Year() < 1990 { // as the zero time is, and a clock that nobody set
		return
	}
	e.At = e.At.UTC()
	e.Text = strings.Join(strings.Fields(evidence.Clip(e.Text, maxText)), " ") // one line
	if (e.Line > 0 || e.Field != "") && e.Path != evidence.Pods.Path() {       // a pod has many moments
		if _, taken := b.at[e.Place]; !taken {
			b.at[e.Place] = len(b.list)
		}
	}
	b.list = append(b.list, e)
}

// known is the entry at a place, or of the element that the place is in, or nil.
func (b *builder) known(place evidence.Place) *Entry {
	place, _ = place.Element()
	if i, ok := b.at[place]; ok {
		return &b.list[i]
	}
	return nil
}

func (b *builder) finish() *Timeline {
	sorted.By(b.list, func(x, y Entry) int { return x.At.Compare(y.At) })
	t := &Timeline{}
	t.Entries, t.LeftOut = bounded(merged(b.list), maxEntries)
	for i := range t.Entries {
		t.texts = append(t.texts, strings.ToLower(t.Entries[i].Component+" "+t.Entries[i].Text))
	}
	t.FirstBad, t.Cause = b.firstBad(t.Entries)
	t.Untold = t.FirstBad < 0 && len(b.r.Causes) > 0
	count := map[string]int{}
	for i := range t.Entries {
		count[t.Entries[i].Component]++
	}
	for name, n := range count {
		t.Components = append(t.Components, Component{name, n})
	}
	sorted.By(t.Components, func(x, y Component) int {
		return cmp.Or(y.Count-x.Count, cmp.Compare(x.Name, y.Name))
	})
	return t
}

// merged folds what repeats itself without anything in between.
func merged(list []Entry) []Entry {
	out := list[:0]
	for _, e := range list {
		if n := len(out); n > 0 {
			if p := &out[n-1]; p.Kind == e.Kind && p.Component == e.Component && p.Text == e.Text &&
				p.Over == e.Over && p.At.Truncate(24*time.Hour).Equal(e.At.Truncate(24*time.Hour)) {
				if !e.counted {
					p.More += 1 + e.More
				}
				p.Last = e.At
				p.linked = p.linked || e.linked
				p.Checks = union(p.Checks, e.Checks...)
				continue
			}
		}
		out = append(out, e)
	}
	return out
}

// bounded keeps what faults rest on, and of the rest the newest.
func bounded(list []Entry, most int) (kept []Entry, leftOut int) {
	leftOut = len(list) - most
	if leftOut <= 0 {
		return list, 0
	}
	n := 0
	return slices.DeleteFunc(list, func(e Entry) bool {
		if n == leftOut || e.linked {
			return false
		}
		n++
		return true
	}), leftOut
}

func union(a []string, b ...string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a[:len(a):len(a)], s)
		}
	}
	return a
}

// Select lists the entries of a component ("" for all) that hold a text, in any
// case. A leading "!" turns the text's answer around.
func (t *Timeline) Select(component, text string) []int {
	text, invert := strings.CutPrefix(strings.ToLower(text), "!")
	list := make([]int, 0, len(t.Entries))
	for i := range t.Entries {
		if (component == "" || t.Entries[i].Component == component) &&
			(text == "" || strings.Contains(t.texts[i], text) != invert) {
			list = append(list, i)
		}
	}
	return list
}

// When did it start? An engineer means: the first thing that went wrong after
// everything was still well.
//
//   - What went wrong is what the likeliest cause and its consequences rest on.
//     The first cause of the report of which the evidence knows a moment decides.
//   - Well is a node that became Ready, where the fault is that it is not; a
//     service that ran for a while, where the fault is that it does not; and a
//     boot, for what services and logs said before it.
//   - A moment after the recording, such as the end of a certificate, is no beginning.
func (b *builder) firstBad(list []Entry) (at int, cause string) {
	for _, c := range b.r.Causes {
		chain := append([]string{c.ID}, c.Consequences...)
		if i := b.beginOf(list, chain); i >= 0 {
			return firstOfMinute(list, i), c.ID
		}
	}
	return -1, ""
}

// firstOfMinute goes back to the first failure of the same minute: what Windows
// itself reports just before often says why.
func firstOfMinute(list []Entry, i int) int {
	minute := list[i].At.Truncate(time.Minute)
	for at := i - 1; at >= 0 && !list[at].At.Before(minute); at-- {
		if list[at].Bad() && list[at].Level == checks.StatusFail {
			i = at
		}
	}
	return i
}

func (b *builder) beginOf(list []Entry, chain []string) int {
	var moments []int
	for i := range list {
		e := &list[i]
		if e.linked && e.Bad() && !e.At.After(b.now) &&
			slices.ContainsFunc(e.Checks, func(id string) bool {
				return slices.Contains(chain, id)
			}) {
			moments = append(moments, i)
		}
	}
	booted := evidence.OSInfo.In(b.s).BootedAt.Time
	ready := time.Time{}
	if slices.Contains(chain, "node-not-ready") || slices.Contains(chain, "node-not-ready-lost") {
		ready = lastReady(list, b.now)
	}
	ran := map[string]time.Time{}
	for _, i := range moments {
		if e := &list[i]; e.Kind == Service && ran[e.Component].IsZero() {
			ran[e.Component] = lastRun(list, e.Component)
		}
	}
	stillWell := func(i int) bool {
		e := &list[i]
		switch e.Kind {
		case Service:
			if e.changed {
				return false // whatever came after
			}
			return e.At.Before(booted) || e.At.Before(ready) || e.At.Before(ran[e.Component])
		case Log, Event, Boot:
			return e.At.Before(booted) || e.At.Before(ready)
		case Pod, Node:
			return e.At.Before(ready)
		}
		return false
	}
	for _, i := range moments {
		if !stillWell(i) {
			return i
		}
	}
	if len(moments) > 0 {
		return moments[0] // it was bad before, and never well for long
	}
	return -1
}

// lastReady is when the node last became Ready before it was not any more.
func lastReady(list []Entry, now time.Time) time.Time {
	var last time.Time
	for i := range list {
		if e := &list[i]; e.Kind == Node && e.Level == checks.StatusPass && !e.At.After(now) {
			last = e.At
		}
	}
	return last
}

// longRun is how long a service must have run to have been well: one that fails
// is started again sooner.
const longRun = 10 * time.Minute

// lastRun is when a service last began to run for long.
func lastRun(list []Entry, component string) time.Time {
	var began, well time.Time
	for i := range list {
		e := &list[i]
		if e.Kind != Service || e.Component != component {
			continue
		}
		switch {
		case e.Level == checks.StatusPass:
			if began.IsZero() {
				began = e.At
			}
		case e.Bad():
			if !began.IsZero() && e.At.Sub(began) >= longRun {
				well = began
			}
			began = time.Time{}
		}
	}
	return well
}
