package timeline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

// clusterEvents adds each event where it was first seen, and where it was seen last.
func (b *builder) clusterEvents() {
	for _, ev := range evidence.PodEvents.In(b.s) {
		about := ev.About()
		e := Entry{Kind: Pod, Component: "pods", subject: about.Namespace + "/" + about.Name,
			Place: ev.Field()}
		if about.Kind == "Node" {
			e.Kind, e.Component, e.subject = Node, "node", about.Name
		}
		e.Text = fmt.Sprintf("%s %s: %s", ev.Reason, strings.TrimPrefix(e.subject, "/"), ev.Text())
		switch {
		case ev.Reason == "NodeNotReady":
			e.Level = checks.StatusFail
		case ev.Reason == "NodeReady":
			e.Level = checks.StatusPass
		case ev.Type == "Warning":
			e.Level = checks.StatusWarn
		}
		last := ev.At().Time
		e.At = last
		for _, t := range []evidence.Time{ev.FirstTimestamp, ev.EventTime} {
			if !t.IsZero() && t.Before(e.At) {
				e.At = t.Time
			}
		}
		if ev.Count > 1 {
			e.More, e.Last = ev.Count-1, last
		}
		b.add(e)
		if apart(e.At, last) {
			e.At, e.More, e.Last = last, 0, time.Time{}
			e.Text = b.said.T("%s (%d times by now)", e.Text, max(ev.Count, 2))
			b.add(e)
		}
	}
}

// apart tells whether two moments are worth a line each.
func apart(first, last time.Time) bool { return last.Sub(first) >= time.Minute }

// pressures are the conditions that are bad when they hold.
var pressures = map[string]bool{"MemoryPressure": true, "DiskPressure": true, "PIDPressure": true,
	"NetworkUnavailable": true}

func (b *builder) nodeObject() {
	n := evidence.Node.In(b.s)
	b.add(Entry{At: n.Metadata.CreationTimestamp.Time, Kind: Node, Component: "node",
		Place: n.Field("metadata", "creationTimestamp"),
		Text:  b.said.T("the Node object was made")})
	for i, c := range n.Status.Conditions {
		e := Entry{At: c.LastTransitionTime.Time, Kind: Node, Component: "node",
			Place: n.Field("status", "conditions", i),
			Text:  b.said.T("%s became %s: %s: %s", c.Type, c.Status, c.Reason, c.Message)}
		switch {
		case c.Type == "Ready" && c.Status == "True":
			e.Level = checks.StatusPass
		case c.Type == "Ready", pressures[c.Type] && c.Status == "True":
			e.Level = checks.StatusFail
			e.Checks = slices.DeleteFunc([]string{"node-not-ready", "node-not-ready-lost"},
				func(id string) bool { return b.faults[id] == nil })
			e.linked = c.Type == "Ready"
		}
		b.add(e)
	}
}

func (b *builder) pods() {
	for _, p := range evidence.Pods.In(b.s) {
		name := p.FullName()
		add := func(at evidence.Time, level checks.Status, text string) {
			b.add(Entry{At: at.Time, Kind: Pod, Component: "pods", Level: level, Text: text,
				subject: name, Place: p.Field()})
		}
		add(p.Metadata.CreationTimestamp, "", b.said.T("pod %s was made", name))
		if d := p.Metadata.DeletionTimestamp; d != nil {
			add(*d, checks.StatusWarn, b.said.T("pod %s was to be gone by now", name))
		}
		for _, c := range p.Status.Conditions {
			switch {
			case c.Type == "Ready" && c.Status == "True":
				add(c.LastTransitionTime, checks.StatusPass, b.said.T("pod %s became Ready", name))
			case c.Type == "Ready" &&
				c.LastTransitionTime.After(p.Metadata.CreationTimestamp.Add(time.Minute)):
				add(c.LastTransitionTime, checks.StatusWarn,
					b.said.T("pod %s is not Ready any more: %s", name, c.Reason))
			}
		}
		for _, st := range p.Statuses() {
			for _, ended := range []*evidence.TerminatedState{st.LastState.Terminated,
				st.State.Terminated} {
				if ended != nil {
					level := checks.StatusWarn
					if ended.ExitCode == 0 || slices.Contains(toldToEnd, ended.ExitCode) {
						level = ""
					}
					add(ended.FinishedAt, level,
						b.said.T("container %s of %s ended with %d %s (%d restarts)", st.Name, name,
							ended.ExitCode, ended.Reason, st.RestartCount))
				}
			}
			if st.State.Running != nil && st.RestartCount > 0 {
				add(st.State.Running.StartedAt, "", b.said.T("container %s of %s was started again",
					st.Name, name))
			}
		}
	}
}

// toldToEnd is the exit code of a program that Windows ended as it shut down,
// STATUS_CONTROL_C_EXIT, as signed and as unsigned.
var toldToEnd = []int64{-1073741510, 0xc000013a}
