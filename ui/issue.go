package ui

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// About is what only the writer of a bundle can tell of it.
type About struct {
	Bundle  string    // the file's name, "" where there is none yet
	Version string    // of the doctor that writes; that of the report where it is empty
	Masked  bool      // names and addresses are masked
	LeftOut []LeftOut // what was not taken, or only in part
}

// LeftOut is a file that the bundle does not hold, or not whole.
type LeftOut struct {
	Path, Reason string
	Why          evidence.Phrase // of which the reason is made
	Bytes        int64           // that are left out of a file that is there in part
}

// maxIssue bounds the text in bytes: GitHub takes 65,536 characters for an issue,
// and a person is still to add some. The fields have rooms of their own, which
// leave some to the evidence even where all are full.
const maxIssue = 59_000

// Issue writes the bug form of kubernetes/kubernetes, filled in as far as the
// evidence goes. What it does not tell stays a visible prompt and is never
// guessed. It quotes the snapshot, so both the report and the snapshot must be
// those of redacted evidence.
//
// The text is meant for a page on which bots and other people act: nothing from
// evidence begins a line, for a line that begins with a slash is a command there.
func Issue(w io.Writer, r checks.Report, s evidence.Snapshot, about About) error {
	d := &issue{r: plainly(r, false), s: s, n: node.About(s), about: plainAbout(about, r)}
	parts := []*section{
		d.comment(), d.happened(), nil, // the evidence takes what the others leave
		onlyPrompt("What did you expect to happen?", "what should have happened instead"),
		onlyPrompt("How can we reproduce it (as minimally and precisely as possible)?",
			"the steps, with the smallest manifest that shows it; and whether it comes each time, on a new node too, and after a restart"),
		d.anythingElse(), d.kubernetes(), d.cloud(), d.system(),
		d.installTools(), d.runtime(), d.plugins(), d.ending(),
	}
	room := maxIssue
	for _, p := range parts {
		if p != nil {
			room -= len(p.text())
		}
	}
	parts[2] = d.evidence(room)
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.text())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

type issue struct {
	r     checks.Report
	s     evidence.Snapshot
	n     *node.Node
	about About
}

func plainAbout(a About, r checks.Report) About {
	one := func(s string) string { return clip(Plain(s, false), maxValue) }
	return About{Bundle: one(a.Bundle), Version: one(cmp.Or(a.Version, r.Doctor.Version)),
		Masked: a.Masked,
		LeftOut: mapped(a.LeftOut, func(l LeftOut) LeftOut {
			return LeftOut{Path: one(l.Path), Reason: one(l.Reason)}
		})}
}

// maxValue bounds one value from evidence in bytes.
const maxValue = 300

// cited is a text from evidence as a code span.
func cited(s string) string { return code(clip(Plain(s, false), maxValue)) }

