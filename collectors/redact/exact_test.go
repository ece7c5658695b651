package redact_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

const inexactFile = "testdata/inexact.golden"

// gone stands for what a token replaced. It is a word, so that no context escapes it.
const gone = "REDACTED"

// TestNothingButTheSecretIsReplaced compares what is around the secrets of the corpora, plain and in
// a third of the contexts. The golden file counts where more is replaced, or less, and lists it for the plain text
// and for one other context of each: a change of the rules shows there, and may be right.
func TestNothingButTheSecretIsReplaced(t *testing.T) {
	var list []string
	inexact := tally{}
	for i, e := range fromTables(t, 1) {
		for j, c := range contexts {
			// These are replaced as a whole.
			if slices.Contains([]string{"base64", "EncodedCommand", "UTF-16", "percent-encoded value"}, c.name) ||
				c.name != plainContext && (i+j)%3 != 0 {
				continue
			}
			path := e.path
			if c.path != "" {
				path = c.path
			}
			text, want := c.write(e.text, e.secrets), c.write(replaced(&e, e.text, gone), []string{gone})
			if text == "" {
				continue
			}
			out, err := redacted([]byte(text), path)
			if err != nil {
				t.Fatal(err)
			}
			got := token.ReplaceAllString(string(out), gone)
			inexact.add(e.source+", "+c.name, got != want)
			if got != want && (c.name == plainContext || (i+j)%(len(contexts)-1) == 0) {
				list = append(list, fmt.Sprintf("=== %s %s, %s\n%s\n", e.source, e.rule, c.name,
					strings.TrimRight(replaced(&e, got, "LEFT"), "\n")))
			}
		}
	}
	for _, row := range slices.Sorted(maps.Keys(inexact)) {
		list = append(list, fmt.Sprintf("%d of %d: %s\n", inexact[row].leaked, inexact[row].seeded, row))
	}
	holdsGolden(t, inexactFile, strings.Join(list, ""))
}

func missing(list, from []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(from, s) })
}

// replaced is a text of an example with a word in place of each secret.
func replaced(e *example, text, word string) string {
	for _, secret := range e.secrets {
		text = strings.ReplaceAll(text, secret, word)
	}
	return text
}
