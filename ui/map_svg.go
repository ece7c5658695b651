package ui

import (
	"fmt"
	"html"
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
