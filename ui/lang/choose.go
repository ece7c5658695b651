package lang

import "strings"

// Choose is the language to speak: the one that was asked for, or else the
// terminal's, by the variables that say so from strongest to weakest.
func Choose(asked string, getenv func(string) string) string {
	if asked != "" {
		return asked
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if value := getenv(name); value != "" {
			if tag, _, _ := strings.Cut(strings.ToLower(value), "."); strings.HasPrefix(tag, "zh") {
				return "zh"
			}
			return "en"
		}
	}
	return "en"
}
