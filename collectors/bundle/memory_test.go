package bundle

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// allocated is how many bytes f takes from the heap, freed again or not: above
// what it ever holds at once.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// held is how many bytes of heap are still in use after f that were not before.
func held(f func()) int64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f()
	runtime.GC()
	runtime.ReadMemStats(&after)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// zeros is a deflate stream of n MiB of zeros, made without packing them all.
func zeros(t testing.TB, n int) string {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	mib := make([]byte, 1<<20)
	w.Write(mib)
	w.Flush()
	first := b.Len()
	w.Reset(&b) // so that the second piece does not refer to the first
	w.Write(mib)
	w.Flush()
	piece := b.String()[first:]
	b.Reset()
	w.Reset(&b)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return strings.Repeat(piece, n) + b.String()
}

func TestBombIsStreamed(t *testing.T) {
	const size = 300 << 20
	content := rawZip(t, zeros(t, size>>20), zip.FileHeader{Name: "bomb.log", Method: zip.Deflate,
		UncompressedSize64: size})
	if len(content) > size/100 {
		t.Fatalf("%d bytes are no bomb", len(content))
	}
	path := save(t, content)
	var read int64
	var err error
	took := allocated(func() {
		a := mustOpen(t, path, standard)
		f, openErr := a.FS().Open("bomb.log")
		if openErr != nil {
			t.Fatal(openErr)
		}
		defer f.Close()
		read, err = io.Copy(io.Discard, f)
	})
	if read != size || err != nil {
		t.Errorf("%d of %d bytes were read: %v", read, size, err)
	}
	if took > 4<<20 {
		t.Errorf("reading it took %d KiB of memory", took>>10)
	}
}

// claiming is a file of the given size that ends in an end record for so many entries.
func claiming(t *testing.T, size int64, entries uint64) string {
	t.Helper()
	le := binary.LittleEndian
	start := size - end64Len - locatorLen - endLen
	end := []byte(end64Sign)
	end = le.AppendUint64(end, end64Len-12)
	end = append(end, make([]byte, 12)...)
	end = le.AppendUint64(le.AppendUint64(end, entries), entries)
	end = le.AppendUint64(le.AppendUint64(end, 0), uint64(start))
	end = le.AppendUint32(append(end, locatorSign...), 0)
	end = le.AppendUint32(le.AppendUint64(end, uint64(start)), 1)
	end = append(append(end, endSign...), 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff)
	end = append(end, "\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00"...)
	path := save(t, []byte("PK\x03\x04"))
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(end, start); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestZipThatClaimsTenMillionEntries(t *testing.T) {
	path := claiming(t, 1<<30, 10_000_000) // archive/zip believes it, for a file of this size
	var err error
	took := allocated(func() { _, err = Open(path) })
	if err == nil || !strings.Contains(err.Error(),
		"it claims 10000000, and doctor opens at most 200000") {
		t.Errorf("the error is %v", err)
	}
	if took > 1<<20 {
		t.Errorf("finding out took %d KiB of memory", took>>10)
	}
	// The forged record is one that the library reads, or the above shows nothing.
	if _, err := Open(claiming(t, 1<<20, 3)); err == nil ||
		strings.Contains(err.Error(), "claims") {
		t.Errorf("with a small claim the error is %v", err)
	}
}

// archive/zip reads on as long as headers come, so that an end record which admits
// to their number modulo 65,536 will do.
func TestZipWithMoreThanItClaims(t *testing.T) {
	for name, row := range map[string]struct {
		entries, extra int
		want           string
	}{
		"many headers":  {600_000, 0, "it holds more than 200000"},
		"large headers": {1_200, 60_000, "the list of them takes more than 32 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			le := binary.LittleEndian
			header := append([]byte(headerSign),
				make([]byte, minHeader-len(headerSign)+row.extra)...)
			le.PutUint16(header[30:], uint16(row.extra))
			content := append([]byte("PK\x03\x04"), bytes.Repeat(header, row.entries)...)
			count := uint16(row.entries % 65536)
			content = append(content, endSign+"\x00\x00\x00\x00"...)
			content = le.AppendUint16(le.AppendUint16(content, count), count)
			content = le.AppendUint32(le.AppendUint32(content, uint32(row.entries*len(header))), 4)
			path := save(t, append(content, 0, 0))
			var err error
			took := allocated(func() { _, err = Open(path) })
			if !errors.Is(err, errTooMany) || !strings.Contains(err.Error(), row.want) {
				t.Errorf("the error is %v", err)
			}
			if took > 100<<20 {
				t.Errorf("finding out took %d MiB of memory", took>>20)
			}
		})
	}
}

// A short name must not keep the megabyte of PAX records alive that it came in.
func TestTarNamesDoNotHoldTheirHeaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "node.tar")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(f)
	comment := map[string]string{"comment": strings.Repeat("x", 1_000_000)}
	for i := range 50 {
		// Beyond ASCII, so that the name itself is a record too.
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: fmt.Sprintf("größe-%d", i),
			PAXRecords: comment}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	var a *Archive
	if held := held(func() { a = mustOpen(t, path, standard) }); held > 5<<20 {
		t.Errorf("50 names hold %d MiB", held>>20)
	}
	runtime.KeepAlive(a)
}

// The most that Open lets through stays within the memory of a small node.
func TestZipOfTwoHundredThousandEntries(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range maxEntries - 300 { // 203 folders are counted too
		h := zip.FileHeader{Name: fmt.Sprintf("var/log/pods/kube-system_%03d/container/%06d.log",
			i%100, i), CRC32: crc32.ChecksumIEEE(nil)}
		if _, err := w.CreateRaw(&h); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := save(t, b.Bytes())
	b = bytes.Buffer{}
	w = nil
	var a *Archive
	if held := held(func() { a = mustOpen(t, path, standard) }); held > 100<<20 {
		t.Errorf("the open archive holds %d MiB", held>>20)
	}
	if len(a.Refused()) > 0 {
		t.Error(refusals(a)[:200])
	}
}
