package main

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/collectors/cluster"
	"doctor/ui"
)

func explainCommand(std streams) *cobra.Command {
	var output string
	var ascii bool
	var said language
	cmd := &cobra.Command{
		Use:   "explain [ID | rbac]",
		Short: "Shows the catalogue of faults, one fault in full, or with rbac what --node may read",
		Args:  cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string,
			cobra.ShellCompDirective) {
			return append(checkIDs(), "rbac"), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			catalogue := faults.Catalogue()
			if len(args) == 1 && args[0] == "rbac" {
				if _, err := io.WriteString(std.out, cluster.ClusterRole); err != nil {
					return trouble(err)
				}
				return nil
			}
			if len(args) == 1 {
				if catalogue.ByID(args[0]) == nil {
					return unknownID(args[0])
				}
				catalogue = catalogue.Only(args[0])
			}
			out := flags{ascii: ascii, lang: said}.displayOn(std)
			defer out.close()
			out.console.EnterText()
			style := out.style()
			var err error
			switch {
			case output == "text" && len(args) == 1:
				err = ui.Explain(std.out, catalogue, catalogue.All()[0], style)
			case output == "text":
				err = ui.Catalogue(std.out, catalogue.All(), style)
			case output == "json":
				err = ui.CatalogueJSON(std.out, catalogue)
			case output == "markdown":
				err = ui.CatalogueMarkdown(std.out, catalogue)
			default:
				return fmt.Errorf("there is no format %q; explain writes text, json or markdown",
					evidence.Clean(output))
			}
			if err != nil {
				return trouble(err)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text, json or markdown")
	cmd.Flags().BoolVar(&ascii, "ascii", false, "draw with ASCII characters only")
	said.flag(cmd)
	completeWith(cmd, "output", func() []string { return []string{"text", "json", "markdown"} })
	return cmd
}

// version and commit are set by the Makefile; a plain `go build` takes them from the build itself.
var version, commit string

func program() checks.Program {
	p := checks.Program{Version: version, Commit: commit}
	info, ok := debug.ReadBuildInfo()
	if ok && p.Commit == "" {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				p.Commit = s.Value
			}
		}
	}
	if p.Version == "" {
		p.Version = "devel"
	}
	return p
}

func versionCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Prints the doctor's version",
		Args:  cobra.NoArgs,
		Run: func(*cobra.Command, []string) {
			p := program()
			fmt.Fprintf(std.out, "doctor %s", p.Version)
			if p.Commit != "" {
				fmt.Fprintf(std.out, " (%s)", p.Commit)
			}
			fmt.Fprintln(std.out)
		},
	}
}
