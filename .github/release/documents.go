package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// A described command is one of the doctor's, as its TestCommandTree writes it: the generator of man
// pages is no part of the program, so the commands come here as data.
type described struct {
	Use, Short, Long, Example string
	Flags                     []describedFlag
	Commands                  []described
}

type describedFlag struct {
	Name, Shorthand, Usage, Type, Default, NoValue string
	Hidden                                         bool
}

// flagValue is a flag of which only the type is known.
type flagValue struct{ kind, value string }

func (v flagValue) String() string   { return v.value }
func (v flagValue) Set(string) error { return nil }
func (v flagValue) Type() string     { return v.kind }

func (d described) command() *cobra.Command {
	c := &cobra.Command{Use: d.Use, Short: d.Short, Long: d.Long, Example: d.Example,
		DisableAutoGenTag: true,
		Run:               func(*cobra.Command, []string) {}}
	for _, f := range d.Flags {
		c.Flags().AddFlag(&pflag.Flag{Name: f.Name, Shorthand: f.Shorthand, Usage: f.Usage,
			Hidden: f.Hidden,
			Value:  flagValue{f.Type, f.Default}, DefValue: f.Default, NoOptDefVal: f.NoValue})
	}
	for _, sub := range d.Commands {
		c.AddCommand(sub.command())
	}
	return c
}

// documents are the man pages and the completions.
func (r *release) documents() (map[string][]byte, error) {
	folder, err := os.MkdirTemp("", "doctor-man")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	tree := filepath.Join(folder, "commands.json")
	if _, err := command(r.Root, hermetic, "go", "test", "./cmd/doctor", "-count=1", "-run",
		"^TestCommandTree$",
		"-commands", tree); err != nil {
		return nil, err
	}
	content, err := os.ReadFile(tree)
	if err != nil {
		return nil, err
	}
	var d described
	if err := json.Unmarshal(content, &d); err != nil {
		return nil, err
	}
	root, files := d.command(), map[string][]byte{}
	for name, generate := range map[string]func(io.Writer) error{
		"doctor.bash": func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"_doctor":     root.GenZshCompletion,
		"doctor.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"doctor.ps1":  root.GenPowerShellCompletionWithDesc,
	} {
		var b bytes.Buffer
		if err := generate(&b); err != nil {
			return nil, err
		}
		files["completions/"+name] = b.Bytes()
	}
	pages := filepath.Join(folder, "man")
	if err := os.Mkdir(pages, 0o755); err != nil {
		return nil, err
	}
	if err := doc.GenManTree(root, &doc.GenManHeader{Title: "DOCTOR", Section: "1", Date: &r.Time,
		Source: "doctor " + r.Version, Manual: "doctor"}, pages); err != nil {
		return nil, err
	}
	found, err := os.ReadDir(pages)
	if err != nil {
		return nil, err
	}
	for _, page := range found {
		if files["man/man1/"+page.Name()],
			err = os.ReadFile(filepath.Join(pages, page.Name())); err != nil {
			return nil, err
		}
	}
	return files, nil
}
