package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var commandsFile = flag.String("commands", "",
	"write the commands and their flags to this file, for man pages")

// A commandShown is what a man page shows of a command.
type commandShown struct {
	Use, Short, Long, Example string
	Flags                     []flagShown
	Commands                  []commandShown
}

type flagShown struct {
	Name, Shorthand, Usage, Type, Default, NoValue string
	Hidden                                         bool
}

func shownOf(t *testing.T, c *cobra.Command) commandShown {
	if c.Short == "" {
		t.Errorf("%s has no description", c.CommandPath())
	}
	shown := commandShown{Use: c.Use, Short: c.Short, Long: c.Long, Example: c.Example}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Usage == "" && !f.Hidden {
			t.Errorf("%s --%s has no description", c.CommandPath(), f.Name)
		}
		shown.Flags = append(shown.Flags, flagShown{f.Name, f.Shorthand, f.Usage, f.Value.Type(),
			f.DefValue,
			f.NoOptDefVal, f.Hidden})
	})
	for _, sub := range c.Commands() {
		if sub.Name() != "help" && sub.Name() != "completion" && !sub.Hidden {
			shown.Commands = append(shown.Commands, shownOf(t, sub))
		}
	}
	return shown
}

// TestCommandTree holds every command and flag to having a description. The release makes man pages of
// the file that it writes.
func TestCommandTree(t *testing.T) {
	tree := shownOf(t, command(streams{os.Stdin, os.Stdout, os.Stderr, "doctor"}))
	if len(tree.Commands) < 6 {
		t.Errorf("only %d commands", len(tree.Commands))
	}
	if *commandsFile == "" {
		return
	}
	content, err := json.MarshalIndent(tree, "", "  ")
	if err == nil {
		err = os.WriteFile(*commandsFile, content, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestCompletionIsForTheFileThatRuns: a script for another name would complete nothing.
func TestCompletionIsForTheFileThatRuns(t *testing.T) {
	for name, file := range map[string]string{
		"doctor": "doctor", "kubectl windows-doctor": "kubectl-windows_doctor",
	} {
		var script bytes.Buffer
		root := command(streams{os.Stdin, os.Stdout, os.Stderr, name})
		if err := root.GenBashCompletionV2(&script, false); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(script.String(), " "+file+"\n") {
			t.Errorf("%s: the script is not for %s", name, file)
		}
	}
}
