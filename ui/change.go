package ui

import (
	"strings"
	"time"

	"doctor/checks"
)

// ChangeLine is what became of a fault, as one line: 10:02:11  win-1  ✗ appeared  text.
func ChangeLine(at time.Time, node, change string, is checks.Status, text string, style Style) string {
	p := newPage(style)
	line := []string{at.Local().Format(time.TimeOnly), Plain(node, style.ASCII),
		p.verdict(is).on(p.mark(is) + " " + p.lang.Word(change)), Plain(text, style.ASCII)}
	return strings.Join(line, "  ")
}
