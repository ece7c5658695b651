package tui

import (
	"fmt"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/ui"
)

// readable is the widest line that is comfortable to read.
const readable = 96

// detailOf draws what is selected, in w cells and as many lines as it takes.
func detailOf(m model, w int) []line {
	rw, ok := m.selected()
	p := page{width: min(w-1, readable), voice: m.voice}
	switch {
	case !m.began:
	case !ok:
		p.text("", p.T("nothing selected"), faint)
	case rw.folds():
		groupDetail(&p, &m.report, rw)
	case rw.kind == rowErrors:
		errorsDetail(&p, m.report.Unexplained, false)
	default:
		resultDetail(&p, &m.report, &m.report.Results[rw.index], m.watch.changed[rw.id])
	}
	return p.lines
}

// mostNamed is how many checks without a fault a row that folds names; unfolded it has all.
const mostNamed = 16

// groupDetail draws what a folded row stands for.
func groupDetail(p *page, r *checks.Report, rw row) {
	p.text("", p.Category(rw.category), strong)
	if rw.kind == rowUnknown {
		unknownAdvice(p, rw)
	}
	p.lines = append(p.lines, summary(r, rw.members, true, p.voice).fit(p.width, p.ascii))
	p.blank()
	shown := len(rw.members) // worst first
	for shown > mostNamed && !r.Results[rw.members[shown-1]].Status.Fault() {
		shown--
	}
	for _, i := range rw.members[:shown] {
		p.verdict("", &r.Results[i])
	}
	if more := len(rw.members) - shown; more > 0 {
		p.text("", p.T("and %d more", more), faint)
	}
	if rw.category == checks.CategoryNode && rw.kind == rowGroup {
		provenance(p, r)
	}
}

// unknownAdvice is why checks could not run, and what to do about it.
func unknownAdvice(p *page, rw row) {
	p.text("", p.T("%d could not run: %s", len(rw.members), rw.unknown.Reason(p.Catalogue)), plain)
	p.text("", rw.unknown.Advice(p.Catalogue), plain)
	p.blank()
}

// provenance is what is known about the node, each fact with the evidence that shows it.
func provenance(p *page, r *checks.Report) {
	if len(r.Node.Provenance) == 0 {
		return
	}
	p.heading(p.T("What the node runs"))
	for _, l := range r.Node.Provenance {
		p.led(span{"  " + p.Phrase(l.Fact) + "  ", faint}, l.Value, plain)
		p.text("    ", ui.Where(l.From.Place())+"  "+l.From.Text, faint)
	}
}

// verdict is a check in one line or more: symbol and title.
func (p *page) verdict(indent string, res *checks.Result) {
	p.led(span{indent + symbol(res.Status, p.ascii) + " ", inkOf(res.Status)}, ui.RowTitle(res), plain)
}

// resultDetail draws a check; was is its verdict before it changed, or "".
func resultDetail(p *page, r *checks.Report, res *checks.Result, was checks.Status) {
	p.led(span{symbol(res.Status, p.ascii) + " " + p.Status(res.Status) + "  ", inkOf(res.Status)},
		ui.Title(res), strong)
	p.text("", res.ID+" · "+p.Category(res.Category), faint)
	if was != "" {
		p.text("", p.T("changed: it was %s before", p.Status(was)), accent)
	}
	outcome(p, res)
	fix(p, res)
	proofs(p, res)
	relations(p, r, res)
	if len(res.FAQ) > 0 {
		p.heading(p.T("FAQ"))
		faq(p, res.FAQ)
	}
	if len(res.Links) > 0 {
		p.heading(p.T("Links"))
		for _, l := range res.Links {
			p.text("  ", l, plain)
		}
	}
}

// outcome is what the check found, or why it found nothing.
func outcome(p *page, res *checks.Result) {
	p.blank()
	for _, f := range res.Findings {
		status := checks.Status(f.Level)
		p.led(span{symbol(status, p.ascii) + " ", inkOf(status)}, p.sentence(f), plain)
		for _, c := range f.Codes {
			p.text("  ", p.style().Decoded(c), faint)
		}
		if f.Basis == checks.ByText {
			p.text("  ", p.T("found in logs only"), faint)
		}
	}
	if len(res.Findings) > 0 {
		return
	}
	switch res.Status {
	case checks.StatusPass:
		p.text("", p.T("checked: no fault found"), plain)
	case checks.StatusUnknown:
		p.text("", p.T("could not run: %s", res.Gap), plain)
	case checks.StatusSkip:
		p.text("", p.T("does not apply: %s", res.Reason), plain)
	case StatusWaiting:
		p.text("", p.T("no verdict yet: it waits for its evidence"), plain)
	case StatusReading:
		p.text("", p.T("no verdict yet: its evidence is being read"), plain)
	}
}

