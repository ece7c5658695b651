package signs

import (
	"context"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"doctor/checks/evidence"
)

const kubeletLog = "logs/kubelet/k.log"

func TestALogIsWellAfterTenQuietMinutesAndTwoLines(t *testing.T) {
	const trouble = "I1120 06:59:00.0 1 x.go:1] fine\nE1120 07:00:00.000000 1 main.go:1] no " +
		"network here\n"
	const over = "the log went on for 10m0s without an error"
	for _, row := range []struct{ name, rest, over string }{
		{"two lines, the last after ten minutes", "I1120 07:02:00.0 fine\nI1120 07:10:00.0 fine\n",
			over},
		{"two lines, the last a second too early",
			"I1120 07:02:00.0 fine\nI1120 07:09:59.0 fine\n", ""},
		{"one line", "I1120 07:10:00.0 fine\n", ""},
		{"lines without a time behind the last one that has one",
			"I1120 07:01:00.0 fine\nI1120 07:10:00.0 fine\n  and more\n  and more\n", over},
		{"a line of the same text that another check is not meant for",
			"I1120 07:01:00.0 fine\nI1120 07:02:00.0 a dry run: no network here\nI1120 " +
				"07:10:00.0 fine\n", over},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := record(t, map[string]string{kubeletLog: trouble + row.rest},
				evidence.Sign{Check: "c", Text: "no network here", Not: []string{"dry run"}})
			if len(got) != 1 || got[0].Over != row.over {
				t.Errorf("%+v, want one that is over because %q", got, row.over)
			}
		})
	}
}

