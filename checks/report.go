package checks

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/node"
)

// Schema names the report's format, doctor.report/v1.
const Schema = "doctor.report/v1"

// Status is a check's verdict.
type Status string

// The verdicts. Unknown is one: "could not look" is neither fine nor broken.
const (
	StatusFail    Status = "fail"
	StatusWarn    Status = "warn"
	StatusInfo    Status = "info"
	StatusPass    Status = "pass"
	StatusUnknown Status = "unknown"
	StatusSkip    Status = "skip"
)

// Statuses lists the verdicts, worst first.
var Statuses = []Status{StatusFail, StatusWarn, StatusInfo, StatusPass, StatusUnknown, StatusSkip}

func statusOf(findings []Finding) Status {
	status := StatusPass
	worst := Level(0)
	for _, f := range findings {
		if f.Level > worst {
			worst, status = f.Level, Status(f.Level.String())
		}
	}
	return status
}

// A Report is the finished diagnosis. Every output is drawn from it, and its
// JSON form is the public format.
type Report struct {
	Schema      string        `json:"schema"`
	Doctor      Program       `json:"doctor"`
	Source      Source        `json:"source"`
	CollectedAt time.Time     `json:"collectedAt"`
	Node        NodeFacts     `json:"node"`
	Summary     Summary       `json:"summary"`
	Causes      []Cause       `json:"causes"`
	Results     []Result      `json:"results"`
	Gaps        []EvidenceGap `json:"gaps"`
}

// Program is the doctor that made the report.
type Program struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
}

// Source is where the evidence came from.
type Source struct {
	Kind   string `json:"kind"` // live, bundle, directory, foreign, demo, cluster
	Name   string `json:"name"`
	Format string `json:"format"` // evidence/v1, or the tool that wrote the tree
}

// NodeFacts is the node in one line.
type NodeFacts struct {
	Name    string `json:"name"`
	OS      string `json:"os"`
	Build   string `json:"build"`
	Kubelet string `json:"kubelet"`
	Runtime string `json:"runtime"`
	Network string `json:"network"`

	Platform   string   `json:"platform"`   // who set the node up: AKS, EKS, …, or self-managed
	Generation string   `json:"generation"` // of the documentation: v1.5, v1.9, v1.14, v1.25
	Learnt     []Learnt `json:"learnt"`     // where each fact was learnt
}

// A Learnt is the provenance of one fact of the node.
type Learnt struct {
	Fact  string           `json:"fact"`
	Value string           `json:"value"`
	From  evidence.Because `json:"from"`
}

// A Cause is a fault that no other found fault explains.
type Cause struct {
	ID           string   `json:"id"`
	Consequences []string `json:"consequences"`
}

// A Result is one check's verdict.
type Result struct {
	ID          string          `json:"id"`
	Title       string          `json:"title"`
	Category    Category        `json:"category"`
	Status      Status          `json:"status"`
	Findings    []ReportFinding `json:"findings"`
	Gap         string          `json:"gap"`    // of unknown: the evidence that was missing, and why
	Reason      string          `json:"reason"` // of skip: why the question does not arise
	ExplainedBy []string        `json:"explainedBy"`
	Fix         Fix             `json:"fix"`
	FAQ         []int           `json:"faq"`
	Links       []string        `json:"links"`
}

// A ReportFinding is a finding as it leaves the doctor: rendered and cleaned.
type ReportFinding struct {
	Level   string             `json:"level"`
	Subject string             `json:"subject"`
	Message string             `json:"message"`
	Basis   Basis              `json:"basis"`
	Because []evidence.Because `json:"because"`
	Codes   []DecodedCode      `json:"codes,omitempty"` // raw codes in the message and the evidence, and what they mean

	Format string `json:"-"` // of which the message is made, so that another language can make its own
	Args   []any  `json:"-"`
}

