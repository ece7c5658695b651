package ui

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/probed"
)

// The columns of the matrix of names, which fits a terminal of 80.
const (
	dnsNameCells    = 40
	dnsOutcomeCells = 9
	dnsTimeCells    = 3
	dnsIndent       = "  "
)

var dnsForms = []string{"plain", "windows", "linux"}

// ProbeDNS draws what DNS probes found: for each server the names against the
// forms in which they were asked, and what that means.
func ProbeDNS(w io.Writer, probes []evidence.DNSProbe, style Style) error {
	p := newPage(style)
	for i, server := range probed.JudgeDNS(probes) {
		if i > 0 {
			p.blank()
		}
		p.line(p.bold().on(p.plain(server.Server)), "   ",
			p.level(server.Level).on(p.plain(server.Verdict)))
		if why := notAsked(probes, server.Server); why != "" {
			p.indented(len(dnsIndent), p.plain(why), nil)
		}
		p.blank()
		p.dnsHeader()
		for _, name := range server.Names {
			p.dnsName(name, probes, server.Server)
		}
	}
	p.blank()
	legend := "plain: the name as it stands. windows: with one suffix, none for a name with a dot. linux: with the search list and ndots:5. ms: all that was sent, in milliseconds; * asked more than once."
	p.columns = min(p.columns, 80)
	p.para(legend, p.faint())
	return p.writeTo(w)
}

func (p *page) dnsHeader() {
	line := dnsIndent + pad("name", dnsNameCells-len(dnsIndent))
	for _, form := range dnsForms {
		line += pad(form, dnsOutcomeCells+1) + "ms "
	}
	p.line(p.faint().on(strings.TrimRight(line, " ")))
}

// dnsName draws one name: what came over UDP, what came over TCP where it
// differs, and the verdict.
func (p *page) dnsName(name probed.NameVerdict, probes []evidence.DNSProbe, server string) {
	of := func(transport, form string) (none evidence.DNSProbe) {
		for _, q := range probes {
			if q.Server == server && q.Transport == transport && q.Form == form &&
				strings.EqualFold(q.Name, name.Name) {
				return q
			}
		}
		return none
	}
	udp, tcp, differs := "", "", false
	for _, form := range dnsForms {
		overUDP, overTCP := of("udp", form), of("tcp", form)
		udp, tcp = udp+dnsCell(overUDP), tcp+dnsCell(overTCP)
		differs = differs || overTCP.Transport != "" && overTCP.Outcome != overUDP.Outcome
	}
	label := p.plain(name.Name)
	if width(label) > dnsNameCells-len(dnsIndent)-1 {
		p.line(dnsIndent, label)
		label = ""
	}
	p.line(dnsIndent, pad(label, dnsNameCells-len(dnsIndent)), udp)
	if differs {
		p.line(dnsIndent, pad("  over TCP", dnsNameCells-len(dnsIndent)), tcp)
	}
	if name.Kind == "" {
		return
	}
	verdict := name.Text()
	if answers := dnsAnswers(name); answers != "" {
		verdict += ": " + answers
	}
	p.indented(len(dnsIndent)+2, p.plain(verdict), p.level(name.Level))
}

// dnsCell is empty for what was not asked.
func dnsCell(probe evidence.DNSProbe) string {
	outcome := Plain(probe.Outcome, true)
	if probe.Retries > 0 {
		outcome += "*"
	}
	return pad(outcome, dnsOutcomeCells) + fmt.Sprintf("%*s ", dnsTimeCells,
		dnsTime(probe.LatencyMS))
}

// dnsTime is a time in at most three characters.
func dnsTime(ms float64) string {
	switch {
	case ms <= 0:
		return ""
	case ms < 1:
		return "<1"
	case ms < 999.5:
		return fmt.Sprintf("%.0f", ms)
	}
	return fmt.Sprintf("%.0fs", min(ms/1000, 99))
}

// dnsAnswers are the addresses that the name came to.
func dnsAnswers(name probed.NameVerdict) string {
	for _, form := range []string{"windows", "linux", "plain"} {
		if f := name.Forms[form]; len(f.Answers) > 0 {
			return strings.Join(f.Answers, ", ")
		}
	}
	return ""
}

// notAsked is why the first probe of a server that could not be sent was not.
func notAsked(probes []evidence.DNSProbe, server string) string {
	for _, p := range probes {
		if p.Server == server && p.Outcome == "error" && p.Why != "" {
			return p.Why
		}
	}
	return ""
}

// level colours a text by how bad it is.
func (p *page) level(l checks.Level) pen {
	switch l {
	case checks.Fail:
		return p.verdict(checks.StatusFail)
	case checks.Warn:
		return p.verdict(checks.StatusWarn)
	}
	return nil
}

type (
	dnsDocument struct {
		Schema  string              `json:"schema"`
		Probes  []evidence.DNSProbe `json:"probes"` // as probes/dns.json of a recording has them
		Servers []dnsServer         `json:"servers"`
	}
	dnsServer struct {
		Server  string        `json:"server"`
		Level   string        `json:"level"` // fail, warn; "" where nothing is wrong
		Verdict string        `json:"verdict"`
		Names   []dnsNameDone `json:"names"`
	}
	dnsNameDone struct {
		Name    string            `json:"name"`
		Kind    string            `json:"kind"`
		Level   string            `json:"level"`
		Verdict string            `json:"verdict"`
		Forms   map[string]string `json:"forms"` // form → the best outcome
	}
)

// ProbeDNSJSON writes the probes as evidence has them, and the judgements.
func ProbeDNSJSON(w io.Writer, probes []evidence.DNSProbe) error {
	doc := dnsDocument{Schema: "doctor.dns/v1", Probes: there(probes)}
	doc.Servers = mapped(probed.JudgeDNS(probes), func(s probed.DNSServerReport) dnsServer {
		return dnsServer{s.Server, s.Level.String(), s.Verdict,
			mapped(s.Names, func(n probed.NameVerdict) dnsNameDone {
				done := dnsNameDone{n.Name, n.Kind, n.Level.String(), "", map[string]string{}}
				if n.Kind != "" {
					done.Verdict = n.Text()
				}
				for form, p := range n.Forms {
					done.Forms[form] = p.Outcome
				}
				return done
			})}
	})
	return encode(w, doc)
}

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
// the sizes of ping only the largest that came back is reported.
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
