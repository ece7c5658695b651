package ui

import (
	"encoding/json"
	"io"
	"strings"
	"time"

	"doctor/checks"
)

// An OpenReport is a ClusterReport of openreports.io/v1alpha1 about one node, as JSON: what that
// group's module would link of Kubernetes' types is more than all of this.
type OpenReport struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Metadata   openMetadata     `json:"metadata"`
	Source     string           `json:"source"`
	Scope      openScope        `json:"scope"`
	Summary    openSummary      `json:"summary"`
	Results    []openReportItem `json:"results"`
}

type (
	openMetadata struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	}
	openScope struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Name       string `json:"name"`
	}
	openSummary struct {
		Pass  int `json:"pass"`
		Fail  int `json:"fail"`
		Warn  int `json:"warn"`
		Error int `json:"error"`
		Skip  int `json:"skip"`
	}
	openReportItem struct {
		Source    string        `json:"source"`
		Policy    string        `json:"policy"`
		Category  string        `json:"category"`
		Severity  string        `json:"severity"`
		Result    string        `json:"result"`
		Message   string        `json:"message"`
		Timestamp openTimestamp `json:"timestamp"`
	}
	openTimestamp struct {
		Seconds int64 `json:"seconds"`
		Nanos   int32 `json:"nanos"`
	}
)

// maxOpenMessage bounds a message: reports that grow fill etcd.
const maxOpenMessage = 500

// OpenReportOf is the report with its faults alone, those without a cause that explains them as
// high. The counts are those of all checks.
func OpenReportOf(r checks.Report) OpenReport {
	o := OpenReport{APIVersion: "openreports.io/v1alpha1", Kind: "ClusterReport",
		Metadata: openMetadata{"doctor-" + r.Node.Name,
			map[string]string{"app.kubernetes.io/managed-by": "doctor"}},
		Source: "doctor", Scope: openScope{"v1", "Node", r.Node.Name},
		Summary: openSummary{r.Count(checks.StatusPass) + r.Count(checks.StatusInfo),
			r.Count(checks.StatusFail), r.Count(checks.StatusWarn), r.Count(checks.StatusUnknown),
			r.Count(checks.StatusSkip)},
		Results: []openReportItem{}}
	at := r.CollectedAt
	if at.IsZero() {
		at = time.Unix(0, 0)
	}
	for _, result := range r.Results {
		if !result.Status.Fault() {
			continue
		}
		item := openReportItem{Source: "doctor", Policy: result.ID,
			Category: string(result.Category), Severity: "medium", Result: string(result.Status),
			Message: result.Title, Timestamp: openTimestamp{Seconds: at.Unix()}}
		if result.Status == checks.StatusFail && len(result.ExplainedBy) == 0 {
			item.Severity = "high"
		}
		if len(result.Findings) > 0 {
			item.Message += ": " + result.Findings[0].Message
		}
		if len(item.Message) > maxOpenMessage {
			item.Message = strings.ToValidUTF8(item.Message[:maxOpenMessage], "") + " [...]"
		}
		o.Results = append(o.Results, item)
	}
	return o
}

func writeOpenReport(w io.Writer, r checks.Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(OpenReportOf(r))
}
