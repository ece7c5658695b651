package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"doctor/checks"
	"doctor/checks/evidence/jsontree"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/cmd/doctor/internal/session"
	"doctor/collectors/redact"
	"doctor/fixtures"
)

// results is the part of a report that two readers of the same evidence agree on.
func results(t *testing.T, report []byte) (section json.RawMessage, faults string) {
	t.Helper()
	var r struct {
		Results json.RawMessage
		Causes  []struct{ ID string }
	}
	var list []struct{ ID, Status string }
	if err := json.Unmarshal(report, &r); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(r.Results, &list); err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Causes {
		faults += "cause " + c.ID + "\n"
	}
	for _, c := range list {
		faults += c.Status + " " + c.ID + "\n"
	}
	return r.Results, faults
}

func inZip(t *testing.T, name, entry string) []byte {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.Open(entry)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// TestEveryBundleTellsWhatItsNodeTold: of every recorded node, masked or not, the
// bundle has the same verdicts as the node itself, and whoever opens the bundle
// gets the results that are in it, byte for byte.
func TestEveryBundleTellsWhatItsNodeTold(t *testing.T) {
	for _, mask := range []bool{false, true} {
		for i, name := range fixtures.Names() {
			if i%20 != 0 && testing.Short() {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				src, err := session.Open(session.Options{Demo: name})
				if err != nil {
					t.Fatal(err)
				}
				list := faults.Catalogue()
				scanned, _ := signs.Record(src.Snapshot, list.Signs())
				_, want := results(t,
					reportJSON(t, checks.Diagnose(scanned, list, src.Origin, program())))

				path := filepath.Join(t.TempDir(), "b.zip")
				b := session.NewBundling(t.Context(), src,
					session.Packing{MaxSize: session.DefaultMaxSize, MaskNames: mask},
					session.Options{Since: session.DefaultSince})
				if _, err := b.Write(t.Context(), path); err != nil {
					t.Fatal(err)
				}
				stored, got := results(t, inZip(t, path, "report.json"))
				if got != want {
					t.Errorf("mask-names %v: the verdicts differ:\n%s", mask, differing(want, got))
				}
				out, _, _ := doctor(t, "--from", path, "--json")
				if replayed, _ := results(t, []byte(out)); !bytes.Equal(replayed, stored) {
					t.Error("a reader of the bundle gets other results than those in it")
				}
				pointersLead(t, path)
			})
		}
	}
}

// pointersLead holds the pointers of a bundle's report to the bundle's own files.
func pointersLead(t *testing.T, path string) {
	t.Helper()
	var report checks.Report
	if err := json.Unmarshal(inZip(t, path, "report.json"), &report); err != nil {
		t.Fatal(err)
	}
	files := map[string]*jsontree.Node{}
	for _, result := range report.Results {
		for _, f := range result.Findings {
			for _, b := range f.Because {
				if b.Field == "" {
					continue
				}
				if files[b.Path] == nil {
					file, err := jsontree.Parse(inZip(t, path, b.Path), 1<<20)
					if err != nil {
						t.Errorf("%s, at which %s points, is no JSON: %v", b.Path, result.ID, err)
						continue
					}
					files[b.Path] = file
				}
				// The value itself may be what is missing, and never the element that lacks it.
				element, number := b.Place().Element()
				if _, found := files[b.Path].Find(element.Field); !found && number >= 0 {
					t.Errorf("%s has no %s, at which %s points", b.Path, element.Field, result.ID)
				}
			}
		}
	}
}

func reportJSON(t *testing.T, r checks.Report) []byte {
	t.Helper()
	content, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// differing are the lines that only one of the texts has.
func differing(a, b string) string {
	var diff strings.Builder
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for _, l := range as {
		if !slices.Contains(bs, l) {
			diff.WriteString("- " + l + "\n")
		}
	}
	for _, l := range bs {
		if !slices.Contains(as, l) {
			diff.WriteString("+ " + l + "\n")
		}
	}
	return diff.String()
}

// TestTheProgramsOwnWordsAreNoSecrets: what a check says of itself must reach the
// reader of a bundle as it is.
func TestTheProgramsOwnWordsAreNoSecrets(t *testing.T) {
	page, _, _ := doctor(t, "explain", "-o", "markdown")
	for _, name := range []string{"report.json", "report.txt", "issue.md"} {
		text := page
		if name == "report.json" {
			quoted, err := json.Marshal(strings.Split(page, "\n"))
			if err != nil {
				t.Fatal(err)
			}
			text = string(quoted)
		}
		var out bytes.Buffer
		counts, err := redact.New(redact.Options{Plain: true}).Copy(&out, strings.NewReader(text),
			name)
		if err != nil || out.String() != text {
			t.Errorf("%s: %v is taken for secrets, %v: %s", name, counts, err,
				differing(text, out.String()))
		}
	}
}
