package main

import (
	"archive/zip"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"doctor/fixtures"
	"doctor/fixtures/schema"
	"doctor/ui"
)

// TestRealReportsFitTheirSchema holds the report of every recorded node, as the
// program writes it, to the schema in the repository.
func TestRealReportsFitTheirSchema(t *testing.T) {
	validate := schema.Validators(t, ui.Schema())("")
	for i, name := range fixtures.Names() {
		if i%14 != 0 && testing.Short() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, _, _ := doctor(t, "--demo", name, "--json")
			if err := validate([]byte(out)); err != nil {
				t.Error(err)
			}
			if again, _, _ := doctor(t, "--demo", name, "--json"); again != out {
				t.Error("the same evidence gives two different reports")
			}
		})
	}
}

// TestABundleKeepsToTheSchema: what bundles add to a recording, too.
func TestABundleKeepsToTheSchema(t *testing.T) {
	document, err := os.ReadFile("../../checks/evidence/evidence.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "node.zip")
	doctor(t, "--demo", "adapter-not-found-from-logs", "bundle", file)
	archive, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	for _, own := range []string{"signs.json", "errorlines.json", "logs.json"} {
		if content, err := fs.ReadFile(archive, own); err != nil || len(content) < len("[{}]") {
			t.Errorf("%s: %q, %v", own, content, err)
		}
	}
	schema.Tree(t, document)(file, archive)
}
