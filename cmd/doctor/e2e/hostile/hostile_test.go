package hostile_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"doctor/fixtures/program"
)

// maxMemory is what no input, however hostile, may make the program take.
const maxMemory = 512 << 20

// TestHostileTreesCostLittle feeds the program, as a process, what a broken or
// malicious sender might: it must come to an end with a report or a clear
// error, in bounded memory, and without a byte that drives a terminal.
func TestHostileTreesCostLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("writes hundreds of megabytes; run `make test`")
	}
	exe := program.Build(t)
	mib := strings.Repeat("x", 1<<20)
	object := strings.Repeat("{},", 1<<18)
	cases := []struct {
		name string
		make func(dir string)
		want string // in the output
	}{
		{"fifty megabytes on one line of a log", func(dir string) {
			program.Write(t, filepath.Join(dir, "logs/kubelet/kubelet.log"),
				append(strings.SplitAfter(strings.Repeat(mib, 50), "never"),
					"unknown flag: --network-plugin")...)
		}, "win-2022-1"},
		{"fifty megabytes in one JSON string", func(dir string) {
			program.Write(t, filepath.Join(dir, "services.json"), `[{"name":"`,
				strings.Repeat(mib, 50), `"}]`)
		}, "win-2022-1"},
		{"sixty megabytes of empty objects", func(dir string) {
			program.Write(t, filepath.Join(dir, "services.json"), "[", strings.Repeat(object, 80),
				"{}]")
		}, "objects"},
		{"empty objects in every file, each below the limit", func(dir string) {
			for _, name := range []string{"services", "processes", "adapters", "routes",
				"hns-networks", "hns-endpoints", "api/pods", "api/services", "api/events",
				"api/nodes", "events"} {
				program.Write(t, filepath.Join(dir, name+".json"), "[",
					strings.Repeat(object, 2)[:190_000*3], "{}]")
			}
		}, "could not run"},
		{"arrays nested ten thousand deep", func(dir string) {
			program.Write(t, filepath.Join(dir, "hns-networks.json"), strings.Repeat("[", 10_001),
				strings.Repeat("]", 10_001))
			program.Write(t, filepath.Join(dir, "api/node.json"),
				strings.Repeat(`{"spec":`, 10_001), "1", strings.Repeat("}", 10_001))
			program.Write(t, filepath.Join(dir, "files/C/Program Files/containerd/config.toml"),
				"a = ", strings.Repeat("[", 10_001), strings.Repeat("]", 10_001))
			program.Write(t, filepath.Join(dir, "files/C/var/lib/kubelet/config.yaml"), "a: ",
				strings.Repeat("[", 10_001), strings.Repeat("]", 10_001))
		}, "could not be read"},
		{"escape sequences in every text", func(dir string) {
			program.Write(t, filepath.Join(dir, "services.json"),
				`[{"name":"kubelet","state":"\u001b[2Jpaused\u0007","startType":"\u009b31m","args":["--network-plugin=\u001b]0;x\u0007"]}]`)
			program.Write(t, filepath.Join(dir, "logs/kubelet/kubelet.log"),
				"failed to parse kubelet flag: unknown flag: --network-plugin \x1b[31m\x07\u202e\n")
		}, "--network-plugin"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			program.Unpack(t, "healthy-flannel-overlay", dir)
			c.make(dir)
			r := program.Run(t, exe, "--from", dir)
			if r.Status != program.Fine && r.Status != program.Fail {
				t.Errorf("exit status %d: %s", r.Status, r.Stderr)
			}
			if !strings.Contains(r.Stdout, c.want) {
				t.Errorf("the report does not say %q:\n%s", c.want, r.Stdout)
			}
			if r.Peak > maxMemory {
				t.Errorf("took %d MiB", r.Peak>>20)
			}
			if said := r.Stdout + r.Stderr; strings.ContainsAny(said, "\x1b\x07\u009b\u202e") {
				i := strings.IndexAny(said, "\x1b\x07\u009b\u202e")
				t.Errorf("a control character reaches the terminal: %q",
					said[max(0, i-20):min(len(said), i+20)])
			}
			t.Logf("%d MiB", r.Peak>>20)
		})
	}
}

