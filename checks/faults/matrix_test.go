package faults_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"

	gocmp "github.com/google/go-cmp/cmp"

	"doctor/checks"
	"doctor/checks/faults"
	"doctor/fixtures"
)

var matrixFile = filepath.Join("testdata", "matrix.golden")

// TestEveryCheckHasItsVerdictsInTheMatrix compares the verdict of every check over every recorded
// node, unknown and skip included, with testdata/matrix.golden.
func TestEveryCheckHasItsVerdictsInTheMatrix(t *testing.T) {
	got := matrix(t)
	if *update {
		if err := os.WriteFile(matrixFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(matrixFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the verdicts differ from %s (-want +got); if they are right, "+
			"run `go test ./checks/faults -run TestEveryCheck -update`:\n%s", matrixFile, diff)
	}
}

const matrixHead = `# The verdict of every check over every recorded node. This file is written by
# go test ./checks/faults -run TestEveryCheck -update
#
# First the healthy nodes. Then, for each other recording, the verdicts that differ from those of
# the recording that it is built on. One that is built on none is compared with a node of which
# nothing is known: there, every check is unknown.
`

// matrix writes down all verdicts in a form in which a new check adds one line to the table, and
// one to each recording that it is about.
func matrix(t *testing.T) string {
	var b strings.Builder
	b.WriteString(matrixHead)
	healthy := func(name string) bool { return strings.HasPrefix(name, "healthy-") }
	verdict := func(name, id string) checks.Status {
		if name == "" {
			return checks.StatusUnknown
		}
		report := load(t, name).report
		return report.Result(id).Status
	}
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "\nhealthy-")
	for _, name := range fixtures.Names() {
		if healthy(name) {
			fmt.Fprint(table, "\t", strings.TrimPrefix(name, "healthy-"))
		}
	}
	var catalogue []*checks.Check
	for _, c := range faults.Catalogue().All() {
		// the rows of the table of regressions are in the want sections where they find something
		if c.Category != checks.CategoryVersions {
			catalogue = append(catalogue, c)
		}
	}
	for _, c := range catalogue {
		fmt.Fprint(table, "\n", c.ID)
		for _, name := range fixtures.Names() {
			if healthy(name) {
				fmt.Fprint(table, "\t", verdict(name, c.ID))
			}
		}
	}
	fmt.Fprintln(table)
	table.Flush()
	for _, name := range fixtures.Names() {
		if healthy(name) {
			continue
		}
		base := load(t, name).recording.Base
		fmt.Fprintf(&b, "\n%s (%s)\n", name, cmp.Or(base, "built on none"))
		for _, status := range checks.Statuses {
			for _, c := range catalogue {
				if got := verdict(name, c.ID); got == status && got != verdict(base, c.ID) {
					fmt.Fprintf(&b, "  %-8s%s\n", status, c.ID)
				}
			}
		}
	}
	return b.String()
}
