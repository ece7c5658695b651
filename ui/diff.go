package ui

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/diff"
	"doctor/checks/packed"
	"doctor/ui/lang"
)

// DiffSchema is the JSON Schema of a comparison, doctor.diff/v1.
var DiffSchema = packed.Text(schemaFiles, "diff.schema.json")

// DiffFormats lists the formats that WriteDiff knows.
func DiffFormats() []string { return []string{"json", "markdown", "text"} }

// WriteDiff writes a comparison of two nodes. All includes what changes by itself.
func WriteDiff(w io.Writer, format string, c diff.Comparison, all bool, style Style) error {
	c = plainly(c, style.ASCII && format != "json")
	switch format {
	case "json":
		return encode(w, c)
	case "markdown":
		return writeDiffMarkdown(w, c, all, style)
	}
	p := newPage(style)
	p.sides(c)
	for _, v := range c.Verdicts {
		p.blank()
		p.diffVerdict(c, v)
	}
	for _, g := range diff.Groups {
		p.diffGroup(c, g, all)
	}
	p.diffRest(c, all)
	return p.writeTo(w)
}

// mostValues is how many values of a list are shown to people.
const mostValues = 12

// DiffValues writes values side by side.
func DiffValues(values []string, l *lang.Catalogue) string {
	text := strings.Join(values[:min(len(values), mostValues)], ", ")
	if n := len(values) - mostValues; n > 0 {
		text += ", " + l.T("and %d more", n)
	}
	return text
}

// names of the nodes in a comparison.
var sideNames = [2]string{"A", "B"}

// DiffFacts tells a node of a comparison from the other.
func DiffFacts(n diff.Node) []string {
	facts := []string{n.Source}
	// The time first: two recordings of one node differ in nothing else, and a screen cuts the end off.
	for _, fact := range []string{n.Facts.Name, n.CollectedAt, n.Facts.Build, n.Facts.Kubelet, n.Facts.Network} {
		if fact != "" && fact != n.Source {
			facts = append(facts, fact)
		}
	}
	return facts
}

func (p *page) sides(c diff.Comparison) {
	for i, n := range []diff.Node{c.A, c.B} {
		p.prose(sideNames[i], p.bold(), p.plain(strings.Join(DiffFacts(n), p.dash())), nil)
	}
	if headline := DiffHeadline(c, p.lang); headline != "" {
		p.blank()
		p.prose("", nil, headline, p.bold())
	}
}

// DiffHeadline says what the comparison comes to where there is no difference to show.
func DiffHeadline(c diff.Comparison, l *lang.Catalogue) string {
	switch {
	case c.Compared == 0:
		return l.T("Nothing was compared: no file of evidence is in both.")
	case c.Differs:
		return ""
	}
	return l.T("No difference that matters in %d files of evidence.", c.Compared)
}

// WorseSide is the node that has the fault, and its verdict.
func WorseSide(v diff.Verdict) (checks.Status, string) {
	if v.A.Fault() {
		return v.A, sideNames[0]
	}
	return v.B, sideNames[1]
}

func (p *page) diffVerdict(c diff.Comparison, v diff.Verdict) {
	label := p.lang.T("FAULT")
	status, side := WorseSide(v)
	if status == checks.StatusWarn {
		label = p.lang.T("WARNING")
	}
	p.prose(label, p.verdict(status), p.plain(v.Title), p.bold())
	p.prose("", nil, fmt.Sprintf("%s%sA %s %s%sB %s %s", v.ID, p.dash(), p.mark(v.A), p.lang.Status(v.A),
		p.dash(), p.mark(v.B), p.lang.Status(v.B)), p.faint())
	if v.Message != "" {
		p.prose("", nil, side+": "+p.plain(v.Message), nil)
	}
	for _, i := range v.Differences {
		if c.Differences[i].Explains[0] == v.ID { // shown once
			p.difference(c.Differences[i])
		}
	}
}

// DiffHeadings are those of the groups.
var DiffHeadings = map[diff.Group]string{
	diff.Versions: "VERSIONS", diff.Configuration: "CONFIGURATION", diff.State: "STATE",
	diff.Rest: "CHANGES BY ITSELF",
}

