package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
)

// Bounds on a log of events; tools ask for a few thousand, of some kilobytes each.
const (
	maxEventBytes  = 64 << 20
	maxEventObject = 1 << 20
	maxEvents      = 20_000
	maxMessage     = 8 << 10
	// as doctor itself records them: what is older is over, or was told again
	eventsSince = 24 * time.Hour
)

// jsonEvent is an EventLogRecord of .NET as ConvertTo-Json writes it.
type jsonEvent struct {
	ID               int             `json:"Id"`
	Level            int             `json:"Level"`
	ProviderName     string          `json:"ProviderName"`
	LogName          string          `json:"LogName"`
	LevelDisplayName string          `json:"LevelDisplayName"`
	Message          string          `json:"Message"`
	TimeCreated      json.RawMessage `json:"TimeCreated"`
}

// eventLevels are the numbers of an event's level; the words are translated.
var eventLevels = []string{"information", "critical", "error", "warning", "information", "verbose"}

// readEventsJSON reads `Get-WinEvent | ConvertTo-Json`: an array, one object
// where there was one event, and nothing where there was none. The events are
// read one at a time, in front of a break as well, which is then the error.
func readEventsJSON(src *source, file string, take func(evidence.WindowsEvent)) error {
	f, err := src.fsys.Open(src.at(file))
	if err != nil {
		return err
	}
	defer f.Close()
	return decodeEvents(io.LimitReader(evidence.Text(f), maxEventBytes), take)
}

func decodeEvents(r io.Reader, take func(evidence.WindowsEvent)) error {
	d := json.NewDecoder(r)
	first, err := d.Token()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return fmt.Errorf("it does not begin with JSON: %w", err)
	}
	switch first {
	case json.Delim('['):
		for n := 0; d.More(); n++ {
			if n == maxEvents {
				return fmt.Errorf("it holds more than %d events", maxEvents)
			}
			var e jsonEvent
			var raw json.RawMessage
			if err := d.Decode(&raw); err != nil {
				return err
			}
			if len(raw) < maxEventObject && json.Unmarshal(raw, &e) == nil {
				take(e.event())
			}
		}
		_, err = d.Token()
		return err
	case json.Delim('{'):
		var e jsonEvent
		whole := io.MultiReader(strings.NewReader("{"), d.Buffered(), r)
		if err := json.NewDecoder(whole).Decode(&e); err != nil {
			return err
		}
		take(e.event())
		return nil
	}
	return fmt.Errorf("it begins with %v and not with an event", first)
}

// levelName is a level as evidence has it. Classic logs write 0 for information.
func levelName(level int) string {
	if level > 0 && level < len(eventLevels) {
		return eventLevels[level]
	}
	return eventLevels[0]
}

func (e jsonEvent) event() evidence.WindowsEvent {
	return evidence.WindowsEvent{
		Log: e.LogName, Provider: e.ProviderName, ID: e.ID, Level: levelName(e.Level),
		Time: evidence.Time{Time: eventTime(e.TimeCreated)}, Message: evidence.Clip(e.Message, maxMessage),
	}
}

// eventTime reads a time in each of the forms of ConvertTo-Json: "/Date(ms)/",
// the same in an object with other forms beside it, and since version 7 ISO.
func eventTime(raw json.RawMessage) time.Time {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		var o struct {
			Value string `json:"value"`
		}
		if json.Unmarshal(raw, &o) != nil {
			return time.Time{}
		}
		s = o.Value
	}
	if ms, ok := strings.CutPrefix(s, "/Date("); ok {
		ms = strings.TrimSuffix(ms, ")/")
		if at := strings.LastIndexAny(ms, "+-"); at > 0 {
			ms = ms[:at] // the offset is for display; the number counts from 1970 in UTC
		}
		if n, err := strconv.ParseInt(ms, 10, 64); err == nil {
			return onlyPlausible(time.UnixMilli(n))
		}
	}
	at, _ := time.Parse(time.RFC3339, s)
	return onlyPlausible(at)
}

func onlyPlausible(t time.Time) time.Time {
	if !plausible(t) {
		return time.Time{}
	}
	return t.UTC()
}

// recent sorts the events and keeps those of the last day that the logs tell of.
func recent(list []evidence.WindowsEvent) []evidence.WindowsEvent {
	sorted.By(list, func(a, b evidence.WindowsEvent) int {
		return a.Time.Compare(b.Time.Time)
	})
	if len(list) > 0 {
		from := list[len(list)-1].Time.Add(-eventsSince)
		list = slices.DeleteFunc(list, func(e evidence.WindowsEvent) bool {
			return e.Time.Before(from)
		})
	}
	return list[max(0, len(list)-maxEvents):]
}
