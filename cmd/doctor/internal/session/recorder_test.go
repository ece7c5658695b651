package session

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/collectors/redact"
	"doctor/collectors/tree"
)

func TestWhatIsKeptIsBounded(t *testing.T) {
	now := time.Now().UTC()
	type kept struct {
		ago  time.Duration
		size int64
	}
	var many []kept
	for i := range mostFrames + 7 {
		many = append(many, kept{20*time.Minute - time.Duration(i)*time.Second, 1})
	}
	for _, row := range []struct {
		name  string
		files []kept // the oldest first
		want  int    // of the newest
	}{
		{"nothing", nil, 0},
		{"all that is young and small", []kept{{20 * time.Minute, 1}, {time.Minute, 1}}, 2},
		{"what is older than is kept goes",
			[]kept{{40 * time.Minute, 1}, {32 * time.Minute, 1}, {29 * time.Minute, 1}}, 1},
		{"the oldest of too much goes", []kept{{3 * time.Minute, mostRing / 2},
			{2 * time.Minute, mostRing / 2}, {time.Minute, mostRing / 2}}, 2},
		{"the oldest of too many go", many, mostFrames},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := Recorder{Folder: t.TempDir(), Keep: 30 * time.Minute, After: time.Minute,
				Tell: func(string) {}} // of what is no zip
			if err := os.Mkdir(r.ring(), 0o700); err != nil {
				t.Fatal(err)
			}
			var want []string
			for i, f := range row.files {
				name := filepath.Join(r.ring(), framePrefix+now.Add(-f.ago).Format(frameStamp)+".zip")
				if err := os.WriteFile(name, nil, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Truncate(name, f.size); err != nil {
					t.Fatal(err)
				}
				if i >= len(row.files)-row.want {
					want = append(want, name)
				}
			}
			if _, err := r.Start(); err != nil {
				t.Fatal(err)
			}
			got, err := r.frames()
			if d := cmp.Diff(want, got); err != nil || d != "" {
				t.Errorf("%v %s", err, d)
			}
		})
	}
}

const secretOfTest = "Tr0ub4dor7x-Kq"

// stagedReading is a reading of a node with one service, whose environment has a secret.
func stagedReading(state string) *Live {
	l := &Live{plan: plan{secrets: redact.New(redact.Options{})}}
	l.tree = tree.Cleaned(l.secrets.Content)
	l.tree.JSON("meta.json", evidence.Meta{Layout: evidence.Layout, Node: "win-1",
		CollectedAt: time.Now().UTC()})
	l.tree.JSON("services.json", []map[string]any{{"name": "kubelet", "state": state,
		"env": map[string]string{"REGISTRY_PASSWORD": secretOfTest}}})
	return l
}

func TestWhatMakesARecorderWriteABundle(t *testing.T) {
	const pass, warn, fail = checks.StatusPass, checks.StatusWarn, checks.StatusFail
	for _, row := range []struct {
		name   string
		change Change
		writes bool
	}{
		{"a fault that appears", Change{Change: Appeared, Was: pass, Is: fail}, true},
		{"a warning that becomes a fault", Change{Change: Differs, Was: warn, Is: fail}, true},
		{"a warning that appears", Change{Change: Appeared, Was: pass, Is: warn}, false},
		{"another finding of a fault", Change{Change: Differs, Was: fail, Is: fail}, false},
		{"a fault that was there before the watch",
			Change{Change: Present, Was: checks.StatusUnknown, Is: fail}, false},
		{"a fault that is over", Change{Change: Recovered, Was: fail, Is: pass}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRecorder(t, 1)
			record(t, r, "running")
			record(t, r, "stopped", row.change)
			if got := len(bundlesOf(t, r)); got > 0 != row.writes {
				t.Errorf("%d bundles", got)
			}
		})
	}
}

func TestARecorderWritesSoManyBundlesAndGoesOn(t *testing.T) {
	r := newRecorder(t, 2)
	var told []string
	r.Tell = func(text string) { told = append(told, text) }
	for i := range 3 {
		record(t, r, fmt.Sprint("state ", i))
		record(t, r, "stopped", Change{Change: Appeared, Was: checks.StatusPass, Is: checks.StatusFail})
		for j, name := range bundlesOf(t, r) { // a name has the second of its bundle
			if err := os.Rename(name, filepath.Join(r.Folder, fmt.Sprintf("doctor-%d.zip", j))); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := len(bundlesOf(t, r)); got != 2 {
		t.Errorf("%d bundles", got)
	}
	if len(told) != 3 || !strings.Contains(told[2], "no bundle is written") {
		t.Fatalf("told %q", told)
	}
	if !strings.Contains(told[1], "3 earlier readings") {
		t.Errorf("the second bundle has three readings before its own: %q", told[1])
	}
}

func TestWhatARecorderKeepsHasNoSecrets(t *testing.T) {
	r := newRecorder(t, 1)
	record(t, r, "running")
	list, err := r.frames()
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %q", err, list)
	}
	documents, err := frameDocuments(list[0])
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, d := range documents {
		if err := d.Write(&text); err != nil {
			t.Fatal(err)
		}
	}
	if s := text.String(); !strings.Contains(s, "REGISTRY_PASSWORD") || strings.Contains(s, secretOfTest) {
		t.Errorf("it keeps %s", s)
	}
}

// TestWhatWasReadBeforeItsNameHasNoSecrets: the error lines of a log are read before the service whose
// environment says that a word of theirs is a password.
func TestWhatWasReadBeforeItsNameHasNoSecrets(t *testing.T) {
	l := &Live{plan: plan{secrets: redact.New(redact.Options{})}}
	l.tree = tree.Cleaned(l.secrets.Content)
	l.tree.JSON("meta.json", evidence.Meta{Layout: evidence.Layout, Node: "win-1",
		CollectedAt: time.Now().UTC()})
	l.tree.JSON("errorlines.json", []evidence.ErrorLine{{Path: kubeletLog, Line: 1, Count: 1,
		Level: "error", Text: "denied for " + secretOfTest}})
	l.tree.JSON("services.json", []map[string]any{{"name": "kubelet", "state": "running",
		"env": map[string]string{"REGISTRY_PASSWORD": secretOfTest}}})
	if raw, err := fs.ReadFile(l.tree.FS(), "errorlines.json"); err != nil || !strings.Contains(string(raw), secretOfTest) {
		t.Fatalf("%v: the tree knows the secret already: %s", err, raw)
	}
	r := newRecorder(t, 1)
	if err := r.Record(t.Context(), l, checks.Report{}, true, nil); err != nil {
		t.Fatal(err)
	}
	if got := keptIn(t, r.newest, "errorlines.json"); !strings.Contains(got, "denied for <secret:") ||
		strings.Contains(got, secretOfTest) {
		t.Errorf("it keeps %s", got)
	}
}

func newRecorder(t *testing.T, bundles int) *Recorder {
	t.Helper()
	r := &Recorder{Folder: t.TempDir(), Keep: time.Hour, Bundles: bundles, Tell: func(string) {},
		Until: func(c Change) bool { return c.Is == checks.StatusFail }}
	if _, err := r.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

// record lets it have a whole reading.
func record(t *testing.T, r *Recorder, state string, changes ...Change) {
	t.Helper()
	if err := r.Record(t.Context(), stagedReading(state), checks.Report{}, true, changes); err != nil {
		t.Fatal(err)
	}
}

func bundlesOf(t *testing.T, r *Recorder) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(r.Folder, "doctor-*.zip"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}
