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

func probeFormats() []string { return []string{"text", "json"} }

// addProbe adds the flags that both probes have.
func (f *flags) addProbe(cmd *cobra.Command, timeout time.Duration, usage string) {
	p := cmd.Flags()
	spanFlag(p, &f.Timeout, "timeout", timeout, "s", usage)
	p.StringSliceVar((*[]string)(&f.failOn), "fail-on", nil, failOnUsage)
	completeWith(cmd, "fail-on", func() []string { return failLevels })
	p.StringVarP(&f.output, "output", "o", "text", "text or json")
	p.BoolVar(&f.ascii, "ascii", false, "draw with ASCII characters only")
	completeWith(cmd, "output", probeFormats)
}

func (f *flags) validateProbe() error {
	switch {
	case f.Timeout <= 0:
		return errors.New("--timeout takes a time above zero, such as 5s")
	case !slices.Contains(probeFormats(), f.output):
		return unknownFormat(f.output, probeFormats())
	}
	return f.failOn.validate()
}
