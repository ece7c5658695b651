package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"doctor/fixtures"
)

// build makes the program as a user has it: stripped, in a process of its own.
func build(t testing.TB) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "doctor")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", exe, ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return exe
}

// process runs the program and tells its exit status, its peak memory and its output.
func process(t testing.TB, exe string, args ...string) (status int, peak int64, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(exe, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan bool), make(chan int64)
	go func() { done <- watch(cmd.Process.Pid, stop) }()
	err := cmd.Wait()
	close(stop)
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), <-done, out.String(), errs.String()
}

// watch samples the high-water mark of a process's memory while it runs; what
// wait4 reports would include the memory of the process that started it.
func watch(pid int, stop chan bool) (peak int64) {
	for {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if _, after, ok := strings.Cut(string(status), "VmHWM:"); ok {
			var kib int64
			if fmt.Sscan(after, &kib); kib<<10 > peak {
				peak = kib << 10
			}
		}
		select {
		case <-stop:
			return peak
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// unpack writes a recorded node into a folder.
func unpack(t testing.TB, name, dir string) {
	t.Helper()
	r, err := fixtures.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, r.FS()); err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, path string, parts ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range parts {
		if _, err := io.WriteString(f, p); err != nil {
			t.Fatal(err)
		}
	}
}

// maxMemory is what no input, however hostile, may make the program take.
const maxMemory = 512 << 20

// TestHostileTreesCostLittle feeds the program, as a process, what a broken or
// malicious sender might: it must come to an end with a report or a clear
// error, in bounded memory, and without a byte that drives a terminal.
func TestHostileTreesCostLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("writes hundreds of megabytes; run `make test`")
	}
	exe := build(t)
	mib := strings.Repeat("x", 1<<20)
	object := strings.Repeat("{},", 1<<18)
	cases := []struct {
		name string
		make func(dir string)
		want string // in the output
	}{
		{"fifty megabytes on one line of a log", func(dir string) {
			write(t, filepath.Join(dir, "logs/kubelet/kubelet.log"), append(strings.SplitAfter(strings.Repeat(mib, 50), "never"), "unknown flag: --network-plugin")...)
		}, "win-2022-1"},
		{"fifty megabytes in one JSON string", func(dir string) {
			write(t, filepath.Join(dir, "services.json"), `[{"name":"`, strings.Repeat(mib, 50), `"}]`)
		}, "win-2022-1"},
		{"sixty megabytes of empty objects", func(dir string) {
			write(t, filepath.Join(dir, "services.json"), "[", strings.Repeat(object, 80), "{}]")
		}, "objects"},
		{"empty objects in every file, each below the limit", func(dir string) {
			for _, name := range []string{"services", "processes", "adapters", "routes", "hns-networks", "hns-endpoints", "api/pods", "api/services", "api/events", "api/nodes", "events"} {
				write(t, filepath.Join(dir, name+".json"), "[", strings.Repeat(object, 2)[:190_000*3], "{}]")
			}
		}, "could not tell"},
		{"arrays nested ten thousand deep", func(dir string) {
			write(t, filepath.Join(dir, "hns-networks.json"), strings.Repeat("[", 10_001), strings.Repeat("]", 10_001))
			write(t, filepath.Join(dir, "api/node.json"), strings.Repeat(`{"spec":`, 10_001), "1", strings.Repeat("}", 10_001))
			write(t, filepath.Join(dir, "files/C/Program Files/containerd/config.toml"), "a = ", strings.Repeat("[", 10_001), strings.Repeat("]", 10_001))
			write(t, filepath.Join(dir, "files/C/var/lib/kubelet/config.yaml"), "a: ", strings.Repeat("[", 10_001), strings.Repeat("]", 10_001))
		}, "error"},
		{"escape sequences in every text", func(dir string) {
			write(t, filepath.Join(dir, "services.json"), `[{"name":"kubelet","state":"\u001b[2Jpaused\u0007","startType":"\u009b31m","args":["--network-plugin=\u001b]0;x\u0007"]}]`)
			write(t, filepath.Join(dir, "logs/kubelet/kubelet.log"), "failed to parse kubelet flag: unknown flag: --network-plugin \x1b[31m\x07\u202e\n")
		}, "--network-plugin"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			unpack(t, "healthy-flannel-overlay", dir)
			c.make(dir)
			status, peak, out, errs := process(t, exe, "--from", dir)
			if status != exitFine && status != exitFail && status != exitUnknown {
				t.Errorf("exit status %d: %s", status, errs)
			}
			if !strings.Contains(out, c.want) {
				t.Errorf("the report does not say %q:\n%s", c.want, out)
			}
			if peak > maxMemory {
				t.Errorf("took %d MiB", peak>>20)
			}
			if i := strings.IndexAny(out+errs, "\x1b\x07\u009b\u202e"); i >= 0 {
				t.Errorf("a control character reaches the terminal: %q", (out + errs)[max(0, i-20):i+20])
			}
			t.Logf("%d MiB", peak>>20)
		})
	}
}

