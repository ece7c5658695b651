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
// it the secret would be left, or more than the secret would be replaced. A third text says what the
// line is.
//
//go:embed testdata/lines.jsonl
var markedLines string

var (
	inMarks    = regexp.MustCompile(`⟦[^⟧]*⟧`)
	plainToken = regexp.MustCompile(`<secret:[a-z-]+>`)
)

func TestOnlyWhatIsMarkedIsReplaced(t *testing.T) {
	for line := range strings.Lines(markedLines) {
		var row [3]string
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer("⟦", "", "⟧", "").Replace(row[1])
		got := plainToken.ReplaceAllString(copied(t, fixed(), text, row[0]), "⟦⟧")
		if want := inMarks.ReplaceAllString(row[1], "⟦⟧"); got != want {
			t.Errorf("%s %s: got %s\nwant %s", row[0], row[2], got, want)
		}
	}
}

// TestALineAtAnEdgeIsMarkedAsElsewhere: what is masked does not depend on where the window ends.
func TestALineAtAnEdgeIsMarkedAsElsewhere(t *testing.T) {
	before, after := strings.Repeat("filler line\n", 40), strings.Repeat("more filler\n", 60)
	for line := range strings.Lines(markedLines) {
		var row [2]string
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(row[0], ".json") || len(row[1]) > 200 {
			continue
		}
		text := before + strings.NewReplacer("⟦", "", "⟧", "").Replace(row[1]) + "\n" + after
		masked := func(text string) string {
			return strings.TrimSuffix(strings.TrimPrefix(plainToken.ReplaceAllString(text, "⟦⟧"), before), after)
		}
		want := masked(copied(t, fixed(), text, row[0]))
		for window := 720; window < 960; window += 17 {
			if got := masked(through(t, small(fixed(), row[0], window), strings.NewReader(text))); got != want {
				t.Errorf("%s: a window of %d bytes: got %s\nwant %s", row[0], window, got, want)
				break
			}
		}
	}
}
