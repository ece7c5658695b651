package node

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/netsh"
	"doctor/collectors/vfp"
)

// A runner runs a program of System32 and returns what it prints.
type runner func(ctx context.Context, program string, args ...string) (string, error)

const maxPrinted = 4 << 20 // bytes of one command's output

// firstBytes keeps the beginning of what is written. It has no other method,
// such as a buffer's ReadFrom, through which a copy would get around the bound.
type firstBytes struct{ kept []byte }

func (o *firstBytes) Write(p []byte) (int, error) {
	o.kept = append(o.kept, p[:min(len(p), maxPrinted-len(o.kept))]...)
	return len(p), nil
}

// Ports of VFP that are asked for their rules, and how many at a time: each takes two processes.
const (
	maxAskedPorts = 250
	portsAtOnce   = 4
)

// vfpReader asks vfpctrl, since Windows documents no interface of VFP. Only a node with the feature
// Containers or Hyper-V has it.
func vfpReader(run runner) func(context.Context, *collectors.Record) error {
	return func(ctx context.Context, r *collectors.Record) error {
		ctx, cancel := collectors.BeforeDeadline(ctx, margin)
		defer cancel()
		listed, err := run(ctx, "vfpctrl.exe", "/list-vmswitch-port")
		if err != nil {
			return fmt.Errorf("vfpctrl /list-vmswitch-port: %w", err)
		}
		ports := vfp.Read(listed, "")
		if len(ports) == 0 && !strings.Contains(listed, "succeeded") {
			return fmt.Errorf("vfpctrl prints no list of ports, but %.200q",
				evidence.Clean(strings.TrimSpace(listed)))
		}
		r.JSON(evidence.VFPPorts.Path(), vfp.Read(listed, rulesOf(ctx, run, ports)))
		return nil
	}
}

// rulesOf is a dump of the ports' states and rules. What does not answer in time is not in it, and
// counts as not looked at.
func rulesOf(ctx context.Context, run runner, ports []evidence.VFPPort) string {
	ports = ports[:min(len(ports), maxAskedPorts)]
	dumps := make([]string, len(ports))
	var all errgroup.Group
	all.SetLimit(portsAtOnce)
	for i, p := range ports {
		all.Go(func() error {
			state, stateErr := run(ctx, "vfpctrl.exe", "/port", p.Name, "/get-port-state")
			rules, rulesErr := run(ctx, "vfpctrl.exe", "/port", p.Name, "/layer", "LB_DSR", "/group",
				"LB_DSR_IPv4_OUT", "/list-rule")
			if stateErr == nil && rulesErr == nil {
				dumps[i] = "Policy for port : " + p.Name + "\n" + state + "\n" + rules + "\n"
			}
			return nil
		})
	}
	_ = all.Wait()
	return strings.Join(dumps, "")
}

// wfpReader asks netsh for the packets that WFP dropped. It wants an administrator.
func wfpReader(run runner) func(context.Context, *collectors.Record) error {
	return func(ctx context.Context, r *collectors.Record) error {
		printed, err := run(ctx, "netsh.exe", "wfp", "show", "netevents", "file=-")
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w, ok := netsh.NetEvents(printed)
		switch {
		case ok:
			r.JSON(evidence.WFPInfo.Path(), w)
			return nil
		case errors.Is(err, errors.ErrUnsupported):
			return err
		}
		return fmt.Errorf("netsh wfp show netevents prints no events, but %.200q",
			evidence.Clean(strings.TrimSpace(printed)))
	}
}
