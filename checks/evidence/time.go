package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Time is a moment as recorders write it: RFC 3339, nothing, or the
// "/Date(1700000000000)/" of Windows PowerShell.
type Time struct{ time.Time }

// UnmarshalJSON makes null and "" the zero time. Any other text that is no time is an error.
func (t *Time) UnmarshalJSON(b []byte) error {
	t.Time = time.Time{}
	var s *string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("a time is a string such as \"2026-01-31T10:00:00Z\"")
	}
	if s == nil || *s == "" {
		return nil
	}
	if ms, ok := strings.CutPrefix(*s, "/Date("); ok {
		n, err := strconv.ParseInt(strings.TrimSuffix(ms, ")/"), 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a time", *s)
		}
		t.Time = time.UnixMilli(n).UTC()
		return nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05",
		time.DateOnly} {
		if v, err := time.Parse(layout, *s); err == nil {
			t.Time = v.UTC()
			return nil
		}
	}
	return fmt.Errorf("%q is not a time such as \"2026-01-31T10:00:00Z\"", *s)
}

// The stamps that components of a Windows node put at the start of a line, or
// in time="…": klog's has no year, and the others differ in their separators.
var (
	klogStamp = regexp.MustCompile(`^.{0,80}?\b[IWEF](\d{2})(\d{2}) (\d{2}:\d{2}:\d{2})`)
	isoStamp  = regexp.MustCompile(
		`^.{0,80}?(\d{4})[-/](\d{2})[-/](\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.\d+)?(Z|[+-]\d{2}:?\d{2})?`)
	// of a line that says when its program was built
	buildTime = regexp.MustCompile(`(?i)\bbuil(?:t|d[ _]?(?:date|time))`)
	// Windows writes a time as its language has it: 7/25/2024 6:59:37 PM, 25/07/2024 18:59:37, 25.07.2024 18:59:37.
	localStamp = regexp.MustCompile(
		`^.{0,80}?\b(\d{1,2})([/.])(\d{1,2})[/.](20\d{2}),? (\d{1,2}:\d{2}:\d{2})(?: ?([AaPp])\.?[Mm])?`)
)

// MaxStamp is how far into a line its time may stand.
const MaxStamp = 200

// LineTime reads the time of a log line, or returns the zero time. now gives a
// klog stamp its year: the latest one that does not lie in the future. Most components write the time
// of the node's own zone and do not say which it is: it is that of now, which a recording made on
// the node has.
func LineTime(line string, now time.Time) time.Time {
	if len(line) > MaxStamp {
		line = line[:MaxStamp]
	}
	if m := isoStamp.FindStringSubmatch(line); m != nil && !buildTime.MatchString(m[0]) {
		layout, zone := "2006-01-02T15:04:05Z07:00", m[5]
		if zone == "" {
			layout = "2006-01-02T15:04:05"
		}
		if len(zone) == 5 {
			zone = zone[:3] + ":" + zone[3:]
		}
		t, err := time.ParseInLocation(layout, m[1]+"-"+m[2]+"-"+m[3]+"T"+m[4]+zone, now.Location())
		if err != nil {
			return time.Time{}
		}
		return t.UTC()
	}
	if m := klogStamp.FindStringSubmatch(line); m != nil && !now.IsZero() {
		for _, year := range []int{now.Year(), now.Year() - 1} {
			t, err := time.ParseInLocation("2006-01-02 15:04:05", time.Date(year, 1, 1, 0, 0, 0, 0,
				time.UTC).Format("2006")+"-"+m[1]+"-"+m[2]+" "+m[3], now.Location())
			if err == nil && !t.After(now.Add(24*time.Hour)) {
				return t.UTC()
			}
		}
	}
	if !strings.Contains(line, "/20") && !strings.Contains(line, ".20") {
		return time.Time{}
	}
	if m := localStamp.FindStringSubmatch(line); m != nil {
		return localTime(m, now)
	}
	return time.Time{}
}

// localTime reads a time of localStamp. Where both numbers may be the month, the time that does not lie in
// the future is meant; a half of the day goes with the month in front, and otherwise nothing tells.
func localTime(m []string, now time.Time) time.Time {
	clock, layout := m[5], "1/2/2006 15:04:05"
	if m[6] != "" {
		clock, layout = clock+strings.ToUpper(m[6])+"M", "1/2/2006 3:04:05PM"
	}
	read := func(month, day string) (time.Time, bool) {
		t, err := time.ParseInLocation(layout, month+"/"+day+"/"+m[4]+" "+clock, now.Location())
		return t.UTC(), err == nil && (now.IsZero() || !t.After(now.Add(24*time.Hour)))
	}
	american, first := read(m[1], m[3])
	european, last := read(m[3], m[1])
	switch {
	case first && m[2] == "/" && (!last || m[6] != "" || m[1] == m[3]):
		return american
	case last && (!first || m[2] == "."):
		return european
	}
	return time.Time{}
}

// LastTime is the time of the last line of a chunk that has one, the zero time where none of its last
// fifty lines has.
func LastTime(chunk []byte, now time.Time) time.Time {
	for range 50 {
		chunk = bytes.TrimRight(chunk, "\r\n")
		start := bytes.LastIndexByte(chunk, '\n') + 1
		line := chunk[start:]
		if at := LineTime(string(line[:min(len(line), MaxStamp)]), now); !at.IsZero() {
			return at
		}
		if chunk = chunk[:start]; len(chunk) == 0 {
			break
		}
	}
	return time.Time{}
}
