package regressions_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"doctor/checks"
	"doctor/checks/regressions"
)

// TestQuotedLinesShowTheirRow runs whole lines of public threads: a sign's own texts, side by side,
// would match it in whatever form they are.
func TestQuotedLinesShowTheirRow(t *testing.T) {
	quoted, err := txtar.ParseFile("testdata/shown.txtar")
	if err != nil {
		t.Fatal(err)
	}
	rows := regressions.Rows()
	for _, f := range quoted.Files {
		t.Run(f.Name, func(t *testing.T) {
			at := slices.IndexFunc(rows, func(r regressions.Row) bool { return r.ID == f.Name })
			if at < 0 {
				t.Fatal("the table has no such row")
			}
			source, lines, _ := strings.Cut(string(f.Data), "\n")
			if !strings.HasPrefix(source, "https://") || lines == "" {
				t.Fatal("name the thread in the first line, and quote its lines below")
			}
			want := checks.StatusFail
			if rows[at].Warn {
				want = checks.StatusWarn
			}
			first, rest, _ := strings.Cut(rows[at].From, " < ")
			fixed, _, _ := strings.Cut(rest, ", ")
			for line := range strings.Lines(lines) {
				try(t, rows[at], first, strings.TrimSuffix(line, "\n"), want)
				try(t, rows[at], fixed, strings.TrimSuffix(line, "\n"), checks.StatusPass)
			}
		})
	}
}
