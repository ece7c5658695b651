package windows_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"doctor/fixtures/server"
	"doctor/fixtures/wine"
)

// failUnderWine are the tests that Wine 8 or the bed fails, with the reason. The list can only get
// shorter: what passes must leave it.
var failUnderWine = map[string]string{
	"collectors/bundle TestFolderLinks":                "Wine 8 makes no symbolic links",
	"collectors/outfile TestNothingIsReplacedUnasked":  "Wine 8 makes no symbolic links",
	"cmd/doctor TestLanguage":                          "into a file of code page 437 doctor writes English",
	"cmd/doctor TestTheReadmesExamplesAreTrue":         "into a file of code page 437 doctor writes ASCII",
	"cmd/doctor TestPackagesStayOnTheirSideOfTheFence": "the bed has no go command",
	"cmd/doctor TestEveryPackageSaysWhatItIsFor":       "the bed has no go command",
	"ui TestSchemaIsThatOfTheComparison":               "the generator looks for comments below paths with slashes",
	"ui TestSchemaIsThatOfTheFleet":                    "the generator looks for comments below paths with slashes",
	"ui TestSchemaIsThatOfTheReport":                   "the generator looks for comments below paths with slashes",
	"ui/tui TestGoldenDiff":                            "help offers no ctrl+z on Windows, which has no job control",
	"ui/tui TestGoldenScreens":                         "help offers no ctrl+z on Windows, which has no job control",
	"ui/tui TestGoldenLiveScreens":                     "help offers no ctrl+z on Windows, which has no job control",
	"ui/tui TestGoldenScreensInChinese":                "help offers no ctrl+z on Windows, which has no job control",
}

// notUnderWine are the tests that are not started there, since they would wait until their time is
// over or depend on chance, with the reason.
var notUnderWine = map[string]string{
	"TestServersOfEveryKind/(answers_over_TCP_only|is_not_there)": "Wine reports no ICMP refusal to a UDP socket",
	"TestConnections/a_connection_that_is_reset":                  "Wine now and then reports a reset as the end of the stream",
}

// TestWinePackages runs the tests of all packages as Windows programs.
func TestWinePackages(t *testing.T) {
	wine.Require(t)
	root, err := server.Root()
	if err != nil {
		t.Fatal(err)
	}
	overlay := wineOverlay(t)
	n := wine.Start(t, wineFixture(t, "healthy"), overlay) // which is no program, and is not started
	copySources(t, root, n.Path("src"))
	cmd := exec.Command("go", "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}", "./...")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS=windows")
	listed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	passed, failed := 0, map[string]bool{}
	for dir := range strings.Lines(string(listed)) {
		rel, err := filepath.Rel(root, strings.TrimSpace(dir))
		if err != nil || strings.HasPrefix(rel, "fixtures") || strings.Contains(rel, "e2e") {
			continue // servers and terminals of Linux
		}
		rel = filepath.ToSlash(rel)
		t.Run(rel, func(t *testing.T) {
			build := exec.Command("go", "test", "-c", "-vet=off", "-ldflags", "-s -w", "-overlay", overlay,
				"-o", n.Path("test.exe"), "./"+rel)
			build.Dir, build.Env = root, append(os.Environ(), "GOOS=windows", "GOARCH=amd64")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			run := func() (said string, status int, ended bool) {
				r := n.RunIn("src/"+rel, `C:\test.exe`, "-test.v", "-test.short", "-test.skip",
					strings.Join(slices.Collect(maps.Keys(notUnderWine)), "|"))
				said = strings.ReplaceAll(r.Stdout+r.Stderr, "\r\n", "\n")
				return said, r.Status, strings.HasSuffix(said, "PASS\n") || strings.HasSuffix(said, "FAIL\n")
			}
			said, status, ended := run()
			// Wine 8 itself ends a program by an access violation now and then. Go's runtime would print
			// where that was: a program that ends without a word is started once more.
			if !ended && !strings.Contains(said, "\ngoroutine ") {
				t.Logf("Wine ended it with status %d:\n%s", status, tail(said))
				said, status, ended = run()
			}
			for _, m := range outcomes.FindAllStringSubmatch(said, -1) {
				if m[1] == "PASS" {
					passed++
					continue
				}
				name := rel + " " + m[2]
				if failed[name] = true; failUnderWine[name] == "" {
					t.Errorf("%s fails as a Windows program:\n%s", m[2], about(said, m[2]))
				}
			}
			if !ended {
				t.Errorf("it did not come to its end: exit status %d\n%s", status, tail(said))
			}
		})
	}
	for _, name := range slices.Sorted(maps.Keys(failUnderWine)) {
		if !failed[name] {
			t.Errorf("%s passes: take it from the list of what fails under Wine", name)
		}
	}
	if t.Logf("%d tests pass, %d fail as listed", passed, len(failed)); passed < 1000 {
		t.Errorf("only %d tests ran", passed)
	}
}

var outcomes = regexp.MustCompile(`(?m)^--- (PASS|FAIL): (\w+) `)

// about is what a test said of itself.
func about(said, name string) string {
	_, after, _ := strings.Cut(said, "=== RUN   "+name+"\n")
	before, _, _ := strings.Cut(after, "--- FAIL: "+name+" ")
	return tail(before)
}

func tail(s string) string { return s[max(0, len(s)-4000):] }

// wineOverlay makes the file for -overlay that lets Go's own library run under Wine 8, which knows
// neither a control of UDP sockets nor a way to delete files that Windows has since 2016. The
// library's files are those of the toolchain, each with one line of another kind. The program that
// users get is never built so.
func wineOverlay(t *testing.T) string {
	t.Helper()
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	replace := map[string]string{}
	for _, change := range []struct{ file, after, old, new string }{
		{"net/fd_windows.go", "case \"udp\"", "err = syscall.WSAIoctl(fd.pfd.Sysfd, windows.SIO_UDP_NETRESET",
			"_ = syscall.WSAIoctl(fd.pfd.Sysfd, windows.SIO_UDP_NETRESET"},
		{"internal/syscall/windows/at_windows.go", "FileDispositionInformationEx,\n\t)",
			"return err.(NTStatus).Errno()", "return deleteatFallback(h)"},
	} {
		path := filepath.Join(strings.TrimSpace(string(goroot)), "src", filepath.FromSlash(change.file))
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before, after, found := strings.Cut(string(content), change.after)
		changed := strings.Replace(after, change.old, change.new, 1)
		if !found || changed == after {
			t.Fatalf("this toolchain's %s is not as expected: look there for what Wine refuses", change.file)
		}
		own := filepath.Join(dir, filepath.Base(path))
		if err := os.WriteFile(own, []byte(before+change.after+changed), 0o644); err != nil {
			t.Fatal(err)
		}
		replace[path] = own
	}
	content, err := json.Marshal(map[string]any{"Replace": replace})
	overlay := filepath.Join(dir, "overlay.json")
	if err := errors.Join(err, os.WriteFile(overlay, content, 0o644)); err != nil {
		t.Fatal(err)
	}
	return overlay
}

// copySources gives the node the module: tests read their recordings, and some the sources.
func copySources(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch target := filepath.Join(to, rel); {
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "bin"):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case d.Type().IsRegular():
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(target, content, 0o644)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
