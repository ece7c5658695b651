package session

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/tree"
	"doctor/ui/tui"
)

func demoEvidence(t *testing.T, name string) evidence.Snapshot {
	t.Helper()
	src, err := openDemo(name)
	if err != nil {
		t.Fatal(err)
	}
	return src.Snapshot
}

// TestTheScreensBundleIsThatOfWhatItShows: a live node's secrets were taken out
// when it was read; a log, which is opened where it lies, must lose them too, and
// what was replaced is counted wherever that was done.
func TestTheScreensBundleIsThatOfWhatItShows(t *testing.T) {
	l := reader(t, brings("env.json", map[string]string{"REGISTRY_PASSWORD": "tr0ub4dor-and-3"}),
		collectors.Collector{Name: "the kubelet's log", Answers: []string{"logs/"}, After: []string{"env.json"},
			Read: func(_ context.Context, r *collectors.Record) error {
				r.File(kubeletLog, tree.File{Size: 62,
					Open: opens("E1120 10:00:00.000000 1 x.go:1] denied for tr0ub4dor-and-3!\n")})
				return nil
			}})
	l.Read(t.Context(), func() {})
	_, s, err := l.Report()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "b.zip")
	var phases []string
	done, err := Bundler(Options{}, l.secrets).Write(t.Context(), s, name,
		func(p tui.BundleProgress) { phases = append(phases, p.Phase) })
	if err != nil {
		t.Fatal(err)
	}
	log := string(inZip(t, name, "logs/kubelet/kubelet.log"))
	if strings.Contains(log, "tr0ub4dor") || !strings.Contains(log, "<secret:") {
		t.Errorf("the log in the bundle says %q", log)
	}
	if want := []tui.Redacted{{Kind: "password", Count: 4}}; !slices.Equal(done.Redacted, want) {
		t.Errorf("told of %v, want %v", done.Redacted, want)
	}
	if done.Path != name || done.Issue != string(inZip(t, name, "issue.md")) || done.Size == 0 {
		t.Errorf("told of %s with %d bytes and the issue\n%s", done.Path, done.Size, done.Issue)
	}
	for _, want := range []string{tui.BundleSearching, "writing",
		"checking"} {
		if !slices.Contains(phases, want) {
			t.Errorf("phase %s was not told of: %v", want, phases)
		}
	}
}

func TestTheMarkOfASecretStaysTheSameInTheNextReading(t *testing.T) {
	l := reader(t, brings("env.json", map[string]string{"REGISTRY_PASSWORD": "tr0ub4dor-and-3"}))
	var seen []string
	for range 2 {
		l.Read(t.Context(), func() {})
		content, err := fs.ReadFile(l.tree.FS(), "env.json")
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, string(content))
		l = l.Fresh()
	}
	if seen[0] != seen[1] || !strings.Contains(seen[0], "<secret:") {
		t.Errorf("read as %q, then as %q", seen[0], seen[1])
	}
}

func TestABundleThatIsStoppedLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	for _, phase := range []string{tui.BundleSearching, "writing",
		"checking"} {
		ctx, stop := context.WithCancel(t.Context())
		_, err := Bundler(Options{}, nil).Write(ctx, demoEvidence(t, "kubelet-removed-flag"),
			filepath.Join(dir, "b.zip"), func(p tui.BundleProgress) {
				if p.Phase == phase {
					stop()
				}
			})
		stop()
		if left, _ := os.ReadDir(dir); !errors.Is(err, context.Canceled) || len(left) > 0 {
			t.Errorf("stopped in phase %s: %v, and left %v", phase, err, left)
		}
	}
}

func TestTheScreensBundleReplacesNoFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mine.zip")
	if err := os.WriteFile(name, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Bundler(Options{}, nil).Write(t.Context(), demoEvidence(t, "kubelet-removed-flag"),
		name, func(tui.BundleProgress) {})
	content, _ := os.ReadFile(name)
	if err == nil || !strings.Contains(err.Error(), "is there already") ||
		string(content) != "mine" {
		t.Errorf("%v, and the file holds %q", err, content)
	}
	_, err = Bundler(Options{}, nil).Write(t.Context(), demoEvidence(t, "kubelet-removed-flag"),
		filepath.Join(t.TempDir(), "no", "b.zip"), func(tui.BundleProgress) {})
	if err == nil || strings.Contains(err.Error(), "--") {
		t.Errorf("a folder that is not there is told as %v", err)
	}
}

func opens(content string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }
}

// inZip is an entry of the zip.
func inZip(t *testing.T, name, entry string) []byte {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.Open(entry)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
