package tui

import "strings"

// A lineCopier is a screen whose selected line can be copied; "" where there is none.
type lineCopier interface{ selectedLine(e env) string }

// copyLine is the effect of the key that copies the selected line.
func (m model) copyLine() effect {
	text := ""
	if over, is := m.over(); !is {
		text = m.selectedLine()
	} else if c, can := over.(lineCopier); can {
		text = c.selectedLine(m.env())
	}
	if text = strings.TrimSpace(show(text, false)); text == "" {
		return effect{say: "nothing to copy: no line is selected"}
	}
	return effect{copy: text, copyAs: "line"}
}

func (m model) selectedLine() string {
	if res := m.result(); res != nil {
		return m.Status(res.Status) + ": " + res.Title + " (" + res.ID + ")"
	}
	rw, _ := m.selected()
	l := rowLine(&m.report, rw, maxFilter, true, true, m.voice)
	return strings.Join(strings.Fields(l.String()), " ")
}

func (b browser) selectedLine(env) string {
	en, _ := b.selected()
	return en.path
}

func (v viewer) selectedLine(env) string {
	if v.file == nil {
		return ""
	}
	if v.inTree() {
		return treeText(v.tree.rows, v.tree.row())
	}
	if v.cursor >= v.win.from && v.cursor < v.win.from+len(v.win.lines) {
		return v.win.lines[v.cursor-v.win.from].raw
	}
	return ""
}

func (t timelineScreen) selectedLine(env) string {
	if i, ok := t.selected(); ok {
		return entryText(&t.all.Entries[i])
	}
	return ""
}

func (s errorScreen) selectedLine(env) string {
	u, _ := s.selected()
	return u.Text
}

func (s symptomList) selectedLine(env) string {
	if s.at < len(s.asked) {
		return s.asked[s.at].Question
	}
	return ""
}

func (s symptomScreen) selectedLine(e env) string {
	if parts := s.parts(e); s.at < len(parts) {
		for _, l := range parts[s.at].lines {
			if text := l.String(); strings.Contains(text, ownText("›", e.ascii)) {
				return strings.Replace(text, ownText("›", e.ascii), "", 1)
			}
		}
	}
	return ""
}

func (d detailScreen) selectedLine(e env) string {
	p, s := d.page(e), d.currentStep()
	if s.at < len(p.items) {
		return p.lines[p.items[s.at].first].String()
	}
	return ""
}

func (b bundleScreen) selectedLine(env) string { return b.done.Path }
