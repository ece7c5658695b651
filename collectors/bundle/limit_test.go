package bundle

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadingStopsAtTheLimit(t *testing.T) {
	small := standard
	small.entry = 1 << 20
	exact, over := strings.Repeat("x", 1<<20), strings.Repeat("x", 1<<20+1)
	members := []member{{name: "exact", content: exact}, {name: "over", content: over}}
	plain := makeTar(t, members...)
	for name, path := range map[string]string{
		"folder": makeFolder(t, members...),
		"zip":    save(t, makeZip(t, members...)),
		"tar":    save(t, plain),
		"tar.gz": save(t, makeGzip(t, plain)),
	} {
		t.Run(name, func(t *testing.T) {
			a := mustOpen(t, path, small)
			if err := readError(t, a, "exact"); err != nil {
				t.Error(err)
			}
			err := readError(t, a, "over")
			if err == nil || !strings.Contains(err.Error(),
				"it is larger than 1 MiB, the most that doctor reads of one file") {
				t.Errorf("reading gives %v", err)
			}
		})
	}
}

func TestAFileOfAFolderIsReadFromTheMiddleUpToTheLimit(t *testing.T) {
	small := standard
	small.entry = 8
	a := mustOpen(t, makeFolder(t, member{name: "log", content: "0123456789"}), small)
	f, err := a.FS().Open("log")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 4)
	if n, err := f.(io.ReaderAt).ReadAt(b, 2); string(b[:n]) != "2345" || err != nil {
		t.Errorf("the middle is %q, error %v", b[:n], err)
	}
	for off, want := range map[int64]string{6: "67", 8: "", 9: "", 20: ""} {
		if n, err := f.(io.ReaderAt).ReadAt(b, off); string(b[:n]) != want || err == nil {
			t.Errorf("from %d on it is %q, error %v", off, b[:n], err)
		}
	}
}

// The constants themselves, once: a hole in a file costs no disk.
func TestReadingStopsAtOneGiB(t *testing.T) {
	path := filepath.Join(t.TempDir(), "huge.log")
	if err := errors.Join(os.WriteFile(path, nil, 0o644),
		os.Truncate(path, 1<<30+4096)); err != nil {
		t.Fatal(err)
	}
	a := mustOpen(t, filepath.Dir(path), standard)
	if err := readError(t, a, "huge.log"); err == nil || !strings.Contains(err.Error(),
		"larger than 1 GiB") {
		t.Errorf("reading gives %v", err)
	}
}

func TestGzipUnpacksToTheLimitOnly(t *testing.T) {
	small := standard
	small.unpacked = 8 << 10
	content := makeGzip(t, makeTar(t, member{name: "a", content: "1"},
		member{name: "zeros", content: strings.Repeat("\x00", 64<<10)}, member{name: "z"}))
	a := mustOpen(t, save(t, content), small)
	if got := contents(t, a); got != "a=1" {
		t.Errorf("it holds %.40q", got)
	}
	checkRefusals(t, a,
		[]string{"node.bin: it unpacks to more than doctor takes (8 KiB) at byte 8192 of the tar, after zeros", "zeros: the archive is cut short after 6656 of its 65536 bytes"})
}

func TestTooManyEntries(t *testing.T) {
	few := standard
	few.entries = 10
	var flat []member
	for i := range 11 {
		flat = append(flat, member{name: fmt.Sprintf("f%d", i)})
	}
	nested := []member{{name: "a/b/c/d/e/f"}, {name: "g/h/i/j/k/l"}} // 2 files, 10 folders
	for name, members := range map[string][]member{"files": flat,
		"folders that paths imply": nested} {
		plain := makeTar(t, members...)
		for kind, path := range map[string]string{
			"folder": makeFolder(t, members...),
			"zip":    save(t, makeZip(t, members...)),
			"tar":    save(t, plain),
			"tar.gz": save(t, makeGzip(t, plain)),
		} {
			t.Run(name+" in a "+kind, func(t *testing.T) {
				a, err := open(path, few)
				if err == nil {
					a.Close()
					t.Fatal("it was opened")
				}
				if !errors.Is(err, errTooMany) || !strings.Contains(err.Error(),
					"give doctor the recording of one node") {
					t.Errorf("the error is %q", err)
				}
			})
		}
	}
}

// The index would refuse them as well, but only with the whole listing in memory.
func TestFolderListingStopsEarly(t *testing.T) {
	var members []member
	for i := range 5 {
		members = append(members, member{name: fmt.Sprint(i)})
	}
	root, err := os.OpenRoot(makeFolder(t, members...))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if entries, err := readFolder(root, ".", 5); len(entries) != 5 || err != nil {
		t.Errorf("five of five: %d, %v", len(entries), err)
	}
	if entries, err := readFolder(root, ".", 4); !errors.Is(err, errTooMany) {
		t.Errorf("five of four: %d, %v", len(entries), err)
	}
}

func TestRefusalsAreBounded(t *testing.T) {
	members := []member{{name: "a", content: "1"}}
	for range maxRefusals + 5 {
		members = append(members, member{name: "../x"})
	}
	got := mustOpen(t, save(t, makeTar(t, members...)), standard).Refused()
	if last := got[len(got)-1]; len(got) != maxRefusals+1 ||
		last.Reason != "5 further entries were left out" {
		t.Errorf("%d refusals, the last is %v", len(got), last)
	}
}

func TestNamesAreBoundedTogether(t *testing.T) {
	x := newArchive(standard).index("archive")
	var err error
	count := 0
	for ; err == nil && count < 100_000; count++ {
		err = x.add(entry{name: fmt.Sprintf("%0*d", maxPath, count)})
	}
	if !errors.Is(err, errTooMany) || count != maxNames/maxPath+1 {
		t.Errorf("after %d names of %d bytes: %v", count, maxPath, err)
	}
}
