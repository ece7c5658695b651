package redact

import (
	"strings"
	"testing"
)

// The bounds of forms, which no sample of a whole line shows.
func TestWhatStandsInAPlace(t *testing.T) {
	const made = "q7Rt9xLm2Wz8Vb4K" // as long as the shortest that is judged as random
	for _, row := range []struct {
		name, text string
		judge      func([]byte) bool
		want       bool
	}{
		{"words in brackets", "[the password of the user]", isPlaceholder, true},
		{"as many as fit", "[" + strings.Repeat("a", 62) + "]", isPlaceholder, true},
		{"one letter more", "[" + strings.Repeat("a", 63) + "]", isPlaceholder, false},
		{"a name in braces", "{user name}", isTemplate, true},
		{"a value in braces", "{" + made + "}", isTemplate, false},
		{"one letter less", "{" + made[1:] + "}", isTemplate, true},
		{"eight digits in base 16", "0x1234abcd", isNumber, true},
		{"nine", "0x1234abcde", isNumber, false},
	} {
		if got := row.judge([]byte(row.text)); got != row.want {
			t.Errorf("%s: %s gives %t, want %t", row.name, row.text, got, row.want)
		}
	}
}
