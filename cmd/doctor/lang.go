package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/ui/console"
	"doctor/ui/lang"
)

// A language is the value of --lang; where it is empty the terminal's locale counts.
type language string

func (l *language) String() string { return string(*l) }
func (l *language) Type() string   { return "language" }

func (l *language) Set(s string) error {
	if !slices.Contains(lang.Languages, s) {
		return errors.New("takes " + strings.Join(lang.Languages, " or "))
	}
	*l = language(s)
	return nil
}

// catalogue is what the language says, nil for English.
func (l language) catalogue() *lang.Catalogue {
	return lang.Of(lang.Choose(string(l), os.Getenv, console.Language), faults.Catalogue())
}

// flag adds --lang to a command that writes text for people.
func (l *language) flag(cmd *cobra.Command) {
	cmd.Flags().Var(l, "lang",
		"language of text for people: en or zh; without it the locale's (LC_ALL, LC_MESSAGES, LANG)")
	completeWith(cmd, "lang", func() []string { return lang.Languages })
}

// helpIn has --help speak the language too: the descriptions of commands and
// flags are looked up as they stand in English. Then this program has the name that it was called by.
func helpIn(root *cobra.Command, std streams) {
	english := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		asked := cmd.Flags().Lookup("lang")
		if asked == nil || asked.Value.String() == "" {
			asked = root.Flags().Lookup("lang") // doctor --lang zh bundle --help
		}
		c := language(asked.Value.String()).catalogue()
		if c != nil {
			for _, each := range append(cmd.Commands(), cmd) {
				each.Short, each.Long = c.Phrase(each.Short), helpText(c, each.Long)
			}
			cmd.InitDefaultHelpFlag()
			cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = c.Say(usageOf(cmd, f)) })
		}
		for _, each := range append(cmd.Commands(), cmd) {
			each.Short, each.Long, each.Example = std.calls(each.Short), std.calls(each.Long), std.calls(each.Example)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = std.calls(f.Usage) })
		if c != nil {
			usage := headings(c, cmd.UsageString())
			cmd.SetUsageFunc(func(cmd *cobra.Command) error {
				_, err := io.WriteString(cmd.OutOrStderr(), usage)
				return err
			})
		}
		english(cmd, args)
	})
}

// withList adds to the usage of a flag what it lists, which is the same in all languages.
func withList(flags *pflag.FlagSet, name, format string, list ...string) {
	f := flags.Lookup(name)
	f.Usage = fmt.Sprintf(format, strings.Join(list, ", "))
	f.Annotations = map[string][]string{listAnnotation: append([]string{format}, list...)}
}

// listAnnotation is the annotation of a flag whose usage holds a list.
const listAnnotation = "doctor-listed"

// usageOf is the usage of a flag, with the list in it apart from the sentence.
func usageOf(cmd *cobra.Command, f *pflag.Flag) evidence.Phrase {
	if parts := f.Annotations[listAnnotation]; parts != nil {
		return evidence.Phrasef(parts[0], strings.Join(parts[1:], ", "))
	}
	if f.Name == "help" {
		return evidence.Phrasef("help for %s", cmd.Name())
	}
	return evidence.Phrasef(f.Usage)
}

// helpText translates a description; the exit statuses at its end line by
// line, since commands share them.
func helpText(c *lang.Catalogue, text string) string {
	const head = "\nExit status:\n"
	before, statuses, ok := strings.Cut(text, head)
	if !ok {
		return c.Phrase(strings.TrimSpace(text))
	}
	lines := strings.Split(statuses, "\n")
	for i, l := range lines {
		if at := strings.LastIndex(l[:min(len(l), statusColumn)], " ") + 1; at > 0 {
			lines[i] = l[:at] + c.Phrase(l[at:])
		}
	}
	return c.Phrase(strings.TrimSpace(before)) + "\n\n" + c.Phrase(strings.TrimSpace(head)) + "\n" +
		strings.Join(lines, "\n")
}

// statusColumn is where the meaning of an exit status stands in its line.
const statusColumn = 7

// headings translates those of cobra's usage. A template of our own would do it too, and cost 6 MB:
// a program with a template keeps every exported method.
func headings(c *lang.Catalogue, usage string) string {
	lines := strings.Split(usage, "\n")
	for i, line := range lines {
		switch line {
		case "Usage:", "Aliases:", "Examples:", "Available Commands:", "Additional Commands:",
			"Global Flags:", "Flags:":
			lines[i] = c.Word(line)
		}
	}
	return strings.Join(lines, "\n")
}
