package bundle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

var recorded = []member{
	{name: "meta.json", content: "{}"},
	{name: "files/C/run/flannel/subnet.env", content: "FLANNEL_MTU=1450\n"},
	{name: "logs/kubelet/kubelet.log", content: strings.Repeat("E0612 pod sandbox\n", 1000)},
	{name: "logs/kubelet/kubelet.log.1", content: "rotated\n"},
}

func TestOpenJudgesByContent(t *testing.T) {
	plain := makeTar(t, recorded...)
	for name, path := range map[string]string{
		"a folder":      makeFolder(t, recorded...),
		"a zip":         save(t, makeZip(t, recorded...)),
		"a tar":         save(t, plain),
		"a tar.gz":      save(t, makeGzip(t, plain)),
		"a tar.bz2":     save(t, makeBzip2(t, plain)),
		"a tar.xz":      save(t, makeXZ(t, plain)),
		"a tar.zst":     save(t, makeZstd(t, plain)),
		"an xz in two":  save(t, append(makeXZ(t, plain[:700]), makeXZ(t, plain[700:])...)),
		"a zstd in two": save(t, append(makeZstd(t, plain[:700]), makeZstd(t, plain[700:])...)),
		"a gzip in two": save(t, append(makeGzip(t, plain[:700]), makeGzip(t, plain[700:])...)),
	} {
		t.Run(name, func(t *testing.T) {
			a := mustOpen(t, path, standard)
			want := []string{"meta.json", "files/C/run/flannel/subnet.env",
				"logs/kubelet/kubelet.log"}
			if err := fstest.TestFS(a.FS(), want...); err != nil {
				t.Error(err)
			}
			if len(a.Refused()) > 0 {
				t.Errorf("left out: %s", refusals(a))
			}
			for _, m := range recorded[:3] {
				content, err := fs.ReadFile(a.FS(), m.name)
				if err != nil || string(content) != m.content {
					t.Errorf("%s reads as %.40q, %v", m.name, content, err)
				}
			}
			if _, err := fs.ReadFile(a.FS(), "logs/kubelet"); err == nil {
				t.Error("a folder was read like a file")
			}
			if _, err := fs.ReadDir(a.FS(), "meta.json"); err == nil {
				t.Error("a file was listed like a folder")
			}
			if info, err := fs.Stat(a.FS(), "meta.json/below"); info != nil ||
				!errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a path below a file gives %v, %v", info, err)
			}
			if _, err := a.FS().Open("../meta.json"); !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("a path out of the tree gives %v", err)
			}
		})
	}
}

func TestOpenRefusesTheWhole(t *testing.T) {
	oldTar := makeTar(t, recorded...)
	copy(oldTar[148:], "zzzzzz")
	packed := makeZip(t, recorded...)
	for name, row := range map[string]struct {
		content []byte
		want    string
	}{
		"an empty file": {nil, "is empty: request it again"},
		"a file of a program": {[]byte("\x7fELF\x00\x00\x00\x01\x02"),
			"it is no folder and no archive that doctor reads; `doctor explain formats` lists them"},
		"a 7z": {[]byte("7z\xbc\xaf\x27\x1c\x00\x04"),
			"is a 7z file, which doctor does not open: unpack it"},
		"a zip without its end": {packed[:len(packed)-30],
			"is cut short or is not a zip: request it again"},
		"the first bytes of a zip": {packed[:4],
			"is cut short or is not a zip: request it again"},
		"a zip of nothing": {makeZip(t), "contains no file: request it again"},
		"a zip of one bad name": {makeZip(t, member{name: "../x"}),
			"contains no file that doctor can read; the first of 1 left out is ../x: its name leads"},
		"a tar with a damaged first header": {oldTar, "it is damaged at byte 512"},
		"a gzip that holds a program": {makeGzip(t,
			[]byte(strings.Repeat("\x7fELF\x00\x00\x00", 900))), "unpacks to something other than a tar"},
		"a gzip of nothing": {makeGzip(t, nil), "contains no file: request it again"},
		"the first bytes of a gzip": {makeGzip(t, oldTar)[:5],
			"is cut short or is no gzip file: request it again"},
		"the first bytes of an xz": {makeXZ(t, oldTar)[:9],
			"is cut short or is no xz file: request it again"},
		"an xz of nothing":  {makeXZ(t, nil), "contains no file: request it again"},
		"a zstd of nothing": {makeZstd(t, nil), "contains no file: request it again"},
		"an xz that would take a gibibyte of memory": {wideXZ(t),
			"takes more memory to unpack than doctor gives it: unpack it and give doctor what it holds"},
		"a zstd that would take a gibibyte of memory": {wideZstd(t),
			"takes more memory to unpack than doctor gives it: unpack it and give doctor what it holds"},
		"a gzip cut in its first entry": {makeGzip(t, makeTar(t, recorded[2]))[:60],
			"is cut short"},
	} {
		t.Run(name, func(t *testing.T) {
			path := save(t, row.content)
			a, err := Open(path)
			if err == nil {
				a.Close()
				t.Fatalf("it was opened, and holds %q", contents(t, a))
			}
			if !strings.Contains(err.Error(), row.want) || !strings.HasPrefix(err.Error(),
				printable(path)) {
				t.Errorf("the error is %q, want %q in it", err, row.want)
			}
		})
	}
}

