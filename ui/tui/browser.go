package tui

import (
	"fmt"
	"maps"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks/evidence"
)

// browser is the evidence as a tree of files, with the gaps in their places.
type browser struct {
	entries []treeEntry
	listed  bool
	stale   bool // the evidence changed since it was listed
	asked   bool // a list is being made

	folds   map[string]bool // folders that were folded or unfolded, by path
	visible []int           // of entries
	cursor  int             // into visible
	top     int
	at      string // the path under the cursor

	filter string
	prompt bool // the filter is being typed
	cited  bool // only what findings cite
	height int  // lines of the tree that are seen
}

func newBrowser(env) screen { return browser{asked: true} }

func (b browser) start(e env) func() tea.Msg { return listTask(e) }

func (b browser) title(e env) string { return e.T("evidence") }

func (b browser) typing() bool { return b.prompt }

func (b browser) hints() []hint {
	list := []hint{{"enter", "open", 1}, {"/", "filter", 2}, {"f", "only cited", 3}}
	if b.cited {
		list[2].does = "show all"
	}
	return list
}

var browserKeys = struct{ open, fold, left, right, all, none, filter, cited key.Binding }{
	open:   bind("enter", "open the file, or fold the folder"),
	fold:   bind("space", "fold or unfold the folder"),
	left:   bind("left h", "fold the folder, or go to the one around"),
	right:  bind("right l", "unfold the folder"),
	all:    bind("+ =", "unfold everything"),
	none:   bind("-", "fold everything"),
	filter: bind("/", "filter paths as you type; ! inverts"),
	cited:  bind("f", "only the files that findings cite"),
}

func (b browser) bindings() []key.Binding {
	k := browserKeys
	return []key.Binding{k.open, k.fold, k.left, k.right, k.all, k.none, k.filter, k.cited}
}

func (b browser) receive(e env, msg tea.Msg) (screen, effect) {
	switch msg := msg.(type) {
	case Update:
		b.stale = true // and read when the next key is pressed
	case listedTree:
		b.entries, b.listed, b.asked = msg.entries, true, false
		b = b.narrowed()
	}
	return b, effect{}
}

// A tree of at most so many rows begins unfolded.
const unfoldedEntries = 60

// folded tells whether a folder is; those that findings cite begin open.
func (b browser) folded(e treeEntry) bool {
	if b.filter != "" || b.cited {
		return false
	}
	if folded, ok := b.folds[e.path]; ok {
		return folded
	}
	return e.cites == 0 && len(b.entries) > unfoldedEntries
}

// narrowed works out which rows are seen, and keeps the cursor on its row.
func (b browser) narrowed() browser {
	keep := make([]bool, len(b.entries))
	var around []int
	for i, e := range b.entries {
		for len(around) > 0 && b.entries[around[len(around)-1]].end <= i {
			around = around[:len(around)-1]
		}
		if e.folder {
			around = append(around, i)
			continue
		}
		if b.matches(e) {
			keep[i] = true
			for _, a := range around {
				keep[a] = true
			}
		}
	}
	b.visible = nil
	b.cursor = 0
	for i := 0; i < len(b.entries); {
		e := b.entries[i]
		if keep[i] {
			// itself, or the folder that hides it
			if b.at == e.path || e.folder && strings.HasPrefix(b.at, e.path) {
				b.cursor = len(b.visible)
			}
			b.visible = append(b.visible, i)
		}
		if i++; e.folder && b.folded(e) {
			i = e.end
		}
	}
	return b
}

func (b browser) matches(e treeEntry) bool {
	if b.cited && e.cites == 0 {
		return false
	}
	text, invert := strings.CutPrefix(b.filter, "!")
	text = strings.ToLower(text)
	return text == "" || strings.Contains(strings.ToLower(e.path), text) != invert
}

func (b browser) settled(e env) screen {
	b.height = max(e.height-1, 1)
	b.cursor = clamp(b.cursor, len(b.visible)-1)
	b.top = max(min(b.top, b.cursor), b.cursor-b.height+1)
	b.top = clamp(b.top, len(b.visible)-b.height)
	if en, ok := b.selected(); ok {
		b.at = en.path
	}
	return b
}

