package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"doctor/checks"
	"doctor/checks/evidence"
	fleetreport "doctor/checks/fleet"
	"doctor/cmd/doctor/internal/session"
	"doctor/collectors/cluster"
	"doctor/collectors/onnode"
	"doctor/collectors/outfile"
	"doctor/ui"
)

// fleetFlags are the options of a diagnosis of many nodes.
type fleetFlags struct {
	flags
	selector string
	nodes    []string
	parallel int
	save     string
}

// fleetMemoryLimit is the memoryLimit for thousands of nodes.
const fleetMemoryLimit = 800 << 20

func fleetCommand(std streams) *cobra.Command {
	f := fleetFlags{flags: flags{Options: session.Options{Program: program(), In: std.in,
		Waiting: tellsWaiting(std)}}}
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
	p.BoolVar(&f.json, "json", false, "short for -o json")
	p.StringVarP(&f.output, "output", "o", "", "")
	withList(p, "output", "write %s instead of showing a screen", ui.FleetFormats()...)
	f.addOutput(cmd, "write to this file instead of standard output")
	p.StringSliceVar(&f.only, "only", nil, "run only these checks (ids)")
	p.StringSliceVar(&f.skip, "skip", nil, "leave these checks out (ids)")
	p.StringSliceVar(&f.category, "category", nil, "")
	withList(p, "category", "run only the checks of these categories: %s", categories()...)
	p.StringSliceVar((*[]string)(&f.failOn), "fail-on", nil, failOnUsage)
	p.BoolVar(&f.ascii, "ascii", false, "draw with ASCII characters only")
	f.lang.flag(cmd)
	f.addOnNode(cmd)
	cmd.AddCommand(fleetManifestCommand(std), fleetCleanCommand(std), fleetAgentCommand(std))
	completeWith(cmd, "output", ui.FleetFormats)
	completeWith(cmd, "nodes", f.nodeNames)
	completeWith(cmd, "only", checkIDs)
	completeWith(cmd, "skip", checkIDs)
	completeWith(cmd, "category", categories)
	completeWith(cmd, "fail-on", func() []string { return failLevels })
	return cmd
}

// validate refuses what contradicts itself, before anything is read.
func (f *fleetFlags) validate() error {
	if f.json {
		f.output = cmp.Or(f.output, "json")
	}
	switch {
	case f.json && f.output != "json":
		return fmt.Errorf("--json and -o %s contradict each other; give one of them",
			evidence.Clean(f.output))
	case f.output != "" && !slices.Contains(ui.FleetFormats(), f.output):
		return unknownFormat(f.output, ui.FleetFormats())
	case f.Timeout <= 0:
		return errors.New("--timeout takes a time above zero, such as 90s")
	case f.parallel < 0:
		return errors.New("--parallel takes a number above zero")
	case f.OnNode && f.Pods.Image == "":
		return errNoImage
	case !f.OnNode && f.podsGiven():
		return errOnNodeAlone
	}
	f.Pods.Namespace = cmp.Or(f.Cluster.Context.Namespace, onnode.DefaultNamespace)
	f.Pods.Parallel = cmp.Or(f.parallel, podsAtOnce)
	return f.failOn.validate()
}

// diagnoseFleet reads the cluster, judges its nodes and hands the report on.
func diagnoseFleet(ctx context.Context, std streams, f fleetFlags) error {
	if err := f.validate(); err != nil {
		return err
	}
	list, err := f.selected()
	if err != nil {
		return err
	}
	debug.SetMemoryLimit(fleetMemoryLimit)
	options := session.FleetOptions{Options: f.Options, Selector: f.selector, Nodes: f.nodes,
		Parallel: f.parallel}
	if f.OnNode {
		f.tellOnNode(std)
		options.OnNode = session.InsideFleet(f.Options, func(err error) {
			writeError(std, fmt.Errorf("--on-node sent no pod: %w", err))
		})
	}
	fleet, err := session.ReadFleet(ctx, options, list, func(session.FleetProgress) {})
	if err != nil {
		return fleetError(err, f)
	}
	report, err := fleet.Diagnose(ctx, f.parallel, func(fleetreport.Judged) {})
	if err != nil {
		return err
	}
	return f.showFleet(std, report)
}

// fleetError tells a cluster that cannot be read from nodes that it does not have.
func fleetError(err error, f fleetFlags) error {
	var missing *cluster.NoNodesError
	switch {
	case errors.As(err, &missing):
		return fmt.Errorf("%w%s", err, didYouMean(missing.Missing[0], missing.Windows))
	case errors.Is(err, cluster.ErrNoContext), errors.Is(err, context.Canceled):
		return err
	}
	return trouble(err)
}

// showFleet writes the report to where it goes, and turns it into the exit status.
func (f fleetFlags) showFleet(std streams, report fleetreport.Report) error {
	out := f.displayOn(std)
	defer out.close()
	format := cmp.Or(f.output, "text")
	if f.file != "" {
		var b bytes.Buffer
		if err := ui.WriteFleet(&b, format, report, out.style()); err != nil {
			return trouble(err)
		}
		if err := outfile.Write(f.file, b.Bytes(), f.outputOptions()); err != nil {
			return outputError(err)
		}
		return fleetVerdict(report, f.failOn)
	}
	out.console.EnterText()
	w := io.Writer(std.out)
	if format == "text" {
		w = out.console.Output()
	}
	if err := ui.WriteFleet(w, format, report, out.style()); err != nil {
		return trouble(fmt.Errorf("writing the report: %w", err))
	}
	return fleetVerdict(report, f.failOn)
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
