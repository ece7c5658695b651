package foreign

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors/tree"
)

// An exported is one event as Export-Csv wrote it. What no column tells is empty.
type exported struct {
	stamp string // as written, in the order of the node's language
	evidence.WindowsEvent
}

// Bounds on an export. A System log of the usual 20 MB has some 30,000 events.
const (
	maxExport         = 64 << 20 // bytes that are read
	maxExported       = 200_000  // events that are read
	maxExcerpt        = 20_000   // events that become evidence, the newest
	maxExcerptBytes   = 16 << 20 // of their messages
	maxExcerptMessage = 16 << 10 // of one
)

// eventColumns are the names of the columns, in lower case, by what they hold:
// those of Get-WinEvent, and those of the older Get-EventLog.
var eventColumns = map[string]func(*exported, string){
	"timecreated":      func(e *exported, v string) { e.stamp = v },
	"timegenerated":    func(e *exported, v string) { e.stamp = v },
	"id":               func(e *exported, v string) { e.ID = number(v) },
	"eventid":          func(e *exported, v string) { e.ID = number(v) },
	"leveldisplayname": func(e *exported, v string) { e.Level = v },
	"entrytype":        func(e *exported, v string) { e.Level = v },
	"logname":          func(e *exported, v string) { e.Log = v },
	"providername":     func(e *exported, v string) { e.Provider = v },
	"source":           func(e *exported, v string) { e.Provider = v },
	"message":          func(e *exported, v string) { e.Message = v },
}

// An export is what a CSV file of events holds.
type export struct {
	name   string
	events []exported // the oldest first
	cut    string     // why the rest is missing, "" where the file is whole
	gap    evidence.Gap
}

// readExport reads the output of `Get-WinEvent | Export-Csv`. A "#TYPE" line comes
// first, every field is quoted, and messages have lines of their own.
func readExport(src *source, name string) export {
	e := export{name: name}
	at := src.at(name)
	if at == "" {
		e.gap = missingf("%s is not in the folder", name)
		return e
	}
	e.name = path.Base(at)
	f, err := src.fsys.Open(at)
	if err != nil {
		e.gap = brokenf("%s: %v", e.name, err)
		return e
	}
	defer f.Close()
	bounded := &io.LimitedReader{R: f, N: maxExport}
	text := bufio.NewReader(evidence.Text(bounded))
	var written time.Time
	if info, err := f.Stat(); err == nil && plausible(info.ModTime()) {
		written = info.ModTime()
	}
	e.events, e.cut = parseExport(text, written)
	if e.cut == "" && bounded.N == 0 {
		e.cut = fmt.Sprintf("only its first %d MiB were read", maxExport>>20)
	}
	if len(e.events) == 0 {
		e.gap = brokenf(
			"%s holds no events: PowerShell writes nothing both where there are none and where they could not be read", e.name)
		if e.cut != "" {
			e.gap = brokenf("%s holds no events that can be read: %s", e.name, e.cut)
		}
	}
	return e
}

// parseExport reads the rows; written is when the file was, zero where nobody knows.
func parseExport(r *bufio.Reader, written time.Time) (events []exported, cut string) {
	comma, skipped := ',', false
	for !skipped {
		head, err := r.Peek(1)
		switch {
		case err != nil:
			return nil, ""
		case head[0] == '#' || head[0] == '\r' || head[0] == '\n':
			if _, err := r.ReadString('\n'); err != nil {
				return nil, ""
			}
		default:
			skipped = true
		}
	}
	if head, _ := r.Peek(512); bytes.Contains(head, []byte(`";"`)) &&
		!bytes.Contains(head, []byte(`","`)) {
		comma = ';' // Export-Csv -UseCulture
	}
	rows := csv.NewReader(r)
	rows.Comma, rows.FieldsPerRecord, rows.ReuseRecord, rows.LazyQuotes = comma, -1, true, false
	head, err := rows.Read()
	if err != nil {
		return nil, "its first line names no columns"
	}
	take := make([]func(*exported, string), len(head))
	message := false
	for i, name := range head {
		key := strings.ToLower(strings.TrimSpace(name))
		take[i] = eventColumns[key]
		message = message || key == "message"
	}
	if !message {
		return nil, "its first line names no column Message"
	}
	cut = fmt.Sprintf("only its first %d events were read", maxExported)
	for len(events) < maxExported {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			cut = ""
			break
		}
		if err != nil || len(row) != len(head) {
			cut = fmt.Sprintf("it breaks off after %d events", len(events))
			break
		}
		var e exported
		for i, value := range row {
			if take[i] != nil {
				take[i](&e, strings.Clone(value))
			}
		}
		events = append(events, e)
	}
	inOrder(events, written)
	return events, cut
}

// inOrder reads the times and puts the oldest event first. Get-WinEvent lists the
// newest first, and within one second the order of the list is all there is.
func inOrder(events []exported, written time.Time) {
	readTimes(events, written)
	first, last := slices.IndexFunc(events, dated), -1
	for i := len(events) - 1; i > first && last < 0; i-- {
		if dated(events[i]) {
			last = i
		}
	}
	if first >= 0 && last >= 0 && events[first].Time.Before(events[last].Time.Time) {
		return
	}
	slices.Reverse(events)
}

func dated(e exported) bool { return !e.Time.IsZero() }

