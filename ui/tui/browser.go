package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
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
	search contentSearch
	cited  bool // only what findings cite
	height int  // lines of the tree that are seen
}

func newBrowser(env) screen { return browser{asked: true} }

// start lists the evidence.
func (b browser) start(e env) func() tea.Msg {
	report, s := *e.english, e.evidence
	return func() tea.Msg { return listedTree{treeOf(leavesOf(s, &report))} }
}

func (b browser) title(e env) string { return e.T("evidence") }

func (b browser) typing() bool { return b.prompt }

func (b browser) hints() []hint {
	list := []hint{{"enter", "open", 1}, {"/", "search", 1}, {"f", "only cited", 3},
		{"y", "copy path", 4}}
	if b.cited {
		list[2].does = "show all"
	}
	switch {
	case b.prompt:
		return []hint{{"esc", "clear", 0}, {"enter", "search in all files", 0}}
	case b.search.stop != nil:
		return append([]hint{{"esc", "stop", 0}}, list...)
	case len(b.search.far.hits) > 0:
		list = append(list, hint{"n N", "next match", 0})
	}
	if b.filter != "" {
		list = append([]hint{{"esc", "clear", 0}}, list...)
	}
	return list
}

var browserKeys = struct {
	open, fold, left, right, all, none, filter, next, previous, cited key.Binding
}{
	open:     bind("enter", "open the file, or fold the folder"),
	fold:     bind("space", "fold or unfold the folder"),
	left:     bind("left h", "fold the folder, or go to the one around"),
	right:    bind("right l", "unfold the folder"),
	all:      bind("+ =", "unfold everything"),
	none:     bind("-", "fold everything"),
	filter:   bind("/", "filter paths; enter searches in all files"),
	next:     bind("n", "next match in all files"),
	previous: bind("N", "previous match in all files"),
	cited:    bind("f", "only the files that findings cite"),
}

func (b browser) bindings() []key.Binding {
	k := browserKeys
	return []key.Binding{k.open, k.filter, k.next, k.previous, k.cited, k.fold, k.left, k.right,
		k.all, k.none}
}

func (b browser) receive(e env, msg tea.Msg) (screen, effect) {
	switch msg := msg.(type) {
	case Update:
		b.stale = true // and read when the next key is pressed
	case listedTree:
		b.entries, b.listed, b.asked = msg.entries, true, false
		b = b.narrowed()
	case searchedFiles:
		return b.takeSearched(msg)
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
	return b.search.in[e.path].Lines > 0 || holds(b.filter, e.path)
}

func (b browser) settled(e env) screen {
	b.height = max(e.height-1, 1)
	b.cursor, b.top = inSight(b.cursor, b.top, len(b.visible), b.height)
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
		do.task = b.start(e)
	}
	fresh := b.search.follows
	b.search.follows = false
	if b.prompt {
		if k.Type == tea.KeyEnter {
			b.prompt = false
			b, search := b.searched(e)
			if do.task != nil {
				search.also = []effect{do}
			}
			return b, search
		}
		return b.typedKey(k), do
	}
	en, ok := b.selected()
	switch bk := browserKeys; {
	case key.Matches(k, keys.back, keys.quit):
		return b.back()
	case key.Matches(k, bk.filter):
		b.prompt = true
	case key.Matches(k, bk.next, bk.previous):
		return b.toHit(e, fresh, key.Matches(k, bk.previous))
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
		return b, effect{open: b.opened(en.path)}
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
	if n, page, ok := stride(k, b.height); ok {
		b.cursor += n
		if page {
			b.top = max(b.top+n, 0)
		}
	}
	return b
}

func (b browser) back() (screen, effect) {
	switch {
	case b.search.stop != nil:
		return b.searchStopped(), effect{}
	case b.filter != "":
		b.filter = ""
		b = b.searchEnded()
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
	for _, e := range b.entries {
		if e.folder && e.path != b.at && strings.HasPrefix(b.at, e.path) {
			b.folds = withFold(b.folds, e.path, false)
		}
	}
	return b
}

func (b browser) fold(e treeEntry, folded bool) browser {
	b.folds = withFold(b.folds, e.path, folded)
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
	if k.Type == tea.KeyUp || k.Type == tea.KeyDown {
		return b.moved(k)
	}
	before := b.filter
	b.filter, b.prompt, _ = typedText(b.filter, k, maxFilter)
	if k.Type == tea.KeyEsc {
		b = b.unfoldedAt()
	}
	if b.filter != before { // what was found is for another text
		b = b.searchEnded()
	}
	return b.narrowed().atFile()
}

// atFile puts the cursor on the first file, where folders are only its frame.
func (b browser) atFile() browser {
	i := slices.IndexFunc(b.visible, func(at int) bool { return !b.entries[at].folder })
	if b.filter != "" && i >= 0 {
		b.cursor = i
	}
	return b
}
