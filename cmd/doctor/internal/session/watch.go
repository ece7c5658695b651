package session

import (
	"cmp"
	"context"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
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
		before, now := isFault(was.Status), isFault(is.Status)
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

func isFault(s checks.Status) bool { return s == checks.StatusFail || s == checks.StatusWarn }

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
