package tui

import (
	"fmt"
	"strings"
	"time"

	"doctor/ui"
	"doctor/ui/timeline"
)

// entryText is an entry as it is copied.
func entryText(e *timeline.Entry) string {
	text := e.At.Format("2006-01-02T15:04:05Z") + " " + e.Component + " " + e.Text
	if e.Line > 0 {
		return fmt.Sprintf("%s (%s:%d)", text, e.Path, e.Line)
	}
	return strings.TrimSpace(text) + " (" + e.Path + ")"
}

// heads are what stands above an entry: its day, where that is new, and the mark
// of the first bad minute.
func (t timelineScreen) heads(at, top int) []string {
	var list []string
	e := &t.all.Entries[t.shown[at]]
	if at == top || !sameDay(e.At, t.all.Entries[t.shown[at-1]].At) {
		list = append(list, "day")
	}
	if t.shown[at] == t.all.FirstBad {
		list = append(list, "begin")
	}
	return list
}

func sameDay(a, b time.Time) bool {
	return a.YearDay() == b.YearDay() && a.Year() == b.Year()
}

func (t timelineScreen) body(e env) []line {
	if t.all == nil {
		return []line{{{" " + e.T("reading the evidence %s", ellipsis(e.ascii)), faint}}}
	}
	lines := []line{t.componentLine(e)}
	room := t.rows(e)
	var list []line
	if len(t.shown) == 0 {
		list = append(list, line{{" " + e.T("nothing in the evidence has a time that matches"),
			faint}})
	}
	for at := t.top; at < len(t.shown) && len(list) < room; at++ {
		for _, head := range t.heads(at, t.top) {
			list = append(list, t.head(head, at, e))
		}
		list = append(list, t.entryLine(at, e))
	}
	lines = append(lines, exactly(list, room)...)
	if e.height-1 > room {
		lines = append(lines, t.below(e)...)
	}
	return lines
}

// componentLine offers the components by number, or shows the filter as it is written.
func (t timelineScreen) componentLine(e env) line {
	if t.writing {
		return t.typedLine(e, len(t.all.Entries))
	}
	l := line{{" ", plain}}
	if t.filter != "" {
		l = append(l, span{"/" + show(tail(t.filter, e.width/3), e.ascii) + "  ", accent})
	}
	add := func(number, name string, n int, chosen bool) {
		ink := faint
		if chosen {
			ink = accent
		}
		l = append(l, span{number + " ", strong}, span{show(e.Word(name), e.ascii), ink},
			span{fmt.Sprintf(" %d  ", n), faint})
	}
	add("0", e.T("all"), len(t.all.Entries), t.only == "")
	for i, c := range t.all.Components {
		switch {
		case i < 9:
			add(fmt.Sprint(i+1), c.Name, c.Count, c.Name == t.only)
		case c.Name == t.only:
			add(" ", c.Name, c.Count, true)
		}
	}
	return l.fit(e.width-1, e.ascii)
}

func (t timelineScreen) head(kind string, at int, e env) line {
	entry := &t.all.Entries[t.shown[at]]
	if kind == "day" {
		return line{{" " + e.day(entry.At), strong}}
	}
	text := e.T("first bad minute")
	if res := e.report.Result(t.all.Cause); res != nil {
		text = e.T("first bad minute: %s", res.Title)
	}
	dash := ownText("─", e.ascii)
	text = clip(show(text, e.ascii), e.width-8, e.ascii)
	return line{{dash + dash + " ", inkFail}, {text, inkFail},
		{" " + strings.Repeat(dash, max(e.width-4-width(text), 0)), inkFail}}
}

// weekdays are from Sunday on.
var weekdays = [...]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday",
	"Saturday"}

// day is a date with its weekday. The order within a date is a layout's.
func (say voice) day(t time.Time) string {
	return say.T("%s %s", say.Word(weekdays[t.Weekday()]), t.Format(say.Word("2 January 2006")))
}

// entryLine is the minute, where it is new, the second, sign, component and text.
func (t timelineScreen) entryLine(at int, e env) line {
	entry := &t.all.Entries[t.shown[at]]
	l := line{cursorMark(at == t.at, e.ascii)}
	minute := entry.At.Format("15:04")
	if newMinute := at == t.top || at == t.at || t.shown[at] == t.all.FirstBad ||
		!t.all.Entries[t.shown[at-1]].At.Truncate(time.Minute).Equal(
			entry.At.Truncate(time.Minute)); !newMinute {
		minute = "     "
	}
	wide := e.width >= wordsFrom
	l = append(l, span{minute, strong})
	if wide {
		l = append(l, span{entry.At.Format(":05"), faint})
	}
	sign, ink := ownText("·", e.ascii), faint
	if entry.Level != "" && entry.Over == "" {
		sign, ink = symbol(entry.Level, e.ascii), inkOf(entry.Level)
	}
	l = append(l, span{" " + sign + " ", ink})
	if wide {
		l = append(l, span{padded(clip(show(e.Word(entry.Component), e.ascii), 10, e.ascii), 11),
			faint})
	}
	text := span{show(entry.Text, e.ascii), inkIf(at == t.at)}
	if at != t.at && (entry.Over != "" || entry.Level == "") {
		text.ink = faint
	}
	if entry.More == 0 {
		return append(l, text).fit(e.width-1, e.ascii)
	}
	times := line{{e.T("%d times", entry.More+1), faint}}
	l = append(l, text).fit(e.width-1-times.width()-2, e.ascii)
	return apart(l, times, e.width-1)
}

// below is the selected entry in full, as far as its lines go.
func (t timelineScreen) below(e env) []line {
	i, ok := t.selected()
	if !ok {
		return []line{rule("", e.width, e.ascii)}
	}
	entry := &t.all.Entries[i]
	p := page{width: min(e.width-2, max(readable, e.width*2/3)), voice: e.voice}
	if len(entry.Checks) > 0 && entry.Over == "" {
		for _, id := range entry.Checks {
			if res := e.report.Result(id); res != nil && res.Status.Fault() {
				p.verdict("", res)
				break
			}
		}
	}
	p.text("", entry.Text, plain)
	switch {
	case entry.Over != "":
		p.text("", p.T("this is over: %s", p.Phrase(entry.Over)), faint)
	case entry.More > 0 && !entry.Last.IsZero():
		p.text("", p.T("%d times, the last at %s", entry.More+1,
			entry.Last.UTC().Format(p.Word("2 January 15:04:05"))), faint)
	}
	return p.under(entry.At.Format("15:04:05")+" · "+ui.Where(entry.Place), e.width, timelineBelow)
}
