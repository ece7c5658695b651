package tui

import (
	"sync/atomic"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks/evidence"
	"doctor/ui/pager"
)

// viewer shows one file of the evidence: its lines by their numbers, or its
// values as a tree where it is JSON. The file itself is read by tasks; what the
// viewer holds of it is a window of lines around the place that is seen.
type viewer struct {
	path string
	aim  evidence.Place // where it opens
	aims bool           // else at the first place that a finding cites

	openedFile      // the zero one until the task brings it
	asText     bool // the file's own lines are shown though there is a tree

	voice
	width, height int      // of the part that shows lines
	cursor, top   int      // lines of the file, from 0
	seen          viewSpot // what is drawn until the window has caught up
	loading       bool
	stepping      bool
	waitFor       int  // a line to go to as soon as it is known
	follow        bool // stay at the end while the file is read
	left          int  // cells that are scrolled off
	wrap          bool

	prompt    bool // a text to search for is typed
	typed     string
	query     string
	reveal    bool         // what was found may lie to the side of what is seen
	stop      *atomic.Bool // ends the search that runs; nil where none does
	backwards bool         // which way it goes
	across    bool         // the text was searched in all files: n and N go on in the next file
	entering  bool         // the first search in a file that was opened at a match
	status    string
}

// viewSpot is a cursor and the first line seen.
type viewSpot struct{ cursor, top int }

// newViewer opens a file at a line, from 1, or with 0 at the first place in it
// that a finding cites.
func newViewer(path string, line int) screen {
	return viewer{path: path, aim: evidence.InLine(path, line), aims: line > 0}
}

// newViewerAt opens a file at a place in it.
func newViewerAt(place evidence.Place) screen {
	return viewer{path: place.Path, aim: place, aims: true}
}

// newViewerOfHit opens a file at a line that holds a text which was searched in all files.
func newViewerOfHit(path string, line int, text string, back bool) viewer {
	return viewer{path: path, aim: evidence.InLine(path, line), aims: true, query: text,
		across: true, backwards: back}
}

// stepTime is how long the file is read on before the screen hears of it.
const stepTime = 100 * time.Millisecond

func (v viewer) title(env) string { return v.path }

func (v viewer) typing() bool { return v.prompt }

func (v viewer) inTree() bool { return v.tree != nil && !v.asText }

// settled brings cursor and scroll into bounds.
func (v viewer) settled(e env) screen {
	// the last line is the viewer's own
	v.voice, v.width, v.height = e.voice, e.width, max(e.height-1, 1)
	if v.inTree() {
		v.tree = v.tree.settled(v.height)
		return v
	}
	n := v.count()
	v.cursor = clamp(v.cursor, n-1)
	v.top = max(min(v.top, v.cursor), v.cursor-v.height+1, 0)
	v.top = clamp(v.top, n-1)
	if !v.wrap {
		v.top = clamp(v.top, n-v.height)
	}
	if v.wrap { // a line may have several rows, and that of the cursor is seen
		first, rows := v.cursor, v.rowsAt(v.cursor)
		for first > v.top && rows+v.rowsAt(first-1) <= v.height {
			first--
			rows += v.rowsAt(first)
		}
		v.top = first
	}
	if v.covered(v.top, v.height) {
		v = v.revealed()
		v.seen = viewSpot{v.cursor, v.top}
	}
	return v
}

// count is how many lines can be gone to.
func (v viewer) count() int {
	switch {
	case v.win.tail:
		return len(v.win.lines)
	case v.state.Done, v.state.Lines == 1:
		return v.state.Lines
	}
	return max(v.state.Lines-1, 0) // the last may not be whole
}

// covered tells whether the window has the lines that would be seen.
func (v viewer) covered(top, n int) bool {
	end := min(top+n, v.count())
	return v.win.from <= top && end <= v.win.from+len(v.win.lines) && (v.win.whole || !v.state.Done)
}

// next is the task that the viewer needs done now, if any.
func (v viewer) next() (viewer, effect) {
	if v.file == nil || v.inTree() && v.state.Done {
		return v, effect{}
	}
	v = v.settled(env{voice: v.voice, width: v.width, height: v.height + 1}).(viewer)
	near := max(v.top-v.height/2, 0) // the window moves before its end is seen
	switch {
	case v.loading || v.win.tail:
	case !v.inTree() && !(v.covered(v.top, v.height) && v.covered(near, v.top-near+v.height*3/2)):
		v.loading = true
		return v, effect{task: func() tea.Msg {
			win, err := load(v.file, max(v.top-2*v.height, 0), 5*v.height, v.ascii)
			return fileLoaded{win, err}
		}}
	}
	if !v.stepping && !v.state.Done {
		v.stepping = true
		return v, effect{task: func() tea.Msg { return fileStepped{v.file.Step(stepTime)} }}
	}
	return v, effect{}
}

