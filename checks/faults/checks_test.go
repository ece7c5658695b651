package faults_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/node"
	"doctor/checks/signs"
	"doctor/fixtures"
	_ "doctor/fixtures/platforms"
	_ "doctor/fixtures/threads"
)

var update = flag.Bool("update", false,
	"rewrite the want sections of the fixtures, and the matrix of verdicts")

// A loaded is a recorded node that all tests share: none of its parts is written to.
type loaded struct {
	recording fixtures.Recording
	snapshot  evidence.Snapshot // with the signs of all checks searched in its logs
	report    checks.Report
	err       error
}

// recorded holds each recorded node by name, loaded and judged when a test first needs it.
var recorded = func() map[string]func() loaded {
	nodes := map[string]func() loaded{}
	for _, name := range fixtures.Names() {
		nodes[name] = sync.OnceValue(func() (l loaded) {
			if l.recording, l.err = fixtures.Open(name); l.err != nil {
				return l
			}
			if l.snapshot, l.err = evidence.Load(l.recording.FS()); l.err != nil {
				return l
			}
			var unread []evidence.UnsearchedLog
			if l.snapshot, unread = signs.Record(l.snapshot,
				faults.Catalogue().Signs()); len(unread) > 0 {
				l.err = fmt.Errorf("logs that were not searched: %v", unread)
				return l
			}
			l.report = diagnose(l.snapshot)
			return l
		})
	}
	return nodes
}()

func load(t testing.TB, name string) loaded {
	t.Helper()
	if recorded[name] == nil {
		t.Fatalf("there is no recording %s", name)
	}
	l := recorded[name]()
	if l.err != nil {
		t.Fatalf("%s: %v", name, l.err)
	}
	return l
}

// overEveryRecording runs a test once for each recorded node, several at a time.
func overEveryRecording(t *testing.T, test func(t *testing.T, name string)) {
	for _, name := range fixtures.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, name)
		})
	}
}

func diagnose(s evidence.Snapshot) checks.Report {
	return checks.Diagnose(s, faults.Catalogue(), checks.Source{Kind: "demo"}, checks.Program{})
}

// TestEveryCheckOverEveryRecordedNode compares what a recording is meant to show with its want
// section: the causes, and all findings but the info that its base shows too. The verdicts of all
// checks are in the matrix (matrix_test.go).
func TestEveryCheckOverEveryRecordedNode(t *testing.T) {
	overEveryRecording(t, func(t *testing.T, name string) {
		l := load(t, name)
		var base checks.Report
		if l.recording.Base != "" {
			base = load(t, l.recording.Base).report
		}
		got := outcome(l.report, base)
		if *update {
			rewriteWant(t, name, got)
			return
		}
		if diff := cmp.Diff(l.recording.Want, got); diff != "" {
			t.Errorf("the outcome differs from the want section (-want +got); if it is right, "+
				"run `go test ./checks/faults -run TestEveryCheck -update`:\n%s", diff)
		}
	})
}

func TestHealthyNodesStaySilent(t *testing.T) {
	healthy := 0
	for _, name := range fixtures.Names() {
		if !strings.HasPrefix(name, "healthy-") {
			continue
		}
		healthy++
		r := load(t, name).report
		for _, result := range r.Results {
			if result.Status == checks.StatusFail || result.Status == checks.StatusWarn {
				t.Errorf("%s: %s is %s: %s", name, result.ID, result.Status,
					result.Findings[0].Message)
			}
		}
		if len(r.Causes) > 0 {
			t.Errorf("%s: causes %v on a healthy node", name, r.Causes)
		}
	}
	if healthy < 5 {
		t.Errorf("only %d healthy nodes are recorded", healthy)
	}
}

