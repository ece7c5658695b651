package bundle

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skipf("no links here: %v", err) // Windows without developer mode
	}
}

func TestFolderLinks(t *testing.T) {
	outside := makeFolder(t, member{name: "secret", content: "password"})
	dir := makeFolder(t, member{name: "pods/0.log", content: "log"})
	link(t, "pods/0.log", filepath.Join(dir, "inside.log"))
	link(t, "../"+filepath.Base(outside)+"/secret", filepath.Join(dir, "leaves"))
	link(t, filepath.Join(outside, "secret"), filepath.Join(dir, "leaves-absolute"))
	link(t, outside, filepath.Join(dir, "leaves-folder"))
	link(t, "pods", filepath.Join(dir, "loop"))
	link(t, ".", filepath.Join(dir, "pods", "up"))
	link(t, "gone", filepath.Join(dir, "dangling"))

	a := mustOpen(t, dir, standard)
	if got := contents(t, a); got != "inside.log=log pods/0.log=log" {
		t.Errorf("it holds %q", got)
	}
	checkRefusals(t, a, []string{"dangling: a link to nothing",
		"leaves: a link that is not followed", "leaves-absolute: a link that is not followed",
		"leaves-folder: a link that is not followed", "loop: a link to a folder is not followed",
		"pods/up: a link to a folder is not followed"})
	if err := fstest.TestFS(a.FS(), "inside.log", "pods/0.log"); err != nil {
		t.Error(err)
	}
}

// A link that turns up after Open must lead nowhere either.
func TestFolderLinkMadeLater(t *testing.T) {
	outside := makeFolder(t, member{name: "secret", content: "password"})
	dir := makeFolder(t, member{name: "a/secret", content: "mine"})
	a := mustOpen(t, dir, standard)
	if err := os.RemoveAll(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	link(t, outside, filepath.Join(dir, "a"))
	if content, err := fs.ReadFile(a.FS(), "a/secret"); err == nil {
		t.Errorf("the link was followed, to %q", content)
	}
}

func TestFolderWithBackslashesInNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a name cannot hold a backslash here")
	}
	dir := makeFolder(t, member{name: `system\network\ip.txt`, content: "ip"},
		member{name: `system\`}, member{name: "a\nb", content: "x"},
		member{name: `C:\k\y`, content: "y"}, member{name: `dir\sub/z`, content: "z"},
		member{name: "in.zip"})
	a := mustOpen(t, dir, standard)
	if got := contents(t, a); got != "dir/sub/z=z system/network/ip.txt=ip" {
		t.Errorf("it holds %q", got)
	}
	checkRefusals(t, a, []string{`C:\k\y: its name begins with a drive`,
		"a?b: its name holds control characters",
		"in.zip: an archive inside the folder is not opened; extract it and pass it to doctor"})
}

// Windows cannot have made such a folder; what it stands for there is one name.
func TestFolderWithNamesThatDifferInCase(t *testing.T) {
	dir := makeFolder(t, member{name: "K/x", content: "1"}, member{name: "k/y", content: "2"},
		member{name: "k/X", content: "3"})
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Skip("the file system takes them for one")
	}
	a := mustOpen(t, dir, standard)
	if got := contents(t, a); got != "K/X=3 K/y=2" {
		t.Errorf("it holds %q", got)
	}
	checkRefusals(t, a,
		[]string{"K/x: a second entry of this name, which came before it as X; the first is kept"})
}

func TestFolderThatCannotBeListed(t *testing.T) {
	if asNobody(t) {
		return
	}
	dir := makeFolder(t, member{name: "closed/a"}, member{name: "open/b", content: "1"})
	closed := filepath.Join(dir, "closed")
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(closed, 0o755) })
	if _, err := os.ReadDir(closed); err == nil {
		t.Skip("this user may read everything")
	}
	a := mustOpen(t, dir, standard)
	checkRefusals(t, a, []string{"closed: the folder cannot be listed: permission denied"})
	if got := contents(t, a); got != "open/b=1" {
		t.Errorf("it holds %q", got)
	}
}

func TestFolderTooDeep(t *testing.T) {
	dir := makeFolder(t, member{name: strings.Repeat("d/", maxDepth+5) + "x"},
		member{name: "a", content: "1"})
	a := mustOpen(t, dir, standard)
	if got := contents(t, a); got != "a=1" {
		t.Errorf("it holds %q", got)
	}
	if got := refusals(a); !strings.Contains(got, "it lies more than 64 folders deep") {
		t.Errorf("left out %q", got)
	}
}

func TestFolderOfNothingIsATree(t *testing.T) {
	a := mustOpen(t, t.TempDir(), standard)
	if err := fstest.TestFS(a.FS()); err != nil {
		t.Error(err)
	}
}
