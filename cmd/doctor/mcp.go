package main

import (
	"errors"

	"github.com/spf13/cobra"

	"doctor/cmd/doctor/internal/assistant"
	"doctor/cmd/doctor/internal/session"
)

func mcpCommand(std streams) *cobra.Command {
	f := flags{Options: session.Options{Program: program(), Tell: std.tell}}
	var roots []string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serves diagnoses and evidence to an AI assistant (Model Context Protocol)",
		Long: `mcp answers an AI assistant on standard input and output with the Model Context Protocol. Its tools
only read: diagnose, diff, explain, list_evidence, read_evidence, search_logs, decode_error_code.

Recordings are read only inside the folders that --root names; links that lead out of them are refused.
Nodes behind a Kubernetes API are read with your kubeconfig. Secrets are replaced, answers are bounded,
and text from a node is marked as untrusted.`,
		Example: `  doctor mcp --root ./recordings
  claude mcp add doctor -- doctor mcp --root ./recordings`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.Timeout <= 0 {
				return errors.New("--timeout takes a time above zero, such as 9s")
			}
			err := assistant.Serve(cmd.Context(), assistant.Options{Options: f.Options,
				Roots: roots},
				std.in, std.out)
			if err != nil && cmd.Context().Err() == nil {
				return trouble(err)
			}
			return cmd.Context().Err()
		},
	}
	cmd.Flags().StringArrayVar(&roots, "root", nil,
		"a folder in which recordings may be read; may be given several times")
	f.addCluster(cmd)
	spanFlag(cmd.Flags(), &f.Timeout, "timeout", session.DefaultTimeout, "s",
		"time limit for reading a node, in seconds or as 30s or 2m")
	spanFlag(cmd.Flags(), &f.Since, "since", session.DefaultSince, "",
		"how far back event logs are read, and how old a log file may be")
	return cmd
}
