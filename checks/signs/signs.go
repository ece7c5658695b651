// Package signs finds the texts of all checks in all logs, in one pass over
// each, and records the matches as evidence. Memory does not grow with the
// logs: a file is streamed through one buffer, and of a sign's matches in a
// file only the first line, the last time and the count are kept.
package signs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
)

// Bounds: what one file may cost, and how much of a matching line is kept.
const (
	maxFile = 1<<30 - 1
	maxLine = 2 << 10

	MaxRecorded = 5000 // finds of an earlier scan: some for each sign in each of many logs
)

// Record scans the snapshot's logs, event logs and cluster events for the
// signs, and returns the snapshot with the matches in it. A file that cannot be
// read to its end is named in unsearched; what it gave until then counts.
func Record(s evidence.Snapshot, list []evidence.Sign) (scanned evidence.Snapshot,
	unsearched []evidence.UnsearchedLog) {
	return RecordRest(s, list, func(string) bool { return false })
}

// RecordRest is Record where signs.json holds what there is in the logs that
// searched names: the same texts were looked for in the same log before.
func RecordRest(s evidence.Snapshot, list []evidence.Sign,
	searched func(path string) bool) (scanned evidence.Snapshot,
	unsearched []evidence.UnsearchedLog) {
	return NewSearch(list).RecordRest(s, searched)
}

// A Search is a list of signs that is made ready once and used for many snapshots, by several
// goroutines at a time.
type Search struct{ needles *needles }

// NewSearch makes the signs ready.
func NewSearch(list []evidence.Sign) Search {
	if len(list) == 0 {
		return Search{}
	}
	return Search{newNeedles(list)}
}

// RecordRest is the function of that name.
func (search Search) RecordRest(s evidence.Snapshot, searched func(path string) bool) (
	scanned evidence.Snapshot, unsearched []evidence.UnsearchedLog) {
	if search.needles == nil {
		return s, nil
	}
	c := newScanner(search.needles, s.Now())
	unsearched = c.scanLogs(context.Background(), s, slices.DeleteFunc(s.LogFiles(""), searched))
	return c.finish(s, unsearched), unsearched
}

// Recorded is Record for a snapshot whose logs were scanned before: signs.json
// holds what Logs found, and unsearched is what it did not get to.
func Recorded(s evidence.Snapshot, list []evidence.Sign,
	unsearched []evidence.UnsearchedLog) evidence.Snapshot {
	if len(list) == 0 {
		return s
	}
	return newScanner(newNeedles(list), s.Now()).finish(s, unsearched)
}

// Logs scans the snapshot's logs alone, until the context ends.
func Logs(ctx context.Context, s evidence.Snapshot, list []evidence.Sign) evidence.LogScan {
	c := newScanner(newNeedles(list), s.Now())
	unsearched := c.scanLogs(ctx, s, s.LogFiles(""))
	return evidence.LogScan{Matches: c.matches(), Errors: c.errors, Unsearched: unsearched}
}

// finish adds what the records and an earlier scan tell, and weighs all of it by the node's boot.
func (c *scanner) finish(s evidence.Snapshot,
	unsearched []evidence.UnsearchedLog) evidence.Snapshot {
	c.scanRecords(s)
	matches := merge(c.matches(), evidence.SignMatches.In(s), c.list)
	beforeBoot(matches, evidence.OSInfo.In(s).BootedAt.Time)
	c.beforeRun(matches)
	c.beforePods(matches, s)
	c.beforeReport(matches, s)
	c.unrepeated(matches, s)
	scan := evidence.LogScan{Matches: matches, Errors: c.errors, Unsearched: unsearched}
	if evidence.ErrorLines.Gap(s).Kind == "" { // of logs of which parts may be here
		recorded := evidence.ErrorLines.In(s)
		scan.Errors = recorded[:min(len(recorded), MaxRecorded)]
	}
	return s.WithScan(scan)
}

// scanLogs streams each log through a scanner of its own.
func (c *scanner) scanLogs(ctx context.Context, s evidence.Snapshot,
	files []string) (unsearched []evidence.UnsearchedLog) {
	scanners, errs := make([]*scanner, len(files)), make([]error, len(files))
	var wait sync.WaitGroup
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, file := range files {
		room <- struct{}{}
		wait.Go(func() {
			one := newScanner(c.needles, c.now)
			scanners[i], errs[i] = one, one.scanFile(ctx, s, file)
			one.inFile = nil
			<-room
		})
	}
	wait.Wait()
	for i, one := range scanners {
		maps.Copy(c.found, one.found)
		maps.Copy(c.begun, one.begun)
		c.errors = append(c.errors, one.errors...)
		if errs[i] != nil {
			unsearched = append(unsearched, evidence.UnsearchedLog{Path: files[i], Why: errs[i].Error()})
		}
	}
	return append(append(unsearched, withheld(s)...), c.recordedUnsearched(s)...)
}

