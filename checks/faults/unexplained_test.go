package faults_test

import (
	"slices"
	"strings"
	"testing"

	"doctor/checks"
	"doctor/checks/faults"
	"doctor/fixtures"
)

// TestUnexplainedShowsTheLineOfAFaultThatNoCheckKnows judges each recording without its own check:
// the line of a log, or the event, that the check quotes must be among the first three that the
// report leaves for a person to read.
func TestUnexplainedShowsTheLineOfAFaultThatNoCheckKnows(t *testing.T) {
	found, all, least := 0, 0, 100
	for i, name := range fixtures.Names() {
		if testing.Short() {
			least = 20
			if i%5 != 0 {
				continue
			}
		}
		own := ownCheck(name)
		l := load(t, name)
		result := l.report.Result(own)
		if result == nil || result.Status != checks.StatusFail && result.Status != checks.StatusWarn {
			continue
		}
		rest := slices.DeleteFunc(checkIDs(), func(id string) bool { return id == own })
		r := checks.Diagnose(l.snapshot, faults.Catalogue().Only(rest...), checks.Source{},
			checks.Program{})
		lines := quotedLines(result)
		lines = slices.DeleteFunc(lines, func(line string) bool { return explained(r, line) })
		if len(lines) == 0 {
			continue // its evidence is state, or another check quotes the line too
		}
		all++
		first := r.Unexplained[:min(3, len(r.Unexplained))]
		if slices.ContainsFunc(first, func(u checks.Unexplained) bool {
			return slices.ContainsFunc(lines, func(line string) bool { return sameLine(u.Text, line) })
		}) {
			found++
			continue
		}
		t.Logf("%s: not among the first three: %.200s", name, lines[0])
		for _, u := range r.Unexplained {
			t.Logf("\t%s (%s)", u.Text[:min(len(u.Text), 150)], u.Why)
		}
	}
	t.Logf("%d of %d", found, all)
	if all < least || found*100 < 80*all {
		t.Errorf("%d of %d lines are among the first three, want 80 %%", found, all)
	}
}

// ownCheck is the check after which a recording is named.
func ownCheck(name string) string {
	longest := ""
	for _, id := range checkIDs() {
		if strings.HasPrefix(name, id) && len(id) > len(longest) {
			longest = id
		}
	}
	return longest
}

func checkIDs() []string {
	var ids []string
	for _, c := range faults.Catalogue().All() {
		ids = append(ids, c.ID)
	}
	return ids
}

// quotedLines are the lines of logs and the events that the faults of a result quote.
func quotedLines(result *checks.Result) []string {
	var lines []string
	for _, f := range result.Findings {
		if f.Level == "info" {
			continue
		}
		for _, b := range f.Because {
			if strings.HasPrefix(b.Path, "logs/") || b.Path == "api/events.json" ||
				b.Path == "events.json" {
				lines = append(lines, b.Text)
			}
		}
	}
	return lines
}

func explained(r checks.Report, line string) bool {
	return slices.ContainsFunc(r.Results, func(res checks.Result) bool {
		c := faults.Catalogue().ByID(res.ID)
		return !c.Symptom && slices.ContainsFunc(quotedLines(&res), func(q string) bool {
			return sameLine(q, line)
		})
	})
}

// sameLine compares the middles of lines: a quote may carry a count, or begin with the event's
// object.
func sameLine(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if len(a) > len(b) {
		a, b = b, a
	}
	words := strings.Fields(a)
	same := 0
	for _, w := range words {
		if strings.Contains(b, w) {
			same++
		}
	}
	return same*10 >= len(words)*8
}

// TestAHealthyNodeLeavesLittleToRead: lines that a well node has too would hide those that matter.
func TestAHealthyNodeLeavesLittleToRead(t *testing.T) {
	for _, name := range fixtures.Names() {
		if !strings.HasPrefix(name, "healthy-") {
			continue
		}
		if lines := load(t, name).report.Unexplained; len(lines) > 2 {
			t.Errorf("%s: %d lines are left to read", name, len(lines))
			for _, u := range lines {
				t.Logf("\t%s (%s)", u.Text, u.Why)
			}
		}
	}
}
