package ui

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/sorted"
	"doctor/ui/lang"
	"doctor/ui/symptom"
)

// An UnknownGroup is the checks that could not run for reasons that the same step removes.
type UnknownGroup struct {
	Remedy  evidence.Remedy
	Members []int        // into Report.Results
	gap     evidence.Gap // the reason, where all have the same
	// The commands whose output the checks need, with how many need each.
	commands map[string]int
	node     string
}

// byUse is the order of the groups: first what the reader can do in a minute, last what nobody can
// change.
var byUse = []evidence.Remedy{evidence.WindowsNode, evidence.Elevate, evidence.ClusterRights,
	evidence.WithoutPassive, evidence.WholeLog, evidence.RunCommand, evidence.ViaAPI,
	evidence.MoreTime, evidence.OnNode, evidence.FromPod, evidence.ReadFile,
	evidence.ByHand, evidence.OpenCheck}

// saysMore tells whether the text of each single gap says more than the remedy does: it is an error
// that the reader has to see.
func saysMore(remedy evidence.Remedy) bool {
	return remedy == evidence.ReadFile || remedy == evidence.ClusterRights
}

// Key tells groups of one report apart.
func (g UnknownGroup) Key() string {
	if saysMore(g.Remedy) {
		return string(g.Remedy) + " " + g.gap.String()
	}
	return string(g.Remedy)
}

// UnknownGroups gathers those of the results that could not run by what to do about it.
func UnknownGroups(r *checks.Report, among []int) []UnknownGroup {
	var groups []UnknownGroup
	for _, i := range among {
		if r.Results[i].Status != checks.StatusUnknown {
			continue
		}
		gap := r.Results[i].Missing
		at := slices.IndexFunc(groups, func(g UnknownGroup) bool {
			return g.Remedy == gap.Remedy() && (g.gap == gap || !saysMore(g.Remedy))
		})
		if at < 0 {
			at, groups = len(groups), append(groups, UnknownGroup{Remedy: gap.Remedy(), gap: gap,
				node: r.Node.Name, commands: map[string]int{}})
		}
		if command := gap.Command(); command != "" {
			groups[at].commands[command]++
		}
		groups[at].Members = append(groups[at].Members, i)
		if groups[at].gap != gap {
			groups[at].gap = evidence.Gap{}
		}
	}
	sorted.By(groups, func(a, b UnknownGroup) int {
		return slices.Index(byUse, a.Remedy) - slices.Index(byUse, b.Remedy)
	})
	return groups
}

// Reason says why the checks could not run. Where rights are missing, the gap itself says what to
// do, which is the advice.
func (g UnknownGroup) Reason(l *lang.Catalogue) string {
	if said := l.GapSentence(g.gap); said != "" && g.Remedy != evidence.Elevate {
		return strings.TrimRight(said, ".。")
	}
	return l.Word(symptom.AdviceOn(g.Remedy, g.node).Reason)
}

// Advice says what to do about it, as one sentence with its commands.
func (g UnknownGroup) Advice(l *lang.Catalogue) string {
	advice := symptom.AdviceOn(g.Remedy, g.node)
	text := Capital(l.Word(advice.Text))
	advice.Commands = append(advice.Commands, g.mostWanted()...)
	if len(advice.Commands) == 0 {
		return l.T("%s.", text)
	}
	return l.T("%s: `%s`.", text, strings.Join(advice.Commands, l.T("`, `")))
}

// maxCommands is how many commands one advice names: after a few more outputs the rest may be moot.
const maxCommands = 5

// mostWanted are the commands that let most checks run.
func (g UnknownGroup) mostWanted() []string {
	list := MostFirst(g.commands)
	return list[:min(len(list), maxCommands)]
}

