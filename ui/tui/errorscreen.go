package tui

import (
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/ui"
	"doctor/ui/timeline"
)

// errorScreen lists the error lines and warning events that no check explains, the one that an
// expert would read first at the top. Where the catalogue does not know the fault, they are all
// that there is to go by.
type errorScreen struct {
	filtered
	list []checks.Unexplained // of the last report that was finished
	here evidence.Place       // of the one that was selected last, also while a filter hides all
}

func newErrors(e env) screen { return errorScreen{}.with(e.report.Unexplained, "") }

// with shows what of a list holds the filter, and stays at its place in the evidence if that is
// among it.
func (s errorScreen) with(list []checks.Unexplained, filter string) errorScreen {
	if u, ok := s.selected(); ok {
		s.here = u.Place()
	}
	s.list, s.filter, s.shown, s.at = list, filter, nil, 0
	for i := range s.list {
		u := &s.list[i]
		if !holds(filter, u.Component, u.Text, u.Path) {
			continue
		}
		if u.Place() == s.here {
			s.at = len(s.shown)
		}
		s.shown = append(s.shown, i)
	}
	return s
}

func (s errorScreen) selected() (checks.Unexplained, bool) {
	if s.at >= len(s.shown) {
		return checks.Unexplained{}, false
	}
	return s.list[s.shown[s.at]], true
}

func (s errorScreen) title(e env) string {
	switch {
	case s.filter != "":
		return e.T("filter %s", s.filter) + " · " + e.T("%d of %d", len(s.shown), len(s.list))
	case e.width < wordsFrom || len(s.list) == 0:
		return e.T("Errors that no check explains")
	}
	return e.T("Errors that no check explains · UTC")
}

func (s errorScreen) hints() []hint {
	if s.writing {
		return []hint{{"esc", "clear", 0}, {"enter", "filter", 0}}
	}
	if len(s.list) == 0 {
		return nil
	}
	return []hint{{"enter", "evidence", 1}, {"/", "filter", 3}, {"y", "copy line", 2}}
}

func (s errorScreen) bindings() []key.Binding {
	return []key.Binding{keys.evidence, keys.filter, keys.wayBack}
}

// receive keeps the old list until the new report is finished.
func (s errorScreen) receive(e env, msg tea.Msg) (screen, effect) {
	if u, is := msg.(Update); is && u.Done {
		s = s.with(e.report.Unexplained, s.filter)
	}
	return s, effect{}
}

func (s errorScreen) press(e env, k tea.KeyMsg) (screen, effect) {
	if s.writing {
		before := s.filter
		if s.filtered = s.typed(k); s.filter != before {
			s = s.with(s.list, s.filter)
		}
		return s, effect{}
	}
	if n, ok := motion(k, max(s.rows(e)/errorLines, 1)); ok {
		s.filtered = s.moved(n)
		return s, effect{}
	}
	switch u, is := s.selected(); {
	case key.Matches(k, keys.back) && s.filter != "":
		return s.with(s.list, ""), effect{}
	case key.Matches(k, keys.back, keys.quit, keys.wayBack):
		return s, effect{back: true}
	case key.Matches(k, keys.enter) && is:
		return s, effect{open: newViewerAt(u.Place())}
	case key.Matches(k, keys.filter) && len(s.list) > 0:
		s.writing = true
	}
	return s, effect{}
}

// click selects an error, and opens the selected one.
func (s errorScreen) click(e env, y int) (screen, effect) {
	if s.writing || y >= s.rows(e) {
		return s, effect{}
	}
	for at := s.top; at < len(s.shown); at++ {
		if y -= len(s.entry(e, at)); y >= 0 {
			continue
		}
		if at == s.at {
			u, _ := s.selected()
			return s, effect{open: newViewerAt(u.Place())}
		}
		s.at = at
		break
	}
	return s, effect{}
}

// errorLines are those of one error at most: what it is of, and two of its text.
const errorLines = 3

// errorsBelow is how many lines the selected error has below the list at least, its rule included.
const errorsBelow = 5

// rows is how many lines the list has.
func (s errorScreen) rows(e env) int {
	rows := e.height
	if s.writing {
		rows--
	}
	if e.height >= 11 && len(s.list) > 0 {
		rows -= errorsBelow
	}
	return max(rows, 1)
}

func (s errorScreen) settled(e env) screen {
	s.at, s.top = inSightOf(s.at, s.top, len(s.shown), s.rows(e), func(at, _ int) int {
		return len(s.entry(e, at))
	})
	return s
}

func (s errorScreen) body(e env) []line {
	if len(s.list) == 0 {
		text := e.T("No unexplained errors in the logs and events that were read.")
		if !e.done {
			text = e.T("Errors are listed as soon as the whole node is read.")
		}
		p := page{width: min(e.width-2, readable), voice: e.voice}
		p.text(" ", text, plain)
		return p.lines
	}
	var lines, list []line
	if s.writing {
		lines = append(lines, s.typedLine(e, len(s.list)))
	}
	if len(s.shown) == 0 {
		list = append(list, line{{" " + e.T("no error matches"), faint}})
	}
	all := 0
	for at := range s.shown {
		all += len(s.entry(e, at))
	}
	room := min(s.rows(e), max(all, 1))
	for at := s.top; at < len(s.shown) && len(list) < room; at++ {
		list = append(list, s.entry(e, at)...)
	}
	lines = append(lines, exactly(list, room)...)
	if h := e.height - len(lines); h > 1 {
		lines = append(lines, s.below(e, h)...)
	}
	return lines
}

