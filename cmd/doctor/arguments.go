package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"doctor/checks/evidence"
	"doctor/cmd/doctor/internal/session"
	"doctor/fixtures"
)

// recordingArgument takes the recording that is named without --from.
func (f *flags) recordingArgument(cmd *cobra.Command, args []string) error {
	if err := f.checkSource(cmd); err != nil || len(args) == 0 {
		return err
	}
	name := evidence.Clean(args[0])
	switch {
	case len(args) > 1 && isCommand(cmd, args[1]):
		return fmt.Errorf("the command comes first: doctor %s --from %s", args[1], name)
	case len(args) > 1:
		return fmt.Errorf("doctor opens one recording at a time, and was given %d", len(args))
	case f.From != "":
		return fmt.Errorf("%s and --from %s name two recordings; give one of them", name,
			evidence.Clean(f.From))
	case f.Demo != "":
		return fmt.Errorf("%s and --demo %s name two recordings; give one of them", name,
			evidence.Clean(f.Demo))
	}
	if _, err := os.Stat(args[0]); err != nil && args[0] != session.StandardInput &&
		!strings.ContainsAny(args[0], `./\`) {
		if slices.Contains(fixtures.Names(), args[0]) {
			return fmt.Errorf("there is no command or recording %q; did you mean --demo %s?", name,
				name)
		}
		return unknownName("command or recording", args[0], commandNames(cmd),
			"`doctor --help` lists the commands")
	}
	f.From = args[0]
	return nil
}

func isCommand(parent *cobra.Command, name string) bool {
	return slices.Contains(commandNames(parent), name)
}

func commandNames(parent *cobra.Command) []string {
	return mapped(parent.Commands(), (*cobra.Command).Name)
}

func noArguments(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasAvailableSubCommands():
		near := didYouMean(args[0], commandNames(cmd))
		if near == "" {
			near = fmt.Sprintf("; `%s --help` lists them", cmd.CommandPath())
		}
		return fmt.Errorf("%s has no command %q%s", cmd.CommandPath(), evidence.Clean(args[0]),
			near)
	}
	return fmt.Errorf("%s takes no argument such as %q; `%s --help` shows its flags",
		cmd.CommandPath(), evidence.Clean(args[0]), cmd.CommandPath())
}

// ownArguments lets the commands that cobra adds refuse what they do not know.
func ownArguments(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				if len(args) > 0 && !isCommand(root, args[0]) {
					return noArguments(root, args)
				}
				return nil
			}
		case "completion":
			c.Args = noArguments
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// maxNear is how many names are suggested for one that is unknown.
const maxNear = 3

// nearest lists the known names that a mistyped one may stand for: those that begin with it, else
// those that the fewest letters tell apart, else those whose beginning does, else those that hold it.
func nearest(typed string, known []string) []string {
	near := nearestOf(typed, known, func(name string) string { return name })
	if len(near) == 0 && len(typed) >= minBeginning {
		near = nearestOf(typed, known, func(name string) string {
			return name[:min(len(name), len(typed)+1)]
		})
	}
	for _, name := range known {
		if len(near) < maxNear && len(typed) > 1 && name != "" && !slices.Contains(near, name) &&
			(strings.Contains(name, typed) || strings.Contains(typed, name)) {
			near = append(near, name)
		}
	}
	return near[:min(len(near), maxNear)]
}

// minBeginning is how many letters are compared with the beginning of a name; fewer fit too many.
const minBeginning = 6

// nearestOf lists the known names whose form is nearest to what was typed. cobra measures.
func nearestOf(typed string, known []string, form func(name string) string) []string {
	words, names := &cobra.Command{}, map[string][]string{}
	for _, name := range known {
		use := form(name)
		if use != "" && !strings.Contains(use, " ") { // cobra's names end at a space
			words.AddCommand(&cobra.Command{Use: use, Run: func(*cobra.Command, []string) {}})
			names[use] = append(names[use], name)
		}
	}
	for distance := 1; typed != "" && distance <= max(2, len(typed)/4); distance++ {
		words.SuggestionsMinimumDistance = distance
		var near []string
		for _, use := range words.SuggestionsFor(typed) {
			near = append(near, names[use]...)
		}
		if slices.Sort(near); len(near) > 0 {
			return slices.Compact(near)
		}
	}
	return nil
}

// didYouMean is the end of an error about an unknown name; "" where no known one is near.
func didYouMean(typed string, known []string) string {
	if near := nearest(typed, known); len(near) > 0 {
		return "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return ""
}

// unknownName is the error for a name that is none of the known: the nearest, or else the hint.
func unknownName(what, typed string, known []string, hint string) error {
	text := didYouMean(typed, known)
	if text == "" {
		text = "; " + hint
	}
	return fmt.Errorf("there is no %s %q%s", what, evidence.Clean(typed), text)
}