func TestOfALogsLinesTheFirstAndTheLastAreKept(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 11, 20, 7, minute, 0, 0, time.UTC) }
	one := evidence.SignMatch{Check: "c", Text: "no network here", Path: kubeletLog, Line: 2,
		Time: at(0), Last: at(0), Found: "E1120 07:00:00.0 1 no network here"}
	several := one
	several.More, several.Last, several.LastLine, several.Tail = 2, at(4), 5,
		"E1120 07:04:00.0 1 no network here at all"
	for name, row := range map[string]struct {
		log  string
		want evidence.SignMatch
	}{
		"one line":                   {"fine\nE1120 07:00:00.0 1 no network here\nfine\n", one},
		"one line that has it twice": {"fine\nE1120 07:00:00.0 1 no network here\nE1120\n", one},
		"several lines": {"fine\nE1120 07:00:00.0 1 no network here\nE1120 " +
			"07:01:00.0 1 No Network Here\nfine\nE1120 07:04:00.0 1 no network here at all\n",
			several},
		"lines end as on Windows also": {"fine\r\nE1120 07:00:00.0 1 no network here\r\nfine\r\n",
			one},
	} {
		if diff := cmp.Diff([]evidence.SignMatch{row.want}, record(t,
			map[string]string{kubeletLog: row.log}, noNetwork)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// TestLinesAroundABuffersEnd: a line that ends where the buffer does is read once.
func TestLinesAroundABuffersEnd(t *testing.T) {
	short := evidence.Sign{Check: "c", Text: "no route"}
	long := evidence.Sign{Check: "d", Text: strings.Repeat("long ", 20)}
	for missing := -2; missing <= 2; missing++ {
		filler := strings.Repeat("x", bufferSize-len("\nno route\n")+missing)
		got := record(t, map[string]string{kubeletLog: filler + "\nno route\nfine\n" + long.Text +
			"\n"}, short, long)
		if len(got) != 2 || got[0].Line != 2 || got[0].More != 0 || got[1].Line != 4 {
			t.Errorf("shifted by %d: %+v, want lines 2 and 4, each once", missing, got)
		}
	}
}

func TestALogThatFillsTheBufferIsReadToItsEnd(t *testing.T) {
	for _, size := range []int{bufferSize, 2 * bufferSize} {
		log := strings.Repeat("fine\n", size/5+1)[:size-len("no network here")] + "no network here"
		if got := record(t, map[string]string{kubeletLog: log}, noNetwork); len(got) != 1 {
			t.Errorf("%d bytes: %+v", size, got)
		}
	}
}

func TestALogThatBreaksOffIsNamedWhateverWasFound(t *testing.T) {
	const trouble = "E1120 07:00:00.000000 1 main.go:1] no network here\n"
	for name, row := range map[string]struct {
		contents []string
		broken   []bool
		finds    int
	}{
		"nothing was found in it": {[]string{"fine\n"}, []bool{true}, 0},
		"something was found, and a second look would work": {[]string{trouble + goesOn(8, 30,
			"fine"), trouble + goesOn(8, 30, "fine")}, []bool{true, false}, 1},
		"something was found, and a second look does not": {[]string{trouble + goesOn(8, 30,
			"fine"), trouble + goesOn(8, 30, "fine")}, []bool{false, true}, 1},
		"a second look breaks off before the place": {[]string{goesOn(5, 60, "fine") +
			trouble, "fine\n"}, []bool{false, true}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := evidence.Load(&breakingFS{changingFS{
				MapFS: snapshotFiles(map[string]string{kubeletLog: ""}), contents: row.contents},
				row.broken})
			if err != nil {
				t.Fatal(err)
			}
			s, unsearched := Record(s, []evidence.Sign{noNetwork})
			want := []evidence.UnsearchedLog{{Path: kubeletLog, Why: "device not ready"}}
			if diff := cmp.Diff(want, unsearched); diff != "" {
				t.Error(diff)
			}
			if got := s.Signs("c"); len(got) != row.finds || len(got) == 1 && got[0].Over != "" {
				t.Errorf("%+v, want %d that is not over", got, row.finds)
			}
		})
	}
}

// breakingFS is one whose log breaks off at some of its openings.
type breakingFS struct {
	changingFS
	broken []bool
}

func (b *breakingFS) Open(name string) (fs.File, error) {
	f, err := b.changingFS.Open(name)
	if err == nil && name == kubeletLog && len(b.broken) > 0 {
		broken := b.broken[0]
		b.broken = b.broken[1:]
		if broken {
			return brokenFile{f}, nil
		}
	}
	return f, err
}

func TestALogThatIsCutShortMeanwhileIsStillSearched(t *testing.T) {
	const trouble = "E1120 07:00:00.000000 1 main.go:1] no network here\n"
	tree := snapshotFiles(map[string]string{kubeletLog: ""})
	s, err := evidence.Load(&changingFS{MapFS: tree,
		contents: []string{goesOn(5, 60, "fine") + trouble, "fine\n"}})
	if err != nil {
		t.Fatal(err)
	}
	s, unsearched := Record(s, []evidence.Sign{noNetwork})
	if len(unsearched) != 0 || len(s.Signs("c")) != 1 {
		t.Errorf("found %+v, not searched %v", s.Signs("c"), unsearched)
	}
}

func TestALogThatCannotBeOpenedIsNamed(t *testing.T) {
	s, err := evidence.Load(&changingFS{MapFS: snapshotFiles(map[string]string{kubeletLog: ""})})
	if err != nil {
		t.Fatal(err)
	}
	if _, unsearched := Record(s, []evidence.Sign{noNetwork}); len(unsearched) != 1 ||
		unsearched[0].Path != kubeletLog {
		t.Errorf("not searched: %v", unsearched)
	}
}

func TestThereIsNoTimeToSearchAllLogs(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, err := evidence.Load(snapshotFiles(map[string]string{kubeletLog: "no network here\n"}))
	if err != nil {
		t.Fatal(err)
	}
	scan := Logs(ctx, s, []evidence.Sign{noNetwork})
	want := []evidence.UnsearchedLog{{Path: kubeletLog,
		Why: "there was no time to search all of it"}}
	if diff := cmp.Diff(want, scan.Unsearched); diff != "" || len(scan.Matches) != 0 {
		t.Errorf("found %v, not searched:\n%s", scan.Matches, diff)
	}
}

func TestLogsThatWereSearchedAreNotSearchedAgain(t *testing.T) {
	s, err := evidence.Load(snapshotFiles(map[string]string{kubeletLog: "no network here\n",
		"logs/kubelet/other.log": "no network here\n"}))
	if err != nil {
		t.Fatal(err)
	}
	s, _ = RecordRest(s, []evidence.Sign{noNetwork},
		func(path string) bool { return path == kubeletLog })
	if got := s.Signs("c"); len(got) != 1 || got[0].Path != "logs/kubelet/other.log" {
		t.Errorf("%+v, want the find in the other log alone", got)
	}
}

// TestGapsInPlaceOfLogs: only a log that is there, and was kept back, may hide something.
func TestGapsInPlaceOfLogs(t *testing.T) {
	for gap, hides := range map[string]bool{"denied: run as Administrator": true,
		"timeout: 3 s": true, "error: it is locked": true,
		"absent: there is none": false, "not-collected: nobody asked": false} {
		s, err := evidence.Load(snapshotFiles(map[string]string{"logs/kubelet/old.log.gap": gap,
			"os.json.gap": gap, "logs/kubelet.gap": gap}))
		if err != nil {
			t.Fatal(err)
		}
		_, unsearched := Record(s, []evidence.Sign{noNetwork})
		if hidden := len(unsearched) == 1 &&
			unsearched[0].Path == "logs/kubelet/old.log"; hidden != hides || !hides &&
			len(unsearched) > 0 {
			t.Errorf("%s: not searched %v", gap, unsearched)
		}
	}
}

// TestASignIsSearchedByTheTextThatStandsInTheFewestLines: this keeps a search of gigabytes
// fast. Texts below ten bytes slow it down, and count as common.
func TestASignIsSearchedByTheTextThatStandsInTheFewestLines(t *testing.T) {
	for _, row := range []struct {
		name, text string
		also       []string
		want       string
	}{
		{"it has one text", "No Network", nil, "no network"},
		{"a longer text of like letters", "not a note", []string{"not a note at all"},
			"not a note at all"},
		{"a text of rare letters", "not a note at all", []string{"zqxjkzqxjkzqxjk"},
			"zqxjkzqxjkzqxjk"},
		{"a short text of rare letters", "not a note at all", []string{"zqxjkzqxj"},
			"not a note at all"},
		{"ten bytes are not short", "nnn", []string{"zqxjkzqxjk"}, "zqxjkzqxjk"},
		{"of short texts the longest", "abcd", []string{"abcde", "abc"}, "abcde"},
		{"of texts as rare as each other the first", "abcdefghij", []string{"bacdefghij"},
			"abcdefghij"},
		{"a text of Windows is in other languages elsewhere", "The directory name is invalid",
			[]string{"CreateProcess"}, "createprocess"},
		{"only its beginning is of Windows", "zqxjkzqxjk: Access is denied", nil, "zqxjkzqxjk: "},
	} {
		got, _ := needlesOf(evidence.Sign{Text: row.text, Also: row.also})
		if len(got) != 1 || got[0] != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

// TestAMessageOfWindowsIsFoundInEachLanguage: programs print it in English only where that is
// installed, and some print nothing but its number.
func TestAMessageOfWindowsIsFoundInEachLanguage(t *testing.T) {
	alone := evidence.Sign{Check: "c", Text: "The paging file is too small"}
	bind := evidence.Sign{Check: "c", Text: ":80: bind: An attempt was made to access a socket"}
	also := evidence.Sign{Check: "c", Text: "hcsshim::ImportLayer", Also: []string{"being used by another process"}}
	not := evidence.Sign{Check: "c", Text: "open //./pipe/docker", Not: []string{"denied"}}
	for _, row := range []struct {
		name  string
		sign  evidence.Sign
		line  string
		found bool
	}{
		{"it is all of the sign", alone, "OSError: [WinError 1455] 页面文件太小，无法完成操作。", true},
		{"it is all of the sign and a number", alone, "hr=0x800705AF", true},
		{"it begins with a letter of two bytes", evidence.Sign{Check: "c", Text: "Access is denied"},
			"PermissionError: [WinError 5] Отказано в доступе: 'C:\\k'", true},
		{"it is the end of the sign", bind,
			"listen tcp 0.0.0.0:80: bind: Der Zugriff auf einen Socket war aufgrund der Zugriffsrechte des Sockets unzulässig.", true},
		{"Windows has no text at all", bind, "listen tcp 0.0.0.0:80: bind: winapi error #10013", true},
		{"it is of another error", bind,
			"listen tcp 0.0.0.0:80: bind: Normalmente é permitida apenas uma utilização de cada endereço de soquete (protocolo/endereço de rede/porta).", false},
		{"it must be there too", also,
			"hcsshim::ImportLayer failed in Win32: Le processus ne peut pas accéder au fichier car ce fichier est utilisé par un autre processus. (0x20)", true},
		{"only its number must be there too", also, "hcsshim::ImportLayer failed in Win32: (0x20)", true},
		{"another must be there too", also, "hcsshim::ImportLayer failed in Win32: Accès refusé. (0x5)", false},
		{"it must not be there", not, "open //./pipe/docker_engine: Acceso denegado.", false},
		{"another is there", not, "open //./pipe/docker_engine: El sistema no puede encontrar el archivo especificado.", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := record(t, map[string]string{kubeletLog: row.line + "\n"}, row.sign)
			if (len(got) == 1) != row.found {
				t.Errorf("%d finds", len(got))
			}
		})
	}
}

func TestTheShortestTextsThatAreSearched(t *testing.T) {
	got := record(t, map[string]string{kubeletLog: "xyz wxyz\n"}, evidence.Sign{Check: "c",
		Text: "xyz"}, evidence.Sign{Check: "d", Text: "wxyz"})
	if len(got) != 1 || got[0].Check != "d" {
		t.Errorf("%+v, want the text of four bytes alone", got)
	}
}

func TestALongLineIsShownAroundItsFind(t *testing.T) {
	line := strings.Repeat("a", 5000) + "no network here" + strings.Repeat("b", 5000)
	got := record(t, map[string]string{kubeletLog: line + "\n"}, noNetwork)
	if len(got) != 1 {
		t.Fatalf("%d finds", len(got))
	}
	before, after, ok := strings.Cut(got[0].Found, "no network here")
	if !ok || len(got[0].Found) != maxLine || before == "" || after == "" || strings.Trim(before,
		"a") != "" || strings.Trim(after, "b") != "" {
		t.Errorf("%d bytes before, %d after", len(before), len(after))
	}
}