// wideXZ declares a dictionary of a gibibyte, with the sum of the header as it should be.
func wideXZ(t *testing.T) []byte {
	content := makeXZ(t, makeTar(t, recorded...))
	const block = 12 // behind the head of the stream
	end := block + (int(content[block])+1)*4 - 4
	filter := bytes.Index(content[block:end], []byte{0x21, 1})
	if filter < 0 {
		t.Fatal("its first block has no LZMA2 filter")
	}
	content[block+filter+2] = 36
	binary.LittleEndian.PutUint32(content[end:], crc32.ChecksumIEEE(content[block:end]))
	return content
}

// wideZstd is a frame with a window of a gibibyte and one block as it is.
func wideZstd(*testing.T) []byte {
	const block = "stored"
	return append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0, 20 << 3, 1 | byte(len(block))<<3, 0, 0}, block...)
}

func TestALogThatWasMadeSmallerIsRead(t *testing.T) {
	const log = "E0503 13:39:33.522865    5324 kuberuntime_sandbox.go:68] x\n"
	for _, content := range [][]byte{makeGzip(t, []byte(log)), makeBzip2(t, []byte(log)),
		makeXZ(t, []byte(log)), makeZstd(t, []byte(log))} {
		a, err := Open(save(t, content))
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		if got := contents(t, a); !strings.Contains(got, log) {
			t.Errorf("it holds %q", got)
		}
	}
}

func TestOpenOfNothing(t *testing.T) {
	_, err := Open(filepath.Join(t.TempDir(), "gone.zip"))
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(),
		"there is no file or folder ") {
		t.Errorf("the error is %v", err)
	}
	// Such a name is not found here, and not legal on Windows.
	if _, err = Open(filepath.Join(t.TempDir(), "gone\x1b[2J.zip")); err == nil ||
		strings.Contains(err.Error(), "\x1b") {
		t.Errorf("the error %q would reach the terminal with its control characters", err)
	}
}

func TestOpenOfADevice(t *testing.T) {
	if _, err := Open(os.DevNull); err == nil {
		t.Errorf("%s was opened", os.DevNull)
	}
}

func TestCloseTwiceAndReadAfterwards(t *testing.T) {
	for name, path := range map[string]string{
		"a folder": makeFolder(t, recorded[0]),
		"a zip":    save(t, makeZip(t, recorded[0])),
		"a tar":    save(t, makeTar(t, recorded[0])),
		"a tar.gz": save(t, makeGzip(t, makeTar(t, recorded[0]))),
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			t.Setenv("TMP", os.Getenv("TMPDIR"))
			a, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(a.Close(), a.Close()); err != nil {
				t.Errorf("closing: %v", err)
			}
			if content, err := fs.ReadFile(a.FS(), "meta.json"); err == nil {
				t.Errorf("a closed archive gave %q", content)
			}
			if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
				t.Errorf("%s was left behind", left[0].Name())
			}
		})
	}
}
