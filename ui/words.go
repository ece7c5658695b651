package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"doctor/checks"
	"doctor/checks/evidence"
)

var symbols = map[checks.Status][2]string{
	checks.StatusFail:    {"✗", "x"},
	checks.StatusWarn:    {"!", "!"},
	checks.StatusInfo:    {"i", "i"},
	checks.StatusPass:    {"✓", "+"},
	checks.StatusUnknown: {"?", "?"},
	checks.StatusSkip:    {"-", "-"},
}

// Symbol is the sign of a verdict, one column wide.
func Symbol(s checks.Status, ascii bool) string {
	pair, ok := symbols[s]
	if !ok {
		pair = symbols[checks.StatusUnknown]
	}
	if ascii {
		return pair[1]
	}
	return pair[0]
}

// Colour is the colour of a verdict, among the 16 that the user's theme defines.
func Colour(s checks.Status) lipgloss.ANSIColor {
	switch s {
	case checks.StatusFail:
		return 1
	case checks.StatusWarn:
		return 3
	case checks.StatusInfo:
		return 6
	case checks.StatusPass:
		return 2
	case checks.StatusSkip:
		return 8
	}
	return 5
}

// NodeFacts is what is known of the node, the name first; a fact that is not known is left out.
func NodeFacts(r checks.Report) []string {
	n := r.Node
	kubelet := ""
	if n.Kubelet != "" {
		kubelet = "kubelet " + n.Kubelet
	}
	platform, generation := n.Platform, ""
	if platform == string(checks.SelfManaged) {
		platform = "" // nobody asks for what it is not
	}
	if n.Generation != "" {
		generation = n.Generation + " setup"
	}
	return given(n.Name, strings.TrimSpace(n.OS+" "+n.Build), kubelet, strings.Replace(n.Runtime, "://", " ", 1), n.Network, platform, generation)
}

// Decoded is what a raw code means, in one line.
func Decoded(c checks.DecodedCode) string { return c.Code + " is " + c.Symbol + ": " + c.Meaning }

// Origin is where and when the evidence was recorded.
func Origin(r checks.Report) []string {
	when := ""
	if !r.CollectedAt.IsZero() {
		did := "recorded "
		if r.Source.Kind == "live" || r.Source.Kind == "cluster" {
			did = "read "
		}
		when = did + r.CollectedAt.UTC().Format("2006-01-02 15:04 UTC")
	}
	kind := r.Source.Kind
	if kind == "foreign" { // the format says whose it is
		kind = ""
	}
	from := strings.TrimSpace(kind + " " + r.Source.Name)
	if f := r.Source.Format; f != "" && f != evidence.Layout {
		from = strings.TrimSpace(from + " (" + f + ")")
	}
	return given(when, from)
}

func given(texts ...string) []string {
	return slices.DeleteFunc(texts, func(s string) bool { return s == "" })
}

// Message is the sentence that stands for a result: that of its worst finding,
// why it could not tell or does not apply, or its title.
func Message(r *checks.Result) string {
	if len(r.Findings) > 0 && r.Findings[0].Message != "" {
		return r.Findings[0].Message
	}
	return cmp.Or(r.Gap, r.Reason, r.Title)
}

// Where is the place that a piece of evidence points at.
func Where(b checks.Because) string {
	if b.Line > 0 {
		return fmt.Sprintf("%s:%d", b.Path, b.Line)
	}
	return b.Path
}

// Counts is the report in one line.
func Counts(r checks.Report) string {
	var parts []string
	if n := len(r.Causes); n > 0 {
		parts = append(parts, count(n, "cause"))
	}
	if n := len(consequences(r)); n > 0 {
		parts = append(parts, count(n, "consequence"))
	}
	for _, s := range checks.Statuses {
		if n := r.Count(s); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word(s)))
		}
	}
	if len(parts) == 0 {
		return "0 checks"
	}
	return strings.Join(parts, ", ")
}

func word(s checks.Status) string {
	if s == checks.StatusSkip {
		return "not applicable"
	}
	return string(s)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func consequences(r checks.Report) map[string]bool {
	found := map[string]bool{}
	for _, c := range r.Causes {
		for _, id := range c.Consequences {
			found[id] = true
		}
	}
	return found
}

// Verdict is the last word: what to do first and the cause that it mends, or,
// where no fault was found, how far that can be trusted.
func Verdict(r checks.Report) (sentence, cause string) {
	unknown := r.Count(checks.StatusUnknown)
	switch faults := r.Count(checks.StatusFail) + r.Count(checks.StatusWarn); {
	case len(r.Causes) > 0:
		id := r.Causes[0].ID
		if result := r.Result(id); result != nil {
			if fix := FirstFix(result.Fix); fix != "" {
				return "fix first: " + fix, id
			}
		}
		return "look first at " + id, ""
	case faults > 0:
		return count(faults, "fault") + " found", ""
	case len(r.Results) == 0:
		return "nothing was looked at: no check was selected", ""
	case r.Count(checks.StatusPass)+r.Count(checks.StatusInfo) == 0 && unknown > 0:
		return "nothing could be told: " + count(unknown, "check") + " lacked evidence", ""
	case unknown > 0:
		return fmt.Sprintf("no fault found, but %s could not tell", count(unknown, "check")), ""
	}
	return "no fault found", ""
}

// looks are the beginnings of commands that change nothing, and so mend
// nothing; filters only shape what they print.
var (
	looks = []string{"get-", "test-", "resolve-", "findstr", "type ", "dir ", "ipconfig", "route print", "nslookup", "ping ",
		"kubectl get", "kubectl describe", "kubectl logs", "kubectl version", "crictl ps", "crictl pods", "crictl info", "crictl images",
		"hnsdiag list", "sc.exe q", "sc query", "w32tm /query", "#"}
	filters = []string{"select-", "format-", "where-object", "sort-", "measure-", "out-string"}
)

// FirstFix is the first step of a remedy in one line: the first command that
// does more than look, or else the advice.
func FirstFix(f checks.Fix) string {
	at := slices.IndexFunc(f.Commands, func(c string) bool { return !onlyLooks(c) })
	switch {
	case at >= 0:
		return f.Commands[at]
	case f.Text == "" && len(f.Commands) > 0:
		return f.Commands[0]
	}
	return f.Text
}

func onlyLooks(command string) bool {
	known := looks
	for part := range strings.SplitSeq(strings.ToLower(command), "|") {
		part = strings.TrimSpace(part)
		if strings.ContainsAny(part, ";&>") || !slices.ContainsFunc(known, func(l string) bool { return strings.HasPrefix(part, l) }) {
			return false
		}
		known = slices.Concat(looks, filters)
	}
	return true
}
