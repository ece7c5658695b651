package timeline

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

// signs adds the lines in which checks found their texts: the first of each log,
// and the last. What stands in an event is that event's.
func (b *builder) signs() {
	for _, res := range b.r.Results {
		for _, m := range b.s.Signs(res.ID) {
			b.sign(res.ID, m)
		}
	}
}

func (b *builder) sign(check string, m evidence.SignMatch) {
	if e := b.known(m.Place()); e != nil {
		b.speaksFor(e, check, m.Over)
		if last := b.known(evidence.InLine(m.Path, m.LastLine)); last != nil {
			b.speaksFor(last, check, m.Over)
		}
		return
	}
	if m.Path == evidence.Pods.Path() && m.Over == "" && b.podSign(check, m.Place()) {
		return
	}
	if m.Time.IsZero() {
		return // it has no place in a list by time
	}
	e := Entry{At: m.Time, Kind: Log, Component: componentOf(m.Source(), m.Source()),
		Text: Unstamped(m.Found), Place: m.Place(),
		Over: m.Over, Checks: []string{check}}
	b.weigh(&e, check)
	if m.More > 0 {
		e.More, e.Last = m.More, m.Last
	}
	b.add(e)
	if m.More == 0 || m.LastLine == 0 || !apart(m.Time, m.Last) {
		return
	}
	e.At, e.Line, e.More, e.counted = m.Last, m.LastLine, 0, true
	if m.Tail != "" {
		e.Text = Unstamped(m.Tail)
	}
	if known := b.known(e.Place); known != nil {
		b.speaksFor(known, check, m.Over)
		return
	}
	b.add(e)
}

// podSign ties a text in a container's state, which has no time of its own, to
// what went wrong with that pod.
func (b *builder) podSign(check string, place evidence.Place) (found bool) {
	place, _ = place.Element()
	for i := range b.list {
		if e := &b.list[i]; e.Place == place && e.Bad() {
			b.speaksFor(e, check, "")
			found = true
		}
	}
	return found
}

// speaksFor adds a check to an entry that is there already.
func (b *builder) speaksFor(e *Entry, check, over string) {
	e.Checks = union(e.Checks, check)
	if over == "" {
		b.weigh(e, check)
	}
}

// weigh makes an entry as bad as the fault that it betrays; what belongs to no
// fault of this node is no news.
func (b *builder) weigh(e *Entry, check string) {
	fault := b.faults[check]
	if fault == nil || e.Over != "" {
		return
	}
	e.linked = true
	if e.Level != checks.StatusFail {
		e.Level = fault.Status
	}
}

// findings ties entries to the faults that rest on them, and adds the log lines
// that no sign has brought.
func (b *builder) findings() {
	bySubject, ready := map[string][]int{}, map[string]time.Time{}
	for i, e := range b.list {
		if e.subject == "" {
			continue
		}
		bySubject[e.subject] = append(bySubject[e.subject], i)
		if e.Level == checks.StatusPass && e.At.After(ready[e.subject]) {
			ready[e.subject] = e.At
		}
	}
	for i := range b.r.Results {
		res := &b.r.Results[i]
		if b.faults[res.ID] == nil {
			continue
		}
		for _, f := range res.Findings {
			if f.Level == string(checks.StatusInfo) {
				continue
			}
			for _, at := range bySubject[f.Subject] {
				// what happened before the pod became Ready is over
				if e := &b.list[at]; e.Bad() && e.At.After(ready[f.Subject]) {
					e.Checks, e.linked = union(e.Checks, res.ID), true
				}
			}
			for _, why := range f.Because {
				b.cited(res, why)
			}
		}
		b.serviceOf(res)
	}
}

func (b *builder) cited(res *checks.Result, why evidence.Because) {
	if e := b.known(why.Place()); e != nil {
		e.Checks = union(e.Checks, res.ID)
		e.linked = e.linked || e.Bad()
		return
	}
	for i := range b.list { // a file that was changed is no fault by itself, but worth knowing
		if e := &b.list[i]; e.Kind == File && strings.EqualFold(e.Path, why.Path) {
			e.Checks = union(e.Checks, res.ID)
		}
	}
	if !strings.HasPrefix(why.Path, "logs/") || why.Line == 0 {
		return
	}
	source := evidence.LogComponent(why.Path)
	b.add(Entry{At: evidence.LineTime(why.Text, b.now), Kind: Log, Component: componentOf(source,
		source), Level: res.Status,
		Text: Unstamped(why.Text), Place: why.Place(), Checks: []string{res.ID}, linked: true})
}

// servicesOf are the components of checks whose ids do not name them.
var servicesOf = map[string][]string{"runtime-not-running": {"containerd", "docker"},
	"kubelet-service-paused": {"kubelet"}, "hns-service-crashed-or-restarted": {"hns"}}

// serviceOf ties a component that does not run to what its service went through.
func (b *builder) serviceOf(res *checks.Result) {
	names := servicesOf[res.ID]
	if name, stopped := strings.CutSuffix(res.ID, "-not-running"); stopped && names == nil {
		names = []string{name}
	}
	for i := range b.list {
		if e := &b.list[i]; e.Kind == Service && e.Bad() && slices.Contains(names, e.Component) {
			e.Checks, e.linked = union(e.Checks, res.ID), true
		}
	}
}

// What a line says of itself before it says anything: the moment stands in the
// timeline, and the whole line in the evidence.
var (
	klogHead   = regexp.MustCompile(`^[IWEF]\d{4} \d{2}:\d{2}:\d{2}\.\d+\s+\d+ ([^\]]{1,60})\] `)
	logrusHead = regexp.MustCompile(`^time="[^"]*" level=\w+ msg="`)
	isoHead    = regexp.MustCompile(
		`^\[?\d{4}[-/]\d{2}[-/]\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?\]?\s*`)
)

// Unstamped is a line without its moment and its level.
func Unstamped(line string) string {
	line = strings.TrimSpace(line)
	for _, head := range []*regexp.Regexp{isoHead, klogHead, logrusHead} {
		if at := head.FindStringIndex(line); at != nil && at[1] < len(line) {
			line = line[at[1]:]
		}
	}
	return line
}
