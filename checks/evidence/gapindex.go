package evidence

import (
	"encoding/json"
	"slices"
	"strings"
)

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