func (b browser) selected() (treeEntry, bool) {
	if b.cursor < 0 || b.cursor >= len(b.visible) {
		return treeEntry{}, false
	}
	return b.entries[b.visible[b.cursor]], true
}

func (b browser) press(e env, k tea.KeyMsg) (screen, effect) {
	var do effect
	if b.stale && !b.asked {
		b.stale, b.asked = false, true
		do.task = listTask(e)
	}
	if b.prompt {
		return b.typedKey(k), do
	}
	en, ok := b.selected()
	switch bk := browserKeys; {
	case key.Matches(k, keys.back, keys.quit):
		return b.back()
	case key.Matches(k, bk.filter):
		b.prompt = true
	case key.Matches(k, bk.cited):
		b.cited = !b.cited
		b = b.unfoldedAt().narrowed()
	case key.Matches(k, bk.all):
		b = b.foldAll(false)
	case key.Matches(k, bk.none):
		b = b.foldAll(true)
	case !ok:
	case key.Matches(k, bk.open) && !en.folder:
		b.stale, b.asked = b.stale || do.task != nil, false // listed when one comes back
		return b, effect{open: newViewer(en.path, 0)}
	case key.Matches(k, bk.open, bk.fold) && en.folder:
		b = b.fold(en, !b.folded(en))
	case key.Matches(k, bk.right) && en.folder:
		b = b.fold(en, false)
	case key.Matches(k, bk.left):
		b = b.outwards(en)
	default:
		b = b.moved(k)
	}
	return b, do
}

func (b browser) moved(k tea.KeyMsg) browser {
	steps := viewer{height: b.height}
	if n, page, ok := steps.steps(k); ok {
		b.cursor += n
		if page {
			b.top = max(b.top+n, 0)
		}
	}
	return b
}

func (b browser) back() (screen, effect) {
	switch {
	case b.filter != "":
		b.filter = ""
	case b.cited:
		b.cited = false
	default:
		return b, effect{back: true}
	}
	return b.unfoldedAt().narrowed(), effect{}
}

// unfoldedAt opens the folders around the selected row, so that the cursor stays on it when a
// filter is cleared.
func (b browser) unfoldedAt() browser {
	if len(b.visible) == 0 || b.filter != "" || b.cited {
		return b
	}
	folds := maps.Clone(b.folds)
	if folds == nil {
		folds = map[string]bool{}
	}
	for _, e := range b.entries {
		if e.folder && e.path != b.at && strings.HasPrefix(b.at, e.path) {
			folds[e.path] = false
		}
	}
	b.folds = folds
	return b
}

func (b browser) fold(e treeEntry, folded bool) browser {
	folds := map[string]bool{e.path: folded}
	for path, f := range b.folds {
		if path != e.path {
			folds[path] = f
		}
	}
	b.folds = folds
	return b.narrowed()
}

func (b browser) foldAll(folded bool) browser {
	b.folds = map[string]bool{}
	for _, e := range b.entries {
		if e.folder {
			b.folds[e.path] = folded
		}
	}
	return b.narrowed()
}

// outwards folds a folder, or goes to the one around.
func (b browser) outwards(e treeEntry) browser {
	if e.folder && !b.folded(e) {
		return b.fold(e, true)
	}
	for i := b.cursor - 1; i >= 0; i-- {
		if b.entries[b.visible[i]].depth < e.depth {
			b.cursor = i
			break
		}
	}
	return b
}

// typedKey is what a key does while the filter is being written.
func (b browser) typedKey(k tea.KeyMsg) browser {
	r := []rune(b.filter)
	switch k.Type {
	case tea.KeyEnter:
		b.prompt = false
	case tea.KeyEsc:
		b.prompt, b.filter = false, ""
		b = b.unfoldedAt()
	case tea.KeyBackspace:
		b.prompt = len(r) > 0
		b.filter = string(r[:max(len(r)-1, 0)])
	case tea.KeyCtrlU:
		b.filter = ""
	case tea.KeyUp, tea.KeyDown:
		return b.moved(k)
	case tea.KeyRunes, tea.KeySpace:
		if r = append(r, []rune(show(string(k.Runes), false))...); len(r) <= maxFilter && !k.Alt {
			b.filter = string(r)
		}
	}
	return b.narrowed().atFile()
}

