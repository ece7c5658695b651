package ui

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"doctor/checks"
)

// WrongDiagnosis is how a reader reports that a cause is not the one: the project learns from it.
const WrongDiagnosis = "If this diagnosis is wrong, open an issue with the bundle (doctor bundle), the id of the check, and the real cause."

// unexplained shows the error lines and warning events that no fault quotes.
func (p *page) unexplained(r checks.Report) {
	list := r.Unexplained
	if len(list) == 0 {
		return
	}
	p.blank()
	p.line(p.bold().on(p.lang.T("Errors that no check explains")))
	for _, u := range list[:min(len(list), p.limits.unexplained)] {
		p.unexplainedLine(u)
		if about := p.style.AboutUnexplained(u); about != "" {
			p.prose("", nil, "  "+about, p.faint())
		}
		for _, c := range u.Codes {
			p.prose("", nil, "  "+p.style.Decoded(c), p.faint())
		}
	}
	p.more(len(list) - p.limits.unexplained)
}

func (p *page) unexplainedLine(u checks.Unexplained) {
	text := WithoutMiddle(u.Text, (p.limits.lines-1)*(p.room()-2), p.style.ASCII)
	p.quote(u.Place().Because("%s", text))
}

// behindReason is what klog writes behind an error: which pod, which volume.
var behindReason = regexp.MustCompile(`^(.*\berr(?:or)?="(?:[^"\\]|\\.)*") \w+=.*$`)

// WithoutMiddle shortens an error to n columns: who says it is at its beginning, and the reason at
// its end, behind the names of all that handed it on.
func WithoutMiddle(text string, n int, ascii bool) string {
	if width(text) <= n {
		return text
	}
	if text = behindReason.ReplaceAllString(text, "$1"); width(text) <= n {
		return text
	}
	head := clipColumns(text, n/2, ascii)
	rest := strings.TrimPrefix(tail(text, n-width(head)-1, ascii), ellipsis(ascii))
	if at := strings.IndexByte(rest, ' '); at < len(rest)/2 {
		rest = rest[at+1:] // the rest of a word
	}
	return head + " " + rest
}

// AboutUnexplained is how often and when there was such a line, and why it is worth a look.
func (style Style) AboutUnexplained(u checks.Unexplained) string {
	l := style.lang()
	var parts []string
	if u.Count > 1 {
		parts = append(parts, l.T("%d times", u.Count))
	}
	switch {
	case u.Last.IsZero():
	case u.First.IsZero() || u.First.Equal(u.Last):
		parts = append(parts, u.Last.Format(time.DateTime))
	default:
		parts = append(parts, l.T("%s to %s", u.First.Format(time.DateTime), u.Last.Format(time.DateTime)))
	}
	for _, reason := range u.Reasons {
		parts = append(parts, l.Say(reason))
	}
	return strings.Join(parts, l.T(", "))
}

// unexplained lists the lines for a ticket.
func (m *markdown) unexplained(r checks.Report) {
	if len(r.Unexplained) == 0 {
		return
	}
	m.put("\n### Errors that no check explains\n\n")
	for _, u := range r.Unexplained {
		m.put("- %s: %s", code(Where(u.Place())), inline(u.Text))
		if about := (Style{}).AboutUnexplained(u); about != "" {
			m.put(" (%s)", inline(about))
		}
		m.put("\n")
		for _, c := range u.Codes {
			m.put("  - %s\n", inline(fmt.Sprintf("%s is %s: %s", c.Code, c.Symbol, c.Meaning)))
		}
	}
}
