package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/collectors/maskname"
	"doctor/collectors/pack"
	"doctor/collectors/redact"
	"doctor/ui"
)

// packing are the options of bundle and convert.
type packing struct {
	maxSize   string
	maskNames bool
	estimate  bool
}

const defaultMaxSize = "24MiB"

func bundleCommand(std streams, f *flags) *cobra.Command {
	var p packing
	cmd := &cobra.Command{
		Use:   "bundle [-f FILE.zip]",
		Short: "Writes what a bug report needs into one zip, without the secrets",
		Long: `bundle reads a node as doctor itself does, this one or the one that --node, --from or --demo names, and writes
its evidence, the report and a filled-in bug form (issue.md) into one zip. Secrets are replaced by marks such as
<secret:password:3fa2c1>, and the zip gets its name only after it was read back and searched for every secret that was
seen. Anybody can read it: doctor --from FILE.zip gives the same diagnosis.

Exit status:
  0    the bundle is written
  1    doctor itself could not do its work
  2    the command line is wrong
  6    the bundle was refused: redaction or its verification went wrong, nothing was written
  130  interrupted, nothing was written`,
		Example: `  doctor bundle
  doctor bundle -f D:\case-17.zip --since 2h --mask-names
  doctor bundle --from collectlogs.zip -f node.zip
  doctor bundle --estimate`,
		Args: func(cmd *cobra.Command, args []string) error { return f.nodeArgument(cmd, args) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.forBundle(cmd); err != nil {
				return err
			}
			return writeBundle(cmd.Context(), std, *f, p)
		},
	}
	f.addSource(cmd)
	cmd.Flags().StringVarP(&f.file, "file", "f", "", "the zip to write; else doctor-NODE-TIME.zip in the current folder")
	p.add(cmd, defaultMaxSize)
	cmd.Flags().BoolVar(&p.estimate, "estimate", false, "write nothing; tell what would be taken, and how large it would be")
	return cmd
}

func convertCommand(std streams, f *flags) *cobra.Command {
	var p packing
	cmd := &cobra.Command{
		Use:   "convert PATH [-f FILE.zip]",
		Short: "Turns another tool's recording into a bundle, without the secrets",
		Long: `convert reads what another tool recorded (collectlogs.ps1, the EKS log collector, AKS collect-windows-logs, Rancher's
RKE2 collector, antctl supportbundle), and writes it as a bundle in doctor's own layout, evidence/v1.`,
		Example: `  doctor convert customer.zip -f evidence.zip
  doctor convert three-nodes.zip --node win-2 -f win-2.zip`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("convert takes the path of one recording")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.from != "" || f.demo != "" {
				return errors.New("convert takes the path of one recording; leave --from and --demo out")
			}
			f.from = args[0]
			if err := f.forBundle(cmd); err != nil {
				return err
			}
			f.since = 0
			return writeBundle(cmd.Context(), std, *f, p)
		},
	}
	cmd.Flags().StringVar(&f.node, "node", "", "which node, where the recording holds several")
	cmd.Flags().StringVarP(&f.file, "file", "f", "", "the zip to write; else doctor-NODE-TIME.zip in the current folder")
	p.add(cmd, "0")
	return cmd
}

func (p *packing) add(cmd *cobra.Command, maxSize string) {
	cmd.Flags().StringVar(&p.maxSize, "max-size", maxSize, "how large the zip may be, such as 24MiB; 0 takes all there is")
	cmd.Flags().BoolVar(&p.maskNames, "mask-names", false, "replace names of hosts and users, SIDs, MAC addresses and public IP addresses too")
}

// forBundle refuses what is said of a report.
func (f *flags) forBundle(cmd *cobra.Command) error {
	if f.node == anyNode {
		return errors.New("--node takes the name of the node to bundle; `doctor --node` lists them")
	}
	if f.demo == "list" {
		return errors.New("--demo takes the name of a recorded node; `doctor --demo list` lists them")
	}
	root := cmd.Root().Flags()
	for _, name := range []string{"only", "skip", "category", "output", "json", "fail-on", "accessible"} {
		if root.Changed(name) {
			return fmt.Errorf("a bundle holds the whole diagnosis in each form; leave --%s out", name)
		}
	}
	return f.validate()
}

// bytes reads --max-size: Kubernetes quantities, with a B for those who write one.
func (p packing) bytes() (int64, error) {
	size := strings.TrimSuffix(p.maxSize, "B")
	if kilo, ok := strings.CutSuffix(size, "K"); ok {
		size = kilo + "k"
	}
	n, err := evidence.ParseQuantity(size)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("--max-size takes a size such as 24MiB, or 0 for all there is, not %q", evidence.Clean(p.maxSize))
	}
	return n, nil
}

