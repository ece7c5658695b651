package ui

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/fixtures/schema"
)

func TestSARIF(t *testing.T) {
	document, err := os.ReadFile("testdata/schemas/sarif-2.1.0-rtm.4.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := schema.Validators(t, document)("")
	r := checks.Report{Doctor: checks.Program{Version: "v1"}, Results: []checks.Result{
		{ID: "sound", Title: "Nothing", Status: checks.StatusPass},
		{ID: "pod-field", Title: "Pod sets a field", Status: checks.StatusFail,
			Links: []string{"https://example.org/a"},
			Fix:   checks.Fix{Steps: []*checks.Step{{Text: "Remove it.", Command: "kubectl edit"}}},
			Findings: []checks.ReportFinding{{Level: "fail", Message: "pod a sets b",
				Because: []evidence.Because{
					{Path: "deploy/web app.yaml", Line: 12, Text: "b: 1"},
					{Path: "deploy/web app.yaml", Line: 13, Text: "c: 1"}}},
				{Level: "info", Message: "seen",
					Because: []evidence.Because{{Path: "-", Text: "x"}}},
				{Level: "warn", Message: "nowhere"},
				{Level: "warn", Message: "odd",
					Because: []evidence.Because{{Path: "/tmp/é.yaml", Line: 1}}}}}}}
	for name, report := range map[string]checks.Report{"findings": r, "none": {}} {
		var b bytes.Buffer
		if err := Write(&b, "sarif", report, Style{}); err != nil {
			t.Fatal(err)
		}
		if err := validate(b.Bytes()); err != nil {
			t.Errorf("%s: %v in\n%s", name, err, b.Bytes())
		}
		if err := validate(bytes.Replace(b.Bytes(), []byte(`"version": "2.1.0"`),
			[]byte(`"version": "2"`), 1)); err == nil {
			t.Error("the schema accepts another version: it does not judge")
		}
	}
	var b bytes.Buffer
	if err := Write(&b, "sarif", r, Style{}); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	var got []string
	for _, one := range run.Results {
		if len(one.Locations) == 0 {
			got = append(got, one.Message.Text)
			continue
		}
		at := one.Locations[0].Physical
		got = append(got, one.Level+" "+run.Tool.Driver.Rules[one.RuleIndex].ID+" "+at.Artifact.URI)
	}
	want := []string{"error pod-field deploy/web%20app.yaml", "note pod-field stdin",
		"warning pod-field file:///tmp/%C3%A9.yaml", "nowhere"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || run.Results[0].Locations[0].Physical.Region == nil {
		t.Errorf("the results are %q, want %q", got, want)
	}
	if slices.Contains(Formats(), "sarif") || !slices.Contains(LintFormats(), "sarif") {
		t.Error("SARIF is for files, and not for nodes")
	}
}
