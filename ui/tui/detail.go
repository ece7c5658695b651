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
	p := page{width: min(w-1, readable), ascii: m.ascii}
	switch {
	case !m.began:
	case !ok:
		p.text("", "nothing selected", faint)
	case rw.folds():
		groupDetail(&p, &m.report, rw)
	default:
		resultDetail(&p, &m.report, &m.report.Results[rw.index], m.watch.changed[rw.id])
	}
	return p.lines
}

func groupDetail(p *page, r *checks.Report, rw row) {
	p.text("", string(rw.category), strong)
	p.lines = append(p.lines, summary(r, rw.members, true, p.ascii).fit(p.width, p.ascii))
	p.blank()
	for _, i := range rw.members {
		p.verdict("", &r.Results[i])
	}
	if rw.category == checks.CategoryNode {
		learnt(p, r)
	}
}

// learnt is what is known of the node, each fact with the evidence that told it.
func learnt(p *page, r *checks.Report) {
	if len(r.Node.Learnt) == 0 {
		return
	}
	p.heading("What the node runs")
	for _, l := range r.Node.Learnt {
		p.led(span{"  " + l.Fact + "  ", faint}, l.Value, plain)
		p.text("    ", ui.Where(l.From)+"  "+l.From.Text, faint)
	}
}

// verdict is a check in one line or more: symbol and title.
func (p *page) verdict(indent string, res *checks.Result) {
	p.led(span{indent + symbol(res.Status, p.ascii) + " ", inkOf(res.Status)}, res.Title, plain)
}

// resultDetail draws a check; was is its verdict before it changed, or "".
func resultDetail(p *page, r *checks.Report, res *checks.Result, was checks.Status) {
	p.led(span{symbol(res.Status, p.ascii) + " " + string(res.Status) + "  ", inkOf(res.Status)}, res.Title, strong)
	p.text("", res.ID+" · "+string(res.Category), faint)
	if was != "" {
		p.text("", fmt.Sprintf("changed: it was %s before", was), accent)
	}
	outcome(p, res)
	fix(p, res)
	relations(p, r, res)
	if len(res.FAQ) > 0 {
		p.heading("FAQ")
		p.text("  ", faqText(res.FAQ), plain)
	}
	if len(res.Links) > 0 {
		p.heading("Links")
		for _, l := range res.Links {
			p.text("  ", l, plain)
		}
	}
}

// outcome is what the check found, or why it found nothing.
func outcome(p *page, res *checks.Result) {
	p.blank()
	for i, f := range res.Findings {
		if i > 0 {
			p.blank()
		}
		status := checks.Status(f.Level)
		p.led(span{symbol(status, p.ascii) + " ", inkOf(status)}, sentence(f), plain)
		for _, b := range f.Because {
			p.leads(item{path: b.Path, line: b.Line})
			p.text("  ", ui.Where(b), faint)
			p.text("    ", b.Text, plain)
		}
		for _, c := range f.Codes {
			p.text("  ", ui.Decoded(c), faint)
		}
		if f.Basis == checks.ByText {
			p.text("  ", "only the logs tell of it", faint)
		}
	}
	if len(res.Findings) > 0 {
		return
	}
	switch res.Status {
	case checks.StatusPass:
		p.text("", "looked, and did not find this fault", plain)
	case checks.StatusUnknown:
		p.text("", "could not tell: "+res.Gap, plain)
	case checks.StatusSkip:
		p.text("", "does not apply: "+res.Reason, plain)
	case statusWaiting:
		p.text("", "no verdict yet: it waits for its evidence", plain)
	case statusReading:
		p.text("", "no verdict yet: its evidence is being read", plain)
	}
}

// sentence is the message, with its subject where the message does not name it.
func sentence(f checks.ReportFinding) string {
	if f.Subject == "" || strings.Contains(f.Message, f.Subject) {
		return f.Message
	}
	return f.Subject + ": " + f.Message
}

func fix(p *page, res *checks.Result) {
	f := res.Fix
	if f.Text == "" && len(f.Commands) == 0 && f.Impact == "" {
		return
	}
	if isFault(res.Status) {
		p.heading("Fix")
	} else {
		p.heading("Fix, if this fault ever shows")
	}
	p.text("  ", f.Text, plain)
	for _, c := range f.Commands {
		p.led(span{"  > ", accent}, c, plain)
	}
	if f.Impact != "" {
		p.led(span{"  ! ", inkWarn}, f.Impact, plain)
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
		p.heading("Explains")
		for _, f := range follows {
			p.leads(item{check: f.ID})
			p.verdict("  ", f)
		}
	}
	if len(res.ExplainedBy) > 0 {
		p.heading("Explained by")
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

func faqText(list []int) string {
	numbers := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(list)), ", "), "[]")
	if len(list) == 1 {
		return "answers entry " + numbers + " of the Windows troubleshooting FAQ"
	}
	return "answers entries " + numbers + " of the Windows troubleshooting FAQ"
}
