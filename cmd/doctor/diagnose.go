package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/cmd/doctor/internal/session"
	"doctor/collectors/cluster"
	"doctor/collectors/fleet"
	"doctor/collectors/foreign"
	"doctor/collectors/outfile"
	"doctor/collectors/probe"
	"doctor/fixtures"
	"doctor/ui"
	"doctor/ui/console"
	"doctor/ui/spoken"
	"doctor/ui/tui"
)

// diagnose opens the source, runs the checks and hands the report on.
func diagnose(ctx context.Context, std streams, f flags) error {
	if err := f.validate(); err != nil {
		return err
	}
	if f.exitCode == npd {
		return diagnoseForNPD(ctx, std, f)
	}
	if f.Demo == listWord {
		if f.output != "" || f.file != "" {
			return errors.New("--demo list writes plain text to standard output; " +
				"leave -o, --json and --output-file out")
		}
		out := f.displayOn(std)
		defer out.close()
		return listDemos(out)
	}
	list, err := f.selected()
	if err != nil {
		return err
	}
	switch {
	case f.Node != "" && f.From == "":
		l, err := session.ThroughAPI(ctx, f.Options, list)
		if err != nil {
			return sourceError(err, f.Node)
		}
		defer l.Close()
		f.tellOnNode(std)
		return diagnoseLive(ctx, std, f, l)
	case f.IsLive():
		return diagnoseLive(ctx, std, f, session.OnNode(f.Options, list))
	}
	src, err := openRecording(f.Options, std)
	if recording, ok := errors.AsType[*session.FleetRecording](err); ok {
		return diagnoseRecordedFleet(ctx, std, f, list, recording)
	}
	if err != nil {
		return err
	}
	defer src.Close()
	scanned, report, unread := session.Judge(src, list, program())
	for _, u := range unread {
		std.tell("could not read all of " + u.String())
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	out := f.displayOn(std)
	defer out.close()
	if err := out.show(ctx, report, scanned); err != nil {
		return err
	}
	return verdict(report, f.failOn)
}

// openRecording opens a recording. That there is none of the name is the user's to put
// right, like everything that is wrong with the command line.
func openRecording(o session.Options, std streams) (session.Source, error) {
	src, err := session.Open(o)
	for _, note := range src.Notes {
		std.tell(note)
	}
	var which *foreign.WhichError
	var none *fleet.NoNodeError
	switch {
	case err == nil:
		return src, nil
	case errors.As(err, new(*session.FleetRecording)):
		return src, err
	case errors.Is(err, fixtures.ErrUnknown):
		return src, unknownName("demo", o.Demo, fixtures.Names(), "`doctor --demo list` lists them")
	case errors.As(err, &none):
		return src, fmt.Errorf("%w%s", err, didYouMean(none.Name, none.Names))
	case errors.As(err, &which):
		if near := didYouMean(o.Node, which.Names()); near != "" {
			err = fmt.Errorf("%w\n%s", err, strings.TrimPrefix(near, "; "))
		}
		return src, err
	}
	return src, trouble(err)
}

// sourceError tells a cluster that cannot be asked from one that was asked for the wrong thing.
func sourceError(err error, node string) error {
	if errors.Is(err, session.ErrNoCluster) && !errors.Is(err, cluster.ErrNoContext) {
		return trouble(err)
	}
	if missing, ok := errors.AsType[*session.NoNodeError](err); ok {
		return fmt.Errorf("%w%s", err, didYouMean(node, missing.Windows))
	}
	return err
}

// liveGarbage keeps a diagnosis small on a node that may be short of memory: under Wine, where most of it is the
// program itself, staged nodes peak at 85 to 94 MB, at 92 to 98 with 50, and it takes no longer.
const liveGarbage = 25

// diagnoseLive reads the node and shows the verdicts, on a screen as they come.
func diagnoseLive(ctx context.Context, std streams, f flags, l *session.Live) error {
	debug.SetGCPercent(liveGarbage)
	out := f.displayOn(std)
	defer out.close()
	if out.isSpoken() || out.onScreen() {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel() // when the user leaves, nobody takes the feed's updates any more
		feed := l.Feed(ctx)
		feed.Bundle = session.Bundler(f.Options, l.Secrets())
		last, err := out.follow(ctx, feed)
		switch {
		case err != nil:
			return err
		case !last.Done: // the user left before there was a verdict
			return exit{status: exitInterrupted}
		}
		tellSetup(std, l)
		return cmp.Or(trouble(l.Unread()), verdict(last.Report, f.failOn))
	}
	l.Read(ctx, func() {})
	if err := ctx.Err(); err != nil {
		return err
	}
	report, s, err := l.Report()
	if err != nil {
		return trouble(err)
	}
	l.Talk(std.tell, f.verbose)
	tellSetup(std, l)
	if err := out.show(ctx, report, s); err != nil {
		return err
	}
	return cmp.Or(trouble(l.Unread()), verdict(report, f.failOn))
}

// jsonAlone makes --json the format, and refuses another one beside it.
func (f *flags) jsonAlone() error {
	if f.json && f.output != "" && f.output != "json" {
		return fmt.Errorf("--json and -o %s contradict each other; give one of them",
			evidence.Clean(f.output))
	}
	if f.json {
		f.output = "json"
	}
	return nil
}

// validateOutput checks the format and the verdicts that are errors.
func (f *flags) validateOutput(formats []string) error {
	if err := f.jsonAlone(); err != nil {
		return err
	}
	if f.output != "" && !slices.Contains(formats, f.output) {
		return unknownFormat(f.output, formats)
	}
	return f.failOn.validate()
}

func unknownFormat(name string, known []string) error {
	return unknownName("format", name, known, "the formats are "+strings.Join(known, ", "))
}

func (f *flags) validate() error {
	if err := f.validateOutput(ui.Formats()); err != nil {
		return err
	}
	if f.quiet {
		if f.output != "" && f.output != "text" {
			return fmt.Errorf("--quiet shortens text; leave -o %s out", evidence.Clean(f.output))
		}
		f.output = "text"
	}
	if f.FromPod != "" && !strings.Contains(f.FromPod, "/") && f.Cluster.Context.Namespace != "" {
		f.FromPod = f.Cluster.Context.Namespace + "/" + f.FromPod
	}
	if err := f.validateOnNode(); err != nil {
		return err
	}
	switch {
	case f.exitCode != "" && f.exitCode != npd:
		return fmt.Errorf("--exit-code takes npd, not %q", evidence.Clean(f.exitCode))
	case f.exitCode != "" && (f.output != "" || f.file != "" || f.accessible || f.Demo == listWord):
		return errors.New("--exit-code npd prints one line; leave -o, --json, --output-file, --quiet and --accessible out")
	case f.accessible && f.quiet:
		return errors.New("--accessible cannot be combined with --quiet")
	case f.accessible && (f.output != "" || f.file != ""):
		return errors.New("--accessible cannot be combined with -o, --json or --output-file")
	case f.From != "" && f.Demo != "", f.Demo != "" && f.Node != "":
		return errors.New("--demo cannot be combined with --from or --node: a demo has one node")
	case f.Cluster.Given() && (f.From != "" || f.Demo != ""):
		return errors.New(
			"a recording is read without the cluster; leave --kubeconfig, --context and the like out")
	case f.IsLive() && runtime.GOOS != "windows":
		return noSource()
	case f.FromPod != "" && (f.From != "" || f.Demo != ""):
		return errors.New("a recording holds what was probed; leave --from-pod out")
	case f.FromPod != "" && strings.Count(strings.Trim(f.FromPod, "/"), "/") != 1:
		return errors.New("--from-pod takes NAMESPACE/NAME, or NAME with --namespace")
	case f.FromPod != "" && f.Passive:
		return errors.New("--from-pod and --passive contradict each other; give one of them")
	case len(f.Targets) > 0 && !f.IsLive() && f.FromPod == "":
		return errors.New(
			"--target is for the node that doctor runs on; `doctor probe reach` sends probes from anywhere")
	case len(f.Targets) > 0 && f.Passive:
		return errors.New("--target and --passive contradict each other; give one of them")
	case f.Timeout <= 0:
		return errors.New("--timeout takes a time above zero, such as 9s")
	case f.Since < 0:
		return errors.New("--since takes a time above zero, such as 24h")
	}
	if f.theme != "" {
		if _, err := tui.Theme(f.theme, os.Getenv); err != nil {
			return err
		}
	}
	for _, target := range f.Targets {
		if _, err := probe.ParseReachTarget(target); err != nil {
			return err
		}
	}
	return nil
}

// A display is where the result goes: the terminal and what it can do, or a file.
type display struct {
	flags
	console *console.Console
	std     streams
}

func (f flags) displayOn(std streams) display {
	return display{f, console.Open(std.in, std.out), std}
}

// close gives the terminal back as it was.
func (d display) close() { d.console.Restore() }

func (d display) style() ui.Style {
	if d.file != "" {
		return ui.Style{ASCII: d.ascii, Quiet: d.quiet, Lang: d.lang.catalogue()}
	}
	return ui.Style{ASCII: d.ascii || d.console.ASCII(),
		Colour: d.console.Colour() && d.theme != "none",
		Width:  d.console.Width(), Quiet: d.quiet, Lang: d.lang.catalogue()}
}

// onScreen tells whether the report gets the whole screen, with keys.
func (d display) onScreen() bool {
	return d.output == "" && d.file == "" && !d.noScreen && d.console.Screen()
}

// isSpoken tells whether the report is told in plain lines. The environment
// says what the user needs in general, so a format that is asked for goes first.
func (d display) isSpoken() bool {
	if d.output != "" || d.file != "" || d.noScreen {
		return false
	}
	always := os.Getenv("ACCESSIBLE")
	return d.accessible || always != "" && always != "0"
}

// speak tells what the feed brings in plain lines, and answers where somebody is there to ask.
func (d display) speak(ctx context.Context, feed tui.Feed) (tui.Update, error) {
	d.console.EnterText()
	// who only redirects the output waits for no question
	ask := d.console.Keyboard() && (d.accessible || d.console.Terminal())
	last, err := spoken.Run(ctx, d.std.in, d.console.Output(), feed,
		spoken.Options{Ask: ask, ASCII: d.style().ASCII, Lang: d.style().Lang})
	return last, unlessEnded(ctx, err)
}

// follow shows or tells a live run, and returns the last of it.
func (d display) follow(ctx context.Context, feed tui.Feed) (tui.Update, error) {
	if d.isSpoken() {
		return d.speak(ctx, feed)
	}
	left, err := d.screen(ctx, feed)
	return left.Update, err
}

func (d display) screenOptions() (tui.Options, error) {
	theme, err := tui.Theme(d.theme, os.Getenv)
	style := d.style()
	return tui.Options{Catalogue: faults.Catalogue(), ASCII: style.ASCII, Theme: theme,
		Lang: style.Lang}, err
}

// screen shows what the feed brings until the user leaves, and returns the last of it.
func (d display) screen(ctx context.Context, feed tui.Feed) (tui.Leave, error) {
	options, err := d.screenOptions()
	if err != nil {
		return tui.Leave{}, err
	}
	d.console.EnterScreen()
	last, err := tui.Run(ctx, d.std.in, d.console.Output(), feed, options)
	if err != nil || ctx.Err() != nil {
		return last, unlessEnded(ctx, err)
	}
	d.console.Restore()
	if last.Print {
		return last, d.write(last.Report)
	}
	return last, nil
}

// show draws the report: the screen on a terminal, else the chosen format.
func (d display) show(ctx context.Context, r checks.Report, s evidence.Snapshot) error {
	feed := tui.Finished(r, s)
	feed.Bundle = session.Bundler(d.Options, nil)
	switch {
	case d.isSpoken():
		_, err := d.speak(ctx, feed)
		return err
	case d.onScreen():
		_, err := d.screen(ctx, feed)
		return err
	}
	return d.deliver(func(w io.Writer) error {
		if d.output == "html" {
			return ui.WriteHTML(w, r, s, session.SecretText(), d.style())
		}
		err := ui.Write(w, cmp.Or(d.output, "text"), r, d.style())
		if err == nil && d.output == "markdown" {
			err = ui.WriteMermaid(w, r, s, session.SecretText(), d.style())
		}
		return err
	})
}

// write draws the report on standard output, whether a file is named or not.
func (d display) write(r checks.Report) error {
	d.file = ""
	return d.deliver(func(w io.Writer) error {
		return ui.Write(w, cmp.Or(d.output, "text"), r, d.style())
	})
}

// deliver draws on standard output or in the file that was named.
func (d display) deliver(draw func(w io.Writer) error) error {
	if d.file != "" {
		var b bytes.Buffer
		if err := draw(&b); err != nil {
			return trouble(err)
		}
		err := outfile.Write(d.file, b.Bytes(), d.outputOptions())
		if err == nil {
			warnLost(d.std, d.file)
		}
		return outputError(err)
	}
	d.console.EnterText()
	out := io.Writer(d.std.out)
	if d.output == "" || d.output == "text" || d.output == "wide" {
		out = d.console.Output() // what programs read is the same everywhere
	}
	if err := draw(out); err != nil {
		return trouble(fmt.Errorf("writing the report: %w", err))
	}
	return nil
}
