package pack

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/flate"

	"doctor/checks/evidence"
	"doctor/collectors/outfile"
	"doctor/collectors/tree"
)

// A writer is one attempt at a bundle.
type writer struct {
	ctx    context.Context
	s      evidence.Snapshot
	o      Options
	plan   *plan
	shares map[string]share

	out      *digest
	zip      *zip.Writer
	names    map[string]bool // of the entries, in lower case
	stored   []stored
	manifest Manifest
	segments map[string][]segment // of the logs that were cut, by evidence path
	records  []evidence.LogRecord
	gaps     map[string]evidence.GapRecord // what the .gap files mean
	whole    map[string]bool               // the logs that are as they were

	open *digest // the file that is being written

	watched  sync.Mutex // of what follows, for logs are read ahead
	progress Progress
	told     time.Time
}

// stored is where the content of an entry lies in the zip.
type stored struct {
	name     string
	at       int64
	size     int64
	modified time.Time
}

// samplesName is the file that shows made-up secrets as the sink leaves them:
// their surroundings, with a token for each value.
const samplesName = "redaction-check.txt"

const madeHere = "made by doctor"

func newWriter(ctx context.Context, dst io.Writer, limit int64, s evidence.Snapshot, o Options,
	p *plan) *writer {
	w := &writer{ctx: ctx, s: s, o: o, plan: p, shares: p.shares(),
		out: &digest{w: dst, limit: limit, sum: crc32.NewIEEE()}, names: map[string]bool{},
		open: &digest{}, segments: map[string][]segment{}, whole: map[string]bool{},
		gaps: s.GapRecords()}
	w.zip = zip.NewWriter(w.out)
	w.zip.RegisterCompressor(zip.Deflate, newDeflater)
	w.manifest = Manifest{Layout: manifestLayout, Doctor: o.Doctor,
		CreatedAt: time.Now().UTC().Truncate(time.Second), MaxSize: o.MaxSize, LeftOut: []Left{}}
	if o.Since > 0 {
		w.manifest.Since = o.Since.String()
	}
	w.progress = Progress{Phase: "writing", Of: len(p.facts) + len(p.logs), Total: p.total}
	return w
}

// evidence writes the tree: facts first, then logs, and what is known of the
// logs last, when it is known what is left of them.
func (w *writer) evidence() error {
	for _, f := range slices.Concat(w.plan.facts, w.plan.logs) {
		if err := w.addFile(f.path, f.path, f); err != nil {
			return err
		}
		w.tell(1, 0)
	}
	for _, f := range w.plan.facts {
		if name := collectlogsName[f.path]; name != "" {
			if err := w.addFile(collectlogsFolder+name, f.path, f); err != nil {
				return err
			}
		}
	}
	for _, l := range w.plan.left {
		if err := w.leave(l); err != nil {
			return err
		}
	}
	if len(w.gaps) > 0 {
		if err := w.makeJSON(evidence.GapIndexPath, w.gaps); err != nil {
			return err
		}
	}
	return w.signs()
}

// leave names a file that is not taken, with a gap in its place.
func (w *writer) leave(l Left) error {
	_, recorded := w.s.Stat(l.Path + ".gap")
	if info, err := w.s.Stat(l.Path); err == nil && strings.HasPrefix(l.Path, "logs/") {
		w.records = append(w.records, evidence.LogRecord{Path: l.Path,
			LeftOutBytes: max(info.Size(), 1)})
	}
	l.Path = w.o.Redactor.Text(l.Path)
	for i, arg := range l.Why.Args {
		if text, ok := arg.(string); ok {
			l.Why.Args[i] = w.o.Redactor.Text(text)
		}
	}
	l.Reason = w.o.Redactor.Text(l.Why.String())
	w.manifest.LeftOut = append(w.manifest.LeftOut, l)
	w.manifest.Files = append(w.manifest.Files, File{Path: l.Path, Source: l.Path, Error: l.Reason})
	if recorded == nil {
		return nil // it says already why it is not there
	}
	why := evidence.LeftOutOfBundle.Gap(l.Reason)
	w.gaps[l.Path] = why.Record()
	return w.addMade(l.Path+".gap", false, func(dst io.Writer) error {
		_, err := fmt.Fprintln(dst, why)
		return err
	})
}

// signs writes what was found in the logs while they were whole.
func (w *writer) signs() error {
	found := append([]evidence.SignMatch{}, w.o.Scan.Matches...)
	for i, m := range found {
		if parts, cut := w.segments[m.Path]; cut {
			found[i].Line, found[i].LastLine = lineIn(parts, m.Line), lineIn(parts, m.LastLine)
		}
	}
	index := evidence.LogIndex{SearchedFor: w.o.SearchedFor, Logs: w.logRecords()}
	if err := w.makeJSON("signs.json", found); err != nil {
		return err
	}
	lines := append([]evidence.ErrorLine{}, w.o.Scan.Errors...)
	for i, e := range lines {
		if parts, cut := w.segments[e.Path]; cut {
			lines[i].Line, lines[i].LastLine = lineIn(parts, e.Line), lineIn(parts, e.LastLine)
		}
	}
	if err := w.makeJSON(evidence.ErrorLines.Path(), lines); err != nil {
		return err
	}
	return w.makeJSON("logs.json", index)
}

