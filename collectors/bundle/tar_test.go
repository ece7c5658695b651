package bundle

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

func TestTarEntries(t *testing.T) {
	for name, row := range map[string]struct {
		members []member
		want    string
		refused []string
	}{
		"a top folder that is a dot": {
			members: []member{{name: "./", kind: tar.TypeDir},
				{name: "./docker/info", content: "1"}},
			want: "docker/info=1",
		},
		"antrea on Windows writes backslashes": {
			members: []member{{name: `logs\agent\antrea-agent.log`, content: "1"}},
			want:    "logs/agent/antrea-agent.log=1",
		},
		"links and devices are left out": {
			members: []member{{name: "a", content: "1"}, {name: "soft", kind: tar.TypeSymlink},
				{name: "hard", kind: tar.TypeLink},
				{name: "disk", kind: tar.TypeBlock}, {name: "tty", kind: tar.TypeChar},
				{name: "pipe", kind: tar.TypeFifo}, {name: "z", content: "2"}},
			want: "a=1 z=2",
			refused: []string{"soft: a link is not followed", "hard: a link is not followed",
				"disk: a device or pipe",
				"tty: a device or pipe", "pipe: a device or pipe"},
		},
		"bad names are left out, the rest stays": {
			members: []member{{name: "../../evil", content: "1"}, {name: "/abs", content: "2"},
				{name: `D:x`, content: "3"}, {name: "ok", content: "4"}},
			want: "ok=4",
			refused: []string{"../../evil: its name leads upwards", "/abs: its name is absolute",
				"D:x: its name begins with a drive"},
		},
		"the first of two of one name is kept": {
			members: []member{{name: "a", content: "1"}, {name: "./a", content: "2"}},
			want:    "a=1",
			refused: []string{"./a: a second entry of this name"},
		},
		"a name longer than a tar header holds": {
			members: []member{{name: strings.Repeat("long/", 40) + "x", content: "1"}},
			want:    strings.Repeat("long/", 40) + "x=1",
		},
		"archives inside are left out": {
			members: []member{{name: "agent_win-1.tar.gz", content: "x"},
				{name: "clusterinfo", content: "y"}},
			want:    "clusterinfo=y",
			refused: []string{"agent_win-1.tar.gz: an archive inside the archive is not opened"},
		},
	} {
		content := makeTar(t, row.members...)
		for kind, content := range map[string][]byte{"tar": content, "tar.gz": makeGzip(t, content),
			"tar.bz2": makeBzip2(t, content), "tar.xz": makeXZ(t, content), "tar.zst": makeZstd(t, content)} {
			t.Run(name+" in a "+kind, func(t *testing.T) {
				a := mustOpen(t, save(t, content), standard)
				if got := contents(t, a); got != row.want {
					t.Errorf("it holds %q, want %q", got, row.want)
				}
				checkRefusals(t, a, row.refused)
			})
		}
	}
}

func TestTarPassesOverGlobalHeaders(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header",
		PAXRecords: map[string]string{"comment": "0123abcd"}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	b.Write(makeTar(t, member{name: "a", content: "1"}))
	a := mustOpen(t, save(t, b.Bytes()), standard)
	if got := contents(t, a); got != "a=1" || len(a.Refused()) > 0 {
		t.Errorf("it holds %q, left out %s", got, refusals(a))
	}
}

// A sparse header of some bytes stands for a terabyte of zeros.
func TestTarLeavesOutSparseFiles(t *testing.T) {
	for name, forge := range map[string]func() []byte{
		"in the form of PAX": func() []byte {
			var b bytes.Buffer
			w := tar.NewWriter(&b)
			// tar.Writer refuses to write GNU's own keys; these become such below.
			err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "sparse", Size: 1,
				PAXRecords: map[string]string{
					"XYZ.sparse.major": "0", "XYZ.sparse.minor": "1",
					"XYZ.sparse.size":      "1099511627776",
					"XYZ.sparse.numblocks": "1", "XYZ.sparse.map": "0,1"}})
			if err != nil {
				t.Fatal(err)
			}
			w.Write([]byte("x"))
			w.Flush()
			return bytes.ReplaceAll(b.Bytes(), []byte("XYZ.sparse."), []byte("GNU.sparse."))
		},
		"in the old form of GNU": func() []byte {
			var b bytes.Buffer
			w := tar.NewWriter(&b)
			if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "sparse",
				Format: tar.FormatGNU}); err != nil {
				t.Fatal(err)
			}
			header := b.Bytes()
			header[156] = tar.TypeGNUSparse
			copy(header[483:], "77777777777\x00")
			sign(header)
			return header
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := mustOpen(t,
				save(t, append(forge(), makeTar(t, member{name: "z", content: "2"})...)), standard)
			if got := contents(t, a); got != "z=2" {
				t.Errorf("it holds %q", got)
			}
			checkRefusals(t, a, []string{"sparse: a sparse file is not read"})
		})
	}
}

