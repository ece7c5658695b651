package session

import (
	"cmp"
	"context"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/tree"
)

// A Watching says how often a node is read, and what is done with each reading.
type Watching struct {
	Every time.Duration // state that is cheap to read
	Full  time.Duration // all of it
	// Bounded makes the pauses longer where a reading costs so much that the watch would take more
	// than 2 % of a core.
	Bounded bool
	// Changed is called for each change, in order.
	Changed func(Change)
	// Read is called after each reading with its verdicts and evidence, and whether all was read.
	Read    func(l *Live, report checks.Report, full bool, changes []Change)
	Earlier checks.Report // of an earlier watch of the node, which its changes begin with
	Due     func() bool   // whether all is to be read now; nil: when Full has passed
}

// fewTries is after how many pauses a whole reading that was due and brought nothing is tried again.
const fewTries = 6

// The least pauses of a bounded watch, as multiples of the processor time of a reading: 1.3 % of a
// core for what is cheap, and 0.7 % for whole readings.
const (
	cheapPauses = 75
	fullPauses  = 150
)

// What became of a fault.
const (
	Present   = "present" // when the check could tell for the first time
	Appeared  = "appeared"
	Recovered = "recovered"
	Differs   = "changed" // another finding or level than before
)

// A Change is a fault or warning that came, went, or became another.
type Change struct {
	At      time.Time     `json:"at"`
	Node    string        `json:"node"`
	Change  string        `json:"change"`
	ID      string        `json:"id"`
	Title   string        `json:"title"`
	Healthy string        `json:"healthy"`
	Was     checks.Status `json:"was"`
	Is      checks.Status `json:"is"`
	Message string        `json:"message"`
}

