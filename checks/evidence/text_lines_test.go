package evidence

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("ü", MaxLine)
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"no line end at the end", "a\nb", []string{"a", "b"}},
		{"Windows line ends", "a\r\n\r\nb\r\n", []string{"a", "", "b"}},
		{"a line end of three bytes", "a\r\r\n", []string{"a"}},
		{"a line of just the limit", long[:MaxLine] + "\r\nb", []string{long[:MaxLine], "b"}},
		{"one byte more than the limit", "x" + long[:MaxLine] + "\nb",
			[]string{"x" + long[:MaxLine-2], "b"}},
		{"far more than the limit", long + long + "\r\nb\n", []string{long[:MaxLine], "b"}},
		{"far more than the limit and no end", long + long, []string{long[:MaxLine]}},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines := Lines(iotest.HalfReader(strings.NewReader(test.in)))
			var got []string
			for lines.Next() {
				got = append(got, string(lines.Bytes()))
				if lines.Number() != len(got) {
					t.Errorf("line %d has number %d", len(got), lines.Number())
				}
			}
			if lines.err != io.EOF || strings.Join(got, "\n") != strings.Join(test.want, "\n") ||
				len(got) != len(test.want) {
				t.Errorf("got %d lines, %v", len(got), lines.err)
			}
		})
	}
}

func TestLinesOfAnEndlessLineTakeConstantMemory(t *testing.T) {
	r := io.MultiReader(io.LimitReader(repeating("x"), 100<<20), strings.NewReader("\nlast"))
	lengths := []int{}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for lines := Lines(Text(r)); lines.Next(); {
		lengths = append(lengths, len(lines.Bytes()))
		if lines.cut != (len(lengths) == 1) {
			t.Errorf("line %d: cut is %v", lines.Number(), lines.cut)
		}
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 1<<20 {
		t.Errorf("%d bytes were allocated", allocated)
	}
	if len(lengths) != 2 || lengths[0] != MaxLine || lengths[1] != len("last") {
		t.Errorf("the lines have %v bytes", lengths)
	}
}

type repeating string

func (r repeating) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r[i%len(r)]
	}
	return len(p), nil
}

func TestLinesKeepWhatCameBeforeAnError(t *testing.T) {
	broken := errors.New("disk gone")
	lines := Lines(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)))
	var got []string
	for lines.Next() {
		got = append(got, string(lines.Bytes()))
	}
	if strings.Join(got, ",") != "a,b" || !errors.Is(lines.err, broken) || lines.Next() {
		t.Errorf("got %q, %v", got, lines.err)
	}
}

func TestClean(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"plain text", "vEthernet (Ethernet) 10.0.0.4/24", "vEthernet (Ethernet) 10.0.0.4/24"},
		{"other scripts stay", "适配器 Größe 🎉", "适配器 Größe 🎉"},
		{"a tab and a line end become spaces", "a\tb\r\nc\rd\u2028e\u00a0f", "a b c d e f"},
		{"colours", "\x1b[1;31mred\x1b[0m", "red"},
		{"a window title", "\x1b]0;owned\x07text", "text"},
		{"a hyperlink", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"a title with a C1 end", "\u009d0;owned\u009ctext", "text"},
		{"a C1 introducer", "\u009b2Jtext", "text"},
		{"a device control string", "\x1bPq#0\x1b\\text", "text"},
		{"a character set", "\x1b(0text", "text"},
		{"a full reset", "\x1bctext", "text"},
		{"a title without an end hides nothing", "\x1b]0;text", "0;text"},
		{"a colour without an end", "text\x1b[1;3", "text1;3"},
		{"a lone escape at the end", "text\x1b", "text"},
		{"marks of direction", "abc\u202egpj.exe\u2066\u200f", "abcgpj.exe"},
		{"what has no width", "a\u200b\u2060\ufeff\u00adb\U000e0041", "ab"},
		{"bell, backspace, NUL and delete", "a\a\b\x00\x7fb", "ab"},
		{"bytes that are no UTF-8", "a\xffb", "a\uFFFDb"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Clean(test.in); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\r\nb\n\nc"), 1)
	f.Add([]byte("üüüü\r"), MaxLine)
	f.Fuzz(func(t *testing.T, in []byte, times int) {
		in = bytes.Repeat(in, max(1, min(times, 200_000/max(1, len(in)))))
		want := bytes.Split(in, []byte("\n"))
		if len(want[len(want)-1]) == 0 {
			want = want[:len(want)-1]
		}
		lines, n := Lines(bytes.NewReader(in)), 0
		for ; lines.Next(); n++ {
			line := lines.Bytes()
			if len(line) > MaxLine || lines.Number() != n+1 || n >= len(want) {
				t.Fatalf("line %d of %d has %d bytes", lines.Number(), len(want), len(line))
			}
			if whole := bytes.TrimRight(want[n], "\r"); !bytes.HasPrefix(whole, line) ||
				!lines.cut && len(line) != len(whole) {
				t.Fatalf("line %d: %q is not the start of %q", n+1, line, whole)
			}
		}
		if n != len(want) || lines.err != io.EOF {
			t.Errorf("%d lines of %d, %v", n, len(want), lines.err)
		}
	})
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"a\tb", "\x1b[31mred", "\x1b]0;t\x07", "\u009b1m", "\u202e", "\xff",
		"\x1b]\x1b]\x1b]", "\x1b\x1b[[0m"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if again := Clean(got); again != got {
			t.Errorf("cleaned again %q becomes %q", got, again)
		}
		for _, r := range got {
			if r < ' ' || 0x7f <= r && r <= 0x9f || 0x202a <= r && r <= 0x202e || 0x2066 <= r &&
				r <= 0x2069 {
				t.Errorf("%q holds %U", got, r)
			}
		}
		if !utf8.ValidString(got) {
			t.Errorf("%q is no UTF-8", got)
		}
	})
}

func BenchmarkLines(b *testing.B) {
	in := strings.Repeat(
		"I0102 03:04:05.678901 1234 proxier.go:99] Syncing proxy rules for service default/kubernetes\r\n", 500_000)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		for lines := Lines(Text(strings.NewReader(in))); lines.Next(); {
		}
	}
}
