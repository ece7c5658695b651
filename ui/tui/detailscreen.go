package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
	"doctor/checks/evidence"
)

// A detailScreen is one check in full. What leads on from it can be chosen:
// the faults that it explains, or that explain it, and the evidence. The way
// from check to check is kept, and is walked back step by step.
type detailScreen struct {
	steps  []step // the way here; the last is shown
	looked looked
}

// A step is a check on the way, and where the user was in it.
type step struct {
	id     string
	at     int // the chosen one of its items
	scroll int // first line seen
}

// looked is what is known of the evidence of one check.
type looked struct {
	id   string
	list []lookedAtItem
}

func newDetail(id string) screen { return detailScreen{steps: []step{{id: id}}} }

var detailKeys = struct{ next, last, open, copy, script, back key.Binding }{
	next:   bind("tab", "to the next thing that leads on"),
	last:   bind("shift+tab", "to the one before it"),
	open:   bind("enter l", "go to the chosen check, or show the chosen evidence"),
	copy:   bind("c", "copy the chosen step of the fix"),
	script: bind("C", "copy the whole fix as a script"),
	back:   bind("backspace h", "back the way you came"),
}

func (d detailScreen) bindings() []key.Binding {
	return []key.Binding{detailKeys.next, detailKeys.last, detailKeys.open, detailKeys.back,
		detailKeys.copy, detailKeys.script}
}

func (d detailScreen) typing() bool { return false }

func (d detailScreen) currentStep() step { return d.steps[len(d.steps)-1] }

// with is the screen with another place in the shown check.
func (d detailScreen) with(s step) detailScreen {
	d.steps = append(d.steps[:len(d.steps)-1:len(d.steps)-1], s)
	return d
}

// title is the check and the way to it, newest first.
func (d detailScreen) title(env) string {
	var ids []string
	for _, s := range slices.Backward(d.steps) {
		ids = append(ids, s.id)
	}
	return strings.Join(ids, " < ")
}

func (d detailScreen) hints() []hint {
	list := []hint{{"enter", "go on", 1}, {"j k", "move", 2}, {"c", "copy step", 3},
		{"C", "copy script", 4}}
	if len(d.steps) > 1 {
		list = slices.Insert(list, 1, hint{"backspace", "the way back", 1})
	}
	return list
}

func (d detailScreen) start(e env) func() tea.Msg {
	check, s, say := e.catalogue.ByID(d.currentStep().id), e.evidence, e.voice
	id := d.currentStep().id
	return func() tea.Msg { return looked{id, lookedAt(check, s, say)} }
}

func (d detailScreen) receive(e env, answer tea.Msg) (screen, effect) {
	switch a := answer.(type) {
	case looked:
		d.looked = a
	case Update:
		return d, effect{task: d.start(e)}
	}
	return d, effect{}
}

func (d detailScreen) page(e env) page {
	p := page{width: max(min(e.width-gutter-1, readable), 2), voice: e.voice}
	id := d.currentStep().id
	var list []lookedAtItem
	if d.looked.id == id {
		list = d.looked.list
	}
	if res := e.report.Result(id); res != nil {
		resultDetail(&p, e.report, res, e.was[id])
		lookedDetail(&p, list)
	} else {
		p.text("", p.T("the report has no check of this name"), faint)
	}
	return p
}

// gutter is the room for the mark of what is chosen.
const gutter = 2

func (d detailScreen) body(e env) []line {
	p, s := d.page(e), d.currentStep()
	lines := make([]line, 0, e.height)
	for i := s.scroll; i < min(len(p.lines), s.scroll+e.height); i++ {
		mark := cursorMark(s.at < len(p.items) && p.items[s.at].first == i, e.ascii)
		lines = append(lines, append(line{mark}, p.lines[i]...))
	}
	return lines
}

func (d detailScreen) settled(e env) screen {
	p, s := d.page(e), d.currentStep()
	s.at = clamp(s.at, len(p.items)-1)
	s.scroll = clamp(s.scroll, len(p.lines)-e.height)
	return d.with(s)
}

func (d detailScreen) press(e env, k tea.KeyMsg) (screen, effect) {
	p, s := d.page(e), d.currentStep()
	switch {
	case key.Matches(k, keys.back, keys.quit):
		return d, effect{back: true}
	case key.Matches(k, detailKeys.back):
		if len(d.steps) == 1 {
			return d, effect{back: true}
		}
		d.steps = d.steps[:len(d.steps)-1]
		return d, effect{task: d.start(e)}
	case key.Matches(k, detailKeys.open):
		return d.follow(e, p)
	case key.Matches(k, detailKeys.copy):
		chosen := 0
		if s.at < len(p.items) {
			chosen = p.items[s.at].step
		}
		return d, e.copyStep(e.report.Result(s.id), chosen)
	case key.Matches(k, detailKeys.script):
		return d, e.copyScript(e.report.Result(s.id))
	}
	return d.with(p.moved(s, k, e.height)), effect{}
}

// follow goes to where the chosen item leads.
func (d detailScreen) follow(e env, p page) (screen, effect) {
	s := d.currentStep()
	switch {
	case s.at >= len(p.items) || p.items[s.at].first < s.scroll || p.items[s.at].first >= s.scroll+
		e.height:
		return d, effect{} // nothing chosen is in sight
	case p.items[s.at].step > 0:
		return d, e.copyStep(e.report.Result(s.id), p.items[s.at].step)
	case p.items[s.at].check != "":
		d.steps = append(d.steps[:len(d.steps):len(d.steps)], step{id: p.items[s.at].check})
		return d, effect{task: d.start(e)}
	case p.items[s.at].path != "":
		return d, effect{open: newViewer(p.items[s.at].path, 0)}
	}
	return d, effect{open: newViewerAt(p.items[s.at].place)}
}

