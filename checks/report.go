package checks

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/sorted"
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

// Fault tells whether something is wrong.
func (s Status) Fault() bool { return s == StatusFail || s == StatusWarn }

func statusOf(findings []*Finding) Status {
	status := StatusPass
	worst := Level(0)
	for _, f := range findings {
		if f.Level > worst {
			worst, status = f.Level, Status(f.Level.String())
		}
	}
	return status
}

// A Report is the finished diagnosis of one Kubernetes Windows node. Every output is drawn from it,
// and its JSON form is the public format. The same evidence gives the same report, apart from
// doctor's own version. The comments here become the descriptions in ui/report.schema.json.
type Report struct {
	// Name and version of this format. A document of another version names another schema.
	Schema string  `json:"schema"`
	Doctor Program `json:"doctor"`
	Source Source  `json:"source"`
	// When the evidence was recorded. To every check, this is now.
	CollectedAt time.Time `json:"collectedAt"`
	Node        NodeFacts `json:"node"`
	// How many checks came to each verdict.
	Summary Summary `json:"summary"`
	// The faults that no other found fault explains, most likely and most blocking first. Empty
	// where nothing is wrong.
	Causes []Cause `json:"causes"`
	// Error lines and warning events that no fault or warning quotes, those that are most likely to
	// show what is wrong first: what is left to read where no check knows the fault.
	Unexplained []Unexplained `json:"unexplained"`
	// Every check that was selected, in the order of the catalogue.
	Results []Result `json:"results"`
	// The missing evidence that left a check without an answer, by path.
	Gaps []EvidenceGap `json:"gaps"`
}

// Program is the doctor that made the report.
type Program struct {
	Version string `json:"version"` // Release, or devel for a build between releases.
	// The commit that it was built from; empty where the build did not record it.
	Commit string `json:"commit"`
}

// Source is where the evidence came from.
type Source struct {
	// live: this node; cluster: through the Kubernetes API; bundle and directory: doctor's own
	// evidence; foreign: another tool's bundle; demo: a node that is built in; manifest: files that
	// doctor lint judged.
	Kind string `json:"kind"`
	Name string `json:"name"` // File, directory, node or demo.
	// evidence/v1, or the name of the tool that wrote the tree, such as sdn-collectlogs.
	Format string `json:"format"`
	// What single files show, where no tool wrote them: docker info, HNS networks.
	Shows string `json:"shows,omitempty"`
	// HostProcess, where the node was read from such a container.
	Container string `json:"container,omitempty"`
}

// NodeFacts is the node in short. What is not known is an empty string.
type NodeFacts struct {
	Name    string `json:"name"`
	OS      string `json:"os"`    // Product, without its edition: Windows Server 2022.
	Build   string `json:"build"` // With its revision: 10.0.20348.2700.
	Kubelet string `json:"kubelet"`
	Runtime string `json:"runtime"` // As the Node object names it: containerd://1.7.22.
	// Network plugin, and how it carries packets between nodes: flannel overlay.
	Network string `json:"network"`

	Platform string `json:"platform"` // Who set the node up: AKS, EKS, …, or self-managed.
	// The Kubernetes release whose documentation the setup follows: v1.5, v1.9, v1.14 or v1.25.
	Generation string `json:"generation"`
	// The facts that checks build on.
	Provenance []Provenance `json:"provenance"`
}

// Provenance is a fact about the node, and where it was found.
type Provenance struct {
	Fact  string           `json:"fact"` // Such as service CIDR.
	Value string           `json:"value"`
	From  evidence.Because `json:"from"`
}

// A Cause is a fault that no other found fault explains.
type Cause struct {
	ID      string `json:"id"`
	Title   string `json:"title"`   // The fault as a short clause, as in results[].
	Message string `json:"message"` // Of its first finding; empty where it has none.
	Fix     Fix    `json:"fix"`     // The same as in results[].
	// The found faults that follow from it, nearest first.
	Consequences []string `json:"consequences"`
}