// MostFirst are the names of counts, those with most first.
func MostFirst(counts map[string]int) []string {
	return sorted.Of(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
}

// Capital begins a sentence.
func Capital(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}

// judgedInPart says how little single outputs show of a node; it is empty of a whole recording.
func judgedInPart(r checks.Report, l *lang.Catalogue) string {
	if r.Source.Shows == "" {
		return ""
	}
	return l.T("Only %d of %s could be judged from this (%s): collect a bundle on the node with `doctor bundle`, or add the outputs below.",
		len(r.Results)-r.Count(checks.StatusUnknown)-r.Count(checks.StatusSkip),
		l.Count(len(r.Results), "check"), r.Source.Shows)
}

// shownInPart is what outputs show of lists that they do not show whole.
func shownInPart(r checks.Report, l *lang.Catalogue) (list []string) {
	for _, g := range r.Gaps {
		switch source := g.Gap.Args[1%len(g.Gap.Args)]; {
		case source == "the text" && len(r.Unexplained) > 0, source == "the log" && len(r.Unexplained)+len(r.Causes) > 0:
			continue // which are what it shows
		}
		if strings.HasPrefix(g.Gap.Args[0], "%s shows %s%s; that is not all") && len(list) < maxGroups {
			list = append(list, l.T("%s shows %s.", g.Gap.Args[1], g.Gap.Args[2]+g.Gap.Args[3]))
			slices.Sort(list)
			list = slices.Compact(list) // each file that is asked for is a gap of its own
		}
	}
	return list
}

// unknown says which checks could not run: a line for each thing to do about it.
func (p *page) unknown(r checks.Report) {
	all := make([]int, len(r.Results))
	for i := range all {
		all[i] = i
	}
	groups := UnknownGroups(&r, all)
	if len(groups) == 0 {
		return
	}
	p.blank()
	if said := judgedInPart(r, p.lang); said != "" {
		p.para(p.plain(said), nil)
		for _, shown := range shownInPart(r, p.lang) {
			p.para(p.plain(shown), p.faint())
		}
	}
	p.gutter = 2 // holds the mark
	for _, g := range groups[:min(len(groups), p.limits.groups)] {
		said := p.lang.T("%s could not run: %s. %s", p.lang.Count(len(g.Members), "check"),
			g.Reason(p.lang), g.Advice(p.lang))
		lines := bound(Wrap(p.plain(said), p.room(), p.room()), max(p.limits.lines, 4), p.room(),
			p.style.ASCII)
		p.block(p.mark(checks.StatusUnknown), p.verdict(checks.StatusUnknown), lines, nil)
	}
	if more := len(groups) - p.limits.groups; more > 0 {
		p.line("  ", p.faint().on(p.lang.T("and for %s more", p.lang.Count(more, "reason"))))
	}
}

// A GapGroup is the evidence that was missing for one reason.
type GapGroup struct {
	Gap    evidence.Gap // the reason; none where nothing was recorded
	Paths  []string     // what was missing
	Checks []string     // the checks that could not run for it
}

// Reason is why the evidence was missing.
func (g GapGroup) Reason(lang *lang.Catalogue) string {
	return cmp.Or(lang.Gap(g.Gap), lang.Phrase("no reason was recorded"))
}

// GapGroups gathers the gaps by reason, those that held up most checks first. A
// check that could not run without naming a missing path still has its group.
func GapGroups(r checks.Report) []GapGroup {
	var groups []GapGroup
	group := func(gap evidence.Gap) *GapGroup {
		if gap.Code == evidence.NotInRecording {
			gap = evidence.NotPart.Gap() // else every file that was not collected makes a group
		}
		at := slices.IndexFunc(groups, func(g GapGroup) bool { return g.Gap == gap })
		if at < 0 {
			at, groups = len(groups), append(groups, GapGroup{Gap: gap})
		}
		return &groups[at]
	}
	for _, g := range r.Gaps {
		if to := group(g.Gap); !slices.Contains(to.Paths, g.Path) {
			to.Paths = append(to.Paths, g.Path)
		}
	}
	for _, result := range r.Results {
		if result.Status != checks.StatusUnknown {
			continue
		}
		to := group(result.Missing)
		to.Checks = append(to.Checks, result.ID)
		if path := result.Missing.Args[0]; result.Missing.Code == evidence.NotInRecording &&
			!slices.Contains(to.Paths, path) {
			to.Paths = append(to.Paths, path)
		}
	}
	sorted.By(groups, func(a, b GapGroup) int { return len(b.Checks) - len(a.Checks) })
	return groups
}
