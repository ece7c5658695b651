package tui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
	"doctor/checks/sorted"
	"doctor/ui/symptom"
)

// symptomList asks what the user sees. It shows of each symptom whether anything
// was found for it, and the answer to the one under the cursor.
type symptomList struct {
	asked   []symptom.Asked
	at, top int
	touched bool // the user pressed a key: the order stays
}

func newSymptoms(e env) screen { return symptomList{asked: ranked(e)} }

// ranked holds the symptoms against the report, the likeliest first. What is read
// in it stands there in English.
func ranked(e env) []symptom.Asked {
	list := symptom.Ranked(e.english)
	for i := range list {
		list[i] = list[i].In(e.Catalogue, e.report)
	}
	return list
}

// answerLines are those below the list, the rule included.
const answerLines = 5

// rowWidth keeps what stands at the right end of a row in sight of its beginning.
const rowWidth = 116

func symptomRow(a symptom.Asked, w int, selected bool, say voice) line {
	ascii := say.ascii
	w = min(w, rowWidth)
	l := line{cursorMark(selected, ascii)}
	status := a.Status()
	l = append(l, span{symbol(status, ascii) + " ", inkOf(status)})
	if w >= wordsFrom {
		word := say.Status(status)
		if status == checks.StatusPass || status == checks.StatusInfo {
			word = "" // beside a symptom it would say that the symptom is fine
		}
		l = append(l, span{padded(word, say.statusWidth()), inkOf(status)})
	}
	question := span{show(a.Question, ascii), inkIf(selected)}
	if !selected && status == checks.StatusSkip {
		question.ink = faint
	}
	right := line{{show(say.symptomCount(a), ascii), faint}}
	l = append(l, question)
	if room := w - 3 - right.width(); l.width() > room && w >= wordsFrom {
		l = l.fit(room, ascii)
	}
	return apart(l, right, w-1).fit(w, ascii)
}

// symptomCount is what the symptom's checks came to, in two or three words.
func (say voice) symptomCount(a symptom.Asked) string {
	switch {
	case a.Count[symptom.Fault] > 0 && a.Seen:
		return say.T("seen here, %s", say.Count(a.Count[symptom.Fault], "fault"))
	case a.Count[symptom.Fault] > 0:
		return say.Count(a.Count[symptom.Fault], "fault")
	case a.Count[symptom.Open] > 0:
		return say.T("%d open", a.Count[symptom.Open])
	case a.Count[symptom.Normal] > 0:
		return say.T("normal on Windows")
	case a.Count[symptom.Unknown] > 0:
		return say.T("%d could not run", a.Count[symptom.Unknown])
	case a.Count[symptom.RuledOut] > 0:
		return say.T("no cause found")
	}
	return say.T("does not apply")
}

// answerBelow is an answer under a rule, in h lines; a cut is marked.
func answerBelow(a symptom.Answer, w, h int, say voice) []line {
	ascii := say.ascii
	p := page{width: min(w-2, readable), voice: say}
	status := answerStatus(a)
	p.led(span{symbol(status, ascii) + " ", inkOf(status)}, a.String(), plain)
	lines := p.under(p.T("Answer"), w, h)
	if last := len(lines) - 1; last > 0 && last < len(p.lines) {
		if l := lines[last]; l.width()+4 > w {
			lines[last] = l.fit(w-1, ascii) // marks the cut
		} else {
			lines[last] = append(l, span{" " + ellipsis(ascii), faint})
		}
	}
	return lines
}

// answerStatus is the verdict whose sign an answer bears.
func answerStatus(a symptom.Answer) checks.Status {
	switch a.Outcome {
	case symptom.Fault:
		return a.Status
	case symptom.Normal:
		return checks.StatusInfo
	case symptom.Open:
		return StatusReading
	case symptom.Unknown:
		return checks.StatusUnknown
	case symptom.Skipped:
		return checks.StatusSkip
	}
	return checks.StatusPass
}

func (s symptomList) title(e env) string { return e.T("By symptom: what do you see?") }

func (s symptomList) typing() bool { return false }

func (s symptomList) hints() []hint {
	return []hint{{"enter", "answer", 1}, {"j k", "move", 2}}
}

func (s symptomList) bindings() []key.Binding {
	return []key.Binding{bind("enter", "what was found for this symptom, check by check")}
}

func (s symptomList) press(e env, k tea.KeyMsg) (screen, effect) {
	if n, ok := motion(k, s.rows(e)); ok {
		s.at, s.touched = s.at+n, true
		return s, effect{}
	}
	switch {
	case key.Matches(k, keys.back, keys.quit):
		return s, effect{back: true}
	case key.Matches(k, keys.enter) && s.at < len(s.asked):
		s.touched = true
		return s, effect{open: newSymptom(e, s.asked[s.at].ID)}
	}
	return s, effect{}
}

// receive holds the symptoms against a report that changed. Once the user has
// moved, every row stays where it is.
func (s symptomList) receive(e env, msg tea.Msg) (screen, effect) {
	if _, changed := msg.(Update); !changed {
		return s, effect{}
	}
	likeliest := ranked(e)
	if s.touched {
		place := func(a symptom.Asked) int {
			return slices.IndexFunc(s.asked, func(b symptom.Asked) bool { return a.ID == b.ID })
		}
		sorted.By(likeliest, func(a, b symptom.Asked) int { return place(a) - place(b) })
	}
	s.asked = likeliest
	return s, effect{}
}

func (s symptomList) settled(e env) screen {
	s.at, s.top = inSight(s.at, s.top, len(s.asked), s.rows(e))
	return s
}

// rows is how many symptoms are seen at once.
func (s symptomList) rows(e env) int {
	if e.height < answerLines+6 {
		return max(e.height, 1)
	}
	return max(min(e.height-answerLines, len(s.asked)), 1)
}

func (s symptomList) body(e env) []line {
	var lines []line
	rows := s.rows(e)
	for i := s.top; i < min(s.top+rows, len(s.asked)); i++ {
		lines = append(lines, symptomRow(s.asked[i], e.width, i == s.at, e.voice))
	}
	if room := e.height - rows; room > 1 && s.at < len(s.asked) {
		lines = append(lines, answerBelow(s.asked[s.at].Answer, e.width, room, e.voice)...)
	}
	return lines
}
