package tui

import (
	"doctor/checks"
	"doctor/ui"
)

// An ink is what a span of text means; styles gives it a colour.
type ink int

const (
	plain ink = iota
	strong
	faint
	accent // where the user is: the cursor, a filter
	inkFail
	inkWarn
	inkInfo
	inkPass
	inkUnknown
	inkSkip
)

var inks = map[checks.Status]ink{
	checks.StatusFail: inkFail, checks.StatusWarn: inkWarn, checks.StatusInfo: inkInfo,
	checks.StatusPass: inkPass, checks.StatusUnknown: inkUnknown, checks.StatusSkip: inkSkip,
}

func inkOf(s checks.Status) ink {
	switch s {
	case StatusWaiting:
		return faint
	case StatusReading:
		return accent
	}
	if i, ok := inks[s]; ok {
		return i
	}
	return inkUnknown
}

// inkIf is of a text that is under the cursor, or is not.
func inkIf(selected bool) ink {
	if selected {
		return strong
	}
	return plain
}

// symbol is the sign of a verdict or of an open check, one cell wide.
func symbol(s checks.Status, ascii bool) string {
	switch {
	case s == StatusReading:
		return "~"
	case s == StatusWaiting && ascii:
		return "."
	case s == StatusWaiting:
		return "·"
	}
	return ui.Symbol(s, ascii)
}
