package bundle_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"doctor/fixtures/program"
)

// leftOut is most of a log of 5.9 MiB: what else is in the bundle decides how much has room.
var leftOut = regexp.MustCompile(`kubelet\.log, (?:4\.[5-9]|5\.[0-5]) MiB left out`)

// TestWhatABundleLeftOutOfALogWasSearched: the doctor that reads the bundle finds what the one that
// wrote it found in the whole log, and takes the log as read.
func TestWhatABundleLeftOutOfALogWasSearched(t *testing.T) {
	exe, node, dir := program.Build(t), t.TempDir(), t.TempDir()
	program.Write(t, filepath.Join(node, "meta.json"),
		`{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z"}`)
	var log strings.Builder
	for i := range 80_000 {
		if i == 40_000 {
			log.WriteString("E1120 09:00:00.000000    1 run.go:1] failed to run Kubelet: unable to load bootstrap kubeconfig: stat C:\\k\\bootstrap: no such file or directory\n")
		}
		fmt.Fprintf(&log, "I1120 09:00:00.000000    1 a.go:1] %08x is the number of this line, %d\n",
			uint32(i)*2654435761, i)
	}
	program.Write(t, filepath.Join(node, "logs", "kubelet", "kubelet.log"), log.String())
	name := filepath.Join(dir, "b.zip")
	if r := program.Run(t, exe, "bundle", "--from", node, name, "--max-size", "300KiB"); !leftOut.MatchString(r.Stdout) {
		t.Fatalf("nothing is left out: %s", r.Stdout+r.Stderr)
	}
	whole, part := program.Run(t, exe, "--from", node), program.Run(t, exe, "--from", name)
	if cause := "kubelet-bootstrap-config-missing"; !strings.Contains(whole.Stdout, cause) || !strings.Contains(part.Stdout, cause) {
		t.Errorf("the line is not judged as %s: of the node\n%sof the bundle\n%s", cause, whole.Stdout, part.Stdout)
	}
	if part.Stderr != "" {
		t.Errorf("the bundle is not taken as read: %s", part.Stderr)
	}
}