// writeBundle reads the node and packs what is known of it.
func writeBundle(ctx context.Context, std streams, f flags, p packing) error {
	maxSize, err := p.bytes()
	if err != nil {
		return err
	}
	src, err := f.evidence(ctx, std)
	if err != nil {
		return err
	}
	defer src.Close()
	b := newBundling(ctx, src, p, maxSize, f.since)
	show := newProgressLine(std.err)
	b.options.Progress = show.progress
	if p.estimate {
		result, err := pack.Estimate(ctx, b.snapshot, b.options)
		show.clear()
		if err != nil {
			return failed(ctx, err)
		}
		return printEstimate(std.out, result, b.snapshot)
	}
	name := cmp.Or(f.file, b.defaultName())
	result, err := b.write(ctx, name)
	show.clear()
	if err != nil {
		return failed(ctx, err)
	}
	return printBundle(std.out, name, result, b.snapshot)
}

// failed tells a refusal from trouble, and both from a user who has had enough.
func failed(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, pack.ErrRefused):
		return exit{exitRefused, err}
	}
	return trouble(err)
}

// evidence reads what the flags name, to its end.
func (f flags) evidence(ctx context.Context, std streams) (source, error) {
	var l *live
	switch {
	case f.node != "" && f.from == "":
		var err error
		if l, err = f.throughAPI(ctx, faults.Catalogue()); err != nil {
			return source{}, err
		}
	case f.isLive():
		l = f.onNode(faults.Catalogue())
	default:
		src, err := f.open()
		if err == nil {
			for _, note := range src.notes {
				fmt.Fprintln(std.err, "doctor:", evidence.Clean(note))
			}
		}
		return src, err
	}
	l.read(ctx, func() {})
	if err := ctx.Err(); err != nil {
		return source{}, err
	}
	l.talk(std, f.verbose)
	s, err := evidence.Load(l.tree.FS())
	if err != nil {
		return source{}, trouble(err)
	}
	return source{snapshot: s, origin: l.origin, secrets: l.secrets, unsearched: unanswered(l.readings)}, nil
}

// A bundling is evidence on its way into a bundle.
type bundling struct {
	snapshot evidence.Snapshot
	options  pack.Options
}

func newBundling(ctx context.Context, src source, p packing, maxSize int64, since time.Duration) *bundling {
	list := faults.Catalogue().Signs()
	found, unsearched := signs.Logs(ctx, src.snapshot, list)
	b := &bundling{snapshot: src.snapshot, options: pack.Options{
		Since: since, MaxSize: maxSize, Doctor: program().Version,
		Signs: found, Unsearched: append(unsearched, src.unsearched...), SearchedFor: signs.Digests(list),
	}}
	if b.options.Redactor = src.secrets; b.options.Redactor == nil {
		b.options.Redactor = redact.New(redact.Options{})
	}
	if p.maskNames {
		key := make([]byte, 32)
		rand.Read(key)
		names := maskname.New(key)
		names.Learn(src.snapshot)
		b.options.Redactor, b.options.Masked = b.options.Redactor.Masking(names), names
	}
	return b
}

func (b *bundling) defaultName() string { return bundleName(b.snapshot, b.options.Redactor) }

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

func (b *bundling) write(ctx context.Context, name string) (pack.Result, error) {
	b.options.Conclude = func(recorded pack.Recorded) ([]pack.Document, error) {
		if len(b.options.Signs) > signs.MaxRecorded { // a reader takes no more, and finds the rest again
			recorded.Whole = func(string) bool { return false }
		}
		return documents(recorded, b.options.Redactor.Text(filepath.Base(name)), b.options.Masked != nil)
	}
	return pack.Write(ctx, name, b.snapshot, b.options)
}

// documents judges what the bundle holds, as whoever receives it will.
func documents(recorded pack.Recorded, name string, masked bool) ([]pack.Document, error) {
	s, err := evidence.Load(recorded.FS)
	if err != nil {
		return nil, err
	}
	list := faults.Catalogue()
	scanned, _ := signs.RecordRest(s, list.Signs(), recorded.Whole)
	report := shareable(checks.Diagnose(scanned, list, checks.Source{Kind: "bundle", Name: name, Format: evidence.Layout}, program()))
	about := ui.About{Bundle: name, Masked: masked}
	for _, l := range recorded.Left {
		about.LeftOut = append(about.LeftOut, ui.LeftOut{Path: l.Path, Reason: l.Reason})
	}
	written := func(format string) func(io.Writer) error {
		return func(w io.Writer) error { return ui.Write(w, format, report, ui.Style{Width: 100}) }
	}
	return []pack.Document{
		{Name: "report.json", Write: written("json")},
		{Name: "report.txt", Write: written("text")},
		{Name: "issue.md", Write: func(w io.Writer) error { return ui.Issue(w, report, scanned, about) }},
		{Name: "README.txt", Write: func(w io.Writer) error { return ui.BundleReadme(w, report, about) }},
	}, nil
}

// kinds writes counts, the largest first: 3 password, 1 bearer.
func kinds(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	var parts []string
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%d %s", counts[name], name))
	}
	return strings.Join(parts, ", ")
}
