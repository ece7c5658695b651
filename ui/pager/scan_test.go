package pager

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func never() bool { return false }

func TestScanCountsTheLines(t *testing.T) {
	long := strings.Repeat("x", chunk-3)
	for _, row := range []struct {
		name, text, of string
		want           Hits
	}{
		{"no text at all", "a", "", Hits{}},
		{"nothing to search for", "", "a\n", Hits{}},
		{"a line that holds it twice counts once", "a", "a a\nb\na\n", Hits{2, 1, 3}},
		{"in any case", "KUBE", "x\nkube\nKube", Hits{2, 2, 3}},
		{"beyond ASCII", "größe", "GRÖSSE\nGRÖßE\n", Hits{1, 2, 2}},
		{"in Chinese", "节点", "a\n节点\n", Hits{1, 2, 2}},
		{"across the end of a chunk", "needle", long + "needle\nneedle", Hits{2, 1, 2}},
		{"twice in a line of two chunks", "xx", long + "xxxxxxxxx\nb\nxx", Hits{2, 1, 3}},
		{"UTF-16, as Windows writes it", "ab", "\xff\xfex\x00\n\x00A\x00b\x00", Hits{1, 2, 2}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := Scan(strings.NewReader(row.of), row.text, never)
			if err != nil || got != row.want {
				t.Errorf("%+v, error %v; want %+v", got, err, row.want)
			}
		})
	}
}

// TestScanFindsWhatSearchFinds holds the numbers of lines to those that the viewer shows.
func TestScanFindsWhatSearchFinds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		var text strings.Builder
		for text.Len() < 3*chunk {
			text.WriteString(strings.Repeat("ab", r.IntN(2000)))
			text.WriteString([]string{"\n", "needle", "\r\n", "nee"}[r.IntN(4)])
		}
		got, err := Scan(strings.NewReader(text.String()), "needle", never)
		f := Open(io.NopCloser(strings.NewReader(text.String())), int64(text.Len()))
		for !f.Step(time.Second).Done { // a search backwards begins at what is known
		}
		first, errFirst := f.Search(Query{Text: "needle", From: 1}, never)
		last, errLast := f.Search(Query{Text: "needle", From: 1 << 30, Back: true}, never)
		f.Close()
		if err := errors.Join(err, errFirst, errLast); err != nil {
			t.Fatal(err)
		}
		if got.First != first || got.Last != last {
			t.Errorf("%+v, but the search finds lines %d and %d", got, first, last)
		}
	}
}

func TestScanIsStopped(t *testing.T) {
	asked := 0
	_, err := Scan(bytes.NewReader(make([]byte, 10*chunk)), "x", func() bool {
		asked++
		return asked > 3
	})
	if !errors.Is(err, errStopped) || asked != 4 {
		t.Errorf("error %v after %d questions", err, asked)
	}
}

func BenchmarkScan(b *testing.B) {
	line := "I1120 03:05:14.020118    3388 proxier.go:1053] \"Syncing iptables rules\" kube-dns\n"
	text := strings.Repeat(line, 64<<20/len(line))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Scan(strings.NewReader(text), "hcnCreateNetwork", never); err != nil {
			b.Fatal(err)
		}
	}
}
