package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"doctor/checks/evidence"
	"doctor/ui/lang"
)

// A language is the value of --lang; where it is empty the terminal's locale counts.
type language string

func (l *language) String() string { return string(*l) }
func (l *language) Type() string   { return "language" }

func (l *language) Set(s string) error {
	for _, known := range lang.Languages {
		if s == known {
			*l = language(s)
			return nil
		}
	}
	return fmt.Errorf("doctor does not speak %q; it speaks %s", evidence.Clean(s), strings.Join(lang.Languages, " and "))
}

// catalogue is what the language says, nil for English.
func (l language) catalogue() *lang.Catalogue { return lang.Of(lang.Choose(string(l), os.Getenv)) }

// flag adds --lang to a command that writes text for people.
func (l *language) flag(cmd *cobra.Command) {
	cmd.Flags().Var(l, "lang", "language of text for people: en or zh; without it the locale's (LC_ALL, LC_MESSAGES, LANG)")
	completeWith(cmd, "lang", func() []string { return lang.Languages })
}

// helpIn has --help speak the language too: the descriptions of commands and
// flags are looked up as they stand in English.
func helpIn(root *cobra.Command) {
	english := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var l language
		if f := cmd.Flags().Lookup("lang"); f != nil {
			l = language(f.Value.String())
		}
		if c := l.catalogue(); c != nil {
			for _, each := range append(cmd.Commands(), cmd) {
				each.Short, each.Long = c.Phrase(each.Short), helpText(c, each.Long)
			}
			cmd.InitDefaultHelpFlag()
			cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = c.Phrase(f.Usage) })
			cmd.SetUsageTemplate(headings(c, cmd.UsageTemplate()))
		}
		english(cmd, args)
	})
}

// helpText looks the exit statuses up by themselves, since several commands end with them.
func helpText(c *lang.Catalogue, text string) string {
	if before, ok := strings.CutSuffix(text, exitHelp); ok {
		return c.Phrase(strings.TrimSpace(before)) + "\n" + c.Phrase(exitHelp)
	}
	return c.Phrase(text)
}

// headings translates those of cobra's own template.
func headings(c *lang.Catalogue, template string) string {
	for _, word := range []string{"Usage:", "Aliases:", "Examples:", "Available Commands:", "Additional Commands:", "Global Flags:", "Flags:"} {
		template = strings.ReplaceAll(template, word, c.Word(word))
	}
	return template
}
