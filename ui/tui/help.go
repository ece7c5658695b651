package tui

import (
	"fmt"

	"doctor/checks"
	"doctor/ui"
)

// helpLines are all keys and signs, in w cells and as many lines as it takes.
func helpLines(w int, ascii bool) []line {
	p := page{width: max(w-2, 2), ascii: ascii}
	p.text("", "Keys", strong)
	for _, b := range allKeys() {
		h := b.Help()
		p.led(span{fmt.Sprintf("  %-14s ", h.Key), accent}, h.Desc, plain)
	}
	p.heading("Signs")
	for _, s := range byWeight {
		p.led(span{fmt.Sprintf("  %s %-13s", ui.Symbol(s, ascii), s), inkOf(s)}, meaning[s], plain)
	}
	return p.lines
}

var meaning = map[checks.Status]string{
	checks.StatusFail:    "a fault",
	checks.StatusWarn:    "a fault in the making, or a lesser one",
	checks.StatusInfo:    "found, and normal on Windows",
	checks.StatusPass:    "looked, and did not find the fault",
	checks.StatusUnknown: "could not look; the check says why",
	checks.StatusSkip:    "does not apply to this node",
}
