package bundle_test

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"doctor/fixtures"
	"doctor/fixtures/program"
	"doctor/fixtures/server"
)

// How much a bundle is measured over, and of what.
const (
	benchLog  = 128 << 20 // each of them
	benchRuns = 3         // of what takes seconds; the quickest counts
)

var benchLogs = []string{"logs/kubelet/kubelet.log", "logs/kube-proxy/kube-proxy.log",
	"logs/containerd/containerd.log", "logs/flanneld/flanneld.log"}

// A cost is what one run of a program took.
type cost struct {
	wall, cpu time.Duration
	peak      int64
	size      int64 // of what it wrote
}

// BenchmarkBundle packs 512 MB of logs with the doctor, with troubleshoot's
// support-bundle and with `pigz -1`, and prints what each took. The goals stand
// beside the figures; nothing fails where a machine is slow.
func BenchmarkBundle(b *testing.B) {
	if os.Getenv("DOCTOR_BENCH_BUNDLE") == "" {
		b.Skip("takes many minutes; run `make bench-bundle`")
	}
	pigz, err := exec.LookPath("pigz")
	if err != nil {
		b.Fatal("no pigz to compare with: apt-get install pigz")
	}
	peer, err := server.Troubleshoot.Find()
	if err != nil {
		b.Fatal(err)
	}
	exe, dir, out := program.Build(b), b.TempDir(), b.TempDir()
	size := writeBenchNode(b, dir)

	archive := filepath.Join(out, "doctor.zip")
	var ours, floor cost
	for range benchRuns { // turn and turn about, so that a busy machine is busy for both
		ours = quicker(ours, measure(b, archive, exec.Command(exe, "bundle", "--from", dir,
			"--since", "0", "--max-size", "0", "--force", archive)))
		floor = quicker(floor, pigzRun(b, pigz, dir, filepath.Join(out, "logs.gz")))
	}
	expectLogs(b, archive, zipSizes)
	support := filepath.Join(out, "support.tar.gz")
	theirs := measure(b, support, troubleshootRun(b, peer, dir, out, support))
	expectLogs(b, support, tarSizes)

	small := filepath.Join(out, "small.zip")
	measure(b, small, exec.Command(exe, "bundle", "--from", dir, "--since", "0", "--max-size",
		"24MiB", small))
	var replay cost
	for range benchRuns {
		replay = quicker(replay, measure(b, small, exec.Command(exe, "--from", small, "--json")))
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "%d MB of logs\twall\tCPU\tpeak\twrote\t\t\n", size/1e6)
	for _, row := range []struct {
		name string
		cost
		goal string
	}{
		{"doctor bundle", ours, "peak: goal below 64 MiB"},
		{"troubleshoot", theirs,
			fmt.Sprintf(
				"doctor is %.1f times as fast (goal 40) with 1/%.0f of the memory (goal 1/25)",
				ratio(theirs.wall, ours.wall), ratio(theirs.peak, ours.peak))},
		{"pigz -1", floor, fmt.Sprintf("doctor takes %.2f times as long (goal 1.5)",
			ratio(ours.wall, floor.wall))},
		{"doctor --from", replay, fmt.Sprintf("of a bundle of %.1f MiB: goal below 1 s",
			float64(replay.size)/(1<<20))},
	} {
		fmt.Fprintf(table, "%s\t%.2f s\t%.2f s\t%.1f MiB\t%.1f MiB\t\t%s\n", row.name,
			row.wall.Seconds(), row.cpu.Seconds(), float64(row.peak)/(1<<20),
			float64(row.size)/(1<<20), row.goal)
	}
	table.Flush()
	b.ReportMetric(0, "ns/op") // the table says it
}

func ratio[N int64 | time.Duration](a, b N) float64 { return float64(a) / float64(b) }

func quicker(a, b cost) cost {
	if a.wall == 0 || b.wall < a.wall {
		return b
	}
	return a
}

// measure runs a program that writes a file.
func measure(b *testing.B, file string, cmd *exec.Cmd) cost {
	b.Helper()
	var said bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &said
	}
	cmd.Stderr = &said
	began := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	watched := program.Watch(cmd)
	err := cmd.Wait()
	wall := time.Since(began)
	peak := watched()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) &&
		slices.Contains([]int{program.Fail, program.Unknown}, exit.ExitCode()) {
		err = nil // the node's fault
	}
	if err != nil {
		b.Fatalf("%s: %v\n%s", cmd, err, said.Bytes()[:min(said.Len(), 4000)])
	}
	info, err := os.Stat(file)
	if err != nil {
		b.Fatalf("%s wrote no bundle: %v\n%s", cmd, err, said.Bytes()[:min(said.Len(), 4000)])
	}
	return cost{wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peak,
		info.Size()}
}

func pigzRun(b *testing.B, pigz, dir, file string) cost {
	b.Helper()
	out, err := os.Create(file)
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command(pigz, append([]string{"-1", "-c"}, benchLogs...)...)
	cmd.Dir, cmd.Stdout = dir, out
	return measure(b, file, cmd)
}

