package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/evidence/jsontree"
)

// How much evidence one finding, one check and one reading may bring.
const (
	maxQuoted       = 20 // lines of evidence of one finding
	maxQuotedBefore = 6  // lines in front of the one that a finding cites
	maxQuotedAfter  = 3
	maxQuotedLine   = 300 // bytes
	maxQuotedOf     = 3   // findings of one check
	maxQuoteFile    = 64 << 20
	maxQuoteAll     = 256 << 20
)

// evidence quotes what the findings rest on: the causes' in the open, that of
// what follows from them folded away.
func (d *issue) evidence(room int) *section {
	causes, others := d.faults()
	if len(causes)+len(others) == 0 {
		return newSection("", 0, "")
	}
	p := &section{room: room - 200, what: "finding"} // 200 for the folding and the word on the cut
	p.put("\n#### Evidence\n")
	q := &quoter{s: d.s, left: maxQuoteAll}
	for _, r := range causes {
		q.result(p, r)
	}
	if len(others) == 0 {
		return p
	}
	p.always("\n<details><summary>Evidence of what else was found: %s</summary>\n",
		count(len(others), "check"))
	for _, r := range others {
		q.result(p, r)
	}
	p.always("\n</details>\n")
	return p
}

// faults lists the results that fail or warn: the causes, and then the others in
// the order of the causes that they follow from.
func (d *issue) faults() (causes, others []*checks.Result) {
	seen := map[string]bool{}
	take := func(list []*checks.Result, r *checks.Result) []*checks.Result {
		if r == nil || !r.Status.Fault() || seen[r.ID] {
			return list
		}
		seen[r.ID] = true
		return append(list, r)
	}
	for _, c := range d.r.Causes {
		causes = take(causes, d.r.Result(c.ID))
	}
	for _, c := range d.r.Causes {
		for _, id := range c.Consequences {
			others = take(others, d.r.Result(id))
		}
	}
	for _, s := range []checks.Status{checks.StatusFail, checks.StatusWarn} {
		for i := range d.r.Results {
			if r := &d.r.Results[i]; r.Status == s {
				others = take(others, r)
			}
		}
	}
	return causes, others
}

// A quoter reads the cited places out of the snapshot.
type quoter struct {
	s    evidence.Snapshot
	left int64  // bytes that may still be read
	path string // of the JSON file that was read last
	last any    // what it holds
}

func (q *quoter) result(p *section, r *checks.Result) {
	findings := slices.DeleteFunc(slices.Clone(r.Findings), func(f checks.ReportFinding) bool {
		return f.Level != checks.Fail.String() && f.Level != checks.Warn.String()
	})
	for _, f := range findings[:min(len(findings), maxQuotedOf)] {
		if p.full() { // to read what is not shown would cost as much
			p.cut++
			continue
		}
		p.block(q.finding(r.ID, f))
	}
	p.cut += max(len(findings)-maxQuotedOf, 0)
}

func (q *quoter) finding(id string, f checks.ReportFinding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n**%s** %s: %s\n", cited(id), code(f.Level), quiet(f.Message))
	if lines := q.lines(f); len(lines) > 0 {
		b.WriteString("\n" + fence("text", lines))
	}
	for _, c := range f.Codes[:min(len(f.Codes), maxLines)] {
		fmt.Fprintf(&b, "\n%s is %s: %s\n", cited(c.Code), cited(c.Symbol),
			quiet(clip(c.Meaning, maxValue)))
	}
	return b.String()
}

// lines quotes a finding's evidence file by file. Each line has a gutter, so that
// none begins with what its writer wanted.
func (q *quoter) lines(f checks.ReportFinding) []string {
	because := f.Because[:min(len(f.Because), maxQuoted)]
	cited := 0
	for _, b := range because {
		if isLine(b) {
			cited++
		}
	}
	around := 0
	if cited > 0 {
		around = max(maxQuoted-2*len(because), 0) / cited // each has a field or a gap beside it
	}
	var quoted []string
	var done []string
	n := 0
	for _, b := range because {
		if slices.Contains(done, b.Path) {
			continue
		}
		done = append(done, b.Path)
		lines := q.ofFile(b.Path, because, around)
		lines = lines[:min(len(lines), maxQuoted-n)]
		if n += len(lines); len(lines) > 0 {
			path := strings.TrimLeft(b.Path, "/ ") // no line begins with a slash, in no file's name either
			quoted = append(append(quoted, clip(path, maxQuotedLine)), lines...)
		}
	}
	return quoted
}

// isLine tells a line of a text, which is quoted among others, from a value of JSON.
func isLine(b evidence.Because) bool { return b.Line > 0 && b.Field == "" }

func (q *quoter) ofFile(path string, all []evidence.Because, around int) []string {
	var at []evidence.Because
	var lines []string
	for _, b := range all {
		switch {
		case b.Path != path:
		case isLine(b):
			at = append(at, b)
		default:
			mark, number := " ", ""
			if _, n := b.Place().Element(); n >= 0 {
				mark, number = ">", fmt.Sprintf("[%d]", n)
			}
			lines = append(lines, gutter(mark, number, b.Text))
			for _, line := range q.field(b) {
				if !slices.Contains(lines, line) {
					lines = append(lines, line)
				}
			}
		}
	}
	return append(lines, q.around(path, at, around)...)
}

