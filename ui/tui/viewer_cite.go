package tui

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/sorted"
)

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
