package screen_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"doctor/fixtures/program"
	"doctor/fixtures/wine"
)

var update = flag.Bool("update", false, "write what the screen shows into the goldens")

// moments are what differs between two sessions on the same node.
var moments = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d UTC`)

// done tells that all evidence is read: the header no longer says what is being
// read, but when it was.
func done(text string) bool { return moments.MatchString(text) }

// readAgain tells of the line below that sums up a second reading. That the node is being read shows for
// less than a second, which a busy machine may pass over.
func readAgain(text string) bool {
	return done(text) && (strings.Contains(text, "read again: ") || strings.Contains(text, "已重读："))
}

// TestWineScreen is a session at the console of a node: the screen comes up,
// fills while the node is read, answers to keys, reads again, and gives the
// console back.
func TestWineScreen(t *testing.T) {
	wine.Require(t)
	exe := program.BuildFor(t, "windows", "amd64")
	for _, c := range []struct {
		name     string
		golden   string
		codePage int
		keys     []string
		args     []string
	}{
		{"a console in UTF-8", "screen", wine.CodePageUTF8, nil, nil},
		{"a console as it is set up in America shows the same", "screen-second-cause",
			wine.CodePage437, []string{"Down", "Down"}, nil},
		{"a Chinese console shows Chinese", "screen-gbk", wine.CodePageGBK, nil,
			[]string{"--lang", "zh"}},
		{"a console with a font of nothing but ASCII", "screen-ascii", wine.CodePage437,
			[]string{"Down", "Down"}, []string{"--ascii"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n := wine.Start(t, networkMissing(t), exe)
			start := n.Run("version").Wall
			// the disk and the memory are those of the machine under Wine
			s := n.Screen(100, 30, c.codePage, append([]string{"--passive", "--timeout=5m",
				"--skip", "vethernet-missing,node-under-pressure"}, c.args...)...)
			_, frame := s.Wait("a first frame", func(text string) bool {
				return strings.Contains(text, "Checks") || strings.Contains(text, "检查项")
			})
			_, took := s.Wait("a verdict of everything", done)
			t.Logf("first frame after %v, everything read after %v; of this, %v is the start of Wine and of any program in it",
				frame.Round(time.Millisecond), took.Round(time.Millisecond),
				start.Round(time.Millisecond))
			for _, key := range c.keys {
				before := s.Text()
				s.Press(key)
				s.Wait("an answer to "+key, func(text string) bool { return text != before })
			}
			compareScreen(t, c.golden, s.Text())

			s.Press("r")
			s.Wait("a second verdict", readAgain)
			if s.Mode("alternate_on") != "1" {
				t.Error("the screen is not drawn on the terminal's alternate one")
			}
			s.Press("q")
			s.Wait("what runs after", func(text string) bool {
				return strings.HasPrefix(text, wine.After+" 3")
			})
			if s.Mode("alternate_on") != "0" || s.Mode("cursor_flag") != "1" ||
				s.Mode("mouse_any_flag") != "0" {
				t.Errorf("the terminal is left with alternate screen %s, cursor %s, mouse %s",
					s.Mode("alternate_on"), s.Mode("cursor_flag"), s.Mode("mouse_any_flag"))
			}
		})
	}
}

// networkMissing is the staged node of the sessions.
func networkMissing(t testing.TB) wine.Fixture {
	t.Helper()
	f, err := wine.Read(os.DirFS("../windows/testdata"), "network-missing")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// compareScreen holds the header, the causes and the open finding to a golden.
// What is below, the list of all checks and their numbers, changes with each check that is added.
func compareScreen(t *testing.T, name, text string) {
	t.Helper()
	var kept strings.Builder
	for i, line := range strings.Split(moments.ReplaceAllString(text, "2026-11-20 10:02 UTC"),
		"\n") {
		left, right, split := strings.Cut(line, "│")
		if !split {
			left, right, split = strings.Cut(line, " | ")
		}
		switch {
		case i < 7 || strings.HasPrefix(strings.TrimSpace(left), "Checks"):
			kept.WriteString(strings.TrimRight(line, " ") + "\n")
		case split:
			kept.WriteString(strings.Repeat(" ", 48) + "|" + strings.TrimRight(right, " ") + "\n")
		}
	}
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(kept.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if kept.String() != string(want) {
		t.Errorf("the screen differs from %s; -update rewrites it\n%s\nwhole:\n%s", path,
			kept.String(), text)
	}
}
