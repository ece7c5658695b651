package redact

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// markedLines are lines as nodes, their tools and sources of code hold them: the file, and its text
// with each secret between ⟦ and ⟧. All else must stay. In each, one clause of a rule decides: without
// it the secret would be left, or more than the secret would be replaced.
//
//go:embed testdata/lines.jsonl
var markedLines string

var (
	inMarks    = regexp.MustCompile(`⟦[^⟧]*⟧`)
	plainToken = regexp.MustCompile(`<secret:[a-z-]+>`)
)

func TestOnlyWhatIsMarkedIsReplaced(t *testing.T) {
	for line := range strings.Lines(markedLines) {
		var row [2]string
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer("⟦", "", "⟧", "").Replace(row[1])
		got := plainToken.ReplaceAllString(copied(t, fixed(), text, row[0]), "⟦⟧")
		if want := inMarks.ReplaceAllString(row[1], "⟦⟧"); got != want {
			t.Errorf("%s: got %s\nwant %s", row[0], got, want)
		}
	}
}
