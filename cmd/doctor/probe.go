package main

import (
	"errors"

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
