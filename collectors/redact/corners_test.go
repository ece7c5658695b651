package redact

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"
)

// cornerLines are one line each of forms in which monitoring, databases, network devices, installers,
// source code and tables hold a secret: the file, its text with § for the secret, the secret. Somebody
// wrote them from documentation, before the redactor was tried on them.
//
//go:embed testdata/corners.jsonl
var cornerLines string

func TestTheCornersOfForms(t *testing.T) {
	for line := range strings.Lines(cornerLines) {
		var row [3]string
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(row[1], "§", row[2])
		if got := copied(t, fixed(), text+"\n", row[0]); strings.Contains(got, row[2]) || !strings.Contains(got, tokenStart) {
			t.Errorf("%s: %q is left\nof %s\nin %s", row[0], row[2], text, got)
		}
	}
}
