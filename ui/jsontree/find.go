package jsontree

import (
	"regexp"
	"strings"
)

// fieldPath is what a finding calls a field: spec.podCIDR, [0].Name,
// spec.containers[0].resources.
var fieldPath = regexp.MustCompile(`^(?:[A-Za-z_][\w/-]*|\[\d+\])(?:\.[A-Za-z_][\w/-]*|\[\d+\])*$`)

var step = regexp.MustCompile(`[A-Za-z_][\w/-]*|\[\d+\]`)

// Find is the row that a finding's words about the document mean, as well as
// that can be told, or -1. The line is the file's line that it cites, or 0.
//
//	spec.podCIDR is empty
//	kubelet: state is paused
//	commitUsedBytes 71672266752 of commitLimitBytes 73014444032
//	--network-plugin=cni
func Find(rows []Row, line int, text string) int {
	if len(rows) == 0 {
		return -1
	}
	at := 0
	if line > 0 {
		if at = element(rows, line); at < 0 {
			at = AtLine(rows, line)
		}
		if at < 0 {
			return -1
		}
	}
	clauses := strings.Split(text, ": ")
	for n, clause := range clauses {
		if i := named(rows, at, clause); i >= 0 {
			return item(rows, i, strings.Join(clauses[n+1:], ": "))
		}
	}
	if i := member(rows, at, clauses); i >= 0 {
		return i
	}
	if i := holding(rows, at, text); i >= 0 {
		return i
	}
	if line > 0 {
		return at
	}
	if i := anywhere(rows, text); i >= 0 {
		return i
	}
	return -1
}

// element is the n-th of a list of records, from 1; -1 where the document is
// none. Of a record a finding tells its number, not the line that it is written in.
func element(rows []Row, n int) int {
	list := 0
	if rows[0].Kind == Object {
		list = Child(rows, 0, "items")
	}
	if list < 0 || rows[list].Kind != List {
		return -1
	}
	for i := list + 1; i < rows[list].End; i = rows[i].End {
		if n--; n == 0 {
			return i
		}
	}
	return -1
}

// AtLine is the first row that comes from a line of the file, or from the last
// line before it that has one.
func AtLine(rows []Row, line int) int {
	best := -1
	for i, r := range rows {
		if r.Line > line {
			break
		}
		if best < 0 || r.Line > rows[best].Line {
			best = i
		}
	}
	return best
}

// named follows the path that a clause begins with, as far as the document has it.
func named(rows []Row, at int, clause string) int {
	word, _, _ := strings.Cut(clause, " ")
	word = strings.TrimRight(word, ",;:.")
	if !fieldPath.MatchString(word) {
		return -1
	}
	found := -1
	for _, name := range step.FindAllString(word, -1) {
		next := Child(rows, at, name)
		if next < 0 {
			break
		}
		at, found = next, next
	}
	return found
}

// item is the item of a list that the rest of the text speaks of most: that with
// the type Ready and the status Unknown of "Ready is Unknown since noon".
func item(rows []Row, list int, text string) int {
	best, most := list, 0
	if rows[list].Kind != List || text == "" {
		return list
	}
	for i := list + 1; i < rows[list].End; i = rows[i].End {
		n := 0
		for j := i; j < rows[i].End; j++ {
			if value := strings.Trim(rows[j].Value, `"`); len(value) > 2 && strings.Contains(text, value) {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	return best
}

// member is the field that a second clause names, of the object that the first
// one names: kubelet: state is paused.
func member(rows []Row, at int, clauses []string) int {
	subject := strings.TrimSpace(clauses[0])
	if subject == "" {
		return -1
	}
	for i := at; i < rows[at].End; i++ {
		r := rows[i]
		if r.Kind != Scalar || r.Depth == 0 || !strings.EqualFold(strings.Trim(r.Value, `"`), subject) {
			continue
		}
		object := parent(rows, i)
		for _, clause := range clauses[1:] {
			if found := named(rows, object, clause); found >= 0 {
				return found
			}
		}
		return i
	}
	return -1
}

func parent(rows []Row, at int) int {
	for i := at - 1; i >= 0; i-- {
		if rows[i].Depth < rows[at].Depth {
			return i
		}
	}
	return 0
}

// holding is the value that holds the whole text; the count that a finding adds
// to a repeated line is not part of it.
func holding(rows []Row, at int, text string) int {
	text, _, _ = strings.Cut(text, "  (and ")
	if text = strings.TrimSpace(text); text == "" {
		return -1
	}
	for i := at; i < rows[at].End; i++ {
		if r := rows[i]; (r.Kind == Scalar || r.Kind == Piece) && strings.Contains(r.Value, text) {
			return i
		}
	}
	return -1
}

// anywhere is the first field, at any depth, of the name that the text begins with.
func anywhere(rows []Row, text string) int {
	word, _, _ := strings.Cut(text, " ")
	word = strings.TrimRight(word, ",;:.")
	if !fieldPath.MatchString(word) {
		return -1
	}
	for i := range rows {
		if rows[i].Key != "" && strings.EqualFold(rows[i].Key, word) {
			return i
		}
	}
	return -1
}
