package evidence

import (
	"testing"
	"time"
)

// TestTimesOfLinesAreInTheZoneOfTheNode: a component writes the time of the node's own zone, and says so seldom.
func TestTimesOfLinesAreInTheZoneOfTheNode(t *testing.T) {
	const zone = -8 * 60 * 60
	now := time.Date(2026, 11, 20, 2, 0, 0, 0, time.FixedZone("", zone)) // 10:00 UTC
	for line, want := range map[string]string{
		"E1120 01:59:00.000000 1 a.go:1] x":                      "2026-11-20T09:59:00Z",
		"2026-11-20 01:59:00 x":                                  "2026-11-20T09:59:00Z",
		`time="2026-11-20T09:59:00Z" level=error msg=x`:          "2026-11-20T09:59:00Z",
		`time="2026-11-20T01:59:00.000-08:00" level=error msg=x`: "2026-11-20T09:59:00Z",
		"11/20/2026 1:59:00 AM x":                                "2026-11-20T09:59:00Z",
	} {
		if got := LineTime(line, now).Format(time.RFC3339); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
