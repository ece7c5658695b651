package bundle

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	memtree "doctor/collectors/tree"
)

func TestNamesAtTheEdgeOfWhatIsTaken(t *testing.T) {
	for _, row := range []struct{ name, raw, path, reason string }{
		{"the first drive", "a:x", "", "drive letter"},
		{"the last drive", `Z:\x`, "", "drive letter"},
		{"what comes before the letters is no drive", "`:x", "`:x", ""},
		{"what comes behind the letters is no drive", "{:x", "{:x", ""},
		{"a letter alone is a name", "c", "c", ""},
		{"the longest path", strings.Repeat("a", maxPath), strings.Repeat("a", maxPath), ""},
		{"the longest name that still shrinks to a path", strings.Repeat("./", maxPath-1) + "ab",
			"ab", ""},
		{"one byte more", strings.Repeat("./", maxPath-1) + "abc", "", "longer than 1024 bytes"},
	} {
		if path, _, reason := cleanName(row.raw); path != row.path || !strings.Contains(reason,
			row.reason) || row.reason == "" && reason != "" {
			t.Errorf("%s: %.20q, %q", row.name, path, reason)
		}
	}
}

func TestAFolderOfAZipNeedsNoSlash(t *testing.T) {
	folder := zip.FileHeader{Name: "logs"}
	folder.SetMode(fs.ModeDir | 0o755)
	a := mustOpen(t, save(t, rawZip(t, "", folder, zip.FileHeader{Name: "logs/empty"})), standard)
	checkRefusals(t, a, nil)
	if info, err := fs.Stat(a.FS(), "logs"); err != nil || !info.IsDir() {
		t.Errorf("logs is no folder: %v, %v", info, err)
	}
	if got := contents(t, a); got != "logs/empty=" {
		t.Errorf("it holds %q", got)
	}
}

// TestEntriesOfAZipWithoutData: where there is nothing to read, two headers contradict nobody.
func TestEntriesOfAZipWithoutData(t *testing.T) {
	other := forged{name: "other", data: "2", size: 1, sum: 0x1ad5be0d}
	a := mustOpen(t, save(t, forge(other, forged{name: "empty", local: "elsewhere"})), standard)
	checkRefusals(t, a, nil)
	a = mustOpen(t, save(t, forge(other, forged{name: "swells", local: "elsewhere", size: 9})),
		standard)
	checkRefusals(t, a, []string{"swells: the archive's list and the entry itself disagree on " +
		"its name"})
	a = mustOpen(t, save(t, forge(other, forged{name: "unpacks to nothing", local: "elsewhere",
		data: "\x03\x00", method: zip.Deflate})), standard)
	checkRefusals(t, a, []string{"unpacks to nothing: the archive's list and the entry itself " +
		"disagree on its name"})
}

func TestFilesOfAFolderAsTheyAre(t *testing.T) {
	dir := makeFolder(t, member{name: "logs/a.log", content: "12345"}, member{name: "gone.log",
		content: "1"})
	a := mustOpen(t, dir, standard)
	if info, err := fs.Stat(a.FS(), "logs/a.log"); err != nil || info.Size() != 5 ||
		info.Mode() != 0o444 || info.IsDir() {
		t.Errorf("the file is %v, %v", info, err)
	}
	if info, err := fs.Stat(a.FS(), "logs"); err != nil || info.Size() != 0 || !info.IsDir() {
		t.Errorf("the folder is %v, %v", info, err)
	}
	if err := os.Remove(filepath.Join(dir, "gone.log")); err != nil {
		t.Fatal(err)
	}
	if _, err := a.FS().Open("gone.log"); !errors.Is(err, fs.ErrNotExist) ||
		strings.Contains(err.Error(), dir) {
		t.Errorf("a file that is gone: %v", err)
	}
}

func TestWhatIsNoFileOfATree(t *testing.T) {
	a := mustOpen(t, makeFolder(t, member{name: "logs/a.log", content: "1"}), standard)
	tree := a.FS().(interface {
		fs.StatFS
		fs.ReadDirFS
	})
	for _, row := range []struct {
		name string
		err  error
		want error
	}{
		{"a folder is opened by a name that leads upwards", second(tree.Open("../x")),
			fs.ErrInvalid},
		{"a file is looked at by an absolute name", second(tree.Stat("/logs")), fs.ErrInvalid},
		{"what is not there is opened", second(tree.Open("logs/b.log")), fs.ErrNotExist},
		{"the name is in another case", second(tree.Open("LOGS/a.log")), fs.ErrNotExist},
		{"something below a file is opened", second(tree.Open("logs/a.log/x")), fs.ErrNotExist},
		{"a file is listed", second(tree.ReadDir("logs/a.log")), errNoFolder},
		{"what is not there is listed", second(tree.ReadDir("x")), fs.ErrNotExist},
		{"a folder is read", second(fs.ReadFile(a.FS(), "logs")), memtree.ErrFolder},
	} {
		var path *fs.PathError
		if !errors.Is(row.err, row.want) || !errors.As(row.err, &path) {
			t.Errorf("%s: %v, want %v", row.name, row.err, row.want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestAFolderIsListedInPages(t *testing.T) {
	a := mustOpen(t, makeFolder(t, member{name: "a"}, member{name: "b"}, member{name: "c"}),
		standard)
	f, err := a.FS().Open(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := f.(fs.ReadDirFile)
	for _, row := range []struct {
		n    int
		want string
		err  error
	}{{2, "a b", nil}, {2, "c", nil}, {2, "", io.EOF}, {0, "", nil}, {-1, "", nil}} {
		entries, err := dir.ReadDir(row.n)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if got := strings.Join(names, " "); got != row.want || err != row.err {
			t.Errorf("a page of %d: %q, %v, want %q, %v", row.n, got, err, row.want, row.err)
		}
	}
	if again, err := fs.ReadDir(a.FS(), "."); err != nil || len(again) != 3 {
		t.Errorf("listed again: %v, %v", again, err)
	}
}

// TestAMediumThatFailsIsNotCalledAnotherFile: what cannot be read may still be a zip.
func TestAMediumThatFailsIsNotCalledAnotherFile(t *testing.T) {
	content := makeZip(t, member{name: strings.Repeat("a", 500), content: "1"})
	for name, good := range map[string]int64{"at its beginning": 0,
		"behind its beginning": tarBlock} {
		_, err := openArchive("n.zip", failing{content, good}, int64(len(content)), standard,
			(*index).archive)
		if err == nil || err.Error() != "device not ready" {
			t.Errorf("it fails %s: %v", name, err)
		}
	}
}

// failing can be read as far as its good bytes go.
type failing struct {
	content []byte
	good    int64
}

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.good {
		return 0, errors.New("device not ready")
	}
	return copy(p, f.content[off:]), nil
}

func TestAnArchiveThatUnpacksToExactlyTheLimitIsWhole(t *testing.T) {
	plain := makeTar(t, member{name: "a", content: "1"})
	lim := standard
	lim.unpacked = int64(len(plain))
	a := mustOpen(t, save(t, makeGzip(t, plain)), lim)
	checkRefusals(t, a, nil)
	lim.unpacked--
	a = mustOpen(t, save(t, makeGzip(t, plain)), lim)
	checkRefusals(t, a, []string{"node.bin: it unpacks to more than doctor takes"})
}
