package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/sorted"
	"doctor/collectors/cluster"
)

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
