package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"doctor/checks/evidence"
	"doctor/cmd/doctor/internal/session"
	"doctor/collectors/bundle"
	"doctor/collectors/hostprocess"
	"doctor/collectors/pack"
	"doctor/ui"
)

// packing are the options of bundle and convert.
type packing struct {
	maxSize   string
	maskNames bool
	estimate  bool
}

const defaultMaxSize = "24MiB"

// bundleGarbage keeps what packs a half-dead node below 64 MiB. It costs no time that can be measured: most of what
// is allocated are buffers that stay.
const bundleGarbage = 50

func bundleCommand(std streams, f *flags) *cobra.Command {
	var p packing
	cmd := &cobra.Command{
		Use:   "bundle [FILE.zip]",
		Short: "Writes what a bug report needs into one zip, without the secrets",
		Long: `bundle reads a node as doctor itself does, this one or the one that --node, --from or --demo names, and writes
its evidence, the report and a filled-in bug form (issue.md) into one zip. Secrets are replaced by marks such as
<secret:password:3fa2c1>, and the zip gets its name only after it was read back and searched for every secret that was
seen. Anybody can read it: doctor --from FILE.zip gives the same diagnosis.

Exit status:
  0    the bundle is written
  1    internal error, or the node or recording cannot be read
  2    usage error
  6    the bundle was refused: redaction or its verification failed, nothing was written
  130  interrupted, nothing was written`,
		Example: `  doctor bundle
  doctor bundle D:\case-17.zip --since 2h --mask-names
  doctor bundle --from collectlogs.zip node.zip
  doctor bundle --node win-1 - | ssh backup 'cat > win-1.zip'
  doctor bundle --estimate`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := f.checkSource(cmd); err != nil {
				return err
			}
			return f.fileArgument(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			debug.SetGCPercent(bundleGarbage)
			if err := f.forBundle(cmd, std, p); err != nil {
				return err
			}
			return writeBundle(cmd.Context(), std, *f, p)
		},
	}
	f.addSource(cmd)
	f.addOutput(cmd, zipUsage)
	p.add(cmd, defaultMaxSize)
	cmd.Flags().BoolVar(&p.estimate, "estimate", false,
		"write nothing; list what would be included, and the size of the bundle")
	return cmd
}

const zipUsage = "the zip to write, or - for standard output; without it doctor-NODE-TIME.zip in the current folder"

// fileArgument takes the zip that is named without --output-file.
func (f *flags) fileArgument(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case len(args) > 1:
		return fmt.Errorf("%s writes one zip, and was given %d names", cmd.CommandPath(),
			len(args))
	case f.file != "":
		return fmt.Errorf("%s and --output-file %s name two files; give one of them",
			evidence.Clean(args[0]), evidence.Clean(f.file))
	case args[0] == "":
		return errors.New("the file to write is given an empty name")
	}
	f.file = args[0]
	return nil
}

func convertCommand(std streams, f *flags) *cobra.Command {
	var p packing
	cmd := &cobra.Command{
		Use:   "convert PATH [FILE.zip]",
		Short: "Turns another tool's recording into a bundle, without the secrets",
		Long: `convert reads what another tool recorded (collectlogs.ps1, the EKS log collector, AKS collect-windows-logs, Rancher's
RKE2 collector, antctl supportbundle), and writes it as a bundle in doctor's own layout, evidence/v1.`,
		Example: `  doctor convert customer.zip evidence.zip
  doctor convert three-nodes.zip --node win-2 win-2.zip`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "" {
				return errors.New("convert takes the path of one recording")
			}
			return f.fileArgument(cmd, args[1:])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.From != "" || f.Demo != "" {
				return errors.New(
					"convert takes the path of one recording; leave --from and --demo out")
			}
			f.From = args[0]
			if err := f.forBundle(cmd, std, p); err != nil {
				return err
			}
			f.Since = 0
			return writeBundle(cmd.Context(), std, *f, p)
		},
	}
	cmd.Flags().StringVar(&f.Node, "node", "", "which node, where the recording holds several")
	f.addOutput(cmd, zipUsage)
	p.add(cmd, "0")
	return cmd
}

func (p *packing) add(cmd *cobra.Command, maxSize string) {
	cmd.Flags().StringVar(&p.maxSize, "max-size", maxSize,
		"how large the zip may be, such as 24MiB; 0 takes all there is")
	cmd.Flags().BoolVar(&p.maskNames, "mask-names", false,
		"replace names of hosts and users, SIDs, MAC addresses and public IP addresses too")
}

