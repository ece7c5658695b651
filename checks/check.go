// Package checks is the doctor's knowledge: each check is a value that names a
// fault of Kubernetes Windows nodes, says what evidence tells it apart, and how
// it is mended. A check reads evidence and nothing else; this file is the whole
// framework, and every other file here that begins with Register is one check.
package checks

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"doctor/checks/evidence"
)

// A Check is one fault and how it is recognised.
type Check struct {
	ID       string // lower-kebab-case, subject first, final
	Title    string // the fault as a short clause
	Doc      string // what it is, why it happens, how the check tells; plain text in paragraphs
	Category Category
	FAQ      []int // entries of the Kubernetes Windows troubleshooting FAQ that it answers
	Fix      Fix
	Links    []string
	Explains []string // ids of the faults that follow from this one

	// Applies returns nil where the question arises on this node, Skip with the
	// reason where it does not, Unknown where even that cannot be told. Nil
	// stands for "on every node".
	Applies func(*Node) error
	Needs   []evidence.Need // must be there before Run is called
	Uses    []evidence.Need // is read when it is there
	Signs   []Sign          // texts that betray the fault where the state is not recorded, and confirm it where it is

	// Symptom marks what is never the cause of anything: it is named first only
	// where nothing else was found.
	Symptom bool

	// Partial marks a check whose state shows only some forms of the fault: what
	// the logs told minutes ago is then a warning, though the state looks well.
	Partial bool

	// Lints marks a check of pod specs that judges manifests too.
	Lints bool

	// Run judges the state. It is nil where there is no state to judge and the
	// logs alone tell: then the check needs the logs in which its Signs stand.
	Run func(evidence.Snapshot) ([]Finding, error)
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
)

// Categories lists all categories in order.
var Categories = []Category{CategoryNode, CategoryComponents, CategoryNetwork, CategoryDNS,
	CategoryImages, CategoryWorkloads, CategoryStorage, CategorySecurity}

// A Fix is what a person does about a fault. Text and commands may hold
// placeholders such as {network} and {node}, which are filled in for the node
// at hand.
type Fix struct {
	Text     string   `json:"text"`
	Commands []string `json:"commands"` // PowerShell, one line each
	Impact   string   `json:"impact"`   // what it costs: "restarts HNS: drops the network of every pod on this node"
}

func (f Fix) isZero() bool { return f.Text == "" && len(f.Commands) == 0 && f.Impact == "" }

// A Sign is a text that betrays a check's fault, with the sentence that it stands for.
type Sign struct {
	Text  string   // matched as it stands, in any case
	Or    []string // the same told otherwise, such as a code in decimal
	Also  []string // texts that must stand in the same line too
	Not   []string // texts that must not stand in it
	In    []string // log components or evidence.InEvents, InPodEvents, InPods, InNode; all of them where empty
	Says  string   // the finding's message when only the text is known
	Level Level    // Fail unless set
	// ConfirmOnly keeps the sign from convicting on its own: it is quoted
	// beside a finding over state, and ignored without one.
	ConfirmOnly bool
}

// Level is how bad a finding is.
type Level int

// The levels of findings. The zero Level stands for Fail in a Sign.
const (
	Info Level = iota + 1 // found, and normal on Windows
	Warn
	Fail
)

func (l Level) String() string {
	return map[Level]string{Info: "info", Warn: "warn", Fail: "fail"}[l]
}

// A Finding is one thing that a check found. Format and Args stay apart so that
// another language can draw it.
type Finding struct {
	Level   Level
	Subject string // what it is about: a pod, a network, a file
	Format  string
	Args    []any
	Because []Because // the evidence it rests on
	Basis   Basis
	Fix     Fix // in place of the check's own, where the cure depends on what was found

	seen time.Time // of a finding over text: when it was last told
}

// Basis is what a finding rests on.
type Basis string

// State outweighs text: a log line may be old, state is how things are.
const (
	ByState Basis = "state"
	ByText  Basis = "text"
	ByBoth  Basis = "state+text"
)

// Because points at evidence.
type Because struct {
	Path string `json:"path"`
	Line int    `json:"line"` // from 1; 0 where the text names the field
	Text string `json:"text"`
}

// Findingf makes a finding over state.
func Findingf(level Level, subject, format string, args ...any) Finding {
	return Finding{Level: level, Subject: subject, Format: format, Args: args, Basis: ByState}
}

// At adds the evidence that the finding rests on: a path and the field with its value.
func (f Finding) At(path, format string, args ...any) Finding {
	return f.With(Because{Path: path, Text: fmt.Sprintf(format, args...)})
}