// troubleshootRun collects the same folder, with the redactors that support-bundle has by itself.
func troubleshootRun(b *testing.B, exe, dir, out, file string) *exec.Cmd {
	b.Helper()
	spec := filepath.Join(out, "spec.yaml")
	program.Write(b, spec, `apiVersion: troubleshoot.sh/v1beta2
kind: SupportBundle
metadata:
  name: node
spec:
  hostCollectors:
  - copy:
      collectorName: node
      path: `+filepath.Join(dir, "*")+"\n")
	cmd := exec.Command(exe, spec, "--interactive=false", "--auto-update=false",
		"--load-cluster-specs=false", "--no-uri", "--output", file)
	cmd.Dir = out
	cmd.Env = append(os.Environ(), "HOME="+out, "TMPDIR="+out, "KUBECONFIG="+filepath.Join(out,
		"no-kubeconfig"))
	return cmd
}

// writeBenchNode makes a node whose logs are long: the lines of the healthy
// nodes, in any order and with other numbers, and a secret in one of 10,000.
func writeBenchNode(b *testing.B, dir string) (total int64) {
	b.Helper()
	program.Unpack(b, "healthy-flannel-hostgw", dir)
	if err := os.RemoveAll(filepath.Join(dir, "logs")); err != nil {
		b.Fatal(err)
	}
	random, lines := rand.New(rand.NewPCG(1, 2)), benchLines(b)
	for _, name := range benchLogs {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		f, err := os.Create(path)
		if err != nil {
			b.Fatal(err)
		}
		w := bufio.NewWriterSize(f, 1<<20)
		size := 0
		for size < benchLog {
			line := lines[random.IntN(len(lines))]
			if random.IntN(10000) == 0 {
				line = benchSecrets[random.IntN(len(benchSecrets))]
			}
			line = renumber(random, line)
			size += len(line) + 1
			w.Write(line)
			w.WriteByte('\n')
		}
		if err := cmp.Or(w.Flush(), f.Close()); err != nil {
			b.Fatal(err)
		}
		total += int64(size)
	}
	return total
}

var benchSecrets = [][]byte{
	[]byte(`I1120 09:40:01.000000    3896 round_trippers.go:424] curl -v -XGET -H "Authorization: Bearer eyJhbGciOiJSUzI1NiJ9.00000000000000000000000000.00000000000000000000000000" 'https://10.96.0.1/api'`),
	[]byte(`E1120 09:40:01.000000    3896 remote_image.go:114] "PullImage failed" err="Get https://acct.blob.core.windows.net/l?sig=000000000000000000000000%3D&se=2026-12-01: refused"`),
	[]byte(`W1120 09:40:01.000000    3896 mount.go:1] options username=svc,password=pw00000000000,vers=3.0`),
}

func benchLines(b *testing.B) (lines [][]byte) {
	b.Helper()
	for _, name := range fixtures.Names() {
		if !strings.HasPrefix(name, "healthy-") {
			continue
		}
		r, err := fixtures.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		err = fs.WalkDir(r.FS(), "logs", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			content, err := fs.ReadFile(r.FS(), path)
			lines = append(lines, bytes.Split(bytes.TrimSpace(content), []byte("\n"))...)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return lines
}

var longNumber = regexp.MustCompile(`\d{5,}`)

// renumber draws the long numbers of a line anew; a klog line's date stays one.
func renumber(random *rand.Rand, line []byte) []byte {
	line = bytes.Clone(line)
	for _, at := range longNumber.FindAllIndex(line, -1) {
		for i := at[0]; i < at[1]; i++ {
			line[i] = '0' + byte(random.IntN(10))
		}
	}
	return line
}

// expectLogs: who leaves something out is soon done.
func expectLogs(b *testing.B, archive string, sizes func(string) (map[string]int64, error)) {
	b.Helper()
	held, err := sizes(archive)
	if err != nil {
		b.Fatal(err)
	}
	for _, log := range benchLogs {
		var kept int64
		for name, size := range held {
			if strings.HasSuffix(name, log) {
				kept = size
			}
		}
		if kept < benchLog*95/100 {
			b.Errorf("%s holds %d bytes of the %d of %s", archive, kept, benchLog, log)
		}
	}
}

func zipSizes(name string) (map[string]int64, error) {
	r, err := zip.OpenReader(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	sizes := map[string]int64{}
	for _, f := range r.File {
		sizes[f.Name] = int64(f.UncompressedSize64)
	}
	return sizes, nil
}

func tarSizes(name string) (map[string]int64, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	sizes := map[string]int64{}
	for r := tar.NewReader(unpacked); ; {
		h, err := r.Next()
		if err == io.EOF {
			return sizes, nil
		}
		if err != nil {
			return nil, err
		}
		sizes[h.Name] = h.Size
	}
}