// moved is where a key of motion leads. A step goes to the next item if that is
// in sight, and scrolls towards it if not, so that all text is passed.
func (p page) moved(s step, k tea.KeyMsg, height int) step {
	most := max(len(p.lines)-height, 0)
	inSight := func(i int) bool {
		return p.items[i].first >= s.scroll && p.items[i].first < s.scroll+height
	}
	towards := func(from, by int) {
		for i := from; i >= 0 && i < len(p.items); i += by {
			if inSight(i) {
				s.at = i
				return
			}
		}
	}
	chosen := s.at < len(p.items) && inSight(s.at)
	n, paged := motion(k, height)
	switch {
	case key.Matches(k, detailKeys.next, detailKeys.last) && len(p.items) > 0:
		by := 1
		if key.Matches(k, detailKeys.last) {
			by = len(p.items) - 1
		}
		s.at = (s.at + by) % len(p.items)
		first := p.items[s.at].first
		if first < s.scroll || first >= s.scroll+height-1 {
			s.scroll = min(max(first-height/3, 0), most)
		}
	case (n == 1 || n == -1) && chosen && s.at+n >= 0 && s.at+n < len(p.items) && inSight(s.at+n):
		s.at += n
	case paged || n != 0:
		s.scroll = clamp(s.scroll+n, most)
		if n > 0 {
			towards(min(s.at+1, len(p.items)-1), 1)
			if n > 1 && s.scroll == most {
				towards(len(p.items)-1, -1)
			}
		} else {
			towards(max(s.at-1, 0), -1)
			if n < -1 {
				towards(0, 1)
			}
		}
	}
	return s
}

// click chooses an item, and goes where the chosen one leads.
func (d detailScreen) click(e env, y int) (screen, effect) {
	p, s := d.page(e), d.currentStep()
	switch i := slices.IndexFunc(p.items, func(it item) bool { return it.first == s.scroll+y }); i {
	case -1:
		return d, effect{}
	case s.at:
		return d.follow(e, p)
	default:
		s.at = i
		return d.with(s), effect{}
	}
}

// maxFiles is how many files of one folder are named.
const maxFiles = 4

// A lookedAtItem is one piece of evidence that a check rests on, and whether it was there.
type lookedAtItem struct {
	name string // of a fact, or the path
	path string // where there is something to show
	need bool   // without it the check cannot tell
	gap  evidence.Gap
}

// lookedAt says of all evidence that the check reads whether it was there. It
// reads the tree.
func lookedAt(c *checks.Check, s evidence.Snapshot, say voice) []lookedAtItem {
	if c == nil {
		return nil
	}
	var list []lookedAtItem
	for i, n := range slices.Concat(c.Needs, c.Uses) {
		for _, l := range lookFor(n, s, say) {
			l.need = i < len(c.Needs)
			if !slices.ContainsFunc(list, func(other lookedAtItem) bool {
				return other.name == l.name
			}) {
				list = append(list, l)
			}
		}
	}
	return list
}

// lookFor tells of one need: of several alternatives those that were there, or
// else why each was not.
func lookFor(n evidence.Need, s evidence.Snapshot, say voice) []lookedAtItem {
	var all, met []lookedAtItem
	evidence.Each(n, func(one evidence.Need) {
		list := lookForOne(one, s, say)
		all = append(all, list...)
		for _, l := range list {
			if l.gap.Kind == "" {
				met = append(met, l)
			}
		}
	})
	if len(met) > 0 {
		return met
	}
	return all
}

func lookForOne(n evidence.Need, s evidence.Snapshot, say voice) []lookedAtItem {
	name, gap := strings.Join(evidence.Names(n), ", "), n.Gap(s)
	paths := n.Paths()
	switch {
	case gap.Kind != "" || len(paths) == 0:
		return []lookedAtItem{{name: name, gap: gap}}
	case len(paths) == 1 && !strings.HasSuffix(paths[0], "/"):
		// that it is absent meets the need too
		if windows, ok := evidence.WindowsPath(paths[0]); ok {
			if gap = s.File(windows).Gap; gap.Kind != "" {
				return []lookedAtItem{{name: name, gap: gap}}
			}
		}
		return []lookedAtItem{{name: name, path: paths[0]}}
	case !strings.HasSuffix(name, "/"): // a fact, from wherever it was learnt
		return []lookedAtItem{{name: name}}
	}
	var list []lookedAtItem
	count := 0
	for _, path := range s.Paths() {
		within := func(folder string) bool {
			return len(path) > len(folder) && strings.EqualFold(path[:len(folder)], folder)
		}
		if !slices.ContainsFunc(paths, within) {
			continue
		}
		if count++; count <= maxFiles {
			list = append(list, lookedAtItem{name: path, path: path})
		}
	}
	if count > maxFiles {
		list = append(list, lookedAtItem{name: say.T("and %d more in %s", count-maxFiles, name)})
	}
	return list
}

// lookedDetail lists what was looked at, and what could not be.
func lookedDetail(p *page, list []lookedAtItem) {
	headings := map[bool]string{true: p.T("Looked at"), false: p.T("Looked at where it is there")}
	for i, l := range list {
		if i == 0 || l.need != list[i-1].need { // the needs are first
			p.heading(headings[l.need])
		}
		if l.path != "" {
			p.leads(item{path: l.path})
		}
		status, ink := checks.StatusUnknown, inkUnknown
		switch l.gap.Kind {
		case "":
			status, ink = checks.StatusPass, faint
		case evidence.Absent: // an answer too
			status, ink = checks.StatusSkip, faint
		}
		p.led(span{"  " + symbol(status, p.ascii) + " ", ink}, p.Phrase(l.name), plain)
		p.text("    ", p.Gap(l.gap), faint)
	}
}
