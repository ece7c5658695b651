package ui

import (
	"io"
	"math"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// How much of a report the text shows; the rest is counted, and is whole in the
// other formats.
const (
	maxLines   = 3 // of a message or a piece of evidence
	maxChain   = 14
	maxGroups  = 6
	maxMissing = 10
	everything = math.MaxInt32
)

// limits are the same for one page.
type limits struct {
	evidence    int // pieces of evidence beside a cause
	also        int // further findings of a cause
	lines       int // of a message or a piece of evidence
	chain       int // consequences of a cause
	further     int // results beside the causes
	unexplained int
	groups      int // of checks that could not run
}

var (
	brief     = limits{3, 3, maxLines, maxChain, 20, 3, maxGroups}
	unlimited = limits{everything, everything, everything, everything, everything, everything, everything}
)

// writeText draws the report for a terminal or a file: who was looked at, the
// causes, the rest, the checks that could not run, and last what to do first, where
// the eye rests when the program has ended.
func writeText(w io.Writer, r checks.Report, style Style) error {
	p := newPage(style)
	r = p.lang.Report(r)
	if style.Quiet {
		p.quiet(r)
		return p.writeTo(w)
	}
	if warnings(r) > 0 && !p.narrow() {
		p.gutter = max(p.gutter, width("! WARNING "))
	}
	p.header(r)
	p.causes(r)
	p.unexplained(r)
	p.further(r)
	p.categories(r)
	p.unknown(r)
	p.last(r)
	return p.writeTo(w)
}

func (p *page) header(r checks.Report) {
	facts, origin := flow(p.style.NodeFacts(r), p.dash(), p.columns),
		flow(p.style.Origin(r), p.dash(), p.columns)
	if len(facts) == 1 && len(origin) == 1 && width(facts[0])+width(origin[0])+4 <= p.columns {
		gap := strings.Repeat(" ", p.columns-width(facts[0])-width(origin[0]))
		p.line(p.bold().on(facts[0]), gap, p.faint().on(origin[0]))
		facts, origin = nil, nil
	}
	for _, l := range facts {
		p.line(p.bold().on(l))
	}
	for _, l := range origin {
		p.line(p.faint().on(l))
	}
}

func (p *page) causes(r checks.Report) {
	heads := p.causeHeads(r)
	beside := p.beside(heads)
	for i, h := range heads {
		p.blank()
		p.head(h, beside)
		if p.wide {
			p.findings(h.result.Findings)
		} else {
			p.because(h.result.Findings)
			p.also(h.result.Findings)
		}
		p.fix("  "+p.lang.T("fix"), h.result.Fix)
		p.then(r, r.Causes[i].Consequences)
	}
}

func (p *page) causeHeads(r checks.Report) []head {
	var heads []head
	for _, c := range r.Causes {
		result := resultOf(r, c)
		if r.Result(c.ID) == nil {
			result.Title = p.lang.Word(notHeldCause)
		}
		label := p.lang.T("CAUSE")
		if result.Status == checks.StatusWarn { // a node with nothing but warnings has no fault
			label = p.lang.T("WARNING")
		}
		heads = append(heads, head{p.mark(result.Status) + " " + label, result})
	}
	return heads
}

// notHeldCause stands for a result that the report does not hold.
const notHeldCause = "the report names this cause and says nothing more of it"

// resultOf is the result of a cause. A report that was made elsewhere may name
// one that it does not hold.
func resultOf(r checks.Report, c checks.Cause) *checks.Result {
	if result := r.Result(c.ID); result != nil {
		return result
	}
	return &checks.Result{ID: c.ID, Status: checks.StatusFail, Title: notHeldCause}
}

// A head opens what is said of one result: label, id and message.
type head struct {
	label  string
	result *checks.Result
}

func (p *page) headOf(r *checks.Result) head {
	return head{p.mark(r.Status) + " " + p.lang.Status(r.Status), r}
}

// beside tells the column in which the messages of all heads stand beside their
// ids, or 0 where one does not fit there and so all stand below.
func (p *page) beside(heads []head) int {
	column := 0
	for _, h := range heads {
		column = max(column, p.start(h)+width(h.result.ID)+2)
	}
	for _, h := range heads {
		if column+width(Message(h.result)) > p.columns {
			return 0
		}
	}
	return column
}

// start is the column of the id: right of a label that overruns the gutter.
func (p *page) start(h head) int { return max(p.gutter, width(h.label)+1) }

func (p *page) head(h head, beside int) {
	first := p.verdict(h.result.Status).on(h.label) + strings.Repeat(" ", p.start(h)-width(h.label))
	id := clipColumns(h.result.ID, p.columns-p.start(h), p.style.ASCII)
	if beside > 0 {
		p.line(first, p.bold().on(id), strings.Repeat(" ", beside-p.start(h)-width(id)),
			Message(h.result))
		return
	}
	p.line(first, p.bold().on(id))
	lines := Wrap(Message(h.result), p.room(), p.room())
	p.block("", nil, bound(lines, p.limits.lines, p.room(), p.style.ASCII), nil)
}

// because quotes the evidence of the worst finding.
func (p *page) because(findings []checks.ReportFinding) {
	if len(findings) == 0 {
		return
	}
	list := findings[0].Because
	for _, b := range list[:min(len(list), p.limits.evidence)] {
		p.quote(b)
	}
	p.more(len(list) - p.limits.evidence)
	for _, c := range findings[0].Codes {
		lines := Wrap(p.style.Decoded(c), p.room(), p.room())
		p.block("", nil, bound(lines, p.limits.lines, p.room(), p.style.ASCII), p.faint())
	}
}

func (p *page) more(n int) {
	if n > 0 {
		p.block("", nil, []string{p.lang.T("and %d more", n)}, p.faint())
	}
}

// quote sets the place and the text it holds beside each other, and the text
// below where the place takes too much of the line.
func (p *page) quote(b evidence.Because) {
	const indent = 2
	room := p.room()
	where := tail(Where(b.Place()), room, p.style.ASCII)
	lines := Wrap(b.Text, room-width(where)-2, room-indent)
	if width(b.Text) > room-width(where)-2 && width(where) > room/2 {
		lines = append([]string{""}, Wrap(b.Text, room-indent, room-indent)...)
	}
	n := p.limits.lines
	if lines[0] == "" {
		n++
	}
	lines = bound(lines, n, room-indent, p.style.ASCII)
	p.block("", nil, []string{p.faint().on(where) + "  " + lines[0]}, nil)
	for _, l := range lines[1:] {
		p.block("", nil, []string{strings.Repeat(" ", indent) + l}, nil)
	}
}

// tail keeps the end of a path, which tells more than its beginning.
func tail(path string, n int, ascii bool) string {
	if width(path) <= n {
		return path
	}
	mark := ellipsis(ascii)
	runes := []rune(path)
	used := len([]rune(mark))
	at := len(runes)
	for at > 0 && used+cellsOf(runes[at-1]) <= n {
		at--
		used += cellsOf(runes[at])
	}
	return mark + string(runes[at:])
}

func (p *page) also(findings []checks.ReportFinding) {
	if len(findings) < 2 {
		return
	}
	label := "  " + p.lang.T("also")
	for _, f := range findings[1:min(len(findings), p.limits.also+1)] {
		lines := Wrap(f.Message, p.room(), p.room())
		p.block(label, p.bold(), bound(lines, p.limits.lines, p.room(), p.style.ASCII), nil)
		label = ""
	}
	p.more(len(findings) - 1 - p.limits.also)
}

func (p *page) fix(label string, f checks.Fix) {
	marks := map[StepLineKind]string{StepFrom: "- ", StepTo: "+ ", StepImpact: "! "}
	for i := range f.Steps {
		for _, l := range p.style.StepLines(f, i) {
			switch l.Kind {
			case StepText:
				p.prose(label, p.bold(), l.Text, nil)
			case StepCommand:
				// never broken: what is copied from the screen must run
				p.block(label, p.bold(), []string{"  " + p.command().on(l.Text)}, nil)
			default:
				p.prose(label, p.bold(), "   "+marks[l.Kind]+l.Text, p.faint())
			}
			label = ""
		}
	}
}

// then draws the faults that follow, nearest first.
func (p *page) then(r checks.Report, ids []string) {
	var chain []string
	for _, id := range ids[:min(len(ids), p.limits.chain)] {
		if result := r.Result(id); result != nil && len(result.Findings) > 1 {
			id = p.lang.T("%s (%d findings)", id, len(result.Findings))
		}
		chain = append(chain, id)
	}
	if n := len(ids) - p.limits.chain; n > 0 {
		chain = append(chain, p.lang.T("and %d more", n))
	}
	p.block("  "+p.lang.T("then"), p.bold(), flow(chain, Plain(" → ", p.style.ASCII), p.room()), nil)
}

// further lists what was found beside the causes and what follows from them.
func (p *page) further(r checks.Report) {
	heads := mapped(besides(r, consequences(r), p.lang), p.headOf)
	if len(heads) == 0 {
		return
	}
	more := len(heads) - p.limits.further
	heads = heads[:min(len(heads), p.limits.further)]
	p.blank()
	beside := p.beside(heads)
	for _, h := range heads {
		p.head(h, beside)
	}
	p.more(more)
}
