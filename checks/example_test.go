package checks_test

import (
	"fmt"
	"testing/fstest"

	"doctor/checks"
	"doctor/checks/evidence"
)

// A check is a value. It reads what it declares, and a catalogue of checks makes a report.
func ExampleDiagnose() {
	stopped := &checks.Check{
		ID:       "spooler-not-running",
		Title:    "the print spooler is not running",
		Category: checks.CategoryNode,
		Needs:    []evidence.Need{evidence.Services},
		Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
			for _, service := range evidence.Services.In(s) {
				if service.Name == "Spooler" && service.State != "running" {
					f := checks.Findingf(checks.Fail, "Spooler", "the spooler is %s", service.State)
					return []*checks.Finding{f.At(service.Field("state"), "state %s",
						service.State)}, nil
				}
			}
			return nil, nil
		},
	}
	catalogue := checks.NewCatalogue(stopped)

	file := func(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content)} }
	meta := file(`{"layout": "evidence/v1", "collectedAt": "2026-11-20T10:00:00Z"}`)
	services := file(`[{"name": "Spooler", "state": "stopped"}]`)
	for _, tree := range []fstest.MapFS{
		{"meta.json": meta, "services.json": services},
		{"meta.json": meta}, // not knowing is a verdict of its own
	} {
		s, err := evidence.Load(tree)
		if err != nil {
			fmt.Println(err)
			return
		}
		report := checks.Diagnose(s, catalogue, checks.Source{Kind: "folder"}, checks.Program{})
		for _, result := range report.Results {
			fmt.Println(result.ID, result.Status)
		}
	}
	// Output:
	// spooler-not-running fail
	// spooler-not-running unknown
}
