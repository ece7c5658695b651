package ui

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// faqPage holds the troubleshooting FAQ that checks answer entries of.
const faqPage = "https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/"

// maxProse keeps paragraphs readable on a wide screen.
const maxProse = 100

// Explain writes one check in full.
func Explain(w io.Writer, c *checks.Check, style Style) error {
	style.Width = min(style.columns(), maxProse)
	p := newPage(style)
	p.gutter = 10
	p.line(p.bold().on(c.ID), p.faint().on("   "+string(c.Category)))
	for _, l := range wrap(p.plain(c.Title), p.columns, p.columns) {
		p.line(l)
	}
	for _, paragraph := range paragraphs(c.Doc) {
		p.blank()
		for _, l := range wrap(p.plain(paragraph), p.columns, p.columns) {
			p.line(l)
		}
	}
	p.blank()
	p.needs("needs", c.Needs)
	p.reads("reads too", c)
	p.signs(c.Signs)
	p.fix("fix", plainFix(c.Fix, style.ASCII))
	p.list("explains", c.Explains)
	p.faq(c.FAQ)
	for i, l := range links(c) {
		p.block(first("links", i), p.bold(), []string{p.plain(l)}, nil) // whole, so that a terminal sees the link
	}
	return p.writeTo(w)
}

func (p *page) plain(s string) string { return Plain(s, p.style.ASCII) }

// paragraphs parts a check's documentation at its empty lines.
func paragraphs(doc string) []string {
	var list []string
	for part := range strings.SplitSeq(strings.ReplaceAll(doc, "\r\n", "\n"), "\n\n") {
		if part = strings.Join(strings.Fields(part), " "); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// first gives the label to the first of several blocks only.
func first(label string, i int) string {
	if i > 0 {
		return ""
	}
	return label
}

func (p *page) needs(label string, needs []evidence.Need) {
	for i, n := range needs {
		paths := each(evidence.Names(n), p.plain)
		if len(paths) > 1 {
			paths[0] = "any of " + paths[0]
		}
		p.block(first(label, i), p.bold(), flow(paths, ", ", p.room()), nil)
	}
}

// reads lists what is read where it was recorded, beside what is needed anyway.
func (p *page) reads(label string, c *checks.Check) {
	var names []string
	for _, n := range c.Uses {
		for _, name := range evidence.Names(n) {
			if !slices.Contains(names, name) && !evidence.Covers(c.Needs, name) {
				names = append(names, name)
			}
		}
	}
	p.list(label, names)
}

// links leaves out the page that the FAQ line names already.
func links(c *checks.Check) []string {
	return slices.DeleteFunc(slices.Clone(c.Links), func(l string) bool { return l == faqPage && len(c.FAQ) > 0 })
}

func (p *page) signs(signs []checks.Sign) {
	for i, s := range signs {
		p.block(first("signs", i), p.bold(), wrap(p.plain(signText(s)), p.room(), p.room()), nil)
		note := "in " + signPlaces(s)
		switch {
		case s.ConfirmOnly:
			note += "; only confirms what the state shows"
		case s.Says != "":
			note += ": " + s.Says
		}
		for _, l := range wrap(p.plain(note), p.room()-2, p.room()-2) {
			p.block("", nil, []string{"  " + l}, p.faint())
		}
	}
}

func signText(s checks.Sign) string {
	return signWith(s, func(text string) string { return "“" + text + "”" })
}

// signWith says what a line must hold, with each text marked as the format does.
func signWith(s checks.Sign, mark func(string) string) string {
	text := mark(s.Text)
	for _, or := range s.Or {
		text += " or " + mark(or)
	}
	for _, also := range s.Also {
		text += " with " + mark(also)
	}
	if len(s.Not) > 0 {
		text += " without " + strings.Join(each(s.Not, mark), ", ")
	}
	return text
}

// signPlaces says where a sign is looked for.
func signPlaces(s checks.Sign) string {
	if len(s.In) == 0 {
		return "all logs and events"
	}
	places := each(s.In, func(in string) string {
		switch in {
		case evidence.InEvents:
			return "the Windows event log"
		case evidence.InPodEvents:
			return "pod events"
		case evidence.InPods:
			return "container states"
		case evidence.InNode:
			return "node conditions"
		}
		return "the " + in + " log"
	})
	return strings.Join(places, ", ")
}

func (p *page) list(label string, items []string) {
	p.block(label, p.bold(), flow(each(items, p.plain), ", ", p.room()), nil)
}

func (p *page) faq(entries []int) {
	if len(entries) == 0 {
		return
	}
	p.block("FAQ", p.bold(), []string{numbers(entries) + " of " + faqPage}, nil)
}

func numbers(list []int) string {
	return strings.Join(each(list, func(n int) string { return fmt.Sprint(n) }), ", ")
}

// Catalogue writes the list of checks by category.
func Catalogue(w io.Writer, list []*checks.Check, style Style) error {
	p := newPage(style)
	longest := 0
	for _, c := range list {
		longest = max(longest, width(c.ID))
	}
	column := longest + 4
	for i, group := range byCategory(list) {
		if i > 0 {
			p.blank()
		}
		p.line(p.bold().on(string(group[0].Category)))
		for _, c := range group {
			title := p.plain(c.Title)
			if p.columns-column < 30 { // the title stands below the id where it has no room beside it
				p.line("  ", c.ID)
				for _, l := range wrap(title, p.columns-4, p.columns-4) {
					p.line("    ", p.faint().on(l))
				}
				continue
			}
			id := pad(c.ID, column-2)
			for _, l := range wrap(title, p.columns-column, p.columns-column) {
				p.line("  ", id, p.faint().on(l))
				id = strings.Repeat(" ", column-2)
			}
		}
	}
	if len(list) > 0 {
		p.blank()
	}
	p.line(count(len(list), "check"))
	return p.writeTo(w)
}

// byCategory groups the checks, each group in the order of the list.
func byCategory(list []*checks.Check) [][]*checks.Check {
	var groups [][]*checks.Check
	for _, category := range checks.Categories {
		group := slices.DeleteFunc(slices.Clone(list), func(c *checks.Check) bool { return c.Category != category })
		if len(group) > 0 {
			groups = append(groups, group)
		}
	}
	return groups
}
