package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"doctor/checks"
	"doctor/checks/errcode"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/sorted"
	"doctor/cmd/doctor/internal/session"
	"doctor/collectors/cluster"
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
		c.Phrase("doctor reads a folder, a .zip or a .tar archive (also .tar.gz, .tar.xz, .tar.zst, .tar.bz2), also inside other archives, that holds:"))
	for _, f := range foreign.Formats() {
		fmt.Fprintf(&b, "\n  %s\n    %s\n", f.Name, c.Phrase(f.Marks))
	}
	return printOut(w, b.String())
}

// readers are the ids of the checks whose verdict may rest on a piece of evidence, those first that
// rest on little else.
func readers(path string) []string {
	var list []*checks.Check
	for _, c := range faults.Catalogue().All() {
		if slices.ContainsFunc(c.Reads(), func(read string) bool {
			return evidence.Overlap(read, path)
		}) {
			list = append(list, c)
		}
	}
	sorted.By(list, func(a, b *checks.Check) int { return len(a.Reads()) - len(b.Reads()) })
	return idsOf(list)
}

// restsOn says how many checks read a piece of evidence.
func restsOn(path string) string {
	switch ids := readers(path); len(ids) {
	case 0:
		return "no check; for the bundle"
	case 1:
		return "1 check, " + ids[0]
	default:
		return fmt.Sprintf("%d checks, such as %s", len(ids),
			strings.Join(ids[:min(len(ids), 3)], ", "))
	}
}

// ruleOf is one rule of the role, the one that is commented out too.
var ruleOf = regexp.MustCompile(`(?m)^#?- (apiGroups|nonResourceURLs): .*\n(?:#?  .*\n)*`)

// printRole writes the role, with what each rule is for.
func printRole(std streams) error {
	_, err := io.WriteString(std.out, ruleOf.ReplaceAllStringFunc(std.calls(cluster.ClusterRole),
		func(rule string) string {
			var lines strings.Builder
			for _, r := range cluster.Rights {
				if !strings.Contains(rule, r.Verb) || !names(rule, r) {
					continue
				}
				fmt.Fprintf(&lines, "# %s %s: %s\n", r.Verb, r.What(), restsOn(r.Evidence))
			}
			return lines.String() + rule
		}))
	return err
}

// names tells whether a rule names what the right is for.
func names(rule string, r cluster.Right) bool {
	return regexp.MustCompile(`(resources|nonResourceURLs): \[(.*, )?` +
		regexp.QuoteMeta(cmp.Or(r.URL, r.Resource)) +
		`(, .*)?\]`).MatchString(rule)
}

// checkRights tells which rights of the role whoever asks has, and what is missing without the rest.
func checkRights(ctx context.Context, std streams, f flags) error {
	client, ctx, cancel, err := f.connect(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	w := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ALLOWED\tVERB\tRESOURCE\tREAD BY")
	missing := 0
	for _, r := range cluster.Rights {
		allowed, err := client.Allowed(ctx, r)
		if err != nil {
			return trouble(err)
		}
		state := "yes"
		if !allowed {
			if state = "no"; r.Optional {
				state = "no (optional)"
			} else {
				missing++
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", state, r.Verb, r.What(), restsOn(r.Evidence))
	}
	if err := w.Flush(); err != nil {
		return trouble(err)
	}
	if missing > 0 {
		return trouble(fmt.Errorf(
			"%d of %d rights are missing; `doctor explain rbac` prints a role with them", missing,
			len(cluster.Rights)))
	}
	return nil
}
