package ui

import (
	"fmt"
	"io"
	"strconv"

	"doctor/checks/evidence"
	"doctor/checks/probed"
)

// ProbeReachJSON writes what was measured, and what it comes to.
func ProbeReachJSON(w io.Writer, results []probed.ReachResult, _ Style) error {
	return encode(w, map[string]any{"schema": "doctor.reach/v1", "targets": results})
}

// ProbeReach writes for each target how it answered over each protocol, and
// below what that comes to.
func ProbeReach(w io.Writer, results []probed.ReachResult, style Style) error {
	p := newPage(style)
	longest := 0
	for _, r := range results {
		longest = max(longest, width(p.plain(r.Target)))
	}
	p.gutter = longest + 4
	beside := p.room() >= leastMeasured
	if !beside {
		p.gutter = 4
	}
	for _, r := range results {
		head := p.verdict(r.Status).on(p.mark(r.Status)) + " " + p.bold().on(p.plain(r.Target))
		lines := flow(p.outcomes(r), "   ", p.room())
		if !beside || len(lines) == 0 {
			p.line(head)
		} else {
			p.line(head, pad("", p.gutter-2-width(p.plain(r.Target))), lines[0])
			lines = lines[1:]
		}
		p.block("", nil, lines, nil)
		p.prose("", nil, p.plain(r.Says), p.verdict(r.Status))
	}
	return p.writeTo(w)
}

// leastMeasured is how many columns outcomes need to be worth a place beside the target.
const leastMeasured = 36

// outcomes are the probes of a target in a few words each: "tcp ok 0.4 ms". Of
// the sizes of ping only the largest that came back is told.
func (p *page) outcomes(r probed.ReachResult) []string {
	var list []string
	if r.Address != "" {
		list = append(list, p.plain(r.Address))
	}
	whole := 0
	for _, probe := range r.Probes {
		switch {
		case probe.Bytes == 0:
			list = append(list, p.outcome(probe))
		case probe.Outcome == "ok":
			whole = max(whole, probe.Bytes)
		}
	}
	if whole > 0 {
		list = append(list, fmt.Sprintf("unfragmented up to %d bytes", whole))
	}
	return list
}

func (p *page) outcome(r evidence.ReachProbe) string {
	s := p.plain(r.Protocol + " " + r.Outcome)
	if r.Outcome == "ok" {
		s += " " + strconv.FormatFloat(r.LatencyMS, 'f', 1, 64) + " ms"
	}
	if r.Answer != "" && r.Outcome == "ok" {
		s += " (" + p.plain(r.Answer) + ")"
	}
	return s
}