// Watch reads the node again and again until the context ends. A reading that brings nothing, as
// when the API server does not answer, is reported as the error that it is and ends nothing.
func Watch(ctx context.Context, l *Live, o Watching, trouble func(error)) error {
	l.collectors = steady(l.collectors)
	known := map[string]checks.Result{}
	var last *Live // the last whole reading that brought something
	var lastFull, tried time.Time
	every, fully := o.Every, o.Full
	for {
		began, spent := time.Now(), processorTime()
		full := last == nil || time.Since(lastFull) >= fully ||
			o.Due != nil && o.Due() && time.Since(tried) >= fewTries*o.Every
		reading := l
		if full {
			if last != nil {
				reading = last.Fresh()
			}
		} else if reading = last.Cheap(); reading == nil {
			full, reading = true, last.Fresh()
		}
		if full {
			tried = time.Now()
		}
		reading.Read(ctx, func() {})
		if err := ctx.Err(); err != nil {
			return err
		}
		report, _, err := reading.Report()
		if err == nil {
			err = reading.Unread()
		}
		switch {
		case err != nil:
			trouble(err)
			if l = l.Fresh(); last != nil && full {
				lastFull = time.Now() // a reading that brings nothing is not tried every few seconds
			}
		default:
			if full {
				last, lastFull = reading, time.Now()
			}
			report = Shareable(report)
			if len(known) == 0 && o.Earlier.Node.Name == report.Node.Name {
				changesOf(known, o.Earlier)
			}
			changes := changesOf(known, report)
			for _, c := range changes {
				o.Changed(c)
			}
			if o.Read != nil {
				o.Read(reading, report, full, changes)
			}
		}
		if spent = processorTime() - spent; o.Bounded && full {
			fully = max(o.Full, fullPauses*spent)
		} else if o.Bounded {
			every = max(o.Every, cheapPauses*spent)
		}
		select {
		case <-time.After(every - time.Since(began)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// changesOf compares verdicts with those that are known, and remembers them. A check that cannot tell
// has neither recovered nor changed: what was known of it stays. What it finds when it can tell for
// the first time did not appear then: nobody had looked before.
func changesOf(known map[string]checks.Result, r checks.Report) (list []Change) {
	at := r.CollectedAt
	for _, is := range r.Results {
		if is.Status == checks.StatusUnknown {
			continue
		}
		was, seen := known[is.ID]
		known[is.ID] = is
		c := Change{At: at, Node: r.Node.Name, ID: is.ID, Title: is.Title, Healthy: is.Healthy, Was: was.Status, Is: is.Status}
		if !seen {
			c.Was = checks.StatusUnknown
		}
		if len(is.Findings) > 0 {
			c.Message = is.Findings[0].Message
		}
		before, now := was.Status.Fault(), is.Status.Fault()
		switch {
		case now && !seen:
			c.Change = Present
		case now && !before:
			c.Change = Appeared
		case before && !now:
			c.Change, c.Message = Recovered, ""
		case now && (was.Status != is.Status || subjects(was) != subjects(is)):
			c.Change = Differs
		default:
			continue
		}
		list = append(list, c)
	}
	return list
}

// turnedBad tells whether a fault or warning came, or a warning became a fault.
func (c Change) turnedBad() bool {
	return c.Change == Appeared || c.Change == Differs && c.Is == checks.StatusFail && c.Was != c.Is
}

// subjects are what a check found, without the numbers that change by themselves.
func subjects(r checks.Result) (text string) {
	for _, f := range r.Findings {
		text += f.Level + " " + f.Subject + "\n"
	}
	return text
}

// Line is a change as one line.
func (c Change) Line() string {
	title := c.Title
	if c.Change == Recovered {
		title = cmp.Or(c.Healthy, c.Title)
	}
	line := title + " (" + c.ID + ")"
	if c.Message != "" {
		line += ": " + c.Message
	}
	return evidence.Clean(line)
}

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

// cheap is the evidence that a watch reads every few seconds: state that changes when something
// breaks, and that costs milliseconds. Logs, files, events, security, probes and what netsh.exe
// lists (ports, drops) are read with all the rest, every few minutes.
var cheap = []string{"services.json", "hns-networks.json", "hns-endpoints.json", "hns-loadbalancers.json",
	"hns-namespaces.json", "adapters.json", "routes.json", "processes.json", "api/node.json",
	"api/pods.json"}

// Cheap is another reading of the same node that reads only what is cheap, and has the rest of l.
// Nil where nothing of it is.
func (l *Live) Cheap() *Live {
	var names []string
	var some []collectors.Collector
	for _, c := range l.collectors {
		if !slices.ContainsFunc(c.Answers, func(path string) bool { return !slices.Contains(cheap, path) }) {
			names, some = append(names, c.Name), append(some, c)
		}
	}
	if len(some) == 0 {
		return nil
	}
	n := &Live{plan: l.plan, unread: l.unread, part: true}
	n.collectors = nil
	for _, c := range some {
		c.After = slices.DeleteFunc(slices.Clone(c.After), func(name string) bool {
			return !slices.Contains(names, name)
		})
		n.collectors = append(n.collectors, c)
		n.readings = append(n.readings, collectors.Reading{Name: c.Name, Answers: c.Answers})
	}
	n.tree = tree.Cleaned(n.secrets.Content)
	n.tree.Keep(l.tree, func(path string) bool {
		return slices.ContainsFunc(some, func(c collectors.Collector) bool {
			return slices.Contains(c.Answers, strings.TrimSuffix(path, ".gap"))
		})
	})
	return n
}

// Frame is the evidence of a reading without its logs: what a flight recorder keeps. The tree has
// taken the secrets out of all of it; only logs are opened where they lie.
func (l *Live) Frame() (from fs.FS, paths []string, err error) {
	s, err := evidence.Load(l.tree.FS())
	if err != nil {
		return nil, nil, err
	}
	for _, path := range s.Paths() {
		if !strings.HasPrefix(path, "logs/") {
			paths = append(paths, path)
		}
	}
	return l.tree.FS(), paths, nil
}
