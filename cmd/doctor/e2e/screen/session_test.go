package screen_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"doctor/fixtures/program"
	"doctor/fixtures/term"
	"doctor/fixtures/wine"
)

// A walkthrough is one screen of the program: which keys lead there from the overview,
// what must be on it, and which keys lead back. The sessions on Linux and under
// Wine go through all of them, and each one that has a picture is in the README.
type walkthrough struct {
	name string
	// of a picture in another language, beside the demo; sessions leave the row to the pictures
	args    []string
	keys    []string // as tmux names them; fileKey types the path of a bundle
	shows   []string // all of these
	back    []string
	picture string // what is said of it to those who cannot see it; "" for none
}

// fileKey stands for the name of the bundle that a session writes.
const fileKey = "FILE"

// walks are for a node whose HNS lacks the pod network: the demo hns-network-missing,
// and the staged node network-missing.
var walks = []walkthrough{
	{name: "overview", shows: []string{"HNS network of the pods", "Checks", "1 cause"},
		picture: "The overview: the node, the cause, and all checks by category"},
	{name: "symptom", keys: []string{"s"}, shows: []string{"ContainerCreating"},
		back:    []string{"q"},
		picture: "The symptoms: questions to begin with"},
	{name: "symptom-answer", keys: []string{"s", "Enter"},
		shows: []string{"HNS network of the pods"}, back: []string{"q", "q"},
		picture: "One symptom: the checks that bear on it, and the answer"},
	{name: "detail", keys: []string{"Enter"}, shows: []string{"HNS network",
		"hns-networks.json"}, back: []string{"Escape"},
		picture: "A fault in detail: what was found, where, and what fixes it"},
	{name: "evidence", keys: []string{"e"}, shows: []string{"evidence", " gaps"},
		back:    []string{"q"},
		picture: "The evidence: every file that is known of the node"},
	{name: "timeline", keys: []string{"t"}, shows: []string{"Timeline", "this was recorded"},
		back:    []string{"q"},
		picture: "The timeline: what happened when, with the first bad minute marked"},
	{name: "errors", keys: []string{"u"}, shows: []string{"Errors that no check explains"},
		back: []string{"q"}},
	{name: "bundle", keys: []string{"b", "C-u", fileKey, "Enter"},
		shows:   []string{"the bundle is written", "Secrets replaced", "issue.md"},
		back:    []string{"q"},
		picture: "A bundle is written: where, how large, and what was taken out"},
	{name: "overview-zh", args: []string{"--lang", "zh"}, shows: []string{"HNS 网络", "检查项",
		"1 个根因"},
		picture: "The overview in Chinese: the node, the cause, and all checks by category"},
	{name: "help", keys: []string{"?"}, shows: []string{"What you can do", "by symptom"},
		back: []string{"q"}},
	{name: "search", keys: []string{"e", "/", "c", "b", "r", "0", "Enter"},
		shows: []string{"/cbr0", "found in"}, back: []string{"Escape", "q"}},
	{name: "palette", keys: []string{":", "t", "i", "m", "e", "Enter"},
		shows: []string{"Timeline"}, back: []string{"q"}},
}

// follow goes from the overview to the screen and waits until it is there.
func (w walkthrough) follow(s *term.Terminal, file string) (string, error) {
	for _, k := range w.keys {
		before := s.Text()
		if k == fileKey {
			s.Type(file)
		} else {
			s.Press(k)
		}
		if _, err := s.Await("an answer to "+k, func(text string) bool {
			return text != before
		}); err != nil {
			return "", err
		}
	}
	return s.Await(strings.Join(w.shows, " and "), w.isShown)
}

func (w walkthrough) isShown(text string) bool {
	for _, want := range w.shows {
		if !strings.Contains(text, want) {
			return false
		}
	}
	return true
}

// walkThrough goes through all screens, and leaves with Q.
func walkThrough(t *testing.T, s *term.Terminal, file string) {
	t.Helper()
	s.Wait("a verdict of everything", done)
	for _, w := range walks {
		if w.args != nil {
			continue
		}
		on := t.Run(w.name, func(t *testing.T) {
			if _, err := w.follow(s, file); err != nil {
				t.Fatal(err)
			}
			for _, k := range w.back {
				before := s.Text()
				s.Press(k)
				if _, err := s.Await("the way back by "+k, func(text string) bool {
					return text != before
				}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.Await("the overview again", walks[0].isShown); err != nil {
				t.Fatal(err)
			}
		})
		if !on { // the next one begins at the overview
			return
		}
	}
	s.Press("Q")
	text, _ := s.Wait("what runs after", func(text string) bool {
		return strings.Contains(text, term.After+" 3")
	})
	if !strings.Contains(text, "fix first:") {
		t.Errorf("Q leaves no report on the terminal:\n%s", text)
	}
	if s.Mode("alternate_on") != "0" || s.Mode("cursor_flag") != "1" ||
		s.Mode("mouse_any_flag") != "0" {
		t.Errorf("the terminal is left with alternate screen %s, cursor %s, mouse %s",
			s.Mode("alternate_on"), s.Mode("cursor_flag"), s.Mode("mouse_any_flag"))
	}
}

func TestSession(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program; run `make test`")
	}
	term.Require(t)
	exe := program.Build(t)
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		file := filepath.Join(t.TempDir(), "b.zip")
		s := term.Start(t, folder(t), size[0], size[1], term.Environ(),
			[]string{exe, "--demo", "hns-network-missing"})
		walkThrough(t, s, file)
		if r := program.Run(t, exe, "--from", file); !strings.Contains(r.Stdout,
			"hns-network-missing") {
			t.Errorf("the bundle that was written on the screen says:\n%s%s", r.Stdout, r.Stderr)
		}
	}
}

