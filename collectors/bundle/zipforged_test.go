package bundle

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"testing"
)

// A forged entry is written as it says, header for header.
type forged struct {
	name, data      string // "" for data: none is written
	local           string // name at the data, if it is another one
	flags, method   uint16
	localFlags      uint16
	localMethod     uint16
	size, localSize uint32 // unpacked
	// where the data's header lies, 1 + the place of the entry whose header it is; 0 for its own
	at     int
	offset uint64 // instead, if it is not 0
	sum    uint32
}

func forge(entries ...forged) []byte {
	le := binary.LittleEndian
	var out, list []byte
	places := make([]uint64, len(entries))
	for i, e := range entries {
		places[i] = uint64(len(out))
		if e.at > 0 {
			places[i] = places[e.at-1]
		} else {
			name := e.local
			if name == "" {
				name = e.name
			}
			out = le.AppendUint16(append(out, "PK\x03\x04"...), 20)
			out = le.AppendUint16(le.AppendUint16(out, e.flags^e.localFlags),
				e.method^e.localMethod)
			out = le.AppendUint32(append(out, 0, 0, 0, 0), e.sum)
			out = le.AppendUint32(le.AppendUint32(out, uint32(len(e.data))), e.size+e.localSize)
			out = le.AppendUint16(le.AppendUint16(out, uint16(len(name))), 0)
			out = append(append(out, name...), e.data...)
		}
		if e.offset > 0 {
			places[i] = e.offset
		}
	}
	for i, e := range entries {
		var extra []byte
		at := uint32(min(places[i], math.MaxUint32))
		if places[i] > math.MaxUint32 {
			extra = le.AppendUint64([]byte{1, 0, 8, 0}, places[i])
		}
		list = append(list, "PK\x01\x02\x14\x00\x14\x00"...)
		list = le.AppendUint16(le.AppendUint16(list, e.flags), e.method)
		list = le.AppendUint32(append(list, 0, 0, 0, 0), e.sum)
		list = le.AppendUint32(le.AppendUint32(list, uint32(len(e.data))), e.size)
		list = le.AppendUint16(le.AppendUint16(list, uint16(len(e.name))), uint16(len(extra)))
		list = le.AppendUint32(append(list, make([]byte, 10)...), at)
		list = append(append(list, e.name...), extra...)
	}
	start := len(out)
	out = append(append(out, list...), "PK\x05\x06\x00\x00\x00\x00"...)
	out = le.AppendUint16(le.AppendUint16(out, uint16(len(entries))), uint16(len(entries)))
	return append(le.AppendUint32(le.AppendUint32(out, uint32(len(list))), uint32(start)), 0, 0)
}

func TestZipThatContradictsItself(t *testing.T) {
	const data = "0123456789"
	sum := crc32.ChecksumIEEE([]byte(data))
	sound := forged{name: "x", data: data, size: 10, sum: sum}
	with := func(change func(*forged)) forged {
		e := sound
		change(&e)
		return e
	}
	for name, row := range map[string]struct {
		entry         forged
		refused, read string
	}{
		"a sound entry": {entry: sound},
		"the slashes differ": {entry: with(func(e *forged) {
			e.name, e.local = "k/x", `k\x`
		})},
		"the size follows the data": {entry: with(func(e *forged) {
			e.localFlags, e.localSize = sizesFollow, 7
		})},
		"the names differ": {entry: with(func(e *forged) {
			e.local = "../../etc/passwd"
		}), refused: "x: the archive's list and the entry itself disagree on its name, which is ../../etc/passwd there"},
		"the methods differ": {entry: with(func(e *forged) {
			e.localMethod = zip.Deflate
		}), refused: "disagree on how it is packed"},
		"the sizes differ": {entry: with(func(e *forged) {
			e.localSize = 90
		}), refused: "disagree on its size"},
		"it is encrypted only at its data": {entry: with(func(e *forged) {
			e.localFlags = encrypted
		}), refused: "disagree on whether it is encrypted"},
		"it lies behind the end": {entry: with(func(e *forged) {
			e.offset = 1 << 20
		}), read: "damaged"},
		"it lies where zip64 can only tell": {entry: with(func(e *forged) {
			e.offset = 1 << 62
		}), read: "damaged"},
		"it lies before the beginning": {entry: with(func(e *forged) {
			e.offset = math.MaxUint64
		}), read: "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			other := forged{name: "other", data: "2", size: 1, sum: crc32.ChecksumIEEE([]byte("2"))}
			a, err := open(save(t, forge(row.entry, other)), standard)
			if err != nil {
				if row.read == "" || !strings.Contains(err.Error(),
					"is cut short or is not a zip") {
					t.Error(err)
				}
				return // the library refuses it as a whole
			}
			defer a.Close()
			if row.refused != "" {
				checkRefusals(t, a, []string{row.refused})
			} else {
				checkRefusals(t, a, nil)
				if err := readError(t, a, row.entry.name); (err == nil) != (row.read == "") ||
					err != nil && !strings.Contains(err.Error(), row.read) {
					t.Errorf("reading gives %v", err)
				}
			}
			if err := readError(t, a, "other"); err != nil {
				t.Errorf("its neighbour is lost: %v", err)
			}
		})
	}
}

