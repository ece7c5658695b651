package ui

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/errcode"
	"doctor/checks/evidence"
	"doctor/ui/lang"
)

// faqPage holds the troubleshooting FAQ that checks answer entries of.
const faqPage = "https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/"

// maxProse keeps paragraphs readable on a wide screen.
const maxProse = 100

// Explain writes one check of the catalogue in full.
func Explain(w io.Writer, catalogue *checks.Catalogue, c *checks.Check, style Style) error {
	style.Width = min(style.columns(), maxProse)
	p := newPage(style)
	p.gutter = 10
	c = p.lang.Check(c)
	p.line(p.bold().on(c.ID), p.faint().on("   "+p.lang.Category(c.Category)))
	p.para(p.plain(c.Title), nil)
	for _, paragraph := range paragraphs(c.Doc) {
		p.blank()
		p.para(p.plain(paragraph), nil)
	}
	p.blank()
	p.fix(p.lang.T("fix"), plainly(c.Fix.With(p.lang.Say), style.ASCII))
	p.faq(c.FAQ)
	// whole, so that a terminal sees each link
	p.block(p.lang.T("links"), p.bold(), mapped(links(c), p.plain), nil)
	p.needs(p.lang.T("needs"), c.Needs)
	p.reads(p.lang.T("reads too"), c)
	p.list(p.lang.T("breaks"), mapped(c.Broken(), func(e *checks.Effect) string {
		return p.lang.Word(e.Name)
	}))
	p.list(p.lang.T("explains"), catalogue.Explains(c.ID))
	p.signs(c.Signs)
	return p.writeTo(w)
}

// ExplainCodes writes what error codes mean, and the faults that each can mean.
func ExplainCodes(w io.Writer, catalogue *checks.Catalogue, codes []errcode.Code, style Style) error {
	style.Width = min(style.columns(), maxProse)
	p := newPage(style)
	p.gutter = 10
	for i, c := range codes {
		if i > 0 {
			p.blank()
		}
		p.line(p.bold().on(c.String()), p.faint().on("   "+c.Symbol+" ("+c.Kind.String()+")"))
		p.para(p.plain(p.lang.Phrase(c.Meaning)), nil)
		p.list(p.lang.T("in logs"), c.Forms())
		for n, check := range catalogue.MeaningOf(c) {
			check = p.lang.Check(check)
			p.prose(first(p.lang.T("checks"), n), p.bold(), p.plain(check.ID+": "+check.Title), nil)
		}
	}
	return p.writeTo(w)
}

// A codeExplained is a code in JSON.
type codeExplained struct {
	Code    string   `json:"code"`
	Kind    string   `json:"kind"`
	Symbol  string   `json:"symbol"`
	Meaning string   `json:"meaning"`
	Forms   []string `json:"forms"`
	Checks  []string `json:"checks"`
}

// CodesJSON writes what error codes mean, as a JSON list.
func CodesJSON(w io.Writer, catalogue *checks.Catalogue, codes []errcode.Code) error {
	list := []codeExplained{}
	for _, c := range codes {
		list = append(list, codeExplained{c.String(), string(c.Kind), c.Symbol, c.Meaning,
			there(c.Forms()),
			mapped(catalogue.MeaningOf(c), func(c *checks.Check) string { return c.ID })})
	}
	return encode(w, list)
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
		paths := mapped(evidence.Names(n), p.named)
		if len(paths) > 1 {
			paths[0] = p.lang.T("any of %s", paths[0])
		}
		p.block(first(label, i), p.bold(), flow(paths, ", ", p.room()), nil)
	}
}

// named is a path, or what a fact is called in the reader's language.
func (p *page) named(name string) string { return p.plain(p.lang.Phrase(name)) }

// reads lists what is read where it was recorded, beside what is needed anyway.
func (p *page) reads(label string, c *checks.Check) {
	var names []string
	for _, n := range c.Uses {
		for _, name := range evidence.Names(n) {
			if !slices.Contains(names, p.named(name)) && !evidence.Covers(c.Needs, name) {
				names = append(names, p.named(name))
			}
		}
	}
	p.list(label, names)
}

// links leaves out the page that the FAQ line names already.
func links(c *checks.Check) []string {
	return slices.DeleteFunc(slices.Clone(c.Links), func(l string) bool {
		return l == faqPage && len(c.FAQ) > 0
	})
}

func (p *page) signs(signs []checks.Sign) {
	for i, s := range signs {
		p.prose(first(p.lang.T("signs"), i), p.bold(), p.plain(signWith(s, quotationMarks, p.lang)), nil)
		note := p.lang.T("in %s", signPlaces(s, p.lang))
		switch {
		case s.ConfirmOnly:
			note += p.lang.T("; only confirms what the state shows")
		case s.Says != "":
			note += p.lang.T(": %s", s.Says)
		}
		for _, l := range Wrap(p.plain(note), p.room()-2, p.room()-2) {
			p.block("", nil, []string{"  " + l}, p.faint())
		}
	}
}

