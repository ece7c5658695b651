package ui

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/ui/lang"
)

// Search selects the checks whose id, texts, signs or links hold all the words, in English or in
// the reader's language.
func Search(catalogue *checks.Catalogue, words string, l *lang.Catalogue) *checks.Catalogue {
	wanted := strings.Fields(strings.ToLower(words))
	return catalogue.Select(func(c *checks.Check) bool {
		text := strings.ToLower(searched(c) + "\n" + searched(l.Check(c)))
		return !slices.ContainsFunc(wanted, func(word string) bool {
			return !strings.Contains(text, word)
		})
	})
}

// searched is all that `explain` shows of a check and somebody may remember.
func searched(c *checks.Check) string {
	texts := []string{c.ID, c.Title, c.Healthy, c.Doc}
	for _, s := range c.Fix.Steps {
		texts = append(texts, s.Text, s.Command)
	}
	for _, s := range c.Signs {
		texts = append(texts, s.Text, s.Says)
		texts = slices.Concat(texts, s.Or, s.Also)
	}
	for _, e := range c.Breaks {
		texts = append(texts, e.Name)
	}
	return strings.Join(append(texts, c.Links...), "\n")
}
