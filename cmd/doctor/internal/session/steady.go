package session

import (
	"context"
	"slices"
	"sync"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// What a watch allows its collectors: each that is inside a call of Windows has a thread, and the
// threads of a process only ever become more.
const (
	steadyPlaces   = 3
	steadyPatience = 500 * time.Millisecond // then a collector starts without a place
)

// steady makes collectors fit to read again and again for weeks. A few read at a time, and one whose
// earlier call still hangs is not called again: at each reading another thread would hang with it.
// The ports of VFP are left out: they cost two processes each.
func steady(list []collectors.Collector) []collectors.Collector {
	places := make(chan struct{}, steadyPlaces)
	list = slices.DeleteFunc(slices.Clone(list), func(c collectors.Collector) bool {
		return slices.Contains(c.Answers, evidence.VFPPorts.Path())
	})
	for i, c := range list {
		var reads sync.Mutex
		list[i].Read = func(ctx context.Context, r *collectors.Record) error {
			if !reads.TryLock() {
				return collectors.GapError(evidence.NoAnswerWithin.Gap(c.Name, c.Deadline))
			}
			defer reads.Unlock()
			select {
			case places <- struct{}{}:
				// Its context ends when it returns, or is given up.
				context.AfterFunc(ctx, func() { <-places })
			case <-time.After(steadyPatience):
			}
			return c.Read(ctx, r)
		}
	}
	return list
}
