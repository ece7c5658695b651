package evidence

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClipMiddle(t *testing.T) {
	for _, row := range []struct {
		name, text string
		n          int
		want       string
	}{
		{"a short one stays", "exit status 1", 40, "exit status 1"},
		{"a long one keeps its beginning and its end", "rpc error: " + strings.Repeat("sandbox ", 20) + "end of JSON", 40,
			"rpc error: sa … sandbox end of JSON"},
		{"no letter is cut", strings.Repeat("错", 40), 31, "错错错 … 错错错错错"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := ClipMiddle(row.text, row.n); got != row.want || len(got) > row.n || !utf8.ValidString(got) {
				t.Errorf("%q, %d bytes; want %q", got, len(got), row.want)
			}
		})
	}
}