func quotationMarks(text string) string { return "“" + text + "”" }

// signWith says what a line must hold, with each text marked as the format does.
func signWith(s checks.Sign, mark func(string) string, l *lang.Catalogue) string {
	text := mark(s.Text)
	for _, or := range s.Or {
		text += l.T(" or %s", mark(or))
	}
	for _, also := range s.Also {
		text += l.T(" with %s", mark(also))
	}
	if len(s.Not) > 0 {
		text += l.T(" without %s", strings.Join(mapped(s.Not, mark), l.T(", ")))
	}
	return text
}

// signPlaces says where a sign is looked for.
func signPlaces(s checks.Sign, l *lang.Catalogue) string {
	if len(s.In) == 0 {
		return l.T("all logs and events")
	}
	places := mapped(s.In, func(in string) string {
		switch in {
		case evidence.InEvents:
			return l.T("the Windows event log")
		case evidence.InPodEvents:
			return l.T("pod events")
		case evidence.InPods:
			return l.T("container states")
		case evidence.InNode:
			return l.T("node conditions")
		}
		return l.T("the %s log", in)
	})
	return strings.Join(places, l.T(", "))
}

func (p *page) list(label string, items []string) {
	p.block(label, p.bold(), flow(mapped(items, p.plain), ", ", p.room()), nil)
}

func (p *page) faq(entries []int) {
	if len(entries) == 0 {
		return
	}
	p.block("FAQ", p.bold(),
		[]string{p.lang.T("%s of %s", strings.ReplaceAll(numbers(entries), ", ", p.lang.T(", ")),
			p.lang.T(faqPage))}, nil)
	for _, n := range entries {
		if question := p.lang.FAQ(n); question != "" {
			p.prose("", nil, p.plain(fmt.Sprintf("%d  %s", n, question)), p.faint())
		}
	}
}

func numbers(list []int) string {
	return strings.Join(mapped(list, func(n int) string { return fmt.Sprint(n) }), ", ")
}

// Catalogue writes the list of checks by category.
func Catalogue(w io.Writer, list []*checks.Check, style Style) error {
	p := newPage(style)
	p.gutter = 4
	for _, c := range list {
		p.gutter = max(p.gutter, width(c.ID)+4)
	}
	below := p.room() < 30 // a title has no room beside the id
	if below {
		p.gutter = 4
	}
	for i, group := range byCategory(list) {
		if i > 0 {
			p.blank()
		}
		p.line(p.bold().on(p.lang.Category(group[0].Category)))
		for _, c := range group {
			id := "  " + c.ID
			if below {
				p.line(id)
				id = ""
			}
			p.prose(id, nil, p.plain(p.lang.Check(c).Title), p.faint())
		}
	}
	if len(list) > 0 {
		p.blank()
	}
	p.line(p.lang.Count(len(list), "check"))
	return p.writeTo(w)
}

// byCategory groups the checks, each group in the order of the list.
func byCategory(list []*checks.Check) [][]*checks.Check {
	var groups [][]*checks.Check
	for _, category := range checks.Categories {
		group := slices.DeleteFunc(slices.Clone(list), func(c *checks.Check) bool {
			return c.Category != category
		})
		if len(group) > 0 {
			groups = append(groups, group)
		}
	}
	return groups
}

// Search selects the checks whose id, texts, signs or links hold all the words, in English or in
// the reader's language.
func Search(catalogue *checks.Catalogue, words string, l *lang.Catalogue) *checks.Catalogue {
	wanted := strings.Fields(strings.ToLower(words))
	return catalogue.Select(func(c *checks.Check) bool {
		text := strings.ToLower(searched(c) + "\n" + searched(l.Check(c)))
		return !slices.ContainsFunc(wanted, func(word string) bool {
			return !strings.Contains(text, word)
		})
	})
}

// searched is all that `explain` shows of a check and somebody may remember.
func searched(c *checks.Check) string {
	texts := []string{c.ID, c.Title, c.Healthy, c.Doc}
	for _, s := range c.Fix.Steps {
		texts = append(texts, s.Text, s.Command)
	}
	for _, s := range c.Signs {
		texts = append(texts, s.Text, s.Says)
		texts = slices.Concat(texts, s.Or, s.Also)
	}
	for _, e := range c.Breaks {
		texts = append(texts, e.Name)
	}
	return strings.Join(append(texts, c.Links...), "\n")
}
