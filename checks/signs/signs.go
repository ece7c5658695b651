// Package signs finds the texts of all checks in all logs, in one pass over
// each, and records the matches as evidence. Memory does not grow with the
// logs: a file is streamed through one buffer, and of a sign's matches in a
// file only the first line, the last time and the count are kept.
package signs

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	ahocorasick "github.com/petar-dambovaliev/aho-corasick"

	"doctor/checks/evidence"
)

// Bounds: what one file may cost, and how much of a matching line is kept.
const (
	maxFile = 1<<30 - 1
	maxLine = 2 << 10
)

// Record scans the snapshot's logs, event logs and cluster events for the
// signs, and returns the snapshot with the matches in it. A file that cannot be
// read to its end is named in problems; what it gave until then counts.
func Record(s evidence.Snapshot, list []evidence.Sign) (scanned evidence.Snapshot, problems []string) {
	if len(list) == 0 {
		return s, nil
	}
	c := newScanner(list, s.Now())
	for _, file := range s.LogFiles("") {
		if err := c.scanFile(s, file); err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", file, err))
		}
	}
	c.scanRecords(s)
	matches := merge(c.matches(), evidence.SignMatches.In(s), list)
	beforeBoot(matches, evidence.OSInfo.In(s).BootedAt.Time)
	return s.WithSigns(matches), problems
}

var errTooLong = fmt.Errorf("only its first %d MiB were searched", maxFile>>20)

func (c *scanner) scanFile(s evidence.Snapshot, file string) error {
	err := read(s, file, func(r io.Reader) error { return c.scan(file, evidence.LogComponent(file), r) })
	found := c.inFile(file)
	if len(found) == 0 {
		return err
	}
	return errors.Join(err, read(s, file, func(r io.Reader) error { return aftermath(found, file, r, c.now) }))
}

// read hands on a log as text, bounded.
func read(s evidence.Snapshot, file string, use func(io.Reader) error) error {
	f, err := s.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	bounded := &io.LimitedReader{R: f, N: maxFile}
	if err := use(evidence.Text(bounded)); err != nil {
		return err
	}
	if bounded.N == 0 {
		return errTooLong
	}
	return nil
}

type scanner struct {
	list     []evidence.Sign
	patterns [][]int // pattern → the signs that have this text
	longest  int
	finder   ahocorasick.AhoCorasick
	now      time.Time
	found    map[key]*match
}

// key keeps what is over apart from what is not.
type key struct {
	sign int
	path string
	over bool
}

// match is a find with what is needed only until the scan is done.
type match struct {
	evidence.SignMatch
	lastLine int
}

func newScanner(list []evidence.Sign, now time.Time) *scanner {
	c := &scanner{list: list, now: now, found: map[key]*match{}}
	index := map[string]int{}
	var texts []string
	for i, sign := range list {
		text := strings.ToLower(sign.Text)
		at, ok := index[text]
		if !ok {
			at = len(texts)
			index[text] = at
			texts = append(texts, text)
			c.patterns = append(c.patterns, nil)
			c.longest = max(c.longest, len(text))
		}
		c.patterns[at] = append(c.patterns[at], i)
	}
	builder := ahocorasick.NewAhoCorasickBuilder(ahocorasick.Opts{
		AsciiCaseInsensitive: true,
		MatchKind:            ahocorasick.StandardMatch, // the only kind that reports overlaps: one sign's text may lie inside another's
		DFA:                  true,
	})
	c.finder = builder.Build(texts)
	return c
}

// consider notes a match of pattern in the line, unless the sign looks elsewhere.
func (c *scanner) consider(pattern int, source, file string, number int, line []byte) {
	text := string(line)
	for _, i := range c.patterns[pattern] {
		if c.list[i].Fits(source, text) {
			c.note(key{i, file, false}, number, text, lineTime(text, c.now))
		}
	}
}

func (c *scanner) note(k key, number int, text string, at time.Time) *match {
	m := c.found[k]
	switch {
	case m == nil:
		m = &match{SignMatch: evidence.SignMatch{Check: c.list[k.sign].Check, Text: c.list[k.sign].Text, Path: k.path,
			Line: number, Time: at, Found: evidence.Clean(text)}}
		c.found[k] = m
	case m.lastLine == number:
		return m // the same text twice in one line is one match
	default:
		m.More++
	}
	m.lastLine = number
	if at.After(m.Last) {
		m.Last = at
	}
	return m
}

func (c *scanner) inFile(file string) []*match {
	var found []*match
	for k, m := range c.found {
		if k.path == file {
			found = append(found, m)
		}
	}
	return found
}

// matches lists what was found, in the order of the signs, then of the files.
func (c *scanner) matches() []evidence.SignMatch {
	keys := slices.SortedFunc(maps.Keys(c.found), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.sign, b.sign), cmp.Compare(a.path, b.path), order(a.over)-order(b.over))
	})
	var list []evidence.SignMatch
	for _, k := range keys {
		list = append(list, c.found[k].SignMatch)
	}
	return list
}

func order(over bool) int {
	if over {
		return 1
	}
	return 0
}

// merge adds what an earlier scan recorded, which saw all of the logs where a
// bundle may hold parts of them. What both saw is told as the earlier one did.
func merge(found, recorded []evidence.SignMatch, list []evidence.Sign) []evidence.SignMatch {
	for _, r := range recorded {
		wanted := slices.ContainsFunc(list, func(s evidence.Sign) bool { return s.Check == r.Check && s.Text == r.Text })
		if !wanted || r.Path == "" {
			continue // of a check that was not asked for, or of another version's
		}
		r.Found = evidence.Clean(r.Found)
		at := slices.IndexFunc(found, func(m evidence.SignMatch) bool {
			return m.Check == r.Check && m.Text == r.Text && m.Path == r.Path
		})
		switch {
		case at < 0:
			found = append(found, r)
		case r.More >= found[at].More:
			found[at] = r
		}
	}
	return found
}