func TestZipWhoseEntriesShareTheirData(t *testing.T) {
	kernel := zeros(t, 1)
	e := forged{name: "0", data: kernel, method: zip.Deflate, size: 1 << 20,
		sum: crc32.ChecksumIEEE(make([]byte, 1<<20))}
	entries := []forged{e}
	for i := range 20 {
		e.name, e.at = fmt.Sprint(i+1), 1
		entries = append(entries, e)
	}
	a := mustOpen(t, save(t, forge(entries...)), standard)
	if list, err := a.tree.ReadDir("."); err != nil || len(list) != 1 {
		t.Errorf("it holds %v (%v)", list, err)
	}
	for _, r := range a.Refused() {
		if !strings.Contains(r.Reason, "disagree on its name, which is 0 there") {
			t.Errorf("left out %v", r)
		}
	}
	if len(a.Refused()) != 20 {
		t.Errorf("left out:\n%s", refusals(a))
	}
}

// quotedOverlap is the bomb that shares one deflate stream among all its entries: each
// header is quoted, in a stored block, by the data of the entry before it.
func quotedOverlap(t testing.TB, files, mib int) []byte {
	t.Helper()
	le := binary.LittleEndian
	kernel := []byte(zeros(t, mib))
	plain := bytes.Repeat([]byte{0}, mib<<20)
	type one struct {
		header, data []byte
		size         int
		sum          uint32
	}
	var list []one // from the last entry to the first
	data := kernel
	for i := range files {
		name := fmt.Sprintf("%03d", files-1-i)
		header := le.AppendUint16(append([]byte(nil), "PK\x03\x04\x14\x00\x00\x00"...), zip.Deflate)
		sum := crc32.ChecksumIEEE(plain)
		header = le.AppendUint32(append(header, 0, 0, 0, 0), sum)
		header = le.AppendUint32(le.AppendUint32(header, uint32(len(data))), uint32(len(plain)))
		header = append(le.AppendUint16(le.AppendUint16(header, uint16(len(name))), 0), name...)
		list = append(list, one{header, data, len(plain), sum})
		n := uint16(len(header))
		block := le.AppendUint16(le.AppendUint16([]byte{0}, n), ^n)
		data = append(append(block, header...), data...)
		plain = append(append([]byte(nil), header...), plain...)
	}
	first := list[len(list)-1]
	out := append(append([]byte(nil), first.header...), first.data...)
	start := len(out)
	at := 0
	for i := len(list) - 1; i >= 0; i-- {
		e := list[i]
		out = append(out, "PK\x01\x02\x14\x00"...)
		out = append(out, e.header[4:30]...)
		out = append(out, make([]byte, 10)...)
		out = le.AppendUint32(out, uint32(at))
		out = append(out, e.header[30:]...)
		at += len(e.header) + 5
	}
	size := len(out) - start
	out = append(out, "PK\x05\x06\x00\x00\x00\x00"...)
	out = le.AppendUint16(le.AppendUint16(out, uint16(files)), uint16(files))
	return append(le.AppendUint32(le.AppendUint32(out, uint32(size)), uint32(start)), 0, 0)
}

func TestZipOfQuotedOverlap(t *testing.T) {
	const files = 40
	content := quotedOverlap(t, files, 1)
	// The bomb is one that unpacks, or the below shows nothing.
	zr, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*zip.File{zr.File[0], zr.File[files-1]} {
		if r, err := f.Open(); err != nil {
			t.Fatal(err)
		} else if n, err := r.Read(make([]byte, 100)); n == 0 {
			t.Fatalf("%s unpacks to nothing: %v", f.Name, err)
		}
	}
	a := mustOpen(t, save(t, content), standard)
	if list, err := a.tree.ReadDir("."); err != nil || len(list) != 1 || list[0].Name() != "000" {
		t.Errorf("it holds %v (%v)", list, err)
	}
	if err := readError(t, a, "000"); err != nil {
		t.Error(err)
	}
	if got := refusals(a); strings.Count(got,
		"its data lie inside those of 000, as in an archive made to swell") != files-1 {
		t.Errorf("left out:\n%s", got)
	}
}

func TestInflateIsTheSameAsTheLibrarys(t *testing.T) {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression)
	text := strings.Repeat("I1120 09:58:00 one line after the other\n", 20000)
	w.Write([]byte(text))
	w.Close()
	content := rawZip(t, b.String(), zip.FileHeader{Name: "a", Method: zip.Deflate,
		UncompressedSize64: uint64(len(text)), CRC32: crc32.ChecksumIEEE([]byte(text))},
		zip.FileHeader{Name: "b", Method: zip.Deflate, UncompressedSize64: uint64(len(text)),
			CRC32: crc32.ChecksumIEEE([]byte(text))})
	a := mustOpen(t, save(t, content), standard)
	for range 3 { // decoders are used again
		if got := contents(t, a); got != "a="+text+" b="+text {
			t.Fatalf("it holds %d bytes", len(got))
		}
	}
	f, err := a.FS().Open("a")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	f.Close()
	if n, err := f.Read(make([]byte, 10)); err == nil {
		t.Errorf("a closed file gave %d bytes", n)
	}
}
