package evidence

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Gap says why a piece of evidence could not be had. The zero Gap means that
// the evidence is there. Gaps are comparable; programs decide by Kind and Code,
// and the sentence is made where it is shown.
type Gap struct {
	Kind string
	Code Code
	Args [maxGapArgs]string // what fills in the sentence of Code
}

// maxGapArgs is more than any sentence needs: a phrase, and what fills it in.
const maxGapArgs = 6

// The kinds of gap. Absent is an answer ("looked, it is not there"); all the
// others leave the question open.
const (
	Absent       = "absent"
	Denied       = "denied"
	Timeout      = "timeout"
	Unsupported  = "unsupported"
	NotCollected = "not-collected"
	Error        = "error"
)

var gapKinds = []string{Absent, Denied, Timeout, Unsupported, NotCollected, Error}

// Gap makes the gap of a code. Where the code's sentence takes a phrase, the
// first argument is its English format, and the others fill that in.
//
//go:noinline
func (c Code) Gap(args ...any) Gap { return c.OfKind(codes[c].kind, args...) }

// OfKind makes the gap of a code that has no kind of its own, such as an error of the system.
func (c Code) OfKind(kind string, args ...any) Gap {
	g := Gap{Kind: kind, Code: c}
	var filled []string
	if codes[c].phrase && len(args) > 0 {
		format, _ := args[0].(string)
		n := min(holes(format), len(args)-1)
		filled = append([]string{format}, texts(format, args[1:1+n])...)
		for _, arg := range args[1+n:] {
			filled = append(filled, fmt.Sprint(arg))
		}
		if len(filled) > maxGapArgs { // said in English only
			filled = append([]string{"%s", Fill(format, filled[1:])}, filled[1+n:]...)
		}
	} else {
		filled = texts(codes[c].text, args)
	}
	for i, text := range filled[:min(len(filled), maxGapArgs)] {
		g.Args[i] = Clean(text)
	}
	return g
}

// Reason is the sentence of the gap in English.
func (g Gap) Reason() string {
	c, known := codes[g.Code]
	switch {
	case !known:
		return g.Args[0]
	case c.phrase:
		n := min(holes(g.Args[0]), maxGapArgs-1)
		return Fill(c.text, append([]string{Fill(g.Args[0], g.Args[1:1+n])}, g.Args[1+n:]...))
	}
	return Fill(c.text, g.Args[:])
}

// String is the gap as one line, "kind: sentence", and "" for none.
func (g Gap) String() string {
	if g.Kind == "" {
		return ""
	}
	return g.Kind + ": " + g.Reason()
}

// Phrase is the sentence of the gap for another language.
func (g Gap) Phrase() Phrase {
	c, known := codes[g.Code]
	switch {
	case !known:
		return Phrase{"%s", []any{g.Args[0]}}
	case c.phrase:
		n := min(holes(g.Args[0]), maxGapArgs-1)
		p := filled(c.text, append([]string{""}, g.Args[1+n:]...))
		p.Args[0] = filled(g.Args[0], g.Args[1:1+n])
		return p
	}
	return filled(c.text, g.Args[:])
}

// holes is how many arguments a format takes.
func holes(format string) int {
	n := 0
	for _, h := range Holes(format) {
		n = max(n, h.Arg+1)
	}
	return n
}

// filled is a phrase of texts that have the form of their verbs already.
func filled(format string, texts []string) Phrase {
	p := Phrase{Format: format}
	for _, h := range Holes(format) {
		for len(p.Args) <= h.Arg {
			p.Args = append(p.Args, Ready(""))
		}
		if h.Arg < len(texts) {
			p.Args[h.Arg] = Ready(texts[h.Arg])
		}
	}
	return p
}

// Ready is an argument in the form of its verb, which is shown as it stands.
type Ready string

// maxGapLine keeps a hostile or careless .gap file from flooding the report.
const maxGapLine = 500

// gapFromLine reads the content of a .gap file. A line without a known kind was written by hand: it
// still says that something is missing, so it is kept as an error.
func gapFromLine(content string) Gap {
	line, _, _ := strings.Cut(strings.TrimSpace(content), "\n")
	line = Clip(Clean(strings.TrimSpace(line)), maxGapLine)
	if kind, reason, ok := strings.Cut(line, ":"); ok && slices.Contains(gapKinds, kind) {
		return AsRecorded.OfKind(kind, strings.TrimSpace(reason))
	}
	if line == "" {
		return NoReason.Gap()
	}
	return AsRecorded.OfKind(Error, line)
}

// GapIndexPath is where a tree says what its .gap files mean: for each path the
// kind, the code and the arguments of its gap. The .gap files hold the same as a
// sentence for people. A tree may lack it: then a gap is shown as it is recorded.
const GapIndexPath = "gaps.json"

// GapRecord is one gap as the index holds it.
type GapRecord struct {
	// The word before the colon of the .gap file: absent, denied, timeout, unsupported,
	// not-collected or error.
	Kind string `json:"kind"`
	Code Code   `json:"code"` // Which sentence it is.
	// What fills in the sentence: names, numbers and texts from outside.
	Args []string `json:"args,omitempty"`
}

// Record is the gap as the index holds it.
func (g Gap) Record() GapRecord {
	args := g.Args[:]
	for len(args) > 0 && args[len(args)-1] == "" {
		args = args[:len(args)-1]
	}
	return GapRecord{g.Kind, g.Code, slices.Clone(args)}
}

// Gap is the gap of a record. What it holds comes from outside: a code that this
// doctor does not know is no gap.
func (r GapRecord) Gap() Gap {
	if _, known := codes[r.Code]; !known || !slices.Contains(gapKinds, r.Kind) ||
		len(r.Args) > maxGapArgs {
		return Gap{}
	}
	g := Gap{Kind: r.Kind, Code: r.Code}
	for i, arg := range r.Args {
		g.Args[i] = Clip(Clean(arg), maxGapLine)
	}
	return g
}

// gapIndex reads the index, by the lower-case path. One that is broken is as good as none: the
// .gap files say the same.
func (t *tree) gapIndex() map[string]Gap {
	stored, ok := t.paths[GapIndexPath]
	if !ok {
		return nil
	}
	content, err := ReadBounded(t.fsys, stored, maxGapIndex)
	if err != nil {
		return nil
	}
	var records map[string]GapRecord
	if json.Unmarshal(content, &records) != nil {
		return nil
	}
	index := map[string]Gap{}
	for path, r := range records {
		if g := r.Gap(); g.Kind != "" {
			index[strings.ToLower(path)] = g
		}
	}
	return index
}

// maxGapIndex bounds the index in bytes. A tree has some hundred gaps.
const maxGapIndex = 8 << 20

// GapRecords is the index as whoever writes the tree anew writes it: of each
// .gap file whose code is known.
func (s Snapshot) GapRecords() map[string]GapRecord {
	records := map[string]GapRecord{}
	for key, stored := range s.known().paths {
		path, isGap := strings.CutSuffix(key, ".gap")
		if !isGap {
			continue
		}
		if _, there := s.paths[path]; there {
			continue
		}
		if _, g := s.readFile(path); g.Code != "" && g == s.gaps[path] {
			records[stored[:len(path)]] = g.Record()
		}
	}
	return records
}

// recordedGap is the gap that a .gap file stands for: by the index where that
// speaks of the same kind of gap, else the line as it is.
func (t *tree) recordedGap(path, content string) Gap {
	line := gapFromLine(content)
	if g, ok := t.gaps[strings.ToLower(path)]; ok && g.Kind == line.Kind {
		return g
	}
	return line
}
