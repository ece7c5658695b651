package api_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"doctor/checks/fleet"
	"doctor/fixtures/apibed"
	"doctor/fixtures/program"
)

// What diagnosing many nodes may cost: by their number, how long it takes and how much memory.
var fleetCosts = []struct {
	nodes  int
	most   time.Duration
	memory int64
}{
	{10, 15 * time.Second, 300e6}, {100, 15 * time.Second, 300e6},
	{1000, 15 * time.Second, 300e6}, {5000, 60 * time.Second, 1000e6},
}

// fleetRequests is how many requests may be sent beside those for further pages.
const fleetRequests = 20

// BenchmarkFleet prints what the whole program costs, as a process, by the number of nodes, each of
// which has 30 pods.
func BenchmarkFleet(b *testing.B) {
	if os.Getenv("DOCTOR_BENCH_FLEET") == "" {
		b.Skip("takes minutes; run `make bench-fleet`")
	}
	bed, err := apibed.Start()
	if err != nil {
		b.Skip(err)
	}
	defer bed.Stop()
	exe := program.Build(b)
	fmt.Println("nodes   pods  seconds  nodes/s  requests  pages      MB  peak MB")
	filled := 0
	for _, cost := range fleetCosts {
		bed.Fleet(b, filled, cost.nodes)
		filled = cost.nodes
		front := bed.Front(b, apibed.Faults{})
		counted := bed.Kubeconfig(b, apibed.Login{Server: front.URL, CA: front.CA})
		began := time.Now()
		r := program.Run(b, exe, "fleet", "--kubeconfig", bed.Kubeconfigs["admin"], "--json",
			"--timeout=10m")
		took := time.Since(began)
		var report fleet.Report
		if err := json.Unmarshal([]byte(r.Stdout), &report); err != nil ||
			report.Summary.Nodes != cost.nodes || report.Summary.Faulty != cost.nodes*3/10 {
			b.Fatalf("%v: %+v %s", err, report.Summary, r.Stderr)
		}
		program.Run(b, exe, "fleet", "--kubeconfig", counted, "--json", "--timeout=10m")
		pages := 0
		for _, request := range front.Requests() {
			if strings.Contains(request, "continue=") {
				pages++
			}
		}
		requests := len(front.Requests())
		fmt.Printf("%5d %6d  %7.1f  %7.0f  %8d  %5d  %6.1f  %7.0f\n", cost.nodes, cost.nodes*30,
			took.Seconds(), float64(cost.nodes)/took.Seconds(), requests-pages, pages,
			float64(front.Bytes())/1e6, float64(r.Peak)/1e6)
		if took > cost.most || r.Peak > cost.memory || requests-pages > fleetRequests {
			b.Errorf("%d nodes take %s, %d MB and %d requests; at most %s, %d MB and %d are allowed",
				cost.nodes, took, r.Peak/1e6, requests-pages, cost.most, cost.memory/1e6,
				fleetRequests)
		}
	}
}