// proofs are the evidence of the findings, below the fix: who is called at night needs that first.
func proofs(p *page, res *checks.Result) {
	if len(res.Findings) == 0 {
		return
	}
	p.heading(p.T("Evidence"))
	for i, f := range res.Findings {
		if len(res.Findings) > 1 {
			if i > 0 {
				p.blank()
			}
			p.text("  ", p.sentence(f), plain)
		}
		for _, b := range f.Because {
			p.leads(item{place: b.Place()})
			p.text("  ", ui.Where(b.Place()), faint)
			p.text("    ", b.Text, plain)
		}
	}
}

// sentence is the message, with its subject where the message does not name it.
func (say voice) sentence(f checks.ReportFinding) string {
	if f.Subject == "" || strings.Contains(f.Message, f.Subject) {
		return f.Message
	}
	return say.T("%s: %s", f.Subject, f.Message)
}

func fix(p *page, res *checks.Result) {
	if len(res.Fix.Steps) == 0 {
		return
	}
	if res.Status.Fault() {
		p.heading(p.T("Fix"))
	} else {
		p.heading(p.T("Fix, if this fault ever shows"))
	}
	for i := range res.Fix.Steps {
		p.leads(item{step: i + 1})
		p.step(res.Fix, i, span{"  ", plain})
	}
}

// step draws one step of a fix behind a mark.
func (p *page) step(f checks.Fix, i int, mark span) {
	marks := map[ui.StepLineKind]span{ui.StepText: mark, ui.StepCommand: {"  > ", accent},
		ui.StepFrom: {"  - ", faint},
		ui.StepTo:   {"  + ", accent}, ui.StepImpact: {"  ! ", inkWarn}}
	for _, l := range p.style().StepLines(f, i) {
		p.led(marks[l.Kind], l.Text, plain)
	}
}

// relations are the other faults of the report that this one explains, or is explained by.
func relations(p *page, r *checks.Report, res *checks.Result) {
	var follows []*checks.Result
	for i := range r.Results {
		if slices.Contains(r.Results[i].ExplainedBy, res.ID) {
			follows = append(follows, &r.Results[i])
		}
	}
	if len(follows) > 0 {
		p.heading(p.T("Explains"))
		for _, f := range follows {
			p.leads(item{check: f.ID})
			p.verdict("  ", f)
		}
	}
	if len(res.ExplainedBy) > 0 {
		p.heading(p.T("Explained by"))
		for _, id := range res.ExplainedBy {
			if by := r.Result(id); by != nil {
				p.leads(item{check: id})
				p.verdict("  ", by)
			} else {
				p.text("  ", id, plain)
			}
		}
	}
}

// faq names the entries that a check answers, in the words of the documentation
// where the language has them.
func faq(p *page, list []int) {
	numbers := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(list)), p.T(", ")), "[]")
	if len(list) == 1 {
		p.text("  ", p.T("answers entry %s of the Windows troubleshooting FAQ", numbers), plain)
	} else {
		p.text("  ", p.T("answers entries %s of the Windows troubleshooting FAQ", numbers), plain)
	}
	for _, n := range list {
		p.text("    ", p.Catalogue.FAQ(n), plain)
	}
}

// proof is what the card of a cause leaves out: on what it rests, and what follows.
func proof(p *page, r *checks.Report, res *checks.Result, card int) {
	if text := p.cardText(res, cardFix); text != "" && card < maxCard-1 {
		p.led(span{p.T("fix") + "  ", faint}, text, plain)
	}
	for _, f := range res.Findings {
		for _, b := range f.Because {
			p.text("", ui.Where(b.Place())+"  "+b.Text, plain)
		}
	}
	for _, c := range r.Causes {
		if c.ID == res.ID && len(c.Consequences) > 0 {
			p.led(span{p.T("then") + " ", faint}, strings.Join(c.Consequences, ", "), plain)
		}
	}
}

// preview is the selected check in a rule and a few lines, under a list that
// has no detail beside it; the cards of causes have so many lines.
func preview(r *checks.Report, rw row, ok bool, w, h, card int, say voice) []line {
	p := page{width: w - 2, voice: say}
	name := ""
	switch {
	case !ok:
	case rw.folds():
		name = say.Category(rw.category)
		if rw.kind == rowUnknown {
			unknownAdvice(&p, rw)
		}
		for _, i := range rw.members {
			p.verdict("", &r.Results[i])
		}
	case rw.kind == rowErrors:
		name = say.T("Errors that no check explains")
		errorsDetail(&p, r.Unexplained, rw.open)
	default:
		res := &r.Results[rw.index]
		name = res.ID
		if rw.kind == rowCause {
			proof(&p, r, res, card)
		} else {
			outcome(&p, res)
		}
	}
	lines := p.under(name, w, h)
	if last := len(lines) - 1; last > 0 && last < len(p.lines) {
		lines[last] = append(lines[last].fit(w-5, say.ascii), span{" " + ellipsis(say.ascii), faint})
	}
	return lines
}