// A Result is one check's verdict.
type Result struct {
	ID       string   `json:"id"`      // Name of the check, never used again for another.
	Title    string   `json:"title"`   // The fault as a short statement.
	Healthy  string   `json:"healthy"` // What is right where the check passes.
	Category Category `json:"category"`
	// The worst level among the findings; pass without any; unknown where the check could not tell;
	// skip where the question does not arise.
	Status   Status          `json:"status"`
	Findings []ReportFinding `json:"findings"` // Worst first.
	// Of unknown: the evidence that was missing, and why. Empty otherwise.
	Gap    string `json:"gap"`
	Reason string `json:"reason"` // Of skip: why the question does not arise. Empty otherwise.
	// The found faults that this one follows from. Empty for a cause.
	ExplainedBy []string `json:"explainedBy"`
	Fix         Fix      `json:"fix"`
	// Entries of the Kubernetes Windows troubleshooting FAQ that the check answers.
	FAQ   []int    `json:"faq"`
	Links []string `json:"links"`

	Breaks []*Effect `json:"-"` // What the fault breaks.

	// What Gap and Reason are made of, so that another language can make its own.
	Missing evidence.Gap    `json:"-"`
	Skipped evidence.Phrase `json:"-"`
}

// A ReportFinding is one thing that a check found, rendered and without control characters.
type ReportFinding struct {
	Level   string `json:"level"`   // How bad it is; info is found and normal on Windows.
	Subject string `json:"subject"` // What it is about: a pod, a network, a file. May be empty.
	Message string `json:"message"` // The thing, the value seen and the value expected, in English.
	// What it rests on: the recorded state, a text in a log (which may be old), or both.
	Basis   Basis              `json:"basis"`
	Because []evidence.Because `json:"because"` // The evidence it rests on; never empty.
	// The error codes in the message and the evidence. Left out where there are none.
	Codes []DecodedCode `json:"codes,omitempty"`

	// What the message is made of, so that another language can make its own.
	Format string `json:"-"`
	Args   []any  `json:"-"`
}

