package ui

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"doctor/checks"
	"doctor/checks/fleet"
	"doctor/checks/packed"
)

// FleetSchema is the JSON Schema of a fleet's report, doctor.fleet/v1.
var FleetSchema = packed.Text(schemaFiles, "fleet.schema.json")

var fleetWriters = map[string]func(io.Writer, fleet.Report, Style) error{
	"text":     writeFleetText,
	"json":     func(w io.Writer, r fleet.Report, _ Style) error { return encode(w, r) },
	"junit":    func(w io.Writer, r fleet.Report, _ Style) error { return writeFleetJUnit(w, r) },
	"markdown": writeFleetMarkdown,
}

// FleetFormats lists the formats that WriteFleet knows.
func FleetFormats() []string { return slices.Sorted(maps.Keys(fleetWriters)) }

// WriteFleet draws the report of many nodes in one of the FleetFormats.
func WriteFleet(w io.Writer, format string, r fleet.Report, style Style) error {
	if format == "text" {
		r = style.lang().Fleet(r)
	}
	return fleetWriters[format](w, plainly(r, style.ASCII && format != "json"), style)
}

// How much of a fleet the text shows; the rest is counted, and is whole in the other formats.
const (
	maxFleetNodes  = 12 // names of nodes in a line of a cause
	maxFleetRows   = 40 // nodes in the table
	maxFleetCauses = 40
)

// writeFleetText draws the causes with their nodes, then what sets nodes apart, then the nodes that
// have faults.
func writeFleetText(w io.Writer, r fleet.Report, style Style) error {
	p := newPage(style)
	if style.Quiet {
		for _, c := range r.Causes {
			p.fleetCause(c, r.Summary.Nodes)
		}
		return p.writeTo(w)
	}
	p.line(p.bold().on(p.style.FleetHead(r)))
	for _, l := range flow(mapped(style.FleetCounts(r.Summary), func(c FleetCount) string {
		return p.verdict(c.Status).on(p.mark(c.Status) + " " + c.Text)
	}), p.dash(), p.columns) {
		p.line(l)
	}
	for i, c := range r.Causes {
		if i == maxFleetCauses {
			p.blank()
			p.line(p.lang.T("and %d more causes; -o json has all of them", len(r.Causes)-i))
			break
		}
		p.blank()
		p.fleetCause(c, r.Summary.Nodes)
	}
	if len(r.Outliers) > 0 {
		p.blank()
		p.line(p.bold().on(p.lang.T("Nodes that differ from the others")))
		for _, o := range r.Outliers {
			p.prose("", nil, p.outlier(o), nil)
		}
	}
	p.fleetNodes(r)
	if len(r.Notes) > 0 {
		p.blank()
		for _, n := range r.Notes {
			p.prose("? ", p.verdict(checks.StatusUnknown), n, nil)
		}
	}
	p.blank()
	p.prose("", nil, p.fleetLast(r), p.bold())
	return p.writeTo(w)
}

// FleetHead is the line that says which cluster was read, and when.
func (style Style) FleetHead(r fleet.Report) string {
	l, dash := style.lang(), Plain(" · ", style.ASCII)
	head := l.T("%d Windows nodes", r.Summary.Nodes)
	if r.Source.Name != "" {
		head += dash + r.Source.Name
	}
	if !r.CollectedAt.IsZero() {
		head += dash + l.T("read %s", r.CollectedAt.Format("2006-01-02 15:04 UTC"))
	}
	return head
}

// A FleetCount says how many nodes have a verdict.
type FleetCount struct {
	Status checks.Status
	Text   string
}

// FleetCounts are the verdicts that nodes have, the worst first.
func (style Style) FleetCounts(n fleet.Summary) []FleetCount {
	var list []FleetCount
	add := func(n int, s checks.Status, text string) {
		if n > 0 {
			list = append(list, FleetCount{s, text})
		}
	}
	l := style.lang()
	add(n.Faulty, checks.StatusFail, l.T("%d with a fault", n.Faulty))
	add(n.Warned, checks.StatusWarn, l.T("%d with a warning only", n.Warned))
	add(n.Unread, checks.StatusUnknown, l.T("%d not read", n.Unread))
	add(n.Healthy, checks.StatusPass, l.T("%d healthy", n.Healthy))
	add(n.NotReady, checks.StatusInfo, l.T("%d not Ready", n.NotReady))
	return list
}

func (p *page) fleetCause(c fleet.Cause, of int) {
	p.line(p.verdict(c.Status).on(p.mark(c.Status)+" "+p.lang.T("%d of %d nodes", c.Count, of)),
		"  ", p.bold().on(c.Title), "  ", p.faint().on(c.ID))
	p.prose("", nil, strings.Join(firstOf(c.Nodes, maxFleetNodes, p.lang.T), ", "), nil)
	if c.Example.Message != "" {
		p.prose("", nil, c.Example.Node+": "+c.Example.Message, p.faint())
	}
	for i, s := range c.Shared {
		p.prose(first("  "+p.lang.T("shared"), i), p.bold(), p.style.Shared(s), nil)
	}
	p.fix("  "+p.lang.T("fix"), c.Example.Fix)
}

