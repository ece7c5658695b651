package tui

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks"
)

// palette lists every action of the screen below it, of the overview and of all screens, and every
// check. What is typed narrows the list, enter runs the selected entry. An action is run by
// pressing its key, so that the palette cannot differ from the keys.
type palette struct {
	actions []command
	inFile  bool // a number is a line of the file below
	typed   string
	at, top int
	status  string
}

// A command is an entry of the palette: an action or a check.
type command struct {
	key     string // as the help shows it
	press   tea.KeyMsg
	says    string // in the language of the screen
	english string
	check   *checks.Result // else an action
}

// newPalette lists the actions that the model offers now.
func newPalette(m model) palette {
	var p palette
	list := slices.Concat(actionKeys(m.live), moveKeys())
	if over, is := m.over(); is {
		_, p.inFile = over.(viewer)
		list = append(over.bindings(), list...)
	}
	known := map[string]bool{keys.palette.Help().Desc: true}
	for _, b := range list {
		h := b.Help()
		if known[h.Desc] || len(b.Keys()) == 0 {
			continue
		}
		known[h.Desc] = true
		p.actions = append(p.actions, command{key: h.Key, press: keyNamed(b.Keys()[0]),
			says: m.Word(h.Desc), english: h.Desc})
	}
	return p
}

// keyNamed is a key by bubbletea's name of it.
func keyNamed(name string) tea.KeyMsg {
	if name == " " {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	}
	for t := firstKey; t <= tea.KeyBackspace; t++ {
		if k := (tea.KeyMsg{Type: t}); k.String() == name {
			return k
		}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

// firstKey is below all of bubbletea's types of keys, which are negative where they are no control
// characters.
const firstKey tea.KeyType = -128

func (p palette) title(e env) string {
	if p.inFile {
		return e.T("actions and checks; a number goes to that line")
	}
	return e.T("actions and checks")
}

func (p palette) typing() bool { return true }

func (p palette) hints() []hint {
	return []hint{{"esc", "back", 0}, {"enter", "run", 0}, {"up down", "move", 1},
		{"ctrl+u", "clear", 2}}
}

func (p palette) bindings() []key.Binding { return nil }

func (p palette) receive(env, tea.Msg) (screen, effect) { return p, effect{} }

// found are the entries that match what is typed, the best first.
func (p palette) found(e env) []command {
	all := p.actions
	for i := range e.report.Results {
		all = append(all[:len(all):len(all)], command{check: &e.report.Results[i],
			says: e.report.Results[i].Title, english: e.report.Results[i].ID})
	}
	var ranked [worstRank + 1][]command
	for _, c := range all {
		if rank := c.rank(p.typed); rank >= 0 {
			ranked[rank] = append(ranked[rank], c)
		}
	}
	return slices.Concat(ranked[:]...)
}

const worstRank = 3

// rank says how well an entry matches, 0 the best; -1 says that it does not. Every word must be
// part of its texts, or else the letters of an id must be there in that order.
func (c command) rank(typed string) int {
	typed = strings.ToLower(strings.TrimSpace(typed))
	says, english := strings.ToLower(c.says), strings.ToLower(c.english)
	switch {
	case typed == "", english == typed, slices.Contains(strings.Fields(c.key), typed):
		return 0
	case strings.HasPrefix(english, typed), strings.HasPrefix(says, typed):
		return 1
	}
	text := c.key + " " + says + " " + english
	for word := range strings.FieldsSeq(typed) {
		if !strings.Contains(text, word) {
			if c.check != nil && inOrder(english, typed) {
				return worstRank
			}
			return -1
		}
	}
	return 2
}

// inOrder says whether a text has these letters in this order.
func inOrder(text, letters string) bool {
	for _, r := range letters {
		_, after, found := strings.Cut(text, string(r))
		if !found {
			return false
		}
		text = after
	}
	return true
}

func (p palette) settled(e env) screen {
	n, rows := len(p.found(e)), p.rows(e)
	p.at, p.top = inSight(p.at, p.top, n, rows)
	return p
}

// rows is how many entries are seen at once; the first line is what is typed.
func (p palette) rows(e env) int { return max(e.height-1, 1) }

func (p palette) press(e env, k tea.KeyMsg) (screen, effect) {
	p.status = ""
	typed, open, taken := typedText(p.typed, k, maxFilter)
	n, moves := motion(k, p.rows(e))
	switch {
	case k.Type == tea.KeyEnter:
		return p.run(e)
	case !open:
		return p, effect{back: true}
	case typed != p.typed:
		p.typed, p.at, p.top = typed, 0, 0
	case taken:
	case k.Type == tea.KeyCtrlN:
		p.at++
	case k.Type == tea.KeyCtrlP:
		p.at--
	case moves:
		p.at += n
	}
	return p, effect{}
}

// run does what is selected, and goes away before it does.
func (p palette) run(e env) (screen, effect) {
	if n, err := strconv.Atoi(strings.TrimSpace(p.typed)); err == nil && p.inFile {
		if n < 1 {
			p.status = e.T("lines are counted from 1")
			return p, effect{}
		}
		return p, effect{back: true, line: n}
	}
	list := p.found(e)
	switch {
	case len(list) == 0:
		p.status = e.T("no action and no check matches %s", p.typed)
		return p, effect{}
	case list[p.at].check != nil:
		return p, effect{back: true, open: newDetail(list[p.at].check.ID)}
	}
	return p, effect{back: true, press: &list[p.at].press}
}

func (p palette) body(e env) []line {
	list := p.found(e)
	first := typedLine(" :", p.typed, e.width-18, e.ascii)
	if p.status != "" {
		first = append(first, span{"  " + show(p.status, e.ascii), accent})
	}
	count := line{{e.T("%d of %d", len(list), len(p.actions)+len(e.report.Results)), faint}}
	lines := []line{apart(first, count, e.width-1)}
	for i := p.top; i < min(p.top+p.rows(e), len(list)); i++ {
		lines = append(lines, list[i].row(e, i == p.at))
	}
	if len(list) == 0 {
		lines = append(lines, line{{"  " + e.T("nothing matches"), faint}})
	}
	return lines
}

// The column of keys has room for most of their names, or for the first of each where the screen is
// narrow.
const keyColumn, narrowKeyColumn = 14, 6

func (c command) row(e env, selected bool) line {
	l := line{cursorMark(selected, e.ascii)}
	if c.check != nil {
		return append(l, resultLine(c.check, e.was[c.check.ID], c.check.ID, 0,
			min(e.width, rowWidth)-3, selected, e.voice)...)
	}
	text := span{show(c.says, e.ascii), inkIf(selected)}
	name, column := c.key, keyColumn
	if e.width < wordsFrom {
		name, _, _ = strings.Cut(name, " ")
		column = narrowKeyColumn
	}
	return append(l, span{padded(clip(name, column, e.ascii), column+1), accent}, text)
}

// click selects an entry, and runs the selected one.
func (p palette) click(e env, y int) (screen, effect) {
	at := p.top + y - 1
	switch {
	case y < 1 || at >= len(p.found(e)):
	case at == p.at:
		return p.run(e)
	default:
		p.at = at
	}
	return p, effect{}
}
