// Package checks is the framework: what a check is (check.go), how it comes to
// a verdict (judge.go), who explains whom (causes.go), and the report. A check
// is a value that names a fault of Windows nodes of Kubernetes, what evidence
// shows it and how it is fixed; it reads evidence and nothing else. The checks
// themselves are in package faults, what they know about a node in package node.
package checks

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/node"
)

// A Check is one fault and how it is recognised.
type Check struct {
	ID      string // lower-kebab-case, subject first, final
	Title   string // the fault as a short statement: "Node is not Ready"
	Healthy string // what is right where the check passes: "Node is Ready"
	Doc     string // what it is, why it happens, how the check tells; plain text in paragraphs
	// Of a check that is made of a template: what its texts are made of, so that another language
	// can make its own.
	TitleOf, HealthyOf, DocOf evidence.Phrase

	Category Category
	FAQ      []int // entries of the Kubernetes Windows troubleshooting FAQ that it answers
	Fix      Fix
	Links    []string

	// What follows from the fault. The catalogue works out from it who explains whom (effects.go).
	Breaks   []*Effect // what the fault breaks: it explains the checks that show it
	Shows    []*Effect // what is broken where this fault is found, as a sign of it
	Judges   *Effect   // what the check decides: where it passes, the effect is intact
	Explains []string  // ids of faults that follow and show no effect

	// Applies returns nil where the question arises on this node, Skip with the
	// reason where it does not, Unknown where even that cannot be told. Nil
	// stands for "on every node".
	Applies func(*node.Node) error
	Needs   []evidence.Need // must be there before Run is called
	Uses    []evidence.Need // is read when it is there
	// texts that betray the fault where the state is not recorded, and confirm it where it is
	Signs []Sign

	// Moot returns Skip where the node does not have what the fault is about, such as a driver: it is
	// called where neither the state nor a text shows the fault.
	Moot func(evidence.Snapshot) error

	// Symptom marks what is never the cause of anything: it is named first only
	// where nothing else was found.
	Symptom bool

	// Partial marks a check whose state shows only some forms of the fault: what
	// the logs told minutes ago is then a warning, though the state looks well.
	Partial bool

	// FromPart are the lists of which a part convicts too, because each finding rests on an object
	// that is there, whatever else is. A part never acquits.
	FromPart []evidence.Need

	// Lints marks a check of pod specs that judges manifests too.
	Lints bool

	// Run judges the state. It is nil where there is no state to judge and the
	// logs alone tell: then the check needs the logs in which its Signs stand.
	Run func(evidence.Snapshot) ([]*Finding, error)
}

// Category groups checks on screen.
type Category string

// The categories, in the order in which a node comes up.
const (
	CategoryNode       Category = "node"
	CategoryComponents Category = "components"
	CategoryNetwork    Category = "network"
	CategoryDNS        Category = "dns"
	CategoryImages     Category = "images"
	CategoryWorkloads  Category = "workloads"
	CategoryStorage    Category = "storage"
	CategorySecurity   Category = "security"
	CategoryVersions   Category = "versions" // regressions by version: package regressions
)

// Categories lists all categories in order.
var Categories = []Category{CategoryNode, CategoryComponents, CategoryNetwork, CategoryDNS,
	CategoryImages, CategoryWorkloads, CategoryStorage, CategorySecurity, CategoryVersions}

// A Sign is a text that betrays a check's fault, with the sentence that it stands for.
type Sign struct {
	Text string   // matched as it stands, in any case
	Or   []string // the same told otherwise, such as a code in decimal
	// texts that must stand in the same line too, or, where one begins with "panic: ", in the first line
	// of the panic of Go in whose stack the line is
	Also []string
	Not  []string // texts that must not stand in it
	// log components or evidence.InEvents, InPodEvents, InPods, InNode; all of them where empty
	In    []string
	Says  string // the finding's message when only the text is known
	Level Level  // Fail unless set
	Fix   Fix    // in place of the check's own, where the text says more
	// Until are texts that say that it is over where the log has one of them later: the pipe is
	// served, the node is Ready. A later event must be of the same provider, or about the same
	// object, or be the Service Control Manager's. Lasts is how long a log must go on with it: what
	// is over sooner belongs to an ordinary start. What is recorded last is a warning: it may go on.
	// The two parts of a text with " … " stand in one line.
	Until []string
	Lasts time.Duration
	// ConfirmOnly keeps the sign from convicting on its own: it is quoted
	// beside a finding over state, and ignored without one. With the level Info it is a setting, which
	// a log without errors does not end.
	ConfirmOnly bool
}

// Level is how bad a finding is.
type Level int

// The levels of findings. The zero Level stands for Fail in a Sign.
const (
	Info Level = iota + 1 // found; normal on Windows
	Warn
	Fail
)

// String is "info", "warn" or "fail", and "" for the zero Level.
func (l Level) String() string {
	return map[Level]string{Info: "info", Warn: "warn", Fail: "fail"}[l]
}

// A Finding is one thing that a check found. Format and Args stay apart so that
// another language can draw it. It is handed on as a pointer: copies of so large a value were a
// seventh of the catalogue's machine code.
type Finding struct {
	Level   Level
	Subject string // what it is about: a pod, a network, a file
	Format  string
	Args    []any
	Because []evidence.Because // the evidence it rests on
	Basis   Basis
	Fix     Fix // in place of the check's own, where the cure depends on what was found

	// Ids of faults that follow beside those of the check, where that depends on what was found.
	Explains []string

	seen time.Time // of a finding over text: when it was last told
	// of a finding over text that the state does not confirm: it counts only where nothing else is found
	doubt bool
}

// Basis is what a finding rests on.
type Basis string

// State outweighs text: a log line may be old, state is how things are.
const (
	ByState Basis = "state"
	ByText  Basis = "text"
	ByBoth  Basis = "state+text"
)

// Findingf makes a finding over state.
//
//go:noinline
func Findingf(level Level, subject, format string, args ...any) *Finding {
	return &Finding{Level: level, Subject: subject, Format: format, Args: args, Basis: ByState}
}

// At adds the evidence that the finding rests on: where it is, and what is there.
//
//go:noinline
func (f *Finding) At(place evidence.Place, format string, args ...any) *Finding {
	return f.With(place.Because(format, args...))
}

// With adds pieces of evidence.
//
//go:noinline
func (f *Finding) With(b ...evidence.Because) *Finding {
	g := *f
	g.Because = append(slices.Clip(f.Because), b...)
	return &g
}

// Cure sets a fix that depends on what was found.
//
//go:noinline
func (f *Finding) Cure(fix Fix) *Finding {
	g := *f
	g.Fix = fix
	return &g
}

// Explaining names faults that follow from what was found.
func (f *Finding) Explaining(ids ...string) *Finding {
	g := *f
	g.Explains = append(slices.Clip(f.Explains), ids...)
	return &g
}

// Message is the finding's sentence in English.
func (f *Finding) Message() string { return fmt.Sprintf(f.Format, f.Args...) }

// A reason is why there is no verdict: evidence that is missing, or else a question that does not
// arise on this node.
type reason struct {
	gap  evidence.Gap
	skip evidence.Phrase
}

func (r reason) Error() string { return cmp.Or(r.gap.String(), r.skip.String()) }

// Skip is the error of a check whose question does not arise.
//
//go:noinline
func Skip(format string, args ...any) error {
	return reason{skip: evidence.Phrasef(format, args...)}
}

// Unknown is the error of a check that could not look; the gap says why.
//
//go:noinline
func Unknown(gap evidence.Gap) error { return reason{gap: gap} }
