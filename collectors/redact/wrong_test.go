package redact_test

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The innocent corpus is what must not be marked: placeholders, calls, names, flags and identifiers
// beside the words of secrets. A few hundred lines are here; DOCTOR_INNOCENT names a folder with
// checked out public scripts and documents.
var (
	//go:embed testdata/innocent.txt
	innocentLines string
	innocentDir   = os.Getenv("DOCTOR_INNOCENT")

	// Lines of public projects whose marks somebody looked at and found right: they do hold a value
	// that is, or plainly stands for, a secret. By their hash, so that none of them is here.
	//go:embed testdata/right-marks.txt
	rightMarks string
)

// A wrong is a line that was marked and holds no secret.
type wrong struct{ where, line, out string }

const mark = "<secret:"

// wrongOf redacts the lines each with a redactor of its own, or as one file.
func wrongOf(t testing.TB, where, path string, lines []string, apart bool) (marked []wrong) {
	t.Helper()
	if !apart {
		out, err := redacted([]byte(strings.Join(lines, "\n")), path)
		if err != nil {
			t.Fatal(err)
		}
		return differing(where, lines, strings.Split(string(out), "\n"))
	}
	for i, line := range lines {
		out, err := redacted([]byte(line), path)
		if err != nil {
			t.Fatal(err)
		}
		marked = append(marked, differing(fmt.Sprint(where, ":", i+1), []string{line},
			[]string{string(out)})...)
	}
	return marked
}

func differing(where string, before, after []string) (out []wrong) {
	same := len(before) == len(after)
	for i, line := range after {
		n := strings.Count(line, mark)
		if same {
			n -= strings.Count(before[i], mark)
		}
		if n > 0 {
			w := wrong{where: where, out: line}
			if same {
				w.line = before[i]
			}
			out = append(out, w)
		}
	}
	return out
}

// innocentFiles are those that people write by hand. Test data and what is vendored are not: both
// hold keys that were made for tests.
var innocentFiles = []string{".ps1", ".psm1", ".psd1", ".cmd", ".bat", ".sh", ".md", ".yaml", ".yml",
	".xml", ".toml", ".txt", ".conf", ".json", ".tpl", ".go", ".py", ".cs", ".tf"}

func readInnocent(t testing.TB, dir string) (lines int, marked []wrong) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if slices.Contains([]string{"testdata", "vendor", "node_modules", ".git"}, name) {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular(), // a link may lead out of what was checked out
			!slices.Contains(innocentFiles, strings.ToLower(filepath.Ext(name))),
			strings.HasSuffix(name, "_test.go"), name == "package-lock.json":
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil || len(content) > 256<<10 {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		text := strings.Split(strings.ReplaceAll(string(content), "\r\n", "\n"), "\n")
		lines += len(text)
		marked = append(marked, wrongOf(t, rel, "files/C/src/"+filepath.ToSlash(rel), text, false)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines, marked
}

func lineHash(line string) string {
	h := fnv.New64a()
	h.Write([]byte(strings.TrimSpace(line)))
	return fmt.Sprintf("%016x", h.Sum64())
}

// withoutRight leaves those that nobody has found right.
func withoutRight(marked []wrong) []wrong {
	return slices.DeleteFunc(slices.Clone(marked), func(w wrong) bool {
		return w.line != "" && strings.Contains(rightMarks, lineHash(w.line))
	})
}

func innocent() []string { return strings.Split(strings.TrimSpace(innocentLines), "\n") }

// TestNoMoreWrongMarks holds how many lines of the corpus here are marked.
func TestNoMoreWrongMarks(t *testing.T) {
	for _, path := range []string{secretPath, "files/C/k/a.yaml"} {
		got := count{seeded: len(innocent())}
		marked := wrongOf(t, "innocent.txt", path, innocent(), true)
		got.leaked = len(marked)
		if holdsBound(t, "wrong marks in "+filepath.Ext(path), got) {
			continue
		}
		for _, w := range marked {
			t.Errorf("%s: %s\nbecomes %s", w.where, w.line, w.out)
		}
	}
}

// printWrong prints the marks of what is innocent.
func printWrong(t testing.TB) {
	lines := innocent()
	one := wrongOf(t, "innocent.txt", secretPath, lines, false)
	fmt.Printf("innocent lines of ours: %d, marked %d apart and %d in one file\n", len(lines),
		len(wrongOf(t, "innocent.txt", secretPath, lines, true)), len(one))
	if innocentDir == "" {
		fmt.Println("public scripts and documents: not measured; DOCTOR_INNOCENT names no folder")
		return
	}
	n, marked := readInnocent(t, innocentDir)
	bad := withoutRight(marked)
	fmt.Printf("public scripts and documents: %d lines, %d marked, %d of them right, %d wrong: "+
		"%.2f in 10,000 lines\n", n, len(marked), len(marked)-len(bad), len(bad),
		1e4*float64(len(bad))/float64(n))
	if *show == "all" || *show == "innocent" {
		for _, w := range bad {
			fmt.Printf("--- %s %s\n%s\n=>\n%s\n", lineHash(w.line), w.where, w.line, w.out)
		}
	}
}

// TestInnocent prints the marks alone.
func TestInnocent(t *testing.T) {
	if !*all {
		t.Skip("prints; run `make leaks`")
	}
	printWrong(t)
}
