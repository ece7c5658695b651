// Package tui shows a report on the whole screen, from the first piece of
// evidence on until it is finished.
//
// The rules of this screen:
//
//   - The model holds data only, and update is a function of it and a message.
//     What must happen outside (quit, copy, read again) is returned as an effect.
//   - The time is part of an update: the screen has no clock.
//   - While the node is being read, rows keep their places and the selection
//     keeps its row. What is preliminary says so.
//   - Drawing is free functions from data and a size to lines, one part of the
//     screen per file. A line is plain text in spans, and is coloured last, so
//     clipping never meets an escape sequence.
//   - Whatever the report says passes through show before it is measured.
//   - Symbol, word and colour agree, and colour is never the only carrier.
//   - What the screen itself says stands in English where it is drawn, whole
//     sentences with their holes, and goes through the voice (T, Word, Count).
//     The report is translated once, as it is received.
//   - A frame has exactly the height of the terminal and is never wider.
package tui

import (
	"context"
	"io"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/ui/lang"
	"doctor/ui/tui/quiet"
)

// Bubbletea is initialized by now: see package quiet.
func init() { quiet.End() }

// Options say how the screen is drawn.
type Options struct {
	Catalogue *checks.Catalogue // the checks behind the report: what each of them reads
	ASCII     bool              // nothing but bytes below 0x80
	Theme     string            // of Themes; "" is the terminal's own palette
	Width     int               // the size until the terminal tells its own
	Height    int
	Lang      *lang.Catalogue // nil is English, and so is ASCII
	Evidence  bool            // the screen begins with the evidence, where there is some already
}

// A Leave is how the user left.
type Leave struct {
	Update      // shown last; the zero one where none had come
	Print  bool // the report is to stay on the terminal
}

// Run shows what the feed brings until the user leaves, and gives the terminal
// back as it was. It returns the context's error when the context ended it.
func Run(ctx context.Context, in io.Reader, out io.Writer, feed Feed, opt Options) (Leave, error) {
	opt.Width, opt.Height = sizeAt(out, opt.Width, opt.Height)
	p := program{model: newModel(opt, feed.Again != nil),
		outside: newOutside(out, opt.Theme, feed.Again)}
	var end func()
	p.model.bundler, end = feed.Bundle.attended(ctx)
	defer end()
	select {
	case u, ok := <-feed.Updates:
		if ok { // what is there already is in the first frame
			p.model, _ = p.model.update(u)
			if opt.Evidence {
				p.model, p.first = p.model.open(newBrowser(p.model.env()))
			}
		}
	default:
	}
	p.updates = feed.Updates
	p, err := p.run(ctx, in)
	return Leave{p.model.shown, p.report}, err
}

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
