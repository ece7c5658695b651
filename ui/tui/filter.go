package tui

import (
	"strings"

	"doctor/checks"
)

// matches says whether a result holds the filter's text, in any case, in its
// id, title, messages, gap or reason. A leading "!" turns the answer around.
func matches(r *checks.Result, filter string) bool {
	text, invert := strings.CutPrefix(filter, "!")
	text = strings.ToLower(text)
	if text == "" {
		return true
	}
	return resultHolds(r, text) != invert
}

func resultHolds(r *checks.Result, text string) bool {
	for _, s := range []string{r.ID, r.Title, r.Healthy, r.Gap, r.Reason} {
		if strings.Contains(strings.ToLower(s), text) {
			return true
		}
	}
	for _, f := range r.Findings {
		if strings.Contains(strings.ToLower(f.Message), text) {
			return true
		}
	}
	return false
}