// AtLine adds a line of a file as evidence.
func (f Finding) AtLine(path string, line int, text string) Finding {
	return f.With(Because{Path: path, Line: line, Text: text})
}

// With adds pieces of evidence.
func (f Finding) With(b ...Because) Finding {
	f.Because = append(slices.Clip(f.Because), b...)
	return f
}

// Cure sets a fix that depends on what was found.
func (f Finding) Cure(fix Fix) Finding {
	f.Fix = fix
	return f
}

// Message is the finding's sentence in English.
func (f Finding) Message() string { return fmt.Sprintf(f.Format, f.Args...) }

// A skip says that the question does not arise on this node.
type skip struct{ reason string }

func (s skip) Error() string { return s.reason }

// Skip is the error of a check whose question does not arise.
func Skip(format string, args ...any) error { return skip{fmt.Sprintf(format, args...)} }

// Unknown is the error of a check that could not look; the gap says why.
func Unknown(gap evidence.Gap) error { return unknown{gap} }

type unknown struct{ gap evidence.Gap }

func (u unknown) Error() string { return string(u.gap) }

var registry = map[string]*Check{}

// Register adds a check to the catalogue. It panics on a duplicate id, which
// only a programmer can cause.
func Register(c Check) *Check {
	if registry[c.ID] != nil {
		panic("checks: two checks are called " + c.ID)
	}
	registry[c.ID] = &c
	return &c
}

