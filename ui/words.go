package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/ui/lang"
)

// A look is the sign of a verdict, and its colour.
type look struct {
	sign, ascii string
	colour      lipgloss.ANSIColor
}

var looks = map[checks.Status]look{
	checks.StatusFail: {"✗", "x", 1},
	checks.StatusWarn: {"!", "!", 3},
	checks.StatusInfo: {"i", "i", 6},
	checks.StatusPass: {"✓", "+", 2},
	checks.StatusSkip: {"-", "-", 8},
}

func lookOf(s checks.Status) look { return cmp.Or(looks[s], look{"?", "?", 5}) }

// Symbol is the sign of a verdict, one column wide.
func Symbol(s checks.Status, ascii bool) string {
	if ascii {
		return lookOf(s).ascii
	}
	return lookOf(s).sign
}

// Colour is the colour of a verdict, among the 16 that the user's theme defines.
func Colour(s checks.Status) lipgloss.ANSIColor { return lookOf(s).colour }

// NodeFacts is what is known of the node, the name first; a fact that is not known is left out.
func (style Style) NodeFacts(r checks.Report) []string {
	n := r.Node
	kubelet := ""
	if n.Kubelet != "" {
		kubelet = "kubelet " + n.Kubelet
	}
	platform, generation := n.Platform, ""
	if platform == string(node.SelfManaged) {
		platform = "" // nobody asks for what it is not
	}
	if n.Generation != "" {
		generation = style.lang().T("%s setup", n.Generation)
	}
	return given(n.Name, strings.TrimSpace(n.OS+" "+n.Build), kubelet,
		strings.Replace(n.Runtime, "://", " ", 1), n.Network, platform, generation)
}

// Decoded is what a raw code means, in one line.
func (style Style) Decoded(c checks.DecodedCode) string {
	return style.lang().T("%s is %s: %s", c.Code, c.Symbol, style.lang().Phrase(c.Meaning))
}

// Origin is where and when the evidence was recorded.
func (style Style) Origin(r checks.Report) []string {
	l := style.lang()
	when := ""
	if !r.CollectedAt.IsZero() {
		when = r.CollectedAt.UTC().Format("2006-01-02 15:04 UTC")
		if r.Source.Kind == "live" || r.Source.Kind == "cluster" {
			when = l.T("read %s", when)
		} else {
			when = l.T("recorded %s", when)
		}
	}
	kind := r.Source.Kind
	if kind == "foreign" { // the format says whose it is
		kind = ""
	}
	from := strings.TrimSpace(l.Word(kind) + " " + r.Source.Name)
	if f := cmp.Or(r.Source.Shows, r.Source.Format); f != "" && f != evidence.Layout {
		from = strings.TrimSpace(from + " (" + f + ")")
	}
	inside := ""
	if r.Source.Container != "" {
		inside = l.T("from a %s container", r.Source.Container)
	}
	return given(when, from, inside)
}

func recordedAt(r checks.Report) string {
	if r.CollectedAt.IsZero() {
		return ""
	}
	return r.CollectedAt.Format("2006-01-02 15:04:05 UTC")
}

// Clauses are said one after the other. What is listed is joined by ", " alone.
func (style Style) Clauses(list []string) string {
	text := list[0]
	for _, s := range list[1:] {
		text = style.lang().T("%s, %s", text, s)
	}
	return text
}

func given(texts ...string) []string {
	return slices.DeleteFunc(texts, func(s string) bool { return s == "" })
}

// Title is the title of a result: where the check passed, what is right.
func Title(r *checks.Result) string {
	if r.Status == checks.StatusPass && r.Healthy != "" {
		return r.Healthy
	}
	return r.Title
}

// RowTitle is what a list says of a result: of an information what was found, for a fault's title
// would read like a fault.
func RowTitle(r *checks.Result) string {
	if r.Status == checks.StatusInfo && len(r.Findings) > 0 {
		return cmp.Or(r.Findings[0].Message, r.Title)
	}
	return Title(r)
}

