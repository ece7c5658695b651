package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
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
