package main

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"doctor/checks"
	"doctor/checks/diff"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/fleet"
	"doctor/ui"
)

// A format is a document with a public schema.
type format struct {
	word     string // of `doctor explain schema`
	name     string // and version, as documents state it
	document func() []byte
}

var publicFormats = []format{
	{"report", checks.Schema, ui.Schema},
	{"evidence", evidence.Layout, evidence.Schema},
	{"diff", diff.Schema, ui.DiffSchema},
	{"fleet", fleet.Schema, ui.FleetSchema},
}

func schemaWords() []string {
	return mapped(publicFormats, func(f format) string { return f.word })
}

// explainSchema prints the schema of one format, or lists the formats.
func explainSchema(std streams, args []string) error {
	var b bytes.Buffer
	for _, f := range publicFormats {
		if len(args) == 0 {
			fmt.Fprintf(&b, "%-9s %s\n", f.word, f.name)
		} else if args[0] == f.word {
			b.Write(f.document())
		}
	}
	if b.Len() == 0 {
		return unknownName("schema", args[0], schemaWords(),
			"the schemas are "+strings.Join(schemaWords(), ", "))
	}
	return printOut(std.out, b.String())
}

// The Makefile and the release set these; a plain `go build` takes them from the build itself.
var version, commit, built string

// builtFrom are what the go command recorded of the commit; built is the commit's time.
func builtFrom() (program checks.Program, time string) {
	p, at := checks.Program{Version: version, Commit: commit}, built
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && p.Commit == "":
				p.Commit = s.Value
			case s.Key == "vcs.time" && at == "":
				at = s.Value
			}
		}
	}
	if p.Version == "" {
		p.Version = "devel"
	}
	return p, at
}

func program() checks.Program {
	p, _ := builtFrom()
	return p
}

// versionDocument is `doctor version -o json`.
type versionDocument struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	// empty where the build did not record it, as is Built
	Commit string `json:"commit"`
	// the time of the commit: the same commit gives the same program
	Built   string            `json:"built"`
	Go      string            `json:"go"`
	System  string            `json:"platform"`
	Checks  int               `json:"checks"`
	Schemas map[string]string `json:"schemas"`
}

func versionCommand(std streams) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Prints the doctor's version",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			if err := f.validateOutput(textOrJSON()); err != nil {
				return err
			}
			p, at := builtFrom()
			switch {
			case f.output == "json":
				d := versionDocument{"doctor.version/v1", p.Version, p.Commit, at,
					runtime.Version(),
					runtime.GOOS + "/" + runtime.GOARCH, len(faults.Catalogue().All()),
					map[string]string{}}
				for _, f := range publicFormats {
					d.Schemas[f.word] = f.name
				}
				return printJSON(std.out, d)
			case p.Commit != "":
				return printOut(std.out, fmt.Sprintf("doctor %s (%s)\n", p.Version, p.Commit))
			}
			return printOut(std.out, fmt.Sprintf("doctor %s\n", p.Version))
		},
	}
	f.addFormats(cmd, "write %s", textOrJSON)
	return cmd
}