// TestHostileArchivesCostLittle does the same with zips.
func TestHostileArchivesCostLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("packs gigabytes; run `make test`")
	}
	exe := program.Build(t)
	cases := []struct {
		name   string
		fill   func(w *zip.Writer)
		status int
		want   string
	}{
		{"a log that unpacks to two gigabytes", func(w *zip.Writer) {
			zeros(t, w, "logs/kubelet/kubelet.log", 2<<10)
		}, program.Fine, "kubelet.log"},
		{"a JSON file that unpacks to a gigabyte", func(w *zip.Writer) {
			zeros(t, w, "services.json", 1<<10)
		}, program.Fine, "too large"},
		{"names that climb out", func(w *zip.Writer) {
			for _, name := range []string{"../../etc/evil.json", "/etc/evil.json", `C:\evil.json`,
				`..\evil.json`, "a/../../evil.json"} {
				f, _ := w.Create(name)
				fmt.Fprint(f, "{}")
			}
		}, program.Fine, "left out"},
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
			fmt.Fprint(m,
				`{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z"}`)
			c.fill(w)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			f.Close()
			r := program.Run(t, exe, "--from", name)
			if r.Status != c.status {
				t.Errorf("exit status %d, want %d: %s", r.Status, c.status, r.Stderr)
			}
			if !strings.Contains(r.Stdout+r.Stderr, c.want) {
				t.Errorf("nothing is said of %q:\n%s%s", c.want, r.Stdout, r.Stderr)
			}
			if r.Peak > maxMemory {
				t.Errorf("took %d MiB", r.Peak>>20)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "..", "evil*")); len(left) > 0 {
				t.Errorf("written outside: %v", left)
			}
			t.Logf("%d MiB", r.Peak>>20)
		})
	}
}

// zeros adds a file of so many mebibytes of them. One is compressed, and stands there again and
// again: to compress all of them takes longer than the program takes to refuse them.
func zeros(t *testing.T, w *zip.Writer, name string, mebibytes int) {
	t.Helper()
	one := make([]byte, 1<<20)
	var block, end bytes.Buffer
	c, err := flate.NewWriter(&block, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	c.Write(one)
	c.Flush() // up to a whole byte
	c.Reset(&end)
	c.Close()
	sum := crc32.NewIEEE()
	for range mebibytes {
		sum.Write(one)
	}
	f, err := w.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate, CRC32: sum.Sum32(),
		UncompressedSize64: uint64(mebibytes) << 20,
		CompressedSize64:   uint64(mebibytes*block.Len() + end.Len())})
	if err != nil {
		t.Fatal(err)
	}
	for range mebibytes {
		f.Write(block.Bytes())
	}
	f.Write(end.Bytes())
}

// BenchmarkFrom is the whole program over a 20 MB evidence folder.
func BenchmarkFrom(b *testing.B) {
	exe, dir := program.Build(b), b.TempDir()
	program.Unpack(b, "healthy-flannel-overlay", dir)
	line := "I1119 10:02:03.123456    1234 kubelet.go:2104] \"SyncLoop (PLEG): event for pod\" pod=\"default/web-5d9c\" event={\"Type\":\"ContainerStarted\"}\n"
	program.Write(b, filepath.Join(dir, "logs/kubelet/kubelet.log"),
		strings.Repeat(line, (20<<20)/len(line)))
	var peak int64
	for b.Loop() {
		peak = max(peak, program.Run(b, exe, "--from", dir, "--json").Peak)
	}
	b.ReportMetric(float64(peak)/1e6, "peak-MB")
}

// BenchmarkVersion is the program's start.
func BenchmarkVersion(b *testing.B) {
	exe := program.Build(b)
	for b.Loop() {
		program.Run(b, exe, "version")
	}
}