// Message is the sentence that stands for a result: that of its worst finding,
// why it could not run or does not apply, or its title.
func Message(r *checks.Result) string {
	if len(r.Findings) > 0 && r.Findings[0].Message != "" {
		return r.Findings[0].Message
	}
	return cmp.Or(r.Gap, r.Reason, Title(r))
}

// Where is the place that a piece of evidence points at: in a text the line, in a
// list of JSON the element. Which field it is, the text says.
func Where(place evidence.Place) string {
	if place.Line > 0 {
		return fmt.Sprintf("%s:%d", place.Path, place.Line)
	}
	if element, number := place.Element(); number >= 0 {
		return element.Path + "#" + element.Field
	}
	return place.Path
}

// Counts is the report in one line.
func (style Style) Counts(r checks.Report) string {
	return strings.Join(style.counts(r), style.lang().T(", "))
}

func (style Style) counts(r checks.Report) []string {
	l := style.lang()
	var parts []string
	// a cause that is a warning is counted with the warnings
	if n := len(r.Causes) - warnings(r); n > 0 {
		parts = append(parts, l.Count(n, "cause"))
	}
	if n := len(consequences(r)); n > 0 {
		parts = append(parts, l.Count(n, "consequence"))
	}
	quiet := checks.Summary{}
	for i := range r.Results {
		if Quiet(&r.Results[i]) {
			quiet[r.Results[i].Status]++
		}
	}
	for _, s := range checks.Statuses {
		if n := r.Count(s) - quiet[s]; n > 0 {
			parts = append(parts, l.T("%d %s", n, l.Word(word(s))))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, l.Count(0, "check"))
	}
	return parts
}

func word(s checks.Status) string {
	if s == checks.StatusSkip {
		return "not applicable"
	}
	return string(s)
}

func count(n int, noun string) string { return (*lang.Catalogue)(nil).Count(n, noun) }

func consequences(r checks.Report) map[string]bool {
	found := map[string]bool{}
	for _, c := range r.Causes {
		for _, id := range c.Consequences {
			found[id] = true
		}
	}
	return found
}

// Verdict is the last word: what to do first and the cause that it fixes, or, where no fault was
// found, how far that can be trusted. The report has to be in the style's language too.
func (style Style) Verdict(r checks.Report) (sentence, cause string) {
	l := style.lang()
	unknown := r.Count(checks.StatusUnknown)
	switch faults := r.Count(checks.StatusFail) + r.Count(checks.StatusWarn); {
	case len(r.Causes) > 0:
		id := r.Causes[0].ID
		if result := r.Result(id); result != nil {
			if fix := result.Fix.InOneLine(); fix.Format != "" {
				return l.T("fix first: %s", l.Say(fix)), id
			}
		}
		return l.T("look first at %s", id), ""
	case faults > 0:
		return l.T("%s found", l.Count(faults, "fault")), ""
	case len(r.Results) == 0:
		return l.T("nothing was looked at: no check was selected"), ""
	case len(r.Unexplained) > 0 && r.Count(checks.StatusPass)+r.Count(checks.StatusInfo) < unknown:
		return l.T("no check explains %s; read this one first: %s",
			l.Count(len(r.Unexplained), "error line"), Where(r.Unexplained[0].Place())), ""
	case r.Count(checks.StatusPass)+r.Count(checks.StatusInfo) == 0 && unknown > 0:
		return l.T("no result: %s could not run", l.Count(unknown, "check")), ""
	case unknown > 0 && r.OnlyOnNode() > 0:
		return l.T("no fault found through the Kubernetes API; %s run only on the node itself, and %s could not run",
			l.Count(r.OnlyOnNode(), "check"), l.Count(unknown, "check")), ""
	case unknown > 0:
		return l.T("no fault found, but %s could not run", l.Count(unknown, "check")), ""
	case r.OnlyOnNode() > 0:
		return l.T("no fault found through the Kubernetes API; %s run only on the node itself",
			l.Count(r.OnlyOnNode(), "check")), ""
	}
	return l.T("no fault found"), ""
}

