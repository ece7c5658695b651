package ui

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// writeMarkdown draws the report for a ticket: complete enough to be judged by
// someone who has nothing but the ticket.
func writeMarkdown(w io.Writer, r checks.Report, style Style) error {
	m := &markdown{style: style}
	title := "## Windows node report"
	if r.Node.Name != "" {
		title += ": " + inline(r.Node.Name)
	}
	m.put("%s\n\n%s.\n", title, Style{}.Counts(r))
	m.facts(r)
	for _, c := range r.Causes {
		m.cause(r, c)
	}
	m.unexplained(r)
	m.further(r)
	m.gaps(r)
	sentence, cause := Style{}.Verdict(r)
	if cause == "" {
		m.put("\n%s.\n", inline(sentence))
	}
	return m.end(w, len(r.Causes) > 0, r.Doctor)
}

type markdown struct {
	style Style
	b     strings.Builder
}

// end writes what the text ends in, and the text.
func (m *markdown) end(w io.Writer, faulty bool, by checks.Program) error {
	if faulty {
		m.put("\n%s\n", WrongDiagnosis)
	}
	m.put("\n---\n\nMade by doctor %s", inline(by.Version))
	if by.Commit != "" {
		m.put(" (%s)", code(by.Commit))
	}
	m.put(".\n")
	return m.writeTo(w)
}

func (m *markdown) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, m.b.String())
	return err
}

func (m *markdown) put(format string, args ...any) { fmt.Fprintf(&m.b, format, args...) }

func (m *markdown) facts(r checks.Report) {
	rows := [][2]string{
		{"Node", r.Node.Name}, {"Windows", strings.TrimSpace(r.Node.OS + " " + r.Node.Build)},
		{"Kubelet", r.Node.Kubelet},
		{"Runtime", r.Node.Runtime}, {"Network", r.Node.Network}, {"Platform", r.Node.Platform},
		{"Generation", r.Node.Generation}, {"Recorded", recordedAt(r)},
		{"Source", strings.TrimSpace(r.Source.Kind + " " + r.Source.Name)},
		{"Format", r.Source.Format},
	}
	rows = slices.DeleteFunc(rows, func(row [2]string) bool { return row[1] == "" })
	if len(rows) == 0 {
		return
	}
	m.put("\n| Fact | Value |\n| --- | --- |\n")
	for _, row := range rows {
		m.put("| %s | %s |\n", row[0], tableCode(row[1]))
	}
}

func (m *markdown) cause(r checks.Report, c checks.Cause) {
	result := resultOf(r, c)
	heading := "Cause"
	if result.Status == checks.StatusWarn {
		heading = "Warning"
	}
	m.put("\n### %s %s: %s\n\n%s\n", Symbol(result.Status, m.style.ASCII), heading, code(c.ID),
		inline(Message(result)))
	if len(result.Findings) > 0 {
		m.evidence(result.Findings[0].Because)
		m.codes(result.Findings[0].Codes)
		m.also(result.Findings[1:])
	}
	m.steps(result.Fix)
	if len(c.Consequences) > 0 {
		arrow := Plain(" → ", m.style.ASCII)
		m.put("\n**What follows from it:** %s\n", strings.Join(mapped(c.Consequences, code), arrow))
	}
}

// maxTicketEvidence bounds what one finding may bring into a ticket.
const maxTicketEvidence = 20

func (m *markdown) evidence(list []evidence.Because) {
	if len(list) == 0 {
		return
	}
	lines := mapped(list[:min(len(list), maxTicketEvidence)], func(b evidence.Because) string {
		return strings.TrimRight(Where(b.Place())+"  "+b.Text, " ")
	})
	m.put("\n%s", fence("text", lines))
	if more := len(list) - maxTicketEvidence; more > 0 {
		m.put("\nand %d more\n", more)
	}
}

func (m *markdown) codes(list []checks.DecodedCode) {
	if len(list) > 0 {
		m.put("\n")
	}
	for _, c := range list {
		m.put("- %s is %s: %s\n", code(c.Code), code(c.Symbol), inline(c.Meaning))
	}
}

func (m *markdown) also(findings []checks.ReportFinding) {
	if len(findings) == 0 {
		return
	}
	m.put("\n**Also found:**\n\n")
	for _, f := range findings[:min(len(findings), maxTicketEvidence)] {
		m.put("- %s\n", inline(f.Message))
	}
	if more := len(findings) - maxTicketEvidence; more > 0 {
		m.put("- and %d more\n", more)
	}
}