// sign writes the checksum of a tar header that was changed.
func sign(header []byte) {
	copy(header[148:156], "        ")
	sum := 0
	for _, c := range header[:tarBlock] {
		sum += int(c)
	}
	copy(header[148:156], fmt.Sprintf("%06o\x00 ", sum))
}

func TestTarCutShort(t *testing.T) {
	whole := makeTar(t, member{name: "a", content: strings.Repeat("a", 600)},
		member{name: "b", content: strings.Repeat("b", 600)}, member{name: "c", content: "c"})
	aKept := "a=" + strings.Repeat("a", 600)
	for name, row := range map[string]struct {
		at      int
		want    string
		refused []string
	}{
		"inside the content of b": {1536 + 512 + 100, aKept,
			[]string{"node.bin: it is cut short at byte 2148 of the tar, after b; request it again",
				"b: the archive is cut short after 100 of its 600 bytes"}},
		"inside the header of b": {1536 + 200, aKept,
			[]string{"node.bin: it is cut short at byte 1736 of the tar, after a"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := mustOpen(t, save(t, whole[:row.at]), standard)
			if got := contents(t, a); got != row.want {
				t.Errorf("it holds %.60q, want %.60q", got, row.want)
			}
			checkRefusals(t, a, row.refused)
		})
	}
}

func TestTarDamagedInTheMiddle(t *testing.T) {
	content := makeTar(t, member{name: "a", content: "1"}, member{name: "b", content: "2"})
	copy(content[1024+148:], "zzzzzz")
	a := mustOpen(t, save(t, content), standard)
	if got := contents(t, a); got != "a=1" {
		t.Errorf("it holds %q", got)
	}
	checkRefusals(t, a,
		[]string{"node.bin: it is damaged at byte 1536 of the tar, after a; request it again"})
}

func TestTarOfTheOldestKind(t *testing.T) {
	content := makeTar(t, member{name: "a", content: "1"})
	header := content[:tarBlock]
	clear(header[257:265]) // "ustar" and its version
	sign(header)
	a := mustOpen(t, save(t, content), standard)
	if got := contents(t, a); got != "a=1" {
		t.Errorf("it holds %q", got)
	}
}

func TestAPackedTarCutShort(t *testing.T) {
	// Noise does not compress, so half of the gzip is about half of the tar.
	noise := make([]byte, 40_000)
	seed := uint32(1)
	for i := range noise {
		seed = seed*1664525 + 1013904223
		noise[i] = byte(seed >> 24)
	}
	plain := makeTar(t, member{name: "meta.json", content: "{}"},
		member{name: "big.log", content: string(noise)})
	packed := makeGzip(t, plain)
	for _, row := range []struct {
		packed []byte
		cut    string
	}{{packed, "it is cut short"}, {makeXZ(t, plain), "it is damaged"}} {
		a := mustOpen(t, save(t, row.packed[:len(row.packed)/2]), standard)
		if got := contents(t, a); got != "meta.json={}" {
			t.Errorf("it holds %.60q", got)
		}
		checkRefusals(t, a, []string{"node.bin: " + row.cut + " at byte ",
			"big.log: the archive is cut short after "})
	}

	packed[len(packed)-8]++ // the checksum
	a := mustOpen(t, save(t, packed), standard)
	checkRefusals(t, a, []string{"node.bin: its checksum is wrong at byte "})
	if _, err := fs.Stat(a.FS(), "big.log"); err != nil {
		t.Error(err)
	}
}

func TestGzipFollowedByOtherBytes(t *testing.T) {
	content := append(makeGzip(t, makeTar(t, member{name: "a", content: "1"})),
		"what a careless script appended"...)
	a := mustOpen(t, save(t, content), standard)
	if got := contents(t, a); got != "a=1" {
		t.Errorf("it holds %q", got)
	}
	checkRefusals(t, a, []string{"node.bin: it is damaged at byte "})
}