// forBundle refuses what is said of a report, and a zip that cannot be written.
func (f *flags) forBundle(cmd *cobra.Command, std streams, p packing) error {
	if f.Node == anyNode {
		return errors.New("--node takes the name of the node to bundle; `doctor --node` lists them")
	}
	if f.Demo == listWord {
		return errors.New(
			"--demo takes the name of a recorded node; `doctor --demo list` lists them")
	}
	root := cmd.Root().Flags()
	for _, name := range []string{"only", "skip", "category", "output", "json", "fail-on",
		"accessible", "quiet"} {
		if root.Changed(name) {
			return fmt.Errorf("a bundle holds the whole diagnosis in each form; leave --%s out",
				name)
		}
	}
	if err := f.validate(); err != nil || p.estimate {
		return err
	}
	if f.file == standardOutput {
		if term.IsTerminal(std.out.Fd()) {
			return errors.New("standard output is a terminal; redirect it, or name a file")
		}
		return nil
	}
	return f.validateFile(cmd)
}

// bytes reads --max-size: Kubernetes quantities, with a B for those who write one.
func (p packing) bytes() (int64, error) {
	size := strings.TrimSuffix(p.maxSize, "B")
	if kilo, ok := strings.CutSuffix(size, "K"); ok {
		size = kilo + "k"
	}
	n, err := evidence.ParseQuantity(size)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("--max-size takes a size such as 24MiB, or 0 for all there is, not %q",
			evidence.Clean(p.maxSize))
	}
	return n, nil
}

// writeBundle reads the node and packs what is known of it.
func writeBundle(ctx context.Context, std streams, f flags, p packing) error {
	maxSize, err := p.bytes()
	if err != nil {
		return err
	}
	src, err := f.source(ctx, std)
	if err != nil {
		return err
	}
	defer src.Close()
	b := session.NewBundling(ctx, src, session.Packing{MaxSize: maxSize, MaskNames: p.maskNames},
		f.Options)
	show := newProgressLine(std.err)
	b.Options.Progress = session.Paced(show.progress)
	if p.estimate {
		result, err := pack.Estimate(ctx, b.Snapshot, b.Options)
		show.clear()
		if err != nil {
			return failed(ctx, err)
		}
		return printEstimate(std.out, result, b.Snapshot)
	}
	b.Options.Output = f.outputOptions()
	if f.file == standardOutput {
		return streamBundle(ctx, std, b, show)
	}
	name := f.file
	if name == "" {
		if name, err = hostprocess.Default(b.DefaultName()); err != nil {
			return trouble(err)
		}
	}
	result, err := b.Write(ctx, name)
	show.clear()
	if err != nil {
		return failed(ctx, err)
	}
	warnLost(std, name)
	return printBundle(std.out, name, result, b.Snapshot)
}

// streamBundle writes the bundle to standard output, once a file of it was read back and searched.
func streamBundle(ctx context.Context, std streams, b *session.Bundling, show *progressLine) error {
	dir, err := os.MkdirTemp("", "doctor-*")
	if err != nil {
		return trouble(
			fmt.Errorf("the temporary folder %s cannot be written: %w; name a file in place of -",
				os.TempDir(), bundle.Bare(err)))
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, b.DefaultName())
	result, err := b.Write(ctx, name)
	show.clear()
	if err != nil {
		return failed(ctx, err)
	}
	zip, err := os.Open(name)
	if err != nil {
		return trouble(bundle.Bare(err))
	}
	defer zip.Close()
	// A reader that goes away ends this program at once; on Unix nothing is left even so.
	os.Remove(name)
	os.Remove(dir)
	if _, err := io.Copy(std.out, zip); err != nil {
		return trouble(fmt.Errorf("writing to standard output: %w", bundle.Bare(err)))
	}
	zip.Close() // Windows removes no open file
	return printBundle(std.err, filepath.Base(name), result, b.Snapshot)
}

// source opens the recording, or reads the node to its end.
func (f flags) source(ctx context.Context, std streams) (session.Source, error) {
	if f.From == "" && f.Demo == "" {
		src, err := session.Read(ctx, f.Options, f.verbose)
		return src, sourceError(err, f.Node)
	}
	return openRecording(f.Options, std)
}

// failed tells a refusal from trouble, and both from a user who has had enough.
func failed(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, pack.ErrRefused):
		return exit{exitRefused, err}
	}
	return outputError(err)
}

// countsByKind writes counts, the largest first: 3 password, 1 bearer.
func countsByKind(counts map[string]int) string {
	var parts []string
	for _, name := range ui.MostFirst(counts) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[name], name))
	}
	return strings.Join(parts, ", ")
}
