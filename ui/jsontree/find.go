package jsontree

import (
	"sort"

	"doctor/checks/evidence/jsontree"
)

// Find is the row that a JSON Pointer leads to. Of what the document does not have
// it is the row that would hold it; -1 where there is no document.
func Find(rows []Row, pointer string) int {
	if len(rows) == 0 {
		return -1
	}
	at := 0
	for _, step := range jsontree.Steps(pointer) {
		if rows[at].Kind == List {
			step = "[" + step + "]"
		}
		next := child(rows, at, func(name string) bool { return name == step })
		if next < 0 { // evidence is read in any case
			next = Child(rows, at, step)
		}
		if next < 0 {
			break
		}
		at = next
	}
	return at
}

// AtLine is the first row that comes from a line of the file, or from the last
// line before it that has one.
func AtLine(rows []Row, line int) int {
	last := sort.Search(len(rows), func(i int) bool { return rows[i].Line > line }) - 1
	if last < 0 {
		return -1
	}
	return sort.Search(last, func(i int) bool { return rows[i].Line == rows[last].Line })
}