// TestNobodyIsAtTheTerminal: a build server, and a terminal of which nothing is known, get text.
func TestNobodyIsAtTheTerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program; run `make test`")
	}
	term.Require(t)
	exe := program.Build(t)
	for _, set := range []string{"CI=true", "TERM="} {
		t.Run(set, func(t *testing.T) {
			s := term.Start(t, folder(t), 80, 24, term.Environ(),
				[]string{"env", set, exe, "--demo", "hns-network-missing"})
			text, _ := s.Wait("the end of the report", func(text string) bool {
				return strings.Contains(text, term.After+" 3")
			})
			if !strings.Contains(text, "fix first:") || s.Mode("alternate_on") != "0" {
				t.Errorf("no report stands on the terminal:\n%s", text)
			}
		})
	}
}

func TestWineSession(t *testing.T) {
	wine.Require(t)
	n := wine.Start(t, networkMissing(t), program.BuildFor(t, "windows", "amd64"))
	s := n.Screen(100, 30, wine.CodePageUTF8, "--passive", "--timeout=5m", "--skip",
		"vethernet-missing")
	walkThrough(t, s, `C:\session.zip`)
}

// TestWineAccessible is a session without a screen, at a console of Windows.
func TestWineAccessible(t *testing.T) {
	wine.Require(t)
	n := wine.Start(t, networkMissing(t), program.BuildFor(t, "windows", "amd64"))
	s := n.Screen(100, 50, wine.CodePage437, "--passive", "--timeout=5m", "--skip",
		"vethernet-missing", "--accessible")
	s.Wait("the choices", func(text string) bool {
		return strings.Contains(text, "Type a number for details")
	})
	s.Type("hns-network-missing")
	s.Press("Enter")
	s.Wait("the details", func(text string) bool {
		return strings.Contains(text, "Id hns-network-missing")
	})
	if s.Mode("alternate_on") != "0" {
		t.Error("it took the alternate screen")
	}
	s.Type("q")
	s.Press("Enter")
	s.Wait("what runs after", func(text string) bool {
		return strings.Contains(text, term.After+" 3")
	})
}

// folder is for a socket, whose path must be short.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "term")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

var screens = flag.Bool("screens", false, "write the pictures of the README")

// root is the repository, seen from this package's folder.
const root = "../../../.."

// The pictures show a terminal of this size.
const pictureWidth, pictureHeight = 100, 30

var pictures = filepath.Join(root, "ui", "tui", "testdata", "screens")

func TestTheReadmeShowsEachScreen(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range walks {
		file := "ui/tui/testdata/screens/" + w.name + ".svg"
		if w.picture != "" && !strings.Contains(string(readme), "]("+file+")") {
			t.Errorf("the README does not show %s", file)
		}
	}
}

// TestScreens holds the pictures of the README to the program: each is drawn again, in a session of
// its own, so that none depends on another. With -screens it writes them.
func TestScreens(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program; run `make test`")
	}
	term.Require(t)
	exe := program.Build(t)
	for _, w := range walks {
		if w.picture == "" {
			continue
		}
		t.Run(w.name, func(t *testing.T) {
			file := filepath.Join(pictures, w.name+".svg")
			if *screens {
				if err := os.WriteFile(file, []byte(w.drawn(t, exe, nil)), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			was, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := w.compared(string(was))
			got := w.compared(w.drawn(t, exe, func(picture string) bool {
				return w.compared(picture) == want
			}))
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("the program no longer looks like %s.svg; look at it, and `make screens` "+
					"draws it again (-was +is):\n%s", w.name, diff)
			}
		})
	}
}

// drawn is the picture of the screen as soon as it is as expected, or else once it no longer
// changes.
func (w walkthrough) drawn(t *testing.T, exe string, expected func(picture string) bool) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "b.zip")
	s := term.Start(t, folder(t), pictureWidth, pictureHeight, term.Environ(),
		append([]string{exe, "--demo", "hns-network-missing"}, w.args...))
	s.Wait("the overview", done)
	if _, err := w.follow(s, file); err != nil {
		t.Fatal(err)
	}
	for picture, same := "", 0; ; time.Sleep(50 * time.Millisecond) {
		last := picture
		picture = term.SVG(strings.ReplaceAll(s.Styled(), file, "/root/b.zip"), w.picture,
			pictureWidth, pictureHeight)
		if same++; picture != last {
			same = 0
		}
		if expected != nil && expected(picture) || same == unchanged {
			return picture
		}
	}
}

// unchanged is after how many looks, 50 ms apart, a screen is taken for complete.
const unchanged = 20

// compared is a picture without what differs from one run to the next: the size of the bundle.
func (w walkthrough) compared(picture string) string {
	if w.name != "bundle" {
		return picture
	}
	return strings.Join(slices.DeleteFunc(strings.Split(picture, "\n"), func(l string) bool {
		return strings.Contains(l, " KiB, ")
	}), "\n")
}
