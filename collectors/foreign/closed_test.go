package foreign

import (
	"strings"
	"testing"
)

// TestWhatIsWholeOfBrokenJSON: a paste often ends where the page did.
func TestWhatIsWholeOfBrokenJSON(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"within a name", `{"a": [1, {"b": 2, "c`, `{"a": [1, {"b": 2}]}`},
		{"within a sentence", `{"a": "not found: the ne`, `{"a": "not found: the ne…"}`},
		{"behind a bracket too many", `]{"a": 1`, ""},
		{"deeper than anybody writes", strings.Repeat("[", 200_000), ""},
	} {
		if got := closedJSON(row.text); got != row.want {
			t.Errorf("%s: %.80q, want %q", row.name, got, row.want)
		}
	}
}