// around quotes the cited lines with those that stand about them.
func (q *quoter) around(path string, cited []evidence.Because, around int) []string {
	if len(cited) == 0 {
		return nil
	}
	before, after := min(maxQuotedBefore, around*2/3), min(maxQuotedAfter, around/3)
	wanted := map[int]string{}
	for _, b := range cited {
		for n := max(b.Line-before, 1); n <= b.Line+after; n++ {
			wanted[n] = ""
		}
	}
	q.read(path, wanted)
	own := map[int]evidence.Because{}
	for _, b := range cited {
		own[b.Line] = b
	}
	var lines []string
	last := 0
	for _, n := range slices.Sorted(maps.Keys(wanted)) {
		mark, text := " ", wanted[n]
		if b := own[n]; b.Text != "" {
			mark = ">"
			// the finding's own copy is cut about what it found
			if text == "" || strings.HasSuffix(text, "…") {
				text = b.Text
			} else {
				text += checks.AndMore(b.More)
			}
		}
		if mark == " " {
			text = clip(text, maxQuotedLine)
		}
		if text == "" {
			continue
		}
		if last > 0 && n > last+1 {
			lines = append(lines, gutter(" ", "...", ""))
		}
		lines, last = append(lines, gutter(mark, fmt.Sprint(n), text)), n
	}
	return lines
}

// read fills in the wanted lines of a text, as far as it may be read.
func (q *quoter) read(path string, wanted map[int]string) {
	f, err := q.s.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	bounded := &io.LimitedReader{R: f, N: min(maxQuoteFile, q.left)}
	granted := bounded.N
	defer func() { q.left -= granted - bounded.N }()
	end := slices.Max(slices.Collect(maps.Keys(wanted)))
	lines := evidence.Lines(evidence.Text(bounded))
	for lines.Next() && lines.Number() <= end {
		if _, ok := wanted[lines.Number()]; ok {
			wanted[lines.Number()] = clip(Plain(string(lines.Bytes()[:min(len(lines.Bytes()),
				8*maxQuotedLine)]), false), 2*maxQuotedLine)
		}
	}
}

func gutter(mark, number, text string) string {
	return strings.TrimRight(fmt.Sprintf("%s%6s | %s", mark, number, clip(text, 2*maxQuotedLine)),
		" ")
}

// Whoever can write a log line could otherwise have an issue refer to others, or
// to their own page.
var refers = regexp.MustCompile(`(?i)://|\bwww\.|\bGH-`)

// quiet writes a text so that a page of GitHub shows it as it is, and neither
// tells anybody of it nor makes a link of it.
func quiet(s string) string {
	return refers.ReplaceAllStringFunc(inline(s), func(m string) string {
		at := len(m) - 1
		if m == "://" {
			at = 1
		}
		return m[:at] + "<!-- -->" + m[at:]
	})
}

// Bounds of what is quoted out of JSON.
const maxQuotedJSON = 1 << 20 // bytes of a file; a tree of values takes many times as much

// field quotes the value that a piece of evidence points at, where its text does not give it
// already: of a list the element that it is in, of a document the value.
func (q *quoter) field(b evidence.Because) []string {
	place, number := b.Place().Element()
	if number < 0 && b.Field == "" {
		return nil // all of a file
	}
	value, ok := follow(q.doc(b.Path), place.Field)
	if !ok {
		return nil
	}
	if object, ok := value.(map[string]any); ok {
		if fields := plainFields(object, b.Text); fields != "" {
			return []string{gutter(" ", "", fields)}
		}
		return nil
	}
	shown := compact(value)
	if strings.Contains(b.Text, strings.Trim(shown, `"`)) {
		return nil
	}
	return []string{gutter(" ", "", strings.Join(jsontree.Steps(place.Field), ".")+" = "+shown)}
}

// follow is the value that a JSON Pointer leads to, by names in any case.
func follow(value any, pointer string) (any, bool) {
	for _, step := range jsontree.Steps(pointer) {
		found := false
		switch v := value.(type) {
		case map[string]any:
			if value, found = v[step]; found {
				break
			}
			for key, inner := range v {
				if strings.EqualFold(key, step) {
					value, found = inner, true
				}
			}
		case []any:
			if n, err := strconv.Atoi(step); err == nil && n >= 0 && n < len(v) {
				value, found = v[n], true
			}
		}
		if !found {
			return nil, false
		}
	}
	return value, true
}

// saidAnyway are the fields that every object of Kubernetes has, and those that findings quote.
var saidAnyway = []string{"apiVersion", "kind", "message", "note"}

// plainFields is an object in one line, without what is nested in it and what the text says already.
func plainFields(object map[string]any, text string) string {
	var fields []string
	for _, key := range slices.Sorted(maps.Keys(object)) {
		switch object[key].(type) {
		case map[string]any, []any, nil:
		default:
			shown := compact(object[key])
			if !slices.Contains(saidAnyway, key) &&
				!strings.Contains(text, strings.Trim(shown, `"`)) {
				fields = append(fields, fmt.Sprintf("%s: %s", Plain(key, false), shown))
			}
		}
	}
	return strings.Join(fields, ", ")
}

func compact(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(value) != nil {
		return ""
	}
	return clip(Plain(strings.TrimSpace(b.String()), false), maxQuotedLine)
}

// doc is a JSON file of the tree, nil where it is none or too large to be worth
// it. One is kept, for a finding quotes a file more than once.
func (q *quoter) doc(path string) any {
	if path != q.path {
		q.path, q.last = path, q.decode(path)
	}
	return q.last
}

func (q *quoter) decode(path string) (doc any) {
	if !strings.HasSuffix(path, ".json") {
		return nil
	}
	f, err := q.s.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxQuotedJSON+1))
	if err != nil || len(content) > maxQuotedJSON {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(evidence.DecodeText(content)))
	d.UseNumber()
	if d.Decode(&doc) != nil {
		return nil
	}
	return doc
}
