package pager

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"doctor/checks/evidence"
)

type still struct{ *bytes.Reader }

func (still) Close() error { return nil }

// streamed hides that its source can be read from the middle.
func streamed(b []byte) io.ReadCloser { return io.NopCloser(iotest.HalfReader(bytes.NewReader(b))) }

func wide(s string) []byte {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return b
}

var texts = map[string][]byte{
	"nothing":                 nil,
	"one line without an end": []byte("one"),
	"lines, the last empty":   []byte("a\r\nb\n\n"),
	"UTF-16 from the start":   wide("eins\r\nZwei ÄÖ\r\n三\r\n"),
	"a byte order mark":       []byte("\xef\xbb\xbfa\nb\n"),
	"one bad byte in the middle": []byte(strings.Repeat("0123456789\n", 20_000) + "sch\xf6n\n" +
		strings.Repeat("after\n", 20_000)),
	"UTF-16 appended": append([]byte(strings.Repeat("first\n", 30_000)),
		wide(strings.Repeat("second\r\n", 30_000))...),
	"one line of two megabytes": []byte("short\n" + strings.Repeat("long ", 400_000) +
		"\nshort again\n"),
	"a long line at the end": []byte("short\n" + strings.Repeat("x", 300_000)),
	"a line of the longest kept": []byte(strings.Repeat("x", evidence.MaxLine) + "\r\nnext\n" +
		strings.Repeat("y", evidence.MaxLine+1) + "\nlast"),
	"nothing but breaks":          []byte(strings.Repeat("\n", 100_000)),
	"more than is kept in memory": []byte(strings.Repeat("some text that fills a line\n", 100_000)),
}

// reference is every line of a text, read from its start.
func reference(b []byte) []Line {
	var all []Line
	text, _ := io.ReadAll(evidence.Text(bytes.NewReader(b)))
	whole := strings.Split(string(text), "\n")
	lines := evidence.Lines(bytes.NewReader(text))
	for lines.Next() {
		cut := len(strings.TrimRight(whole[lines.Number()-1], "\r")) > evidence.MaxLine
		all = append(all, Line{string(lines.Bytes()), cut})
	}
	return all
}

func finish(t testing.TB, f *File) State {
	t.Helper()
	for !f.Step(0).Done {
	}
	return f.State()
}

func same(t *testing.T, f *File, want []Line) {
	t.Helper()
	if s := finish(t, f); s.Err != nil || s.Lines != len(want) {
		t.Fatalf("%d lines and error %v, want %d lines", s.Lines, s.Err, len(want))
	}
	for from := 1; from <= len(want)+1; from += max(len(want)/7, 1) {
		got, err := f.Page(from, 40)
		if err != nil {
			t.Fatal(err)
		}
		expect := want[from-1 : min(from+39, len(want))]
		if len(got) != len(expect) {
			t.Fatalf("page at %d has %d lines, want %d", from, len(got), len(expect))
		}
		for i := range got {
			if got[i] != expect[i] {
				t.Fatalf("line %d is %.40q (%d), want %.40q (%d)", from+i, got[i].Text,
					len(got[i].Text), expect[i].Text, len(expect[i].Text))
			}
		}
	}
}

func TestPagesHoldTheLinesThatChecksCount(t *testing.T) {
	for name, b := range texts {
		want := reference(b)
		t.Run(name+", read from the middle", func(t *testing.T) {
			f := Open(still{bytes.NewReader(b)}, int64(len(b)))
			defer f.Close()
			same(t, f, want)
		})
		t.Run(name+", streamed", func(t *testing.T) {
			f := Open(streamed(b), 0)
			defer f.Close()
			same(t, f, want)
		})
	}
}

func TestPlainTextIsNotCopied(t *testing.T) {
	b := texts["more than is kept in memory"]
	f := Open(still{bytes.NewReader(b)}, int64(len(b)))
	defer f.Close()
	finish(t, f)
	if f.aside.Size() > 0 {
		t.Error("text that could be read at its place was kept aside")
	}
}

func TestATextIsSeenWhileItIsRead(t *testing.T) {
	b := texts["more than is kept in memory"]
	f := Open(streamed(b), int64(len(b)))
	defer f.Close()
	s := f.Step(0)
	if s.Done || s.Lines == 0 {
		t.Fatalf("after the first step: %+v", s)
	}
	if page, err := f.Page(1, 3); err != nil || len(page) != 3 {
		t.Errorf("first page has %d lines, error %v", len(page), err)
	}
}

func TestTheIndexStaysSmall(t *testing.T) {
	x := newIndex()
	b := []byte(strings.Repeat(strings.Repeat("x", 99)+"\n", 1000))
	for range 50_000 { // 5 GB
		x.add(b)
	}
	if len(x.marks) > maxMarks || x.lines() != 50_000_000 {
		t.Errorf("%d marks for %d lines", len(x.marks), x.lines())
	}
	for i, m := range x.marks {
		if m.off != int64(m.line)*100 {
			t.Fatalf("mark %d says that line %d begins at %d", i, m.line, m.off)
		}
	}
}

