package spoken

import (
	"strconv"
	"strings"

	"doctor/ui"
)

// maxUnexplained is how many errors are told before the user asks for all of them.
const maxUnexplained = 3

// firstUnexplained tells as much as goes before the verdicts: all where nobody can ask for more.
func (t *teller) firstUnexplained() {
	if t.asks {
		t.unexplained(maxUnexplained)
	} else {
		t.unexplained(len(t.report.Unexplained))
	}
}

// unexplained tells the errors that no check explains, the most telling first; at most so many.
func (t *teller) unexplained(most int) {
	list := t.report.Unexplained
	if len(list) == 0 {
		return
	}
	t.say("")
	for i := range list[:min(most, len(list))] {
		u := &list[i]
		t.say("Error %d of %d that no check explains, %s: %s", i+1, len(list),
			t.lang.Word(u.Component), u.Text)
		for _, c := range u.Codes {
			t.say("  %s", t.style().Decoded(c))
		}
		if about := t.style().AboutUnexplained(*u); about != "" {
			t.say("  %s.", ui.Capital(about))
		}
		t.say("  Evidence: %s", t.where(u.Place()))
	}
	if more := len(list) - most; more > 0 {
		t.say("%d more: type u.", more)
	}
}

// answerUnexplained answers u, which tells all of these errors, and u with a number, which tells
// the lines around one of them.
func (t *teller) answerUnexplained(number string) {
	list := t.report.Unexplained
	n, err := strconv.Atoi(strings.TrimSpace(number))
	switch {
	case len(list) == 0:
		t.say("No unexplained errors in the logs and events that were read.")
	case number == "":
		t.unexplained(len(list))
	case err != nil || n < 1 || n > len(list):
		t.say("There is no error %q here: errors have numbers from 1 to %d.", short(number),
			len(list))
	default:
		u := &list[n-1]
		t.say("")
		t.say("%s: %s", t.where(u.Place()), u.Text)
		if u.Line > 0 {
			t.excerpt(u.Path, u.Line)
		}
	}
}
