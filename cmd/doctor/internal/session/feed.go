package session

import (
	"context"
	"time"

	"doctor/checks"
	"doctor/checks/sorted"
	"doctor/collectors"
	"doctor/ui/tui"
)

// The screen is told of news at most this often, and this often without any,
// for the seconds that it counts.
const (
	newsEvery = 80 * time.Millisecond
	tickEvery = 500 * time.Millisecond
)

// Feed reads the node in the background: once, and once more whenever the user
// asks. Nothing here waits for the screen.
func (l *Live) Feed(ctx context.Context) tui.Feed {
	send, updates := tui.Overtaking[tui.Update]()
	again := make(chan struct{}, 1)
	send(l.update(false))
	go func() {
		for {
			l.readFor(ctx, send)
			select {
			case <-again:
				l = l.Fresh()
			case <-ctx.Done():
				return
			}
		}
	}()
	return tui.Feed{Updates: updates, Again: func() {
		select {
		case again <- struct{}{}:
		default: // asked already
		}
	}}
}

// readFor reads once, and sends how it goes.
func (l *Live) readFor(ctx context.Context, send func(tui.Update)) {
	news, done := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(done)
		l.Read(ctx, func() {
			select {
			case news <- struct{}{}:
			default:
			}
		})
	}()
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	for {
		send(l.update(false))
		select {
		case <-done:
		case <-time.After(newsEvery):
			select {
			case <-news:
				continue
			case <-tick.C:
				continue
			case <-done:
			}
		}
		send(l.update(true))
		return
	}
}

// update judges what there is, and tells which verdicts are still to come.
func (l *Live) update(done bool) tui.Update {
	u := tui.Update{At: time.Now(), Done: done, Open: map[string]checks.Status{}}
	// the tree holds meta.json from the beginning, so there is one
	u.Report, u.Evidence, _ = l.Report()
	l.mu.Lock()
	readings := l.readings
	l.mu.Unlock()
	var reading, waiting []string
	for _, r := range readings {
		switch r.State {
		case collectors.ReadingNow:
			reading = append(reading, r.Answers...)
			u.Reading = append(u.Reading, tui.Reading{Name: r.Name, Since: r.Began})
		case collectors.Waiting:
			waiting = append(waiting, r.Answers...)
		}
	}
	sorted.By(u.Reading, func(a, b tui.Reading) int { return a.Since.Compare(b.Since) })
	for _, c := range l.checks.All() {
		switch {
		case c.AwaitsAny(reading):
			u.Open[c.ID] = tui.StatusReading
		case c.AwaitsAny(waiting):
			u.Open[c.ID] = tui.StatusWaiting
		}
	}
	return u
}
