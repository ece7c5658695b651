package ui

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"doctor/checks"
)

// Metrics are what a node that is read again and again shows to Prometheus.
type Metrics struct {
	Report    checks.Report
	Took      time.Duration  // of the last reading
	Runs      int            // so far
	Failed    int            // of them
	Published map[string]int // writes to the API server, by kind
}

// publishedKinds are the values of the label kind.
var publishedKinds = []string{"condition", "event", "report"}

// WriteMetrics writes the text format of Prometheus. The ids of checks and the verdicts are all that
// labels hold, so the number of series is fixed.
func WriteMetrics(w io.Writer, m Metrics) error {
	b := bufio.NewWriter(w)
	family := func(name, kind, help string) {
		fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
	}
	single := func(name, kind, help, value string) {
		family(name, kind, help)
		fmt.Fprintf(b, "%s %s\n", name, value)
	}
	family("doctor_check_status", "gauge", "Whether a check came to this verdict in the last run.")
	for _, result := range m.Report.Results {
		for _, status := range checks.Statuses {
			fmt.Fprintf(b, "doctor_check_status{id=%s,status=%s} %d\n", label(result.ID),
				label(string(status)), bit(result.Status == status))
		}
	}
	causes := map[string]bool{}
	for _, c := range m.Report.Causes {
		causes[c.ID] = true
	}
	family("doctor_cause", "gauge", "Whether a check found a root cause in the last run.")
	for _, result := range m.Report.Results {
		fmt.Fprintf(b, "doctor_cause{id=%s} %d\n", label(result.ID), bit(causes[result.ID]))
	}
	at := int64(0)
	if !m.Report.CollectedAt.IsZero() {
		at = m.Report.CollectedAt.Unix()
	}
	single("doctor_last_run_timestamp_seconds", "gauge", "When the last run read the node.", fmt.Sprint(at))
	single("doctor_last_run_duration_seconds", "gauge", "How long the last run took.",
		fmt.Sprintf("%.3f", m.Took.Seconds()))
	single("doctor_runs_total", "counter", "Runs since the start.", fmt.Sprint(m.Runs))
	single("doctor_runs_failed_total", "counter", "Runs that could not read the node.", fmt.Sprint(m.Failed))
	family("doctor_published_total", "counter", "Writes to the API server since the start.")
	for _, kind := range publishedKinds {
		fmt.Fprintf(b, "doctor_published_total{kind=%s} %d\n", label(kind), m.Published[kind])
	}
	return b.Flush()
}

// labelEscapes are those of the text format.
var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func label(value string) string { return `"` + labelEscapes.Replace(value) + `"` }

func bit(set bool) int {
	if set {
		return 1
	}
	return 0
}

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