// ofGroup are the differences of a group that are not shown with a fault.
func ofGroup(c diff.Comparison, g diff.Group, all bool) []diff.Difference {
	return slices.DeleteFunc(slices.Clone(c.Differences), func(d diff.Difference) bool {
		return d.Group != g || len(d.Explains) > 0 || g == diff.Rest && !all
	})
}

func (p *page) diffGroup(c diff.Comparison, g diff.Group, all bool) {
	list := ofGroup(c, g, all)
	if len(list) == 0 {
		return
	}
	p.blank()
	p.line(p.bold().on(p.lang.Word(DiffHeadings[g])))
	for _, d := range list {
		p.difference(d)
	}
}

func (p *page) difference(d diff.Difference) {
	p.prose("", nil, p.plain(DiffPlace(d, p.dash())), p.faint())
	lists := [2][]string{d.A, d.B}
	for i, values := range lists {
		if len(values) == 0 {
			continue
		}
		text := DiffValues(values, p.lang)
		if len(lists[1-i]) == 0 {
			text = p.lang.T("only %s: %s", sideNames[i], text)
		} else {
			text = sideNames[i] + ": " + text
		}
		lines := Wrap(text, p.room()-2, p.room()-4)
		p.block("", nil, strings.Split("  "+strings.Join(lines, "\n    "), "\n"), nil)
	}
}

// DiffPlace says what a difference is of.
func DiffPlace(d diff.Difference, dash string) string {
	place := []string{d.Path}
	if d.Object != "" && !strings.HasSuffix(d.Path, "/"+d.Object) {
		place = append(place, d.Object)
	}
	if d.Field != "" {
		place = append(place, d.Field)
	}
	return strings.Join(place, dash)
}

func (p *page) diffRest(c diff.Comparison, all bool) {
	n := 0
	for _, d := range c.Differences {
		if d.Group == diff.Rest {
			n++
		}
	}
	if n > 0 && !all {
		p.blank()
		p.prose("", nil, p.lang.T("%d more differences in what changes by itself; --all shows them.", n), p.faint())
	}
	if len(c.Uncompared) > 0 {
		list := mapped(c.Uncompared, func(u diff.Uncompared) string {
			return u.Path + " (" + strings.ToUpper(u.Only) + ")"
		})
		p.blank()
		p.prose("", nil, p.plain(p.lang.T("Not compared, because only one node's evidence has it: %s.",
			strings.Join(list, ", "))), p.faint())
	}
}

func writeDiffMarkdown(w io.Writer, c diff.Comparison, all bool, style Style) error {
	l := style.lang()
	m := &markdown{}
	for i, n := range []diff.Node{c.A, c.B} {
		m.put("- **%s**: %s, %s, %s\n", sideNames[i], code(n.Source), code(n.Facts.Name), code(n.Facts.Build))
	}
	if headline := DiffHeadline(c, l); headline != "" {
		m.put("\n%s\n", headline)
	}
	row := func(d diff.Difference) {
		m.put("| %s | %s | %s |\n", tableText(DiffPlace(d, " · ")), tableText(DiffValues(d.A, l)),
			tableText(DiffValues(d.B, l)))
	}
	table := func() { m.put("\n| | A | B |\n|---|---|---|\n") }
	for _, v := range c.Verdicts {
		m.put("\n### %s\n\n%s: A %s, B %s. %s\n", inline(v.Title), code(v.ID),
			l.Status(v.A), l.Status(v.B), inline(v.Message))
		if len(v.Differences) > 0 {
			table()
		}
		for _, i := range v.Differences {
			if c.Differences[i].Explains[0] == v.ID {
				row(c.Differences[i])
			}
		}
	}
	for _, g := range diff.Groups {
		list := ofGroup(c, g, all)
		if len(list) == 0 {
			continue
		}
		m.put("\n### %s\n", l.Word(DiffHeadings[g]))
		table()
		for _, d := range list {
			row(d)
		}
	}
	return m.writeTo(w)
}

// tableText is a cell of a table; an empty one stays empty.
func tableText(s string) string {
	if s == "" {
		return ""
	}
	return tableCode(s)
}