// someOf lists the first of many texts as code spans, and counts the others.
func someOf(list []string, most int) string {
	text := strings.Join(mapped(list[:min(len(list), most)], cited), ", ")
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// clip cuts s to n bytes and marks the cut.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// A section is one field of the form. It takes whole blocks while there is room,
// and says how many it could not take.
type section struct {
	b    strings.Builder
	room int
	cut  int
	what string // that is cut: "finding"
}

func newSection(heading string, room int, what string) *section {
	p := &section{room: room, what: what}
	if heading != "" {
		fmt.Fprintf(&p.b, "\n### %s\n\n", heading)
	}
	return p
}

func (p *section) put(format string, args ...any) { p.block(fmt.Sprintf(format, args...)) }

// always writes what the page cannot do without, and what is bounded by itself.
func (p *section) always(format string, args ...any) { fmt.Fprintf(&p.b, format, args...) }

// full tells that hardly a block more will fit.
func (p *section) full() bool { return p.b.Len()+maxValue > p.room }

func (p *section) block(text string) {
	if p.b.Len()+len(text) > p.room {
		p.cut++
		return
	}
	p.b.WriteString(text)
}

func (p *section) text() string {
	if p.cut == 0 {
		return p.b.String()
	}
	return p.b.String() + "\n_Cut here to fit into an issue: " + count(p.cut,
		cmp.Or(p.what, "line")) + ". The bundle has all._\n"
}

// notRecorded is the prompt for what only a person can tell.
func notRecorded(what string) string { return "**not recorded:** " + what }

// missing is the prompt for a fact that the evidence would have told.
func missing(what string, gap evidence.Gap) string {
	reason := gap.String()
	if gap.Kind == evidence.NotCollected {
		reason = gap.Reason()
	}
	if reason == "" {
		return notRecorded(what)
	}
	return notRecorded(what) + " (" + quiet(clip(Plain(reason, false), maxValue)) + ")"
}

func (d *issue) comment() *section {
	p := newSection("", 2000, "")
	p.always("<!--\nWritten by doctor %s. Before you post it:\n", hidden(d.about.Version))
	p.always("- look for the same bug: https://github.com/kubernetes/kubernetes/issues?q=label%%3Asig%%2Fwindows, and ask in #sig-windows on the Kubernetes Slack\n")
	p.always("- fill in what says \"not recorded\", and read the rest: it is public once posted\n")
	p.always("- attach %s\n", hidden(cmp.Or(d.about.Bundle, "the bundle")))
	if title := d.title(); title != "" {
		p.always("- a title: %s\n", hidden(title))
	}
	p.always("-->\n")
	return p
}

// title names the first cause; the sentence itself may hold names of the reporter's.
func (d *issue) title() string {
	if len(d.r.Causes) == 0 {
		return ""
	}
	result := resultOf(d.r, d.r.Causes[0])
	return clip(strings.Join(given(cmp.Or(result.Title, result.ID), d.r.Node.OS, d.r.Node.Network),
		" - "), maxValue)
}

// hidden writes a text within an HTML comment, which it must not end.
func hidden(s string) string {
	return strings.NewReplacer("<", "‹", ">", "›", "--", "- -").Replace(s)
}

// causesAndWarnings counts what the report opens with.
func causesAndWarnings(r checks.Report) string {
	var parts []string
	if n := len(r.Causes) - warnings(r); n > 0 {
		parts = append(parts, count(n, "cause"))
	}
	if n := warnings(r); n > 0 {
		parts = append(parts, count(n, "warning"))
	}
	return strings.Join(parts, " and ")
}

// warnings counts the causes that are warnings only.
func warnings(r checks.Report) int {
	n := 0
	for _, c := range r.Causes {
		if resultOf(r, c).Status == checks.StatusWarn {
			n++
		}
	}
	return n
}

const (
	maxIssueCauses = 20
	whatWasSeen    = "what failed for whom, since when, on how many nodes, and what had changed before"
)

func (d *issue) happened() *section {
	p := newSection("What happened?", 12_000, "cause")
	if len(d.r.Causes) == 0 {
		p.put("%s\n\n", notRecorded("what you saw: "+whatWasSeen))
		sentence, _ := Style{}.Verdict(d.r)
		p.put("%s\n", d.looked(sentence))
		return p
	}
	p.put("%s\n\n", d.looked(causesAndWarnings(d.r)+" found"))
	for i, c := range d.r.Causes {
		if i == maxIssueCauses {
			p.cut += len(d.r.Causes) - i
			break
		}
		result := resultOf(d.r, c)
		line := fmt.Sprintf("%d. **%s** %s: %s\n", i+1, cited(c.ID), code(string(result.Status)),
			quiet(Message(result)))
		if len(c.Consequences) > 0 {
			line += "   Consequences: " + someOf(c.Consequences, maxChain) + "\n"
		}
		p.block(line)
	}
	p.put("\n%s\n", notRecorded("what you saw yourself: "+whatWasSeen))
	return p
}

// looked says in one line which node this is about: what a maintainer sorts by.
func (d *issue) looked(result string) string {
	facts := Style{}.NodeFacts(d.r)
	name := "a node whose name is not recorded"
	if d.r.Node.Name != "" {
		name, facts = "the node "+code(d.r.Node.Name), facts[1:]
	}
	if len(facts) > 0 {
		name += " (" + quiet(clip(strings.Join(facts, " · "), 2*maxValue)) + ")"
	}
	when := ""
	if !d.r.CollectedAt.IsZero() {
		when = ", as it was on " + d.r.CollectedAt.Format("2006-01-02 15:04 UTC")
	}
	return fmt.Sprintf("doctor %s looked at %s%s: %s.", quiet(d.about.Version), name, when,
		quiet(result))
}

// onlyPrompt is a field that only a person can fill in.
func onlyPrompt(heading, what string) *section {
	p := newSection(heading, 2000, "")
	p.put("%s\n", notRecorded(what))
	return p
}

func (d *issue) anythingElse() *section {
	p := newSection("Anything else we need to know?", 9000, "line")
	p.put("%s\n", d.provenance())
	if groups := GapGroups(d.r); len(groups) > 0 {
		p.put("\n%s could not run for lack of evidence:\n\n",
			count(d.r.Count(checks.StatusUnknown), "check"))
		for _, g := range groups[:min(len(groups), maxGroups)] {
			line := quiet(clip(Plain(g.Reason(nil), false), maxValue))
			if len(g.Paths) > 0 {
				line += ": " + someOf(g.Paths, maxMissing)
			}
			p.put("- %s (%s)\n", line, count(len(g.Checks), "check"))
		}
		if more := len(groups) - maxGroups; more > 0 {
			p.put("- and %s; the bundle's report.txt has all\n", count(more, "other reason"))
		}
	}
	d.unexplained(p)
	d.leftOut(p)
	if len(d.r.Causes) > 0 {
		p.always("\n%s\n", WrongDiagnosis)
	}
	return p
}

const maxIssueUnexplained = 5

func (d *issue) unexplained(p *section) {
	if len(d.r.Unexplained) == 0 {
		return
	}
	p.put("\nErrors that no check explains:\n\n")
	for _, u := range d.r.Unexplained[:min(len(d.r.Unexplained), maxIssueUnexplained)] {
		p.put("- %s: %s\n", cited(Where(u.Place())), quiet(clip(u.Text, maxValue)))
	}
}

// provenance says how far the evidence can be trusted.
func (d *issue) provenance() string {
	source := cmp.Or(strings.TrimSpace(d.r.Source.Kind+" "+d.r.Source.Name), "not recorded")
	text := "The evidence: " + cited(source)
	if f := d.r.Source.Format; f != "" && f != evidence.Layout {
		text += " written by " + cited(f)
	}
	if elevated, known := d.s.Elevated(); known && !elevated {
		text += ", collected without administrator rights"
	}
	text += ". Secrets in it are replaced"
	if d.about.Masked {
		text += ", and names of hosts and users, SIDs, MAC addresses and public addresses are masked (the same everywhere)"
	}
	return text + "."
}

const maxLeftOut = 12

func (d *issue) leftOut(p *section) {
	if len(d.about.LeftOut) == 0 {
		return
	}
	p.put("\nLeft out of the bundle:\n\n")
	for _, l := range d.about.LeftOut[:min(len(d.about.LeftOut), maxLeftOut)] {
		p.put("- %s: %s\n", code(l.Path), quiet(l.Reason))
	}
	if more := len(d.about.LeftOut) - maxLeftOut; more > 0 {
		p.put("- and %s; the bundle's README.txt has the list\n", count(more, "other file"))
	}
}

func (d *issue) ofNetwork() bool {
	return slices.ContainsFunc(d.r.Causes, func(c checks.Cause) bool {
		category := resultOf(d.r, c).Category
		return category == checks.CategoryNetwork || category == checks.CategoryDNS
	})
}

// traceRecipe is what SIG-Windows asks for where the network is at fault.
const traceRecipe = `A cause is in the network, so SIG-Windows will request a trace of the failure. To record one, as Administrator on the node:

1. ` + "`doctor bundle before.zip`" + `
2. ` + "`C:\\k\\debug\\starthnstrace.cmd`" + ` (from Kubernetes/windows/debug of microsoft/SDN), which starts a trace of HNS and the virtual switch
3. reproduce the failure
4. ` + "`netsh trace stop`" + `, which writes the trace to ` + "`C:\\server.etl`" + `
5. ` + "`doctor bundle after.zip`" + `

Then attach both bundles. The trace may hold packets and names, and nothing takes secrets out of it: offer it, and send it to the person who asks.
`

func (d *issue) ending() *section {
	p := newSection("", 4000, "")
	bundle := cmp.Or(code(d.about.Bundle), "the bundle")
	p.always("\n---\n\n**To be attached:** %s; drop it here before you post. `doctor --from` opens it on any system and comes to the same diagnosis.\n\n", bundle)
	if d.ofNetwork() {
		p.always("%s\n", traceRecipe)
	}
	p.always("/sig windows\n")
	return p
}
