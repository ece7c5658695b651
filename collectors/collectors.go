// Package collectors runs what reads a machine or a cluster: all collectors
// side by side, each in a goroutine and under a deadline of its own, so that
// one that hangs costs its own evidence and nothing else. What a collector did
// not bring becomes a gap that says why.
package collectors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors/tree"
)

// A Collector reads one part of a node.
type Collector struct {
	Name     string        // as the screen says it: "HNS networks"
	Answers  []string      // the evidence that it answers for; what ends with a slash is a folder
	After    []string      // the names of collectors whose evidence it reads
	Deadline time.Duration // from when it begins to read; 0 leaves it to the run's own
	Read     func(ctx context.Context, r *Record) error
}

// A Reading is how far a collector is.
type Reading struct {
	Name    string
	Answers []string
	State   State
	Began   time.Time
	Took    time.Duration // of Done
	Gap     evidence.Gap  // of Done: why some of its evidence is not there
}

// State is the way of a collector: it waits, reads, and is done.
type State int

const (
	Waiting    State = iota // for the collectors that it comes after
	ReadingNow              // since Reading.Began
	Done                    // or given up, when its time was over
)

// Run lets the collectors write into the tree, and returns when each of them is
// done or out of time. It tells changed, one call after the other, whenever a
// collector comes further; a slow one does not hold up the reading. What a
// collector that hangs does later is ignored.
func Run(ctx context.Context, t *tree.Tree, list []Collector, changed func([]Reading)) {
	r := &collection{ctx: ctx, tree: t, readings: make([]Reading, len(list)),
		ended: map[string]chan struct{}{}, news: make(chan struct{}, 1)}
	for i, c := range list {
		r.readings[i] = Reading{Name: c.Name, Answers: c.Answers}
		r.ended[c.Name] = make(chan struct{})
	}
	var all, told sync.WaitGroup
	told.Go(func() {
		for range r.news {
			changed(r.readingsSoFar())
		}
	})
	for i, c := range list {
		all.Go(func() {
			defer close(r.ended[c.Name])
			r.runCollector(i, c)
		})
	}
	all.Wait()
	close(r.news)
	told.Wait()
	changed(r.readingsSoFar())
}

type collection struct {
	ctx   context.Context
	tree  *tree.Tree
	ended map[string]chan struct{}
	news  chan struct{}

	mu       sync.Mutex
	readings []Reading
}

func (r *collection) readingsSoFar() []Reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.readings)
}

func (r *collection) setReading(i int, change func(*Reading)) {
	r.mu.Lock()
	change(&r.readings[i])
	r.mu.Unlock()
	select {
	case r.news <- struct{}{}:
	default: // who listens will see this change with the one before
	}
}

func (r *collection) runCollector(i int, c Collector) {
	for _, name := range c.After {
		before, ok := r.ended[name]
		if !ok {
			panic(fmt.Sprintf("collector %q comes after %q, which is not in the list", c.Name,
				name))
		}
		<-before
	}
	began := time.Now()
	r.setReading(i, func(g *Reading) { g.State, g.Began = ReadingNow, began })
	why := r.readCollector(c)
	r.setReading(i, func(g *Reading) { g.State, g.Took, g.Gap = Done, time.Since(began), why })
}

// readCollector lets the collector read, and puts a gap in the place of all that it
// answers for and did not bring.
func (r *collection) readCollector(c Collector) evidence.Gap {
	ctx, cancel := r.ctx, context.CancelFunc(func() {})
	if c.Deadline > 0 {
		ctx, cancel = context.WithTimeout(r.ctx, c.Deadline)
	}
	defer cancel()
	record := &Record{tree: r.tree, ended: r.ended}
	result := make(chan error, 1)
	if ctx.Err() == nil {
		go func() { result <- guarded(ctx, c, record) }()
	}
	var err error
	select {
	case err = <-result:
	case <-ctx.Done():
		// What has answered at the last moment has answered.
		select {
		case err = <-result:
		default:
			err = r.tooLate(c)
		}
	}
	first := record.close()
	if err == nil {
		err = errSilent
	}
	why := GapOf(err)
	for _, path := range c.Answers {
		if path[len(path)-1] == '/' || r.tree.Has(path) {
			continue
		}
		r.tree.Gap(path, why)
		first = cmp.Or(first, why)
	}
	if err != errSilent {
		first = cmp.Or(first, why)
	}
	return first
}

