package ui

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// CatalogueMarkdown writes the page on all checks, checks/README.md. Headings
// are the bare ids, so that a link to one is #id.
func CatalogueMarkdown(w io.Writer, catalogue *checks.Catalogue) error {
	list := catalogue.All()
	m := &markdown{}
	m.put("# What doctor checks\n\n")
	m.put("<!-- Printed by `doctor explain -o markdown` from the checks themselves: edit those, then run `make docs`. -->\n\n")
	m.put("%s. Each reads recorded evidence and nothing else. It comes to fail, warn or info where it finds something\n", count(len(list), "check"))
	m.put("(info is normal on Windows), to pass, to unknown where the evidence is missing, or to skip where the question does\n")
	m.put("not arise. In a fix, `{node}` and the like stand for the node's own values, which the report fills in.\n")
	groups := byCategory(list)
	for _, group := range groups {
		m.put("\n**%s**\n\n", inline(string(group[0].Category)))
		for _, c := range group {
			m.put("- [%s](#%s): %s\n", c.ID, c.ID, inline(c.Title))
		}
	}
	known := map[string]bool{}
	for _, c := range list {
		known[c.ID] = true
	}
	for _, group := range groups {
		m.put("\n## %s\n", inline(string(group[0].Category)))
		for _, c := range group {
			m.entry(catalogue, c, known)
		}
	}
	m.effects(catalogue)
	return m.writeTo(w)
}

func (m *markdown) entry(catalogue *checks.Catalogue, c *checks.Check, known map[string]bool) {
	m.put("\n### %s\n\n**%s**\n", c.ID, inline(c.Title))
	for _, paragraph := range paragraphs(c.Doc) {
		m.put("\n%s\n", inline(paragraph))
	}
	m.steps(c.Fix.Unfilled())
	if list := particulars(catalogue, c, known); len(list) > 0 {
		m.put("\n- %s\n", strings.Join(list, "\n- "))
	}
}

// particulars are the items under a check's prose.
func particulars(catalogue *checks.Catalogue, c *checks.Check, known map[string]bool) []string {
	var list []string
	item := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if len(c.Needs) > 0 {
		item("Needs: %s", needsText(c.Needs))
	}
	if len(c.Uses) > 0 {
		item("Reads where recorded: %s", needsText(c.Uses))
	}
	if len(c.Signs) > 0 {
		item("Signs:\n  - %s", strings.Join(mapped(c.Signs, markdownSign), "\n  - "))
	}
	if shown := c.Signifies(); len(shown) > 0 {
		item("Shows a fault of: %s", effectLinks(shown))
	}
	if broken := c.Broken(); len(broken) > 0 {
		item("Breaks: %s", effectLinks(broken))
	}
	if follow := catalogue.Explains(c.ID); len(follow) > 0 {
		item("Explains: %s", strings.Join(mapped(follow, func(id string) string {
			if known[id] {
				return "[" + id + "](#" + id + ")"
			}
			return code(id)
		}), ", "))
	}
	if len(c.FAQ) > 0 {
		item("FAQ: %s of [Windows debugging tips](%s)", numbers(c.FAQ), faqPage)
	}
	for _, l := range links(c) {
		item("<%s>", l)
	}
	return list
}

func markdownSign(s checks.Sign) string {
	text := signWith(s, code, nil) + " in " + inline(signPlaces(s, nil))
	if s.ConfirmOnly {
		text += ", only confirms what the state shows"
	}
	return text
}

// effects is the part of the page on what faults break.
func (m *markdown) effects(catalogue *checks.Catalogue) {
	list := catalogue.Effects()
	if len(list) == 0 {
		return
	}
	m.put("\n## effects\n\n")
	m.put("What faults break. A fault explains the checks that show what it breaks, and what breaks along with it. Where a\n")
	m.put("check judges an effect, its pass says that the effect is intact, and nothing follows through it.\n\n")
	for _, e := range list {
		m.put("- <a id=\"%s\"></a>**%s**: %s", effectAnchor(e), inline(e.Name), inline(e.Doc))
		if len(e.Implies) > 0 {
			m.put(" With it breaks: %s.", effectLinks(e.Implies))
		}
		for _, c := range catalogue.All() {
			if c.Judges == e {
				m.put(" Judged by [%s](#%s).", c.ID, c.ID)
			}
		}
		m.put("\n")
	}
}

func effectLinks(list []*checks.Effect) string {
	return strings.Join(mapped(list, func(e *checks.Effect) string {
		return "[" + inline(e.Name) + "](#" + effectAnchor(e) + ")"
	}), ", ")
}

// effectAnchor is an effect's anchor, apart from those of checks and categories.
func effectAnchor(e *checks.Effect) string { return "effect-" + e.ID }

func needsText(needs []evidence.Need) string {
	return strings.Join(mapped(needs, func(n evidence.Need) string {
		paths := mapped(evidence.Names(n), code)
		if len(paths) > 1 {
			return "any of " + strings.Join(paths, ", ")
		}
		return strings.Join(paths, "")
	}), "; ")
}

type (
	jsonCheck struct {
		ID       string          `json:"id"`
		Title    string          `json:"title"`
		Healthy  string          `json:"healthy"`
		Doc      string          `json:"doc"`
		Category checks.Category `json:"category"`
		FAQ      []int           `json:"faq"`
		Fix      checks.Fix      `json:"fix"`
		Links    []string        `json:"links"`
		Breaks   []string        `json:"breaks"` // ids of effects
		// ids of effects: the fault is a sign that they are broken
		Shows    []string   `json:"shows"`
		Explains []string   `json:"explains"` // ids of checks: what follows directly
		Needs    [][]string `json:"needs"`    // of each, one of the paths must be there
		Uses     [][]string `json:"uses"`
		Symptom  bool       `json:"symptom"` // never the cause of anything
		Lints    bool       `json:"lints"`   // judges manifests too
		Signs    []jsonSign `json:"signs"`
	}
	jsonSign struct {
		Text        string   `json:"text"`
		Or          []string `json:"or"`
		Also        []string `json:"also"`
		Not         []string `json:"not"`
		In          []string `json:"in"`
		Says        string   `json:"says"`
		Level       string   `json:"level"`
		ConfirmOnly bool     `json:"confirmOnly"`
	}
)

// CatalogueJSON writes the checks as a JSON array in ASCII: `jq length` counts them.
func CatalogueJSON(w io.Writer, catalogue *checks.Catalogue) error {
	idOf := func(e *checks.Effect) string { return e.ID }
	return encode(w, mapped(catalogue.All(), func(c *checks.Check) jsonCheck {
		return jsonCheck{
			ID: c.ID, Title: c.Title, Healthy: c.Healthy, Doc: c.Doc, Category: c.Category,
			FAQ:   there(c.FAQ),
			Fix:   checks.Fix{Steps: there(c.Fix.Unfilled().Steps)},
			Links: there(c.Links), Explains: there(catalogue.Explains(c.ID)),
			Breaks: mapped(c.Broken(), idOf), Shows: mapped(c.Signifies(), idOf),
			Needs: mapped(c.Needs, evidence.Need.Paths), Uses: mapped(c.Uses, evidence.Need.Paths),
			Symptom: c.Symptom, Lints: c.Lints,
			Signs: mapped(c.Signs, func(s checks.Sign) jsonSign {
				return jsonSign{s.Text, there(s.Or), there(s.Also), there(s.Not), there(s.In), s.Says,
					cmp.Or(s.Level, checks.Fail).String(), s.ConfirmOnly}
			}),
		}
	}))
}
