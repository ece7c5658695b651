// Package fleet groups the diagnoses of many nodes: which causes cost how many nodes, what the
// nodes with a cause share and the others do not have, and which nodes differ from all others. It
// reads finished reports and nothing else.
package fleet

import (
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

// Schema names the format, doctor.fleet/v1.
const Schema = "doctor.fleet/v1"

// A Report is the diagnosis of many Windows nodes of a cluster. The comments here become the
// descriptions in ui/fleet.schema.json.
type Report struct {
	// Name and version of this format. A document of another version names another schema.
	Schema string         `json:"schema"`
	Doctor checks.Program `json:"doctor"`
	Source checks.Source  `json:"source"`
	// When the cluster was read.
	CollectedAt time.Time `json:"collectedAt"`
	// How many nodes came to each verdict.
	Summary Summary `json:"summary"`
	// What is wrong on any node: faults first, then warnings, each by how many nodes have it.
	Causes []Cause `json:"causes"`
	// What sets a few nodes apart from all others, whether or not they have a fault.
	Outliers []Outlier `json:"outliers"`
	// Every node, those with most faults first.
	Nodes []Node `json:"nodes"`
	// What could not be read of the cluster as a whole.
	Notes []string `json:"notes"`
}

// Verdict is what a node's report amounts to.
type Verdict string

// The verdicts of nodes. Unread is one of whose evidence nothing could be judged.
const (
	Faulty  Verdict = "fault"
	Warned  Verdict = "warning"
	Healthy Verdict = "healthy"
	Unread  Verdict = "unread"
)

// Verdicts lists the verdicts, worst first.
var Verdicts = []Verdict{Faulty, Warned, Unread, Healthy}

// A Summary counts nodes.
type Summary struct {
	Nodes   int `json:"nodes"`
	Faulty  int `json:"faulty"`  // Nodes with at least one fault.
	Warned  int `json:"warned"`  // Nodes without a fault and with a warning.
	Healthy int `json:"healthy"` // Nodes on which no fault was found.
	Unread  int `json:"unread"`  // Nodes of which nothing could be judged.
	// Nodes whose condition Ready is not True. They are among the others too.
	NotReady int `json:"notReady"`
}

// A Cause is a fault or warning that no other found fault explains, on all nodes that have it.
type Cause struct {
	ID     string        `json:"id"`
	Title  string        `json:"title"`  // The fault as a short statement.
	Status checks.Status `json:"status"` // The worst on any of the nodes.
	Count  int           `json:"count"`  // How many nodes have it.
	Nodes  []string      `json:"nodes"`
	// What was found on the first of the nodes, and how that node is fixed.
	Example Example `json:"example"`
	// What nodes with the cause share and others do not have, least likely to be chance first.
	Shared []Shared `json:"shared"`
}

// An Example is a cause as one node has it.
type Example struct {
	Node    string     `json:"node"`
	Message string     `json:"message"`
	Fix     checks.Fix `json:"fix"`

	Finding checks.ReportFinding `json:"-"` // Of the message, so that another language can make its own.
}

// Shared is a trait that is more frequent among the nodes with a cause than among the others.
type Shared struct {
	Trait    string `json:"trait"` // Such as build.
	Value    string `json:"value"`
	With     int    `json:"with"`     // Nodes with the cause that have the trait …
	WithOf   int    `json:"withOf"`   // … of so many with the cause.
	Others   int    `json:"others"`   // Other nodes that have the trait …
	OthersOf int    `json:"othersOf"` // … of so many other nodes.
	// How likely a difference of this size is by chance: Fisher's exact test, two-sided.
	P float64 `json:"p"`
	// How many values of traits were compared for this cause: with p·compared above 0.05 a value is
	// not listed.
	Compared int `json:"compared"`
}

// An Outlier is a value that few nodes have where nearly all others have one and the same.
type Outlier struct {
	Trait  string   `json:"trait"`
	Value  string   `json:"value"`
	Nodes  []string `json:"nodes"`
	Usual  string   `json:"usual"`  // The value of most nodes.
	Usuals int      `json:"usuals"` // How many nodes have that.
}

// A Node is one node of the fleet in short.
type Node struct {
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict"`
	// The Node's condition Ready: True, False or Unknown; empty where the Node could not be read.
	Ready  string      `json:"ready"`
	Causes []NodeCause `json:"causes"`
	Traits []Trait     `json:"traits"`
	// How many checks came to each verdict.
	Checks checks.Summary `json:"checks"`
	// Why nothing could be judged. Empty otherwise.
	Unread string `json:"unread"`
	// The kind of the evidence of the node: api, or api+node where it was read on the node too.
	Evidence string `json:"evidence"`
}

// NotReady is the node's condition where that is not Ready=True; "" elsewhere.
func (n Node) NotReady() string {
	if n.Ready == "True" || n.Ready == "" {
		return ""
	}
	return "Ready=" + n.Ready
}

// Marks are what a row says of the node: its condition where it is not Ready, its causes, or why
// nothing could be judged.
func (n Node) Marks() []string {
	var marks []string
	if state := n.NotReady(); state != "" {
		marks = append(marks, state)
	}
	for _, c := range n.Causes {
		marks = append(marks, c.ID)
	}
	if n.Unread != "" {
		marks = append(marks, n.Unread)
	}
	return marks
}

// A NodeCause is a cause on one node.
type NodeCause struct {
	ID      string        `json:"id"`
	Status  checks.Status `json:"status"`
	Message string        `json:"message"`
}

// A Trait is something that nodes can have in common.
type Trait struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Judged node is what is kept of its report: a report of each of some thousand nodes would not
// fit into memory.
type Judged struct {
	Node
	of map[string]checks.Result // of its causes and warnings
}

// Judge keeps what the fleet needs of the report of the node that it knows by that name.
func Judge(name string, r checks.Report, s evidence.Snapshot) Judged {
	j := Judged{Node: Node{Name: name, Verdict: Healthy, Checks: r.Summary,
		Causes: []NodeCause{}, Evidence: "api"}, of: map[string]checks.Result{}}
	add := func(result *checks.Result) {
		cause := NodeCause{ID: result.ID, Status: result.Status}
		if len(result.Findings) > 0 {
			cause.Message = result.Findings[0].Message
		}
		j.Causes = append(j.Causes, cause)
		j.of[result.ID] = *result
	}
	for _, c := range r.Causes {
		if result := r.Result(c.ID); result != nil {
			add(result)
		}
	}
	// A report names warnings as causes only where there is no fault. Here that would tell nodes with
	// the same warning apart by their other faults.
	for i := range r.Results {
		result := &r.Results[i]
		if _, known := j.of[result.ID]; !known && result.Status == checks.StatusWarn &&
			len(result.ExplainedBy) == 0 {
			add(result)
		}
	}
	switch {
	case r.Summary[checks.StatusFail] > 0:
		j.Verdict = Faulty
	case r.Summary[checks.StatusWarn] > 0:
		j.Verdict = Warned
	}
	if evidence.OSInfo.Known(s) {
		j.Evidence = "api+node"
	}
	if !evidence.Node.Known(s) && !evidence.Pods.Known(s) {
		j.Verdict, j.Unread = Unread, evidence.Shown(evidence.Node.Gap(s).String())
	}
	object := evidence.Node.In(s)
	if ready, ok := object.Condition("Ready"); ok {
		j.Ready = evidence.Shown(ready.Status)
	}
	j.Traits = traits(r.Node, object, s.Now())
	return j
}

// Failed is a node that could not be judged at all.
func Failed(name, why string) Judged {
	return Judged{Node: Node{Name: name, Verdict: Unread, Unread: evidence.Shown(why),
		Causes: []NodeCause{}, Traits: []Trait{}, Checks: checks.Summary{}, Evidence: "api"}}
}
