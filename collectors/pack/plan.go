package pack

import (
	"cmp"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
	"doctor/collectors/bundle"
)

// How much of a log is taken at least, however small the bundle: its beginning
// (a component tells there how it was started), what stands around each sign,
// and its end.
const (
	leastHead   = 64 << 10
	leastTail   = 64 << 10
	around      = 40        // lines before and after a sign
	mostWindow  = 256 << 10 // bytes of one window: lines may be long
	shrinking   = 0.8
	mostShrinks = 6
	reserve     = 128 << 10 // of the zip, for what is written last
	sampleSize  = 256 << 10 // of each log, to see how well it compresses
)

// ownFiles are the files that a bundle holds beside the evidence. A bundle that is
// made of a bundle makes them anew.
var ownFiles = []string{"report.json", "report.txt", "issue.md", "readme.txt", "manifest.json",
	samplesName, "signs.json", "errorlines.json", "logs.json", evidence.GapIndexPath}

const collectlogsFolder = "collectlogs/"

// A plan is what goes into the bundle, in this order.
type plan struct {
	facts  []item // taken whole
	logs   []item // may be cut
	left   []Left
	total  int64   // bytes to read
	factor float64 // of tails
	least  float64 // of what is taken of each log at least

	shrinks int
	tails   int64 // bytes of all logs together, at factor 1; below 0: all of them
	since   time.Time
}

// An item is one file of the evidence.
type item struct {
	path     string
	size     int64
	modified time.Time
	isLog    bool     // else another tool's file
	windows  []window // line ranges, merged, from the signs in it
}

type window struct{ from, to int }

func newPlan(s evidence.Snapshot, o Options, limit int64) *plan {
	p := &plan{factor: 1, least: 1}
	if o.Since > 0 && !s.Now().IsZero() {
		p.since = s.Now().Add(-o.Since)
	}
	windows := windowsOf(o.Scan.Matches)
	for _, name := range s.Paths() {
		lower := strings.ToLower(name)
		if slices.Contains(ownFiles, lower) || strings.HasPrefix(lower, collectlogsFolder) {
			continue
		}
		info, err := s.Stat(name)
		if err != nil {
			p.left = append(p.left, leftOut(name, "%s", reason(err)))
			continue
		}
		if why := unredactable(name); why.Format != "" {
			p.left = append(p.left, Left{Path: name, Why: why})
			continue
		}
		it := item{path: name, size: info.Size(), modified: info.ModTime(), windows: windows[name]}
		p.total += it.size
		isGap := strings.HasSuffix(lower, ".gap")
		switch it.isLog = strings.HasPrefix(lower, "logs/") && !isGap; {
		case it.isLog, strings.HasPrefix(lower, "original/") && !isGap:
			p.logs = append(p.logs, it)
		default:
			p.facts = append(p.facts, it)
		}
	}
	sorted.By(p.facts, func(a, b item) int { // meta.json says what the rest is
		return sorted.Last(a.path != "meta.json", b.path != "meta.json")
	})
	sorted.By(p.logs, func(a, b item) int { return sorted.Last(!a.isLog, !b.isLog) })
	if p.tails = -1; limit > 0 {
		p.room(limit, p.sample(s))
	}
	return p
}

// room works out how much of the logs fits into a zip of that size, when one
// byte of it takes so many bytes of text.
func (p *plan) room(limit int64, ratio float64) {
	var facts int64
	for _, f := range p.facts {
		facts += f.size
	}
	p.tails = max(0, int64(float64(limit-min(reserve, limit/4))*ratio)-facts)
}

// sample tells how well the logs compress, by the beginning of each.
func (p *plan) sample(s evidence.Snapshot) float64 {
	var text, zipped float64
	for _, it := range p.logs {
		f, err := s.Open(it.path)
		if err != nil {
			continue
		}
		b := newBlock()
		n, _ := io.CopyN(b, f, sampleSize)
		f.Close()
		piece := compress(b, true)
		if n > 0 {
			text += float64(it.size)
			zipped += float64(it.size) * float64(piece.Len()) / float64(n)
		}
		blocks.Put(b)
		blocks.Put(piece)
	}
	if zipped == 0 {
		return 1
	}
	return text / zipped
}