// TestHostileArchivesCostLittle does the same with zips.
func TestHostileArchivesCostLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("packs gigabytes; run `make test`")
	}
	exe := build(t)
	zeros := make([]byte, 1<<20)
	cases := []struct {
		name   string
		fill   func(w *zip.Writer)
		status int
		want   string
	}{
		{"a log that unpacks to two gigabytes", func(w *zip.Writer) {
			f, _ := w.Create("logs/kubelet/kubelet.log")
			for range 2 << 10 {
				f.Write(zeros)
			}
		}, exitUnknown, "kubelet.log"},
		{"a JSON file that unpacks to a gigabyte", func(w *zip.Writer) {
			f, _ := w.Create("services.json")
			for range 1 << 10 {
				f.Write(zeros)
			}
		}, exitUnknown, "too large"},
		{"names that climb out", func(w *zip.Writer) {
			for _, name := range []string{"../../etc/evil.json", "/etc/evil.json", `C:\evil.json`, `..\evil.json`, "a/../../evil.json"} {
				f, _ := w.Create(name)
				fmt.Fprint(f, "{}")
			}
		}, exitUnknown, "left out"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			name := filepath.Join(dir, "node.zip")
			f, err := os.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			w := zip.NewWriter(f)
			m, err := w.Create("meta.json")
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprint(m, `{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z"}`)
			c.fill(w)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			f.Close()
			start := time.Now()
			status, peak, out, errs := process(t, exe, "--from", name)
			if status != c.status {
				t.Errorf("exit status %d, want %d: %s", status, c.status, errs)
			}
			if !strings.Contains(out+errs, c.want) {
				t.Errorf("nothing is said of %q:\n%s%s", c.want, out, errs)
			}
			if peak > maxMemory {
				t.Errorf("took %d MiB", peak>>20)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "..", "evil*")); len(left) > 0 {
				t.Errorf("written outside: %v", left)
			}
			t.Logf("%d MiB, %v", peak>>20, time.Since(start).Round(time.Millisecond))
		})
	}
}

// BenchmarkFrom is the whole program over a 20 MB evidence folder.
func BenchmarkFrom(b *testing.B) {
	exe, dir := build(b), b.TempDir()
	unpack(b, "healthy-flannel-overlay", dir)
	line := "I1119 10:02:03.123456    1234 kubelet.go:2104] \"SyncLoop (PLEG): event for pod\" pod=\"default/web-5d9c\" event={\"Type\":\"ContainerStarted\"}\n"
	write(b, filepath.Join(dir, "logs/kubelet/kubelet.log"), strings.Repeat(line, (20<<20)/len(line)))
	var peak int64
	for b.Loop() {
		_, p, _, _ := process(b, exe, "--from", dir, "--json")
		peak = max(peak, p)
	}
	b.ReportMetric(float64(peak)/1e6, "peak-MB")
}

// BenchmarkVersion is the program's start.
func BenchmarkVersion(b *testing.B) {
	exe := build(b)
	for b.Loop() {
		process(b, exe, "version")
	}
}