// EvidenceGap is a piece of evidence that checks asked for in vain.
type EvidenceGap struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Result returns the verdict of a check, or nil where it did not run.
func (r *Report) Result(id string) *Result {
	for i := range r.Results {
		if r.Results[i].ID == id {
			return &r.Results[i]
		}
	}
	return nil
}

// Count is how many checks came to a verdict.
func (r *Report) Count(s Status) int { return r.Summary[s] }

// Diagnose runs the checks over the evidence and reports. The same evidence
// gives the same report, apart from the doctor's own version.
func Diagnose(s evidence.Snapshot, catalogue *Catalogue, source Source, program Program) Report {
	node := node.About(s)
	r := Report{
		Schema: Schema, Doctor: program, Source: source,
		CollectedAt: s.Now().UTC(), Node: Facts(node),
		Summary: Summary{}, Gaps: []EvidenceGap{},
	}
	shown := map[string]proof{}
	for _, c := range catalogue.All() {
		status, findings, reason := c.examine(s)
		shown[c.ID] = proofOf(findings, s.Now())
		result := c.result(node, status, findings)
		switch status {
		case StatusUnknown:
			result.Gap = evidence.Clip(evidence.Clean(reason), evidence.MaxText)
		case StatusSkip:
			result.Reason = evidence.Clip(evidence.Clean(reason), evidence.MaxText)
		}
		r.Summary[status]++
		r.Results = append(r.Results, result)
	}
	r.Causes = findCauses(r.Results, catalogue, shown)
	r.Gaps = gaps(s, catalogue.All(), r.Results)
	return r
}

func (c *Check) result(node *node.Node, status Status, findings []Finding) Result {
	r := Result{ID: c.ID, Title: c.Title, Category: c.Category, Status: status,
		Findings: []ReportFinding{}, ExplainedBy: []string{},
		FAQ: orEmpty(c.FAQ), Links: orEmpty(c.Links), Fix: fill(node, c.Fix)}
	slices.SortStableFunc(findings, func(a, b Finding) int { return int(b.Level) - int(a.Level) })
	for i, f := range findings {
		if i == 0 && !f.Fix.isZero() {
			r.Fix = fill(node, f.Fix)
		}
		rf := ReportFinding{Level: f.Level.String(), Subject: evidence.Clip(evidence.Clean(f.Subject), evidence.MaxText), Message: evidence.Shown(f.Message()), Basis: f.Basis, Format: f.Format, Args: f.Args}
		for _, b := range f.Because {
			rf.Because = append(rf.Because, evidence.Because{Path: evidence.Shown(b.Path), Line: b.Line, Text: evidence.Shown(b.Text)})
		}
		texts := []string{rf.Message}
		for _, b := range rf.Because {
			texts = append(texts, b.Text)
		}
		rf.Codes = decode(texts...)
		r.Findings = append(r.Findings, rf)
	}
	return r
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// gaps lists the evidence that left a check without an answer, each with its reason.
func gaps(s evidence.Snapshot, list []*Check, results []Result) []EvidenceGap {
	found := []EvidenceGap{}
	for i, c := range list {
		if results[i].Status != StatusUnknown {
			continue
		}
		for _, n := range c.Needs {
			if n.Gap(s) == "" {
				continue
			}
			for _, path := range n.Paths() {
				if path == evidence.Manifests.Path() {
					continue // what is linted instead of a node, never of one
				}
				if g := s.GapAt(path); g != "" {
					gap := EvidenceGap{evidence.Clip(evidence.Clean(path), evidence.MaxText), evidence.Clip(evidence.Clean(string(g)), evidence.MaxText)}
					if !slices.Contains(found, gap) {
						found = append(found, gap)
					}
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b EvidenceGap) int { return strings.Compare(a.Path, b.Path) })
	return found
}

// Summary counts the verdicts.
type Summary map[Status]int

// MarshalJSON writes every verdict, worst first, those that nothing came to as well.
func (s Summary) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, st := range Statuses {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%d", st, s[st])
	}
	return []byte(b.String() + "}"), nil
}
