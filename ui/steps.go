package ui

import (
	"strconv"

	"doctor/checks"
)

// A StepLine is one line of a step of a fix.
type StepLine struct {
	Kind StepLineKind
	Text string
}

// StepLineKind is what a line of a step holds.
type StepLineKind int

// The lines of a step, in their order.
const (
	StepText    StepLineKind = iota // its number and what to do
	StepCommand                     // what to type, never broken
	StepFrom                        // what a line of a file holds
	StepTo                          // what it should hold
	StepImpact                      // what it costs
)

// StepLines are the lines of step i of a fix, whose texts are in the style's language already.
func (style Style) StepLines(f checks.Fix, i int) []StepLine {
	s := f.Steps[i]
	var lines []StepLine
	if text := style.lang().Say(s.Headline()); text != s.Command {
		lines = append(lines, StepLine{StepText, strconv.Itoa(i+1) + ". " + text})
	}
	add := func(kind StepLineKind, text string) {
		if text != "" {
			lines = append(lines, StepLine{kind, text})
		}
	}
	add(StepCommand, s.Command)
	if s.From != "" || s.To != "" {
		lines = append(lines, StepLine{StepFrom, s.From})
		add(StepTo, s.To)
	}
	add(StepImpact, s.Impact)
	return lines
}
