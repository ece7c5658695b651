package bundle

import (
	"archive/zip"
	"bytes"
	"hash/crc32"
	"io/fs"
	"strings"
	"testing"
)

func TestZipEntries(t *testing.T) {
	for name, row := range map[string]struct {
		members []member
		want    string
		refused []string
	}{
		"PowerShell 5.1 packs backslashes": {
			members: []member{{name: `system\network\`}, {name: `system\network\ip.txt`,
				content: "ip"}},
			want: "system/network/ip.txt=ip",
		},
		"bad names are left out, the rest stays": {
			members: []member{{name: "../evil", content: "1"}, {name: "/abs", content: "2"},
				{name: `C:\x`, content: "3"},
				{name: "a\x1b[2Jb", content: "4"}, {name: "good", content: "5"}},
			want: "good=5",
			refused: []string{"../evil: its name leads upwards", "/abs: its name is absolute",
				`C:\x: its name begins with a drive`,
				"a?[2Jb: its name holds control"},
		},
		"the first of two of one name is kept": {
			members: []member{{name: "a/b", content: "first"}, {name: `a\b`, content: "second"}},
			want:    "a/b=first",
			refused: []string{`a\b: a second entry of this name; the first is kept`},
		},
		"names that differ in case are one": {
			members: []member{{name: "Log", content: "1"}, {name: "log", content: "2"}},
			want:    "Log=1",
			refused: []string{
				"log: a second entry of this name, which came before it as Log; the first is kept"},
		},
		"names that Unicode composes otherwise are one": {
			members: []member{{name: "gr\u00f6\u00dfe.log", content: "1"},
				{name: "gro\u0308\u00dfe.log", content: "2"}},
			want: "gr\u00f6\u00dfe.log=1",
			refused: []string{
				"a second entry of this name, which came before it as gr\u00f6\u00dfe.log; the first is kept"},
		},
		"folders that differ in case are one": {
			members: []member{{name: `K\logs\a`, content: "1"}, {name: `k\Logs\b`, content: "2"}},
			want:    "K/logs/a=1 K/logs/b=2",
		},
		"device names are left out": {
			members: []member{{name: "NUL", content: "1"}, {name: "logs/con.txt", content: "2"},
				{name: "COM1/x", content: "3"}, {name: "console.log", content: "4"}},
			want: "console.log=4",
			refused: []string{"NUL: Windows keeps the name NUL for a device",
				"logs/con.txt: Windows keeps", "COM1/x: Windows keeps"},
		},
		"a file cannot be a folder too": {
			members: []member{{name: "a", content: "file"}, {name: "a/b", content: "below"},
				{name: "a/"}},
			want: "a=file",
			refused: []string{"a/b: it needs a folder where a file",
				"a/: it needs a folder where a file"},
		},
		"a folder cannot be a file too": {
			members: []member{{name: "a/b", content: "below"}, {name: "a", content: "file"}},
			want:    "a/b=below",
			refused: []string{"a: it is a file, and a folder of this name"},
		},
		"a folder may come twice": {
			members: []member{{name: "a/"}, {name: "a/b", content: "1"}, {name: "a/"}},
			want:    "a/b=1",
		},
		"archives inside are left out as long as nobody mounts them": {
			members: []member{{name: "WER-1.zip", content: "PK"}, {name: "a/agent_win-1.TAR.GZ"},
				{name: "b.tgz"}, {name: "c.gz", content: "kept"},
				{name: "x.zip/y", content: "kept"}},
			want: "c.gz=kept x.zip/y=kept",
			refused: []string{"WER-1.zip: an archive inside the archive is not opened",
				"a/agent_win-1.TAR.GZ: an archive inside", "b.tgz: an archive inside"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := mustOpen(t, save(t, makeZip(t, row.members...)), standard)
			if got := contents(t, a); got != row.want {
				t.Errorf("it holds %q, want %q", got, row.want)
			}
			checkRefusals(t, a, row.refused)
		})
	}
}

// The strict mode of the library is a setting of whoever starts doctor.
func TestZipAndTarUnderStrictPaths(t *testing.T) {
	t.Setenv("GODEBUG", "zipinsecurepath=0,tarinsecurepath=0")
	members := []member{{name: "../evil", content: "1"}, {name: `b\c`, content: "2"}}
	for name, content := range map[string][]byte{"zip": makeZip(t, members...),
		"tar": makeTar(t, members...)} {
		t.Run(name, func(t *testing.T) {
			a := mustOpen(t, save(t, content), standard)
			if got := contents(t, a); got != "b/c=2" {
				t.Errorf("it holds %q", got)
			}
			checkRefusals(t, a, []string{"../evil: its name leads upwards"})
		})
	}
}

func TestZipHeaders(t *testing.T) {
	const data = "0123456789"
	sum := crc32.ChecksumIEEE([]byte(data))
	stored := func(size uint64) zip.FileHeader {
		return zip.FileHeader{Name: "x", Method: zip.Store, CRC32: sum, UncompressedSize64: size}
	}
	with := func(change func(*zip.FileHeader)) zip.FileHeader {
		h := stored(uint64(len(data)))
		change(&h)
		return h
	}
	for name, row := range map[string]struct {
		header  zip.FileHeader
		refused string
		read    string
	}{
		"a sound entry": {header: stored(10)},
		"it is encrypted": {header: with(func(h *zip.FileHeader) {
			h.Flags |= 1
		}), refused: "it is encrypted; request an archive without a password"},
		"it is a link": {header: with(func(h *zip.FileHeader) {
			h.SetMode(fs.ModeSymlink | 0o777)
		}), refused: "a link is not followed"},
		"it is a pipe": {header: with(func(h *zip.FileHeader) {
			h.SetMode(fs.ModeNamedPipe | 0o666)
		}), refused: "a device, pipe or socket"},
		"it declares more than the zip may": {header: stored(5 << 30),
			refused: "it declares 5 GiB, and the archive may hold 4 GiB in all"},
		"it declares the largest number": {header: stored(1<<64 - 1),
			refused: "it declares 9223372036854775807 bytes"},
		"it declares too little": {header: stored(3), read: "not of the declared size"},
		"it declares too much":   {header: stored(11), read: "not of the declared size"},
		"its checksum is wrong": {header: with(func(h *zip.FileHeader) {
			h.CRC32++
		}), read: "damaged"},
		"it is packed with Deflate64": {header: with(func(h *zip.FileHeader) {
			h.Method = 9
		}), read: "packed with Deflate64, which doctor does not unpack"},
		"it is encrypted with AES": {header: with(func(h *zip.FileHeader) {
			h.Method, h.Flags = 99, 1
		}), refused: "it is encrypted"},
		"AES without the flag": {header: with(func(h *zip.FileHeader) {
			h.Method = 99
		}), read: "packed with AES encryption, which doctor does not unpack"},
		"it is packed with who knows": {header: with(func(h *zip.FileHeader) {
			h.Method = 77
		}), read: "packed with method 77"},
		"it is no deflate stream": {header: with(func(h *zip.FileHeader) {
			h.Method = zip.Deflate
		}), read: "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			other := zip.FileHeader{Name: "other", CRC32: sum, UncompressedSize64: 10}
			a := mustOpen(t, save(t, rawZip(t, data, row.header, other)), standard)
			if row.refused != "" {
				checkRefusals(t, a, []string{"x: " + row.refused})
			} else {
				checkRefusals(t, a, nil)
				err := readError(t, a, "x")
				if row.read == "" && err != nil || row.read != "" &&
					(err == nil || !strings.Contains(err.Error(), row.read)) {
					t.Errorf("reading gives %v, want %q", err, row.read)
				}
			}
			if err := readError(t, a, "other"); err != nil {
				t.Errorf("its neighbour is lost: %v", err)
			}
		})
	}
}

func TestZipTotalLeavesRoomForSmallFiles(t *testing.T) {
	big := func(name string) zip.FileHeader {
		return zip.FileHeader{Name: name, UncompressedSize64: 3 << 30}
	}
	small := zip.FileHeader{Name: "small", UncompressedSize64: 1,
		CRC32: crc32.ChecksumIEEE([]byte("1"))}
	a := mustOpen(t, save(t, rawZip(t, "1", big("a.dmp"), big("b.dmp"), small)), standard)
	checkRefusals(t, a, []string{"b.dmp: it declares 3 GiB"})
	if err := readError(t, a, "small"); err != nil {
		t.Error(err)
	}
}

func TestZipBehindOtherBytes(t *testing.T) {
	// A zip that grew at its front, as some mail gateways make it, keeps its first bytes' look.
	content := append([]byte("PK\x03\x04 not really"), makeZip(t, recorded...)...)
	a := mustOpen(t, save(t, content), standard)
	if got := contents(t, a); !strings.Contains(got, "meta.json={}") {
		t.Errorf("it holds %q", got)
	}
}

func TestZipDamagedInTheMiddle(t *testing.T) {
	content := makeZip(t, member{name: "a", content: "alpha"}, member{name: "b", content: "beta"})
	second := bytes.LastIndex(content, []byte("PK\x03\x04"))
	copy(content[second:], "XXXX")
	a := mustOpen(t, save(t, content), standard)
	if err := readError(t, a, "b"); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("reading b gives %v", err)
	}
	if err := readError(t, a, "a"); err != nil {
		t.Errorf("reading a gives %v", err)
	}
}