// withheld are the single logs that are there on the node and not in the
// snapshot, each with a gap in its place.
func withheld(s evidence.Snapshot) []evidence.UnsearchedLog {
	var list []evidence.UnsearchedLog
	for _, p := range s.Paths() {
		log, isGap := strings.CutSuffix(p, ".gap")
		if !isGap || !strings.HasPrefix(log, "logs/") || strings.Count(log, "/") < 2 {
			continue
		}
		switch gap := s.GapAt(log); gap.Kind {
		case evidence.Denied, evidence.Timeout,
			evidence.Error: // a log that is not there, or was not asked for, hides nothing that is
			list = append(list, evidence.UnsearchedLog{Path: log, Why: gap.String()})
		}
	}
	return list
}

var errTooLong = fmt.Errorf("only its first %d MiB were searched", maxFile>>20)

func (c *scanner) scanFile(ctx context.Context, s evidence.Snapshot, file string) error {
	if err := readLog(ctx, s, file, func(r io.Reader) error {
		return c.scan(file, evidence.LogComponent(file), r)
	}); err != nil {
		return err // a log that ends in an error has no end that could be well
	}
	if c.trouble == 0 {
		return nil
	}
	return readLog(ctx, s, file, c.aftermath)
}

// readLog hands on a log as text, bounded.
func readLog(ctx context.Context, s evidence.Snapshot, file string,
	use func(io.Reader) error) error {
	f, err := s.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	bounded := &io.LimitedReader{R: untilDone{ctx, f}, N: maxFile}
	if err := use(evidence.Text(bounded)); err != nil {
		return err
	}
	if bounded.N == 0 {
		return errTooLong
	}
	return nil
}

// untilDone reads as long as there is time.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(b []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, errors.New("there was no time to search all of it")
	}
	return u.r.Read(b)
}

// A scanner goes over one log, or over the records.
type scanner struct {
	*needles
	now     time.Time
	found   map[key]*match
	trouble int64 // where the last line with a match ends in the log's text
	errors  []evidence.ErrorLine
	begun   map[string]time.Time // of each log, its first line

	// Of the log: text → the signs that look in it, and sign → its match.
	here   [][]int
	inFile []*match
	looked int // how often a time was looked for in front of a line
}

// key keeps what is over apart from what is not.
type key struct {
	sign int
	path string
	over bool
	by   string // of a record that may end others
}

// match is a find with what is needed only until its file is done.
type match struct {
	evidence.SignMatch
	lastLine int
	last     []byte    // the beginning of the last line, for its time
	stamp    []byte    // the beginning of the last record, where the line itself has no time
	ends     time.Time // of the last line of its log
	lastly   bool      // it is among the last lines of its log
	by       string    // whom the last record is of
}

func newScanner(n *needles, now time.Time) *scanner {
	return &scanner{needles: n, now: now, found: map[key]*match{}, begun: map[string]time.Time{}}
}

// consider notes the signs of a text that stands in the line, and tells whether any that fits is of a fault.
// before is the text in front of it.
func (c *scanner) consider(text int, file string, number int, line, before []byte) bool {
	fits := false
	lower := "" // of the line, made once for all signs
	for _, i := range c.here[text] {
		m, at, said := c.inFile[i], number, line
		if m != nil && m.lastLine == number {
			fits = fits || c.accuses(i)
			continue // the same text twice in one line is one match
		}
		if !c.whole[i] {
			if lower == "" {
				lower = strings.ToLower(string(line))
			}
			if !c.list[i].Likes(lower) {
				head, lines := panicAbove(c.list[i], line, before)
				if head == nil || m != nil && m.lastLine == number-lines ||
					!c.list[i].Likes(strings.ToLower(string(head)+" ")+lower) {
					continue
				}
				at, said = number-lines, head
			}
		}
		fits = fits || c.accuses(i)
		m = c.note(key{sign: i, path: file}, evidence.InLine(file, at), said)
		m.last = append(m.last[:0], said[:min(len(said), evidence.MaxStamp)]...)
		m.stamp = append(m.stamp[:0], c.stampOf(m.last, before)...)
		c.inFile[i] = m
	}
	return fits
}

