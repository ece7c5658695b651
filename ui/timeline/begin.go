package timeline

import (
	"slices"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

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
