package tui

import (
	"cmp"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/sorted"
	"doctor/ui/jsontree"
	"doctor/ui/pager"
)

// What the tasks of a viewer bring.
type (
	openedFile struct {
		gap   evidence.Gap // why there is nothing to show
		file  *pager.File
		state pager.State
		win   fileWindow
		tree  *treeView // nil where the file is no JSON
		cites []citation
	}
	fileLoaded struct {
		win fileWindow
		err error
	}
	fileStepped struct{ state pager.State }
	fileFound   struct {
		stop    *atomic.Bool // of the search
		line    int          // from 1; 0 for none. In a tree the row and one
		tree    bool
		wrapped bool // the search went on at the other end
		state   pager.State
		err     error
	}
)

// fileWindow is a part of the file's lines as they are shown.
type fileWindow struct {
	from  int // the number of the first line, from 0
	lines []fileLine
	whole bool // the last line will not grow
	tail  bool // the end of the file, whose numbers are not known; from counts from its first line
}

func (v viewer) start(e env) func() tea.Msg {
	report := *e.report
	e.report, e.english = &report, nil // the screen's own goes on changing
	return func() tea.Msg { return openFile(e, v.path) }
}

// openFile reads enough of a file for the first frame, and all of it where it is
// a document.
func openFile(e env, path string) openedFile {
	s := e.evidence
	content, err := s.Open(path)
	if err != nil {
		gap := s.GapAt(path)
		if gap.Kind == "" {
			gap = evidence.Reported.OfKind(evidence.Error, err)
		}
		return openedFile{gap: gap}
	}
	var size int64
	if info, err := s.Stat(path); err == nil {
		size = info.Size()
	}
	o := openedFile{file: pager.Open(content, size)}
	o.state = o.file.Step(0)
	if mayBeJSON(path) && size <= treeBytes {
		if rows := readTree(s, path); rows != nil {
			o.tree, o.cites = newTreeView(rows), citesOf(e.report, path, e.voice)
			o.tree.place(o.cites, nil, 1<<26)
		}
	}
	o.win, err = load(o.file, 0, 4*e.height, e.ascii)
	if err != nil {
		o.file.Close()
		return openedFile{gap: evidence.Reported.OfKind(evidence.Error, err)}
	}
	return o
}

func mayBeJSON(p string) bool {
	return slices.Contains([]string{".json", ".conf", ".conflist", ".config"},
		strings.ToLower(path.Ext(p)))
}

// readTree is nil where the file is not JSON after all; its lines are shown then.
func readTree(s evidence.Snapshot, path string) []jsontree.Row {
	r, err := s.Open(path)
	if err != nil {
		return nil
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(evidence.Text(r), treeBytes+1))
	if err != nil || len(b) > treeBytes {
		return nil
	}
	rows, err := jsontree.Parse(b, treeRows)
	if err != nil || !rows[0].Folds() {
		return nil
	}
	return rows
}

// load takes n lines from a line on, counted from 0.
func load(f *pager.File, from, n int, ascii bool) (fileWindow, error) {
	before := f.State() // asked first: the page may hold more, never less
	lines, err := f.Page(from+1, n)
	if err == nil && len(lines) < min(n, before.Lines-from) {
		err = errors.New("it became shorter than it was")
	}
	return fileWindow{from: from, lines: fileLines(lines, ascii), whole: before.Done ||
		from+len(lines) < before.Lines}, err
}

// tailLines are more than anyone scrolls back before the lines are counted.
const tailLines = 500

// tailTask looks at the end. Where that cannot be had yet, it brings nothing.
func tailTask(f *pager.File, ascii bool) func() tea.Msg {
	return func() tea.Msg {
		lines := f.Tail(tailLines)
		if lines == nil {
			return nil
		}
		return fileLoaded{win: fileWindow{lines: fileLines(lines, ascii), whole: true, tail: true}}
	}
}

func closeTask(f *pager.File) func() tea.Msg {
	return func() tea.Msg { f.Close(); return nil }
}

// searchTask goes on at the other end of the file, where it may and finds nothing on its way.
func searchTask(f *pager.File, stop *atomic.Bool, q pager.Query, atEnd, wraps bool) func() tea.Msg {
	readAll := func() {
		for !f.State().Done && !stop.Load() {
			f.Step(stepTime)
		}
	}
	return func() tea.Msg {
		if atEnd { // the place is known from the end only
			readAll()
		}
		line, err := f.Search(q, stop.Load)
		wrapped := wraps && line == 0 && err == nil
		if wrapped {
			q.From = 1
			if q.Back {
				readAll()
				q.From = endless
			}
			line, err = f.Search(q, stop.Load)
		}
		return fileFound{stop: stop, line: line, wrapped: wrapped, state: f.State(), err: err}
	}
}

func searchTreeTask(rows []jsontree.Row, stop *atomic.Bool, q pager.Query) func() tea.Msg {
	return func() tea.Msg {
		needle, n, step := pager.Fold(q.Text), len(rows), 1
		if q.Back {
			step = -1
		}
		for i := range n {
			at := ((q.From+i*step)%n + n) % n
			if strings.Contains(pager.Fold(treeText(rows, at)), needle) {
				wrapped := !q.Back && at < q.From || q.Back && at > q.From
				return fileFound{stop: stop, line: at + 1, tree: true, wrapped: wrapped}
			}
		}
		return fileFound{stop: stop, tree: true}
	}
}

