package main

import (
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"
)

func probeCommand(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "probe",
		Short: "Sends DNS, TCP and ICMP probes from this machine",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("probe needs a subcommand: dns or reach")
		},
	}
	cmd.AddCommand(probeDNSCommand(std), probeReachCommand(std))
	return cmd
}

// probeFlags are the options that both probes have.
type probeFlags struct {
	timeout time.Duration
	failOn  failOn
	output  string
	ascii   bool
}

func probeFormats() []string { return []string{"text", "json"} }

func (f *probeFlags) add(cmd *cobra.Command, timeout time.Duration, usage string) {
	p := cmd.Flags()
	spanFlag(p, &f.timeout, "timeout", timeout, "s", usage)
	p.StringSliceVar((*[]string)(&f.failOn), "fail-on", nil, failOnUsage)
	completeWith(cmd, "fail-on", func() []string { return failLevels })
	p.StringVarP(&f.output, "output", "o", "text", "text or json")
	p.BoolVar(&f.ascii, "ascii", false, "draw with ASCII characters only")
	completeWith(cmd, "output", probeFormats)
}

func (f probeFlags) validate() error {
	switch {
	case f.timeout <= 0:
		return errors.New("--timeout takes a time above zero, such as 5s")
	case !slices.Contains(probeFormats(), f.output):
		return unknownFormat(f.output, probeFormats())
	}
	return f.failOn.validate()
}
