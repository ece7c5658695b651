package tui

import (
	"fmt"
	"testing"
	"time"

	"doctor/checks"
)

var began = time.Date(2026, 11, 20, 10, 2, 0, 0, time.UTC)

// live is the sample as a node that is being read: n checks of each category
// have their verdict, the next two are being read, the rest waits.
func live(n int, reading ...Reading) Update {
	r := sample()
	r.Source = checks.Source{Kind: "live", Format: "evidence/v1"}
	u := Update{Report: r, Open: map[string]checks.Status{}, Reading: reading,
		At: began.Add(3200 * time.Millisecond)}
	seen := map[checks.Category]int{}
	for _, res := range r.Results {
		switch at := seen[res.Category]; {
		case at >= n+2 || n == 0:
			u.Open[res.ID] = StatusWaiting
		case at >= n:
			u.Open[res.ID] = StatusReading
		}
		seen[res.Category]++
	}
	u.Done = len(u.Open) == 0
	return u
}

func reading(name string, since time.Duration) Reading { return Reading{name, began.Add(since)} }

// nothing is the first update: all checks wait, and nothing is known of the node.
func nothing() Update {
	u := live(0)
	u.Report.Node, u.At = checks.NodeFacts{}, began
	return u
}

func halfRead() Update {
	return live(2, reading("HNS networks", 0), reading("event logs", 1900*time.Millisecond),
		reading("files", 2*time.Second),
		reading("certificates", 2500*time.Millisecond),
		reading("container runtime", 2600*time.Millisecond))
}

const whole = 1 << 10 // more checks than a category has

func startLive(w, h int, updates ...Update) model {
	m := newModel(Options{Width: w, Height: h}, true)
	for _, u := range updates {
		m, _ = m.update(u)
	}
	return m
}

func TestGoldenLiveScreens(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 15}} {
		for _, s := range []struct {
			name string
			m    model
		}{
			{"live-first", startLive(size[0], size[1])},
			{"live-waiting", startLive(size[0], size[1], nothing())},
			{"live-half", startLive(size[0], size[1], nothing(), halfRead())},
			{"live-done", startLive(size[0], size[1], nothing(), halfRead(), live(whole))},
			{"live-help", after(startLive(size[0], size[1], live(whole)), "?")},
			{"live-again", startLive(size[0], size[1], live(whole),
				live(0, reading("machine", 3*time.Second)), halfRead())},
		} {
			name := fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1])
			t.Run(name, func(t *testing.T) { golden(t, name, seen(s.m)) })
		}
	}
	t.Run("ascii", func(t *testing.T) {
		m := newModel(Options{Width: 80, Height: 24, ASCII: true}, true)
		m, _ = m.update(halfRead())
		golden(t, "live-half-ascii-80x24", seen(m))
	})
}
