package ui

import (
	"cmp"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// LintFormats lists the formats of a report on files: SARIF points at lines of files, which a node
// does not have.
func LintFormats() []string { return slices.Sorted(slices.Values(append(Formats(), sarifFormat))) }

const sarifFormat = "sarif"

// SARIF 2.1.0, as far as code scanning reads it.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string    `json:"id"`
		Short   sarifText `json:"shortDescription"`
		Help    sarifText `json:"help"`
		HelpURI string    `json:"helpUri,omitempty"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Related   []sarifLocation `json:"relatedLocations,omitempty"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region *sarifRegion `json:"region,omitempty"`
		} `json:"physicalLocation"`
		Message *sarifText `json:"message,omitempty"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

var sarifLevels = map[string]string{"fail": "error", "warn": "warning", "info": "note"}

// writeSARIF draws the report for code scanning: a rule per check, and a result per finding at the
// first line that it rests on.
func writeSARIF(w io.Writer, r checks.Report) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "doctor", Version: r.Doctor.Version, Rules: []sarifRule{}}
	for i, result := range r.Results {
		rule := sarifRule{ID: result.ID, Short: sarifText{result.Title}}
		steps := mapped(result.Fix.Steps, func(s *checks.Step) string {
			return strings.TrimSpace(s.Text + " " + s.Command)
		})
		rule.Help = sarifText{cmp.Or(strings.Join(steps, "\n"), result.Title)}
		if len(result.Links) > 0 {
			rule.HelpURI = result.Links[0]
		}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
		for _, f := range result.Findings {
			one := sarifResult{RuleID: result.ID, RuleIndex: i, Level: sarifLevels[f.Level],
				Message: sarifText{f.Message}, Locations: []sarifLocation{}}
			for j, b := range f.Because {
				if at := sarifPlace(b); j == 0 {
					one.Locations = append(one.Locations, at)
				} else {
					at.Message = &sarifText{b.Text}
					one.Related = append(one.Related, at)
				}
			}
			run.Results = append(run.Results, one)
		}
	}
	return encode(w, sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run}})
}

// sarifPlace is a place in a file, relative to the folder that doctor runs in.
func sarifPlace(b evidence.Because) sarifLocation {
	var at sarifLocation
	name := b.Path
	if name == "-" {
		name = "stdin"
	}
	uri := url.URL{Path: path.Clean(name)}
	if path.IsAbs(name) {
		uri.Scheme = "file"
	}
	at.Physical.Artifact.URI = uri.String()
	if b.Line > 0 {
		at.Physical.Region = &sarifRegion{b.Line}
	}
	return at
}