// atFile puts the cursor on the first file, where folders are only its frame.
func (b browser) atFile() browser {
	for i, at := range b.visible {
		if b.filter != "" && !b.entries[at].folder {
			b.cursor = i
			break
		}
	}
	return b
}

func (b browser) body(e env) []line {
	if !b.listed {
		return []line{{{" " + e.T("listing the evidence %s", ellipsis(e.ascii)), faint}}}
	}
	var lines []line
	for i := b.top; i < len(b.visible) && len(lines) < b.height; i++ {
		lines = append(lines, b.row(b.entries[b.visible[i]], i == b.cursor, e.width, e.voice))
	}
	if len(lines) == 0 {
		lines = []line{{{"  " + e.T("nothing to show"), faint}}}
	}
	return append(exactly(lines, b.height), b.foot(e))
}

// row is a name, and what is to be said of it: how large it is and what cites
// it, or why it is not there.
func (b browser) row(en treeEntry, selected bool, w int, say voice) line {
	ascii := say.ascii
	l, ink := line{{"  ", plain}}, plain
	if selected {
		l, ink = line{{ownText("›", ascii) + " ", accent}}, strong
	}
	l = append(l, span{strings.Repeat(" ", min(2*en.depth, w/3)), plain})
	if en.folder {
		l = append(l, span{fold(!b.folded(en), ascii) + " ", faint})
	} else {
		l = append(l, span{"  ", plain})
	}
	if en.gap.Kind != "" {
		if !selected {
			ink = faint
		}
		sign := span{"  ? ", inkUnknown}
		if en.gap.Kind == evidence.Absent { // an answer, and no gap in what is known
			sign = span{"  ", plain}
		}
		return append(l, span{show(en.name, ascii), ink}, sign, span{show(say.Gap(en.gap), ascii),
			faint}).fit(w-1, ascii)
	}
	right := line{{fmt.Sprintf("%9s ", evidence.SizeText(en.size)), faint}}
	if en.folder && en.files == 0 {
		right = line{{" " + say.T("nothing there") + " ", faint}}
	}
	if en.cites > 0 {
		mark := span{symbol(en.status, ascii) + " " + say.T("%d cited", en.cites), inkOf(en.status)}
		right = append(line{mark}, right...)
	}
	l = append(l, span{show(en.name, ascii), ink})
	return apart(l.fit(w-right.width()-2, ascii), right, w)
}

// foot is what is typed, or the path under the cursor with its gap, and the counts.
func (b browser) foot(e env) line {
	files, absent, gaps := 0, 0, 0
	for _, i := range b.visible {
		switch en := b.entries[i]; {
		case en.folder && b.folded(en):
			files, gaps, absent = files+en.files, gaps+en.gaps, absent+en.absent
		case en.folder:
		case en.gap.Kind == evidence.Absent:
			absent++
		case en.gap.Kind != "":
			gaps++
		default:
			files++
		}
	}
	right := line{{e.T("%s, %s, %d absent", e.Count(files, "file"), e.Count(gaps, "gap"), absent),
		faint}, {" ", plain}}
	if b.prompt || b.filter != "" {
		left := line{{" /", accent}, {show(tail(b.filter, e.width-24), e.ascii), strong}}
		if b.prompt {
			left = append(left, span{"_", accent})
		}
		return apart(left, right, e.width)
	}
	en, ok := b.selected()
	if !ok {
		return apart(nil, right, e.width)
	}
	left := line{{" " + show(en.path, e.ascii), faint}}
	if en.gap.Kind != "" { // the row had no room for all of it
		return line{{" " + show(e.Gap(en.gap), e.ascii), plain}}.fit(e.width, e.ascii)
	}
	return apart(left.fit(e.width-right.width()-2, e.ascii), right, e.width)
}