// entry is one error: of which component, how often and when, and what it says.
func (s errorScreen) entry(e env, at int) []line {
	u := &s.list[s.shown[at]]
	head := line{cursorMark(at == s.at, e.ascii),
		{show(e.Word(u.Component), e.ascii), strong}}
	if u.Count > 1 {
		head = append(head, span{"  " + e.T("%d times", u.Count), plain})
	}
	w := s.width(e)
	lines := []line{apart(head, line{{e.moments(u, e.width >= wordsFrom), faint}}, w)}
	lead := span{"    ", plain}
	if at == s.at {
		lead = span{ownText("│", e.ascii) + "   ", accent}
	}
	texts, _ := errorText(u, w-4, errorLines-1, e.ascii)
	for _, text := range texts {
		lines = append(lines, line{lead, {text, plain}})
	}
	return lines
}

func (s errorScreen) width(e env) int { return min(e.width-1, rowWidth) }

// errorText is what an error says, in so many lines at most, and the rest of it. Its moment stands
// beside it.
func errorText(u *checks.Unexplained, w, most int, ascii bool) (lines []string, rest string) {
	text := show(timeline.Unstamped(u.Text), ascii)
	if lines = wrap(text, w); len(lines) <= most {
		return lines, ""
	}
	mark := " " + ellipsis(ascii)
	lines = wrap(text, w-width(mark))
	rest = strings.Join(lines[most:], " ")
	lines[most-1] += mark
	return lines[:most], rest
}

// moments are when an error was first and last seen; only the latter where there is little room.
func (say voice) moments(u *checks.Unexplained, wide bool) string {
	switch {
	case u.Last.IsZero():
		return ""
	case !wide:
		return u.Last.Format(time.TimeOnly)
	case u.First.IsZero() || u.First.Equal(u.Last):
		return u.Last.Format(time.DateTime)
	case sameDay(u.First, u.Last):
		return say.T("%s to %s", u.First.Format(time.DateTime), u.Last.Format(time.TimeOnly))
	}
	return say.T("%s to %s", u.First.Format(time.DateTime), u.Last.Format(time.DateTime))
}

// below is, in h lines at most, where the selected error is, what its codes mean, what the list has
// no room for, and why it is worth a look.
func (s errorScreen) below(e env, h int) []line {
	u, ok := s.selected()
	if !ok {
		return []line{rule("", e.width, e.ascii)}
	}
	p := page{width: min(e.width-2, readable), voice: e.voice}
	for _, c := range u.Codes {
		p.text("", p.style().Decoded(c), plain)
	}
	if _, rest := errorText(&u, s.width(e)-4, errorLines-1, e.ascii); rest != "" {
		p.led(span{ellipsis(e.ascii) + " ", faint}, rest, plain)
	}
	if e.width < wordsFrom { // the list has no room for when it was
		p.text("", p.style().AboutUnexplained(u), plain)
	} else if len(u.Reasons) > 0 {
		why := make([]string, len(u.Reasons))
		for i, reason := range u.Reasons {
			why[i] = p.Say(reason)
		}
		p.led(span{p.T("why") + "  ", faint}, strings.Join(why, p.T(", ")), plain)
	}
	return p.under(ui.Where(u.Place()), e.width, h)
}

// errorsDetail is what the overview tells of the errors beside its list, or below it. What the list
// quotes is not said again below it.
func errorsDetail(p *page, list []checks.Unexplained, quoted bool) {
	for i := range list {
		u := &list[i]
		p.blank()
		if !quoted {
			p.led(span{p.Word(u.Component) + "  ", faint}, timeline.Unstamped(u.Text), plain)
		}
		for _, c := range u.Codes {
			p.text("  ", p.style().Decoded(c), plain)
		}
		p.text("  ", p.style().AboutUnexplained(*u), faint)
		p.text("  ", ui.Where(u.Place()), faint)
	}
}

// maxErrorsSeen is how many errors the overview quotes.
const maxErrorsSeen = 3

// errorRows are the rows of the overview: how many errors no check explains and, where no cause is
// known or it is only a symptom, the first of them, since then they say most.
func errorRows(r *checks.Report, c *checks.Catalogue, l layout, say voice) []row {
	n := len(r.Unexplained)
	if n == 0 {
		return nil
	}
	rows := []row{{kind: rowErrors, text: say.T("%s that no check explains",
		say.Count(n, "error"))}}
	if len(r.Causes) > 0 {
		if first := c.ByID(r.Causes[0].ID); first == nil || !first.Symptom {
			return rows
		}
	}
	rows[0].open = true
	n = min(n, maxErrorsSeen)
	room := 4
	switch {
	case l.height < tallFrom:
		n, room = 1, 3
	case l.height >= 36:
		room = 6
	}
	for i := range n {
		u := &r.Unexplained[i]
		lead := ""
		if l.width >= wordsFrom {
			lead = show(say.Word(u.Component), say.ascii) + "  "
		}
		w, most := l.list-6-width(lead), min(room/n, 3)
		text := show(timeline.Unstamped(u.Text), say.ascii)
		texts := wrap(text, w)
		if len(texts) > most { // lines that are wrapped are not full
			texts = wrap(ui.WithoutMiddle(text, most*w-(most-1)*w/8, say.ascii), w)
		}
		if len(texts) > most {
			last := clip(strings.Join(texts[most-1:], " "), w, say.ascii)
			texts = append(texts[:most-1], last)
		}
		for _, text := range texts {
			rows = append(rows, row{kind: rowError, lead: lead, text: text})
			lead = strings.Repeat(" ", width(lead))
		}
	}
	return rows
}
