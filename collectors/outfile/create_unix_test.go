//go:build unix

package outfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestOnlyTheOwnerCanRead(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	name := filepath.Join(t.TempDir(), "out")
	writeFile(t, name, "old")
	if err := Write(name, []byte("new"), Options{Force: true}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestAFolderIsClosedToOthers(t *testing.T) {
	for _, was := range []fs.FileMode{0, 0o777} { // 0: there is none
		name := filepath.Join(t.TempDir(), "a", "ring")
		if was != 0 {
			if err := os.MkdirAll(name, was); err != nil {
				t.Fatal(err)
			}
		}
		if err := Folder(name); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
}

func TestDevicesAndPipesStay(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{fifo, os.DevNull, dir} {
		name := filepath.Join(dir, "link-to-"+filepath.Base(to))
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{fifo, os.DevNull, "/dev/stdout",
		filepath.Join(dir, "link-to-fifo"),
		filepath.Join(dir, "link-to-null"), filepath.Join(dir, "link-to-"+filepath.Base(dir))} {
		before, err := os.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := Write(name, []byte("new"), Options{Force: true}); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: the error is %v", name, err)
		}
		if after, err := os.Lstat(name); err != nil ||
			after.Mode().Type() != before.Mode().Type() ||
			!os.SameFile(before, after) {
			t.Errorf("%s was %v and is %v, %v", name, before.Mode(), after, err)
		}
	}
	if info, err := os.Lstat(fifo); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v, %v", info, err)
	}
}
