package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func fleetCommand(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Prepares a cluster for readings of its Windows nodes from inside",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("fleet needs a subcommand: manifest, clean or agent")
		},
	}
	cmd.AddCommand(fleetManifestCommand(std), fleetCleanCommand(std), fleetAgentCommand(std))
	return cmd
}
