package ui

import (
	"io"

	"doctor/checks"
)

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
