package session

import (
	"archive/zip"
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
	"doctor/collectors/hostprocess"
	"doctor/collectors/pack"
	"doctor/collectors/redact"
	"doctor/ui"
	"doctor/ui/tui"
)

// Bundler lets the screen write the bundle of what it shows. The redactor is the
// one that the evidence passed already, or nil.
func Bundler(o Options, secrets *redact.Redactor) *tui.Bundler {
	folder, err := hostprocess.Folder()
	if err != nil {
		folder = "."
	}
	return &tui.Bundler{Folder: folder, Since: o.Since, MaxSize: DefaultMaxSize,
		Name: func(s evidence.Snapshot) string {
			return bundleName(s, cmp.Or(secrets, redact.New(redact.Options{Plain: true})))
		},
		Write: func(ctx context.Context, s evidence.Snapshot, name string,
			tell func(tui.BundleProgress)) (tui.BundleDone, error) {
			src := Source{Snapshot: s, secrets: secrets, unsearched: unsearchedEvents(s)}
			done, err := bundleShown(ctx, src, name, o, tell)
			if err != nil && ctx.Err() != nil {
				return done, ctx.Err()
			}
			return done, err
		},
	}
}

// bundleShown writes the bundle of what is on a screen.
func bundleShown(ctx context.Context, src Source, name string, o Options,
	tell func(tui.BundleProgress)) (tui.BundleDone, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return tui.BundleDone{}, err
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return tui.BundleDone{}, fmt.Errorf("%s is there already; give it another name", path)
	}
	tell(tui.BundleProgress{Phase: tui.BundleSearching})
	b := NewBundling(ctx, src, Packing{MaxSize: DefaultMaxSize}, o)
	b.Options.Progress = told(tell)
	result, err := b.Write(ctx, path)
	if err != nil {
		return tui.BundleDone{}, onScreen(err)
	}
	done := tui.BundleDone{Path: path, Size: result.Size, Files: len(result.Manifest.Held())}
	counts := Replaced(result.Manifest, src.Snapshot)
	for _, kind := range MostFirst(counts) {
		done.Redacted = append(done.Redacted, tui.Redacted{Kind: kind, Count: counts[kind]})
	}
	done.LeftOut = leftOutOf(result.Manifest.LeftOut)
	for _, f := range result.Manifest.Held() {
		part := ui.LeftOut{Path: f.Path}
		for _, c := range f.LeftOut {
			part.Bytes += c.Bytes
		}
		if f.Truncated {
			done.LeftOut = append(done.LeftOut, part)
		}
	}
	done.Issue, err = issueOf(path)
	return done, err
}

// unsearchedEvents are the event logs that did not answer when the node was
// read. Files are searched once more for a bundle.
func unsearchedEvents(s evidence.Snapshot) []evidence.UnsearchedLog {
	return slices.DeleteFunc(slices.Clone(s.Unsearched()), func(u evidence.UnsearchedLog) bool {
		return u.Path != evidence.WindowsEvents.Path()
	})
}

// onScreen takes out of an error what only the command line understands.
func onScreen(err error) error {
	if strings.Contains(err.Error(), "--max-size") {
		return fmt.Errorf("%w; `doctor bundle --max-size` takes a larger one", err)
	}
	return err
}

// tellEvery is how often the screen is told of progress.
const tellEvery = 100 * time.Millisecond

// told turns progress into what the screen shows, a few times a second.
func told(tell func(tui.BundleProgress)) func(pack.Progress) {
	var phase string
	var began, last time.Time
	return func(p pack.Progress) {
		now := time.Now()
		if p.Phase != phase {
			phase, began = p.Phase, now
		} else if now.Sub(last) < tellEvery {
			return
		}
		last = now
		tell(tui.BundleProgress{Phase: p.Phase, Files: p.Files, Of: p.Of, Bytes: p.Bytes,
			Total: p.Total, Left: TimeLeft(p, now.Sub(began))})
	}
}

// TimeLeft is how long a phase may still take, once there is something to go by.
func TimeLeft(p pack.Progress, since time.Duration) time.Duration {
	if since <= time.Second || p.Bytes <= 0 || p.Bytes >= p.Total {
		return 0
	}
	return time.Duration(float64(since) * float64(p.Total-p.Bytes) / float64(p.Bytes))
}

// Replaced counts the secrets that are not in the bundle, by kind: those that
// were taken out for it, and those that were when the node was read.
func Replaced(m pack.Manifest, s evidence.Snapshot) map[string]int {
	counts := m.Redactions()
	for kind, n := range marks(s) {
		counts[kind] += n
	}
	return counts
}

// MostFirst are the names of counts, those with most first.
func MostFirst(counts map[string]int) []string {
	return sorted.Of(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
}

// mark is what stands in the place of a secret.
var mark = regexp.MustCompile(`<secret:([a-z-]+)(?::[0-9a-f]{6})?>`)

// marks counts the secrets that were replaced when the node was read. Logs are
// opened where they lie, and hold none of these marks yet.
func marks(s evidence.Snapshot) map[string]int {
	counts := map[string]int{}
	for _, path := range s.Paths() {
		if strings.HasPrefix(strings.ToLower(path), "logs/") {
			continue
		}
		f, err := s.Open(path)
		if err != nil {
			continue // the bundle tells of it
		}
		lines := bufio.NewReader(evidence.Text(f))
		for {
			line, err := lines.ReadString('\n')
			for _, m := range mark.FindAllStringSubmatch(line, -1) {
				counts[m[1]]++
			}
			if err != nil {
				break
			}
		}
		f.Close()
	}
	return counts
}

// issueOf is the bug form as the bundle holds it, after everything that was searched for.
func issueOf(name string) (string, error) {
	z, err := zip.OpenReader(name)
	if err != nil {
		return "", err
	}
	defer z.Close()
	content, err := fs.ReadFile(z, "issue.md")
	return string(content), err
}
