package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/probed"
	"doctor/cmd/doctor/internal/session"
	"doctor/collectors/probe"
	"doctor/ui"
)

// reachFlags are the options of a probe of reachability.
type reachFlags struct {
	flags
	targets []string
}

func probeReachCommand(std streams) *cobra.Command {
	var f reachFlags
	cmd := &cobra.Command{
		Use:   "reach --target HOST:PORT[,…]",
		Short: "Checks that hosts answer over TCP, TLS, HTTP and ICMP",
		Long: `reach connects to each target and pings it from this machine, and compares the results: on Windows a failed ping is
normal where TCP works.

A target is HOST:PORT, a host alone (which is only pinged), or a URL of http or https. An IPv6 address with a port
is written in brackets. TLS and HTTP are tried for a URL and on their usual ports (443, 6443, 8443, 9345, 9443, 10250;
80, 8080); on other ports only the TCP connection is checked. Any certificate is accepted, no credentials are sent, and
no proxy is used. Names are resolved by this machine's resolver, and the first address is used.

Each target gets one connection and five pings, four of them to find out which packet sizes arrive; a ping without an
answer is sent once more. All targets are probed at the same time.

Exit status:
  0    no fault: every target answers, or could not be checked
  1    internal error
  2    usage error
  3    a target does not answer over TCP, or answers with another protocol
  5    no fault, but a target could not be checked (only with --fail-on unknown)
  130  interrupted
`,
		Example: `  doctor probe reach --target 10.99.0.2:80
  doctor probe reach --target https://10.96.0.1/healthz,10.96.0.10:53 --target mcr.microsoft.com:443
  doctor probe reach --target [fd00::10]:443,10.20.30.10 --timeout 3s -o json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return probeReach(cmd.Context(), std, f)
		},
	}
	cmd.Flags().StringSliceVar(&f.targets, "target", nil,
		"whom to ask: HOST:PORT, HOST, http://… or https://…; several with commas, or the flag again")
	f.addProbe(cmd, probe.ReachTimeout, "how long all targets together may take")
	return cmd
}

// maxTargets keeps a probe from becoming a scan.
const maxTargets = 64

func (f reachFlags) plan() (probe.ReachPlan, error) {
	plan := probe.ReachPlan{Timeout: f.Timeout}
	if len(f.targets) == 0 {
		return plan, errors.New("reach needs a target: --target HOST:PORT")
	}
	if err := f.validateProbe(); err != nil {
		return plan, err
	}
	if err := session.AddTargets(&plan, f.targets); err != nil {
		return plan, err
	}
	if len(plan.Targets) > maxTargets {
		return plan, fmt.Errorf("%d targets are more than the %d that a probe takes at once",
			len(plan.Targets), maxTargets)
	}
	return plan, nil
}

func probeReach(ctx context.Context, std streams, f reachFlags) error {
	plan, err := f.plan()
	if err != nil {
		return err
	}
	measured := probe.Reach(ctx, plan)
	if err := ctx.Err(); err != nil {
		return err
	}
	var results []probed.ReachResult
	for _, t := range plan.Targets {
		mine := func(p evidence.ReachProbe) bool {
			return p.Target == t.Name() || p.Protocol == "icmp" && p.Target == t.Host
		}
		of := slices.DeleteFunc(slices.Clone(measured), func(p evidence.ReachProbe) bool {
			return !mine(p)
		})
		results = append(results, probed.JudgeReach(t.Name(), of, runtime.GOOS == "windows"))
	}
	out := f.displayOn(std)
	defer out.close()
	out.console.EnterText()
	write := ui.ProbeReach
	if f.output == "json" {
		write = ui.ProbeReachJSON
	}
	if err := write(std.out, results, out.style()); err != nil {
		return trouble(err)
	}
	return f.failOn.status(func(s checks.Status) bool {
		return slices.ContainsFunc(results, func(r probed.ReachResult) bool {
			return r.Status == s
		})
	})
}
