package ui

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/ui/lang"
	"doctor/ui/timeline"
)

//go:embed report.css
var reportStyle string

// A browser takes this style sheet and nothing else: no script, no image, no address.
func contentPolicy() string {
	sum := sha256.Sum256([]byte(reportStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'"
}

// WriteHTML draws the report as one file that needs nothing beside it, with the pictures that are
// made of the evidence. Secret takes the secrets out of what comes from the evidence: the report
// has lost its own already.
func WriteHTML(w io.Writer, r checks.Report, s evidence.Snapshot, secret func(string) string,
	style Style) error {
	h := &htmlPage{Catalogue: style.lang(), style: style}
	h.pictures = func(english, said *checks.Report) {
		h.networkMap(s, said, secret)
		h.timeline(timeline.In(style.lang(), s, english), secret)
	}
	return h.write(w, plainly(r, false))
}

// An htmlPage collects the document.
type htmlPage struct {
	*lang.Catalogue
	style Style
	// of the report in English and in the language of the page; nil without evidence
	pictures func(english, said *checks.Report)
	b        strings.Builder
}

// markup is HTML that put takes as it is.
type markup string

// put writes markup. Each argument that is not markup or a number is escaped: whoever can write a
// log line on the node could otherwise write the page.
func (h *htmlPage) put(format string, args ...any) {
	safe := make([]any, len(args))
	for i, arg := range args {
		switch arg.(type) {
		case markup, int:
			safe[i] = arg
		default:
			safe[i] = escaped(fmt.Sprint(arg))
		}
	}
	fmt.Fprintf(&h.b, format, safe...)
}

func escaped(s string) markup { return markup(html.EscapeString(Plain(s, false))) }

func (h *htmlPage) write(w io.Writer, english checks.Report) error {
	language := "en"
	if h.Catalogue != nil {
		language = "zh-Hans"
	}
	r := plainly(h.Report(english), false)
	title := h.T("Windows node report")
	if r.Node.Name != "" {
		title += ": " + r.Node.Name
	}
	h.put(`<!DOCTYPE html>
<html lang="%s">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>%s</style>
</head>
<body>
<h1>%s</h1>
<p>%s</p>
`, language, contentPolicy(), title, markup(reportStyle), title, h.style.Counts(r))
	sentence, cause := h.style.Verdict(r)
	if cause != "" {
		sentence += " (" + cause + ")"
	}
	h.put("<p class=\"verdict\">%s</p>\n", sentence)
	h.facts(r)
	for _, c := range r.Causes {
		h.cause(r, c)
	}
	if h.pictures != nil {
		h.pictures(&english, &r)
	}
	h.unexplained(r)
	h.further(r)
	h.gaps(r)
	h.all(r)
	h.put("<footer>\n")
	if len(r.Causes) > 0 {
		h.put("<p>%s</p>\n", h.Word(WrongDiagnosis))
	}
	h.put("<p>%s</p>\n</footer>\n</body>\n</html>\n", strings.TrimSpace("doctor "+r.Doctor.Version+
		" "+r.Doctor.Commit))
	text := h.b.String()
	if h.style.ASCII {
		text = numericEntities(text)
	}
	_, err := io.WriteString(w, text)
	return err
}

// numericEntities writes what is not ASCII by its numbers, which a browser shows as it is.
func numericEntities(s string) string {
	return notASCII.ReplaceAllStringFunc(s, func(run string) string {
		var b strings.Builder
		for _, r := range run {
			fmt.Fprintf(&b, "&#x%x;", r)
		}
		return b.String()
	})
}

func (h *htmlPage) facts(r checks.Report) {
	h.put("<dl class=\"facts\">\n")
	for _, row := range [][2]string{
		{h.T("Node"), r.Node.Name}, {"Windows", strings.TrimSpace(r.Node.OS + " " + r.Node.Build)},
		{"kubelet", r.Node.Kubelet}, {h.T("Runtime"), r.Node.Runtime},
		{h.T("Network"), r.Node.Network}, {h.T("Platform"), r.Node.Platform},
		{h.T("Recorded"), recordedAt(r)},
		{h.T("Source"), strings.TrimSpace(r.Source.Kind + " " + r.Source.Name + " " + r.Source.Format)},
	} {
		if row[1] != "" {
			h.put("<dt>%s</dt><dd>%s</dd>\n", row[0], row[1])
		}
	}
	h.put("</dl>\n")
}

func (h *htmlPage) sign(s checks.Status) markup {
	return markup(fmt.Sprintf(`<span class="sign %s">%s</span>`, html.EscapeString(string(s)),
		html.EscapeString(Symbol(s, false))))
}

func (h *htmlPage) cause(r checks.Report, c checks.Cause) {
	result := resultOf(r, c)
	h.put("<article class=\"%s\">\n<h2>%s %s</h2>\n<p class=\"id\"><code>%s</code></p>\n<p>%s</p>\n",
		result.Status, h.sign(result.Status), result.Title, c.ID, Message(result))
	h.fix(result.Fix)
	if len(result.Findings) > 0 {
		listed(h, 3, h.T("Evidence"), plainList, result.Findings[0].Because, maxTicketEvidence,
			func(b evidence.Because) {
				h.put("<code class=\"id\">%s</code><pre>%s</pre>", Where(b.Place()), b.Text)
			})
		for _, code := range result.Findings[0].Codes {
			h.put("<p>%s</p>\n", h.style.Decoded(code))
		}
		listed(h, 3, h.T("Also found"), dottedList, result.Findings[1:], maxTicketEvidence,
			func(f checks.ReportFinding) { h.put("%s", f.Message) })
	}
	listed(h, 3, h.T("What follows from it"), dottedList, c.Consequences, everything,
		func(id string) {
			said := id
			if found := r.Result(id); found != nil {
				said = found.Title
			}
			h.put("%s <code class=\"id\">%s</code>", said, id)
		})
	h.links(result.Links)
	h.put("</article>\n")
}

// Lists begin with one of these.
const (
	plainList  markup = `<ul class="plain">`
	dottedList markup = `<ul>`
)

// listed draws a list below a heading, as much of it as most, and says how much more there is. An
// empty list has no heading.
func listed[T any](h *htmlPage, level int, heading string, begin markup, list []T, most int,
	item func(T)) {
	if len(list) == 0 {
		return
	}
	h.put("<h%d>%s</h%d>\n%s\n", level, heading, level, begin)
	for _, one := range list[:min(len(list), most)] {
		h.put("<li>")
		item(one)
		h.put("</li>\n")
	}
	if more := len(list) - most; more > 0 {
		h.put("<li class=\"faint\">%s</li>\n", h.T("and %d more", more))
	}
	h.put("</ul>\n")
}

func (h *htmlPage) fix(f checks.Fix) {
	if len(f.Steps) == 0 {
		return
	}
	h.put("<h3>%s</h3>\n<ol>\n", h.T("Fix"))
	for _, s := range f.Steps {
		h.put("<li>")
		if text := h.Say(s.Headline()); text != s.Command {
			h.put("%s", text)
		}
		if s.Command != "" {
			h.put("<pre>%s</pre>", s.Command)
		}
		if s.From != "" || s.To != "" {
			h.put("<pre><del>%s</del>\n<ins>%s</ins></pre>", s.From, s.To)
		}
		if s.Impact != "" {
			h.put("<p class=\"faint\">%s</p>", h.T("Impact: %s", s.Impact))
		}
		h.put("</li>\n")
	}
	h.put("</ol>\n")
}

// links are the documents behind a check; no other address is made one to click at.
func (h *htmlPage) links(list []string) {
	listed(h, 3, h.T("Links"), plainList, slices.DeleteFunc(slices.Clone(list), func(l string) bool {
		return !strings.HasPrefix(l, "https://")
	}), everything, func(l string) {
		h.put("<a rel=\"noreferrer\" href=\"%s\">%s</a>", l, l)
	})
}

func (h *htmlPage) unexplained(r checks.Report) {
	listed(h, 2, h.T("Errors that no check explains"), plainList, r.Unexplained, maxTicketEvidence,
		func(u checks.Unexplained) {
			h.put("<code class=\"id\">%s</code><pre>%s</pre><span class=\"faint\">%s</span>",
				Where(u.Place()), u.Text, h.style.AboutUnexplained(u))
		})
}

// further lists the faults, warnings and informations that are no cause.
func (h *htmlPage) further(r checks.Report) {
	listed(h, 2, h.T("Found besides"), plainList, besides(r, map[string]bool{}, h.Catalogue),
		everything, func(result *checks.Result) {
			h.put("%s %s <code class=\"id\">%s</code>", h.sign(result.Status), Message(result),
				result.ID)
			if len(result.ExplainedBy) > 0 {
				h.put("<br><span class=\"faint\">%s</span>", h.T("explained by %s",
					strings.Join(result.ExplainedBy, ", ")))
			}
		})
}

func (h *htmlPage) gaps(r checks.Report) {
	n := r.Count(checks.StatusUnknown)
	if n == 0 {
		return
	}
	if said := judgedInPart(r, h.Catalogue); said != "" {
		h.put("<p>%s</p>\n", said)
	}
	listed(h, 2, h.T("%s could not run", h.Count(n, "check")), dottedList, GapGroups(r), everything,
		func(g GapGroup) {
			h.put("%s", g.Reason(h.Catalogue))
			if len(g.Paths) > 0 {
				h.put("<br><code class=\"id\">%s</code>", strings.Join(g.Paths, ", "))
			}
		})
}

// all is every check, folded, and not printed.
func (h *htmlPage) all(r checks.Report) {
	if len(r.Results) == 0 {
		return
	}
	h.put("<details>\n<summary>%s</summary>\n<ul class=\"plain\">\n", h.T("All checks"))
	for i := range r.Results {
		result := &r.Results[i]
		h.put("<li>%s %s <code class=\"id\">%s</code></li>\n", h.sign(result.Status), Title(result),
			result.ID)
	}
	h.put("</ul>\n</details>\n")
}

// How many moments the page shows: those before the fault began, and those from then on.
const (
	momentsBefore = 40
	momentsAfter  = 120
)

func (h *htmlPage) timeline(t *timeline.Timeline, secret func(string) string) {
	if len(t.Entries) == 0 {
		return
	}
	from, to := max(len(t.Entries)-momentsBefore-momentsAfter, 0), len(t.Entries)
	if t.FirstBad >= 0 {
		from = max(t.FirstBad-momentsBefore, 0)
		to = min(t.FirstBad+momentsAfter, len(t.Entries))
	}
	h.put("<h2>%s</h2>\n", h.T("Timeline"))
	if from > 0 || to < len(t.Entries) || t.LeftOut > 0 {
		h.put("<p class=\"faint\">%s</p>\n", h.T("%d of %d moments are shown; the rest is in the evidence.",
			to-from, len(t.Entries)+t.LeftOut))
	}
	h.put("<ol class=\"moments\">\n")
	for i := from; i < to; i++ {
		e := &t.Entries[i]
		class := string(e.Level)
		if e.Over != "" {
			class = "over"
		}
		h.put("<li class=\"%s\">", class)
		if i == t.FirstBad {
			h.put("<span class=\"first\">%s <code>%s</code></span>", h.T("the fault began here"),
				t.Cause)
		}
		h.put("<time>%s</time> <strong>%s</strong> %s", e.At.Format(time.DateTime), e.Component,
			evidence.Clip(secret(e.Text), evidence.MaxText))
		if e.More > 0 {
			h.put(" <span class=\"faint\">%s</span>", h.T("%d times", e.More+1))
		}
		if e.Over != "" {
			h.put(" <span class=\"faint\">(%s)</span>", e.Over)
		}
		h.put("</li>\n")
	}
	h.put("</ol>\n")
}