// All lists the catalogue by category, then id.
func All() []*Check {
	var all []*Check
	for _, c := range registry {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *Check) int {
		return cmp.Or(cmp.Compare(slices.Index(Categories, a.Category), slices.Index(Categories, b.Category)), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// Linters lists the checks that judge manifests.
func Linters() []*Check {
	return slices.DeleteFunc(All(), func(c *Check) bool { return !c.Lints })
}

// ByID returns the check with that id, or nil.
func ByID(id string) *Check { return registry[id] }

// Signs lists the texts of the given checks in the form that the scanner takes,
// and those from which facts of the node are learnt.
func Signs(list []*Check) []evidence.Sign {
	signs := slices.Clone(factSigns)
	for _, c := range list {
		for _, s := range c.Signs {
			for _, text := range append([]string{s.Text}, s.Or...) {
				signs = append(signs, evidence.Sign{Check: c.ID, Text: text, Also: s.Also, Not: s.Not, In: s.In})
			}
		}
	}
	return signs
}

// examine runs one check over the evidence and always comes to a verdict: a
// check that panics on strange evidence has not looked, so it could not tell.
func (c *Check) examine(s evidence.Snapshot) (status Status, findings []Finding, reason string) {
	defer func() {
		if p := recover(); p != nil {
			status, findings = StatusUnknown, nil
			reason = fmt.Sprintf("%s: this check stumbled over the evidence (%v); please report it with the bundle", evidence.Error, p)
		}
	}()
	findings, err := c.judge(s)
	var sk skip
	var un unknown
	switch {
	case errors.As(err, &sk):
		return StatusSkip, nil, sk.reason
	case errors.As(err, &un):
		return StatusUnknown, nil, string(un.gap)
	case err != nil:
		return StatusUnknown, nil, evidence.Error + ": " + err.Error()
	}
	for _, f := range findings {
		if len(f.Because) == 0 {
			panic("a finding without evidence: " + f.Message())
		}
	}
	return statusOf(findings), findings, ""
}

// judge lets state decide and text confirm. Where the state is not recorded,
// text alone convicts, but its absence never acquits. Where the state is well,
// what the logs tell of is over, and is reported as history.
func (c *Check) judge(s evidence.Snapshot) ([]Finding, error) {
	err := c.applies(s)
	if err == nil {
		err = c.gap(s)
	}
	var findings []Finding
	if err == nil && c.Run != nil {
		findings, err = c.Run(s)
	}
	matches := s.Signs(c.ID)
	var un unknown
	switch {
	case errors.As(err, &un), err == nil && c.Run == nil:
		if told := c.told(matches); len(told) > 0 {
			return told, nil
		}
	case err == nil && len(findings) == 0 && c.Partial:
		return c.doubted(matches, s.Now()), nil
	case err == nil && len(findings) == 0:
		return c.history(matches, wellBorne), nil
	case err == nil:
		confirm(findings, matches)
	}
	return findings, err
}

func (c *Check) applies(s evidence.Snapshot) error {
	if c.Applies == nil {
		return nil
	}
	return c.Applies(About(s))
}

func (c *Check) gap(s evidence.Snapshot) error {
	for _, n := range c.Needs {
		if g := n.Gap(s); g != "" {
			return Unknown(g)
		}
	}
	return nil
}

// told makes findings of what the logs say. What is over convicts nobody: it is
// told as history, and only where nothing else is.
func (c *Check) told(matches []evidence.SignMatch) []Finding {
	var findings []Finding
	for _, m := range matches {
		sign := c.sign(m)
		if sign == nil || sign.ConfirmOnly || m.Over != "" {
			continue
		}
		findings = quoted(findings, Finding{Level: cmp.Or(sign.Level, Fail), Format: "%s", Args: []any{sign.Says}, Basis: ByText}, m)
	}
	if len(findings) == 0 {
		return c.history(matches, "")
	}
	return findings
}

// history makes findings of signs of a fault that is over; since is how that is
// known, or empty where each match says so itself.
func (c *Check) history(matches []evidence.SignMatch, since string) []Finding {
	var findings []Finding
	for _, m := range matches {
		sign := c.sign(m)
		over := since
		if m.Over != "" {
			over = "it is over: " + m.Over
		}
		if sign == nil || sign.ConfirmOnly || sign.Level == Info || over == "" {
			continue
		}
		findings = quoted(findings, Finding{Level: Info, Format: "the logs say: %s; %s", Args: []any{sign.Says, over}, Basis: ByText}, m)
	}
	return findings
}

// doubted makes findings of what the logs tell where the state looks well and
// need not be.
func (c *Check) doubted(matches []evidence.SignMatch, now time.Time) []Finding {
	var findings []Finding
	for _, m := range matches {
		sign := c.sign(m)
		if sign == nil || sign.ConfirmOnly || sign.Level == Info || m.Over != "" || m.Last.IsZero() || now.Sub(m.Last) > recently {
			continue
		}
		findings = quoted(findings, Finding{Level: Warn, Format: "the logs say: %s; the node's state does not show it", Args: []any{sign.Says}, Basis: ByText}, m)
	}
	if len(findings) > 0 {
		return findings
	}
	return c.history(matches, wellBorne)
}

// wellBorne is why a text is history where the state is recorded and well.
const wellBorne = "the node's state does not bear it out"

// quoted adds a match to the finding that says the same, or the finding with it.
func quoted(findings []Finding, f Finding, m evidence.SignMatch) []Finding {
	at := slices.IndexFunc(findings, func(g Finding) bool { return g.Args[0] == f.Args[0] })
	if at < 0 {
		at, findings = len(findings), append(findings, f)
	}
	told := func(b Because) bool { return b.Path == m.Path && b.Line == m.Line } // a code in hex and in decimal
	if len(findings[at].Because) < maxQuotes && !slices.ContainsFunc(findings[at].Because, told) {
		findings[at] = findings[at].With(quote(m))
	}
	if m.Last.After(findings[at].seen) {
		findings[at].seen = m.Last
	}
	return findings
}

// sign is the check's sign that a match is of. Two signs may share a text and
// differ in the rest of the line.
func (c *Check) sign(m evidence.SignMatch) *Sign {
	var first *Sign
	for i := range c.Signs {
		s := &c.Signs[i]
		if s.Text != m.Text && !slices.Contains(s.Or, m.Text) {
			continue
		}
		if (evidence.Sign{Also: s.Also, Not: s.Not, In: s.In}).Fits(m.Source(), m.Found) {
			return s
		}
		if first == nil {
			first = s
		}
	}
	return first
}

// maxQuotes is how many log lines a finding quotes; the count of the others is in the last.
const maxQuotes = 3

// confirm quotes the log lines beside the worst finding over state.
func confirm(findings []Finding, matches []evidence.SignMatch) {
	if len(findings) == 0 || len(matches) == 0 {
		return
	}
	worst := 0
	for i, f := range findings {
		if f.Level > findings[worst].Level {
			worst = i
		}
	}
	if findings[worst].Level == Info {
		return // what is normal on Windows needs no confirmation
	}
	added := 0
	for _, m := range matches {
		b := quote(m)
		if m.Over != "" || added == maxQuotes || slices.ContainsFunc(findings[worst].Because, func(have Because) bool { return have.Path == b.Path && have.Line == b.Line }) {
			continue
		}
		findings[worst] = findings[worst].With(b)
		findings[worst].Basis = ByBoth
		added++
	}
}

func quote(m evidence.SignMatch) Because {
	text := m.Found
	if m.More > 0 {
		text = fmt.Sprintf("%s  (and %d more)", text, m.More)
	}
	return Because{Path: m.Path, Line: m.Line, Text: text}
}
