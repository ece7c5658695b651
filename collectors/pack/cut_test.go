package pack

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// klog is a log of n lines of 40 bytes, a minute apart, that ends at end.
func klog(n int, end time.Time) string {
	var b strings.Builder
	for i := range n {
		at := end.Add(-time.Duration(n-1-i) * time.Minute)
		fmt.Fprintf(&b, "I%s 1 a.go:1] line %08d\n", at.Format("0102 15:04:05.000000"), i+1)
	}
	return b.String()
}

var end = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

func cutAll(t *testing.T, log string, it item, sh share, oneByte bool) (string, *cutter) {
	t.Helper()
	var r io.Reader = strings.NewReader(log)
	if oneByte {
		r = iotest.OneByteReader(r)
	}
	c := newCutter(r, it, sh, end, int64(len(log)))
	out, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), c
}

func TestLogsAreCut(t *testing.T) {
	const n = 20_000
	log := klog(n, end)
	size := int64(len(log)) / n
	for name, row := range map[string]struct {
		it    item
		share share
		want  []window // the lines that stay
	}{
		"head and tail stay, with a mark between": {item{},
			share{head: 10 * size, tail: 2000 * size}, []window{{1, 10}, {n - 1999, n}}},
		"what stands around a sign stays": {item{windows: []window{{5000, 5080}}},
			share{head: 10 * size, tail: 2000 * size}, []window{{1, 10}, {5000, 5080},
				{n - 1999, n}}},
		"windows beside each other": {item{windows: []window{{20, 30},
			{32, 40}}}, share{head: 10 * size, tail: 2000 * size},
			[]window{{1, 10}, {20, 30}, {32, 40}, {n - 1999, n}}},
		"lines from before the time go": {item{},
			share{head: 10 * size, tail: 1 << 62, since: end.Add(-3000 * time.Minute)},
			[]window{{1, 10}, {n - 3000, n}}},
		"a log that is old as a whole keeps its end": {item{},
			share{head: 10 * size, tail: 1 << 62, since: end.Add(time.Hour)},
			[]window{{1, 10}, {n - leastTail/int(size) + 1, n}}},
		"a share larger than the log leaves it as it is": {item{},
			share{head: 10 * size, tail: 1 << 62}, []window{{1, n}}},
		"a window at the very end and one at the start": {item{windows: []window{{1, 3},
			{n, n + 40}}}, share{head: 0, tail: 2000 * size}, []window{{1, 3}, {n - 1999, n}}},
	} {
		t.Run(name, func(t *testing.T) {
			out, c := cutAll(t, log, row.it, row.share, false)
			if slow, _ := cutAll(t, log, row.it, row.share, true); slow != out {
				t.Error("the cut depends on how the log is read")
			}
			lines := strings.Split(strings.TrimSuffix(log, "\n"), "\n")
			kept := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
			at, left, next := 0, 0, 1
			for _, w := range row.want {
				if w.from > next {
					if want := fmt.Sprintf("[doctor left out lines %d to %d here, ", next,
						w.from-1); !strings.HasPrefix(kept[at], want) {
						t.Fatalf("line %d is %q, want %s…", at+1, kept[at], want)
					}
					at, left = at+1, left+w.from-next
				}
				for line := w.from; line <= min(w.to, n); line++ {
					if kept[at] != lines[line-1] {
						t.Fatalf("line %d is %q, want line %d of the log", at+1, kept[at], line)
					}
					if got := lineIn(c.segments, line); got != at+1 {
						t.Fatalf("line %d of the log is said to be line %d, and is %d", line, got,
							at+1)
					}
					at++
				}
				next = w.to + 1
			}
			if at != len(kept) {
				t.Errorf("%d lines more: %q…", len(kept)-at, kept[at])
			}
			if c.lines != left {
				t.Errorf("%d lines are said to be left out, and %d are", c.lines, left)
			}
		})
	}
}

func TestALogWithoutTimesIsNotTooOld(t *testing.T) {
	log := strings.Repeat("no time in this line\n", 20_000)
	if out, _ := cutAll(t, log, item{}, share{head: 100, tail: 1 << 62, since: end},
		false); out != log {
		t.Errorf("%d of %d bytes stay", len(out), len(log))
	}
}

func TestAnEndlessLineIsCutToo(t *testing.T) {
	log := strings.Repeat("x", 10<<20) + "\nthe end\n"
	out, c := cutAll(t, log, item{}, share{head: 1 << 10, tail: 1 << 10}, false)
	if len(out) > 300<<10 || !strings.HasSuffix(out, "\nthe end\n") ||
		!strings.Contains(out, "\n[doctor left out lines 1 to 1 here, ") {
		t.Errorf("%d bytes stay, which end in %q", len(out), out[len(out)-80:])
	}
	if got := lineIn(c.segments, 2); got != strings.Count(out, "\n") {
		t.Errorf("the last line is said to be line %d of %d", got, strings.Count(out, "\n"))
	}
}

func FuzzCut(f *testing.F) {
	f.Add(klog(50, end), 3, 5, int64(40), int64(80), int64(10))
	f.Fuzz(func(t *testing.T, log string, from, to int, head, tail, back int64) {
		sh := share{head: head, tail: tail}
		if back > 0 && back < 1<<40 {
			sh.since = end.Add(-time.Duration(back) * time.Second)
		}
		it := item{windows: []window{{from, to}}}
		out, c := cutAll(t, log, it, sh, false)
		if c.lines == 0 && c.bytes == 0 && out != log {
			t.Errorf("nothing is said to be left out, and %q became %q", log, out)
		}
	})
}
