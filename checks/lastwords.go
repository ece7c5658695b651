package checks

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/node"
)

// What a service ended with is why it and the programs that it starts do not run, whichever check knows
// the text. A fatal error in its log is such a text, and so is what it wrote to the event log last before
// the Service Control Manager reported its end. It says nothing of a service that has run since.

// endReported is how soon the Service Control Manager reports an end, and starting how long a service
// may take until it ends again.
const endReported, starting = 10 * time.Second, 5 * time.Minute

// fatal are the errors with which programs end: of the runtime of Go, logrus, cobra, klog and Calico.
var fatal = regexp.MustCompile(`^panic: |^fatal error: |level=fatal|"command failed"|(?:^|\s)F[01]\d[0-3]\d \d\d:\d\d:|\[FATAL\]|^containerd: |failed to start daemon`)

// lastWords are the services that ended last with a text that makes a fault of the check.
func (c *Check) lastWords(s evidence.Snapshot, findings []*Finding, services []string) (ended []string) {
	if !slices.ContainsFunc(findings, func(f *Finding) bool { return f.Level > Info }) {
		return nil // of most checks
	}
	quoted := func(p evidence.Place) bool {
		return slices.ContainsFunc(findings, func(f *Finding) bool {
			return f.Level > Info && slices.ContainsFunc(f.Because, func(b evidence.Because) bool {
				return evidence.SameElement(b.Place(), p)
			})
		})
	}
	for _, service := range services {
		if slices.ContainsFunc(s.Signs(c.ID), func(m evidence.SignMatch) bool {
			return evidence.SameLog(m.Source(), service) && quoted(m.Place()) && endsLog(s, m)
		}) || slices.ContainsFunc(endEvents(s, service), func(e evidence.WindowsEvent) bool { return quoted(e.Field()) }) {
			ended = append(ended, service)
		}
	}
	return ended
}

// endsLog tells whether the last line of the match is a fatal error, after which the program has not
// started again, or only just.
func endsLog(s evidence.Snapshot, m evidence.SignMatch) bool {
	last := m.Line
	line := m.Found
	if m.Tail != "" {
		last, line = m.LastLine, m.Tail
	}
	return fatal.MatchString(line) && !slices.ContainsFunc(s.Signs(node.LogStarts), func(start evidence.SignMatch) bool {
		return start.Path == m.Path && max(start.Line, start.LastLine) > last && s.Now().Sub(start.Last) > starting
	})
}

// endEvents are the events with the words of the service's last end: an earlier end may have the same.
func endEvents(s evidence.Snapshot, service string) (list []evidence.WindowsEvent) {
	var own []evidence.WindowsEvent
	var end time.Time
	for _, e := range evidence.WindowsEvents.In(s) {
		switch {
		case strings.EqualFold(e.Provider, service):
			own = append(own, e)
		case strings.EqualFold(e.Provider, serviceManager) && (e.ID == 7031 || e.ID == 7034) &&
			strings.Contains(strings.ToLower(e.Message), " "+service+" ") && e.Time.After(end):
			end = e.Time.Time
		}
	}
	var words evidence.WindowsEvent
	for _, e := range own {
		switch {
		case e.Time.After(end):
			if s.Now().Sub(e.Time.Time) > starting {
				return nil // it has run since
			}
		case end.Sub(e.Time.Time) <= endReported && !e.Time.Before(words.Time.Time):
			words = e
		}
	}
	if words.Level != "error" {
		return nil
	}
	for _, e := range own {
		if e.Message == words.Message {
			list = append(list, e)
		}
	}
	return list
}
