package bundle_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"doctor/fixtures/program"
	"doctor/fixtures/wait"
)

// TestABundleThatIsCutShort: whatever ends the program, there is no half bundle
// under the name, an older one stays, and the next attempt is not hindered.
func TestABundleThatIsCutShort(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signals to send")
	}
	if testing.Short() {
		t.Skip("writes a hundred megabytes; run `make test`")
	}
	exe, node, dir := program.Build(t), t.TempDir(), t.TempDir()
	program.Write(t, filepath.Join(node, "meta.json"),
		`{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z"}`)
	var log strings.Builder
	for i := range 800_000 {
		fmt.Fprintf(&log, "I1120 09:00:00.000000 1 a.go:1] %08x is the number of this line, %d\n",
			i*2654435761, i)
	}
	program.Write(t, filepath.Join(node, "logs", "kubelet", "kubelet.log"), log.String())
	name := filepath.Join(dir, "b.zip")
	for _, row := range []struct {
		signal syscall.Signal
		older  string
		status int
	}{
		{syscall.SIGKILL, "", -1},
		{syscall.SIGINT, "", program.Interrupted},
		{syscall.SIGTERM, "an older bundle", program.Interrupted},
	} {
		t.Run(row.signal.String(), func(t *testing.T) {
			if row.older != "" {
				program.Write(t, name, row.older)
			}
			before := len(partials(t, dir))
			// Behind all others, so that it is in the middle of its work when this one looks.
			cmd := exec.Command("nice", "-n", "19", exe, "bundle", "--from", node, name, "--force",
				"--max-size", "0")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			wait.Until(t, "half a bundle", func() bool { return len(partials(t, dir)) > before })
			if err := cmd.Process.Signal(row.signal); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != row.status {
				t.Errorf("exit status %d, want %d", got, row.status)
			}
			if content, err := os.ReadFile(name); row.older == "" && err == nil ||
				row.older != "" && string(content) != row.older {
				t.Errorf("under the name lie %d bytes", len(content))
			}
			switch left := partials(t, dir); {
			case row.signal == syscall.SIGKILL && len(left) != 1:
				t.Errorf("%d partial files", len(left))
			case row.signal != syscall.SIGKILL && len(left) > before:
				t.Errorf("%s is left", left)
			}
		})
	}
	for _, forgotten := range partials(t, dir) {
		if err := os.Chtimes(forgotten, time.Time{}, time.Now().Add(-2*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command(exe, "bundle", "--from", node, "--force",
		name).CombinedOutput(); err != nil {
		t.Errorf("the next attempt: %v: %s", err, out)
	}
	if list := partials(t, dir); len(list) > 0 {
		t.Errorf("%s is left", list[0])
	}
}

func partials(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*.partial"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}
