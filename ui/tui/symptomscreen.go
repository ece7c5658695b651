package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
	"doctor/checks/sorted"
	"doctor/ui/symptom"
)

// symptomScreen goes through one symptom: its checks in the order in which a
// person would try them, the answer, and what to try beside them. The answer
// stays in sight at the bottom.
type symptomScreen struct {
	asked   symptom.Asked
	at, top int  // the selected part, and the first line seen
	skipped bool // the checks that do not arise here are shown
	touched bool // the selection is the user's
}

func newSymptom(e env, id string) screen {
	found, _ := symptom.ByID(id)
	s := symptomScreen{asked: found.Ask(e.english).In(e.Catalogue, e.report)}
	s.at = s.begin()
	return s
}

// begin is the first part worth reading: a fault, else what could not be told.
func (s symptomScreen) begin() int {
	shown := s.shownItems()
	for _, want := range []symptom.Outcome{symptom.Fault, symptom.Normal, symptom.Open,
		symptom.Unknown} {
		for i, it := range shown {
			if it.Outcome == want {
				return i
			}
		}
	}
	return 0
}

// shownItems are the checks that arise on this node, or all of them.
func (s symptomScreen) shownItems() []symptom.Item {
	return slices.DeleteFunc(slices.Clone(s.asked.Items), func(it symptom.Item) bool {
		return !s.skipped && it.Outcome == symptom.Skipped
	})
}

func (s symptomScreen) title(env) string { return s.asked.Question }
func (s symptomScreen) typing() bool     { return false }

func (s symptomScreen) hints() []hint {
	return []hint{{"enter", "open", 1}, {"c", "copy commands", 2}, {"G", "what to try", 2},
		{"space", "those that do not apply", 4}}
}

func (s symptomScreen) bindings() []key.Binding {
	return []key.Binding{bind("enter", "open the check"),
		bind("space", "show the checks that do not apply here"),
		bind("c", "copy the commands of the selected part")}
}

func (s symptomScreen) press(e env, k tea.KeyMsg) (screen, effect) {
	parts := s.parts(e)
	if n, ok := motion(k, len(parts)*s.viewport(e)/max(len(partLines(parts)), 1)); ok {
		s.at, s.touched = clamp(s.at+n, len(parts)-1), true
		return s, effect{}
	}
	at := parts[clamp(s.at, len(parts)-1)]
	switch {
	case key.Matches(k, keys.back, keys.quit):
		return s, effect{back: true}
	case key.Matches(k, keys.fold) || key.Matches(k, keys.enter) && at.unfolds:
		s.skipped, s.touched = !s.skipped, true
	case key.Matches(k, keys.enter) && at.check != "":
		return s, effect{open: newDetail(at.check)}
	case key.Matches(k, keys.copy) && len(at.commands) > 0:
		return s, effect{copy: strings.Join(at.commands, "\n") + "\n"}
	}
	return s, effect{}
}

func (s symptomScreen) receive(e env, msg tea.Msg) (screen, effect) {
	if _, changed := msg.(Update); !changed {
		return s, effect{}
	}
	s.asked = s.asked.Ask(e.english).In(e.Catalogue, e.report)
	if !s.touched {
		s.at, s.top = s.begin(), 0
	}
	return s, effect{}
}

func (s symptomScreen) settled(e env) screen {
	parts := s.parts(e)
	s.at = clamp(s.at, len(parts)-1)
	from, to := 0, 0
	for _, p := range parts[:s.at+1] {
		from, to = to, to+len(p.lines)
	}
	h := s.viewport(e)
	s.top = min(max(s.top, to-h), from) // the beginning of a part that is too long
	s.top = clamp(s.top, len(partLines(parts))-h)
	return s
}

func (s symptomScreen) body(e env) []line {
	lines := partLines(s.parts(e))
	h := s.viewport(e)
	lines = exactly(from(lines, s.top), h)
	if s.pinned(e) > 0 {
		lines = append(lines, answerBelow(s.asked.Answer, e.width, s.pinned(e), e.voice)...)
	}
	return lines
}

// viewport is how many lines of the parts are seen at once.
func (s symptomScreen) viewport(e env) int { return max(e.height-s.pinned(e), 1) }

// pinned is how many lines the answer takes at the bottom: as many as it needs,
// and no more than half of a small screen.
func (s symptomScreen) pinned(e env) int {
	if e.height < 6 {
		return 0
	}
	most := max(e.height*2/5, 3)
	if e.height < tallFrom {
		most = max(e.height/2, 3)
	}
	return min(len(answerBelow(s.asked.Answer, e.width, 1000, e.voice)), most)
}

// A symptomPart is what the cursor stands on: a check, the answer or a step.
type symptomPart struct {
	lines    []line
	check    string
	commands []string
	unfolds  bool
}

