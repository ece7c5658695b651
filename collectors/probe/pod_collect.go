package probe

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// PodCollectors measure from inside a pod what the plan names, once those before
// have recorded what it is made of, and write that beside what the node measured
// itself: nodes names the collectors of the node's own probes. They run at the
// same time as the pod's.
func PodCollectors(plan func(context.Context, evidence.Snapshot) (PodPlan, error), before,
	nodes []string, deadline time.Duration) []collectors.Collector {
	const asking = "probes from a pod"
	// of the run that is under way: the same collectors may read again
	var result atomic.Pointer[podResult]
	return []collectors.Collector{
		{Name: asking, After: before, Deadline: deadline + podMargin,
			Read: func(ctx context.Context, r *collectors.Record) error {
				result.Store(nil)
				ctx, cancel := context.WithTimeout(ctx, deadline)
				defer cancel()
				found := askPod(ctx, r, plan)
				result.Store(&found)
				return found.err
			}},
		{Name: "probes", Answers: []string{evidence.ReachProbes.Path(), evidence.DNSProbes.Path()},
			After: append([]string{asking}, nodes...), Deadline: podMargin,
			Read: func(_ context.Context, r *collectors.Record) error {
				found := result.Swap(nil)
				if found == nil { // it hangs, and what it measures later is nobody's
					found = &podResult{err: collectors.GapError(evidence.NoAnswerWithin.Gap("the pod",
						deadline))}
				}
				return found.add(r)
			}},
	}
}

// podMargin is what is left after the last probe to write down all of them.
const podMargin = 500 * time.Millisecond

// A podResult is what a pod measured, or why it measured nothing.
type podResult struct {
	reach []evidence.ReachProbe
	names []evidence.DNSProbe
	err   error
}

func askPod(ctx context.Context, r *collectors.Record,
	plan func(context.Context, evidence.Snapshot) (PodPlan, error)) (found podResult) {
	s, err := r.Snapshot()
	if err != nil {
		return podResult{err: err}
	}
	p, err := plan(ctx, s)
	if err != nil {
		for _, target := range p.Targets {
			found.reach = append(found.reach, p.unsent(target, err)...)
		}
		for _, name := range p.Names {
			found.names = append(found.names, p.unasked(name, err))
		}
		found.err = err
		return found
	}
	at, _ := ctx.Deadline()
	p.Timeout = min(p.timeout(), time.Until(at))
	found.reach, found.names, found.err = Pod(ctx, p)
	return found
}

// add writes the pod's rows after the node's. Where nothing was measured in the
// pod and the node has no rows either, there is a gap; where the node has, the
// pod's rows say why they hold nothing.
func (f podResult) add(r *collectors.Record) error {
	s, err := r.Snapshot()
	if err != nil {
		return err
	}
	addRows(s, r, evidence.ReachProbes, f.reach, f.err)
	addRows(s, r, evidence.DNSProbes, f.names, f.err)
	return nil
}

func addRows[T any](s evidence.Snapshot, r *collectors.Record, kind *evidence.Kind[[]T], pod []T,
	why error) {
	var node []T
	if s.GapAt(kind.Path()).Kind == "" {
		node = kind.In(s)
	}
	switch {
	case len(pod) > 0 && (why == nil || len(node) > 0):
		// a file of probes holds one list, and each row says where it comes from
		r.JSON(kind.Path(), slices.Concat(node, pod))
	case len(node) > 0:
	case why != nil:
		r.Gap(kind.Path(), why)
	case !slices.Contains(s.Paths(), kind.Path()+".gap"):
		r.Gap(kind.Path(), collectors.GapError(evidence.NotAskedFromPod.Gap()))
	}
}
