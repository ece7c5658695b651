package tui

import "doctor/checks"

// matches says whether a result holds the filter's text in its id, titles, messages, gap or reason.
func matches(r *checks.Result, filter string) bool {
	texts := []string{r.ID, r.Title, r.Healthy, r.Gap, r.Reason}
	for _, f := range r.Findings {
		texts = append(texts, f.Message)
	}
	return holds(filter, texts...)
}
