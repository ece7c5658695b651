package ui

import (
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/netmap"
)

// The map is drawn from top to bottom and as narrow as a phone, in pixels.
const (
	mapWidth  = 380
	mapIndent = 12
	mapLine   = 16 // of a text
	mapLetter = 7.3
	mapGap    = 7
)

func (h *htmlPage) networkMap(s evidence.Snapshot, r *checks.Report, secret func(string) string) {
	m := netmap.Of(s, r)
	h.put("<div class=\"maps\">\n")
	for _, part := range []struct {
		title string
		boxes []*netmap.Box
	}{{h.T("Network map"), m.Network}, {h.T("Services"), m.Services}} {
		if len(part.boxes) > 0 {
			h.put("<h2>%s</h2>\n", part.title)
		}
		for _, box := range part.boxes { // each a picture of its own, which no page break cuts
			d := drawing{secret: secret, more: func(n int) string { return h.T("and %d more", n) }}
			d.box(box, 0)
			title := secret(box.Kind + " " + box.Name)
			h.put("<svg class=\"map\" role=\"img\" viewBox=\"0 0 %d %d\">\n<title>%s</title>\n%s</svg>\n",
				mapWidth, d.y+2, title, markup(d.b.String()))
		}
	}
	h.put("</div>\n")
}

// A drawing grows downwards.
type drawing struct {
	b      strings.Builder
	y      int
	secret func(string) string
	more   func(int) string
}

func (d *drawing) put(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

// text sets lines that fit between x and the right border, and says how many.
func (d *drawing) text(class string, x, y int, text string) int {
	columns := int(float64(mapWidth-x-6) / mapLetter)
	lines := bound(Wrap(Plain(evidence.Clip(d.secret(text), evidence.MaxText), false), columns, columns),
		4, columns, false)
	for i, l := range lines {
		d.put("<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n", class, x, y+(i+1)*mapLine-4,
			html.EscapeString(l))
	}
	return len(lines)
}

// box draws a box and what is in it, and returns the middle of its left side.
func (d *drawing) box(box *netmap.Box, depth int) int {
	x := 1 + depth*mapIndent
	for _, p := range box.Edge {
		d.y += d.text(strings.TrimSpace("edge "+string(p.State)), x+4, d.y, edgeText(p)) * mapLine
	}
	from := d.y
	inner := drawing{secret: d.secret}
	kind := box.Kind
	if box.State != "" {
		kind += ": " + string(box.State)
	}
	lines := inner.text("kind", x+6, from+2, kind)
	if box.Name != "" {
		lines += inner.text("name", x+6, from+2+lines*mapLine, box.Name)
	}
	if box.Note != "" {
		lines += inner.text("note", x+6, from+2+lines*mapLine, box.Note)
	}
	height := lines*mapLine + 6
	d.put("<g class=\"%s\">\n<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>\n%s</g>\n",
		box.State, x, from, mapWidth-x-1, height, inner.b.String())
	d.y += height + mapGap
	bottom := from + height
	for _, in := range box.Inside {
		at := d.box(in, depth+1)
		d.put("<path d=\"M%d %dV%dH%d\"/>\n", x+mapIndent/2, bottom, at, x+mapIndent)
	}
	if box.More > 0 {
		d.y += d.text("edge", x+mapIndent+4, d.y, d.more(box.More)) * mapLine
	}
	return from + height/2
}

func edgeText(p netmap.Policy) string {
	if p.State == "" {
		return p.Text
	}
	return p.Text + ": " + string(p.State)
}

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
	return `"` + strings.Join(mapped(given(slices.Clone(lines)...), func(line string) string {
		return mermaidSigns.ReplaceAllStringFunc(
			Plain(evidence.Clip(d.secret(line), evidence.MaxText), false),
			func(sign string) string { return fmt.Sprintf("#%d;", sign[0]) })
	}), "<br/>") + `"`
}

// mermaidSigns are the signs of ASCII that could mean something in a label.
var mermaidSigns = regexp.MustCompile(`[^[:alnum:] .,:/()_\x{80}-\x{10ffff}-]`)
