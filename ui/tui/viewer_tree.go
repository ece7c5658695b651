package tui

import (
	"fmt"
	"slices"
	"strings"

	"doctor/checks/evidence"
	"doctor/ui/jsontree"
)

// treeView is a document whose values fold.
type treeView struct {
	rows        []jsontree.Row
	folded      []bool
	visible     []int // rows that are not inside of a folded one
	cursor, top int   // into visible
}

// A document of more rows than this begins with what lies deep folded.
const unfoldedRows = 300

func newTreeView(rows []jsontree.Row) *treeView {
	t := &treeView{rows: rows, folded: make([]bool, len(rows))}
	if len(rows) > unfoldedRows {
		depth := 1
		if top := rows[0]; top.Kind == jsontree.Object {
			if items := jsontree.Child(rows, 0, "items"); items >= 0 &&
				rows[items].Size > top.End/2/max(rows[items].Size, 1) {
				depth = 2 // a List of Kubernetes: one row an object
			}
		}
		for i, r := range rows {
			t.folded[i] = r.Folds() && r.Depth >= depth
		}
	}
	t.seeVisible()
	return t
}

func (t *treeView) seeVisible() {
	t.visible = make([]int, 0, len(t.visible))
	for i := 0; i < len(t.rows); {
		t.visible = append(t.visible, i)
		if t.folded[i] {
			i = t.rows[i].End
		} else {
			i++
		}
	}
}

// with is a copy whose folds change.
func (t treeView) with(change func(folded []bool)) *treeView {
	at := t.row()
	t.folded = slices.Clone(t.folded)
	change(t.folded)
	t.seeVisible()
	t.cursor = t.find(at)
	return &t
}

// row is the row under the cursor.
func (t *treeView) row() int { return t.visible[clamp(t.cursor, len(t.visible)-1)] }

// find is where a row is seen: itself, or the folded one that it is in.
func (t *treeView) find(row int) int {
	after, _ := slices.BinarySearch(t.visible, row+1)
	return max(after-1, 0)
}

func (t treeView) settled(height int) *treeView {
	t.cursor, t.top = inSight(t.cursor, t.top, len(t.visible), height)
	return &t
}

func (t treeView) move(lines int) *treeView {
	t.cursor = clamp(t.cursor+lines, len(t.visible)-1)
	return &t
}

func (t treeView) page(lines int) *treeView {
	t.top = max(t.top+lines, 0)
	return t.move(lines)
}

// show unfolds what a row lies in, and goes there.
func (t treeView) show(row, height int) *treeView {
	if slices.ContainsFunc(t.around(row), func(i int) bool { return t.folded[i] }) {
		t = *t.with(func(folded []bool) {
			for _, i := range t.around(row) {
				folded[i] = false
			}
		})
	}
	t.cursor = t.find(row)
	if t.cursor < t.top || t.cursor >= t.top+height {
		t.top = max(t.cursor-height/3, 0)
	}
	return &t
}

// around are the rows that a row lies in.
func (t *treeView) around(row int) []int {
	var list []int
	for i := 0; i < row; {
		if t.rows[i].End > row {
			list = append(list, i)
			i++
		} else {
			i = t.rows[i].End
		}
	}
	return list
}

func (t *treeView) atLine(line int) int { return jsontree.AtLine(t.rows, line) }

// toggle folds the value under the cursor, or unfolds it.
func (t *treeView) toggle() *treeView {
	at := t.row()
	if !t.rows[at].Folds() {
		return t
	}
	return t.with(func(folded []bool) { folded[at] = !folded[at] })
}

// fold folds the value, or goes to what it lies in.
func (t treeView) fold() *treeView {
	at := t.row()
	if t.rows[at].Folds() && !t.folded[at] {
		return t.toggle()
	}
	if around := t.around(at); len(around) > 0 {
		t.cursor = t.find(around[len(around)-1])
	}
	return &t
}

func (t *treeView) unfold() *treeView {
	if t.folded[t.row()] {
		return t.toggle()
	}
	return t.move(1)
}

func (t *treeView) all(fold bool) *treeView {
	return t.with(func(folded []bool) {
		for i, r := range t.rows {
			folded[i] = fold && r.Folds() && i > 0
		}
	})
}

// rowOf is the row of a place, or -1.
func (t *treeView) rowOf(p evidence.Place) int {
	if p.Field == "" && p.Line > 0 {
		return t.atLine(p.Line)
	}
	return jsontree.Find(t.rows, p.Field)
}

// place finds the rows of citations, and takes over what is known of them. Each
// costs a look at its neighbors, of which a list may have many: no more are taken
// than the budget has.
func (t *treeView) place(list, known []citation, budget int) {
	rows := map[evidence.Place]int{}
	for _, c := range known {
		rows[c.at] = c.row
	}
	for i, c := range list {
		row, ok := rows[c.at]
		if !ok {
			row = -1
			if budget -= len(t.rows); budget > 0 {
				row = t.rowOf(c.at)
			}
			rows[c.at] = row
		}
		list[i].row = row
	}
}

// treeText is what a search looks at.
func treeText(rows []jsontree.Row, at int) string {
	name, value := jsontree.Name(rows[at]), rows[at].Value
	if name != "" && value != "" {
		return name + ": " + value
	}
	return name + value
}

// treeLine draws a row: its name, and its value or what it folds away.
func treeLine(t *treeView, at, w int, ascii bool) line {
	r := t.rows[at]
	// what nests deeper than a narrow screen can show stays in sight
	l := line{{strings.Repeat(" ", min(2*r.Depth, w/2)), plain}}
	if r.Folds() {
		l = append(l, span{fold(!t.folded[at], ascii) + " ", faint})
	} else {
		l = append(l, span{"  ", plain})
	}
	if name := jsontree.Name(r); name != "" {
		l = append(l, span{show(name, ascii), accent}, span{" ", plain})
	}
	switch {
	case r.Kind == jsontree.Scalar, r.Kind == jsontree.Piece:
		l = append(l, span{show(r.Value, ascii), plain})
	case t.folded[at] || !r.Folds():
		l = append(l, span{show(jsontree.Preview(t.rows, at, 2*w), ascii), faint})
	case r.Kind == jsontree.Object:
		l = append(l, span{fmt.Sprintf("{%d}", r.Size), faint})
	case r.Kind == jsontree.List:
		l = append(l, span{fmt.Sprintf("[%d]", r.Size), faint})
	}
	return l
}
