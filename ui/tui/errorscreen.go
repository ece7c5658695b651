package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
	"doctor/checks/evidence"
)

// errorScreen lists the error lines and warning events that no check explains, the one that an
// expert would read first at the top. Where the catalogue does not know the fault, they are all
// that there is to go by.
type errorScreen struct {
	filtered
	list []checks.Unexplained // of the last report that was finished
	here evidence.Place       // of the one that was selected last, also while a filter hides all
}

func newErrors(e env) screen { return errorScreen{}.with(e.report.Unexplained) }

// with takes a new list in, and stays at its place in the evidence.
func (s errorScreen) with(list []checks.Unexplained) errorScreen {
	s = s.remembered()
	s.list, s.shown = list, nil
	return s.narrowed(s.filter)
}

func (s errorScreen) remembered() errorScreen {
	if u, ok := s.selected(); ok {
		s.here = u.Place()
	}
	return s
}

// narrowed shows what holds the filter, and stays at its place if that is among it.
func (s errorScreen) narrowed(filter string) errorScreen {
	s = s.remembered()
	s.filter, s.shown, s.at = filter, nil, 0
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
		s = s.with(e.report.Unexplained)
	}
	return s, effect{}
}

func (s errorScreen) press(e env, k tea.KeyMsg) (screen, effect) {
	if s.writing {
		before := s.filter
		if s.filtered = s.typed(k); s.filter != before {
			s = s.narrowed(s.filter)
		}
		return s, effect{}
	}
	if n, ok := motion(k, max(s.rows(e)/errorLines, 1)); ok {
		s.filtered = s.moved(n)
		return s, effect{}
	}
	switch u, is := s.selected(); {
	case key.Matches(k, keys.back) && s.filter != "":
		return s.narrowed(""), effect{}
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
