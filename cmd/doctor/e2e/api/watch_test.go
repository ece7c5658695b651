package api_test

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"doctor/fixtures/apibed"
	"doctor/fixtures/program"
)

// TestAWatchSeesANodeBreakAndRecover: a Node object is taken away from Ready and given back, and the
// flight recorder, though killed before and after, leaves a bundle that doctor opens.
func TestAWatchSeesANodeBreakAndRecover(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	const node, secret = "win-watched", "Tr0ub4dor7x-Kq"
	state := func(ready string) apibed.Object {
		n := apibed.Node(node, "windows", "10.240.0.19", ready)
		var server struct{ GitVersion string }
		if err := json.Unmarshal(bed.Get(t, "/version"), &server); err != nil {
			t.Fatal(err)
		}
		n["metadata"].(apibed.Object)["annotations"] = apibed.Object{"example.com/password": secret}
		n["status"].(apibed.Object)["nodeInfo"].(apibed.Object)["kubeletVersion"] = server.GitVersion
		return n
	}
	bed.Create(t, "/api/v1/nodes", state("True"))
	folder := filepath.Join(t.TempDir(), "recorder")
	doctor := program.Build(t)
	watch := func(after string) (cmd *exec.Cmd, await func(string)) {
		cmd = exec.CommandContext(t.Context(), doctor, "watch", "--node", node, "--kubeconfig", bed.Kubeconfigs["admin"],
			"--every", "1s", "--full", "2s", "--until", "node-not-ready", "--after", after, "--bundle", folder, "-o", "json")
		cmd.Stderr = os.Stderr
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		changes := make(chan string, 10)
		go func() {
			defer close(changes)
			for lines := bufio.NewScanner(out); lines.Scan(); {
				var c struct{ Change, ID, Node string }
				if err := json.Unmarshal(lines.Bytes(), &c); err != nil || c.Node != node {
					t.Errorf("%v: %s", err, lines.Text())
				}
				if c.ID == "node-not-ready" {
					changes <- c.Change
				}
			}
		}()
		return cmd, func(want string) {
			t.Helper()
			select {
			case got := <-changes:
				if got != want {
					t.Errorf("%s, want %s", got, want)
				}
			case <-time.After(2 * time.Minute):
				t.Fatalf("nothing %s", want)
			}
		}
	}
	kill := func(cmd *exec.Cmd) {
		t.Helper()
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
	}
	cmd, _ := watch("1s")
	// A reading of the healthy node comes first.
	waitFor(t, filepath.Join(folder, "ring", "reading-*.zip"))
	kill(cmd)
	bed.Patch(t, "/api/v1/nodes/"+node+"/status", apibed.Object{"status": state("Unknown")["status"]})
	cmd, await := watch("1h")
	await("appeared") // while nobody watched
	waitFor(t, filepath.Join(folder, "ring", "trigger"))
	kill(cmd) // before the bundle
	cmd, await = watch("1s")
	bundle := waitFor(t, filepath.Join(folder, "doctor-*.zip"))
	bed.Patch(t, "/api/v1/nodes/"+node+"/status", apibed.Object{"status": state("True")["status"]})
	await("recovered")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("it ended with %v", err)
	}
	kept, err := filepath.Glob(filepath.Join(folder, "ring", "*.zip"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(kept, bundle) {
		if text := unzipped(t, name); !strings.Contains(text, "example.com/password") || strings.Contains(text, secret) {
			t.Errorf("%s has no annotation, or its secret", name)
		}
	}
	r := program.Run(t, doctor, bundle, "-o", "text")
	if r.Status != program.Fail || !strings.Contains(r.Stdout, "node-not-ready") ||
		!strings.Contains(r.Stderr, "the timeline has the others") {
		t.Errorf("exit status %d\n%s%s", r.Status, r.Stderr, r.Stdout)
	}
}

// waitFor returns the first file of a pattern.
func waitFor(t *testing.T, pattern string) string {
	t.Helper()
	for until := time.Now().Add(2 * time.Minute); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		if list, err := filepath.Glob(pattern); err != nil || len(list) > 0 {
			return list[0]
		}
	}
	t.Fatalf("there is no %s", pattern)
	return ""
}

// unzipped is the text of all files of a zip.
func unzipped(t *testing.T, name string) string {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var all strings.Builder
	for _, file := range z.File {
		f, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&all, f); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	return all.String()
}