// newest is the time of the last event, zero where none can be read.
func (e export) newest() time.Time {
	var newest time.Time
	for _, v := range e.events {
		newest = later(newest, v.Time.Time)
	}
	return newest
}

// excerpt is the last day of the export, as doctor itself records it, the oldest
// event first. log is where they come from, where no column says it.
func (e export) excerpt(log string) []evidence.WindowsEvent {
	var list []evidence.WindowsEvent
	size, since := 0, e.newest().Add(-excerptLength)
	for _, v := range slices.Backward(e.events) {
		if len(list) == maxExcerpt || size > maxExcerptBytes {
			break
		}
		if dated(v) && v.Time.Before(since) {
			continue
		}
		v.Log = cmp.Or(v.Log, log)
		v.Message = evidence.Clip(v.Message, maxExcerptMessage)
		size += len(v.Message)
		list = append(list, v.WindowsEvent)
	}
	slices.Reverse(list)
	return list
}

const excerptLength = 24 * time.Hour

// placeLog makes a log of the messages, the oldest first: some services write theirs to the event
// log. What is missing of it is said, since a log that is searched to half acquits nobody.
func (e export) placeLog(out *output, component string) {
	name := "logs/" + component + "/" + strings.TrimSuffix(e.name, path.Ext(e.name)) + ".log"
	if e.gap.Kind != "" {
		out.Gap("logs/"+component, e.gap)
		return
	}
	var log bytes.Buffer
	size := 0
	for _, v := range e.events {
		size += len(v.Message) + 1
	}
	log.Grow(size)
	for _, v := range e.events {
		log.WriteString(strings.TrimRight(v.Message, "\r\n "))
		log.WriteByte('\n')
	}
	out.Add(name, tree.File{Content: log.Bytes(), Modified: e.newest()})
	if e.cut != "" {
		out.Gap(strings.TrimSuffix(name, ".log")+"-rest.log", brokenf("%s: %s", e.name, e.cut))
	}
}

// readTimes reads the stamps, of which nobody says whether the day or the month comes first. The
// events of a log are in order, so the reading in which they stay in order is the right one; where
// both do, the one that ends when the file was written; where that does not tell either, the times
// are left out. The zone is not written: managed nodes run on UTC.
func readTimes(events []exported, written time.Time) {
	var readings [][]time.Time
	for _, dayFirst := range []bool{false, true} {
		if times, ok := timesOf(events, dayFirst); ok &&
			(len(readings) == 0 || !slices.Equal(times, readings[0])) {
			readings = append(readings, times)
		}
	}
	if len(readings) == 2 {
		readings = slices.DeleteFunc(readings, func(times []time.Time) bool {
			end := slices.MaxFunc(times, time.Time.Compare)
			return written.IsZero() || end.Before(written.Add(-quietTime)) ||
				end.After(written.Add(zoneSpan))
		})
	}
	if len(readings) != 1 {
		return
	}
	for i := range events {
		events[i].Time.Time = readings[0][i]
	}
}

const (
	quietTime = 48 * time.Hour // Windows writes to its logs more often than that
	zoneSpan  = 26 * time.Hour // between the clocks of the node and of whoever zipped
)

func timesOf(events []exported, dayFirst bool) (times []time.Time, ok bool) {
	up, down := true, true
	var before time.Time
	for _, e := range events {
		at, readable := parseStamp(e.stamp, dayFirst)
		if !readable && e.stamp != "" {
			return nil, false
		}
		times = append(times, at)
		if !readable {
			continue
		}
		if !before.IsZero() {
			// A clock that is set back a little is no other order of the date.
			up = up && !at.Before(before.Add(-clockSteps))
			down = down && !at.After(before.Add(clockSteps))
		}
		before = at
	}
	return times, up || down
}

const clockSteps = 12 * time.Hour

// afternoon and forenoon are how clocks of twelve hours name the halves of a day.
var (
	afternoon = []string{"PM", "P.M", "下午", "午後", "오후", "CH"}
	forenoon  = []string{"AM", "A.M", "上午", "午前", "오전", "SA"}
)

// parseStamp reads a date and a time of day in any language's order.
func parseStamp(s string, dayFirst bool) (time.Time, bool) {
	if len(s) > 64 {
		return time.Time{}, false
	}
	digits := strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if len(digits) < 5 {
		return time.Time{}, false
	}
	n := make([]int, 0, 6)
	for _, d := range digits[:min(len(digits), 6)] {
		v, err := strconv.Atoi(d)
		if err != nil {
			return time.Time{}, false
		}
		n = append(n, v)
	}
	if len(n) == 5 {
		n = append(n, 0)
	}
	year, month, day := n[2], n[0], n[1]
	switch {
	case len(digits[0]) == 4:
		year, month, day = n[0], n[1], n[2]
	case len(digits[2]) != 4:
		return time.Time{}, false
	case dayFirst:
		month, day = day, month
	}
	hour := n[3]
	upper := strings.ToUpper(s)
	has := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(upper, w) })
	}
	switch {
	case has(afternoon) && hour < 12:
		hour += 12
	case has(forenoon) && hour == 12:
		hour = 0
	}
	at := time.Date(year, time.Month(month), day, hour, n[4], n[5], 0, time.UTC)
	real := at.Year() == year && int(at.Month()) == month && at.Day() == day && at.Hour() == hour &&
		at.Minute() == n[4] && at.Second() == n[5]
	return at, real && plausible(at)
}