var errSilent = GapError(evidence.CollectorSilent.Gap())

func (r *collection) tooLate(c Collector) error {
	switch cause := context.Cause(r.ctx); {
	case cause == nil:
		return GapError(evidence.NoAnswerWithin.Gap(c.Name, c.Deadline))
	case errors.Is(cause, context.DeadlineExceeded):
		return GapError(evidence.RunTimedOut.Gap(c.Name))
	}
	return GapError(evidence.Interrupted.Gap())
}

// guarded makes an error of a panic: hcsshim's wrappers panic where a DLL is
// missing, and a collector that stumbles must not take the others along.
func guarded(ctx context.Context, c Collector, r *Record) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the collector panicked (a bug in doctor): %v", p)
		}
	}()
	return c.Read(ctx, r)
}

// A GapError is an error that knows which gap it is.
type GapError evidence.Gap

// Error is the reason without the kind of the gap.
func (e GapError) Error() string { return evidence.Gap(e).Reason() }

// BeforeDeadline ends an eighth of the time that is left before ctx does, and the margin at most, so
// that a collector writes what it has, and why the rest is missing, before it is given up itself.
func BeforeDeadline(ctx context.Context, margin time.Duration) (context.Context,
	context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end.Add(-min(time.Until(end)/8, margin)))
}

// GapOf turns an error into the gap that a reader is told.
func GapOf(err error) evidence.Gap {
	var gap GapError
	switch {
	case errors.As(err, &gap):
		return evidence.Gap(gap)
	case errors.Is(err, fs.ErrPermission):
		return evidence.NeedsAdministrator.Gap()
	case errors.Is(err, errors.ErrUnsupported):
		return evidence.Reported.OfKind(evidence.Unsupported, err)
	case errors.Is(err, fs.ErrNotExist):
		return evidence.Reported.OfKind(evidence.Absent, err)
	case errors.Is(err, context.DeadlineExceeded):
		return evidence.Reported.OfKind(evidence.Timeout, err)
	}
	return evidence.Reported.OfKind(evidence.Error, err)
}

// A Record is where one collector writes. It closes when the collector's time
// is over.
type Record struct {
	tree   *tree.Tree
	ended  map[string]chan struct{}
	mu     sync.Mutex
	closed bool
	first  evidence.Gap
}

func (r *Record) close() evidence.Gap {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return r.first
}

func (r *Record) write(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		do()
	}
}

// JSON writes a value of the layout.
func (r *Record) JSON(path string, v any) { r.write(func() { r.tree.JSON(path, v) }) }

// File writes a copy of one of the node's files, or of a log.
func (r *Record) File(path string, f tree.File) { r.write(func() { r.tree.Add(path, f) }) }

// Gap writes why a file of the layout is not there.
func (r *Record) Gap(path string, err error) {
	why := GapOf(err)
	r.write(func() {
		r.tree.Gap(path, why)
		r.first = cmp.Or(r.first, why)
	})
}

// Either writes the value, or the gap where there is an error.
func (r *Record) Either(path string, v any, err error) {
	if err != nil {
		r.Gap(path, err)
		return
	}
	r.JSON(path, v)
}

// Await waits for other collectors, for one that has something to do before it
// needs what they bring. It gives up at the end of ctx.
func (r *Record) Await(ctx context.Context, names ...string) {
	for _, name := range names {
		ended, runs := r.ended[name]
		if !runs {
			continue
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return
		}
	}
}

// Snapshot is what all collectors have recorded so far.
func (r *Record) Snapshot() (evidence.Snapshot, error) { return evidence.Load(r.tree.FS()) }
