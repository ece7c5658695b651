package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/sorted"
)

// A treeLeaf is a file of the evidence, or what stands in the place of a missing one.
type treeLeaf struct {
	path   string
	size   int64
	gap    evidence.Gap // why it is not there
	cites  int          // places that findings rest on
	status checks.Status
}

// A treeEntry is a row of the evidence tree; those inside of a folder follow it, up to end.
type treeEntry struct {
	treeLeaf        // of a folder: its size is that of all its files, and so are the cites
	name     string // without the folders that have a row of their own
	depth    int
	folder   bool
	end      int

	files, absent, gaps int // in a folder
}

// listedTree is what the browser's task brings.
type listedTree struct{ entries []treeEntry }

// leavesOf are the files of the evidence and the gaps in it: those that stand in
// the tree, those of files that were looked for, and those that checks ran into.
func leavesOf(s evidence.Snapshot, r *checks.Report) []treeLeaf {
	known := map[string]bool{}
	var list []treeLeaf
	add := func(l treeLeaf) {
		if key := strings.ToLower(l.path); l.path != "" && !known[key] {
			known[key] = true
			list = append(list, l)
		}
	}
	paths := s.Paths()
	for _, p := range paths {
		if strings.HasSuffix(p, ".gap") {
			continue
		}
		l := treeLeaf{path: p}
		if info, err := s.Stat(p); err == nil {
			l.size = info.Size()
		}
		add(l)
		for i, c := range p { // its folders are there as well
			if c == '/' {
				known[strings.ToLower(p[:i])] = true
			}
		}
	}
	for _, p := range paths {
		if of, ok := strings.CutSuffix(p, ".gap"); ok {
			add(treeLeaf{path: of, gap: s.GapAt(of)})
		}
	}
	for _, record := range evidence.FileIndex.In(s) {
		if gap := s.File(record.Path).Gap; gap.Kind != "" {
			add(treeLeaf{path: evidence.EvidencePath(record.Path), gap: gap})
		}
	}
	for _, g := range r.Gaps {
		add(treeLeaf{path: strings.TrimSuffix(g.Path, "/"), gap: g.Gap})
	}
	countCites(list, r)
	return list
}

// countCites notes how many places of a file findings rest on, and the worst of them.
func countCites(list []treeLeaf, r *checks.Report) {
	at := map[string]int{}
	for i, l := range list {
		at[strings.ToLower(l.path)] = i
	}
	type place struct {
		file int
		at   evidence.Place
		text string
	}
	seen := map[place]bool{}
	for _, res := range r.Results {
		for _, f := range res.Findings {
			for _, b := range f.Because {
				i, ok := at[strings.ToLower(b.Path)]
				if !ok {
					continue
				}
				l := &list[i]
				l.status = worseOf(l.status, checks.Status(f.Level))
				if p := (place{i, b.Place(), b.Text}); !seen[p] {
					seen[p] = true
					l.cites++
				}
			}
		}
	}
}

func worseOf(a, b checks.Status) checks.Status {
	if a == "" || b != "" && slices.Index(byWeight, b) < slices.Index(byWeight, a) {
		return b
	}
	return a
}

// treeOf sets leaves out as a tree, folders first. Folders that hold nothing but
// one other folder share its row.
func treeOf(list []treeLeaf) []treeEntry {
	sorted.By(list, func(a, b treeLeaf) int { return comparePaths(a.path, b.path) })
	var entries []treeEntry
	addTree(&entries, list, 0, 0)
	return entries
}

// comparePaths puts folders before files, part by part.
func comparePaths(a, b string) int {
	for {
		headA, restA, inA := strings.Cut(a, "/")
		headB, restB, inB := strings.Cut(b, "/")
		if c := cmp.Or(sorted.Last(!inA, !inB), strings.Compare(strings.ToLower(headA), strings.ToLower(headB)),
			strings.Compare(headA, headB)); c != 0 || !inA {
			return c
		}
		a, b = restA, restB
	}
}

// maxDepth is where folders in folders end: the rest of such a path is one name.
const maxDepth = 40

// addTree adds leaves whose paths agree in their first skip bytes.
func addTree(entries *[]treeEntry, list []treeLeaf, skip, depth int) {
	for len(list) > 0 {
		head, _, folder := strings.Cut(list[0].path[skip:], "/")
		if !folder || depth >= maxDepth {
			*entries = append(*entries, treeEntry{treeLeaf: list[0], name: list[0].path[skip:],
				depth: depth, end: len(*entries) + 1})
			list = list[1:]
			continue
		}
		prefix := list[0].path[:skip+len(head)+1]
		n := insideOf(list, prefix)
		for { // one folder and nothing else
			next, _, more := strings.Cut(list[0].path[len(prefix):], "/")
			if !more || insideOf(list[:n], prefix+next+"/") < n {
				break
			}
			prefix += next + "/"
		}
		at := len(*entries)
		*entries = append(*entries, treeEntry{treeLeaf: treeLeaf{path: prefix}, name: prefix[skip:],
			depth: depth, folder: true})
		addTree(entries, list[:n], len(prefix), depth+1)
		sumFolder(*entries, at, list[:n])
		list = list[n:]
	}
}

func insideOf(list []treeLeaf, prefix string) int {
	n := 0
	for n < len(list) && strings.HasPrefix(list[n].path, prefix) {
		n++
	}
	return n
}

func sumFolder(entries []treeEntry, at int, list []treeLeaf) {
	e := &entries[at]
	e.end = len(entries)
	for _, l := range list {
		e.size += l.size
		e.cites += l.cites
		if l.status != "" {
			e.status = worseOf(e.status, l.status)
		}
		switch {
		case l.gap.Kind == evidence.Absent:
			e.absent++
		case l.gap.Kind != "":
			e.gaps++
		default:
			e.files++
		}
	}
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
	l, ink := line{cursorMark(selected, ascii)}, inkIf(selected)
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
	h := b.search.in[en.path]
	if h.Lines > 0 {
		right = append(line{{say.T("%d found", h.Lines), accent}}, right...)
	}
	if en.cites > 0 && (h.Lines == 0 || w >= wordsFrom) { // else the name has no room
		mark := line{{symbol(en.status, ascii) + " " + say.T("%d cited", en.cites),
			inkOf(en.status)}}
		if h.Lines > 0 {
			mark = append(mark, span{"  ", plain})
		}
		right = append(mark, right...)
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
		if b.search.text != "" {
			right = line{{show(b.searchLine(e), e.ascii), accent}, {" ", plain}}
			if left.width()+2+right.width() > e.width { // what was found is worth more
				return append(line{{" ", plain}}, right...).fit(e.width, e.ascii)
			}
		}
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
