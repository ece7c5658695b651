package ui

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/netmap"
)

// WriteMermaid draws the network map for Markdown, as text that GitHub and others draw
// (https://mermaid.js.org). Nothing is written of evidence that shows no network. secret takes the
// secrets out of a text.
func WriteMermaid(w io.Writer, r checks.Report, s evidence.Snapshot, secret func(string) string, style Style) error {
	m := netmap.Of(s, &r)
	l := style.lang()
	d := mermaid{secret: secret, more: func(n int) string { return l.T("and %d more", n) }}
	for _, box := range append(m.Network, m.Services...) {
		d.box(box)
	}
	if d.n == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "\n<details><summary>%s</summary>\n\n```mermaid\nflowchart TD\n%s%s```\n\n</details>\n",
		l.T("Network map"), d.b.String(), mermaidStyles)
	return err
}

// mermaidStyles mark what is missing, wrong and stale, by more than a color.
const mermaidStyles = `  classDef missing stroke:#b00020,stroke-width:2px,stroke-dasharray:5 4
  classDef wrong stroke:#b00020,stroke-width:3px
  classDef stale stroke:#8a5a00,stroke-width:2px,stroke-dasharray:2 3
`

type mermaid struct {
	b      strings.Builder
	n      int
	secret func(string) string
	more   func(int) string
}

// box draws a box with what is in it, and returns its name.
func (d *mermaid) box(box *netmap.Box) string {
	label := []string{box.Kind, box.Name}
	if box.State != "" {
		label[0] += ": " + string(box.State)
	}
	name := d.node(append(label, box.Note))
	if box.State != "" {
		fmt.Fprintf(&d.b, "  class %s %s\n", name, box.State)
	}
	for _, in := range box.Inside {
		inside := d.box(in)
		if len(in.Edge) > 0 {
			edge := d.text(mapped(in.Edge, edgeText))
			fmt.Fprintf(&d.b, "  %s -->|%s| %s\n", name, edge, inside)
		} else {
			fmt.Fprintf(&d.b, "  %s --> %s\n", name, inside)
		}
	}
	if box.More > 0 {
		fmt.Fprintf(&d.b, "  %s --> %s\n", name, d.node([]string{d.more(box.More)}))
	}
	return name
}

func (d *mermaid) node(label []string) string {
	d.n++
	name := fmt.Sprint("n", d.n)
	fmt.Fprintf(&d.b, "  %s[%s]\n", name, d.text(label))
	return name
}

// text is a label of several lines. What is more than letters, digits and a few signs is written by
// number: evidence cannot end a label, nor the block that it stands in.
func (d *mermaid) text(lines []string) string {
	var b strings.Builder
	for i, line := range given(slices.Clone(lines)...) {
		if i > 0 {
			b.WriteString("<br/>")
		}
		for _, c := range Plain(evidence.Clip(d.secret(line), evidence.MaxText), false) {
			if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80 ||
				strings.ContainsRune(" .,:/()-_", c) {
				b.WriteRune(c)
			} else {
				fmt.Fprintf(&b, "#%d;", c)
			}
		}
	}
	return `"` + b.String() + `"`
}
