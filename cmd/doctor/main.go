// Doctor diagnoses Kubernetes Windows nodes: from a recording, it names what is
// wrong, why, and what to do.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"doctor/checks/evidence"
	"doctor/ui"
)

// memoryLimit makes the collector work before a hostile tree makes the machine swap.
const memoryLimit = 384 << 20

// programName is how this program was called: as `kubectl windows-doctor` where its file has the
// name of that plugin of kubectl, https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/.
func programName(file string) string {
	name := strings.TrimSuffix(path.Base(strings.ReplaceAll(file, `\`, "/")), ".exe")
	plugin, ok := strings.CutPrefix(name, "kubectl-")
	if !ok {
		return "doctor"
	}
	return "kubectl " + strings.ReplaceAll(plugin, "_", "-")
}

// forKubectl are the arguments with which kubectl asks for completions: it calls another file for them.
func forKubectl(file string, args []string) []string {
	if strings.HasPrefix(path.Base(strings.ReplaceAll(file, `\`, "/")), "kubectl_complete-") {
		return append([]string{cobra.ShellCompRequestCmd}, args...)
	}
	return args
}

func main() {
	debug.SetMemoryLimit(memoryLimit)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, forKubectl(os.Args[0], os.Args[1:]), streams{os.Stdin, os.Stdout, os.Stderr, programName(os.Args[0])}))
}

// run is the whole program as a function of its arguments and streams. stdout
// is the result, stderr the talk.
func run(ctx context.Context, args []string, std streams) int {
	if std.name != "doctor" {
		ui.CalledBy(std.name)
	}
	root := command(std)
	root.SetArgs(withDemoList(joinNode(codeAsWord(args))))
	cmd, err := root.ExecuteContextC(ctx)
	err = flagError(cmd, err)
	var code exit
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &code):
		if code.err != nil {
			writeError(std, code.err)
		}
		return code.status
	case ctx.Err() != nil:
		fmt.Fprintln(std.err, std.name+": interrupted")
		return exitInterrupted
	}
	writeError(std, err)
	return exitUsage
}

// writeError writes an error, line by line, free of whatever could drive a terminal.
func writeError(std streams, err error) {
	prefix := std.name + ": "
	for line := range strings.Lines(std.calls(err.Error())) {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		fmt.Fprintln(std.err, prefix+indent+evidence.Clean(strings.TrimSpace(line)))
		prefix = ""
	}
}
