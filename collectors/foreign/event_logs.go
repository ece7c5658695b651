package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
	"doctor/collectors/evtx"
)

// Bounds on the event logs of a recording.
const (
	maxEventLogs = 100      // files
	maxEventLog  = 1 << 28  // bytes of one
	mostLately   = 4 * 5000 // events of one file that are kept while it is read, the latest
)

func isEventLog(name string) bool { return strings.EqualFold(path.Ext(name), ".evtx") }

// addEventLogs makes events of the .evtx files of a recording, in addition to those that the tool
// exported as text, and returns the time of the last of them. The Security log is left out: it says
// nothing of containers.
func (o *output) addEventLogs(fsys fs.FS, root string) time.Time {
	logs := export{}
	unread, files := 0, 0
	fs.WalkDir(fsys, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !fs.ValidPath(name) || !isEventLog(name) {
			return nil
		}
		if files++; files > maxEventLogs {
			return fs.SkipAll
		}
		f, err := fsys.Open(name)
		if err != nil {
			unread++
			return nil
		}
		defer f.Close()
		events, left := readEventLog(f)
		logs.events = append(logs.events, events...)
		unread += left
		return nil
	})
	if unread > 0 {
		o.Gap("event-logs-rest", brokenf("%d records of the .evtx files cannot be read", unread))
	}
	if len(logs.events) == 0 {
		return time.Time{}
	}
	sorted.By(logs.events, func(a, b exported) int { return a.Time.Compare(b.Time.Time) })
	o.mergeEvents(logs.excerpt(""))
	return logs.newest()
}

// readEventLog reads the latest events of one file.
func readEventLog(r io.Reader) (events []exported, unread int) {
	unread, err := evtx.Read(io.LimitReader(r, maxEventLog), func(e evtx.Event) {
		if e.Channel == "Security" {
			return
		}
		if len(events) == mostLately {
			events = append(events[:0], events[mostLately/2:]...)
		}
		events = append(events, exported{WindowsEvent: evidence.WindowsEvent{
			Time: evidence.Time{Time: e.Time}, ID: e.ID, Level: levelName(e.Level), Log: e.Channel,
			Provider: e.Provider, Message: e.Message()}})
	})
	if err != nil {
		unread++
	}
	return events, unread
}

// mergeEvents adds events to those that are there, which have the texts of their messages.
func (o *output) mergeEvents(events []evidence.WindowsEvent) {
	type key struct {
		at       time.Time
		id       int
		provider string
	}
	keyOf := func(e evidence.WindowsEvent) key {
		return key{e.Time.Truncate(time.Second), e.ID, strings.ToLower(e.Provider)}
	}
	have := map[key]bool{}
	var list []evidence.WindowsEvent
	if content, err := fs.ReadFile(o.FS(), evidence.WindowsEvents.Path()); err == nil {
		_ = json.Unmarshal(content, &list) // the tool's own reader wrote it
	}
	for _, e := range list {
		have[keyOf(e)] = true
	}
	for _, e := range events {
		if !have[keyOf(e)] {
			list = append(list, e)
		}
	}
	sorted.By(list, func(a, b evidence.WindowsEvent) int { return a.Time.Compare(b.Time.Time) })
	o.Remove(evidence.WindowsEvents.Path())
	o.JSON(evidence.WindowsEvents.Path(), list)
}

// eventLogHost is the machine that an event log is of, "" where that cannot be read.
func eventLogHost(fsys fs.FS, name string) (host string) {
	f, err := fsys.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	const firstChunk = 4<<10 + 64<<10
	evtx.Read(io.LimitReader(f, firstChunk), func(e evtx.Event) {
		host, _, _ = strings.Cut(strings.ToLower(e.Computer), ".")
	})
	return host
}

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