func partLines(parts []symptomPart) []line {
	var lines []line
	for _, p := range parts {
		lines = append(lines, p.lines...)
	}
	return lines
}

func (s symptomScreen) parts(e env) []symptomPart {
	var parts []symptomPart
	add := func(lines []line, check string, commands []string) {
		parts = append(parts, symptomPart{lines: lines, check: check, commands: commands})
	}
	told := map[string]bool{}
	for _, it := range s.shownItems() {
		add(itemLines(it, e, len(parts) == s.at, told[it.HowTo.Text]), it.Result.ID,
			it.Result.Fix.Commands())
		told[it.HowTo.Text] = true
	}
	if n := s.asked.Count[symptom.Skipped]; n > 0 && !s.skipped {
		text := e.T("%s more cannot be it on this node", e.Count(n, "check"))
		l := line{cursorMark(len(parts) == s.at, e.ascii),
			{symbol(checks.StatusSkip, e.ascii) + " ", inkOf(checks.StatusSkip)},
			{show(text, e.ascii), faint}}
		parts = append(parts, symptomPart{lines: []line{l}, unfolds: true})
	}
	a := s.asked.Answer
	heading := e.T("Try next")
	if len(a.Fix.Steps) > 0 {
		heading = e.T("If that is not it")
		for i := range a.Fix.Steps {
			p := page{width: min(e.width-1, readable), voice: e.voice}
			if i == 0 {
				p.lines = append(p.lines, nil, line{{"  " + e.T("Do this"), strong}})
			}
			p.step(a.Fix, i, cursorMark(len(parts) == s.at, e.ascii))
			var commands []string
			if c := a.Fix.Steps[i].Command; c != "" {
				commands = []string{c}
			}
			add(p.lines, a.Check, commands)
		}
	} else if a.Do != "" {
		heading = e.T("If that is not it")
		add(commandLines(e.T("Do this"), a.Do, a.Commands, "", e, len(parts) == s.at),
			a.Check, a.Commands)
	}
	for i, step := range s.asked.Next {
		if i > 0 {
			heading = ""
		}
		add(commandLines(heading, step.Text, step.Commands, step.Impact, e, len(parts) == s.at), "",
			step.Commands)
	}
	return parts
}

// itemLines are one check: its verdict, and what it found or what it lacks. How
// that could be had is told once, and wherever the cursor stands.
func itemLines(it symptom.Item, e env, selected, told bool) []line {
	indent, right := 0, ""
	switch {
	case it.Under != "":
		indent, right = 2, e.T("follows")
	case it.Outcome == symptom.RuledOut: // its title still says what it would be
		right = e.T("ruled out")
	}
	room := min(e.width, rowWidth) - 3
	if e.width >= wordsFrom && right != "" { // the title is cut before the word
		room -= width(right) + 2
	}
	row := append(line{cursorMark(selected, e.ascii)}, resultLine(it.Result, e.was[it.Result.ID],
		"", indent, room, selected, e.voice)...)
	row = apart(row, line{{right, faint}}, min(e.width-1, rowWidth))
	lead := strings.Repeat(" ", 4+indent)
	p := page{width: min(e.width-1, readable), voice: e.voice}
	switch it.Outcome {
	case symptom.Fault, symptom.Normal:
		p.text(lead, it.Says, plain)
	case symptom.Unknown:
		p.text(lead, p.T("could not run: %s", it.Says), faint)
		if !told || selected {
			p.text(lead, p.T("next step: %s", it.HowTo.Text), plain)
		}
		if selected {
			for _, c := range it.HowTo.Commands {
				p.led(span{lead + "> ", accent}, c, plain)
			}
		}
	case symptom.Skipped:
		p.text(lead, it.Says, faint)
	}
	return append([]line{row.fit(e.width, e.ascii)}, p.lines...)
}

// commandLines is a text with its commands, and what they cost.
func commandLines(heading, text string, commands []string, impact string, e env,
	selected bool) []line {
	p := page{width: min(e.width-1, readable), voice: e.voice}
	if heading != "" {
		p.lines = append(p.lines, nil, line{{"  " + heading, strong}})
	}
	mark := cursorMark(selected, e.ascii)
	p.led(mark, text, plain)
	for _, c := range commands {
		p.led(span{"    > ", accent}, c, plain)
	}
	if impact != "" {
		p.led(span{"    ! ", inkWarn}, impact, plain)
	}
	return p.lines
}

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

func (s symptomList) title(e env) string { return e.T("By symptom: what do you see?") }
func (s symptomList) typing() bool       { return false }

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

// answerLines are those below the list, the rule included.
const answerLines = 5

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
