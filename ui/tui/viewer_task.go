package tui

import (
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks/evidence"
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
