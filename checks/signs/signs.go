// Package signs finds the texts of all checks in all logs, in one pass over
// each, and records the matches as evidence. Memory does not grow with the
// logs: a file is streamed through one buffer, and of a sign's matches in a
// file only the first line, the last time and the count are kept.
package signs

import (
	"cmp"
	"fmt"
	"io"
	"path"
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
		f, err := s.Open(file)
		if err == nil {
			err = c.scanFile(file, f)
		}
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", file, err))
		}
	}
	c.scanRecords(s)
	return s.WithSigns(c.matches()), problems
}

var errTooLong = fmt.Errorf("only its first %d MiB were searched", maxFile>>20)

func (c *scanner) scanFile(file string, f io.ReadCloser) error {
	defer f.Close()
	bounded := &io.LimitedReader{R: f, N: maxFile}
	err := c.scan(file, component(file), evidence.Text(bounded))
	if err == nil && bounded.N == 0 {
		return errTooLong
	}
	return err
}

func component(file string) string {
	parts := strings.Split(file, "/")
	if len(parts) < 3 {
		return strings.TrimSuffix(path.Base(file), path.Ext(file))
	}
	return parts[1]
}

type scanner struct {
	list     []evidence.Sign
	patterns [][]int // pattern → the signs that have this text
	longest  int
	finder   ahocorasick.AhoCorasick
	now      time.Time
	found    map[key]*evidence.SignMatch
}

type key struct {
	sign int
	path string
}

func newScanner(list []evidence.Sign, now time.Time) *scanner {
	c := &scanner{list: list, now: now, found: map[key]*evidence.SignMatch{}}
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
		if c.wants(i, source, text) {
			c.note(i, file, number, text, lineTime(text, c.now))
		}
	}
}

// wants tells whether the sign looks in this source and finds its other texts in the line.
func (c *scanner) wants(sign int, source, line string) bool {
	want := &c.list[sign]
	if len(want.In) > 0 && !slices.ContainsFunc(want.In, func(in string) bool { return strings.EqualFold(in, source) }) {
		return false
	}
	if len(want.Also) == 0 {
		return true
	}
	line = strings.ToLower(line)
	return !slices.ContainsFunc(want.Also, func(also string) bool { return !strings.Contains(line, strings.ToLower(also)) })
}

func (c *scanner) note(sign int, file string, number int, text string, at time.Time) {
	m := c.found[key{sign, file}]
	if m == nil {
		m = &evidence.SignMatch{Sign: sign, Check: c.list[sign].Check, Text: c.list[sign].Text, Path: file,
			Line: number, Time: at, Found: evidence.Clean(text)}
		c.found[key{sign, file}] = m
	}
	if m.Count > 0 && m.Line == number {
		return // the same text twice in one line is one match
	}
	m.Count++
	if at.After(m.Last) {
		m.Last = at
	}
}

// matches lists what was found, in the order of the signs, then of the files.
func (c *scanner) matches() []evidence.SignMatch {
	var list []evidence.SignMatch
	for _, m := range c.found {
		list = append(list, *m)
	}
	slices.SortFunc(list, func(a, b evidence.SignMatch) int {
		return cmp.Or(cmp.Compare(a.Sign, b.Sign), cmp.Compare(a.Path, b.Path))
	})
	return list
}
