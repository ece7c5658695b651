package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"path/filepath"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/collectors/maskname"
	"doctor/collectors/pack"
	"doctor/collectors/redact"
	"doctor/ui"
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

func bundleName(s evidence.Snapshot, secrets *redact.Redactor) string {
	node := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, secrets.Text(s.Meta().Node))
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
