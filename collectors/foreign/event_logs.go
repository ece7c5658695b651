package foreign

import (
	"encoding/json"
	"io"
	"io/fs"
	"path"
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