// stampOf is the beginning of the record that a line without a time goes on with. What a runtime writes
// at the end of a program goes on with none: it may be of any time.
func (c *scanner) stampOf(line, before []byte) []byte {
	digits := 0
	for _, b := range line[:min(len(line), 40)] {
		if b >= '0' && b <= '9' {
			digits++
		}
	}
	if digits >= 8 || lastWords.Match(line) { // most lines have a time, which is not worth a search for each of them
		return line
	}
	if c.looked++; c.looked > mostLooks { // a log without times
		return line
	}
	for range mostLines {
		if !evidence.LineTime(string(line), c.clock()).IsZero() || len(before) == 0 {
			break
		}
		before = before[:len(before)-1]
		line = before[bytes.LastIndexByte(before, '\n')+1:]
		before = before[:len(before)-len(line)]
		line = line[:min(len(line), evidence.MaxStamp)]
	}
	return line
}

// lastWords begin what the runtimes of Go and .NET write.
var lastWords = regexp.MustCompile(`^(?:panic|fatal error|runtime|unexpected fault|Unhandled [Ee]xception|Fatal error)\b|^goroutine \d|^\[signal `)

// mostLines are those of a record, and mostLooks those of a log.
const mostLines, mostLooks = 20, 1000

// accuses tells whether sign i is of a fault, and not of its end or of a fact.
func (c *scanner) accuses(i int) bool { return i < c.wanted && !c.list[i].Innocent }

func (c *scanner) note(k key, at evidence.Place, line []byte) *match {
	m := c.found[k]
	if m == nil {
		m = &match{SignMatch: evidence.SignMatch{Check: c.list[k.sign].Check,
			Text: c.list[k.sign].Text, Path: k.path,
			Line: at.Line, Field: at.Field, Found: evidence.Clean(string(line))}}
		c.found[k] = m
	} else {
		m.More++
	}
	m.lastLine = at.Line
	return m
}

// matches lists what was found, in the order of the signs, then of the files.
func (c *scanner) matches() []evidence.SignMatch {
	keys := slices.Collect(maps.Keys(c.found))
	sorted.By(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.sign, b.sign), cmp.Compare(a.path, b.path),
			sorted.Last(a.over, b.over))
	})
	var list []evidence.SignMatch
	for _, k := range keys {
		if k.sign >= c.wanted {
			continue
		}
		m := c.found[k]
		if m.last != nil { // of a log; records bring their times along
			m.Time, m.Last = evidence.LineTime(m.Found, c.now), c.lastTime(m)
			if m.More > 0 {
				m.Tail, m.LastLine = evidence.Clean(string(m.last)), m.lastLine
			}
		}
		switch {
		case m.Over != "":
		case m.last != nil:
			m.Over, m.Brief = c.end(k, m)
		default:
			m.Over = c.endOfRecord(k, m)
		}
		list = append(list, m.SignMatch)
	}
	return list
}

// merge adds what an earlier scan recorded, which saw all of the logs where a
// bundle may hold parts of them. What both saw is told as the earlier one did.
func merge(found, recorded []evidence.SignMatch, list []evidence.Sign) []evidence.SignMatch {
	for _, r := range recorded[:min(len(recorded), MaxRecorded)] {
		r.Found, r.Tail = evidence.Clean(r.Found), evidence.Clean(r.Tail)
		at := slices.IndexFunc(list, func(s evidence.Sign) bool {
			return s.Check == r.Check && (s.Text == r.Text || r.Text == "" &&
				s.Fits(r.Source(), r.Found))
		})
		if at < 0 || r.Path == "" {
			continue // of a check that was not asked for, or of another version's
		}
		r.Text = list[at].Text // which a record made by hand may leave out
		at = slices.IndexFunc(found, func(m evidence.SignMatch) bool {
			return m.Check == r.Check && m.Text == r.Text && m.Path == r.Path
		})
		switch {
		case at < 0:
			found = append(found, r)
		case r.More >= found[at].More:
			found[at] = r
		}
	}
	place := map[string]int{}
	for i, s := range list {
		place[s.Check+"\x00"+s.Text] = i
	}
	// stable: what is over stands behind what is not
	sorted.By(found, func(a, b evidence.SignMatch) int {
		return cmp.Or(cmp.Compare(place[a.Check+"\x00"+a.Text], place[b.Check+"\x00"+b.Text]),
			cmp.Compare(a.Path, b.Path))
	})
	return found
}