// logRecords are those of this bundle, and of the one that it was made of.
func (w *writer) logRecords() []evidence.LogRecord {
	records := w.records
	at := func(path string) *evidence.LogRecord {
		i := slices.IndexFunc(records, func(r evidence.LogRecord) bool {
			return strings.EqualFold(r.Path, path)
		})
		if i < 0 {
			records = append(records, evidence.LogRecord{Path: path})
			i = len(records) - 1
		}
		return &records[i]
	}
	for _, old := range evidence.LogRecords.In(w.s).Logs {
		r := at(old.Path)
		r.LeftOutLines += old.LeftOutLines
		r.LeftOutBytes += old.LeftOutBytes
		r.Unsearched = old.Unsearched
	}
	for _, u := range w.o.Scan.Unsearched {
		at(u.Path).Unsearched = u.Why
	}
	return append([]evidence.LogRecord{}, records...)
}

// recorded is the tree as far as it is written, read from where it was written to.
func (w *writer) recorded(f io.ReaderAt) (fs.FS, error) {
	if err := w.zip.Flush(); err != nil {
		return nil, err
	}
	end := w.out.n
	t := tree.New()
	for i := len(w.stored) - 1; i >= 0; i-- {
		e := w.stored[i]
		section := io.NewSectionReader(f, e.at, end-e.at)
		t.Add(e.name, tree.File{Size: e.size, Modified: e.modified,
			Open: func() (io.ReadCloser, error) {
				return flate.NewReader(io.NewSectionReader(section, 0, section.Size())), nil
			}})
		end = e.at
	}
	return t.FS(), nil
}

// conclude writes the documents, and the manifest last.
func (w *writer) conclude(f io.ReaderAt) error {
	if w.o.Conclude != nil {
		recorded, err := w.recorded(f)
		if err != nil {
			return err
		}
		documents, err := w.o.Conclude(Recorded{recorded, w.manifest.LeftOut,
			func(log string) bool { return w.whole[log] }})
		if err != nil {
			return err
		}
		for _, d := range documents {
			if err := w.addMade(d.Name, true, d.Write); err != nil {
				return err
			}
		}
	}
	if m := w.o.Masked; m != nil {
		w.manifest.Masked, w.manifest.Unmasked = maps.Clone(m.Counts()), m.Unmasked()
	}
	return w.addMade("manifest.json", true, func(dst io.Writer) error {
		return writeJSON(dst, w.manifest)
	})
}

// explain adds to an error for a bundle that is too large what was learnt of its text.
func (w *writer) explain(err error) error {
	if !errors.Is(err, errTooLarge) {
		return err
	}
	var text int64
	for _, f := range w.manifest.Files {
		text += f.BytesKept
	}
	return &oversizeError{w.out.limit, float64(max(text+w.open.n, 1)) / float64(max(w.out.n, 1))}
}

// tell reports the progress, a few times a second.
func (w *writer) tell(files int, bytes int64) {
	w.watched.Lock()
	defer w.watched.Unlock()
	w.progress.Files += files
	w.progress.Bytes += bytes
	if w.o.Progress != nil && time.Since(w.told) > 50*time.Millisecond {
		w.told = time.Now()
		w.o.Progress(w.progress)
	}
}

// attempt writes, checks and names one bundle, or leaves nothing.
func attempt(ctx context.Context, name string, s evidence.Snapshot, o Options, p *plan,
	most int64) (Result, error) {
	f, err := outfile.Create(name, o.Output)
	if err != nil {
		return Result{}, err
	}
	defer f.Discard()
	w := newWriter(ctx, f, most, s, o, p)
	text, values := o.Redactor.Samples()
	seen := false
	for _, step := range []func() error{
		w.evidence,
		func() error {
			seen = o.Redactor.Seen() > 0
			return w.addMade(samplesName, false, func(dst io.Writer) error {
				_, err := io.WriteString(dst, text)
				return err
			})
		},
		func() error { return w.conclude(f) },
		w.zip.Close,
		f.Sync,
	} {
		if err := step(); err != nil {
			return Result{}, explainDisk(w.explain(err), f, name)
		}
	}
	if err := compare(ctx, f, w.out.sum.Sum(nil)); err != nil {
		return Result{}, err
	}
	if err := verify(ctx, f.Name(), w.manifest, values, seen, o); err != nil {
		return Result{}, err
	}
	if err := f.Commit(); err != nil {
		return Result{}, err
	}
	return Result{Size: w.out.n, Manifest: w.manifest}, nil
}

// collectlogsName is under which name collectlogs.ps1 leaves the state of HNS.
var collectlogsName = map[string]string{
	"hns-networks.json": "network.txt", "hns-endpoints.json": "endpoint.txt",
	"hns-loadbalancers.json": "policy.txt", "hns-namespaces.json": "namespaces.txt",
}
