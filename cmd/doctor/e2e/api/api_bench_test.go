package api_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"doctor/fixtures/apibed"
	"doctor/fixtures/program"
	"doctor/fixtures/server"
)

// forAPI skips a benchmark that takes minutes, unless `make bench-api` runs it.
func forAPI(b *testing.B) {
	b.Helper()
	if os.Getenv("DOCTOR_BENCH_API") == "" {
		b.Skip("takes minutes; run `make bench-api`")
	}
}

// What diagnosing a node of a large cluster may cost.
const (
	largeNodes    = 5000 // with ten pods each
	largeTime     = 2 * time.Second
	largeMemory   = 150 << 20
	largeRequests = 20
)

// BenchmarkLargeCluster is the whole program, as a process, on one node of many.
func BenchmarkLargeCluster(b *testing.B) {
	forAPI(b)
	bed, exe := apibed.Require(b), program.Build(b)
	bed.Stage(b)
	bed.Kubelet(b, apibed.KubeletAddress, kubeletLog)
	began := time.Now()
	bed.Crowd(b, largeNodes, 1000, 2000)
	fmt.Printf("created %d nodes with 10 pods each, 1000 services and 2000 warnings in %s\n",
		largeNodes, time.Since(began).Round(time.Second))
	front := bed.Front(b, apibed.Faults{})
	counted := bed.Kubeconfig(b, apibed.Login{Server: front.URL, CA: front.CA})
	program.Run(b, exe, "--node", apibed.WindowsNode, "--kubeconfig", counted, "--json")
	if n := len(front.Requests()); n > largeRequests {
		b.Errorf("%d requests, at most %d may be sent:\n%s", n, largeRequests,
			strings.Join(front.Requests(), "\n"))
	}
	measure := func(name string, args ...string) {
		b.Run(name, func(b *testing.B) {
			var peak int64
			var r program.Result
			for b.Loop() {
				r = program.Run(b, exe, append(args, "--kubeconfig", bed.Kubeconfigs["admin"])...)
				peak = max(peak, r.Peak)
			}
			each := b.Elapsed() / time.Duration(b.N)
			b.ReportMetric(float64(peak)/1e6, "peak-MB")
			if name == "diagnosis" && (each > largeTime || peak > largeMemory) {
				b.Errorf("it takes %s and %d MB; at most %s and %d MB are allowed", each, peak/1e6,
					largeTime, largeMemory/1000000)
			}
			if !strings.Contains(r.Stdout, apibed.WindowsNode) {
				b.Errorf("no report of the node: %s%s", r.Stdout, r.Stderr)
			}
		})
	}
	measure("diagnosis", "--json", "--verbose", "--node="+apibed.WindowsNode)
	measure("list", "--json", "--node")
	fmt.Printf("%d requests for a diagnosis\n", len(front.Requests()))
}

// BenchmarkClientGo prints what the program's start and size would be without
// client-go, by building it with a stand-in for collectors/cluster.
func BenchmarkClientGo(b *testing.B) {
	forAPI(b)
	with, without := program.Build(b), buildWithout(b)
	for _, exe := range []struct{ name, path string }{{"with", with}, {"without", without}} {
		info, err := os.Stat(exe.path)
		if err != nil {
			b.Fatal(err)
		}
		var took []time.Duration
		for range 41 {
			began := time.Now()
			program.Run(b, exe.path, "version")
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		fmt.Printf("doctor %-7s client-go: %5.1f MB, doctor version in %.1f ms (median of %d; the quickest %.1f ms)\n", exe.name,
			float64(info.Size())/1e6, float64(took[len(took)/2].Microseconds())/1e3, len(took),
			float64(took[0].Microseconds())/1e3)
	}
}

// buildWithout builds the program with testdata/cluster.go in the place of collectors/cluster.
func buildWithout(b *testing.B) string {
	b.Helper()
	replace := map[string]string{}
	root, err := server.Root()
	if err != nil {
		b.Fatal(err)
	}
	replaced := filepath.Join(root, "collectors", "cluster")
	sources, err := filepath.Glob(filepath.Join(replaced, "*.go"))
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range sources {
		replace[name] = ""
	}
	standIn, err := filepath.Abs("testdata/cluster.go")
	if err != nil {
		b.Fatal(err)
	}
	replace[filepath.Join(replaced, "client.go")] = standIn
	content, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		b.Fatal(err)
	}
	overlay, exe := filepath.Join(b.TempDir(), "overlay.json"), filepath.Join(b.TempDir(), "doctor")
	program.Write(b, overlay, string(content))
	cmd := exec.Command("go", "build", "-ldflags", "-s -w", "-overlay", overlay, "-o", exe,
		"./cmd/doctor")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	return exe
}
