package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"doctor/checks"
	"doctor/checks/evidence"
	fleetreport "doctor/checks/fleet"
	"doctor/cmd/doctor/internal/session"
	"doctor/collectors/cluster"
	"doctor/collectors/fleet"
	"doctor/collectors/onnode"
	"doctor/collectors/outfile"
	"doctor/collectors/pack"
	"doctor/ui"
	"doctor/ui/tui"
)

// fleetFlags are the options of a diagnosis of many nodes.
type fleetFlags struct {
	flags
	selector string
	nodes    []string
	parallel int
	save     string
}

// fleetMemoryLimit is the memoryLimit for thousands of nodes. There is more garbage than in the
// diagnosis of one node, and memory for it.
const (
	fleetMemoryLimit = 700 << 20
	fleetGarbage     = 200 // percent
)

func fleetCommand(std streams) *cobra.Command {
	f := fleetFlags{flags: flags{Options: session.Options{Program: program(), In: std.in,
		Tell: std.tell}}}
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Diagnoses all Windows nodes of a cluster, and groups them by cause",
		Long: `fleet reads every Windows node of a cluster through the Kubernetes API and runs all checks on each. It shows which
causes affect how many nodes, what the affected nodes have in common that the other nodes do not have, and which nodes
differ from all others. It creates nothing in the cluster: each list is read once, in pages, whatever the number of nodes.

Nodes that are not Ready are included. Checks that need evidence of the node itself do not run.` + "\n" + exitHelp,
		Example: `  doctor fleet
  doctor fleet -l agentpool=win2022 -o markdown --output-file fleet.md
  doctor fleet --nodes win-1,win-2 -o json | jq '.causes[0].nodes'`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.checkSource(cmd); err != nil {
				return err
			}
			if f.OnNode && !cmd.Flags().Changed("timeout") {
				f.Timeout = session.InsideFleetTimeout
			}
			if err := f.validateFile(cmd); err != nil {
				return err
			}
			return diagnoseFleet(cmd.Context(), std, f)
		},
	}
	p := cmd.Flags()
	f.addCluster(cmd)
	p.StringVarP(&f.selector, "selector", "l", "",
		"diagnose the nodes with these labels only, such as agentpool=win2022")
	p.StringSliceVar(&f.nodes, "nodes", nil, "diagnose these nodes only")
	p.IntVar(&f.parallel, "parallel", 0, "nodes to judge at once (one for each processor), and with --on-node pods at a time (50)")
	spanFlag(p, &f.Timeout, "timeout", session.DefaultFleetTimeout, "s",
		"time limit for reading the cluster, in seconds or as 90s or 5m")
	p.StringVar(&f.save, "save", "",
		"write the evidence of all nodes into this zip too, without the secrets: doctor --from FILE.zip opens it")
	f.addFormats(cmd, "write %s instead of showing a screen", ui.FleetFormats)
	f.addOutput(cmd, "write to this file instead of standard output")
	f.addSelection(cmd, checkIDs)
	f.addCategories(cmd)
	f.addLooks(cmd)
	f.addTheme(cmd)
	f.addOnNode(cmd)
	cmd.AddCommand(fleetManifestCommand(std), fleetCleanCommand(std), fleetAgentCommand(std))
	completeWith(cmd, "nodes", f.nodeNames)
	return cmd
}

// validate refuses what contradicts itself, before anything is read.
func (f *fleetFlags) validate() error {
	if err := f.validateOutput(ui.FleetFormats()); err != nil {
		return err
	}
	switch {
	case f.Timeout <= 0:
		return errors.New("--timeout takes a time above zero, such as 90s")
	case f.save != "" && f.save == f.file:
		return errors.New("--save and --output-file name the same file; give two names")
	case f.parallel < 0:
		return errors.New("--parallel takes a number above zero")
	case f.OnNode && f.Pods.Image == "":
		return errNoImage
	case !f.OnNode && f.podsGiven():
		return errOnNodeAlone
	}
	f.Pods.Namespace = cmp.Or(f.Cluster.Context.Namespace, onnode.DefaultNamespace)
	f.Pods.Parallel = cmp.Or(f.parallel, podsAtOnce)
	if f.save != "" {
		if err := outfile.Check(f.save, f.outputOptions()); err != nil {
			return outputError(err)
		}
	}
	return nil
}

// diagnoseFleet reads the cluster and judges its nodes.
func diagnoseFleet(ctx context.Context, std streams, f fleetFlags) error {
	if err := f.validate(); err != nil {
		return err
	}
	list, err := f.selected()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var inside session.InsideFleet
	f.tellOnNode(std)
	defer func() {
		cancel()
		if err := inside.Wait(); err != nil { // not before: a screen has the terminal
			writeError(std, fmt.Errorf("--on-node sent no pod: %w", err))
		}
	}()
	return f.judgeFleet(ctx, std, func(progress func(fleet.Progress)) (*session.Fleet, error) {
		return session.ReadFleet(ctx, session.FleetOptions{Options: f.Options, Selector: f.selector,
			Nodes: f.nodes, Inside: &inside}, list, progress)
	})
}

