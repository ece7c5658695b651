package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"doctor/checks/errcode"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/cmd/doctor/internal/session"
	"doctor/collectors/foreign"
	"doctor/ui"
	"doctor/ui/lang"
)

func explainCommand(std streams) *cobra.Command {
	var search string
	var check bool
	var f flags
	cmd := &cobra.Command{
		Use:   "explain [ID | CODE | formats | rbac | schema [NAME]]",
		Short: "Explains a check or an error code; without an argument lists all checks",
		Example: `  doctor explain                              list the checks
  doctor explain pause-os-version-mismatch    one check, with its fix and links
  doctor explain 0x803b0010                   an error code of Windows
  doctor explain formats                      the recordings that doctor reads
  doctor explain rbac                         the ClusterRole that --node needs
  doctor explain schema report                the JSON Schema of -o json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 && (args[0] != "schema" || len(args) > 2) {
				return errors.New("explain takes one check id or error code; `doctor explain` lists the checks")
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string,
			cobra.ShellCompDirective) {
			if len(args) == 1 && args[0] == "schema" {
				return schemaWords(), cobra.ShellCompDirectiveNoFileComp
			}
			return append(checkIDs(), explainWords...), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.validateOutput(explainFormatNames()); err != nil {
				return err
			}
			output := cmp.Or(f.output, "text")
			catalogue := faults.Catalogue()
			if search != "" {
				if len(args) > 0 {
					return errors.New("--search searches all checks; leave the id out")
				}
				catalogue = ui.Search(catalogue, search, f.lang.catalogue())
				if len(catalogue.All()) == 0 {
					return fmt.Errorf("no check has all words of %q; search for fewer, or for one id or "+
						"error code with `doctor explain`", evidence.Clean(search))
				}
			}
			if len(args) == 1 && args[0] == "rbac" {
				if check {
					return checkRights(cmd.Context(), std, f)
				}
				return trouble(printRole(std))
			}
			if check {
				return errors.New("--check belongs to `doctor explain rbac`")
			}
			if len(args) > 0 && args[0] == "schema" {
				return explainSchema(std, args[1:])
			}
			if len(args) == 1 && args[0] == "formats" {
				if output != "text" {
					return errors.New("the list of formats is written as text")
				}
				return explainFormats(std.out, f.lang.catalogue())
			}
			var codes []errcode.Code
			if len(args) == 1 {
				codes = errcode.Search(args[0])
			}
			if len(args) == 1 && len(codes) == 0 {
				if catalogue.ByID(args[0]) == nil {
					return unknownName("check", args[0], append(checkIDs(), explainWords...),
						"`doctor explain` lists them")
				}
				catalogue = catalogue.Only(args[0])
			}
			out := f.displayOn(std)
			defer out.close()
			out.console.EnterText()
			style := out.style()
			var err error
			switch {
			case output == "text" && len(codes) > 0:
				err = ui.ExplainCodes(std.out, catalogue, codes, style)
			case output == "json" && len(codes) > 0:
				err = ui.CodesJSON(std.out, catalogue, codes)
			case len(codes) > 0:
				return unknownFormat(output, []string{"text", "json"})
			case output == "text" && len(args) == 1:
				err = ui.Explain(std.out, catalogue, catalogue.All()[0], style)
			case output == "text":
				err = ui.Catalogue(std.out, catalogue.All(), style)
			case output == "json":
				err = ui.CatalogueJSON(std.out, catalogue)
			case output == "markdown":
				err = ui.CatalogueMarkdown(std.out, catalogue)
			}
			return trouble(err)
		},
	}
	f.addFormats(cmd, "write %s", explainFormatNames)
	cmd.Flags().StringVar(&search, "search", "",
		"list the checks whose titles, texts, signs or links hold all these words")
	f.addLooks(cmd)
	cmd.Flags().BoolVar(&check, "check", false,
		"of rbac: ask the API server which of the rights you have (SelfSubjectAccessReview)")
	f.Tell = std.tell
	f.addCluster(cmd)
	spanFlag(cmd.Flags(), &f.Timeout, "timeout", session.DefaultTimeout, "s",
		"time limit for the answers of the API server")
	return cmd
}

func explainFormatNames() []string { return []string{"text", "json", "markdown"} }

// explainWords are what explain shows beside checks and error codes.
var explainWords = []string{"formats", "rbac", "schema"}

// explainFormats lists what --from reads.
func explainFormats(w io.Writer, c *lang.Catalogue) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n",
		c.Phrase("doctor reads a folder, or a .zip, .tar.gz, .tgz or .tar archive, also inside other archives, that holds:"))
	for _, f := range foreign.Formats() {
		fmt.Fprintf(&b, "\n  %s\n    %s\n", f.Name, c.Phrase(f.Marks))
	}
	return printOut(w, b.String())
}
