package tui

import (
	"strings"

	"doctor/checks"
	"doctor/ui"
)

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