// windowsOf turns what was found in each log into ranges of lines.
func windowsOf(signs []evidence.SignMatch) map[string][]window {
	all := map[string][]window{}
	for _, m := range signs {
		for _, line := range []int{m.Line, m.LastLine} {
			if line > 0 && strings.HasPrefix(m.Path, "logs/") {
				all[m.Path] = append(all[m.Path], window{max(1, line-around), line + around})
			}
		}
	}
	for name, list := range all {
		sorted.By(list, func(a, b window) int { return cmp.Compare(a.from, b.from) })
		merged := list[:1]
		for _, w := range list[1:] {
			if last := &merged[len(merged)-1]; w.from <= last.to+1 {
				last.to = max(last.to, w.to)
			} else {
				merged = append(merged, w)
			}
		}
		all[name] = merged
	}
	return all
}

// drop leaves a file out of the next attempt.
func (p *plan) drop(name string, why evidence.Phrase) {
	p.left = append(p.left, Left{Path: name, Why: why})
	is := func(it item) bool { return it.path == name }
	p.facts = slices.DeleteFunc(p.facts, is)
	p.logs = slices.DeleteFunc(p.logs, is)
}

// shrink makes the next attempt smaller by what this one showed, and tells
// whether that is possible. The last one takes of logs only what stands around
// their signs.
func (p *plan) shrink(over *oversizeError) bool {
	if p.shrinks++; p.shrinks > mostShrinks || len(p.logs) == 0 {
		return false
	}
	before := float64(p.tails) * p.factor
	p.room(over.limit, over.ratio)
	p.factor = min(1, before*shrinking/float64(max(p.tails, 1)))
	if p.shrinks > 1 {
		p.least /= 2
	}
	if p.shrinks == mostShrinks {
		p.factor, p.least = 0, 0
	}
	return true
}

// A share is what of one log is taken beside its windows.
type share struct {
	all        bool
	head, tail int64 // bytes
	since      time.Time
}

// shares divides the room among the logs: each gets what it needs up to an
// equal part, and what small ones leave goes to the large.
func (p *plan) shares() map[string]share {
	shares := map[string]share{}
	room := int64(float64(p.tails) * p.factor)
	bySize := slices.Clone(p.logs)
	sorted.By(bySize, func(a, b item) int { return cmp.Compare(a.size, b.size) })
	for i, it := range bySize {
		sh := share{since: p.since}
		if !it.isLog {
			sh.since = time.Time{} // another tool's output has no lines by time
		}
		part := room / int64(len(bySize)-i)
		sh.head, sh.tail = int64(leastHead*p.least), max(int64(leastTail*p.least), part)
		switch {
		case p.tails < 0: // no limit
			sh.all, sh.tail = sh.since.IsZero(), 1<<62
		case it.size <= sh.head+sh.tail:
			sh.all = sh.since.IsZero()
			room -= min(part, it.size)
			sh.tail = 1 << 62
		default:
			room -= part
		}
		shares[it.path] = sh
	}
	return shares
}

// unredactable is why a file of this name is not taken, and no phrase where it is.
func unredactable(name string) evidence.Phrase {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".dmp", ".mdmp", ".etl", ".evtx", ".hiv", ".dat", ".db", ".pcap", ".pcapng", ".cab",
		".zip", ".gz", ".tgz", ".7z", ".tar", ".exe", ".dll", ".sys", ".pfx", ".p12", ".png",
		".jpg":
		return evidence.Phrasef("a %s file is binary, and cannot be redacted", ext)
	}
	return evidence.Phrase{}
}

func reason(err error) string { return evidence.Clean(bundle.Bare(err).Error()) }