// foldVersions puts one result in the place of several regressions that a version may bring and
// nothing on the node shows: a list of them would hide what was found. It names the versions, for
// the ids of all would take more than a line.
func foldVersions(results []*checks.Result, l *lang.Catalogue) []*checks.Result {
	silent := func(r *checks.Result) bool {
		return r.Category == checks.CategoryVersions && r.Status == checks.StatusInfo
	}
	var versions []string
	count := map[string]int{}
	for _, r := range results {
		if silent(r) {
			of := string(r.Category)
			if len(r.Findings) > 0 {
				of = r.Findings[0].Subject
			}
			if count[of]++; count[of] == 1 {
				versions = append(versions, of)
			}
		}
	}
	n := 0
	for i, of := range versions {
		n += count[of]
		versions[i] = fmt.Sprintf("%s (%d)", of, count[of])
	}
	if n < 2 {
		return results
	}
	rest := slices.DeleteFunc(slices.Clone(results), silent)
	return append(rest, &checks.Result{ID: string(checks.CategoryVersions),
		Category: checks.CategoryVersions, Status: checks.StatusInfo,
		Title: l.T("no sign of %s of these versions: %s; `-o wide` lists them", l.Count(n, "known regression"),
			strings.Join(versions, l.T(", ")))})
}

// besides lists what was found and is no cause, the worst first; shown are results to leave out.
func besides(r checks.Report, shown map[string]bool, l *lang.Catalogue) []*checks.Result {
	for _, c := range r.Causes {
		shown[c.ID] = true
	}
	var list []*checks.Result
	for _, s := range []checks.Status{checks.StatusFail, checks.StatusWarn, checks.StatusInfo} {
		for i := range r.Results {
			if result := &r.Results[i]; result.Status == s && !shown[result.ID] {
				list = append(list, result)
			}
		}
	}
	return foldVersions(list, l)
}

// Quiet tells whether a result is a regression that this node cannot meet. Most rows of the table
// are, on every node: counted along, they would drown the checks that looked for a fault.
func Quiet(r *checks.Result) bool {
	return r.Category == checks.CategoryVersions &&
		(r.Status == checks.StatusPass || r.Status == checks.StatusSkip)
}

// A StepLine is one line of a step of a fix.
type StepLine struct {
	Kind StepLineKind
	Text string
}

// StepLineKind is what a line of a step holds.
type StepLineKind int

// The lines of a step, in their order.
const (
	StepText    StepLineKind = iota // its number and what to do
	StepCommand                     // what to type, never broken
	StepFrom                        // what a line of a file holds
	StepTo                          // what it should hold
	StepImpact                      // what it costs
)

// StepLines are the lines of step i of a fix, whose texts are in the style's language already.
func (style Style) StepLines(f checks.Fix, i int) []StepLine {
	s := f.Steps[i]
	var lines []StepLine
	if text := style.lang().Say(s.Headline()); text != s.Command {
		lines = append(lines, StepLine{StepText, strconv.Itoa(i+1) + ". " + text})
	}
	add := func(kind StepLineKind, text string) {
		if text != "" {
			lines = append(lines, StepLine{kind, text})
		}
	}
	add(StepCommand, s.Command)
	if s.From != "" || s.To != "" {
		lines = append(lines, StepLine{StepFrom, s.From})
		add(StepTo, s.To)
	}
	add(StepImpact, s.Impact)
	return lines
}

// ChangeLine is what became of a fault, as one line: 10:02:11  win-1  ✗ appeared  text.
func ChangeLine(at time.Time, node, change string, is checks.Status, text string, style Style) string {
	p := newPage(style)
	line := []string{at.Local().Format(time.TimeOnly), Plain(node, style.ASCII),
		p.verdict(is).on(p.mark(is) + " " + p.lang.Word(change)), Plain(text, style.ASCII)}
	return strings.Join(line, "  ")
}
