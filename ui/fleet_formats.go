package ui

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/fleet"
)

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
	rows := slices.DeleteFunc(slices.Clone(r.Nodes), func(n fleet.Node) bool {
		return n.Verdict == fleet.Healthy
	})
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
