package checks

import (
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/unexplained"
)

// Unexplained is an error line of a log, or a warning event, that no fault and no warning quotes.
type Unexplained struct {
	Component string    `json:"component"`       // Whose log it is; events for those of Kubernetes.
	Text      string    `json:"text"`            // The latest line of its kind.
	Count     int       `json:"count"`           // How many lines differ in numbers and names only.
	First     time.Time `json:"first,omitzero"`  // When the first was written. Left out if unknown.
	Last      time.Time `json:"last,omitzero"`   // When the latest was written. Left out if unknown.
	Path      string    `json:"path"`            // The file in the evidence.
	Line      int       `json:"line"`            // From 1; 0 in JSON.
	Field     string    `json:"field,omitempty"` // JSON Pointer into a JSON file.
	Why       string    `json:"why"`             // Why it is worth a look, strongest reason first.
	// The error codes in it. Left out where there are none.
	Codes []DecodedCode `json:"codes,omitempty"`

	// What Why is made of, so that another language can make its own.
	Reasons []evidence.Phrase `json:"-"`
}

// Place is where the line is.
func (u Unexplained) Place() evidence.Place {
	return evidence.Place{Path: u.Path, Line: u.Line, Field: u.Field}
}

// unexplainedLines lists what no finding explains. What a symptom quotes does not count: that a pod
// is stuck does not explain the event that says why.
func unexplainedLines(s evidence.Snapshot, n *node.Node, catalogue *Catalogue,
	r *Report) []Unexplained {
	ready, known := evidence.Node.In(s).Condition("Ready")
	c := unexplained.Case{Began: began(s), Well: known && ready.Status == "True"}
	var places []evidence.Place
	for _, result := range r.Results {
		if result.Status != StatusFail && result.Status != StatusWarn {
			continue
		}
		c.Well = false
		if check := catalogue.ByID(result.ID); check != nil && check.Symptom {
			continue
		}
		for _, f := range result.Findings {
			for _, b := range f.Because {
				places = append(places, b.Place())
				if b.Line > 0 || b.Path == evidence.PodEvents.Path() ||
					b.Path == evidence.WindowsEvents.Path() {
					c.Quotes = append(c.Quotes, strings.TrimSuffix(b.Text, AndMore(b.More)))
				}
			}
		}
	}
	c.Brief = map[string]string{}
	for _, check := range catalogue.All() {
		for _, m := range s.Signs(check.ID) {
			if sign := check.SignOf(m); m.Brief && sign != nil && !sign.ConfirmOnly {
				c.Brief[m.Found] = check.ID
			} else if m.Over != "" {
				c.Past = append(c.Past, m.Found)
			}
		}
	}
	c.Explained = func(place evidence.Place) bool {
		return slices.ContainsFunc(places, func(p evidence.Place) bool {
			return evidence.SameElement(p, place)
		})
	}
	for _, component := range n.Components {
		if running, _ := component.Running(); !running &&
			len(component.Services)+len(component.Pods) > 0 {
			c.Down = append(c.Down, component.Name)
		}
	}
	list := []Unexplained{}
	for _, l := range unexplained.Rank(s, c) {
		u := Unexplained{Component: evidence.Shown(l.Component),
			Text:  evidence.ClipMiddle(evidence.Clean(l.Text), evidence.MaxText),
			Count: l.Count, First: l.First.UTC(), Last: l.Last.UTC(), Path: evidence.Shown(l.Place.Path),
			Line: l.Place.Line, Field: evidence.Shown(l.Place.Field), Codes: decode(l.Text),
			Reasons: l.Why}
		var why []string
		for _, reason := range l.Why {
			why = append(why, reason.String())
		}
		u.Why = strings.Join(why, "; ")
		list = append(list, u)
	}
	return list
}

// began is when the node, or a pod of it, was first seen not to be Ready; zero where all are.
func began(s evidence.Snapshot) time.Time {
	var first time.Time
	note := func(at time.Time) {
		if !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	if ready, ok := evidence.Node.In(s).Condition("Ready"); ok && ready.Status != "True" {
		note(ready.LastTransitionTime.Time)
	}
	for _, p := range evidence.Pods.In(s) {
		for _, cond := range p.Status.Conditions {
			if cond.Type == "Ready" && cond.Status != "True" && cond.Reason != "PodCompleted" {
				note(cond.LastTransitionTime.Time)
			}
		}
	}
	return first
}
