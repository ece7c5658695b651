package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/signs"
	"doctor/fixtures"
	"doctor/ui"
	"doctor/ui/tui"
)

// diagnose opens the source, runs the checks and hands the report on.
func diagnose(ctx context.Context, std streams, f flags) error {
	if err := f.validate(); err != nil {
		return err
	}
	if f.demo == "list" {
		if f.output != "" || f.file != "" {
			return errors.New("--demo list writes plain text to standard output; leave -o, --json and -f out")
		}
		return listDemos(std.out)
	}
	list, err := f.selected()
	if err != nil {
		return err
	}
	src, err := f.open()
	if err != nil {
		return err
	}
	defer src.Close()
	for _, note := range src.notes {
		fmt.Fprintln(std.err, "doctor:", evidence.Clean(note))
	}
	scanned, unread := signs.Record(src.snapshot, checks.Signs(list))
	for _, u := range unread {
		fmt.Fprintln(std.err, "doctor: could not read all of", evidence.Clean(u))
	}
	report := checks.Diagnose(scanned, list, src.origin, program())
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := show(ctx, std, f, report); err != nil {
		return err
	}
	return verdict(report, f.failOn)
}

// validateOutput checks what lint takes too.
func (f *flags) validateOutput() error {
	if f.json {
		if f.output != "" && f.output != "json" {
			return fmt.Errorf("--json and -o %s contradict each other; give one of them", evidence.Clean(f.output))
		}
		f.output = "json"
	}
	switch {
	case f.output != "" && !slices.Contains(ui.Formats(), f.output):
		return fmt.Errorf("there is no format %q; the formats are %s", evidence.Clean(f.output), strings.Join(ui.Formats(), ", "))
	case f.failOn != "fail" && f.failOn != "warn":
		return fmt.Errorf("--fail-on takes fail or warn, not %q", evidence.Clean(f.failOn))
	}
	return nil
}

func (f *flags) validate() error {
	if err := f.validateOutput(); err != nil {
		return err
	}
	switch {
	case f.from != "" && f.demo != "":
		return errors.New("--from and --demo name two nodes; give one of them")
	case f.from == "" && f.demo == "":
		return noSource()
	}
	return nil
}

// show draws the report: the screen on a terminal, else the chosen format.
func show(ctx context.Context, std streams, f flags, r checks.Report) error {
	style := ui.Style{ASCII: f.ascii || os.Getenv("TERM") == "dumb"}
	terminal := f.file == "" && term.IsTerminal(std.out.Fd())
	if terminal {
		style.Colour = colourWanted() && os.Getenv("TERM") != "dumb"
		style.Width, _, _ = term.GetSize(std.out.Fd())
	}
	if f.output == "" && !f.noScreen && terminal && term.IsTerminal(std.in.Fd()) && os.Getenv("TERM") != "dumb" {
		if _, err := tui.Run(ctx, std.in, std.out, tui.Finished(r), tui.Options{ASCII: style.ASCII, NoColour: !style.Colour}); err != nil {
			return trouble(err)
		}
		return nil
	}
	if f.file != "" {
		var b bytes.Buffer
		if err := ui.Write(&b, cmp.Or(f.output, "text"), r, style); err != nil {
			return trouble(err)
		}
		return writeFile(f.file, b.Bytes())
	}
	if err := ui.Write(std.out, cmp.Or(f.output, "text"), r, style); err != nil {
		return trouble(fmt.Errorf("writing the report: %w", err))
	}
	return nil
}

// writeFile puts the whole content under the name, or nothing.
func writeFile(name string, content []byte) error {
	if isFolder(name) {
		return trouble(fmt.Errorf("%s is a folder; name a file in it", name))
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*.partial")
	if err != nil {
		return trouble(fmt.Errorf("writing %s: %w", name, reason(err)))
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(content)
	if err = cmp.Or(err, tmp.Chmod(0o644), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		return trouble(fmt.Errorf("writing %s: %w", name, reason(err)))
	}
	return nil
}

// colourWanted honours NO_COLOR, whatever its value.
func colourWanted() bool {
	_, set := os.LookupEnv("NO_COLOR")
	return !set
}

// reason takes the temporary file's name out of an error: nobody asked for that file.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}

func demoNames() []string { return fixtures.Names() }

func listDemos(w io.Writer) error {
	for _, name := range demoNames() {
		r, err := fixtures.Open(name)
		if err != nil {
			return trouble(err)
		}
		if _, err := fmt.Fprintf(w, "%-40s %s\n", name, r.Title()); err != nil {
			return trouble(err)
		}
	}
	return nil
}
