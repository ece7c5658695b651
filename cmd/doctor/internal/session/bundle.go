package session

import (
	"archive/zip"
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/collectors/hostprocess"
	"doctor/collectors/maskname"
	"doctor/collectors/pack"
	"doctor/collectors/redact"
	"doctor/ui"
	"doctor/ui/tui"
)

// Packing is how a bundle is to be.
type Packing struct {
	MaxSize   int64 // bytes of the zip; 0 takes all there is
	MaskNames bool
	// without the documents that explain the evidence
	EvidenceOnly bool
}

// DefaultMaxSize is small enough for a GitHub issue, which takes 25 MB.
const DefaultMaxSize = 24 << 20

// Read reads a node to its end: this one, or the one behind the API.
func Read(ctx context.Context, o Options, verbose bool) (Source, error) {
	l, err := Start(ctx, o, faults.Catalogue())
	if err != nil {
		return Source{}, err
	}
	defer l.Close()
	l.Read(ctx, func() {})
	if err := ctx.Err(); err != nil {
		return Source{}, err
	}
	l.Talk(o.tell, verbose)
	s, err := evidence.Load(l.tree.FS())
	if err != nil {
		return Source{}, err
	}
	return Source{Snapshot: s, Origin: l.origin, secrets: l.secrets,
		unsearched: unanswered(l.readings)}, nil
}

// A Bundling is evidence on its way into a bundle.
type Bundling struct {
	Snapshot evidence.Snapshot
	Options  pack.Options
	program  checks.Program
	bare     bool            // without documents
	report   checks.Report   // of what was written
	history  []pack.Document // earlier recordings of the node
}

// NewBundling prepares a bundle of the source.
func NewBundling(ctx context.Context, src Source, p Packing, o Options) *Bundling {
	list := faults.Catalogue().Signs()
	scan := signs.Logs(ctx, src.Snapshot, list)
	scan.Unsearched = append(scan.Unsearched, src.unsearched...)
	b := &Bundling{Snapshot: src.Snapshot, program: o.Program, bare: p.EvidenceOnly, Options: pack.Options{
		Since: o.Since, MaxSize: p.MaxSize, Doctor: o.Program.Version,
		Scan: scan, SearchedFor: signs.Digests(list), Redactor: cmp.Or(src.secrets, NewSecrets()),
	}}
	if p.MaskNames {
		key := make([]byte, 32)
		rand.Read(key)
		names := maskname.New(key)
		names.Learn(src.Snapshot)
		b.Options.Redactor, b.Options.Masked = b.Options.Redactor.Masking(names), names
	}
	return b
}

// DefaultName names the zip after the node and the time of the recording.
func (b *Bundling) DefaultName() string { return bundleName(b.Snapshot, b.Options.Redactor) }

var notInName = regexp.MustCompile(`[^a-zA-Z0-9-]`)

func bundleName(s evidence.Snapshot, secrets *redact.Redactor) string {
	node := notInName.ReplaceAllString(secrets.Text(s.Meta().Node), "-")
	at := ""
	if now := s.Now(); !now.IsZero() {
		at = "-" + now.UTC().Format("20060102T150405Z")
	}
	return "doctor-" + cmp.Or(node, "node") + at + ".zip"
}

// Write packs the evidence and what it shows into the zip of that name.
func (b *Bundling) Write(ctx context.Context, name string) (pack.Result, error) {
	b.Options.Conclude = func(recorded pack.Recorded) ([]pack.Document, error) {
		// a reader takes no more, and finds the rest again
		if len(b.Options.Scan.Matches) > signs.MaxRecorded {
			recorded.Whole = func(string) bool { return false }
		}
		documents, err := b.documents(recorded, b.Options.Redactor.Text(filepath.Base(name)),
			b.Options.Masked != nil)
		return append(documents, b.history...), err
	}
	return pack.Write(ctx, name, b.Snapshot, b.Options)
}

func leftOutOf(list []pack.Left) (left []ui.LeftOut) {
	for _, l := range list {
		left = append(left, ui.LeftOut{Path: l.Path, Reason: l.Reason, Why: l.Why})
	}
	return left
}

// documents judges what the bundle holds, as whoever receives it will.
func (b *Bundling) documents(recorded pack.Recorded, name string, masked bool) ([]pack.Document,
	error) {
	s, err := evidence.Load(recorded.FS)
	if err != nil {
		return nil, err
	}
	list := faults.Catalogue()
	scanned, _ := signs.RecordRest(s, list.Signs(), recorded.Whole)
	report := Shareable(checks.Diagnose(scanned, list, checks.Source{Kind: "bundle", Name: name,
		Format: evidence.Layout}, b.program))
	if b.report = report; b.bare {
		return nil, nil
	}
	about := ui.About{Bundle: name, Masked: masked, LeftOut: leftOutOf(recorded.Left)}
	written := func(format string) func(io.Writer) error {
		return func(w io.Writer) error { return ui.Write(w, format, report, ui.Style{Width: 100}) }
	}
	return []pack.Document{
		{Name: "report.json", Write: written("json")},
		{Name: "report.txt", Write: written("text")},
		{Name: "issue.md", Write: func(w io.Writer) error {
			return ui.Issue(w, report, scanned, about)
		}},
		{Name: "README.txt", Write: func(w io.Writer) error {
			return ui.BundleReadme(w, report, about)
		}},
	}, nil
}

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
	b.Options.Progress = Paced(tell)
	result, err := b.Write(ctx, path)
	if err != nil {
		return tui.BundleDone{}, onScreen(err)
	}
	done := tui.BundleDone{Path: path, Size: result.Size, Files: len(result.Manifest.Held())}
	counts := Replaced(result.Manifest, src.Snapshot)
	for _, kind := range ui.MostFirst(counts) {
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

// tellEvery is how often the screen gets the progress.
const tellEvery = 100 * time.Millisecond

// Paced turns progress into what is shown of it, a few times a second.
func Paced(tell func(tui.BundleProgress)) func(pack.Progress) {
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
			Total: p.Total, Left: timeLeft(p, now.Sub(began))})
	}
}

// timeLeft is how long a phase may still take, once there is something to go by.
func timeLeft(p pack.Progress, since time.Duration) time.Duration {
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
