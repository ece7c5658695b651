package ui

import (
	"io"
	"strings"

	"doctor/checks"
)

// categories is the table of what was looked at: down the left column and then
// down the right one where two fit, or else down one.
func (p *page) categories(r checks.Report) {
	counts := counted(r)
	if len(counts) == 0 {
		return
	}
	p.blank()
	if half := (len(counts) + 1) / 2; half > 1 {
		left, leftWidth := p.column(counts[:half])
		right, rightWidth := p.column(counts[half:])
		if gap := min(p.columns-leftWidth-rightWidth, 6); gap >= 3 {
			for i, c := range left {
				if i < len(right) {
					c.text += strings.Repeat(" ", leftWidth+gap-c.width) + right[i].text
				}
				p.line(c.text)
			}
			return
		}
	}
	cells, _ := p.column(counts)
	for _, c := range cells {
		p.line(c.text)
	}
}

// tally is how the checks of one category came out.
type tally struct {
	category string
	of       map[checks.Status]int
}

func counted(r checks.Report) []tally {
	var list []tally
	for _, c := range r.Categories() {
		t := tally{string(c), map[checks.Status]int{}}
		for i, result := range r.Results {
			if result.Category == c && !Quiet(&r.Results[i]) {
				t.of[result.Status]++
			}
		}
		if len(t.of) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// A cell is one category's counts, with the width that it takes on screen.
type cell struct {
	text  string
	width int
}

func (p *page) column(list []tally) (cells []cell, widest int) {
	const maxName = 16
	longest := 0
	for _, t := range list {
		longest = max(longest, min(width(p.lang.Word(t.category)), maxName))
	}
	for _, t := range list {
		worst, name := worstOf(t.of),
			pad(clipColumns(p.lang.Word(t.category), maxName, p.style.ASCII), longest)
		c := cell{p.verdict(worst).on(p.mark(worst)) + " " + name, 2 + longest}
		line := c.width
		for _, s := range checks.Statuses {
			if t.of[s] == 0 {
				continue
			}
			part := p.lang.T("%d %s", t.of[s], p.lang.Status(s))
			if line+2+width(part) > p.columns { // a narrow page goes on below the first count
				c.text += "\n" + strings.Repeat(" ", 2+longest)
				line = 2 + longest
			}
			line += 2 + width(part)
			c.width = max(c.width, line)
			if s != checks.StatusPass && s != checks.StatusSkip {
				part = p.verdict(s).on(part)
			}
			c.text += "  " + part
		}
		cells, widest = append(cells, c), max(widest, c.width)
	}
	return cells, widest
}

// worstOf is the verdict that a group of checks is marked with. Not to know
// weighs more than what is normal, and what does not arise weighs nothing.
func worstOf(counts map[checks.Status]int) checks.Status {
	order := []checks.Status{checks.StatusFail, checks.StatusWarn, checks.StatusUnknown,
		checks.StatusInfo, checks.StatusPass}
	for _, s := range order {
		if counts[s] > 0 {
			return s
		}
	}
	return checks.StatusSkip
}

func (p *page) last(r checks.Report) {
	p.blank()
	for _, l := range flow(p.style.counts(r), p.lang.T(", "), p.columns) {
		p.line(p.faint().on(l))
	}
	if len(r.Causes) > 0 {
		p.para(p.lang.Word(WrongDiagnosis), p.faint())
	}
	sentence, cause := p.style.Verdict(r)
	if cause == "" {
		p.para(sentence, p.verdict(overall(r)))
		return
	}
	id := "   (" + cause + ")"
	if width(sentence)+width(id) > p.columns {
		id = ""
	}
	if s := r.Result(cause).Fix.First(); s == nil || s.Command == "" {
		// advice stands in full above; a command stays whole
		sentence = clipColumns(sentence, p.columns, p.style.ASCII)
	}
	p.line(p.bold().on(sentence), p.faint().on(id))
}

// overall colours the last word: where nothing is wrong, what is normal does not count.
func overall(r checks.Report) checks.Status {
	if worst := worstOf(r.Summary); worst != checks.StatusInfo {
		return worst
	}
	return checks.StatusPass
}

// writeWide draws everything that the report holds as text: nothing is cut and nothing is folded.
func writeWide(w io.Writer, r checks.Report, style Style) error {
	p := newPage(style)
	p.wide, p.limits = true, unlimited
	english := r
	r = p.lang.Report(r)
	p.header(r)
	p.provenance(r)
	p.causes(r)
	p.unexplained(r)
	for _, category := range r.Categories() {
		p.category(r, category)
	}
	p.missing(english)
	p.unknown(r)
	p.last(r)
	return p.writeTo(w)
}

// provenance is what is known about the node, each fact with the evidence that shows it.
func (p *page) provenance(r checks.Report) {
	if len(r.Node.Provenance) == 0 {
		return
	}
	p.blank()
	p.line(p.bold().on(p.lang.T("What the node runs")))
	for _, fact := range r.Node.Provenance {
		p.prose("", nil, p.lang.T("%s: %s", p.lang.Phrase(fact.Fact), fact.Value), nil)
		p.quote(fact.From)
	}
}

// category lists the verdicts of all checks of a category, with their evidence.
func (p *page) category(r checks.Report, category checks.Category) {
	var heads []head
	for i, result := range r.Results {
		if result.Category == category {
			heads = append(heads, p.headOf(&r.Results[i]))
		}
	}
	if len(heads) == 0 {
		return
	}
	p.blank()
	p.line(p.bold().on(p.lang.Category(category)))
	for _, h := range heads {
		p.head(h, 0)
		p.findings(h.result.Findings)
	}
}

// findings are all findings of a check with all their evidence. The message of the first stands
// in the head.
func (p *page) findings(list []checks.ReportFinding) {
	label := "  " + p.lang.T("also")
	for i, f := range list {
		if i > 0 {
			p.prose(label, p.bold(), f.Message, nil)
			label = ""
		}
		p.because(list[i : i+1])
	}
}

// missing lists the evidence that checks needed and that is missing.
func (p *page) missing(r checks.Report) {
	if len(r.Gaps) == 0 {
		return
	}
	p.blank()
	p.line(p.verdict(checks.StatusUnknown).on(p.lang.T("Missing evidence")))
	for _, g := range r.Gaps {
		p.prose("", nil, g.Path, nil)
		p.prose("", nil, p.lang.Gap(g.Gap), p.faint())
	}
}

// quiet draws the causes and their fixes, and nothing where there is no fault. Of errors that no check
// explains it says the first.
func (p *page) quiet(r checks.Report) {
	heads := p.causeHeads(r)
	if len(heads) == 0 && overall(r) != checks.StatusFail && len(r.Unexplained) > 0 {
		p.line(p.lang.T("Errors that no check explains"))
		p.unexplainedLine(r.Unexplained[0])
		p.more(len(r.Unexplained) - 1)
	}
	if len(heads) == 0 && overall(r) == checks.StatusFail {
		sentence, _ := p.style.Verdict(r)
		p.line(sentence)
	}
	beside := p.beside(heads)
	for i, h := range heads {
		if i > 0 {
			p.blank()
		}
		p.head(h, beside)
		p.fix("  "+p.lang.T("fix"), h.result.Fix)
	}
}