// TestEveryCheckIsTrippedByItsOwnFixture holds each check to a recording of its
// own name. Where what it finds is mostly a documented limit, the recording of
// its name shows the fault, and NAME-as-documented the limit.
func TestEveryCheckIsTrippedByItsOwnFixture(t *testing.T) {
	for _, c := range faults.Catalogue().All() {
		if c.Category == checks.CategoryVersions {
			continue // rows of a table, which package regressions tests one by one
		}
		if !slices.Contains(fixtures.Names(), c.ID) {
			t.Errorf("%s has no fixture: add fixtures/%s.txtar", c.ID, c.ID)
			continue
		}
		r := load(t, c.ID).report
		result := r.Result(c.ID)
		if len(result.Findings) == 0 {
			t.Errorf("%s finds nothing in its own fixture: %s %s", c.ID, result.Status,
				result.Gap+result.Reason)
		}
		if len(r.Causes) == 0 || r.Causes[0].ID != c.ID {
			t.Errorf("%s is not the first cause of its own fixture: %v", c.ID, r.Causes)
		}
	}
}

// TestADemoShowsTheFaultOfItsName holds every recording to its name: the check whose id the name
// begins with is the first cause, NAME-as-documented has no cause, and neither has a healthy node.
func TestADemoShowsTheFaultOfItsName(t *testing.T) {
	for _, name := range fixtures.Names() {
		named := ""
		for _, c := range faults.Catalogue().All() {
			if (name == c.ID || strings.HasPrefix(name, c.ID+"-")) && len(c.ID) > len(named) {
				named = c.ID
			}
		}
		r := load(t, name).report
		first := ""
		if len(r.Causes) > 0 {
			first = r.Causes[0].ID
		}
		switch documented := name == named+"-as-documented"; {
		case named == "" && !strings.HasPrefix(name, "healthy-"):
			t.Errorf("%s is named after no check", name)
		case documented && r.Result(named).Status != checks.StatusInfo:
			t.Errorf("%s: the verdict of %s is %s, want info", name, named, r.Result(named).Status)
		case (documented || named == "") && first != "":
			t.Errorf("%s: the first cause is %s, want none", name, first)
		case !documented && first != named:
			t.Errorf("%s: the first cause is %q, want %s", name, first, named)
		}
	}
}

// TestACheckCannotTellWithoutItsNeeds takes each need away in turn, in the
// check's own fixture and in a healthy one: no verdict may come from not having looked.
func TestACheckCannotTellWithoutItsNeeds(t *testing.T) {
	for _, c := range faults.Catalogue().All() {
		if len(c.Needs) == 0 && c.Category != checks.CategoryVersions {
			t.Errorf("%s needs nothing: a check that needs no evidence judges without looking",
				c.ID)
		}
	}
	overEveryRecording(t, func(t *testing.T, name string) {
		s := load(t, name).snapshot
		var tried []checkNeed
		for _, c := range faults.Catalogue().All() {
			if c.ID != name && !slices.Contains(healthyNodes, name) {
				continue
			}
			for _, need := range c.Needs {
				if need.Gap(s).Kind == "" {
					tried = append(tried, checkNeed{c.ID, need})
				}
			}
		}
		// the checks with the same need are tried at once: the node is learned once
		for len(tried) > 0 {
			paths := tried[0].need.Paths()
			same := func(n checkNeed) bool { return slices.Equal(n.need.Paths(), paths) }
			without := func(c *checks.Check) bool {
				return slices.ContainsFunc(tried, func(n checkNeed) bool {
					return n.id == c.ID && same(n)
				})
			}
			r := checks.Diagnose(s.Hide(tried[0].need), faults.Catalogue().Select(without),
				checks.Source{}, checks.Program{})
			for _, got := range r.Results {
				if got.Status != checks.StatusUnknown && got.Status != checks.StatusSkip {
					t.Errorf("%s over %s without %v is %s, not unknown", got.ID, name, paths,
						got.Status)
				}
			}
			tried = slices.DeleteFunc(tried, same)
		}
	})
}

// A checkNeed is one of the needs of a check.
type checkNeed struct {
	id   string
	need evidence.Need
}