func TestTailIsTheEndBeforeItsNumbersAreKnown(t *testing.T) {
	for _, row := range []struct {
		name string
		text []byte
		want string
	}{
		{"plain text", []byte(strings.Repeat("0123456789\n", 100_000) + "x\ny\n"), "x,y"},
		{"text without an end", []byte(strings.Repeat("0123456789\n", 100_000) + "x\ny"), "x,y"},
		{"a short text", []byte("y\n"), "y"},
		{"UTF-16 at the end", append([]byte(strings.Repeat("0123456789\n", 100_000)),
			wide("x\r\ny\r\n")...), ""},
		{"one endless line", bytes.Repeat([]byte("x"), 1<<20), ""},
	} {
		f := Open(still{bytes.NewReader(row.text)}, int64(len(row.text)))
		var got []string
		for _, l := range f.Tail(2) {
			got = append(got, l.Text)
		}
		if s := strings.Join(got, ","); s != row.want {
			t.Errorf("%s: tail is %q, want %q", row.name, s, row.want)
		}
	}
	if f := Open(streamed([]byte("a\nb\n")), 4); f.Tail(2) != nil {
		t.Error("a stream has no end to look at")
	}
}

func TestWhatBreaksOffIsShownAsFarAsItCame(t *testing.T) {
	broken := errors.New("the archive is cut short")
	f := Open(io.NopCloser(io.MultiReader(strings.NewReader("a\nb\n"), iotest.ErrReader(broken))),
		100)
	defer f.Close()
	if s := finish(t, f); !errors.Is(s.Err, broken) || s.Lines != 2 {
		t.Errorf("state is %+v", s)
	}
}

// With the race detector this tells more.
func TestPagesAndSearchesGoOnWhileTheTextIsRead(t *testing.T) {
	for name, b := range texts {
		f := Open(streamed(b), int64(len(b)))
		done := make(chan bool)
		go func() {
			defer close(done)
			for !f.Step(0).Done {
			}
		}()
		for range 20 {
			if _, err := f.Page(f.State().Lines-5, 10); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n, err := f.Search(Query{Text: "no such text", From: 1}, func() bool {
			return false
		}); n != 0 || err != nil {
			t.Errorf("%s: line %d, error %v", name, n, err)
		}
		<-done
		f.Close()
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	f := Open(streamed(texts["more than is kept in memory"]), 0)
	finish(t, f)
	if !f.aside.OnDisk() {
		t.Fatal("nothing was put aside")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v was left", left)
	}
	if s := f.Step(0); !s.Done {
		t.Error("a closed file reads on")
	}
}

func FuzzPages(f *testing.F) {
	for _, b := range texts {
		if len(b) < 1000 {
			f.Add(b, "a", uint8(3))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, needle string, times uint8) {
		b = bytes.Repeat(b, int(times)*50)
		want := reference(b)
		for _, src := range []io.ReadCloser{still{bytes.NewReader(b)}, streamed(b)} {
			p := Open(src, int64(len(b)))
			same(t, p, want)
			searched(t, p, want, needle)
			p.Close()
		}
	})
}

// searched compares a search with a look at every line.
func searched(t *testing.T, f *File, all []Line, needle string) {
	t.Helper()
	fold := func(s string) string { return string(foldAll(s)) }
	if strings.ContainsAny(needle, "\r\n") || needle == "" {
		return
	}
	holds := func(n int) bool {
		return n >= 1 && n <= len(all) && strings.Contains(fold(all[n-1].Text), fold(needle))
	}
	for _, from := range []int{1, len(all)/2 + 1, len(all)} {
		down, up := max(from, 1), max(from, 1)
		for down <= len(all) && !holds(down) {
			down++
		}
		for up > 0 && !holds(up) {
			up--
		}
		if down > len(all) {
			down = 0
		}
		for back, want := range map[bool]int{false: down, true: up} {
			got, err := f.Search(Query{Text: needle, From: from, Back: back}, func() bool {
				return false
			})
			if err != nil || got != want {
				t.Fatalf("%q from %d, back %v: line %d, error %v, want %d", needle, from, back, got,
					err, want)
			}
		}
	}
}

func TestSearchFindsTheNearestLineInAnyCase(t *testing.T) {
	var b bytes.Buffer
	for i := range 40_000 {
		fmt.Fprintf(&b, "line %d of a log that goes on\n", i+1)
		if i%9_000 == 0 {
			b.WriteString("Fehler: Größe ÜBER 3 节点\n")
		}
	}
	f := Open(streamed(b.Bytes()), int64(b.Len()))
	defer f.Close()
	if n, err := f.Search(Query{Text: "LINE 39000 OF", From: 1}, func() bool {
		return false
	}); err != nil || n != 39_005 {
		t.Errorf("a text that was not read yet: line %d, error %v", n, err)
	}
	for _, needle := range []string{"größe über", "节点", "line 1 of", "line 40000 OF", "nowhere",
		"goes on"} {
		searched(t, f, reference(b.Bytes()), needle)
	}
	if _, err := f.Search(Query{Text: "nowhere"}, func() bool {
		return true
	}); !errors.Is(err, errStopped) {
		t.Errorf("a stopped search returned %v", err)
	}
}

func TestFoldIsLowerCaseAtTheSamePlace(t *testing.T) {
	for _, row := range [][2]string{
		{"@AZ[`az{ Plain TEXT 0", "@az[`az{ plain text 0"}, {"ÄÖÜ ß ÉТЕСТ", "äöü ß éтест"},
		{"节点 NODE", "节点 node"},
		{"\xc3\xff\x80A\xc1ZZZZZZZ", "\xc3\xff\x80a\xc1zzzzzzz"}, {"", ""},
	} {
		if got := Fold(row[0]); got != row[1] {
			t.Errorf("%q becomes %q, want %q", row[0], got, row[1])
		}
	}
}
