package tui

import (
	"strings"

	"doctor/checks/evidence"
)

// A page is text set in lines of at most width cells, for the detail and the help.
type page struct {
	lines []line
	items []item // what leads on, in the order of the lines
	width int
	voice
}

// An item is a line that leads on: to a check, or to a line of the evidence.
type item struct {
	first int // its line of the page
	check string
	place evidence.Place // what a finding rests on
	path  string         // else a file
	step  int            // or a step of the fix, from 1: it is for copying
}

// leads says that the next line leads on.
func (p *page) leads(to item) {
	to.first = len(p.lines)
	p.items = append(p.items, to)
}

// under is the page below a list, in h lines of w cells: a rule with a name, and what has room.
func (p *page) under(name string, w, h int) []line {
	lines := []line{rule(name, w, p.ascii)}
	return append(lines, indented(p.lines[:max(min(h-1, len(p.lines)), 0)], 0)...)
}

func (p *page) blank() {
	if len(p.lines) > 0 {
		p.lines = append(p.lines, nil)
	}
}

// heading begins a part of the page.
func (p *page) heading(text string) {
	p.blank()
	p.text("", text, strong)
}

// text sets paragraphs behind a lead; the lines after the first are indented to it.
func (p *page) text(lead, text string, ink ink) { p.led(span{lead, faint}, text, ink) }

func (p *page) led(lead span, text string, ink ink) {
	lead.text = show(lead.text, p.ascii)
	indent := min(width(lead.text), p.width/2)
	lead.text = clip(lead.text, indent, p.ascii)
	for _, paragraph := range strings.Split(text, "\n") {
		for _, s := range wrap(show(paragraph, p.ascii), p.width-indent) {
			p.lines = append(p.lines, line{lead, {s, ink}})
			lead.text = strings.Repeat(" ", indent)
		}
	}
}