var healthyNodes = []string{"healthy-flannel-hostgw", "healthy-flannel-overlay", "healthy-calico",
	"healthy-azure-cni", "healthy-eks"}

// TestAnEmptyRecordingPassesNothing: a tree that holds only meta.json leaves every check unknown. A
// regression of a version that nothing shows raises no question: it is skipped.
func TestAnEmptyRecordingPassesNothing(t *testing.T) {
	s, err := evidence.Load(
		fixtures.Tree(
			txtar.Parse(
				[]byte("-- meta.json --\n{\"layout\":\"evidence/v1\",\"node\":\"win-1\",\"collectedAt\":\"2026-11-20T10:00:00Z\"}\n"))))
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range diagnose(s).Results {
		want := checks.StatusUnknown
		if result.Category == checks.CategoryVersions {
			want = checks.StatusSkip
		}
		if result.Status != want {
			t.Errorf("%s is %s over an empty recording", result.ID, result.Status)
		}
	}
}

// TestAChecksReadsAreDeclared: an undeclared read of what is not there looks like health.
func TestAChecksReadsAreDeclared(t *testing.T) {
	overEveryRecording(t, func(t *testing.T, name string) {
		s := load(t, name).snapshot
		for _, c := range faults.Catalogue().All() {
			if c.Run == nil || c.Applies != nil && c.Applies(node.About(s)) != nil {
				continue
			}
			if slices.ContainsFunc(c.Needs, func(n evidence.Need) bool {
				return n.Gap(s).Kind != ""
			}) {
				continue
			}
			var tr evidence.Trace
			if _, err := c.Run(s.Traced(&tr)); err != nil {
				continue
			}
			declared := slices.Concat(c.Needs, c.Uses)
			for _, path := range tr.Seen() {
				if !evidence.Covers(declared, path) {
					t.Errorf("%s reads %s over %s and declares it neither in Needs nor in Uses",
						c.ID, path, name)
				}
			}
		}
	})
}

