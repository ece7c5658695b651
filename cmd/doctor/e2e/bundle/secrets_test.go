package bundle_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"doctor/fixtures"
	"doctor/fixtures/program"
	"doctor/fixtures/server"
)

// manyFound is how much gitleaks finds at least in what was not redacted; with
// less it would prove nothing.
const manyFound = 60

// TestNoSeedGetsIntoABundle packs a node that is full of secrets, and looks for
// them with means that know nothing of how they are taken out.
func TestNoSeedGetsIntoABundle(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program; run `make test`")
	}
	dir, out := t.TempDir(), t.TempDir()
	program.Unpack(t, "healthy-flannel-hostgw", dir)
	s := plant(t, dir)
	name := filepath.Join(t.TempDir(), "b.zip")
	r := program.Run(t, program.Build(t), "bundle", "--from", dir, name)
	if r.Status != program.Fine {
		t.Fatalf("exit status %d: %s%s", r.Status, r.Stdout, r.Stderr)
	}
	unzip(t, name, out)
	if err := os.WriteFile(filepath.Join(out, "stdout+stderr"), []byte(r.Stdout+r.Stderr),
		0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d seeds in %d files\n%s%s", len(s.seeds), len(s.files), r.Stdout, r.Stderr)
	needles := newNeedles(s.seeds)
	if found := needles.in(t, dir); len(found) != len(s.seeds) {
		t.Errorf("the search finds %d of %d seeds in the folder that holds them all", len(found),
			len(s.seeds))
	}
	survived := needles.in(t, out)
	for _, name := range slices.Sorted(maps.Keys(survived)) {
		report := t.Errorf
		if strings.Contains(name, ":beyond-") {
			report = t.Logf // more than was promised
		}
		report("%s survived:\n\t%s", name, strings.Join(survived[name], "\n\t"))
	}
	s.expectKept(t, out)
	expectOneToken(t, out)
	t.Run("gitleaks", func(t *testing.T) {
		before, after := gitleaks(t, dir), gitleaks(t, out)
		if len(before) < manyFound {
			t.Errorf("gitleaks finds only %d secrets in the folder that is full of them",
				len(before))
		}
		for _, f := range after {
			t.Errorf("gitleaks finds %s", f)
		}
	})
}

// TestGitleaksFindsNothingInTheBundlesOfTheRecordings: no recording holds a
// secret, and no mark looks like one. The healthy nodes and some of the others
// stand for all: they share their files.
func TestGitleaksFindsNothingInTheBundlesOfTheRecordings(t *testing.T) {
	server.Gitleaks.Require(t)
	exe, all, zips := program.Build(t), t.TempDir(), t.TempDir()
	for i, name := range fixtures.Names() {
		if i%8 != 0 && !strings.HasPrefix(name, "healthy-") {
			continue
		}
		file := filepath.Join(zips, name+".zip")
		if r := program.Run(t, exe, "--demo", name, "bundle",
			file); r.Status != program.Fine {
			t.Fatalf("%s: exit status %d: %s%s", name, r.Status, r.Stdout, r.Stderr)
		}
		unzip(t, file, filepath.Join(all, name))
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range gitleaks(t, all) {
		t.Errorf("gitleaks finds %s", f)
	}
}

// expectKept: a bundle that holds nothing has no secrets either.
func (s *seeding) expectKept(t *testing.T, dir string) {
	t.Helper()
	for _, f := range s.files {
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.path)))
		switch {
		case err != nil && f.mayBeLeftOut:
		case err != nil:
			t.Errorf("%s was left out", f.path)
		default:
			for _, word := range f.keep {
				if !bytes.Contains(content, []byte(word)) {
					t.Errorf("%s lost %q, which is no secret", f.path, word)
				}
			}
		}
	}
}

var sameSecret = regexp.MustCompile(`same\d password=(\S+)`)

// expectOneToken: who reads the bundle sees that three files hold the same secret.
func expectOneToken(t *testing.T, dir string) {
	t.Helper()
	tokens := map[string]bool{}
	files := 0
	walk(t, dir, func(path string, content []byte) {
		if m := sameSecret.FindSubmatch(content); m != nil {
			files++
			tokens[string(m[1])] = true
		}
	})
	if len(tokens) != 1 || files < 3 {
		t.Errorf("one secret in three files has the tokens %v in %d files", tokens, files)
	}
}

// needles are the spellings of all seeds by how they begin.
type needles map[string][]needle

type needle struct {
	spelling []byte
	seed     string
}

func newNeedles(seeds []seed) needles {
	n, seen := needles{}, map[string]bool{}
	for _, s := range seeds {
		for _, value := range s.values {
			for _, spelling := range spellings(value) {
				if key := string(spelling); !seen[key] {
					seen[key] = true
					n[key[:8]] = append(n[key[:8]], needle{spelling, s.name})
				}
			}
		}
	}
	return n
}

// in searches all files of a folder, and maps each seed to where it stands.
func (n needles) in(t *testing.T, dir string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	walk(t, dir, func(path string, content []byte) {
		for i := 0; i+8 <= len(content); i++ {
			for _, needle := range n[string(content[i:i+8])] {
				if len(found[needle.seed]) < 2 && bytes.HasPrefix(content[i:], needle.spelling) {
					found[needle.seed] = append(found[needle.seed],
						fmt.Sprintf("%s: %q", path,
							content[max(0, i-60):min(len(content), i+len(needle.spelling)+30)]))
				}
			}
		}
	})
	return found
}

func walk(t *testing.T, dir string, visit func(path string, content []byte)) {
	t.Helper()
	tree := os.DirFS(dir)
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(tree, path)
		visit(path, append([]byte(path+"\n"), content...))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// unzip unpacks a bundle, and beside it what a zip holds that is no file.
func unzip(t *testing.T, name, dir string) {
	t.Helper()
	r, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rest := []byte(r.Comment)
	for _, f := range r.File {
		rest = fmt.Appendf(rest, "\n%s\n%s\n%s", f.Name, f.Comment, f.Extra)
	}
	if err := os.CopyFS(dir, &r.Reader); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "zip-directory"), rest, 0o644); err != nil {
		t.Fatal(err)
	}
}

// gitleaks is what gitleaks finds in a folder.
func gitleaks(t *testing.T, dir string) []string {
	t.Helper()
	exe, report := server.Gitleaks.Require(t), filepath.Join(t.TempDir(), "report.json")
	cmd := exec.Command(exe, "dir", dir, "--no-banner", "--log-level=error", "--max-decode-depth=3",
		"--exit-code=0", "--report-format=json", "--report-path="+report)
	cmd.Dir = t.TempDir() // where no configuration of its own lies
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("gitleaks: %v\n%s", err, out)
	}
	content, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var findings []struct {
		RuleID, File, Match string
		StartLine           int
	}
	if err := json.Unmarshal(content, &findings); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range findings {
		rel, _ := filepath.Rel(dir, f.File)
		out = append(out, fmt.Sprintf("%s in %s:%d: %.200q", f.RuleID, filepath.ToSlash(rel),
			f.StartLine, f.Match))
	}
	slices.Sort(out)
	return out
}
