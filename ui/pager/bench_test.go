package pager

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// bigLog writes a log of 500 MB, in English but for a line in a thousand.
func bigLog(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "big.log")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for n, i := 0, 0; n < 500<<20; i++ {
		if i%1000 == 0 {
			k, _ := fmt.Fprintf(w, "W1120 03:05:14.%06d 3388 main.go:292] 节点 win-%d 没有分配到网段\n",
				i%1e6, i)
			n += k
		}
		k, _ := fmt.Fprintf(w,
			"I1120 03:05:14.%06d    3388 proxier.go:1053] \"Syncing iptables rules\" round=%d service=\"kube-system/kube-dns:dns-tcp\"\n", i%1e6, i)
		n += k
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	f.Close()
	return path
}

func opened(b *testing.B, path string) *File {
	b.Helper()
	src, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	info, _ := src.Stat()
	return Open(src, info.Size())
}

func BenchmarkBigLog(b *testing.B) {
	path := bigLog(b)
	b.Run("open and first page", func(b *testing.B) {
		for b.Loop() {
			f := opened(b, path)
			f.Step(0)
			if page, _ := f.Page(1, 60); len(page) != 60 {
				b.Fatal(len(page))
			}
			f.Close()
		}
	})
	b.Run("end before it is read", func(b *testing.B) {
		f := opened(b, path)
		defer f.Close()
		f.Step(0)
		for b.Loop() {
			if len(f.Tail(60)) != 60 {
				b.Fatal("no end")
			}
		}
	})
	b.Run("read all", func(b *testing.B) {
		b.SetBytes(500 << 20)
		for b.Loop() {
			f := opened(b, path)
			finish(b, f)
			f.Close()
		}
	})
	f := opened(b, path)
	defer f.Close()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	last := finish(b, f).Lines
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.Run("last page", func(b *testing.B) {
		b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc)), "B-kept")
		for b.Loop() {
			if page, _ := f.Page(last-59, 60); len(page) != 60 {
				b.Fatal(len(page))
			}
		}
	})
	for _, needle := range []string{"no such text", "没有节点"} {
		b.Run("search all for "+needle, func(b *testing.B) {
			b.SetBytes(500 << 20)
			for b.Loop() {
				if n, err := f.Search(Query{Text: needle, From: 1}, func() bool {
					return false
				}); n != 0 || err != nil {
					b.Fatal(n, err)
				}
			}
		})
	}
	b.Run("read all of a zip", func(b *testing.B) { benchZip(b, path) })
}

func benchZip(b *testing.B, path string) {
	packed := filepath.Join(b.TempDir(), "big.zip")
	out, err := os.Create(packed)
	if err != nil {
		b.Fatal(err)
	}
	z := zip.NewWriter(out)
	entry, _ := z.Create("big.log")
	in, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	io.Copy(entry, in)
	in.Close()
	z.Close()
	out.Close()
	r, err := zip.OpenReader(packed)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	b.SetBytes(500 << 20)
	for b.Loop() {
		src, err := r.Open("big.log")
		if err != nil {
			b.Fatal(err)
		}
		f := Open(src, 500<<20)
		finish(b, f)
		f.Close()
	}
}
