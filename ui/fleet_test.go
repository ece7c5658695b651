package ui

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/fleet"
	"doctor/fixtures/schema"
)

// fleetOf20 has a fault on six nodes, which have an older update, and one node that was not read.
func fleetOf20() fleet.Report {
	var nodes []fleet.Judged
	for i := range 20 {
		r := checks.Report{Summary: checks.Summary{}, Node: checks.NodeFacts{
			Name: fmt.Sprintf("win-%02d", i), Build: "10.0.20348.2966"}}
		if i < 6 {
			r.Node.Build = "10.0.20348.1"
			r.Summary[checks.StatusFail] = 1
			r.Causes = []checks.Cause{{ID: "file-missing"}}
			r.Results = []checks.Result{{ID: "file-missing", Title: "File is missing",
				Status: checks.StatusFail, Findings: []checks.ReportFinding{{
					Message: "the file \x1b[31mC:\\<b>|x is missing"}},
				Fix: checks.Steps(checks.Run("Restart-Service flanneld", "Restart it."))}}
		}
		j := fleet.Judge(r.Node.Name, r, evidence.Snapshot{})
		j.Unread, j.Ready, j.Verdict = "", "True", fleet.Healthy
		if i < 6 {
			j.Verdict = fleet.Faulty
		}
		nodes = append(nodes, j)
	}
	r := fleet.Group(append(nodes, fleet.Failed("win-99", "timeout: no answer")))
	r.Source = checks.Source{Kind: "cluster", Name: "cluster.example", Format: evidence.Layout}
	r.CollectedAt = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	r.Notes = []string{"api/services.json: denied: may not list services"}
	return r
}

func fleetAs(t *testing.T, format string, r fleet.Report, style Style) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteFleet(&b, format, r, style); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Errorf("%s lets control sequences through", format)
	}
	return b.String()
}

func TestAFleetInEachFormat(t *testing.T) {
	for format, want := range map[string][]string{
		"text": {"21 Windows nodes · cluster.example · read 2026-11-21 10:00 UTC",
			"✗ 6 with a fault · ? 1 not read · ✓ 14 healthy",
			"✗ 6 of 21 nodes  File is missing  file-missing",
			"win-00, win-01, win-02, win-03, win-04, win-05",
			"update 10.0.20348.1: 6 of 6 with the cause, 0 of 14 without (p < 0.0001)",
			"Restart-Service flanneld", "? win-99  timeout: no answer", "may not list services",
			"Start with file-missing, on 6 of 21 nodes: doctor --node win-00"},
		"markdown": {"## Windows nodes: 6 with a fault, 14 healthy",
			"| ✗ | `file-missing` | 6 of 21 | File is missing |",
			"| update | `10.0.20348.1` | 6 of 6 | 0 of 14 | &lt; 0.0001 |",
			"| ? | `win-99` |", "Not read: api/services.json"},
		"junit": {`<testsuites name="doctor fleet" tests="42" failures="6" errors="0">`,
			`<testsuite name="win-05" hostname="win-05" timestamp="2026-11-21T10:00:00" tests="2" failures="1"`,
			`<skipped message="could not run: timeout: no answer">`},
		"json": {`"schema": "doctor.fleet/v1"`, `"count": 6`, `"verdict": "unread"`},
	} {
		t.Run(format, func(t *testing.T) {
			text := fleetAs(t, format, fleetOf20(), Style{})
			for _, w := range want {
				if !strings.Contains(text, w) {
					t.Errorf("%q is not in\n%s", w, text)
				}
			}
		})
	}
}

func TestTheFleetsJSONFitsItsSchema(t *testing.T) {
	valid := schema.Validators(t, FleetSchema())("")
	for name, r := range map[string]fleet.Report{"some faults": fleetOf20(),
		"no node": fleet.Group(nil)} {
		r.CollectedAt, r.Source.Kind = time.Now(), "cluster"
		if err := valid([]byte(fleetAs(t, "json", r, Style{}))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := valid([]byte(`{"schema":"doctor.fleet/v1"}`)); err == nil {
		t.Error("the schema takes a document without nodes")
	}
}

func TestTheFleetsJUnitIsXML(t *testing.T) {
	var all struct {
		Suites []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Name string `xml:"name,attr"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(fleetAs(t, "junit", fleetOf20(), Style{})), &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Suites) != 21 || len(all.Suites[0].Cases) != len(all.Suites[20].Cases) {
		t.Errorf("there are %d suites: %+v", len(all.Suites), all.Suites)
	}
}

func TestAFleetWithoutANode(t *testing.T) {
	if text := fleetAs(t, "text", fleet.Group(nil), Style{ASCII: true}); !strings.Contains(text,
		"The cluster has no Windows node.") {
		t.Errorf("it says\n%s", text)
	}
}
