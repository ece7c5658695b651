//go:build unix

package bundle

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Opening a pipe waits for a writer, for ever: this hangs when it goes wrong.
func TestPipes(t *testing.T) {
	dir := makeFolder(t, member{name: "a", content: "1"})
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	link(t, "pipe", filepath.Join(dir, "to-pipe"))
	a := mustOpen(t, dir, standard)
	if got := contents(t, a); got != "a=1" {
		t.Errorf("it holds %q", got)
	}
	checkRefusals(t, a, []string{"pipe: a device, pipe or socket is not read",
		"to-pipe: a device, pipe or socket is not read"})
	if _, err := Open(pipe); err == nil || !strings.Contains(err.Error(), "save it as a file") {
		t.Errorf("opening the pipe gives %v", err)
	}
}