// firstOf lists the first of many names, and counts the others.
func firstOf(names []string, n int, say func(string, ...any) string) []string {
	if len(names) <= n {
		return names
	}
	return append(slices.Clone(names[:n]), say("and %d more", len(names)-n))
}

// Shared says what nodes share, with its counts.
func (style Style) Shared(s fleet.Shared) string {
	return style.lang().T("%s %s: %d of %d with the cause, %d of %d without (p %s)",
		style.Trait(s.Trait), s.Value, s.With, s.WithOf, s.Others, s.OthersOf, pValue(s.P))
}

// Trait is the name of a trait.
func (style Style) Trait(name string) string {
	l := style.lang()
	names := map[string]string{"os": l.Word("OS"), "build": l.Word("build"),
		"update": l.Word("update"), "kubelet": "kubelet", "runtime": l.Word("runtime"),
		"network": l.Word("network plugin"), "platform": l.Word("platform"), "pool": l.Word("pool"),
		"zone": l.Word("zone"), "size": l.Word("instance type"), "cordoned": l.Word("cordoned"),
		"age": l.Word("age")}
	return cmp.Or(names[name], name)
}

// pValue shows a probability with two digits that count.
func pValue(p float64) string {
	if p < 0.0001 {
		return "< 0.0001"
	}
	return "= " + strconv.FormatFloat(p, 'g', 2, 64)
}

func (p *page) outlier(o fleet.Outlier) string {
	return p.lang.T("%s is %s on %s; %d nodes have %s", p.style.Trait(o.Trait), o.Value,
		strings.Join(firstOf(o.Nodes, maxFleetNodes, p.lang.T), ", "), o.Usuals, o.Usual)
}

func unhealthy(r fleet.Report) []fleet.Node {
	return slices.DeleteFunc(slices.Clone(r.Nodes), func(n fleet.Node) bool {
		return n.Verdict == fleet.Healthy
	})
}

// fleetNodes is a table of the nodes that have something.
func (p *page) fleetNodes(r fleet.Report) {
	rows := unhealthy(r)
	if len(rows) == 0 {
		return
	}
	p.blank()
	p.line(p.bold().on(p.lang.T("Nodes")))
	name := 4
	for _, n := range rows[:min(len(rows), maxFleetRows)] {
		name = min(max(name, width(n.Name)), p.columns/2)
	}
	for i, n := range rows {
		if i == maxFleetRows {
			p.line("  ", p.lang.T("and %d more; -o json has all of them", len(rows)-i))
			break
		}
		s := FleetStatus(n.Verdict)
		p.line(p.verdict(s).on(p.mark(s)), " ",
			pad(clipColumns(n.Name, name, p.style.ASCII), name), "  ",
			p.faint().on(clipColumns(strings.Join(n.Marks(), " "), p.columns-name-4, p.style.ASCII)))
	}
}

var fleetStatuses = map[fleet.Verdict]checks.Status{fleet.Faulty: checks.StatusFail,
	fleet.Warned: checks.StatusWarn, fleet.Unread: checks.StatusUnknown}

// FleetStatus is the verdict of a node as that of a check, for its mark and color.
func FleetStatus(v fleet.Verdict) checks.Status { return cmp.Or(fleetStatuses[v], checks.StatusPass) }

func (p *page) fleetLast(r fleet.Report) string {
	switch {
	case r.Summary.Nodes == 0:
		return p.lang.T("The cluster has no Windows node.")
	case len(r.Causes) == 0 && r.Summary.Unread == 0:
		return p.lang.T("No fault found on any node.")
	case len(r.Causes) == 0:
		return p.lang.T("No fault found on the nodes that could be read.")
	}
	first, from := r.Causes[0], ""
	if r.Source.Kind != "cluster" {
		from = " --from " + r.Source.Name
	}
	return p.lang.T("Start with %s, on %d of %d nodes: doctor%s --node %s", first.ID, first.Count,
		r.Summary.Nodes, from, first.Example.Node)
}

// writeFleetJUnit draws the report for build servers: a suite for each node, and in it a case for
// each cause that any node has, so that a node's suite always has the same cases.
func writeFleetJUnit(w io.Writer, r fleet.Report) error {
	all := junitSuites{Name: "doctor fleet"}
	for _, n := range r.Nodes {
		s := junitSuiteOf(n.Name, n.Name, r.CollectedAt)
		s.Cases = append(s.Cases, fleetCase(n, fleet.Cause{ID: "readable"}))
		for _, cause := range r.Causes {
			s.Cases = append(s.Cases, fleetCase(n, cause))
		}
		all.Suites = append(all.Suites, s)
	}
	return all.write(w)
}

