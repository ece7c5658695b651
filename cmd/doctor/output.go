package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"doctor/cmd/doctor/internal/session"
	"doctor/collectors/hostprocess"
	"doctor/collectors/outfile"
)

// standardOutput is the name of a file that stands for standard output.
const standardOutput = "-"

// addOutput adds the flags that say which file is written.
func (f *flags) addOutput(cmd *cobra.Command, usage string) {
	cmd.Flags().StringVar(&f.file, "output-file", "", usage)
	cmd.Flags().BoolVar(&f.force, "force", false, "replace the output file if it exists")
}

// outputOptions protect what this run reads.
func (f *flags) outputOptions() outfile.Options {
	o := outfile.Options{Force: f.force, Inputs: f.inputs}
	if in, ok := f.In.(*os.File); ok && f.From == session.StandardInput {
		o.Streams = []*os.File{in}
	} else if f.From != "" {
		o.Inputs = append(o.Inputs, f.From)
	}
	o.Inputs = append(o.Inputs, filepath.SplitList(os.Getenv("KUBECONFIG"))...)
	if f.Cluster.Kubeconfig != "" {
		o.Inputs = append(o.Inputs, f.Cluster.Kubeconfig)
	}
	if home, err := os.UserHomeDir(); err == nil {
		o.Inputs = append(o.Inputs, filepath.Join(home, ".kube", "config"))
	}
	if f.stdin != nil {
		o.Streams = append(o.Streams, f.stdin)
	}
	return o
}

// validateFile looks at the output file before anything is read: a node takes seconds.
func (f *flags) validateFile(cmd *cobra.Command) error {
	if f.file == "" && cmd.Flags().Changed("output-file") {
		return errors.New("--output-file is given an empty name; name a file to write")
	}
	if f.file == standardOutput { // is where a report goes without a screen
		f.file, f.noScreen = "", true
	}
	if f.file == "" {
		return nil
	}
	return outputError(outfile.Check(f.file, f.outputOptions()))
}

// warnLost says of a file that was written that it goes with this container.
func warnLost(std streams, name string) {
	if warning := hostprocess.Warning(name); warning != "" {
		std.tell(warning)
	}
}

// outputError tells a name that may not be written, which is the user's to change, from a disk
// that does not take it.
func outputError(err error) error {
	if errors.Is(err, outfile.ErrRefused) {
		return err
	}
	return trouble(err)
}