// A citation is a place in a file that a finding rests on.
type citation struct {
	at      evidence.Place
	row     int // in the tree; -1 where that could not be told
	status  checks.Status
	message string
}

// cited collects what the report says of the file, by place. It runs in an
// update, so of what is new only so much is looked for in a long document.
func (v viewer) cited(e env) viewer {
	list := citesOf(e.report, v.path, e.voice)
	if v.tree != nil {
		v.tree.place(list, v.cites, 1<<20)
	}
	v.cites = list
	return v
}

// citesOf are the cites of a file in the order of its lines, the worst first
// where several are of one line.
func citesOf(r *checks.Report, path string, say voice) []citation {
	var list []citation
	for i := range r.Results {
		for _, f := range r.Results[i].Findings {
			for _, b := range f.Because {
				if strings.EqualFold(b.Path, path) {
					list = append(list, citation{b.Place(), -1, checks.Status(f.Level),
						say.sentence(f)})
				}
			}
		}
	}
	sorted.By(list, func(a, b citation) int {
		return cmp.Or(a.at.Line-b.at.Line,
			slices.Index(byWeight, a.status)-slices.Index(byWeight, b.status))
	})
	return list
}

// place is where the citation is in what is shown now, from 0, or -1.
func (v viewer) place(c citation) int {
	if v.inTree() {
		return c.row
	}
	if c.at.Line == 0 && c.row >= 0 && v.tree != nil {
		return v.tree.rows[c.row].Line - 1
	}
	return c.at.Line - 1
}

// citeAt is what is cited at a place.
func (v viewer) citeAt(at int) (citation, bool) {
	if v.win.tail && !v.inTree() {
		return citation{}, false // nobody knows its number yet
	}
	for _, c := range v.cites {
		if p := v.place(c); p >= 0 && p == at {
			return c, true
		}
	}
	return citation{}, false
}

// nextCited is the nearest cited place behind, or before, the cursor; after the
// last comes the first.
func (v viewer) nextCited(back bool) (int, bool) {
	here := v.cursor
	if v.inTree() {
		here = v.tree.row()
	}
	var places []int
	for _, c := range v.cites {
		if p := v.place(c); p >= 0 {
			places = append(places, p)
		}
	}
	if len(places) == 0 {
		return 0, false
	}
	slices.Sort(places)
	if back {
		i, _ := slices.BinarySearch(places, here)
		return places[(i-1+len(places))%len(places)], true
	}
	i, _ := slices.BinarySearch(places, here+1)
	return places[i%len(places)], true
}

// fileLine is a line as it is shown, in pieces of known width, so that a screen
// far to the right of a long line costs no more than one at its start.
type fileLine struct {
	pieces []linePiece
	raw    string // what copying takes
	cut    bool   // the line goes on
}

type linePiece struct {
	text  string
	width int
}

// pieceBytes is short enough to be cut anew in every frame.
const pieceBytes = 1 << 10

func fileLines(list []pager.Line, ascii bool) []fileLine {
	lines := make([]fileLine, len(list))
	for i, l := range list {
		lines[i] = newFileLine(l.Text, ascii)
		lines[i].cut = l.Cut
	}
	return lines
}

func newFileLine(text string, ascii bool) fileLine {
	l := fileLine{raw: text}
	text = strings.ReplaceAll(text, "\t", "    ")
	for text != "" {
		n := len(text)
		if n > pieceBytes {
			for n = pieceBytes; n > pieceBytes-utf8.UTFMax && !utf8.RuneStart(text[n]); n-- {
			}
		}
		s := show(text[:n], ascii)
		l.pieces = append(l.pieces, linePiece{s, width(s)})
		text = text[n:]
	}
	return l
}

func (l fileLine) width() int {
	n := 0
	for _, p := range l.pieces {
		n += p.width
	}
	return n
}

// from is the text from a cell on, at least w cells of it where there are so many.
func (l fileLine) from(cell, w int) string {
	var b strings.Builder
	for _, p := range l.pieces {
		if cell >= p.width && cell > 0 {
			cell -= p.width
			continue
		}
		s := p.text
		if cell > 0 {
			s = ansi.TruncateLeft(s, cell, "")
			cell = 0
		}
		b.WriteString(s)
		if w -= width(s); w <= 0 {
			break
		}
	}
	return b.String()
}

// rows are the line broken wherever w cells are full, at most so many rows.
func (l fileLine) rows(w, most int) []string {
	w = max(w, 2)
	rest := l.from(0, w*most+w)
	rows := make([]string, 0, 1)
	for len(rows) < most {
		head := ansi.Truncate(rest, w, "")
		if head == "" || len(head) >= len(rest) {
			return append(rows, rest)
		}
		rows = append(rows, head)
		rest = rest[len(head):]
	}
	return rows
}
