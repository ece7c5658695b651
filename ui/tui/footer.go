package tui

import (
	"slices"
	"strings"

	"doctor/checks"
)

// footerLines are the line of keys, or of the answer to the last one, and the counts.
const footerLines = 2

func footer(m model) []line {
	if text := show(m.status, m.ascii); !m.typing && width(text) > m.width-2 { // worth both lines
		return exactly(wrapped(" ", text, m.width-2, accent), footerLines)
	}
	return []line{
		append(line{{" ", plain}}, talk(m)...),
		{{" ", plain}, {counts(m, m.width-2), faint}},
	}
}

// talk is the line where the screen and the user speak.
func talk(m model) line {
	switch {
	case m.typing:
		return apart(typedLine("/", m.view.filter, m.width-22, m.ascii),
			line{{found(m), faint}, {"  ", plain}}, m.width-1)
	case m.status != "":
		return line{{show(m.status, m.ascii), accent}}
	}
	return hints(hintsOf(m), m.width-2, m.voice)
}

// found is how many checks the list holds now.
func found(m model) string {
	n := 0
	for _, r := range m.rows {
		if r.kind == rowGroup {
			n += len(r.members)
		}
	}
	return m.T("%d of %d", n, len(m.report.Results))
}

// A hint is a key and what it does here, in a word or two. Lower rank stays longer.
type hint struct {
	key, does string
	rank      int
}

// helpHints are of the help.
func helpHints() []hint {
	return []hint{{"q esc", "close help", 0}, {"j k", "scroll", 1}, {"Q", "quit", 2}}
}

func hintsOf(m model) []hint {
	help, quit := hint{"?", "help", 0}, hint{"q", "quit", 0}
	if m.help {
		return helpHints()
	}
	if s, ok := m.over(); ok {
		list := s.hints()
		if len(list) == 0 || list[0].key != "esc" { // which means something else there
			list = append([]hint{{"esc", "back", 0}}, list...)
		}
		if s.typing() { // a question mark is text now
			return list
		}
		return append(list, help)
	}
	wrong := hint{"f", "only fail+warn", 8}
	if m.view.wrong {
		wrong.does = "show all"
	}
	if !m.began {
		return []hint{help, quit}
	}
	if m.detail {
		list := []hint{{"esc", "list", 0}, {"c", "copy fix", 2}, help, quit}
		if l := m.layout(); len(detailOf(m, l.detail)) > l.body {
			list = slices.Insert(list, 1, hint{"j k", "scroll", 1})
		}
		return list
	}
	list := []hint{{"enter", "open", 5}}
	for _, p := range places {
		list = append(list, p.hint)
	}
	list = append(list, hint{"/", "filter", 3}, hint{":", "more", 4})
	if m.live && !m.reading() {
		list = append(list, hint{"r", "again", 6}, hint{"w", "watch", 9})
	}
	list = append(list, hint{"c", "copy fix", 7}, wrong, help, quit)
	if r, ok := m.selected(); ok && r.folds() && !m.view.narrowed() {
		list[0].does = "unfold"
		if r.open {
			list[0].does = "fold"
		}
	}
	if m.view.narrowed() {
		list = slices.Insert(list, 1, hint{"esc", "clear", 1})
	}
	return list
}

func hints(list []hint, w int, say voice) line {
	for {
		var l line
		for i, h := range list {
			if i > 0 {
				l = append(l, span{"  ", plain})
			}
			l = append(l, span{h.key, strong}, span{" " + say.Word(h.does), faint})
		}
		if l.width() <= w || len(list) == 1 {
			return l
		}
		last := 0
		for i, h := range list {
			if h.rank >= list[last].rank {
				last = i
			}
		}
		list = slices.Delete(slices.Clone(list), last, last+1)
	}
}

// counts is the report in one line. Where it is too long, the checks that found
// nothing are left out first.
func counts(m model, w int) string {
	r, ascii := &m.report, m.ascii
	if m.reading() {
		return liveCounts(m, w)
	}
	consequences := 0
	for i := range r.Results {
		if r.Results[i].Status.Fault() && len(r.Results[i].ExplainedBy) > 0 {
			consequences++
		}
	}
	parts := []string{
		m.Count(len(r.Causes), "cause"), m.Count(consequences, "consequence"),
		m.T("%d %s", r.Count(checks.StatusPass), m.Word("pass")),
		m.T("%d %s", r.Count(checks.StatusUnknown), m.Word("unknown")),
		m.T("%d %s", r.Count(checks.StatusSkip), m.Word("not applicable")),
	}
	if n := len(m.watch.changed); n > 0 {
		parts = slices.Insert(parts, 0, m.T("%d changed", n))
	}
	join := func() string { return show(strings.Join(parts, " · "), ascii) }
	for _, drop := range []int{1, 2} { // from the end: not applicable, then pass
		if at := len(parts) - drop; width(join()) > w {
			parts = slices.Delete(parts, at, at+1)
		}
	}
	return clip(join(), w, ascii)
}

// liveCounts is how much is open, and what was found so far.
func liveCounts(m model, w int) string {
	if !m.began {
		return ""
	}
	r := &m.report
	open := r.Count(StatusWaiting) + r.Count(StatusReading)
	text := m.T("%d of %d open", open, len(r.Results))
	add := func(n int, what string) {
		if longer := text + " · " + what; n > 0 && width(show(longer, m.ascii)) <= w {
			text = longer
		}
	}
	add(len(r.Causes), m.T("%s so far", m.Count(len(r.Causes), "cause")))
	for _, s := range byWeight {
		add(r.Count(s), m.T("%d %s", r.Count(s), m.Status(s)))
	}
	return clip(show(text, m.ascii), w, m.ascii)
}