// EvidenceGap is a piece of evidence that checks needed and that is missing.
type EvidenceGap struct {
	// Path in the evidence tree; one that ends with a slash stands for everything below it.
	Path string `json:"path"`
	// Why it is missing: its kind, a colon, and a sentence. Absent is an answer (looked for, not
	// there); the other kinds leave the question open.
	Reason string `json:"reason"`
	// The kind of the gap: absent, denied, timeout, unsupported, not-collected or error.
	Kind string `json:"kind"`
	// Which sentence it is, for programs; it stays when the sentence is reworded.
	Code evidence.Code `json:"code"`

	Gap evidence.Gap `json:"-"` // Of which they are made.
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

// Categories lists those of its results: in the order of the catalogue, then others.
func (r *Report) Categories() []Category {
	list := slices.Clone(Categories)
	for i := range r.Results {
		if c := r.Results[i].Category; !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

// Count is how many checks came to a verdict.
func (r *Report) Count(s Status) int { return r.Summary[s] }

// Diagnose runs the checks over the evidence and reports. The same evidence
// gives the same report, apart from the doctor's own version.
func Diagnose(s evidence.Snapshot, catalogue *Catalogue, source Source, program Program) Report {
	r, node := diagnose(s, catalogue, source, program, false)
	r.Unexplained = unexplainedLines(s, node, catalogue, &r)
	r.Gaps = gaps(s, catalogue.All(), r.Results)
	return r
}

// Verdicts is Diagnose for one node of thousands: the verdicts and the causes, without what a reader
// of one report needs beside them. No code is decoded, only faults have their fix, and neither gaps
// nor unexplained lines are listed.
func Verdicts(s evidence.Snapshot, catalogue *Catalogue, source Source, program Program) Report {
	r, _ := diagnose(s, catalogue, source, program, true)
	r.Unexplained = []Unexplained{}
	return r
}

func diagnose(s evidence.Snapshot, catalogue *Catalogue, source Source, program Program,
	brief bool) (Report, *node.Node) {
	node := node.About(s)
	r := Report{
		Schema: Schema, Doctor: program, Source: source,
		CollectedAt: s.Now().UTC(), Node: nodeFacts(node),
		Summary: Summary{}, Gaps: []EvidenceGap{},
	}
	r.Source.Container = s.Meta().Container
	if shows, is := strings.CutPrefix(s.Meta().Source, source.Format+": "); is {
		r.Source.Shows = shows
	}
	shown := map[string]proof{}
	names := placeholders(s, node)
	verdicts := make([]verdict, 0, len(catalogue.All()))
	for _, c := range catalogue.All() {
		v := verdict{check: c}
		v.status, v.findings, v.why = c.examine(s)
		verdicts = append(verdicts, v)
	}
	dropDoubts(verdicts)
	for _, v := range verdicts {
		c := v.check
		shown[c.ID] = proofOf(v.findings, s.Now()).ending(catalogue, c.lastWords(s, v.findings, catalogue.services))
		result := c.result(s, names, v.status, v.findings, brief)
		switch v.status {
		case StatusUnknown:
			result.Gap, result.Missing = evidence.Shown(v.why.gap.String()), v.why.gap
		case StatusSkip:
			result.Reason, result.Skipped = evidence.Shown(v.why.skip.String()), v.why.skip
		}
		r.Summary[v.status]++
		r.Results = append(r.Results, result)
	}
	r.Causes = findCauses(r.Results, catalogue, shown)
	for i := range r.Causes {
		c, result := &r.Causes[i], r.Result(r.Causes[i].ID)
		c.Title, c.Fix = result.Title, result.Fix // for a reader of causes alone
		if len(result.Findings) > 0 {
			c.Message = result.Findings[0].Message
		}
	}
	return r, node
}

// Unread is why nothing can be said of a node behind the Kubernetes API: neither it nor its pods could
// be read.
func (r *Report) Unread() (why evidence.Gap, unread bool) {
	pods := false
	for _, g := range r.Gaps {
		switch g.Path {
		case evidence.Node.Path():
			why = g.Gap
		case evidence.Pods.Path():
			pods = true
		}
	}
	return why, pods && why.Kind != "" && r.Source.Kind == "cluster"
}

// OnlyOnNode counts the checks whose evidence the Kubernetes API does not have.
func (r *Report) OnlyOnNode() int {
	n := 0
	for _, result := range r.Results {
		if result.Status == StatusSkip && (result.Reason == onlyOnNode ||
			result.Reason == onlyProbed) {
			n++
		}
	}
	return n
}

func (c *Check) result(s evidence.Snapshot, names []Placeholder, status Status,
	findings []*Finding, brief bool) Result {
	r := Result{ID: c.ID, Title: c.Title, Healthy: c.Healthy, Category: c.Category, Status: status, Breaks: c.Breaks,
		Findings: []ReportFinding{}, ExplainedBy: []string{},
		FAQ: orEmpty(c.FAQ), Links: orEmpty(c.Links), Fix: c.Fix}
	sorted.By(findings, func(a, b *Finding) int { return int(b.Level) - int(a.Level) })
	for i, f := range findings {
		if i == 0 {
			if len(f.Fix.Steps) > 0 {
				r.Fix = f.Fix
			}
			r.Fix = r.Fix.forPod(s, f.Subject)
		}
		rf := ReportFinding{Level: f.Level.String(),
			Subject: evidence.Clip(evidence.Clean(f.Subject), evidence.MaxText),
			Message: evidence.Shown(f.Message()), Basis: f.Basis, Format: f.Format, Args: f.Args}
		for _, b := range f.Because {
			rf.Because = append(rf.Because, b.Shown())
		}
		texts := []string{rf.Message}
		for _, b := range rf.Because {
			texts = append(texts, b.Text)
		}
		if !brief {
			rf.Codes = decode(texts...)
		}
		r.Findings = append(r.Findings, rf)
	}
	if brief && status != StatusFail && status != StatusWarn {
		r.Fix = Fix{}
	} else {
		r.Fix = fill(names, r.Fix.of(node.About(s)))
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
			if n.Gap(s).Kind == "" {
				continue
			}
			for _, path := range n.Paths() {
				if path == evidence.Manifests.Path() {
					continue // what is linted instead of a node, never of one
				}
				if g := s.GapAt(path); g.Kind != "" {
					gap := EvidenceGap{evidence.Shown(path), evidence.Shown(g.String()), g.Kind,
						g.Code, g}
					if !slices.Contains(found, gap) {
						found = append(found, gap)
					}
				}
			}
		}
	}
	sorted.By(found, func(a, b EvidenceGap) int { return strings.Compare(a.Path, b.Path) })
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