func TestChecksAreDocumented(t *testing.T) {
	id := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)+$`)
	for _, c := range faults.Catalogue().All() {
		switch {
		case !id.MatchString(c.ID):
			t.Errorf("%s: an id is lower-kebab-case", c.ID)
		case len(c.Title) < 10 || len(c.Title) > 80 || strings.HasSuffix(c.Title, "."):
			t.Errorf("%s: the title %q is a short clause without a full stop", c.ID, c.Title)
		case len(c.Doc) < 100:
			t.Errorf("%s: the documentation says too little", c.ID)
		case c.Fix.First() == nil || !c.Fix.First().Changes():
			t.Errorf("%s: no step of the fix changes anything", c.ID)
		case len(c.Links) == 0:
			t.Errorf("%s: name the source of the rule in Links", c.ID)
		case !slices.Contains(checks.Categories, c.Category):
			t.Errorf("%s: category %q", c.ID, c.Category)
		case c.Run == nil && !slices.ContainsFunc(c.Signs, func(s checks.Sign) bool {
			return !s.ConfirmOnly
		}):
			t.Errorf("%s: it has no Run and no sign that could convict", c.ID)
		}
		for _, link := range c.Links {
			if !strings.HasPrefix(link, "https://") {
				t.Errorf("%s: link %q", c.ID, link)
			}
		}
		for _, sign := range c.Signs {
			for _, text := range append([]string{sign.Text}, sign.Or...) {
				if long := func(s string) bool {
					return len(s) >= checks.MinSign
				}; !long(text) && !slices.ContainsFunc(sign.Also, long) {
					t.Errorf("%s: the sign %q is too short to betray anything; name a longer text in Also", c.ID, text)
				}
			}
			if sign.Says == "" && !sign.ConfirmOnly {
				t.Errorf("%s: the sign %q has no sentence", c.ID, sign.Text)
			}
		}
		file := strings.ReplaceAll(c.ID, "-", "_") + ".go"
		if strings.HasSuffix(c.ID, "-windows") || strings.HasSuffix(c.ID, "-linux") {
			// Go would compile x_windows.go on Windows only, and x_linux.go on Linux
			file = strings.TrimSuffix(file, ".go") + "_node.go"
		}
		if _, err := os.Stat(file); err != nil && c.Category != checks.CategoryVersions {
			t.Errorf("%s: its file is to be called %s", c.ID, file)
		}
	}
}

// TestTheFAQIsAnswered: each entry of the documentation's troubleshooting FAQ has a check.
func TestTheFAQIsAnswered(t *testing.T) {
	answered := map[int]bool{}
	for _, c := range faults.Catalogue().All() {
		for _, n := range c.FAQ {
			answered[n] = true
			if n < 1 || n > 16 {
				t.Errorf("%s answers FAQ %d, which does not exist", c.ID, n)
			}
		}
	}
	for n := 1; n <= 16; n++ {
		if !answered[n] {
			t.Errorf("no check answers FAQ %d", n)
		}
	}
}

// outcome writes down the causes and findings of a report in the form of the want section. Info
// that the base shows too is left out: it is not what the recording is about, and what the base
// shows is in the base's own section.
func outcome(r, base checks.Report) string {
	var b strings.Builder
	for _, c := range r.Causes {
		fmt.Fprintf(&b, "cause %s\n", c.ID)
		for _, id := range c.Consequences {
			fmt.Fprintf(&b, "  explains %s\n", id)
		}
	}
	for _, status := range []checks.Status{checks.StatusFail, checks.StatusWarn,
		checks.StatusInfo} {
		for _, result := range r.Results {
			if result.Status != status {
				continue
			}
			if status == checks.StatusInfo && result.Category == checks.CategoryVersions {
				continue // a new row of the table of regressions changes no recording
			}
			below := base.Result(result.ID)
			if status == checks.StatusInfo && below != nil &&
				findingsText(*below, inFile) == findingsText(result, inFile) {
				continue // its elements may stand elsewhere in their lists
			}
			b.WriteString(findingsText(result, where))
		}
	}
	return b.String()
}

func findingsText(result checks.Result, where func(evidence.Because) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", result.Status, result.ID)
	for _, f := range result.Findings {
		fmt.Fprintf(&b, "  %s: %s [%s]\n", f.Level, f.Message, f.Basis)
		for _, because := range f.Because {
			fmt.Fprintf(&b, "    %s %s\n", where(because), because.Text)
		}
	}
	return b.String()
}

func inFile(b evidence.Because) string { return b.Path }

// where is path:line of a text, and path#pointer of JSON.
func where(b evidence.Because) string {
	if b.Field != "" {
		return b.Path + "#" + b.Field
	}
	return fmt.Sprintf("%s:%d", b.Path, b.Line)
}

// recordingFile is the path of a recording in one of the folders that hold some.
func recordingFile(t testing.TB, name string) string {
	t.Helper()
	for _, folder := range []string{"", "platforms", "threads"} {
		file := filepath.Join("..", "..", "fixtures", folder, name+".txtar")
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	t.Fatalf("no recording %s in fixtures or in its folders", name)
	return ""
}

func rewriteWant(t *testing.T, name, want string) {
	t.Helper()
	file := recordingFile(t, name)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a := txtar.Parse(content)
	a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == "want" })
	a.Files = append(a.Files, txtar.File{Name: "want", Data: []byte(want)})
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkAllChecks runs the catalogue over the largest recording, decoding included.
func BenchmarkAllChecks(b *testing.B) {
	largest, size := "", 0
	for _, name := range fixtures.Names() {
		info, err := os.Stat(recordingFile(b, name))
		if err != nil {
			b.Fatal(err)
		}
		if int(info.Size()) > size {
			largest, size = name, int(info.Size())
		}
	}
	r, err := fixtures.Open(largest)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		s, err := evidence.Load(r.FS())
		if err != nil {
			b.Fatal(err)
		}
		diagnose(s)
	}
}