func (v viewer) receive(e env, msg tea.Msg) (screen, effect) {
	switch msg := msg.(type) {
	case Update:
		v = v.cited(e)
		return v, effect{}
	case openedFile:
		v = v.takeFile(e, msg)
		if v.across && v.inTree() { // a line of the file may be many rows
			if v.entering = true; v.backwards {
				v.tree = v.tree.show(len(v.tree.rows)-1, v.height)
			}
			return v.search(v.backwards, true)
		}
		v.reveal = v.across
	case fileLoaded:
		v.loading = false
		if msg.err != nil {
			v.status = e.T("could not read on: %v", msg.err)
			return v, effect{}
		}
		if !v.win.tail || msg.win.tail {
			v.win = msg.win
		}
		if msg.win.tail {
			v = v.atTail()
		}
	case fileStepped:
		v.stepping = false
		v = v.progressed(msg.state)
	case fileFound:
		if msg.stop != v.stop {
			break
		}
		v.stop = nil
		switch entering := v.entering; {
		case entering && msg.line == 0: // the text is split between rows
			v.entering = false
			v = v.goTo(max(v.aimed(), 0))
		case !entering && v.across && msg.err == nil && (msg.line == 0 || msg.wrapped):
			if !msg.tree {
				v = v.progressed(msg.state)
			}
			return v, effect{nextFile: true, nextBack: v.backwards}
		default:
			v.entering = false
			v = v.takeFound(msg)
		}
	}
	return v.next()
}

// takeFile shows the file that was opened, at the place that it was opened for.
func (v viewer) takeFile(e env, o openedFile) viewer {
	if v.openedFile = o; o.file == nil {
		return v
	}
	v = v.cited(e).settled(e).(viewer) // the report may have changed since
	if at := v.aimed(); at >= 0 {
		v = v.goTo(at)
	}
	return v
}

// aimed is the place that the viewer was opened for, from 0, or -1.
func (v viewer) aimed() int {
	switch {
	case v.aims && v.inTree():
		return v.tree.rowOf(v.aim)
	case v.aim.Line > 0:
		return v.aim.Line - 1
	}
	for _, c := range v.cites { // the first that is at a place
		if at := v.place(c); at >= 0 {
			return at
		}
	}
	return -1
}

// progressed takes over how far the file is read.
func (v viewer) progressed(s pager.State) viewer {
	v.state = s
	if s.Done && v.win.tail { // the end gets its numbers
		shift := s.Lines - len(v.win.lines)
		v.cursor, v.top = v.cursor+shift, v.top+shift
		v.seen = viewSpot{v.seen.cursor + shift, v.seen.top + shift}
		v.win.from, v.win.tail = shift, false
	}
	if s.Done && s.Err != nil {
		v.status = v.T("the file breaks off here: %v", s.Err)
	}
	if v.waitFor > 0 && (s.Done || v.count() >= v.waitFor) {
		v = v.jump(v.waitFor - 1)
	}
	if v.follow {
		v.cursor = v.count() - 1
		v.follow = !s.Done
	}
	return v
}

// jump puts a line under the cursor, with what led to it above.
func (v viewer) jump(line int) viewer {
	v.waitFor, v.follow = 0, false
	if v.win.tail {
		v.win = fileWindow{}
	}
	if line < v.top || line >= v.top+v.height {
		v.top = max(line-v.height/3, 0)
	}
	v.cursor = max(line, 0)
	return v
}

func (v viewer) hints() []hint {
	if v.file == nil {
		return nil
	}
	list := []hint{{"/", "search", 1}, {":", "line", 3}, {"z", "wrap", 6}, {"y", "copy line", 5}}
	if v.query != "" {
		list = append(list, hint{"n N", "next", 2})
	}
	if len(v.cites) > 0 {
		list = append(list, hint{"tab", "next cited", 2})
	}
	if v.inTree() {
		list = append(list, hint{"space", "fold", 2})
	}
	if v.tree != nil {
		list = append(list, hint{"v", "text or tree", 4})
	}
	return list
}

var viewerKeys = struct {
	search, next, previous, cited, citedUp, wrap, fold, all, none, asText, left,
	right key.Binding
}{
	search:   bind("/", "search in the file, in any case"),
	next:     bind("n", "next line that holds the searched text"),
	previous: bind("N", "previous line that holds it"),
	cited:    bind("tab", "next line that a finding cites"),
	citedUp:  bind("shift+tab", "previous line that a finding cites"),
	wrap:     bind("z", "wrap long lines; in a tree the value's"),
	fold:     bind("space enter", "fold or unfold a value of JSON"),
	all:      bind("+ =", "unfold everything"),
	none:     bind("-", "fold everything"),
	asText:   bind("v", "JSON as a tree, or as it is stored"),
	left:     bind("left h", "scroll left; in a tree fold"),
	right:    bind("right l", "scroll right; in a tree unfold"),
}

func (v viewer) bindings() []key.Binding {
	k := viewerKeys
	return []key.Binding{k.search, k.next, k.previous, k.cited, k.citedUp, k.wrap, k.fold,
		k.all, k.none, k.asText, k.left, k.right}
}

// What is shown as a tree at most.
const (
	treeBytes = 8 << 20
	treeRows  = 400_000
)