// fleetCase is one cause on one node: failed where the node has it as a fault, skipped where the node
// could not be read. No node has "readable" as a cause.
func fleetCase(n fleet.Node, cause fleet.Cause) junitCase {
	c := junitCase{Name: xmlText(cause.ID), Class: "doctor.fleet", Time: "0"}
	if n.Verdict == fleet.Unread {
		c.Skipped = &junitNote{Message: xmlText("could not run: " + n.Unread)}
	}
	for _, own := range n.Causes {
		switch {
		case own.ID != cause.ID:
		case own.Status == checks.StatusFail:
			c.Failure = &junitNote{Message: xmlText(own.Message), Type: string(own.Status),
				Text: fmt.Sprintf("\n%s\n%d of the nodes have this cause\n", xmlText(cause.Title),
					cause.Count)}
		default:
			c.Out = &junitNote{Text: "\n" + xmlText(string(own.Status)+": "+own.Message) + "\n"}
		}
	}
	return c
}

// writeFleetMarkdown draws the report for a ticket.
func writeFleetMarkdown(w io.Writer, r fleet.Report, style Style) error {
	m := &markdown{style: style}
	m.put("## Windows nodes: %d with a fault, %d healthy\n", r.Summary.Faulty, r.Summary.Healthy)
	m.put("\n%s.\n", inline(strings.Join(fleetSummary(r), ", ")))
	if len(r.Causes) > 0 {
		m.put("\n| | Cause | Nodes | Statement |\n| --- | --- | --- | --- |\n")
		for _, c := range r.Causes {
			m.put("| %s | %s | %d of %d | %s |\n", Symbol(c.Status, style.ASCII), tableCode(c.ID),
				c.Count, r.Summary.Nodes, inline(c.Title))
		}
	}
	for _, c := range r.Causes {
		m.fleetCause(c)
	}
	if len(r.Outliers) > 0 {
		m.put("\n### Nodes that differ from the others\n\n| Trait | Value | Nodes | Others |\n| --- | --- | --- | --- |\n")
		for _, o := range r.Outliers {
			m.put("| %s | %s | %s | %d have %s |\n", inline(o.Trait), tableCode(o.Value),
				inline(strings.Join(firstOf(o.Nodes, maxFleetNodes, fmt.Sprintf), ", ")), o.Usuals,
				tableCode(o.Usual))
		}
	}
	m.fleetNodes(r)
	for _, n := range r.Notes {
		m.put("\nNot read: %s\n", inline(n))
	}
	return m.end(w, len(r.Causes) > 0, r.Doctor)
}

func fleetSummary(r fleet.Report) []string {
	list := []string{fmt.Sprintf("%d Windows nodes of %s", r.Summary.Nodes, r.Source.Name),
		fmt.Sprintf("%d with a warning only", r.Summary.Warned),
		fmt.Sprintf("%d not read", r.Summary.Unread),
		fmt.Sprintf("%d not Ready", r.Summary.NotReady)}
	if !r.CollectedAt.IsZero() {
		list = append(list, "read "+r.CollectedAt.Format("2006-01-02 15:04:05 UTC"))
	}
	return list
}

func (m *markdown) fleetCause(c fleet.Cause) {
	m.put("\n### %s %s: %s\n\n%s\n", Symbol(c.Status, m.style.ASCII), code(c.ID),
		count(c.Count, "node"), inline(c.Title))
	m.put("\n**Nodes:** %s\n",
		strings.Join(mapped(firstOf(c.Nodes, maxTicketNodes, fmt.Sprintf), inline), ", "))
	if c.Example.Message != "" {
		m.put("\n%s: %s\n", code(c.Example.Node), inline(c.Example.Message))
	}
	if len(c.Shared) > 0 {
		m.put("\n| Shared | Value | With the cause | Without | p |\n| --- | --- | --- | --- | --- |\n")
	}
	for _, s := range c.Shared {
		m.put("| %s | %s | %d of %d | %d of %d | %s |\n", inline(s.Trait), tableCode(s.Value), s.With,
			s.WithOf, s.Others, s.OthersOf, inline(strings.TrimPrefix(pValue(s.P), "= ")))
	}
	m.steps(c.Example.Fix)
}

// maxTicketNodes bounds the names and rows of nodes in a ticket.
const maxTicketNodes = 200

func (m *markdown) fleetNodes(r fleet.Report) {
	rows := unhealthy(r)
	if len(rows) == 0 {
		return
	}
	m.put("\n### Nodes\n\n| | Node | Ready | Causes |\n| --- | --- | --- | --- |\n")
	for i, n := range rows {
		if i == maxTicketNodes {
			m.put("\nand %d more\n", len(rows)-i)
			return
		}
		m.put("| %s | %s | %s | %s |\n", Symbol(FleetStatus(n.Verdict), m.style.ASCII),
			tableCode(n.Name), n.Ready, strings.Join(mapped(n.Causes,
				func(c fleet.NodeCause) string { return tableCode(c.ID) }), " "))
	}
}
