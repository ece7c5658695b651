package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"doctor/checks/evidence"
	"doctor/cmd/doctor/internal/selftest"
	"doctor/collectors"
	"doctor/collectors/hostprocess"
	"doctor/collectors/node"
	"doctor/collectors/redact"
	"doctor/collectors/tree"
)

// selfTestName is the command that holds doctor against PowerShell.
const selfTestName = "self-test"

// A selfTest is what `doctor self-test -o json` writes.
type selfTest struct {
	Schema  string            `json:"schema"`
	Version string            `json:"version"`
	Machine string            `json:"machine"`
	Results []selftest.Result `json:"results"`
}

func selfTestCommand(std streams) *cobra.Command {
	var f flags
	var held string
	formats := func() []string { return []string{"markdown", "json"} }
	cmd := &cobra.Command{
		Use:    selfTestName,
		Hidden: true,
		Short:  "Compares what doctor reads on this Windows node with what PowerShell says",
		Long: `self-test reads this Windows node, asks PowerShell for the same values, and prints a table of what
differs, ready to paste into an issue. It changes nothing and needs no cluster. A value that changes
while it runs is not compared. Secrets are redacted; the names of the machine, its adapters and its
services are not.

Exit status: 0 nothing differs, 3 something does, 1 it cannot be compared.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed(selftest.HoldFlag) {
				selftest.Held(std.in)
				return nil
			}
			if err := f.validateOutput(formats()); err != nil {
				return err
			}
			if runtime.GOOS != "windows" {
				return trouble(errors.New("this machine is not a Windows node; run doctor.exe self-test on one"))
			}
			return compareWithPowerShell(cmd.Context(), std, f.output == "json")
		},
	}
	cmd.Flags().StringVar(&held, selftest.HoldFlag, "", "wait with a long command line")
	cmd.Flags().MarkHidden(selftest.HoldFlag)
	f.addFormats(cmd, "write %s", formats)
	return cmd
}

func compareWithPowerShell(ctx context.Context, std streams, asJSON bool) error {
	release, err := selftest.Hold(selfTestName)
	if err != nil {
		return trouble(err)
	}
	defer release()
	var machine string
	results, err := selftest.Run(ctx, selftest.WindowsPowerShell,
		func(ctx context.Context) (evidence.Snapshot, error) {
			t := tree.New()
			t.JSON("meta.json", evidence.Meta{Layout: evidence.Layout,
				CollectedAt: time.Now().UTC()})
			collectors.Run(ctx, t, node.Collectors(node.Options{Since: 24 * time.Hour}),
				func([]collectors.Reading) {})
			s, err := evidence.Load(t.FS())
			machine = machineOf(s)
			return s, err
		})
	if err != nil {
		return trouble(err)
	}
	secrets := redact.New(redact.Options{})
	for i := range results {
		for j, text := range results[i].Differs {
			results[i].Differs[j] = secrets.Text(text)
		}
	}
	d := selfTest{"doctor.self-test/v1", program().Version, machine, results}
	if asJSON {
		err = printJSON(std.out, d)
	} else {
		err = printOut(std.out, fmt.Sprintf("doctor %s on %s\n\n%s", d.Version, d.Machine,
			selftest.Table(results)))
	}
	if err != nil {
		return err
	}
	if slices.ContainsFunc(results, func(r selftest.Result) bool { return r.State == selftest.Differs }) {
		return exit{exitFail, nil}
	}
	return nil
}

// machineOf is the machine in a line: its Windows, and as whom doctor ran there.
func machineOf(s evidence.Snapshot) string {
	o := evidence.OSInfo.In(s)
	parts := []string{fmt.Sprintf("%s %d.%d %s", o.ProductName, o.Build, o.UBR, runtime.GOARCH)}
	if elevated, known := node.Elevated(); known && elevated {
		parts = append(parts, "elevated")
	} else {
		parts = append(parts, "not elevated")
	}
	if hostprocess.Mount() != "" {
		parts = append(parts, "in a HostProcess container")
	}
	return strings.Join(parts, ", ")
}
