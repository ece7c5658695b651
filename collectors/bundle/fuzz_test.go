package bundle

import (
	"archive/tar"
	"bytes"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
)

// tiny limits, so that the fuzzer meets them.
var tiny = limits{entries: 50, declared: 1 << 20, entry: 4 << 10, unpacked: 64 << 10,
	nested: 32 << 10}

// checkAnything holds an archive made of any bytes to what its users rely on.
func checkAnything(t *testing.T, a *Archive, err error) {
	if err != nil {
		if text := err.Error(); strings.ContainsFunc(text, unicode.IsControl) {
			t.Errorf("the error %q holds control characters", text)
		}
		return
	}
	defer a.Close()
	for levels := 0; ; levels++ {
		opened := false
		for _, path := range a.Nested() {
			opened = a.Mount(path) || opened
		}
		if len(a.Nested()) == 0 {
			break
		}
		if !opened || levels > maxLevels {
			t.Fatalf("after %d rounds %q are still to be opened", levels, a.Nested())
		}
	}
	for _, r := range a.Refused() {
		if r.Reason == "" || r.Name != printable(r.Name) {
			t.Errorf("left out %q because %q", r.Name, r.Reason)
		}
	}
	entries, broken := 0, false
	err = fs.WalkDir(a.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		entries++
		if clean, _, reason := cleanName(path); path != "." && (clean != path || reason != "") {
			t.Errorf("the tree holds %q, which cleans to %q (%s)", path, clean, reason)
		}
		if d.IsDir() {
			return nil
		}
		f, err := a.FS().Open(path)
		if err != nil {
			broken = true
			return nil
		}
		defer f.Close()
		n, err := io.Copy(io.Discard, f)
		if n > tiny.entry {
			t.Errorf("%d bytes came out of %s", n, path)
		}
		broken = broken || err != nil
		return nil
	})
	if err != nil || entries > tiny.entries+1 {
		t.Errorf("walking %d entries: %v", entries, err)
	}
	if !broken { // TestFS wants every file to be readable
		if err := fstest.TestFS(a.FS(), anything(a)...); err != nil {
			t.Error(err)
		}
	}
}

// anything names one file or folder, for TestFS takes no name to mean an empty tree.
func anything(a *Archive) (one []string) {
	entries, _ := fs.ReadDir(a.FS(), ".")
	for _, e := range entries[:min(1, len(entries))] {
		one = append(one, e.Name())
	}
	return one
}

func FuzzZip(f *testing.F) {
	whole := makeZip(f, recorded[0], recorded[1], member{name: `b\c`, content: "x"},
		member{name: "../d"}, member{name: "e/"},
		member{name: "in.zip", content: string(makeZip(f, recorded[0], member{name: "../d"}))},
		member{name: "IN.zip"})
	f.Add(whole)
	f.Add(whole[:len(whole)-40])
	f.Add(makeZip(f))
	f.Add(makeZip(f, member{name: "a/in.zip", content: "no archive"}))
	f.Add(forge(forged{name: "a", data: "1", size: 1}, forged{name: "b", data: "2", size: 1,
		local: "c"}, forged{name: "d", data: "1", size: 1, at: 1}))
	f.Add(makeZip(f, member{name: "a/b", content: strings.Repeat("z", 9000)}, member{name: "a"}))
	f.Add(bytes.Replace(whole, []byte("PK\x01\x02\x14\x00\x14\x00\x08\x00\x08\x00"),
		[]byte("PK\x01\x02\x14\x00\x14\x00\x01\x00\x09\x00"), 2))
	f.Fuzz(func(t *testing.T, content []byte) {
		a, err := openArchive("x.zip", bytes.NewReader(content), int64(len(content)), tiny,
			(*index).zip)
		checkAnything(t, a, err)
	})
}

func FuzzTar(f *testing.F) {
	whole := makeTar(f, recorded[0], recorded[1], member{name: `b\c`, content: "x"},
		member{name: "../d"}, member{name: "e/", kind: tar.TypeDir},
		member{name: "l", kind: tar.TypeSymlink}, member{name: strings.Repeat("long/", 40) + "x"})
	f.Add(whole)
	f.Add(whole[:1700])
	f.Add(makeTar(f))
	f.Add(makeTar(f, member{name: "a/b", content: strings.Repeat("z", 9000)}, member{name: "a"}))
	f.Fuzz(func(t *testing.T, content []byte) {
		a, err := openArchive("x.tar", bytes.NewReader(content), int64(len(content)), tiny,
			(*index).tar)
		checkAnything(t, a, err)
	})
}

func FuzzOpen(f *testing.F) {
	plain := makeTar(f, recorded[0], recorded[3],
		member{name: "a.tgz", content: string(makeGzip(f, makeTar(f, recorded[0])))},
		member{name: "b.tar", content: string(makeTar(f, recorded[1]))})
	packed := makeGzip(f, plain)
	f.Add(packed)
	f.Add(packed[:len(packed)-12])
	f.Add(makeXZ(f, plain))
	f.Add(makeZstd(f, plain))
	f.Add(makeBzip2(f, plain))
	f.Add(makeGzip(f, make([]byte, 100<<10)))
	f.Add(plain)
	f.Add([]byte("Rar!\x1a\x07"))
	f.Fuzz(func(t *testing.T, content []byte) {
		a, err := openArchive("x", bytes.NewReader(content), int64(len(content)), tiny,
			(*index).archive)
		checkAnything(t, a, err)
	})
}

func FuzzCleanName(f *testing.F) {
	for _, raw := range []string{"logs/kubelet.log", `system\network\`, "./a//b/", "../x", "/x",
		`\\s\c$`, "C:x", "a\x00", "\xff\xfe", "a/../b", "", ".", "x:/y", "./c:"} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		path, folder, reason := cleanName(raw)
		if (path == "") == (reason == "") {
			t.Fatalf("path %q and reason %q", path, reason)
		}
		if shown := printable(raw); strings.ContainsFunc(shown, func(r rune) bool {
			return !unicode.IsPrint(r)
		}) || len(shown) > maxShown+10 {
			t.Errorf("printable gives %q", shown)
		}
		if reason != "" {
			return
		}
		switch {
		case !fs.ValidPath(path), len(path) > maxPath, isDrive(path), path == "." && !folder,
			strings.Contains(path, `\`), strings.ContainsFunc(path, unicode.IsControl):
			t.Errorf("%q became %q", raw, path)
		}
		if again, _, reason := cleanName(path); again != path || reason != "" {
			t.Errorf("%q cleans to %q, and that to %q (%s)", raw, path, again, reason)
		}
	})
}