// steps writes a fix as a list of steps, each with its command.
func (m *markdown) steps(f checks.Fix) {
	if len(f.Steps) > 0 {
		m.put("\n**Fix:**\n\n")
	}
	for i, s := range f.Steps {
		text := s.Headline().String()
		if s.Text == "" && s.Kind != checks.StepVerify {
			text = ""
		}
		m.put("%d. %s\n", i+1, inline(text))
		if s.Command != "" {
			m.put("\n%s\n", indented(fence("powershell", []string{s.Command}), "   "))
		}
		if s.From != "" || s.To != "" {
			m.put("\n%s\n", indented(fence("diff", []string{"- " + s.From, "+ " + s.To}), "   "))
		}
		if s.Impact != "" {
			m.put("\n   Impact: %s\n\n", inline(s.Impact))
		}
	}
}

func indented(text, by string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return by + strings.Join(lines, "\n"+by)
}

// further lists what is found and no cause: consequences too, for a ticket is
// read by someone who cannot ask the node.
func (m *markdown) further(r checks.Report) {
	list := besides(r, map[string]bool{}, nil)
	if len(list) > 0 {
		m.put("\n### Found besides\n\n")
	}
	for _, result := range list {
		s := result.Status
		m.put("- %s %s %s: %s", inline(Symbol(s, m.style.ASCII)), s, code(result.ID),
			inline(Message(result)))
		if len(result.ExplainedBy) > 0 {
			m.put(" (explained by %s)", strings.Join(mapped(result.ExplainedBy, code), ", "))
		}
		m.put("\n")
	}
}

func (m *markdown) gaps(r checks.Report) {
	n := r.Count(checks.StatusUnknown)
	if n == 0 {
		return
	}
	m.put("\n### ? %s could not run\n\n", count(n, "check"))
	if said := judgedInPart(r, nil); said != "" {
		m.put("%s\n\n", inline(said))
	}
	for _, g := range GapGroups(r) {
		m.put("- %s", inline(g.Reason(nil)))
		if len(g.Paths) > 0 {
			m.put(": %s", strings.Join(mapped(g.Paths, code), ", "))
		}
		if len(g.Checks) > 0 {
			m.put("  \n  %s: %s", count(len(g.Checks), "check"),
				strings.Join(mapped(g.Checks, code), ", "))
		}
		m.put("\n")
	}
}

// Whoever can write a log line on the node could otherwise write the ticket:
// pictures, HTML, links that hide where they lead, and mentions of people all
// start with one of these.
var markdownSpecial = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `&lt;`, `>`, `&gt;`,
	`&`, `&amp;`,
	`|`, `\|`, `~`, `\~`, `$`, `\$`, `!`, `\!`, `@`, `@<!-- -->`,
)

var (
	blockStart = regexp.MustCompile(`^\s*([#+=-]|\d+[.)])`)
	reference  = regexp.MustCompile(`#(\d)`)
)

// inline writes a text so that Markdown shows it as it is.
func inline(s string) string {
	s = strings.TrimSpace(s)
	s = markdownSpecial.Replace(s)
	s = reference.ReplaceAllString(s, "#<!-- -->$1")
	if at := blockStart.FindStringSubmatchIndex(s); at != nil {
		s = s[:at[3]-1] + `\` + s[at[3]-1:]
	}
	return s
}

// code writes a text as a code span, whatever backticks it holds.
func code(s string) string {
	if s == "" {
		return ""
	}
	ticks := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.TrimSpace(s) == "" {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// tableCode is a code span within a table, where a bar ends the cell even in code.
func tableCode(s string) string {
	if strings.Contains(s, "|") {
		return strings.ReplaceAll(inline(s), `\|`, "&#124;")
	}
	return code(s)
}

// fence writes lines as a code block, within a fence longer than any in them.
func fence(language string, lines []string) string {
	text := strings.Join(lines, "\n")
	ticks := strings.Repeat("`", max(longestRun(text, '`')+1, 3))
	return ticks + language + "\n" + text + "\n" + ticks + "\n"
}

func longestRun(s string, of rune) int {
	longest, run := 0, 0
	for _, r := range s {
		if run++; r != of {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}
