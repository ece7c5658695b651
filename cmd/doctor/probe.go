package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func probeCommand(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "probe",
		Short: "Measures what no reading of state can tell, from this machine",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("probe needs to know what to measure; `doctor probe --help` lists it")
		},
	}
	cmd.AddCommand(probeDNSCommand(std), probeReachCommand(std))
	return cmd
}