// judgeFleet judges the nodes of a cluster or a recording, and hands the report on.
func (f fleetFlags) judgeFleet(ctx context.Context, std streams, open session.OpenFleet) error {
	debug.SetMemoryLimit(fleetMemoryLimit)
	debug.SetGCPercent(fleetGarbage)
	out := f.displayOn(std)
	defer out.close()
	if out.onScreen() && !out.isSpoken() {
		return f.screenFleet(ctx, std, out, open)
	}
	fleet, err := open(func(fleet.Progress) {})
	if err != nil {
		return fleetError(err)
	}
	report, err := fleet.Diagnose(ctx, f.parallel, func(fleetreport.Judged) {})
	if err != nil {
		return err
	}
	if err := f.saveFleet(ctx, std, fleet, report); err != nil {
		return err
	}
	if err := deliverFleet(out, report); err != nil {
		return err
	}
	return fleetVerdict(report, f.failOn)
}

// screenFleet shows the fleet while it is read and judged, and the nodes that the user opens.
func (f fleetFlags) screenFleet(ctx context.Context, std streams, out display,
	open session.OpenFleet) error {
	options, err := out.screenOptions()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	run := session.StartFleet(ctx, f.parallel, open,
		func(fleet *session.Fleet, report fleetreport.Report) error {
			return f.saveFleet(ctx, streams{err: nil, name: std.name}, fleet, report)
		})
	screen := tui.NewFleet(tui.FleetFeed{State: run.State,
		Save: func(ctx context.Context) (string, error) {
			path, size, err := run.Save(ctx)
			return options.Lang.T("wrote %s (%s)", filepath.Base(path), evidence.SizeText(size)), err
		}}, options)
	for {
		out.console.EnterScreen()
		leave, err := screen.Run(ctx, std.in, out.console.Output())
		if err != nil || ctx.Err() != nil {
			return unlessEnded(ctx, err)
		}
		if leave.Open != "" {
			report, s, err := run.Node(leave.Open)
			if err != nil {
				return trouble(err)
			}
			feed := tui.Finished(report, s)
			feed.Bundle = session.Bundler(f.Options, nil)
			options.Evidence = leave.Evidence
			last, err := tui.Run(ctx, std.in, out.console.Output(), feed, options)
			if err != nil || ctx.Err() != nil {
				return unlessEnded(ctx, err)
			}
			if !last.Print {
				continue
			}
			out.console.Restore()
			return errors.Join(out.write(last.Report), verdict(last.Report, f.failOn))
		}
		out.console.Restore()
		switch {
		case !leave.State.Finished: // the user left before there was a verdict
			return exit{status: exitInterrupted}
		case leave.State.Err != nil:
			return fleetError(leave.State.Err)
		}
		if f.save != "" {
			std.tell("wrote " + f.save)
		}
		if leave.Print {
			if err := deliverFleet(out, leave.State.Report); err != nil {
				return err
			}
		}
		return fleetVerdict(leave.State.Report, f.failOn)
	}
}

// saveFleet writes the zip of --save.
func (f fleetFlags) saveFleet(ctx context.Context, std streams, fleet *session.Fleet,
	report fleetreport.Report) error {
	if f.save == "" {
		return nil
	}
	result, err := fleet.Save(ctx, f.save, report, f.outputOptions())
	switch {
	case errors.Is(err, pack.ErrRefused):
		return exit{exitRefused, err}
	case err != nil:
		return outputError(err)
	}
	if std.err != nil { // a screen has the terminal
		std.tell(fmt.Sprintf("wrote %s (%s)", f.save, evidence.SizeText(result.Size)))
	}
	return nil
}

// diagnoseRecordedFleet judges the nodes of a recording.
func diagnoseRecordedFleet(ctx context.Context, std streams, f flags, list *checks.Catalogue,
	recording *session.FleetRecording) error {
	defer recording.Close()
	if f.output != "" && !slices.Contains(ui.FleetFormats(), f.output) {
		return unknownFormat(f.output, ui.FleetFormats())
	}
	return fleetFlags{flags: f}.judgeFleet(ctx, std, func(func(fleet.Progress)) (*session.Fleet, error) {
		return recording.Fleet(list, program())
	})
}

// fleetError tells a cluster that cannot be read from nodes that it does not have.
func fleetError(err error) error {
	var missing *cluster.NoNodesError
	switch {
	case errors.As(err, &missing):
		return fmt.Errorf("%w%s", err, didYouMean(missing.Missing[0], missing.Windows))
	case errors.Is(err, cluster.ErrNoContext), errors.Is(err, context.Canceled),
		errors.Is(err, outfile.ErrRefused), errors.As(err, new(exit)):
		return err
	}
	return trouble(err)
}

// deliverFleet writes the report to where it goes.
func deliverFleet(out display, report fleetreport.Report) error {
	return out.deliver(func(w io.Writer) error {
		return ui.WriteFleet(w, cmp.Or(out.output, "text"), report, out.style())
	})
}

// fleetVerdict is the exit status of all nodes together: that of the worst of them.
func fleetVerdict(r fleetreport.Report, f failOn) error {
	if r.Summary.Nodes > 0 && r.Summary.Unread == r.Summary.Nodes {
		return trouble(errors.New("none of the nodes can be read through the Kubernetes API; the report says why"))
	}
	return f.status(func(s checks.Status) bool {
		return slices.ContainsFunc(r.Nodes, func(n fleetreport.Node) bool {
			return n.Checks[s] > 0 || s == checks.StatusUnknown && n.Verdict == fleetreport.Unread
		})
	})
}
