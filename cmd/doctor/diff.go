package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"doctor/checks"
	"doctor/checks/diff"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/cmd/doctor/internal/session"
	"doctor/fixtures"
	"doctor/ui"
	"doctor/ui/tui"
)

func diffCommand(std streams) *cobra.Command {
	f := flags{Options: session.Options{Program: program(), In: std.in, Tell: std.tell}}
	var demos []string
	var all bool
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compares two nodes, or one node at two times, by what their evidence means",
		Long: `diff compares two nodes by what their evidence means: HNS networks by name, endpoints by what
HNS does for pods, load balancers by VIP and port, services by name, files by path and parsed
content. What must differ between two nodes of a cluster (names, addresses, podCIDRs, MACs, GUIDs,
times) is set aside. Differences that explain a fault of one node come first. On a terminal it shows
a screen with both nodes side by side; otherwise it writes text.

A and B are each a recording (PATH; PATH#2 for the second node or snapshot in it, PATH#NAME for the
node of this name), demo:NAME, or node:NAME through the Kubernetes API.

Exit status: 0 no difference that matters, 3 differences that matter, 1 nothing could be compared;
otherwise as in the help of doctor itself.`,
		Example: `  doctor diff good.zip bad.zip
  doctor diff node:win-1 node:win-2
  doctor diff monday.zip tuesday.zip -o markdown
  doctor diff support-bundle.zip#1 support-bundle.zip#2
  doctor diff --demo healthy-flannel-hostgw --demo outboundnat-exception-missing`,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range demos {
				args = append(args, demoPrefix+name)
			}
			if len(args) != 2 {
				return fmt.Errorf("diff compares two nodes, and was given %d; name a recording, demo:NAME or node:NAME for each", len(args))
			}
			if err := f.validateOutput(ui.DiffFormats()); err != nil {
				return err
			}
			for _, arg := range args {
				if path, _, _ := strings.Cut(arg, "#"); !strings.HasPrefix(arg, demoPrefix) && !strings.HasPrefix(arg, nodePrefix) {
					f.inputs = append(f.inputs, path)
				}
			}
			if err := f.validateFile(cmd); err != nil {
				return err
			}
			return compare(cmd.Context(), std, f, args, all)
		},
	}
	p := cmd.Flags()
	p.StringArrayVar(&demos, "demo", nil, "a built-in recorded node, as demo:NAME")
	p.BoolVar(&all, "all", false, "show differences in what changes by itself too (certificates, memory, disks)")
	f.addFormats(cmd, "write %s instead of showing a screen", ui.DiffFormats)
	f.addOutput(cmd, "write to this file instead of standard output")
	f.addLooks(cmd)
	f.addCluster(cmd)
	spanFlag(p, &f.Timeout, "timeout", session.DefaultTimeout, "s",
		"time limit for reading a node through the API, in seconds or as 30s or 2m")
	spanFlag(p, &f.Since, "since", session.DefaultSince, "", "how far back logs of a node are read")
	f.Passive = true
	completeWith(cmd, "demo", fixtures.Names)
	return cmd
}

const (
	demoPrefix = "demo:"
	nodePrefix = "node:"
)

// compare reads both nodes, one after the other, and writes what differs.
func compare(ctx context.Context, std streams, f flags, names []string, all bool) error {
	var sides [2]diff.Side
	var nodes [2]tui.Update // as their own screens show them
	secrets := session.NewSecrets()
	for i, name := range names {
		snapshot, report, close, err := readSide(ctx, std, f, name)
		if err != nil {
			return err
		}
		defer close()
		nodes[i] = tui.Update{Report: report, Evidence: snapshot}
		if f.output != "json" {
			report = f.lang.catalogue().Report(report)
		}
		sides[i] = session.Side(name, snapshot, report, secrets)
	}
	c := diff.Compare(sides[0], sides[1], program())
	out := f.displayOn(std)
	defer out.close()
	if out.onScreen() && !out.isSpoken() && c.Compared > 0 {
		if stays, err := out.screenDiff(ctx, c, all, nodes); err != nil || !stays {
			return errors.Join(err, diffVerdict(c))
		}
	}
	if err := out.deliver(func(w io.Writer) error {
		return ui.WriteDiff(w, f.output, c, all, out.style())
	}); err != nil {
		return err
	}
	return diffVerdict(c)
}

// screenDiff shows the comparison, and each of the nodes when the user opens it, and says whether the
// comparison is to stay on the terminal.
func (d display) screenDiff(ctx context.Context, c diff.Comparison, all bool, nodes [2]tui.Update) (
	bool, error) {
	options, err := d.screenOptions()
	if err != nil {
		return false, err
	}
	screen := tui.NewDiff(c, all, options)
	for {
		d.console.EnterScreen()
		leave, err := screen.Run(ctx, d.std.in, d.console.Output())
		if err == nil && leave.Open > 0 {
			n := nodes[leave.Open-1]
			_, err = tui.Run(ctx, d.std.in, d.console.Output(), tui.Finished(n.Report, n.Evidence), options)
			if err == nil {
				continue
			}
		}
		d.console.Restore()
		return leave.Print, unlessEnded(ctx, err)
	}
}

// diffVerdict is the exit status of a comparison.
func diffVerdict(c diff.Comparison) error {
	switch {
	case c.Compared == 0:
		return trouble(errors.New("no file of evidence is in both, so nothing was compared; " +
			"record both nodes with `doctor bundle`"))
	case c.Differs:
		return exit{status: exitFail}
	}
	return nil
}

// readSide reads and judges one of the nodes that are compared.
func readSide(ctx context.Context, std streams, f flags, name string) (s evidence.Snapshot, r checks.Report,
	close func() error, err error) {
	o, list := f.Options, faults.Catalogue()
	if node, ok := strings.CutPrefix(name, nodePrefix); ok {
		if o.Node = node; node == "" {
			return s, r, nil, errors.New("node: is given no name; `doctor --node` lists the Windows nodes")
		}
		live, err := session.ThroughAPI(ctx, o, list)
		if err != nil {
			return s, r, nil, sourceError(err, node)
		}
		r, s, err = live.Diagnose(ctx)
		switch {
		case ctx.Err() != nil:
			return s, r, nil, ctx.Err()
		case err != nil:
			return s, r, nil, trouble(err)
		}
		return s, session.Shareable(r), func() error { return nil }, nil
	}
	if demo, ok := strings.CutPrefix(name, demoPrefix); ok {
		o.Demo = demo
	} else if o.From = name; strings.Contains(name, "#") {
		if _, err := os.Stat(name); err != nil { // no file is called so
			path, which, _ := strings.Cut(name, "#")
			o.From, o.Node = path, which
			if _, err := strconv.Atoi(which); err == nil {
				o.Node = "#" + which
			}
		}
	}
	o.NodeBy = func(node string) string { return o.From + "#" + node }
	src, err := openRecording(o, std)
	if err != nil {
		return s, r, nil, err
	}
	s, r, unread := session.Judge(src, list, program())
	for _, u := range unread {
		std.tell("could not read all of " + u.String())
	}
	return s, r, src.Close, nil
}
