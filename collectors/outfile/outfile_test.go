package outfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func wantContent(t *testing.T, name, want string) {
	t.Helper()
	if content, err := os.ReadFile(name); err != nil || string(content) != want {
		t.Errorf("%s holds %q, %v; want %q", name, content, err, want)
	}
}

// files are the names in a folder.
func files(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestNothingIsReplacedUnasked(t *testing.T) {
	for _, row := range []struct {
		name string
		make func(t *testing.T, folder string) // makes "out" what it is
		o    Options                           // names are below the folder
		want string                            // in the error; "" where the file is written
	}{
		{"a new file is written", func(*testing.T, string) {}, Options{}, ""},
		{"a file that exists stays", func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "out"), "old")
		}, Options{}, "exists; name another file, or replace it with --force"},
		{"a file that exists is replaced on demand", func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "out"), "old")
		}, Options{Force: true}, ""},
		{"an input stays", func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "out"), "old")
		}, Options{Force: true, Inputs: []string{"out"}}, "is an input of this run"},
		{"a link to an input stays", func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "in"), "old")
			link(t, os.Symlink("in", filepath.Join(dir, "out")))
		}, Options{Force: true, Inputs: []string{"in"}}, "is an input of this run"},
		{"a hard link to an input stays", func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "in"), "old")
			link(t, os.Link(filepath.Join(dir, "in"), filepath.Join(dir, "out")))
		}, Options{Force: true, Inputs: []string{"in"}}, "is an input of this run"},
		{"a hard link to a file in a folder that is read stays", func(t *testing.T, dir string) {
			if err := os.Mkdir(filepath.Join(dir, "in"), 0o755); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(dir, "in", "meta.json"), "old")
			link(t, os.Link(filepath.Join(dir, "in", "meta.json"), filepath.Join(dir, "out")))
		}, Options{Force: true, Inputs: []string{"in"}}, "is an input of this run"},
		{"a link stays", func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "other"), "old")
			link(t, os.Symlink("other", filepath.Join(dir, "out")))
		}, Options{Force: true}, "is a link"},
		{"a link to nothing stays", func(t *testing.T, dir string) {
			link(t, os.Symlink("nothing", filepath.Join(dir, "out")))
		}, Options{Force: true}, "is a link"},
		{"a folder stays", func(t *testing.T, dir string) {
			if err := os.Mkdir(filepath.Join(dir, "out"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, Options{Force: true}, "is a folder; name a file in it"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			row.make(t, dir)
			for i, input := range row.o.Inputs {
				row.o.Inputs[i] = filepath.Join(dir, input)
			}
			out := filepath.Join(dir, "out")
			before, held := files(t, dir), readLink(out)
			err := Write(out, []byte("new"), row.o)
			if row.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				wantContent(t, out, "new")
				if left := files(t, dir); len(left) != 1 {
					t.Errorf("the folder holds %v", left)
				}
				return
			}
			if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), row.want) {
				t.Errorf("the error is %v, want %q", err, row.want)
			}
			if left := files(t, dir); len(left) != len(before) || readLink(out) != held {
				t.Errorf("the folder holds %v, and held %v", left, before)
			}
			if content, err := os.ReadFile(out); err == nil && string(content) != "old" {
				t.Errorf("the file holds %q", content)
			}
		})
	}
}

// readLink is where a link leads, "" for anything else.
func readLink(name string) string {
	to, _ := os.Readlink(name)
	return to
}

// link ends a test on a system that makes no links for this user.
func link(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Skip("no links here: ", err)
	}
}

func TestOpenStreamIsAnInput(t *testing.T) {
	name := filepath.Join(t.TempDir(), "in")
	writeFile(t, name, "old")
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := Check(name, Options{Force: true, Streams: []*os.File{f}}); err == nil ||
		!strings.Contains(err.Error(), "is an input") {
		t.Errorf("the error is %v", err)
	}
}

func TestWhatAppearsMeanwhileStays(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	f, err := Create(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, name, "somebody else's")
	if err := f.Commit(); !errors.Is(err, ErrRefused) {
		t.Errorf("the error is %v", err)
	}
	f.Discard()
	wantContent(t, name, "somebody else's")
	// the rename itself refuses too, for what appears after the last look
	writeFile(t, filepath.Join(dir, "from"), "new")
	if err := renameNew(filepath.Join(dir, "from"), name); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the error is %v", err)
	}
	wantContent(t, name, "somebody else's")
}

func TestDiscardedFileLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(filepath.Join(dir, "out"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.Discard()
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("the folder holds %v", left)
	}
}

func TestNameNobodyCanWriteTo(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "file"), "old")
	for _, row := range []struct{ name, want string }{
		{filepath.Join(dir, "no", "such", "out"), "there is no folder " +
			filepath.Join(dir, "no", "such")},
		{"", "not the name of a file"},
		{filepath.Join(dir, "folder") + string(filepath.Separator), "not the name of a file"},
		{filepath.Join(dir, "file", "out"), "cannot be written"},
	} {
		if err := Check(row.name, Options{}); err == nil || !strings.Contains(err.Error(),
			row.want) {
			t.Errorf("%s: the error is %v", row.name, err)
		}
	}
}

// TestForgottenPartsGo: only those of this very file, and only old ones.
func TestForgottenPartsGo(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{"[o]ut.a.partial": 2 * time.Hour,
		"[o]ut.b.partial": 0, "out.c.partial": 2 * time.Hour, "[o]ut.notes": 2 * time.Hour} {
		writeFile(t, filepath.Join(dir, name), "")
		at := time.Now().Add(-age)
		if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(filepath.Join(dir, "[o]ut"), nil, Options{}); err != nil {
		t.Fatal(err)
	}
	want := "[o]ut [o]ut.b.partial [o]ut.notes out.c.partial"
	if got := strings.Join(files(t, dir), " "); got != want {
		t.Errorf("the folder holds %s, want %s", got, want)
	}
}

func TestPrivateRightsNameTheUserAndAdministratorsOnly(t *testing.T) {
	const want = "D:P(A;;FA;;;BA)(A;;FA;;;S-1-5-21-1-2-3-1001)"
	if got := privateRights("S-1-5-21-1-2-3-1001"); got != want {
		t.Errorf("the rights are %s, want %s", got, want)
	}
}
