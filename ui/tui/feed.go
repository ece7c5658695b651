package tui

import (
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

// An Update is what the screen shows next: the report as far as it stands.
type Update struct {
	Report   checks.Report
	Evidence evidence.Snapshot // what it was made from
	// the checks, by id, whose verdict is still to come: what Report says of it is not shown
	Open    map[string]checks.Status // StatusReading or StatusWaiting
	Reading []Reading                // what is being read now, oldest first
	At      time.Time                // the moment of this update: the screen has no clock of its own
	Done    bool                     // nothing is open any more
}

// A Reading is one thing that is being read.
type Reading struct {
	Name  string
	Since time.Time
}

// A Feed brings updates until its channel is closed. The screen takes every
// update at once and shows the latest, so that a slow terminal holds nobody up.
// Again, where it is set, begins to read the node anew; it is called when the last
// update was Done.
type Feed struct {
	Updates <-chan Update
	Again   func()
	Bundle  *Bundler // nil: no bundle can be made
}

// Finished is the feed of a report that will not change.
func Finished(r checks.Report, s evidence.Snapshot) Feed {
	updates := make(chan Update, 1)
	updates <- Update{Report: r, Evidence: s, Done: true}
	close(updates)
	return Feed{Updates: updates}
}
