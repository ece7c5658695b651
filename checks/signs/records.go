package signs

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
)

// scanRecords looks for the signs in what is no log file: event log excerpts,
// cluster events, container states and node conditions.
func (c *scanner) scanRecords(s evidence.Snapshot) {
	for _, e := range evidence.WindowsEvents.In(s) {
		c.record(told{by: e.Provider, at: e.Time.Time}, evidence.InEvents, e.Field(),
			e.Provider+": "+e.Message)
	}
	ready := readySince(s)
	name, there := evidence.Node.In(s).Metadata.Name, map[string]bool{}
	if evidence.Pods.Gap(s).Kind == "" {
		for _, p := range evidence.Pods.In(s) {
			there[p.FullName()] = true
		}
	}
	went := map[string]time.Time{} // when a pod had its volumes and its sandbox
	for _, e := range evidence.PodEvents.In(s) {
		name := e.About().Namespace + "/" + e.About().Name
		// the sandbox of a pod that is Ready can be replaced without a change of its condition
		if e.Reason == "Started" && !ready[name].IsZero() && e.At().After(ready[name]) {
			ready[name] = e.At().Time
		}
		if slices.Contains(reasonsBehindSandbox, e.Reason) && e.At().After(went[name]) {
			went[name] = e.At().Time
		}
	}
	for _, e := range evidence.PodEvents.In(s) {
		about := e.About()
		if e.OfOtherNode(name) {
			continue
		}
		over := ""
		if since := ready[about.Namespace+"/"+about.Name]; about.Kind != "Node" &&
			since.After(e.At().Time) {
			over = "the pod has been Ready since " + since.UTC().Format("2006-01-02 15:04 UTC")
		} else if about.Kind == "Pod" && len(there) > 0 && !there[about.Namespace+"/"+about.Name] &&
			strings.EqualFold(e.Source.Host, name) && name != "" {
			over = "the pod is gone"
		} else if at := went[about.Namespace+"/"+about.Name]; slices.Contains(reasonsOfSandbox, e.Reason) && at.After(e.At().Time) {
			over = "the pod went on since, at " + at.UTC().Format("2006-01-02 15:04 UTC")
		} else if e.Reason == "FailedCreate" && !e.At().IsZero() && s.Now().Sub(e.At().Time) > mostBackOff {
			over = "its controller has not failed for " + s.Now().Sub(e.At().Time).Round(time.Minute).String()
		}
		c.record(told{about.Kind + " " + about.Namespace + "/" + about.Name, e.At().Time, over},
			evidence.InPodEvents, e.Field(),
			fmt.Sprintf("%s %s/%s: %s", e.Reason, about.Namespace, about.Name, e.Text()))
	}
	s = s.WithParts(evidence.Pods, evidence.Node) // what is said is said, whatever else is missing
	for _, p := range evidence.Pods.In(s) {
		for i, st := range p.Statuses() {
			over := "" // why its last state is: one that runs has nothing to say in its own
			if st.Ready && st.State.Running != nil {
				over = "the container runs since " +
					st.State.Running.StartedAt.UTC().Format("2006-01-02 15:04 UTC")
			}
			for _, of := range []struct {
				name  string
				state evidence.ContainerState
			}{{"state", st.State}, {"lastState", st.LastState}} {
				state, at := of.state, p.StatusField(i, of.name)
				if w := state.Waiting; w != nil && w.Message != "" {
					c.record(told{over: over}, evidence.InPods, at.At("waiting", "message"),
						fmt.Sprintf("%s %s: %s: %s", p.FullName(), st.Name, w.Reason, w.Message))
				}
				if t := state.Terminated; t != nil && t.Message != "" {
					c.record(told{over: over}, evidence.InPods, at.At("terminated", "message"),
						fmt.Sprintf("%s %s: %s: %s", p.FullName(), st.Name, t.Reason, t.Message))
				}
			}
		}
	}
	node := evidence.Node.In(s)
	for i, cond := range node.Status.Conditions {
		c.record(told{at: cond.LastTransitionTime.Time}, evidence.InNode,
			node.Field("status", "conditions", i),
			cond.Type+"="+cond.Status+" "+cond.Reason+": "+cond.Message)
	}
}

// Reasons of events about the volumes and the sandbox of a pod, and of those that the kubelet writes only when it
// has both.
var (
	reasonsOfSandbox     = []string{"FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox", "NetworkNotReady"}
	reasonsBehindSandbox = []string{"Pulling", "Pulled", "Created", "Started"}
)

// mostBackOff is longer than any controller of pods waits before it tries again: 1000 seconds
// (client-go util/workqueue, DefaultTypedControllerRateLimiter).
const mostBackOff = 20 * time.Minute

// readySince tells since when each pod that is Ready has been so.
func readySince(s evidence.Snapshot) map[string]time.Time {
	since := map[string]time.Time{}
	for _, p := range evidence.Pods.In(s) {
		for _, cond := range p.Status.Conditions {
			if cond.Type == "Ready" && cond.Status == "True" && !cond.LastTransitionTime.IsZero() {
				since[p.FullName()] = cond.LastTransitionTime.Time
			}
		}
	}
	return since
}

// told is who a record is of, or about, and when, and why it is history, where it is.
type told struct {
	by   string // the event's provider, or the object that a Kubernetes event is about
	at   time.Time
	over string
}

// record searches one message; its line breaks are folded, for a finding quotes one line.
func (c *scanner) record(t told, source string, place evidence.Place, text string) {
	if len(text) > maxRecord {
		text = text[:maxRecord]
	}
	line := []byte(strings.Join(strings.Fields(text), " "))
	seen := map[int]bool{}
	c.finder.Each(line, func(text, from, _ int) {
		for _, i := range c.signs[text] {
			if seen[i] || !c.list[i].Fits(source, string(line)) {
				continue
			}
			seen[i] = true
			k := key{sign: i, path: place.Path, over: t.over != ""}
			if i >= c.wanted {
				k.by = t.by // each of them ends its own
			}
			m := c.note(k, place, excerpt(line, from))
			m.Over = t.over
			if m.More == 0 {
				m.Time, m.by = t.at, t.by
			}
			if t.at.After(m.Last) {
				m.Last, m.by = t.at, t.by
			}
		}
	})
}

const maxRecord = 64 << 10
